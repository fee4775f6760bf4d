//! The order of a plan's days and weeks, and what may be done to it.
//!
//! Two rules hold after every step: weeks are numbered 1, 2, 3 … without a gap, and so are the days
//! of the whole plan. A week may be empty. Nothing here knows of rows: [`Outline`] is what the
//! database's rows say, and the difference between two of them is what has to be written.

use spotter_kernel::{Problem, Result};

use super::{
    plan::MomentId,
    vocabulary::{Layout, Mode},
};
use crate::rules::TrainingRule;

/// Most weeks of a plan.
pub(super) const WEEKS_MAX: i64 = 52;
/// Most days of a week.
const DAYS_OF_A_WEEK_MAX: usize = 14;
/// Most days of a week where at most one is due a day.
const DATED_DAYS_OF_A_WEEK_MAX: usize = 7;

/// The position of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DayPosition {
    /// The day.
    pub id: MomentId,
    /// The week that it is in, from 1.
    pub week: i64,
    /// Its place among all days of the plan, from 1.
    pub order: i64,
}

/// The days of a plan in their order, and how many weeks there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outline {
    pub total_weeks: i64,
    days_max: usize,
    places: Vec<DayPosition>,
}

impl Outline {
    /// An outline out of the days' places, in any order.
    pub fn new(total_weeks: i64, layout: Layout, mode: Mode, mut places: Vec<DayPosition>) -> Self {
        places.sort_by_key(|place| place.order);
        let days_max = match (layout, mode) {
            (Layout::Sequence, Mode::MultiWeek) => DATED_DAYS_OF_A_WEEK_MAX,
            _ => DAYS_OF_A_WEEK_MAX,
        };
        Self { total_weeks, days_max, places }
    }

    /// Whether each week's days fit into it.
    pub fn fits(&self) -> bool {
        (1..=self.total_weeks).all(|week| self.of_week(week).count() <= self.days_max)
    }

    /// The days in their order.
    pub fn places(&self) -> &[DayPosition] {
        &self.places
    }

