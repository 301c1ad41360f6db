//! Servers with certificates: who is trusted, and that ours is shown.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread::Builder;

use app::net::NetErrorKind;
use planning::source::{ClientCertificate, Source, SourceKind};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

use crate::network::{PAGE, ask};

fn signed_by_itself(name: &str) -> CertifiedKey<KeyPair> {
    generate_simple_self_signed([name.to_owned()]).unwrap()
}

/// A page over TLS; asks for a certificate of the client where one is given. Returns the port.
fn serve(own: &CertifiedKey<KeyPair>, client: Option<&CertifiedKey<KeyPair>>) -> u16 {
    #[expect(deprecated, reason = "the provider of the program")]
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions().unwrap();
    let config = match client {
        None => config.with_no_client_auth(),
        Some(client) => {
            let mut roots = RootCertStore::empty();
            roots.add(client.cert.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            config.with_client_cert_verifier(verifier)
        }
    };
    let key = PrivateKeyDer::try_from(own.signing_key.serialize_der()).unwrap();
    let config = Arc::new(config.with_single_cert(vec![own.cert.der().clone()], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = move || {
        for stream in listener.incoming().flatten() {
            let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream);
            if stream.read(&mut [0; 1_024]).is_ok() {
                let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", PAGE.len());
                stream.write_all((head + PAGE).as_bytes()).and_then(|()| stream.flush()).ok();
            }
        }
    };
    Builder::new().name("tls".to_owned()).spawn(answer).unwrap();
    port
}

fn file(folder: &TempDir, name: &str, text: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn source(port: u16, ca_file: &str) -> Source {
    let at = format!("https://localhost:{port}/metrics");
    Source { ca_file: Some(ca_file.to_owned()), ..Source::new("test", SourceKind::Exposition, at) }
}

#[test]
fn a_certificate_that_nobody_signed_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (own, foreign, elsewhere) =
        (signed_by_itself("localhost"), signed_by_itself("localhost"), signed_by_itself("elsewhere"));
    let foreign = file(&folder, "foreign.pem", &foreign.cert.pem());
    let ca = file(&folder, "own.pem", &own.cert.pem());
    let port = serve(&own, None);
    let error = ask(source(port, &foreign)).unwrap_err();
    assert_eq!(error.kind, NetErrorKind::Certificate);
    assert!(error.message.contains("cannot be trusted") && error.hint.contains("--ca"), "{error:?}");
    assert_eq!(ask(source(port, &ca)).unwrap().decoded.series.len(), 1, "trusted where its authority is given");
    let ca = file(&folder, "elsewhere.pem", &elsewhere.cert.pem());
    let error = ask(source(serve(&elsewhere, None), &ca)).unwrap_err();
    assert_eq!(error.kind, NetErrorKind::Certificate, "it is for another name: {error}");
    let error = ask(source(port, &file(&folder, "empty.pem", "no certificate"))).unwrap_err();
    assert!(error.message.contains("empty.pem"), "{error}");
}

#[test]
fn our_certificate_is_shown_to_a_server_that_asks() {
    let folder = tempfile::tempdir().unwrap();
    let (own, client) = (signed_by_itself("localhost"), signed_by_itself("podium"));
    let port = serve(&own, Some(&client));
    let bare = source(port, &file(&folder, "own.pem", &own.cert.pem()));
    let error = ask(bare.clone()).unwrap_err();
    assert_eq!(error.kind, NetErrorKind::Certificate, "the server refuses who shows none");
    assert!(error.message.contains("does not take the connection") && error.hint.contains("--cert"), "{error:?}");
    let shown = ClientCertificate {
        certificate_file: file(&folder, "client.pem", &client.cert.pem()),
        key_file: file(&folder, "client.key", &client.signing_key.serialize_pem()),
    };
    assert_eq!(ask(Source { client_certificate: Some(shown), ..bare }).unwrap().decoded.series.len(), 1);
}
