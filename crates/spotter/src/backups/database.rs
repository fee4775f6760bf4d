//! A backup's copy of the database: whole, opened by the installation's key, and what it says of the installation.

use std::path::Path;

use spotter_company::uploads::{self, StoredFile};
use spotter_contract::{Vault, installation};
use spotter_kernel::{Problem, Timestamp};
use spotter_store::Tx;

use super::BackupRules;
use crate::{operator, settings::Settings};

/// A copy of the database.
pub(super) struct CopiedDatabase {
    /// Keys of the files that its records refer to.
    pub(super) attached: Vec<String>,
    /// The installation that it is of, if it has sealed anything yet.
    pub(super) installation: Option<String>,
}

/// Copies the database to a file, which is whole and which the installation's key opens.
pub(super) fn copy_database(
    settings: &Settings,
    rules: BackupRules,
    now: Timestamp,
    file: &Path,
) -> Result<CopiedDatabase, String> {
    let mut progress = operator::progress();
    spotter_store::backup(&settings.database.location, file, now, &mut progress)
        .and_then(|()| spotter_store::check_backup(file))
        .map_err(Problem::for_operators)?;
    check_key(settings, file, rules.with_key)?;
    let mut copied = CopiedDatabase { attached: Vec::new(), installation: None };
    let mut look = |tx: &mut Tx<'_>| {
        copied.attached = uploads::attached(tx)?.iter().map(StoredFile::key).collect();
        copied.installation = installation::name(tx)?;
        Ok(())
    };
    spotter_store::look_into(file, &mut look).map_err(Problem::for_operators)?;
    Ok(copied)
}

/// Refuses a copy that the installation's key does not open; where the key belongs into the backup, one without a key, too.
pub(crate) fn check_key(settings: &Settings, copy: &Path, with_key: bool) -> Result<(), String> {
    let key = settings.key_at_hand()?;
    let mut is_sealed = false;
    let mut verify = |tx: &mut Tx<'_>| {
        is_sealed = installation::name(tx)?.is_some();
        key.map_or(Ok(()), |key| installation::verify_key(tx, &Vault::new(&key)).map(drop))
    };
    spotter_store::look_into(copy, &mut verify)
        .map_err(|problem| format!("it has no key beside it, for {}", problem.for_operators()))?;
    if key.is_none() && with_key && is_sealed {
        return Err(format!(
            "no server could start on this backup: the installation's key is not at {}. Put it back there (it is in \
             earlier backups, NAME.db.key), or set secret_key; --without-key makes sets without it",
            settings.key_file().display()
        ));
    }
    Ok(())
}
