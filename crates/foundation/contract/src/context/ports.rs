//! The ports at which areas meet.

use std::sync::Arc;

use spotter_kernel::Result;

use super::Read;
use crate::{
    activity::{ActivityListener, Checkups, Training},
    admission::{Admissions, Forms, Timetable},
    consents::ConsentReader,
    entitlement::{Entitlements, Seats},
};

/// What areas ask of each other, which do not know each other.
#[derive(Clone)]
pub struct Ports {
    /// What bookings take of what clients have paid for.
    pub entitlements: Arc<dyn Entitlements>,
    /// Reads clients' workouts.
    pub training: Arc<dyn Training>,
    /// Reads clients' check-ups.
    pub checkups: Arc<dyn Checkups>,
    /// Who follows what clients do.
    pub activity: Arc<dyn ActivityListener>,
    /// What clients have consented to.
    pub consents: Arc<dyn ConsentReader>,
    /// What lets clients in.
    pub admissions: Arc<dyn Admissions>,
    /// When locations are open, and who is expected there.
    pub timetable: Arc<dyn Timetable>,
    /// Reads clients' forms.
    pub forms: Arc<dyn Forms>,
    /// Holds and books seats of classes.
    pub seats: Arc<dyn Seats>,
}

impl<'t> Read<'t, '_> {
    /// What bookings take of what clients have paid for.
    pub fn entitlements(&self) -> Result<&'t dyn Entitlements> {
        Ok(&*self.installation()?.ports.entitlements)
    }

    /// Reads clients' workouts.
    pub fn training(&self) -> Result<&'t dyn Training> {
        Ok(&*self.installation()?.ports.training)
    }

    /// Reads clients' check-ups.
    pub fn checkups(&self) -> Result<&'t dyn Checkups> {
        Ok(&*self.installation()?.ports.checkups)
    }

    /// What clients have consented to.
    pub fn consents(&self) -> Result<&'t dyn ConsentReader> {
        Ok(&*self.installation()?.ports.consents)
    }

    /// What lets clients in.
    pub fn admissions(&self) -> Result<&'t dyn Admissions> {
        Ok(&*self.installation()?.ports.admissions)
    }

    /// When locations are open, and who is expected there.
    pub fn timetable(&self) -> Result<&'t dyn Timetable> {
        Ok(&*self.installation()?.ports.timetable)
    }

    /// Reads clients' forms.
    pub fn forms(&self) -> Result<&'t dyn Forms> {
        Ok(&*self.installation()?.ports.forms)
    }

    /// Holds and books seats of classes.
    pub fn seats(&self) -> Result<&'t dyn Seats> {
        Ok(&*self.installation()?.ports.seats)
    }

    /// Who follows what clients do.
    pub fn activity(&self) -> Result<&'t dyn ActivityListener> {
        Ok(&*self.installation()?.ports.activity)
    }
}
