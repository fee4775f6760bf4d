//! Digests of secrets, and the sealing of what must be read back.

use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce, aead::Aead};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use spotter_kernel::{
    Entropy, Problem, Result,
    secret::{Credential, base64url},
};
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

/// A message authentication code by a shared key (HMAC-SHA256).
pub fn keyed(key: &[u8; 32], bytes: &[u8]) -> Result<[u8; 32]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(Problem::internal)?;
    mac.update(bytes);
    Ok(mac.finalize().into_bytes().into())
}

/// Whether two digests are equal, in constant time.
pub fn same(left: &[u8], right: &[u8]) -> bool {
    left.ct_eq(right).into()
}

/// Seals and opens with the key of the installation (XChaCha20-Poly1305, a random nonce in front), and
/// signs with a key that is derived from it.
#[derive(Clone)]
pub struct Vault {
    sealing: XChaCha20Poly1305,
    signing: [u8; 32],
}

const NONCE: usize = 24;

impl Vault {
    /// A vault with this key.
    pub fn new(key: &[u8; 32]) -> Self {
        let signing =
            Sha256::new().chain_update(b"spotter signs with ").chain_update(key).finalize();
        Self { sealing: XChaCha20Poly1305::new(key.into()), signing: signing.into() }
    }

    /// A signature for one purpose (HMAC-SHA256).
    pub fn sign(&self, purpose: &str, bytes: &[u8]) -> Result<[u8; 32]> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.signing).map_err(Problem::internal)?;
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(bytes);
        Ok(mac.finalize().into_bytes().into())
    }

    /// A text with its signature for one purpose, separated by a dot.
    pub fn signed(&self, purpose: &str, text: &str) -> Result<String> {
        Ok(format!("{text}.{}", base64url(&self.sign(purpose, text.as_bytes())?)))
    }

    /// The text of what [`Vault::signed`] made for a purpose.
    pub fn verified<'t>(&self, purpose: &str, signed: &'t str) -> Option<&'t str> {
        let (text, _) = signed.rsplit_once('.')?;
        let own = self.signed(purpose, text).ok()?;
        same(own.as_bytes(), signed.as_bytes()).then_some(text)
    }

    /// Seals bytes.
    pub fn seal(&self, plain: &[u8], entropy: &dyn Entropy) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE];
        entropy.fill(&mut nonce);
        let sealed =
            self.sealing.encrypt(&XNonce::from(nonce), plain).map_err(Problem::internal)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what [`Vault::seal`] made; another key or a changed byte is an error.
    pub fn open(&self, sealed: &[u8]) -> Result<Vec<u8>> {
        let broken =
            || Problem::internal("sealed data cannot be opened with this installation's key");
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>().ok_or_else(broken)?;
        self.sealing.decrypt(&XNonce::from(*nonce), sealed).map_err(|_| broken())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct CountingEntropy;
    impl Entropy for CountingEntropy {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.iter_mut().zip(0..).for_each(|(byte, n)| *byte = n);
        }
    }

    #[test]
    fn sealed_data_opens_with_its_key_only() {
        let vault = Vault::new(&[1; 32]);
        let mut sealed = vault.seal(b"secret", &CountingEntropy).unwrap();
        assert_eq!(vault.open(&sealed).unwrap(), b"secret");
        assert!(Vault::new(&[2; 32]).open(&sealed).is_err());
        sealed[30] ^= 1;
        assert!(vault.open(&sealed).is_err() && vault.open(&[0; 3]).is_err());
    }

    #[test]
    fn signatures_bind_key_purpose_and_bytes() {
        let vault = Vault::new(&[1; 32]);
        let signature = vault.sign("slot", b"bytes").unwrap();
        assert_eq!(vault.sign("slot", b"bytes").unwrap(), signature);
        for other in [
            vault.sign("feed", b"bytes"),
            vault.sign("slot", b"byteS"),
            Vault::new(&[2; 32]).sign("slot", b"bytes"),
        ] {
            assert_ne!(other.unwrap(), signature);
        }
    }

    #[test]
    fn signatures_are_bound_to_their_purpose() {
        let vault = Vault::new(&[1; 32]);
        let signed = vault.signed("link", "a.b").unwrap();
        assert_eq!(vault.verified("link", &signed), Some("a.b"));
        assert_eq!(vault.verified("session", &signed), None);
        for wrong in ["", ".", "a.b", "a.b.", &signed[1..], &signed[..signed.len() - 1]] {
            assert_eq!(vault.verified("link", wrong), None, "{wrong}");
        }
    }
}
