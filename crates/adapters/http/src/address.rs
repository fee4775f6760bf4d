//! The caller's address, seen through the proxies that the operator trusts.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::{extract::ConnectInfo, http::Request};
use ipnet::IpNet;

/// The address of the caller: the connection's own, or, where that is a trusted proxy's, the first address in
/// X-Forwarded-For, read from the right, that is no trusted proxy. Everything left of it was written by the caller,
/// so an unreadable hop ends the search: the caller then has no particular address.
pub(crate) fn of<B>(request: &Request<B>, trusted: &[IpNet]) -> IpAddr {
    let direct = request
        .extensions()
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(NOWHERE, |info| info.0.ip().to_canonical());
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    if !is_trusted(&direct) {
        return direct;
    }
    let forwarded = request.headers().get_all("x-forwarded-for");
    let lines: Vec<&str> = forwarded.iter().map(|line| line.to_str().unwrap_or("?")).collect();
    let hops = lines.into_iter().rev().flat_map(|line| line.rsplit(','));
    for hop in hops.map(str::trim) {
        match hop_address(hop) {
            None => return NOWHERE,
            Some(address) if !is_trusted(&address) => return address,
            Some(_) => {}
        }
    }
    direct
}

/// The address of a caller whose address is unknown: in no allowed network.
const NOWHERE: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

/// An address as proxies write it: alone, in brackets, or with a port.
fn hop_address(hop: &str) -> Option<IpAddr> {
    let bare = hop.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(hop);
    let address = bare.parse().ok().or_else(|| Some(hop.parse::<SocketAddr>().ok()?.ip()));
    address.map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client_address(from: &str, forwarded: &str) -> String {
        let mut request = Request::builder().header("x-forwarded-for", forwarded).body(()).unwrap();
        let from: SocketAddr = format!("{from}:1").parse().unwrap();
        request.extensions_mut().insert(ConnectInfo(from));
        of(&request, &["10.0.0.0/8".parse().unwrap()]).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        assert_eq!(client_address("203.0.113.9", "198.51.100.1"), "203.0.113.9");
        assert_eq!(client_address("10.0.0.1", "198.51.100.1, 10.0.0.2"), "198.51.100.1");
        assert_eq!(client_address("10.0.0.1", "1.2.3.4, 198.51.100.1"), "198.51.100.1");
        assert_eq!(client_address("10.0.0.1", "10.0.0.2, 10.0.0.3"), "10.0.0.1");
    }

    #[test]
    fn forwarded_addresses_stop_at_unreadable_hops() {
        assert_eq!(client_address("10.0.0.1", "198.51.100.7, x, 203.0.113.5"), "203.0.113.5");
        assert_eq!(client_address("10.0.0.1", "198.51.100.7, x"), "0.0.0.0");
        assert_eq!(client_address("10.0.0.1", "x"), "0.0.0.0");
        assert_eq!(client_address("10.0.0.1", "198.51.100.7, , 10.0.0.2"), "0.0.0.0");
        assert_eq!(client_address("10.0.0.1", "127.0.0.1 127.0.0.1"), "0.0.0.0");
    }

    #[test]
    fn ports_and_brackets_are_read() {
        assert_eq!(client_address("10.0.0.1", "198.51.100.7:4711, 10.0.0.2:80"), "198.51.100.7");
        assert_eq!(client_address("10.0.0.1", "[2001:db8::7]"), "2001:db8::7");
        assert_eq!(client_address("10.0.0.1", "[2001:db8::7]:4711"), "2001:db8::7");
        assert_eq!(client_address("10.0.0.1", "::ffff:198.51.100.7"), "198.51.100.7");
    }
}
