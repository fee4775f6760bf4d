//! Handing messages to a mail server (RFC 5321), or to a mailbox of one's own that people can look into.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use lettre::{
    Address,
    message::{
        Attachment, Mailbox as Sender, MultiPart, SinglePart,
        header::{ContentType, HeaderName, HeaderValue},
    },
    transport::smtp::{
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, AsyncTokioStream, Certificate, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::ClientId,
    },
};
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, ServerName},
};
use spotter_contract::jobs::JobOutcome;
use spotter_kernel::{Id, Timestamp};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use url::Url;

use crate::bounded_stream::Limited;

/// How long a server may take until it takes the message itself.
const OFFER_TIME: Duration = Duration::from_secs(60);
/// How long a server may then take to say that it has it.
const ANSWER_TIME: Duration = Duration::from_secs(40);
/// How long it is waited for a server's goodbye.
const QUIT_TIME: Duration = Duration::from_secs(2);
/// Bytes that are read of a server at most: what it has to say is some lines and its certificates.
const READ_MAX: usize = 24 << 10;
/// The address that mail in a mailbox comes from.
const MAILBOX_ADDRESS: &str = "mailbox@localhost";
/// Messages that a mailbox keeps.
const MAILBOX_MAX: usize = 200;

/// A message to one person.
#[derive(Clone, Debug)]
pub struct MailMessage {
    /// The Message-ID; the same in every attempt, so that a recipient can recognize a duplicate.
    pub id: Id,
    /// The address.
    pub recipient: String,
    /// What the recipient is called; may be empty.
    pub name: String,
    /// The subject.
    pub subject: String,
    /// For those who read plain text.
    pub text: String,
    /// For everybody else.
    pub html: String,
    /// Files that go with it.
    pub attachments: Vec<MailAttachment>,
    /// When it was created.
    pub written_at: Timestamp,
}

/// A file that goes with a message.
#[derive(Clone, Debug)]
pub struct MailAttachment {
    /// Display name.
    pub name: String,
    /// Its media type.
    pub media_type: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

/// The mail server.
#[derive(Clone, Debug)]
pub enum Post {
    /// A mail server.
    Server(Arc<Server>),
    /// A mailbox of one's own.
    Mailbox(Mailbox),
}

impl Post {
    /// The address that mail comes from.
    pub fn sender_address(&self) -> &str {
        match self {
            Self::Server(server) => server.from.email.as_ref(),
            Self::Mailbox(_) => MAILBOX_ADDRESS,
        }
    }

    /// Signs in to the mail server, and sends nothing. The error is for the operator.
    pub async fn check(&self) -> Result<(), String> {
        match self {
            Self::Server(server) => server.check().await,
            Self::Mailbox(_) => Ok(()),
        }
    }

    /// Hands a message in.
    pub async fn send(&self, message: &MailMessage) -> JobOutcome {
        match self {
            Self::Server(server) => server.send(message).await,
            Self::Mailbox(mailbox) => {
                mailbox.store(message.clone());
                JobOutcome::Done
            }
        }
    }
}

/// The latest messages, which were not sent to anybody.
#[derive(Clone, Debug, Default)]
pub struct Mailbox(Arc<Mutex<VecDeque<MailMessage>>>);

impl Mailbox {
    fn store(&self, message: MailMessage) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|other| other.id != message.id);
        kept.push_front(message);
        kept.truncate(MAILBOX_MAX);
    }

    /// The messages, newest first.
    pub fn messages(&self) -> Vec<MailMessage> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut messages: Vec<_> = kept.iter().cloned().collect();
        messages.sort_by_key(|message| std::cmp::Reverse(message.id));
        messages
    }
}

/// How a connection is secured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Security {
    /// TLS from the first byte (RFC 8314).
    Implicit,
    /// STARTTLS, and nothing without it.
    StartTls,
    /// None: for a relay on the own machine or network.
    Plain,
}

