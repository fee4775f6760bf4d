//! Tools: operations as assistants see and call them. [`tool`] builds them from the table and the modules of `spotter_assistants`;
//! [`schemas`], [`words`], [`list_summaries`] and [`answer_limit`] keep descriptions and answers short; [`call`] runs one, and [`results`]
//! is its answer.

mod answer_limit;
mod call;
mod list_summaries;
mod results;
mod schemas;
mod tool;
mod words;

use std::{collections::BTreeMap, sync::Arc};

use rmcp::model::Tool as Described;
use spotter_assistants::{
    assistant::Assistant,
    modules::{GrantSubject, Module, OF_ALL},
};
use spotter_contract::Table;

pub(crate) use self::results::ToolAnswer;
use self::tool::{Tool, ToolMode};

/// Every tool, for each kind of assistant.
pub(crate) struct Tools(BTreeMap<(GrantSubject, String), Arc<Tool>>);

impl Tools {
    /// The tools that the modules name, out of the operations table.
    pub(crate) fn of(table: &Table) -> Self {
        let named = Module::ALL
            .iter()
            .flat_map(|module| module.tools().iter().map(|tool| (module.subject(), *tool)));
        let of_all = OF_ALL
            .iter()
            .flat_map(|tool| [(GrantSubject::Company, *tool), (GrantSubject::Client, *tool)]);
        let tools = named.chain(of_all).filter_map(|(subject, name)| {
            let operation = table.find(name)?;
            let uses: &[ToolMode] = match operation.needs_confirmation() {
                true => &[ToolMode::Previews, ToolMode::Confirms],
                false => &[ToolMode::Does],
            };
            Some(uses.iter().map(move |used| {
                let tool = Tool::new(operation.clone(), *used, subject);
                ((subject, tool.described.name.to_string()), Arc::new(tool))
            }))
        });
        Self(tools.flatten().collect())
    }

    /// What an assistant may call, in the order of their names.
    pub(crate) fn listed(&self, assistant: &Assistant) -> Vec<Described> {
        let own = self.0.iter().filter(|((subject, _), tool)| {
            *subject == assistant.subject
                && tool.operation.admit(&assistant.caller).is_ok()
                && assistant.has_tool(tool.operation.id)
        });
        own.map(|(_, tool)| tool.described.clone()).collect()
    }

    /// The tools of a name for any caller; `None` where there is none.
    fn find(&self, name: &str) -> Option<ToolVariants> {
        let of = |subject| self.0.get(&(subject, name.to_owned())).cloned();
        let (company, client) = (of(GrantSubject::Company), of(GrantSubject::Client));
        let any = company.clone().or_else(|| client.clone())?;
        Some(ToolVariants { company, client, any })
    }
}

/// The tools of a name. They share their operation, and how they use it.
#[derive(Clone)]
struct ToolVariants {
    company: Option<Arc<Tool>>,
    client: Option<Arc<Tool>>,
    any: Arc<Tool>,
}

impl ToolVariants {
    fn of(&self, subject: GrantSubject) -> Option<&Arc<Tool>> {
        match subject {
            GrantSubject::Company => self.company.as_ref(),
            GrantSubject::Client => self.client.as_ref(),
        }
    }
}
