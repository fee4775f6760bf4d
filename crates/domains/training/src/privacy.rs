//! Privacy: what a data export contains of a client's training. Nothing remains after erasure.

use spotter_contract::{Area, ErasureAction, ErasureRule, ExportSection, RelatedRecords, Write};
use spotter_kernel::{Id, Result};
use spotter_store::{Bind, of_tally, params, statements};

use crate::session::TALLY;

fn erase_sessions(cx: &mut Write, client: Id) -> Result<bool> {
    cx.forget_tally(&of_tally(TALLY, &[client.bind()]))?;
    cx.execute(SESSIONS, params![client]).map(|_| false)
}

const EXPORTS: &[ExportSection] = &[
    ExportSection::of("workout-plans", "list_client_workout_plans")
        .with(&[RelatedRecords::Whole("get_client_workout_plan")]),
    ExportSection::of("workout-sessions", "list_workout_sessions")
        .with(&[RelatedRecords::Whole("get_workout_session")]),
    ExportSection::of("workout-equipment", "list_client_equipment"),
];

const TRACES: &[ErasureRule] = &[
    ErasureRule::gone("workout_equipment", ErasureAction::By(EQUIPMENT)),
    ErasureRule::gone("workout_moment", ErasureAction::By(MOMENTS)),
    ErasureRule::gone("workout_plan", ErasureAction::By(PLANS)),
    ErasureRule::gone("workout_move", ErasureAction::By(MOVES)),
    ErasureRule::gone("workout_performance", ErasureAction::By(PERFORMANCES)),
    ErasureRule::gone("workout_progress", ErasureAction::By(PROGRESS)),
    ErasureRule::gone("workout_session", ErasureAction::Run(erase_sessions)),
    ErasureRule::gone("workout_group_member", ErasureAction::By(MEMBERSHIPS)),
];

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::of(STATEMENTS).exports(EXPORTS).erases(TRACES)
}

statements! {
    EQUIPMENT = "DELETE FROM workout_equipment WHERE company_id = ?1 AND client_id = ?2";
    MOMENTS = "DELETE FROM workout_moment WHERE company_id = ?1 AND plan_id IN \
        (SELECT plan_id FROM workout_plan WHERE company_id = ?1 AND client_id = ?2)";
    PLANS = "DELETE FROM workout_plan WHERE company_id = ?1 AND client_id = ?2";
    MOVES = "DELETE FROM workout_move WHERE company_id = ?1 AND client_id = ?2";
    PERFORMANCES = "DELETE FROM workout_performance WHERE company_id = ?1 AND client_id = ?2";
    PROGRESS = "DELETE FROM workout_progress WHERE company_id = ?1 AND client_id = ?2";
    SESSIONS = "DELETE FROM workout_session WHERE company_id = ?1 AND client_id = ?2";
    MEMBERSHIPS = "DELETE FROM workout_group_member WHERE company_id = ?1 AND client_id = ?2";
}
