//! Certificates for a test, made anew for every server.

use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::RootCertStore;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::{ServerConfig, WebPkiClientVerifier};

/// A certificate and its key, as PEM.
pub struct Pair {
    pub certificate: String,
    pub key: String,
}

/// What the server's certificate is like.
#[derive(Clone, Copy, Debug, Default)]
pub enum Certificate {
    #[default]
    Good,
    /// Its time is over.
    Expired,
    /// Its time has not come.
    NotYetValid,
    /// It may sign others, as that of an authority.
    Authority,
}

impl Certificate {
    fn apply(self, params: &mut CertificateParams) {
        match self {
            Self::Good => {}
            Self::Expired => params.not_after = date_time_ymd(2001, 1, 1),
            Self::NotYetValid => params.not_before = date_time_ymd(3000, 1, 1),
            Self::Authority => params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
        }
    }
}

/// An authority, the server's certificate and that of a user.
pub struct Pki {
    pub ca: String,
    pub client: Pair,
    pub server: Arc<ServerConfig>,
}

impl Pki {
    /// For a server that goes by these names.
    pub fn new(names: &[String], user: &str, certificate: Certificate) -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = params(&[], "test-ca");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let ca = params.self_signed(&key).expect("a CA");
        let issuer = Issuer::new(params, key);
        let server = leaf(
            &issuer,
            names,
            "server",
            ExtendedKeyUsagePurpose::ServerAuth,
            certificate,
        );
        let client = leaf(
            &issuer,
            &[],
            user,
            ExtendedKeyUsagePurpose::ClientAuth,
            Certificate::Good,
        );
        Self {
            ca: ca.pem(),
            client: Pair {
                certificate: client.0.pem(),
                key: client.1.serialize_pem(),
            },
            server: server_config(ca.der(), &server).into(),
        }
    }
}

type Leaf = (rcgen::Certificate, KeyPair);

fn leaf(
    issuer: &Issuer<'_, KeyPair>,
    names: &[String],
    subject: &str,
    usage: ExtendedKeyUsagePurpose,
    kind: Certificate,
) -> Leaf {
    let key = KeyPair::generate().expect("a key");
    let mut params = params(names, subject);
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![usage];
    params.use_authority_key_identifier_extension = true;
    kind.apply(&mut params);
    let certificate = params.signed_by(&key, issuer).expect("a certificate");
    (certificate, key)
}

fn params(names: &[String], subject: &str) -> CertificateParams {
    let mut params = CertificateParams::new(names).expect("names");
    params.distinguished_name.push(DnType::CommonName, subject);
    params
}

/// As a kube-apiserver does, it asks for a certificate and takes none too:
/// who shows none must prove himself in another way, and gets a 401 if not.
fn server_config(ca: &CertificateDer<'static>, (certificate, key): &Leaf) -> ServerConfig {
    let provider = Arc::new(default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(ca.clone()).expect("a CA");
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .allow_unauthenticated()
            .build()
            .expect("a verifier");
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("TLS 1.2 and 1.3")
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certificate.der().clone()], key)
        .expect("a certificate and its key");
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    config
}
