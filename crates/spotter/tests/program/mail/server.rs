//! Mail to a real server of mail, Python's aiosmtpd: taken, put off, refused, cut off, with and without
//! TLS and a password.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::OnceLock,
};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::CertificateDer;
use serde_json::Value;
use spotter_contract::jobs::JobOutcome;
use spotter_harness::{random_text, runtime};
use spotter_kernel::{Id, Timestamp};
use spotter_outbound::smtp::{MailMessage, Post, Server, sender};
use spotter_testing::requirements;

const PROGRAM: &str = r#"
import asyncio, json, ssl, sys
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

how, certificate, key = sys.argv[1:4]

class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("never"):
            return "550 5.1.1 nobody of this name"
        if address.startswith("later"):
            return "451 4.7.1 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        to = envelope.rcpt_tos[0]
        if to.startswith("cut"):
            server.transport.abort()
            return "421 gone"
        if to.startswith("full"):
            return "452 4.2.2 no room"
        if to.startswith("spam"):
            return "554 5.7.1 not wanted"
        print(json.dumps({
            "from": envelope.mail_from, "to": to, "tls": server.transport.get_extra_info("ssl_object") is not None,
            "user": session.auth_data.login.decode() if session.auth_data else None,
            "helo": session.host_name, "content": envelope.content.decode(),
        }), flush=True)
        return "250 OK"

def allow(server, session, envelope, mechanism, data):
    good = isinstance(data, LoginPassword) and data.login == b"user@gym" and data.password == b"p@ss:word"
    return AuthResult(success=good, handled=False, auth_data=data)

