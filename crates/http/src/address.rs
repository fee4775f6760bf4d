//! The caller's address, seen through the proxies that the operator trusts.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::{extract::ConnectInfo, http::Request};
use ipnet::IpNet;

/// The address of whoever sent the request: the connection's own, or, where that is a trusted
/// proxy's, the last address in X-Forwarded-For that is not.
pub(crate) fn of<B>(request: &Request<B>, trusted: &[IpNet]) -> IpAddr {
    let direct = request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |info| info.0.ip().to_canonical());
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    if !is_trusted(&direct) {
        return direct;
    }
    let forwarded = request.headers().get_all("x-forwarded-for");
    let hops: Vec<IpAddr> = forwarded
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map_while(|hop| hop.trim().parse().ok())
        .collect();
    hops.into_iter().rev().find(|hop| !is_trusted(hop)).unwrap_or(direct)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(from: &str, forwarded: &str) -> String {
        let mut request = Request::builder().header("x-forwarded-for", forwarded).body(()).unwrap();
        let from: SocketAddr = format!("{from}:1").parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(from));
        of(&request, &["10.0.0.0/8".parse().unwrap()]).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(seen("203.0.113.9", "198.51.100.1"), "203.0.113.9");
        assert_eq!(seen("10.0.0.1", "198.51.100.1, 10.0.0.2"), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", "1.2.3.4, 198.51.100.1"), "198.51.100.1");
        assert_eq!(seen("10.0.0.1", "nonsense"), "10.0.0.1");
    }
}
