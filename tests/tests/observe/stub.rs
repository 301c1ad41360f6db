//! A server on loopback that does one thing to each request, and remembers what it was sent.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::Builder;

/// What the server does with the n-th connection, counted from 0.
type Act = dyn Fn(usize, &str, &mut TcpStream) + Send + Sync;

pub(crate) struct Stub {
    pub(crate) address: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Stub {
    pub(crate) fn start(act: impl Fn(usize, &str, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let heard: Arc<Mutex<Vec<String>>> = Arc::default();
        let (list, act): (_, Arc<Act>) = (Arc::clone(&heard), Arc::new(act));
        let serve = move || {
            for (n, mut stream) in listener.incoming().flatten().enumerate() {
                let (list, act) = (Arc::clone(&list), Arc::clone(&act));
                let answer = move || {
                    let request = request(&mut stream);
                    list.lock().unwrap().push(request.clone());
                    act(n, &request, &mut stream);
                };
                Builder::new().name("answer".to_owned()).spawn(answer).unwrap();
            }
        };
        Builder::new().name("stub".to_owned()).spawn(serve).unwrap();
        Self { address, heard }
    }

    /// What was asked so far: head and body of each request.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

/// Head and body of a request.
fn request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4_096];
    loop {
        let n = stream.read(&mut buffer).unwrap_or(0);
        bytes.extend_from_slice(&buffer[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            if n == 0 {
                return text;
            }
            continue;
        };
        let length =
            head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
        if n == 0 || body.len() >= length.unwrap_or(0) {
            return text;
        }
    }
}

/// Sends a whole reply.
pub(crate) fn reply(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\nconnection: close\r\n\r\n", body.len());
    // A client that has heard enough hangs up.
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).ok();
}

/// Sends JSON.
pub(crate) fn json(stream: &mut TcpStream, status: &str, body: &str) {
    reply(stream, status, "content-type: application/json\r\n", body.as_bytes());
}

/// Packs with gzip.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}
