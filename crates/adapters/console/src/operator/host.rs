//! The host on the operator's page: free space for files, and the certificate.

use std::path::Path;

use maud::{Markup, html};
use rustls_pki_types::{CertificateDer, pem::PemObject};
use spotter_kernel::Timestamp;
use x509_cert::{Certificate, der::Decode};

use crate::{parts::format::Format, words::Strings};

/// Status of the host.
#[derive(Debug, Default)]
pub struct HostStatus {
    /// The bytes that are free where the data is, and all of them.
    pub room: Option<(u64, u64)>,
    /// Until when the certificate is good.
    pub certificate: Option<Timestamp>,
}

/// Looks at a folder's disk and at a certificate; disks may respond slowly.
pub fn host_status(folder: &Path, certificate: Option<&Path>) -> HostStatus {
    let disk = rustix::fs::statvfs(folder).ok();
    let room = disk.map(|disk| (disk.f_bavail * disk.f_frsize, disk.f_blocks * disk.f_frsize));
    let certificate = certificate.and_then(|file| certificate_end(&std::fs::read(file).ok()?));
    HostStatus { room, certificate }
}

/// Until when the first certificate of a chain is good (RFC 5280's notAfter).
fn certificate_end(chain: &[u8]) -> Option<Timestamp> {
    let first = CertificateDer::pem_slice_iter(chain).next()?.ok()?;
    let first = Certificate::from_der(&first).ok()?;
    let until = first.tbs_certificate.validity.not_after.to_unix_duration();
    Some(Timestamp::from_millis(i64::try_from(until.as_millis()).ok()?))
}

/// Free space for its files.
pub(super) fn room(t: Strings, written: &Format, files: &HostStatus) -> Markup {
    let Some((free, all)) = files.room else { return Markup::default() };
    let gib = |bytes: u64| written.number(bytes as f64 / f64::from(1 << 30), 1);
    html! {
        (t.room_left(&gib(free), &gib(all))) " "
        meter min="0" max=(all) value=(all - free) aria-label=(t.room()) {}
    }
}

/// Until when its own certificate is good, where it has one.
pub(super) fn certificate(
    t: Strings,
    at: &dyn Fn(Option<Timestamp>) -> String,
    file: Option<&Path>,
    files: &HostStatus,
) -> Markup {
    match (file, files.certificate) {
        (None, _) => html! { (t.certificate_of_proxy()) },
        (Some(_), Some(until)) => html! { (t.good_until()) " " (at(Some(until))) },
        (Some(file), None) => {
            html! { span.state.bad { (t.certificate_unreadable()) } " " code { (file.display()) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_shows_its_expiry() {
        // openssl req -x509 -newkey ed25519 -nodes -subj /CN=spotter.example -days 3650
        let chain = include_bytes!("../../tests/certificate.pem");
        assert_eq!(certificate_end(chain).unwrap().to_string(), "2036-11-22T03:55:10.000Z");
        assert_eq!(certificate_end(b"no certificate"), None);
    }
}
