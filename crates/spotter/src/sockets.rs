//! Listening sockets: one address for everything, or a second one for the MCP server, where an operator keeps
//! assistants apart.

use std::{
    net::{SocketAddr, TcpListener},
    time::Duration,
};

use axum::{ServiceExt, extract::Request};
use axum_server::{
    Handle,
    accept::DefaultAcceptor,
    tls_rustls::{RustlsAcceptor, RustlsConfig},
};
use tokio::task::JoinSet;

use crate::{
    connections::{self, ConnectionLimiter},
    settings::Settings,
    test_environments::Dispatcher,
};

/// The addresses to serve on, taken.
pub(crate) struct Sockets {
    all: TcpListener,
    assistants: Option<TcpListener>,
}

impl Sockets {
    /// Takes them.
    pub(crate) fn bind(settings: &Settings) -> Result<Self, String> {
        Ok(Self {
            all: bound(settings.listen)?,
            assistants: settings.mcp_listen.map(bound).transpose()?,
        })
    }

    /// Serves until the sockets are closed: the APIs and pages, and the MCP server apart or together with them.
    pub(crate) async fn serve(
        self,
        settings: &Settings,
        most: usize,
        all: Dispatcher,
        assistants: Dispatcher,
    ) -> Result<Serving, String> {
        let tls = match &settings.tls {
            Some((certificate, key)) => {
                let loaded = RustlsConfig::from_pem_file(certificate, key).await;
                Some(loaded.map_err(|error| format!("{}: {error}", certificate.display()))?)
            }
            None => None,
        };
        let doorkeeper = ConnectionLimiter::new(most);
        let mut serving = Serving { handles: Vec::new(), servers: JoinSet::new() };
        serving.add(self.all, all, &tls, &doorkeeper);
        if let Some(own) = self.assistants {
            serving.add(own, assistants, &tls, &doorkeeper);
        }
        Ok(serving)
    }
}

fn bound(address: SocketAddr) -> Result<TcpListener, String> {
    TcpListener::bind(address)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .map_err(|error| format!("{address}: {error}"))
}

/// What serves on the addresses.
pub(crate) struct Serving {
    handles: Vec<Handle<SocketAddr>>,
    servers: JoinSet<std::io::Result<()>>,
}

impl Serving {
    fn add(
        &mut self,
        listener: TcpListener,
        service: Dispatcher,
        tls: &Option<RustlsConfig>,
        doorkeeper: &ConnectionLimiter,
    ) {
        let (handle, doorkeeper, tls) = (Handle::new(), doorkeeper.clone(), tls.clone());
        self.handles.push(handle.clone());
        let service =
            ServiceExt::<Request>::into_make_service_with_connect_info::<SocketAddr>(service);
        self.servers.spawn(async move {
            let server = axum_server::from_tcp(listener)?.handle(handle);
            match tls {
                Some(tls) => {
                    let acceptor = doorkeeper.before(RustlsAcceptor::new(tls));
                    connections::timed(server.acceptor(acceptor)).serve(service).await
                }
                None => {
                    let acceptor = doorkeeper.before(DefaultAcceptor::new());
                    connections::timed(server.acceptor(acceptor)).serve(service).await
                }
            }
        });
    }

    /// Takes no more requests, and waits for those that are under way.
    pub(crate) async fn close(mut self, retry_policy: Duration) -> Result<(), String> {
        self.handles.iter().for_each(|handle| handle.graceful_shutdown(Some(retry_policy)));
        let mut outcome = Ok(());
        while let Some(ended) = self.servers.join_next().await {
            let ended = ended.map_err(|error| error.to_string());
            outcome = outcome.and(ended.and_then(|end| end.map_err(|error| error.to_string())));
        }
        outcome
    }
}
