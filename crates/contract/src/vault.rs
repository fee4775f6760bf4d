//! Digests of secrets, and the sealing of what must be read back.

use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce, aead::Aead};
use sha2::{Digest, Sha256};
use spotter_kernel::{Entropy, Problem, Result, secret::Credential};
use subtle::ConstantTimeEq;

/// The digest under which a credential of at least 256 random bits is stored (SHA-256; such a
/// credential can't be guessed, so it needs no slow hash).
pub fn digest(credential: &Credential) -> [u8; 32] {
    Sha256::digest(credential.expose().as_bytes()).into()
}

/// The digest of other bytes (SHA-256), such as of a secret that is no credential.
pub fn digest_of(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// Whether two digests are equal, in constant time.
pub fn same(left: &[u8], right: &[u8]) -> bool {
    left.ct_eq(right).into()
}

/// Seals and opens with the key of the installation (XChaCha20-Poly1305, a random nonce in front).
#[derive(Clone)]
pub struct Vault(XChaCha20Poly1305);

const NONCE: usize = 24;

impl Vault {
    /// A vault with this key.
    pub fn new(key: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(key.into()))
    }

    /// Seals bytes.
    pub fn seal(&self, plain: &[u8], entropy: &dyn Entropy) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE];
        entropy.fill(&mut nonce);
        let sealed = self.0.encrypt(&XNonce::from(nonce), plain).map_err(Problem::internal)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what [`Vault::seal`] made; another key or a changed byte is an error.
    pub fn open(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        let broken =
            || Problem::internal("sealed data cannot be opened with this installation's key");
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>().ok_or_else(broken)?;
        self.0.decrypt(&XNonce::from(*nonce), sealed).map_err(|_| broken())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting;
    impl Entropy for Counting {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.iter_mut().zip(0..).for_each(|(byte, n)| *byte = n);
        }
    }

    #[test]
    fn what_is_sealed_opens_with_the_same_key_alone() {
        let vault = Vault::new(&[1; 32]);
        let mut sealed = vault.seal(b"secret", &Counting).unwrap();
        assert_eq!(vault.open(&sealed).unwrap(), b"secret");
        assert!(Vault::new(&[2; 32]).open(&sealed).is_err());
        sealed[30] ^= 1;
        assert!(vault.open(&sealed).is_err() && vault.open(&[0; 3]).is_err());
    }
}
