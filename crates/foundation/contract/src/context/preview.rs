//! Collects the effects of an operation for its preview.

use spotter_kernel::{Phrase, Timestamp};

use super::Write;
use crate::confirmations::EffectPreview;

impl Write<'_, '_> {
    /// Starts collecting effects.
    pub(crate) fn start_preview(&mut self) {
        self.preview = Some(EffectPreview::default());
    }

    /// Whether effects are collected, so that reads for them alone can be skipped.
    pub fn is_preview(&self) -> bool {
        self.preview.is_some()
    }

    /// The collected effects.
    pub(crate) fn take_preview(&mut self) -> Option<EffectPreview> {
        self.preview.take()
    }

    /// Adds an effect to the preview, where the operation is previewed.
    pub fn describe_effect<P: Into<Phrase>>(&mut self, effect: impl FnOnce() -> P) {
        self.describe_count(1, effect);
    }

    /// The same for an effect on a number of records; on none it takes nothing from others.
    pub fn describe_count<P: Into<Phrase>>(&mut self, count: u64, effect: impl FnOnce() -> P) {
        if let Some(previewed) = &mut self.preview {
            previewed.effects.push(effect().into());
            previewed.is_harmful |= count > 0;
        }
    }

    /// Sets when the subject was last changed: a later change makes the preview stale.
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
