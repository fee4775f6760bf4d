//! What people are told before an operation is done.

use spotter_kernel::{Phrase, Timestamp};

use super::Write;
use crate::confirmations::EffectPreview;

impl Write<'_, '_> {
    /// Gathers from here on what people are told of it.
    pub(crate) fn start_preview(&mut self) {
        self.preview = Some(EffectPreview::default());
    }

    /// Whether it is gathered what people are told of it, so that what only that needs is read.
    pub fn is_preview(&self) -> bool {
        self.preview.is_some()
    }

    /// What was gathered.
    pub(crate) fn take_preview(&mut self) -> Option<EffectPreview> {
        self.preview.take()
    }

    /// Adds an effect to the preview, where the operation is previewed.
    pub fn describe_effect<P: Into<Phrase>>(&mut self, effect: impl FnOnce() -> P) {
        self.describe_count(1, effect);
    }

    /// The same for an effect on so many records; on none it takes nothing from anybody.
    pub fn describe_count<P: Into<Phrase>>(&mut self, count: u64, effect: impl FnOnce() -> P) {
        if let Some(previewed) = &mut self.preview {
            previewed.effects.push(effect().into());
            previewed.is_harmful |= count > 0;
        }
    }

    /// Says when what it is about was last changed: a later change makes what was told stale.
    pub fn as_of(&mut self, changed_at: Timestamp) {
        if let Some(effects) = &mut self.preview {
            effects.as_of.push(changed_at);
        }
    }

    /// Adds a person who is notified to the preview, where the operation is previewed.
    pub fn describe_recipient<P: Into<Phrase>>(&mut self, recipient: impl FnOnce() -> P) {
        if let Some(effects) = &mut self.preview {
            effects.recipients.push(recipient().into());
        }
    }
}
