//! A push service: the receiver.

use std::sync::Arc;

use spotter::push::Pusher;
use spotter_contract::Env;
use spotter_outbound::http_client::{self, LookUp};
use spotter_push::{sender::PushSender, vapid::VapidKey};
use spotter_store::Db;

use crate::receiver;

/// What hands notifications to the receiver as to a push service.
pub(crate) fn pusher(db: &Db, env: &Env) -> Pusher {
    let (networks, key) = (env.private_networks.clone(), VapidKey::of(&env.vault).unwrap());
    let authority = [receiver::receiver().authority()];
    let contact = "mailto:owner@gym.example".into();
    let look_up: Arc<dyn LookUp> = receiver::names();
    let client = http_client::client(&networks, &authority, &look_up).unwrap();
    let sender = PushSender::new(client, networks, key, contact);
    Pusher { db: db.clone(), env: env.clone(), sender }
}
