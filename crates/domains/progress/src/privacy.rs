//! Privacy: what a data export contains of a client's progress. Nothing remains after erasure.

use spotter_company::uploads::{self, UploadId};
use spotter_contract::{Area, ErasureAction, ErasureRule, ExportSection, RelatedRecords, Write};
use spotter_kernel::{Id, Result};
use spotter_store::{Bind, of_tally, params, statements};

use crate::{goal, measurement, photos};

fn erase_measurements(cx: &mut Write, client: Id) -> Result<bool> {
    cx.forget_tally(&of_tally(measurement::TALLY, &[client.bind()]))?;
    cx.execute(MEASUREMENTS, params![client]).map(|_| false)
}

fn erase_goals(cx: &mut Write, client: Id) -> Result<bool> {
    cx.forget_tally(&of_tally(goal::TALLY, &[client.bind()]))?;
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

const EXPORTS: &[ExportSection] = &[
    ExportSection::of("measurements", "list_measurements"),
    ExportSection::of("progress-photos", "list_progress_photos")
        .with(&[RelatedRecords::File("progressPhotoId", photos::picture)]),
    ExportSection::of("habits", "list_habits")
        .with(&[RelatedRecords::Listed("entries", "list_habit_entries")]),
    ExportSection::of("nutrition-logs", "list_client_nutrition_logs"),
    ExportSection::of("nutrition-targets", "list_nutrition_targets"),
    ExportSection::of("goals", "list_goals"),
];

const TRACES: &[ErasureRule] = &[
    ErasureRule::gone("measurement", ErasureAction::Run(erase_measurements)),
    ErasureRule::gone("measurement_sum", ErasureAction::By(SUMS)),
    ErasureRule::gone("habit_entry", ErasureAction::By(ENTRIES)),
    ErasureRule::gone("habit", ErasureAction::By(HABITS)),
    ErasureRule::gone("goal", ErasureAction::Run(erase_goals)),
    ErasureRule::gone("progress_photo", ErasureAction::Run(erase_photos)),
    ErasureRule::gone("nutrition_log", ErasureAction::By(MEALS)),
    ErasureRule::gone("nutrition_target", ErasureAction::By(TARGETS)),
];

/// The operations and statements of this module.
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