async def main():
    context = None
    if how != "plain":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)
    def smtp():
        if how == "plain":
            return SMTP(Handler())
        given = {"tls_context": context, "require_starttls": True} if how == "starttls" else {}
        return SMTP(Handler(), authenticator=allow, auth_required=True,
                    auth_require_tls=how == "starttls", **given)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(smtp, "127.0.0.1", 0, ssl=context if how == "implicit" else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"#;

/// An authority, and a certificate of it for this machine with its key.
fn certificates() -> &'static (CertificateDer<'static>, String, String) {
    static CERTIFICATE: OnceLock<(CertificateDer<'static>, String, String)> = OnceLock::new();
    CERTIFICATE.get_or_init(|| {
        let (key, own) = (KeyPair::generate().unwrap(), KeyPair::generate().unwrap());
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = params.self_signed(&key).unwrap().der().clone();
        let named = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let signed = named.signed_by(&own, &Issuer::new(params, key)).unwrap();
        (authority, signed.pem(), own.serialize_pem())
    })
}

/// A server of mail, which ends with the test.
pub struct Running {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
    pub port: u16,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Running {
    /// Starts one; `None` without aiosmtpd, unless the suite requires it.
    pub fn start(how: &str) -> Option<Self> {
        if !requirements::MAIL_SERVER.is_available() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let (certificate, key) = (folder.path().join("own.pem"), folder.path().join("own.key"));
        let (_, certificate_pem, key_pem) = certificates();
        std::fs::write(&certificate, certificate_pem).unwrap();
        std::fs::write(&key, key_pem).unwrap();
        let mut child = Command::new(requirements::MAIL_SERVER.python())
            .args(["-W", "ignore", "-c", PROGRAM, how])
            .args([&certificate, &key])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        Some(Self { child, lines, port: first.trim().parse().unwrap() })
    }

    /// The next message that it took.
    pub fn next_message(&mut self) -> Value {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn message(to: &str) -> MailMessage {
    MailMessage {
        id: Id::first_at(Timestamp::from_millis(1_700_000_000_000)),
        recipient: format!("{to}-{}@gym.example", random_text()),
        name: "Ann Ünal".into(),
        subject: "Zum Rücken-Kurs".into(),
        text: ".\nEin Punkt am Anfang\n".into(),
        html: "<p>Ein Punkt am Anfang</p>".into(),
        attachments: Vec::new(),
        written_at: Timestamp::from_millis(1_700_000_000_000),
    }
}

fn post(url: &str) -> Post {
    let from = sender("Riverside <hello@riverside.example>").unwrap();
    let (authority, ..) = certificates();
    Post::Server(Server::new(url, from, std::slice::from_ref(authority)).unwrap().into())
}

fn outcome(post: &Post, to: &str) -> JobOutcome {
    runtime().block_on(post.send(&message(to)))
}

#[test]
fn smtp_answers_are_classified() {
    let Some(mut server) = Running::start("plain") else { return };
    let post = post(&format!("smtp://localhost:{}?tls=none", server.port));
    assert_eq!(outcome(&post, "ann"), JobOutcome::Done);
    let taken = server.next_message();
    assert_eq!(taken["from"], "hello@riverside.example");
    assert_eq!(taken["helo"], "riverside.example");
    let content = taken["content"].as_str().unwrap();
    for part in [
        "From: Riverside <hello@riverside.example>",
        "Subject: Zum =?utf-8?b?",
        "Date: Tue, 14 Nov 2023 22:13:20 +0000",
        "Auto-Submitted: auto-generated",
        "multipart/alternative",
        "Ein Punkt am Anfang",
    ] {
        assert!(content.contains(part), "{part}: {content}");
    }
    let id = content.lines().find(|line| line.starts_with("Message-ID:")).unwrap().to_owned();
    assert_eq!(outcome(&post, "ann"), JobOutcome::Done);
    assert!(
        server.next_message()["content"].as_str().unwrap().contains(&id),
        "the same in every attempt"
    );
    let says = |to: &str, word: &str, text: &str| {
        let came = outcome(&post, to);
        assert_eq!(came.word(), word, "{came:?}");
        assert!(came.error().unwrap().contains(text), "{came:?}");
    };
    says("never", "refused", "nobody of this name");
    says("later", "failed", "try again later");
    says("full", "failed", "no room");
    says("spam", "refused", "not wanted");
    says("cut", "unknown", "");
    assert_eq!(outcome(&post, "ann"), JobOutcome::Done, "it goes on after all of that");
    drop(server);
    says("ann", "failed", "onnect");
}

/// A server that never ends its line, or never ends its answer, costs an attempt and no memory.
#[test]
fn an_oversized_smtp_reply_ends_the_attempt() {
    for line in [&[b'x'; 1 << 16][..], b"220-x\r\n"] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let flood = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut sent = 0;
            while sent < 64 << 20 && std::io::Write::write_all(&mut stream, line).is_ok() {
                sent += line.len();
            }
            sent
        });
        let response = outcome(&post(&format!("smtp://localhost:{port}?tls=none")), "ann");
        assert_eq!(response.word(), "failed", "{response:?}");
        let sent = flood.join().unwrap();
        assert!(sent < 32 << 20, "{sent} bytes were taken");
    }
}

#[test]
fn passwords_go_over_tls_alone() {
    for (how, scheme) in [("starttls", "smtp"), ("implicit", "smtps")] {
        let Some(mut server) = Running::start(how) else { return };
        let port = server.port;
        let url = |password: &str| format!("{scheme}://user%40gym:{password}@localhost:{port}");
        let (good, bad) = (post(&url("p%40ss%3Aword")), post(&url("wrong")));
        assert_eq!(outcome(&good, "ann"), JobOutcome::Done, "{how}");
        let taken = server.next_message();
        assert_eq!((&taken["user"], &taken["tls"]), (&"user@gym".into(), &true.into()), "{taken}");
        // A wrong password is the operator's to mend: no address is to blame.
        let refused = outcome(&bad, "ann");
        assert_eq!(refused.word(), "failed", "{refused:?}");
        assert!(refused.error().unwrap().contains("535"), "{refused:?}");
        // An untrusted server gets no mail.
        let from = sender("hello@riverside.example").unwrap();
        let stranger = Server::new(&url("p%40ss%3Aword"), from, &[]).unwrap();
        let refused = outcome(&Post::Server(stranger.into()), "ann");
        assert_eq!(refused.word(), "failed", "{refused:?}");
    }
    // Nor does one without STARTTLS.
    let Some(server) = Running::start("plain") else { return };
    let refused = outcome(&post(&format!("smtp://localhost:{}", server.port)), "ann");
    assert_eq!(refused.word(), "failed", "{refused:?}");
}