    /// The days of one week.
    pub fn of_week(&self, week: i64) -> impl Iterator<Item = DayPosition> + '_ {
        self.places.iter().copied().filter(move |place| place.week == week)
    }

    fn number(&mut self) {
        for (order, place) in (1..).zip(&mut self.places) {
            place.order = order;
        }
    }

    /// Whether the plan has this week.
    pub fn has_week(&self, week: i64) -> bool {
        (1..=self.total_weeks).contains(&week)
    }

    fn check_room(&self) -> Result<()> {
        if self.total_weeks >= WEEKS_MAX {
            return Err(Problem::conflict("weeks", TrainingRule::TooManyWeeks));
        }
        Ok(())
    }

    /// Adds an empty week at the end; its number.
    pub fn add_week(&mut self) -> Result<i64> {
        self.check_room()?;
        self.total_weeks += 1;
        Ok(self.total_weeks)
    }

    /// Makes room for a copy of a week right after it, with new ids for its days; returns the
    /// copy's number and which day is a copy of which.
    pub fn duplicate_week(
        &mut self,
        week: i64,
        mut new_id: impl FnMut() -> MomentId,
    ) -> Result<(i64, Vec<(MomentId, DayPosition)>)> {
        self.check_room()?;
        let copies: Vec<_> = self.of_week(week).map(|place| (place.id, new_id())).collect();
        for place in self.places.iter_mut().filter(|place| place.week > week) {
            place.week += 1;
        }
        self.total_weeks += 1;
        let at = self.end_of(week);
        let places = copies.iter().map(|(_, id)| DayPosition { id: *id, week: week + 1, order: 0 });
        self.places.splice(at..at, places.collect::<Vec<_>>());
        self.number();
        let placed = |id| self.places.iter().copied().find(|place| place.id == id);
        let copies = copies.into_iter().filter_map(|(of, id)| Some((of, placed(id)?)));
        Ok((week + 1, copies.collect()))
    }

    /// Takes a week away, with its days; those that follow move up. Returns the days that went.
    pub fn delete_week(&mut self, week: i64) -> Result<Vec<MomentId>> {
        if self.total_weeks <= 1 {
            return Err(Problem::invalid("weekNumber", TrainingRule::LastWeek));
        }
        let gone: Vec<_> = self.of_week(week).map(|place| place.id).collect();
        self.places.retain(|place| place.week != week);
        for place in self.places.iter_mut().filter(|place| place.week > week) {
            place.week -= 1;
        }
        self.total_weeks -= 1;
        self.number();
        Ok(gone)
    }

    /// Adds a day after those of its week and of the weeks before.
    pub fn add_day(&mut self, id: MomentId, week: i64) -> Result<DayPosition> {
        let Self { days_max, .. } = *self;
        if self.of_week(week).count() >= days_max {
            return Err(Problem::conflict("weekNumber", TrainingRule::TooManyDays { days_max }));
        }
        let at = self.end_of(week);
        self.places.insert(at, DayPosition { id, week, order: 0 });
        self.number();
        Ok(self.places[at])
    }

    /// Takes a day away.
    pub fn delete_day(&mut self, id: MomentId) {
        self.places.retain(|place| place.id != id);
        self.number();
    }

    /// Moves a day to another week, after the days there.
    pub fn move_day(&mut self, id: MomentId, week: i64) -> Result<()> {
        self.delete_day(id);
        self.add_day(id, week).map(drop)
    }

    /// Puts the days in a new order, which must name each of them once.
    pub fn reorder(&mut self, ids: &[MomentId]) -> Result<()> {
        let found = |id: &MomentId| self.places.iter().copied().find(|place| place.id == *id);
        let places: Option<Vec<_>> = ids.iter().map(found).collect();
        let mut once = ids.to_vec();
        once.sort_unstable();
        once.dedup();
        match places {
            Some(places) if once.len() == ids.len() && ids.len() == self.places.len() => {
                self.places = places;
                self.number();
                Ok(())
            }
            _ => Err(Problem::invalid("planMomentIds", TrainingRule::NotEveryDayOnce)),
        }
    }

    /// The position after the last day of a week and of the weeks before it.
    fn end_of(&self, week: i64) -> usize {
        self.places.iter().rposition(|place| place.week <= week).map_or(0, |at| at + 1)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;
    use spotter_kernel::{Id, Timestamp};

    use super::*;

    fn id(number: u8) -> MomentId {
        MomentId(Id::new(Timestamp::from_millis(1), [0, 0, 0, 0, 0, number]))
    }

    #[derive(Debug, Clone)]
    enum OutlineEdit {
        AddWeek,
        DuplicateWeek(i64),
        DeleteWeek(i64),
        AddDay(i64),
        DeleteDay(usize),
        MoveDay(usize, i64),
        Reorder(u64),
    }

    fn step() -> impl Strategy<Value = OutlineEdit> {
        prop_oneof![
            Just(OutlineEdit::AddWeek),
            (1..9i64).prop_map(OutlineEdit::DuplicateWeek),
            (1..9i64).prop_map(OutlineEdit::DeleteWeek),
            (1..9i64).prop_map(OutlineEdit::AddDay),
            (0..20usize).prop_map(OutlineEdit::DeleteDay),
            (0..20usize, 1..9i64).prop_map(|(day, week)| OutlineEdit::MoveDay(day, week)),
            any::<u64>().prop_map(OutlineEdit::Reorder),
        ]
    }

    /// Does a step where it makes sense; the days that it took away.
    fn take(outline: &mut Outline, step: &OutlineEdit, next: &mut u8) -> Vec<MomentId> {
        let mut new = || {
            *next = next.wrapping_add(1);
            id(*next)
        };
        let day = |outline: &Outline, at: usize| outline.places().get(at).map(|place| place.id);
        match step {
            OutlineEdit::AddWeek => drop(outline.add_week()),
            OutlineEdit::DuplicateWeek(week) if outline.has_week(*week) => {
                let before: Vec<_> = outline.of_week(*week).map(|place| place.id).collect();
                if let Ok((copy, days)) = outline.duplicate_week(*week, &mut new) {
                    assert_eq!(copy, week + 1);
                    assert_eq!(days.iter().map(|(of, _)| *of).collect::<Vec<_>>(), before);
                    assert!(outline.of_week(copy).eq(days.iter().map(|(_, place)| *place)));
                }
            }
            OutlineEdit::DeleteWeek(week) if outline.has_week(*week) => {
                return outline.delete_week(*week).unwrap_or_default();
            }
            OutlineEdit::AddDay(week) if outline.has_week(*week) => {
                drop(outline.add_day(new(), *week));
            }
            OutlineEdit::DeleteDay(at) => {
                let gone = day(outline, *at);
                gone.into_iter().for_each(|id| outline.delete_day(id));
                return gone.into_iter().collect();
            }
            OutlineEdit::MoveDay(at, week) if outline.has_week(*week) => {
                if let Some(id) = day(outline, *at) {
                    let room = outline.of_week(*week).filter(|place| place.id != id).count();
                    if room < outline.days_max {
                        outline.move_day(id, *week).unwrap();
                    }
                }
            }
            OutlineEdit::Reorder(seed) => {
                let mut ids: Vec<_> = outline.places().iter().map(|place| place.id).collect();
                let length = ids.len().max(1) as u64;
                (0..ids.len()).for_each(|at| {
                    ids.swap(at, (seed.wrapping_mul(at as u64 + 7) % length) as usize)
                });
                outline.reorder(&ids).unwrap();
                assert!(outline.places().iter().map(|place| place.id).eq(ids));
            }
            _ => {}
        }
        Vec::new()
    }

    proptest! {
        #[test]
        fn numbers_have_no_gaps(weeks in 1..4i64, layout in prop::sample::select(Layout::ALL), steps in prop::collection::vec(step(), 0..40)) {
            let mut outline = Outline::new(weeks, layout, Mode::MultiWeek, Vec::new());
            let mut next = 0;
            for step in &steps {
                let before: BTreeMap<_, _> =
                    outline.places().iter().map(|place| (place.id, place.week)).collect();
                let gone: BTreeSet<_> = take(&mut outline, step, &mut next).into_iter().collect();
                prop_assert!((1..=WEEKS_MAX).contains(&outline.total_weeks));
                for (place, order) in outline.places().iter().zip(1..) {
                    prop_assert_eq!(place.order, order);
                    prop_assert!(outline.has_week(place.week));
                }
                let left: BTreeSet<_> = outline.places().iter().map(|place| place.id).collect();
                prop_assert_eq!(left.len(), outline.places().len(), "each day stands once");
                for (id, week) in before {
                    prop_assert_eq!(left.contains(&id), !gone.contains(&id), "only those are lost that were told");
                    let now = outline.places().iter().find(|place| place.id == id).map(|place| place.week);
                    let expected = match step {
                        OutlineEdit::DeleteWeek(from) if week > *from && !gone.is_empty() => Some(week - 1),
                        _ => now,
                    };
                    if now.is_some() {
                        prop_assert_eq!(now, expected);
                    }
                }
            }
        }
    }

    #[test]
    fn one_day_at_a_time_fills_a_week() {
        for (layout, mode, most) in [
            (Layout::Sequence, Mode::MultiWeek, 7),
            (Layout::Sequence, Mode::Recurring, 14),
            (Layout::CalendarWeek, Mode::MultiWeek, 14),
        ] {
            let mut outline = Outline::new(1, layout, mode, Vec::new());
            let added = (0..20).take_while(|n| outline.add_day(id(*n), 1).is_ok()).count();
            assert_eq!((added, outline.fits()), (most, true), "{layout:?} {mode:?}");
        }
    }

    #[test]
    fn later_weeks_move_up() {
        let mut outline = Outline::new(3, Layout::Sequence, Mode::MultiWeek, Vec::new());
        for (day, week) in [(1, 1), (2, 2), (3, 2), (4, 3)] {
            outline.add_day(id(day), week).unwrap();
        }
        assert_eq!(outline.delete_week(2).unwrap(), [id(2), id(3)]);
        let places: Vec<_> = outline.places().iter().map(|p| (p.id, p.week, p.order)).collect();
        assert_eq!((outline.total_weeks, places), (2, vec![(id(1), 1, 1), (id(4), 2, 2)]));
        outline.delete_week(1).unwrap();
        assert!(outline.delete_week(1).is_err(), "the last remaining week stays");
    }

    #[test]
    fn an_order_names_each_day_once() {
        let mut outline = Outline::new(1, Layout::Sequence, Mode::MultiWeek, Vec::new());
        for day in 1..=3 {
            outline.add_day(id(day), 1).unwrap();
        }
        for wrong in
            [vec![], vec![id(1), id(2)], vec![id(1), id(2), id(2)], vec![id(1), id(2), id(9)]]
        {
            assert!(outline.clone().reorder(&wrong).is_err(), "{wrong:?}");
        }
        outline.reorder(&[id(3), id(1), id(2)]).unwrap();
        assert_eq!(outline.places()[0], DayPosition { id: id(3), week: 1, order: 1 });
    }
}