/// A mail server.
#[derive(Clone)]
pub struct Server {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<Credentials>,
    from: Sender,
    authorities: Vec<Certificate>,
    /// Of connections that are secured from their first byte.
    implicit: Arc<ClientConfig>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}, {:?}", self.host, self.port, self.security)
    }
}

/// The address that mail comes from, such as `Riverside <hello@riverside.example>`.
pub fn sender(text: &str) -> Option<Sender> {
    text.parse().ok()
}

impl Server {
    /// A server by its URL: `smtps://user:password@host` for TLS from the first byte, `smtp://user:password@host` for
    /// STARTTLS, `smtp://host?tls=none` for neither. Its authorities are trusted beside the system's. The error is a
    /// rule about the URL.
    pub fn new(
        url: &str,
        from: Sender,
        authorities: &[CertificateDer<'static>],
    ) -> Result<Self, &'static str> {
        const SHAPE: &str =
            "must be smtps://user:password@host:port or smtp://user:password@host:port";
        let url = Url::parse(url).map_err(|_| SHAPE)?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or(SHAPE)?.to_owned();
        let plain = match url.query() {
            None => false,
            Some("tls=none") => true,
            Some(_) => return Err("may end with ?tls=none, and with nothing else"),
        };
        let (security, port) = match (url.scheme(), plain) {
            ("smtps", false) => (Security::Implicit, 465),
            ("smtp", false) => (Security::StartTls, 587),
            ("smtp", true) => (Security::Plain, 25),
            _ => return Err(SHAPE),
        };
        let decoded = |text: &str| {
            percent_encoding::percent_decode_str(text)
                .decode_utf8()
                .map(String::from)
                .map_err(|_| SHAPE)
        };
        let credentials = match (url.username(), url.password()) {
            ("", None) => None,
            (user, password) => {
                let password = decoded(password.unwrap_or_default())?;
                Some(Credentials::new(decoded(user)?, password))
            }
        };
        let is_own = host == "localhost" || host.starts_with("127.") || host == "[::1]";
        if credentials.is_some() && security == Security::Plain && !is_own {
            return Err("must not send a password without TLS");
        }
        let implicit = trusting(authorities).ok_or("needs certificates that can be read")?;
        let authorities = authorities
            .iter()
            .map(|der| Certificate::from_der(der.to_vec()))
            .collect::<Result<_, _>>()
            .map_err(|_| "needs certificates that can be read")?;
        let port = url.port().unwrap_or(port);
        Ok(Self { host, port, security, credentials, from, authorities, implicit })
    }

    /// Sends a message. Until the server has received the message itself, a failure is certain; after that, no answer
    /// means that the outcome is unknown.
    async fn send(&self, message: &MailMessage) -> JobOutcome {
        let Ok(recipient) = message.recipient.parse::<Address>() else {
            return JobOutcome::Refused("the address is none".to_owned());
        };
        let bytes = match self.build(message, &recipient) {
            Ok(bytes) => bytes,
            Err(error) => return JobOutcome::Refused(error.to_string()),
        };
        let offered = tokio::time::timeout(OFFER_TIME, self.offer(recipient)).await;
        let mut connection = match offered {
            Ok(Ok(connection)) => connection,
            Ok(Err(outcome)) => return outcome,
            Err(_) => return JobOutcome::Failed("the mail server takes too long".to_owned()),
        };
        match tokio::time::timeout(ANSWER_TIME, connection.message(&bytes)).await {
            Ok(Ok(_)) => {
                tokio::time::timeout(QUIT_TIME, connection.quit()).await.ok();
                JobOutcome::Done
            }
            Ok(Err(error)) if error.is_permanent() => JobOutcome::Refused(describe_error(&error)),
            Ok(Err(error)) if error.is_transient() => JobOutcome::Failed(describe_error(&error)),
            Ok(Err(error)) => JobOutcome::Unknown(describe_error(&error)),
            Err(_) => JobOutcome::Unknown("the mail server did not say that it has it".to_owned()),
        }
    }

