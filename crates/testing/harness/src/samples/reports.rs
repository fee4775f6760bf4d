//! Reports: no records of their own.

use serde_json::Value;
use spotter_contract::Operation;

use crate::{
    App,
    samples::{Ids, Sample, SampleFuture},
};

pub struct Reports;

impl Sample for Reports {
    fn has(&self, operation: &Operation) -> bool {
        operation.path.starts_with("/reports")
    }

    fn make<'m>(
        &'m self,
        _: &'m App,
        _: &'m mut Ids,
        _: Option<&'m Operation>,
    ) -> SampleFuture<'m> {
        Box::pin(async {})
    }

    fn body(&self, operation: &str, _: &Ids) -> Value {
        panic!("{operation} takes no body")
    }
}
