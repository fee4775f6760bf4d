//! What is kept of a client: what a data export holds of it. Of one who is erased nothing is left here.

use spotter_contract::{Area, Fate, Part, Trace, With, Write};
use spotter_core::uploads::{self, UploadId};
use spotter_kernel::{Id, Result};
use spotter_store::{Bind, params, statements, under};

use crate::{goal, measurement, photos};

fn erase_measurements(cx: &mut Write, client: Id) -> Result<bool> {
    cx.forget_tally(&under(measurement::TALLY, &[client.bind()]))?;
    cx.execute(MEASUREMENTS, params![client]).map(|_| false)
}

fn erase_goals(cx: &mut Write, client: Id) -> Result<bool> {
    cx.forget_tally(&under(goal::TALLY, &[client.bind()]))?;
    cx.execute(GOALS, params![client]).map(|_| false)
}

fn erase_photos(cx: &mut Write, client: Id) -> Result<bool> {
    let photos: Vec<(UploadId, UploadId)> = cx.all(PICTURES, params![client])?;
    for (picture, thumbnail) in photos {
        uploads::discard(cx, picture)?;
        uploads::discard(cx, thumbnail)?;
    }
    cx.execute(PHOTOS, params![client]).map(|_| false)
}

const EXPORTS: &[Part] = &[
    Part::of("measurements", "list_measurements"),
    Part::of("progress-photos", "list_progress_photos")
        .with(&[With::File("progressPhotoId", photos::picture)]),
    Part::of("habits", "list_habits").with(&[With::Listed("entries", "list_habit_entries")]),
    Part::of("nutrition-logs", "list_client_nutrition_logs"),
    Part::of("nutrition-targets", "list_nutrition_targets"),
    Part::of("goals", "list_goals"),
];

const TRACES: &[Trace] = &[
    Trace::gone("measurement", Fate::Run(erase_measurements)),
    Trace::gone("measurement_sum", Fate::By(SUMS)),
    Trace::gone("habit_entry", Fate::By(ENTRIES)),
    Trace::gone("habit", Fate::By(HABITS)),
    Trace::gone("goal", Fate::Run(erase_goals)),
    Trace::gone("progress_photo", Fate::Run(erase_photos)),
    Trace::gone("nutrition_log", Fate::By(MEALS)),
    Trace::gone("nutrition_target", Fate::By(TARGETS)),
];

/// What this chapter brings.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).exports(EXPORTS).erases(TRACES)
}

statements! {
    SUMS = "DELETE FROM measurement_sum WHERE company_id = ?1 AND client_id = ?2";
    MEASUREMENTS = "DELETE FROM measurement WHERE company_id = ?1 AND client_id = ?2";
    ENTRIES = "DELETE FROM habit_entry WHERE company_id = ?1 AND client_id = ?2";
    HABITS = "DELETE FROM habit WHERE company_id = ?1 AND client_id = ?2";
    GOALS = "DELETE FROM goal WHERE company_id = ?1 AND client_id = ?2";
    /// A client has at most a thousand photos.
    PICTURES = "SELECT upload_id, thumbnail_id FROM progress_photo WHERE company_id = ?1 AND client_id = ?2 LIMIT 1000";
    PHOTOS = "DELETE FROM progress_photo WHERE company_id = ?1 AND client_id = ?2";
    MEALS = "DELETE FROM nutrition_log WHERE company_id = ?1 AND client_id = ?2";
    TARGETS = "DELETE FROM nutrition_target WHERE company_id = ?1 AND client_id = ?2";
}