    /// Signs in and out again.
    async fn check(&self) -> Result<(), String> {
        match tokio::time::timeout(OFFER_TIME, self.sign_in()).await {
            Ok(Ok(mut connection)) => {
                tokio::time::timeout(QUIT_TIME, connection.quit()).await.ok();
                Ok(())
            }
            Ok(Err(JobOutcome::Failed(why) | JobOutcome::Refused(why))) => {
                Err(format!("{}:{}: {why}", self.host, self.port))
            }
            _ => Err(format!("{}:{} takes too long", self.host, self.port)),
        }
    }

    /// Connects and signs in.
    async fn sign_in(&self) -> Result<AsyncSmtpConnection, JobOutcome> {
        let failed = |error| JobOutcome::Failed(describe_error(&error));
        let hello = ClientId::Domain(self.from.email.domain().to_owned());
        let stream = self.connect().await.map_err(|error| JobOutcome::Failed(error.to_string()))?;
        let connected = AsyncSmtpConnection::connect_with_transport(stream, &hello).await;
        let mut connection = connected.map_err(failed)?;
        if self.security == Security::StartTls {
            let parameters = self.start_tls().map_err(failed)?;
            connection.starttls(parameters, &hello).await.map_err(failed)?;
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await.map_err(failed)?;
        }
        Ok(connection)
    }

    /// Connects and offers a message to a recipient, as far as the message itself.
    async fn offer(&self, recipient: Address) -> Result<AsyncSmtpConnection, JobOutcome> {
        let failed = |error| JobOutcome::Failed(describe_error(&error));
        let mut connection = self.sign_in().await?;
        let from = Mail::new(Some(self.from.email.clone()), Vec::new());
        connection.command(from).await.map_err(failed)?;
        let to = connection.command(Rcpt::new(recipient, Vec::new())).await;
        to.map_err(|error| match error.is_permanent() {
            true => JobOutcome::Refused(describe_error(&error)),
            false => failed(error),
        })?;
        connection.command(Data).await.map_err(failed)?;
        Ok(connection)
    }

    /// A connection, of which a bounded part is read.
    async fn connect(&self) -> std::io::Result<Box<dyn AsyncTokioStream>> {
        let host = self.host.trim_matches(['[', ']']);
        let stream = TcpStream::connect((host, self.port)).await?;
        stream.set_nodelay(true)?;
        let peer = stream.peer_addr()?;
        if self.security != Security::Implicit {
            return Ok(Box::new(Limited::new(stream, peer, READ_MAX)));
        }
        let name = ServerName::try_from(host.to_owned()).map_err(std::io::Error::other)?;
        let stream = TlsConnector::from(self.implicit.clone()).connect(name, stream).await?;
        Ok(Box::new(Limited::new(stream, peer, READ_MAX)))
    }

    /// What a connection needs that is secured after its greeting.
    fn start_tls(&self) -> Result<TlsParameters, lettre::transport::smtp::Error> {
        let builder = TlsParameters::builder(self.host.clone());
        let trusted = self.authorities.iter().cloned();
        trusted.fold(builder, |builder, own| builder.add_root_certificate(own)).build()
    }

