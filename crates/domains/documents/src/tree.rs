//! The tree of folders: without cycles, at most five levels deep.

use std::collections::BTreeMap;

use spotter_kernel::{Problem, Result};

use crate::{folder::FolderId, rules::DocumentRule};

/// Most levels of folders.
pub const DEPTH_MAX: usize = 5;

/// Every folder of a company with its parent.
#[derive(Clone, Debug, Default)]
pub struct Tree(BTreeMap<FolderId, Option<FolderId>>);

impl Tree {
    /// The tree of these folders.
    pub fn of(folders: impl IntoIterator<Item = (FolderId, Option<FolderId>)>) -> Self {
        Self(folders.into_iter().collect())
    }

    /// How many folders there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// A folder and its ancestors. It ends even if the stored tree has a cycle.
    fn upwards(&self, from: FolderId) -> impl Iterator<Item = FolderId> {
        let next = |id: &FolderId| self.0.get(id).copied().flatten();
        std::iter::successors(Some(from), next).take(self.len() + 1)
    }

    /// The level of a folder: 1 at the top.
    pub fn depth(&self, id: FolderId) -> usize {
        self.upwards(id).count()
    }

    /// The number of levels from this folder down: 1 without subfolders.
    fn height(&self, id: FolderId) -> usize {
        let down = |other: FolderId| self.upwards(other).position(|above| above == id);
        1 + self.0.keys().filter_map(|other| down(*other)).max().unwrap_or(0)
    }

    /// Refuses a parent that would make a cycle, or a tree that is too deep.
    pub fn check(&self, id: FolderId, parent: Option<FolderId>) -> Result<()> {
        let Some(parent) = parent else { return Ok(()) };
        if self.upwards(parent).any(|above| above == id) {
            return Err(Problem::conflict("parentId", DocumentRule::FolderInItself));
        }
        if self.depth(parent) + self.height(id) > DEPTH_MAX {
            return Err(Problem::conflict("parentId", DocumentRule::FoldersTooDeep));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use spotter_kernel::{Id, Timestamp};

    use super::*;

    fn folder(number: usize) -> FolderId {
        FolderId(Id::first_at(Timestamp::from_millis(1 + number as i64)))
    }

    /// The longest way down, by walking from every root.
    fn deepest(places: &[Option<usize>]) -> Option<usize> {
        fn below(places: &[Option<usize>], of: Option<usize>, steps: usize) -> Option<usize> {
            if steps > places.len() {
                return None;
            }
            let inside = (0..places.len()).filter(|at| places[*at] == of);
            let ways: Option<Vec<usize>> =
                inside.map(|at| below(places, Some(at), steps + 1)).collect();
            Some(ways?.into_iter().map(|way| way + 1).max().unwrap_or(0))
        }
        let reached = (0..places.len()).all(|mut at| {
            (0..=places.len()).any(|_| match places[at] {
                Some(parent) => {
                    at = parent;
                    false
                }
                None => true,
            })
        });
        below(places, None, 0).filter(|_| reached)
    }

    proptest! {
        /// A move is let through exactly where what comes of it has no circle and is at most five deep.
        #[test]
        fn moves_keep_folders_in_order(
            moves in prop::collection::vec((0..12usize, prop::option::of(0..12usize)), 0..60)
        ) {
            let mut places: Vec<Option<usize>> = vec![None; 12];
            for (at, to) in moves {
                let tree = Tree::of(
                    places.iter().enumerate().map(|(at, to)| (folder(at), to.map(folder))),
                );
                let mut moved = places.clone();
                moved[at] = to;
                let stands = deepest(&moved).is_some_and(|depth| depth <= DEPTH_MAX);
                prop_assert_eq!(tree.check(folder(at), to.map(folder)).is_ok(), stands);
                if stands {
                    places = moved;
                }
            }
        }
    }
}
