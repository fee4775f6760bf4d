//! Plans that are about to end, so that staff can assign the next one in time.

use spotter_contract::{Area, ListQuery, Read, listed, operation};
use spotter_kernel::{Date, Result, in_order};
use spotter_people::client_is_there;
use spotter_store::{Bind, List, filters, lists};

use crate::{client_plans::ClientPlan, plan::Plan};

/// The default number of days around today.
const USUAL_DAYS: i64 = 7;

listed!(EndingPlans { plans: ClientPlan });

filters! {
    struct Filters {
        /// Plans that end on this date or later; a week ago when absent.
        from: Date;
        /// Plans that end on this date or earlier; in a week when absent.
        to: Date;
    }
}

fn list_ending_workout_plans(
    cx: &mut Read,
    ListQuery(wanted, page): ListQuery<Filters>,
) -> Result<EndingPlans> {
    let today = cx.today()?;
    let from = wanted.from.or_else(|| today.plus_days(-USUAL_DAYS)).unwrap_or(today);
    let to = wanted.to.or_else(|| today.plus_days(USUAL_DAYS)).unwrap_or(today);
    in_order(Some(from), Some(to), "to")?;
    let above = [from.bind().into_owned(), to.bind().into_owned()];
    Ok(cx.page_under(&LIST, &above, &wanted, page)?.map(ClientPlan::from).into())
}

/// The operations and statements of this module.
pub(super) fn area() -> Area {
    Area::default().lists(lists()).operations([operation!(app GET "/workout/plans/ending", Coach,
        list_ending_workout_plans)
    .summary("List ending plans")
    .describe(
        "Returns plans of clients who have no later plan, first to end first, without \
                 archived clients.",
    )])
}

lists! {
    /// Plans that end, where none of the client's goes on.
    LIST: List<Plan, Filters> = List::new(
        concat!(
            "workout_plan WHERE company_id = ?1 AND client_id IS NOT NULL AND end_date >= ?2 AND end_date <= ?3 \
         AND status = 'Active' AND deleted_at IS NULL AND ",
            client_is_there!("workout_plan"),
            " AND NOT EXISTS (SELECT 1 FROM workout_plan AS other \
         WHERE other.company_id = ?1 AND other.client_id = workout_plan.client_id \
         AND other.status = 'Active' AND other.deleted_at IS NULL AND other.plan_id <> workout_plan.plan_id \
         AND (other.end_date IS NULL OR other.end_date > workout_plan.end_date \
         OR other.end_date = workout_plan.end_date AND other.plan_id > workout_plan.plan_id))",
        ),
        "end_date, plan_id",
    );
}