    fn build(
        &self,
        message: &MailMessage,
        recipient: &Address,
    ) -> Result<Vec<u8>, lettre::error::Error> {
        let MailMessage { id, name, subject, text, html, attachments, written_at, .. } = message;
        let name = Some(one_line(name)).filter(|name| !name.is_empty());
        let at = std::time::UNIX_EPOCH + Duration::from_millis(written_at.millis().unsigned_abs());
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        let mut alternatives = MultiPart::alternative_plain_html(text.clone(), html.clone());
        // Mail programs offer to act on an invitation that is another form of the text, and there can be one.
        let mut invitations =
            attachments.iter().filter(|file| file.media_type.starts_with("text/calendar"));
        if let (Some(only), None) = (invitations.next(), invitations.next()) {
            let kind = ContentType::parse(only.media_type);
            let kind = kind.map_err(|_| lettre::error::Error::NonAsciiChars)?;
            let part = SinglePart::builder().header(kind).body(only.bytes.clone());
            alternatives = alternatives.singlepart(part);
        }
        let whole = match attachments.is_empty() {
            true => alternatives,
            false => MultiPart::mixed().multipart(alternatives),
        };
        let whole = attachments.iter().try_fold(whole, |whole, file| {
            let kind = ContentType::parse(file.media_type);
            let kind = kind.map_err(|_| lettre::error::Error::NonAsciiChars)?;
            let part = Attachment::new(file.name.clone()).body(file.bytes.clone(), kind);
            Ok::<_, lettre::error::Error>(whole.singlepart(part))
        })?;
        let built = lettre::Message::builder()
            .from(self.from.clone())
            .to(Sender::new(name, recipient.clone()))
            .subject(one_line(subject))
            .date(at)
            .message_id(Some(format!("<{id}@{}>", self.from.email.domain())))
            .raw_header(HeaderValue::new(automatic, "auto-generated".to_owned()))
            .multipart(whole)?;
        Ok(built.formatted())
    }
}

/// TLS that trusts the system's authorities and these.
fn trusting(authorities: &[CertificateDer<'static>]) -> Option<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    authorities.iter().try_for_each(|own| roots.add(own.clone())).ok()?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().ok()?;
    Some(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

/// An error with its causes, on a line.
fn describe_error(error: &lettre::transport::smtp::Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let reason = inner.to_string();
        if !text.contains(&reason) {
            text = format!("{text}: {reason}");
        }
        cause = inner.source();
    }
    one_line(&text).chars().take(300).collect()
}

/// A text in the form of a header value.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str) -> Result<Server, &'static str> {
        Server::new(url, sender("Gym <hello@gym.example>").unwrap(), &[])
    }

    #[test]
    fn urls_determine_connection_security() {
        let view = |url: &str| format!("{:?}", server(url).unwrap());
        assert_eq!(view("smtps://u:p@mail.example"), "mail.example:465, Implicit");
        assert_eq!(view("smtp://u:p%40@mail.example"), "mail.example:587, StartTls");
        assert_eq!(view("smtp://localhost:2525?tls=none"), "localhost:2525, Plain");
        for wrong in ["mail.example", "http://mail.example", "smtp://", "smtps://h?tls=none"] {
            assert!(server(wrong).is_err(), "{wrong}");
        }
        assert!(server("smtp://u:p@mail.example?tls=none").unwrap_err().contains("password"));
        assert!(server("smtp://mail.example?tls=maybe").is_err());
        assert!(sender("nobody").is_none());
    }

    #[test]
    fn a_message_is_the_same_in_every_attempt() {
        let server = server("smtp://localhost?tls=none").unwrap();
        let message = MailMessage {
            id: Id::first_at(Timestamp::from_millis(0)),
            recipient: "ann@gym.example".into(),
            name: "Ann\r\nBcc: eve@evil.example".into(),
            subject: "Hello\r\nBcc: eve@evil.example".into(),
            text: "Hello".into(),
            html: "<p>Hello</p>".into(),
            attachments: vec![MailAttachment {
                name: "INV-1.pdf".into(),
                media_type: "application/pdf",
                bytes: b"%PDF\xff\x00".to_vec(),
            }],
            written_at: Timestamp::from_millis(0),
        };
        let recipient = message.recipient.parse().unwrap();
        let text = String::from_utf8(server.build(&message, &recipient).unwrap()).unwrap();
        let (head, _) = text.split_once("\r\n\r\n").unwrap();
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
        for part in ["Date: Thu, 01 Jan 1970", "@gym.example>", "Auto-Submitted: auto-generated"] {
            assert!(head.contains(part), "{head}");
        }
        assert!(text.contains("filename=\"INV-1.pdf\"") && text.contains("JVBERv8A"), "{text}");
        let again = server.build(&message, &recipient).unwrap();
        assert_eq!(text.lines().next(), String::from_utf8(again).unwrap().lines().next());
    }
}
