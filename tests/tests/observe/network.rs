//! What a source can do to us, over loopback: busy, slow, cut off, endless, elsewhere, not trusted.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use app::net::{Looked, Net, NetError, NetErrorKind, Surroundings, Wanted, look};
use planning::source::{Credentials, Source, SourceKind};

use crate::stub::{Stub, json, pack, reply};

/// One series.
pub(crate) const PAGE: &str = "duty_cycle_node{accelerator_id=\"1-0\",node=\"a\"} 90\n";

/// Waiting takes no time, bodies end at a megabyte.
fn around() -> Surroundings {
    let second = Duration::from_micros(1);
    Surroundings { unix_ms: || 1_796_065_200_000, second, body_bytes: 1_000_000, ..Surroundings::default() }
}

/// The stub as a page of an exporter.
pub(crate) fn page(stub: &Stub) -> Source {
    Source::new("test", SourceKind::Exposition, format!("{}/metrics", stub.address))
}

/// Looks once.
pub(crate) fn ask(source: Source) -> Result<Looked, NetError> {
    ask_for(source, Wanted::default())
}

pub(crate) fn ask_for(source: Source, wanted: Wanted) -> Result<Looked, NetError> {
    let mut net = Net::start(Arc::new(|| ())).unwrap();
    net.submit(look(source, wanted, around())).unwrap();
    net.recv().unwrap().answer.unwrap()
}

fn kind(source: Source) -> NetErrorKind {
    ask(source).unwrap_err().kind
}

/// C41: a busy server is asked again, and after four times in vain told.
#[test]
fn c41_a_busy_server_is_asked_again_and_then_told() {
    let stub = Stub::start(|n, _, stream| match n {
        0 => json(
            stream,
            "500 Internal Server Error",
            "{\"status\":\"error\",\"errorType\":\"internal\",\"error\":\"monarch 220\"}",
        ),
        1 => reply(stream, "503 Service Unavailable", "retry-after: 1\r\n", b"busy"),
        _ => reply(stream, "200 OK", "content-type: text/plain; version=0.0.4\r\n", PAGE.as_bytes()),
    });
    assert_eq!(ask(page(&stub)).unwrap().decoded.series.len(), 1);
    assert_eq!(stub.heard().len(), 3);
    let stub = Stub::start(|_, _, stream| reply(stream, "503 Service Unavailable", "", b"busy"));
    let error = ask(page(&stub)).unwrap_err();
    assert_eq!((error.kind, stub.heard().len()), (NetErrorKind::Overloaded, 4));
    assert!(error.message.contains("asked 4 times"), "{error}");
}

#[test]
fn a_wrong_question_is_not_asked_again() {
    let body = include_str!("../../../telemetry/tests/data/answers/error_11000.json");
    let stub = Stub::start(|_, _, stream| json(stream, "400 Bad Request", body));
    let mut source = Source::new("test", SourceKind::Prometheus, &stub.address);
    source.queries.push("up".to_owned());
    let error = ask(source).unwrap_err();
    assert_eq!((error.kind, stub.heard().len()), (NetErrorKind::Refused, 1));
    assert!(error.hint.contains("longer step"), "{error:?}");
}

#[test]
fn a_silent_server_times_out_and_a_cancelled_question_ends() {
    let stub = Stub::start(|_, _, stream| {
        // Holds the connection until the other side hangs up.
        std::io::copy(stream, &mut std::io::sink()).ok();
    });
    let source = Source { timeout_seconds: 1, ..page(&stub) };
    assert_eq!(kind(source), NetErrorKind::TimedOut);
    let mut net = Net::start(Arc::new(|| ())).unwrap();
    let id = net.submit(look(Source { timeout_seconds: 600, ..page(&stub) }, Wanted::default(), around())).unwrap();
    net.cancel(id);
    let answered = net.recv().unwrap();
    assert!(answered.id == id && answered.answer.is_none());
    // Dropping the thread does not wait for a question in flight.
    net.submit(look(Source { timeout_seconds: 600, ..page(&stub) }, Wanted::default(), around())).unwrap();
    drop(net);
}

#[test]
fn a_body_that_breaks_off_is_told_and_asked_again() {
    let stub = Stub::start(|_, _, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nduty_cycle{a=\"b").ok();
    });
    assert_eq!(kind(page(&stub)), NetErrorKind::CutOff);
    assert_eq!(stub.heard().len(), 4);
}

/// Announced, endless or packed: the bound counts what it becomes, and the message has the figure.
#[test]
fn giant_bodies_are_refused_with_the_figure() {
    let announced = Stub::start(|_, _, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n").ok();
        std::io::copy(stream, &mut std::io::sink()).ok();
    });
    let error = ask(page(&announced)).unwrap_err();
    assert_eq!(error.kind, NetErrorKind::TooLarge);
    assert!(error.message.contains("9 MB") && error.message.contains("1 MB"), "{error}");
    let endless = Stub::start(|_, _, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").ok();
        while stream.write_all(&[b'#'; 4_096]).is_ok() {}
    });
    assert_eq!(kind(page(&endless)), NetErrorKind::TooLarge);
    // 20 MB of one letter, packed into about 20 kB.
    let packed = pack(&vec![b'#'; 20_000_000]);
    let bomb = Stub::start(move |_, _, stream| reply(stream, "200 OK", "content-encoding: gzip\r\n", &packed));
    assert_eq!(kind(page(&bomb)), NetErrorKind::TooLarge);
}

