//! The real clock, the real randomness, and the installation's key and lock.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    path::Path,
    sync::Arc,
};

use ipnet::IpNet;
use spotter_contract::{Env, Vault};
use spotter_kernel::{Clock, Entropy, Timestamp, secret::EnvironmentMode};

/// The system's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is where the time comes from")]
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(jiff::Timestamp::now().as_millisecond())
    }
}

/// The system's randomness.
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(clippy::disallowed_methods, reason = "this is where randomness comes from")]
    #[expect(clippy::expect_used, reason = "without randomness nothing safe can be done")]
    fn fill(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("the system has no randomness");
    }
}

/// The environment of a running process.
pub fn env(key: &[u8; 32], private_networks: &[IpNet], address: &str, mcp_url: &str) -> Env {
    Env {
        mode: EnvironmentMode::Live,
        clock: Arc::new(SystemClock),
        wall_clock: Arc::new(SystemClock),
        entropy: Arc::new(SystemEntropy),
        vault: Vault::new(key),
        private_networks: private_networks.into(),
        address: address.into(),
        mcp_url: mcp_url.into(),
        mcp_refresh_grace_seconds: 0,
        mcp_any_loopback_port: false,
        mail_links: None,
        mail_sender: "".into(),
        offboardings: crate::areas::areas().offboardings.into(),
        remainders: crate::areas::areas().remainders.into(),
        erasure_rules: crate::areas::areas().erasure_rules.into(),
        ports: crate::areas::ports(),
    }
}

/// Reads the installation's key: 64 hexadecimal digits.
pub fn parse_key(text: &str) -> Option<[u8; 32]> {
    let text = text.trim();
    let mut key = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    Some(key)
}

/// Most bytes that are read of a key's file.
const KEY_FILE_MAX: u64 = 1_024;

/// The key in a file, which is made on first use and readable by its owner alone, and whether it was
/// made now.
pub fn key_in(path: &Path) -> Result<([u8; 32], bool), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    if path.exists() {
        // A pipe would never end, and a large file is no key.
        if !path.is_file() {
            return Err(format!("{} must be a file", path.display()));
        }
        let mut text = String::new();
        File::open(path)
            .and_then(|file| file.take(KEY_FILE_MAX).read_to_string(&mut text))
            .map_err(failed)?;
        let rule = "must be 64 hexadecimal digits";
        let key = parse_key(&text).ok_or_else(|| format!("{}: {rule}", path.display()))?;
        return Ok((key, false));
    }
    let mut key = [0; 32];
    SystemEntropy.fill(&mut key);
    write_private(path, &key_text(&key)).map_err(failed)?;
    Ok((key, true))
}

/// A key as its file has it.
pub fn key_text(key: &[u8; 32]) -> String {
    key.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// From here on, new files are readable by their user only, regardless of the shell's umask: they contain health
/// data, conversations and keys.
pub fn keep_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

/// Has memory mapped in small pages: many small allocations leave much of each huge page unused.
pub fn use_small_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        tracing::debug!(%error, "huge pages stay on");
    }
}

/// Creates a folder for its owner only, or removes others' permissions from an existing one.
pub fn private_folder(path: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let now = std::fs::metadata(path)?.permissions();
        if now.mode() & 0o077 != 0 {
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o700))?;
        }
    }
    Ok(())
}

/// Raises the limit of open files to what the system allows, and returns it.
pub fn raise_open_files() -> u64 {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let raised = Rlimit { current: maximum, maximum };
        let now = if setrlimit(Resource::Nofile, raised).is_ok() { maximum } else { current };
        now.unwrap_or(u64::MAX)
    }
    #[cfg(not(unix))]
    u64::MAX
}

/// Writes a new file that its owner alone can read.
pub fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Takes hold of a data folder, so that two processes never serve it at once; the hold lasts as
/// long as the file that is returned.
pub fn lock(folder: &Path) -> Result<File, String> {
    let path = folder.join("spotter.lock");
    let open = OpenOptions::new().write(true).create(true).truncate(false).open(&path);
    let file = open.map_err(|error| format!("{}: {error}", path.display()))?;
    file.try_lock()
        .map_err(|_| format!("{} is in use by another spotter process", folder.display()))?;
    Ok(file)
}
