//! Which addresses are public: the ones that deliveries may go to.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use ipnet::{IpNet, Ipv6Net};

/// Networks that are not the public Internet, each with what it is (IANA's special-purpose
/// address registries).
const CLOSED: &[(&str, &str)] = &[
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", "private"),
    ("100.64.0.0/10", "carrier-grade NAT"),
    ("127.0.0.0/8", "loopback"),
    ("169.254.0.0/16", "link-local"),
    ("172.16.0.0/12", "private"),
    ("192.0.0.0/24", "protocol assignments"),
    ("192.0.2.0/24", "documentation"),
    ("192.88.99.0/24", "6to4 relays"),
    ("192.168.0.0/16", "private"),
    ("198.18.0.0/15", "benchmarking"),
    ("198.51.100.0/24", "documentation"),
    ("203.0.113.0/24", "documentation"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    // Unspecified, loopback, IPv4-mapped and IPv4-compatible; the address within NAT64's prefix is checked.
    ("::/8", "reserved"),
    ("100::/64", "discard"),
    ("2001::/23", "protocol assignments and Teredo"),
    ("2001:db8::/32", "documentation"),
    ("2002::/16", "6to4"),
    ("3fff::/20", "documentation"),
    ("5f00::/16", "segment routing"),
    ("fc00::/7", "private"),
    ("fe80::/10", "link-local"),
    ("fec0::/10", "site-local"),
    ("ff00::/8", "multicast"),
];

/// What the Internet's IPv6 addresses have in common.
const GLOBAL_UNICAST: &str = "2000::/3";
/// The well-known prefix of NAT64 (RFC 6052), whose last 32 bits are an IPv4 address.
const NAT64: &str = "64:ff9b::/96";

struct Networks {
    closed: Vec<(IpNet, &'static str)>,
    global: Ipv6Net,
    nat64: Ipv6Net,
}

#[expect(clippy::expect_used, reason = "the tables above are constants, and a test reads them")]
static NETWORKS: LazyLock<Networks> = LazyLock::new(|| Networks {
    closed: CLOSED.iter().map(|(net, what)| (net.parse().expect("a network"), *what)).collect(),
    global: GLOBAL_UNICAST.parse().expect("a network"),
    nat64: NAT64.parse().expect("a network"),
});

/// What keeps an address from being public; `None` for one that is.
pub fn closed(address: IpAddr) -> Option<&'static str> {
    let networks = &*NETWORKS;
    if let IpAddr::V6(v6) = address {
        if networks.nat64.contains(&v6) {
            return closed(IpAddr::V4(last_32_bits(v6)));
        }
        if !networks.global.contains(&v6) {
            return listed(address).or(Some("reserved"));
        }
    }
    listed(address)
}

/// Whether deliveries may go to an address: it is public, or in a network that the operator
/// allows.
pub fn allowed(address: IpAddr, private_networks: &[IpNet]) -> bool {
    let plain = address.to_canonical();
    closed(address).is_none() || private_networks.iter().any(|net| net.contains(&plain))
}

fn listed(address: IpAddr) -> Option<&'static str> {
    NETWORKS.closed.iter().find(|(net, _)| net.contains(&address)).map(|(_, what)| *what)
}

fn last_32_bits(address: Ipv6Addr) -> Ipv4Addr {
    Ipv4Addr::from_bits(address.to_bits() as u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nat64_is_what_it_embeds(bits in any::<u32>()) {
            let v4 = Ipv4Addr::from_bits(bits);
            let v6 = Ipv6Addr::from_bits((0x64_ff9b_u128 << 96) | u128::from(bits));
            prop_assert_eq!(closed(v6.into()), closed(v4.into()));
        }

        #[test]
        fn no_spelling_of_a_closed_address_is_open(bits in any::<u32>()) {
            let v4 = Ipv4Addr::from_bits(bits);
            let embedded = [
                v4.to_ipv6_mapped(),
                v4.to_ipv6_compatible(),
                Ipv6Addr::from_bits((0x2002_u128 << 112) | (u128::from(bits) << 80)),
                Ipv6Addr::from_bits((0x2001_0000_u128 << 96) | u128::from(!bits)),
                Ipv6Addr::from_bits((0x64_ff9b_0001_u128 << 80) | u128::from(bits)),
            ];
            for v6 in embedded {
                prop_assert!(closed(v6.into()).is_some(), "{v6}");
            }
        }

        #[test]
        fn an_allowed_network_opens_itself_alone(bits in any::<u32>()) {
            let address = IpAddr::V4(Ipv4Addr::from_bits(bits));
            let net: IpNet = "10.20.0.0/16".parse().unwrap();
            let expected = closed(address).is_none() || net.contains(&address);
            prop_assert_eq!(allowed(address, &[net]), expected);
        }
    }
}