#[test]
fn a_web_page_is_no_answer() {
    let stub =
        Stub::start(|_, _, stream| reply(stream, "200 OK", "content-type: text/html\r\n", b"<html>Sign in</html>"));
    let error = ask(page(&stub)).unwrap_err();
    let message = "the answer is a web page, perhaps to sign in";
    assert_eq!((error.kind, error.message.as_str()), (NetErrorKind::NotAnAnswer, message));
}

/// Protects: credentials are never carried to another server, and no text shows them, not even when the server says them.
#[test]
fn credentials_stay_with_their_server_and_out_of_every_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "hunter2-very-secret\n").unwrap();
    let reference: planning::source::SecretRef = format!("file:{}", file.display()).parse().unwrap();
    let with_token = |source: Source| Source { credentials: Some(Credentials::Bearer(reference.clone())), ..source };

    let other = Stub::start(|_, _, stream| reply(stream, "200 OK", "", PAGE.as_bytes()));
    let to = format!("location: {}/metrics\r\n", other.address);
    let stub = Stub::start(move |_, _, stream| reply(stream, "302 Found", &to, b""));
    let error = ask(with_token(page(&stub))).unwrap_err();
    assert_eq!((error.kind, other.heard().len()), (NetErrorKind::Redirected, 0));
    assert!(error.message.contains(&other.address["http://".len()..]), "{error}");
    assert_eq!(ask(page(&stub)).unwrap().decoded.series.len(), 1, "without credentials it may go there");

    let basic = |source: Source| {
        let credentials = Credentials::Basic { user: "ada".to_owned(), password: reference.clone() };
        Source { credentials: Some(credentials), ..source }
    };
    let echo = Stub::start(|_, request, stream| {
        let sent = request.lines().find(|line| line.starts_with("authorization")).unwrap();
        reply(stream, "403 Forbidden", "", sent.as_bytes());
    });
    let error = ask(with_token(page(&echo))).unwrap_err();
    assert_eq!(error.kind, NetErrorKind::Unauthorized);
    assert!(echo.heard()[0].contains("Bearer hunter2-very-secret"), "it was sent");
    let coded = "YWRhOmh1bnRlcjItdmVyeS1zZWNyZXQ=";
    let of_basic = ask(basic(page(&echo))).unwrap_err();
    assert!(echo.heard()[1].contains(coded) && !format!("{of_basic:?}").contains(coded), "{of_basic:?}");
    assert!(of_basic.message.contains("•••"), "{of_basic}");
    let own = Stub::start(|_, _, stream| {
        reply(stream, "200 OK", "", b"duty_cycle_node{accelerator_id=\"1-0\",node=\"hunter2-very-secret\"} 90\n");
    });
    let shown = format!("{error:?} {:?}", ask(with_token(page(&own))).unwrap());
    assert!(!shown.contains("hunter2") && shown.contains("•••"), "{shown}");
    let elsewhere = with_token(Source::new("test", SourceKind::Exposition, "http://example.invalid/metrics"));
    let error = ask(elsewhere).unwrap_err();
    assert!(error.message.contains("plain HTTP"), "{error}");
}

/// Protects: a token that expired is fetched anew once; a file is read again.
#[test]
fn an_expired_token_is_fetched_anew_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "old-token").unwrap();
    let path = file.clone();
    let stub = Stub::start(move |_, request, stream| {
        if request.contains("Bearer new-token") {
            reply(stream, "200 OK", "", PAGE.as_bytes());
        } else {
            std::fs::write(&path, "new-token").unwrap();
            reply(stream, "401 Unauthorized", "", b"expired");
        }
    });
    let reference = format!("file:{}", file.display()).parse().unwrap();
    let source = Source { credentials: Some(Credentials::Bearer(reference)), ..page(&stub) };
    assert!(ask(source).is_ok());
    assert_eq!(stub.heard().len(), 2);
}

#[test]
fn nothing_that_listens_is_unreachable_and_the_clock_is_heard() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error =
        ask(Source::new("test", SourceKind::Exposition, format!("http://127.0.0.1:{port}/metrics"))).unwrap_err();
    assert_eq!(
        (error.kind, error.message.contains("nothing listens there")),
        (NetErrorKind::Unreachable, true),
        "{error}"
    );
    // C45: 437 s ahead of our clock, which stands still here.
    let stub =
        Stub::start(|_, _, stream| reply(stream, "200 OK", "date: Mon, 30 Nov 2026 19:07:17 GMT\r\n", PAGE.as_bytes()));
    let looked = ask(page(&stub)).unwrap();
    assert_eq!((looked.clock.offset_ms(), looked.clock.is_notable()), (Some((437_500, 500)), true));
}
