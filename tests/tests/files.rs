//! Files as users meet them: damaged, huge, changed by others, and saves that are killed half way.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]
#![allow(clippy::disallowed_methods, reason = "some tests make files old, which needs the real time")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use app::io::autosave::Autosaves;
use app::io::dialog::{Answer, Dialogs as _, Question, ScriptedDialogs};
use app::io::files::{READ_LIMIT_BYTES, open_text, read_text, save_atomic, save_new};
use app::io::problem::{FileProblem, Kind};
use app::io::recent::{MAX_RECENT, Recent};
use app::io::worker::{Done, Worker};
use expect_test::{Expect, expect};
use planning::plan::DocumentId;

fn dir() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// The message as the user sees it, without the machine's own folder.
fn check(problem: &FileProblem, folder: &Path, expected: &Expect) {
    expected.assert_eq(&format!("{problem}\n").replace(&folder.display().to_string(), "…"));
}

#[test]
fn what_is_no_text_is_refused_with_its_place() {
    let dir = dir();
    let file = |name: &str, bytes: &[u8]| {
        let path = dir.path().join(name);
        fs::write(&path, bytes).unwrap();
        read_text(&path, READ_LIMIT_BYTES).unwrap_err()
    };
    check(
        &file("latin1.ron", b"(name:\n \"M\xfcnchen\")"),
        dir.path(),
        &expect![[r#"
        Could not open latin1.ron: it is not UTF-8 text: byte 10 (0xfc) does not belong there
        Save it as UTF-8, or restore an undamaged copy
        …/latin1.ron:2:4
    "#]],
    );
    check(
        &file("photo.png", b"\x89PNG\r\n\x1a\n\0\0"),
        dir.path(),
        &expect![[r#"
            Could not open photo.png: this is a PNG picture, not UTF-8 text
            Choose another file, or save it as UTF-8 text
            …/photo.png
        "#]],
    );
    check(
        &file("utf16.ron", b"\xff\xfe(\0)\0"),
        dir.path(),
        &expect![[r#"
            Could not open utf16.ron: this is text in UTF-16, not UTF-8 text
            Choose another file, or save it as UTF-8 text
            …/utf16.ron
        "#]],
    );
}

#[test]
fn what_is_no_file_is_refused_and_never_waited_for() {
    let dir = dir();
    fs::create_dir(dir.path().join("plans")).unwrap();
    check(
        &read_text(&dir.path().join("plans"), 10).unwrap_err(),
        dir.path(),
        &expect![[r#"
        Could not open plans: this is a folder
        Choose a file
        …/plans
    "#]],
    );
    let pipe = dir.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    check(
        &read_text(&pipe, 10).unwrap_err(),
        dir.path(),
        &expect![[r#"
        Could not open pipe: this is a pipe, a socket or a device
        Choose a file
        …/pipe
    "#]],
    );
    check(
        &read_text(&dir.path().join("gone.ron"), 10).unwrap_err(),
        dir.path(),
        &expect![[r#"
        Could not open gone.ron: there is no such file
        Check the path
        …/gone.ron
    "#]],
    );
    assert_eq!(read_text(Path::new("/dev/zero"), 10).unwrap_err().kind, Kind::NotAFile);
    assert_eq!(save_atomic(dir.path(), b"", None).unwrap_err().kind, Kind::NotAFile);
}

#[test]
fn a_huge_file_is_refused_without_being_read() {
    let dir = dir();
    let path = dir.path().join("huge.ron");
    fs::File::create(&path).unwrap().set_len(500 << 20).unwrap();
    let before = peak_memory_kib();
    check(
        &read_text(&path, READ_LIMIT_BYTES).unwrap_err(),
        dir.path(),
        &expect![[r#"
        Could not open huge.ron: the file holds 500 MiB, the limit is 64 MiB
        Check that it is the right file, or split it
        …/huge.ron
    "#]],
    );
    let grown = peak_memory_kib() - before;
    assert!(grown < 100 * 1024, "memory grew by {grown} KiB");
}

/// A file that says it is empty and then gives more (as those of the kernel do) is bounded as well.
#[test]
fn the_limit_holds_for_files_that_do_not_tell_their_length() {
    let path = Path::new("/proc/self/environ");
    assert_eq!(fs::metadata(path).unwrap().len(), 0);
    assert_eq!(read_text(path, 3).unwrap_err().kind, Kind::TooLarge);
}

fn peak_memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_text() {
    let path = dir().keep().join("bom.ron");
    fs::write(&path, "\u{feff}(x: 1)").unwrap();
    assert_eq!(read_text(&path, 100).unwrap(), "(x: 1)");
    let opened = open_text(&path, 100).unwrap();
    assert!(save_atomic(&path, b"(x: 2)", Some(&opened.stamp)).is_ok(), "the mark alone is no change by others");
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
}

#[test]
fn a_file_that_others_changed_is_not_overwritten() {
    let dir = dir();
    let path = dir.path().join("plan.ron");
    let mine = save_atomic(&path, b"mine", None).unwrap();
    assert!(mine.still_holds(&path));
    // The same length and the same time, but other bytes.
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, b"them").unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
    check(
        &save_atomic(&path, b"newer", Some(&mine)).unwrap_err(),
        dir.path(),
        &expect![[r#"
        Could not save plan.ron: another program changed the file since it was opened
        Save under another name, open the file again, or replace it knowingly
        …/plan.ron
    "#]],
    );
    assert_eq!(fs::read(&path).unwrap(), b"them");
    // Touched but not changed is no conflict; neither is a file that is gone.
    fs::write(&path, b"mine").unwrap();
    assert!(mine.still_holds(&path));
    let newer = save_atomic(&path, b"newer", Some(&mine)).unwrap();
    fs::remove_file(&path).unwrap();
    assert!(!newer.still_holds(&path));
    save_atomic(&path, b"newest", Some(&newer)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"newest");
}

#[test]
fn saving_keeps_links_and_permissions_and_refuses_read_only() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let dir = dir();
    let (real, link, chain) = (dir.path().join("real.ron"), dir.path().join("link.ron"), dir.path().join("chain.ron"));
    symlink("real.ron", &link).unwrap();
    symlink(&link, &chain).unwrap();
    save_atomic(&chain, b"through a dangling link", None).unwrap();
    assert!(fs::symlink_metadata(&chain).unwrap().is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"through a dangling link");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    save_atomic(&link, b"kept", None).unwrap();
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o440)).unwrap();
    check(
        &save_atomic(&link, b"no", None).unwrap_err(),
        dir.path(),
        &expect![[r#"
        Could not save link.ron: the file is read-only
        Save under another name, or allow writing to the file
        …/link.ron
    "#]],
    );
    symlink("loop.ron", dir.path().join("loop.ron")).unwrap();
    assert_eq!(save_atomic(&dir.path().join("loop.ron"), b"", None).unwrap_err().kind, Kind::System);
    assert_eq!(save_new(&link, b"").unwrap_err().kind, Kind::Exists);
    check(
        &save_atomic(&dir.path().join("no/where.ron"), b"", None).unwrap_err(),
        dir.path(),
        &expect![[r#"
        Could not save where.ron: the folder does not exist
        Make the folder, or save elsewhere
        …/no/where.ron
    "#]],
    );
}

#[test]
fn leftovers_of_killed_runs_are_swept_and_nothing_else() {
    let dir = dir();
    let hours_ago = SystemTime::now() - Duration::from_hours(2);
    for (name, is_old) in [(".podium-old.tmp", true), (".podium-new.tmp", false), (".other.tmp", true)] {
        let file = fs::File::create(dir.path().join(name)).unwrap();
        file.set_modified(if is_old { hours_ago } else { SystemTime::now() }).unwrap();
    }
    save_atomic(&dir.path().join("plan.ron"), b"", None).unwrap();
    let mut left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".other.tmp", ".podium-new.tmp", "plan.ron"]);
}

#[test]
fn a_crash_is_recovered_a_living_window_is_not() {
    let dir = dir();
    let plan = dir.path().join("plan.ron");
    fs::write(&plan, "saved").unwrap();
    let id = DocumentId("of the plan".into());
    let crashed = Autosaves::open(dir.path()).unwrap();
    crashed.write(&id, "older copy", Some(&plan)).unwrap();
    let second = Autosaves::open(dir.path()).unwrap();
    assert!(second.recoverable().offers.is_empty(), "its program is alive");
    drop(crashed);
    second.write(&id, "newer copy", Some(&plan)).unwrap();
    second.write(&DocumentId("another".into()), "never saved", None).unwrap();
    drop(second);

    let third = Autosaves::open(dir.path()).unwrap();
    let found = third.recoverable();
    assert!(found.skipped.is_empty());
    let texts: Vec<_> = found.offers.iter().map(|offer| (offer.name.as_str(), offer.read().unwrap())).collect();
    assert_eq!(texts, [("Untitled", "never saved".to_owned()), ("plan.ron", "newer copy".to_owned())]);
    assert!(found.offers[1].newer_than_document);
    assert_eq!(found.offers[1].path.as_deref(), Some(plan.as_path()));
    for offer in found.offers {
        offer.discard();
    }
    assert!(third.recoverable().offers.is_empty(), "older copies of a document go with its newest");
    third.close();
    assert_eq!(fs::read_dir(dir.path().join("autosave")).unwrap().count(), 0, "nothing is left behind");
}

/// A pipe in the place of a lock or a copy must not hold up the start.
#[cfg(unix)]
#[test]
fn pipes_among_the_copies_are_not_waited_for() {
    let dir = dir();
    let crashed = Autosaves::open(dir.path()).unwrap();
    crashed.write(&DocumentId("whole".into()), "text", None).unwrap();
    drop(crashed);
    let session = fs::read_dir(dir.path().join("autosave")).unwrap().next().unwrap().unwrap().path();
    fs::remove_file(session.join("lock")).unwrap();
    for name in ["lock", "pipe.autosave"] {
        assert!(std::process::Command::new("mkfifo").arg(session.join(name)).status().unwrap().success());
    }
    assert!(std::process::Command::new("mkfifo").arg(dir.path().join("recent.ron")).status().unwrap().success());
    let (send, answer) = std::sync::mpsc::channel();
    let folder = dir.path().to_owned();
    std::thread::spawn(move || {
        let found = Autosaves::open(&folder).unwrap().recoverable();
        send.send((found.offers.len(), found.skipped, Recent::in_dir(&folder).list())).unwrap();
    });
    let (offers, skipped, recent) = answer.recv_timeout(Duration::from_secs(10)).unwrap();
    assert_eq!((offers, skipped.len(), recent.len()), (1, 1, 0));
    assert_eq!(skipped[0].kind, Kind::NotAFile);
}

#[test]
fn a_copy_of_what_was_saved_anyway_is_not_offered() {
    let dir = dir();
    let plan = dir.path().join("plan.ron");
    fs::write(&plan, "same").unwrap();
    let crashed = Autosaves::open(dir.path()).unwrap();
    crashed.write(&DocumentId("of the plan".into()), "same", Some(&plan)).unwrap();
    drop(crashed);
    let found = Autosaves::open(dir.path()).unwrap().recoverable();
    assert!(found.offers.is_empty() && found.skipped.is_empty());
}

#[test]
fn damaged_copies_are_named_and_do_not_hide_whole_ones() {
    let dir = dir();
    let crashed = Autosaves::open(dir.path()).unwrap();
    for number in 0..4 {
        crashed.write(&DocumentId(number.to_string()), "some text of the document", None).unwrap();
    }
    drop(crashed);
    let session = fs::read_dir(dir.path().join("autosave")).unwrap().next().unwrap().unwrap().path();
    let mut copies: Vec<_> = fs::read_dir(&session).unwrap().map(|entry| entry.unwrap().path()).collect();
    copies.retain(|path| path.extension().is_some_and(|extension| extension == "autosave"));
    copies.sort();
    let copy = |number: usize| &copies[number];
    let whole = fs::read(copy(1)).unwrap();
    fs::write(copy(1), &whole[..whole.len() - 3]).unwrap();
    fs::write(copy(2), [0xff, 0xfe, 0, 1]).unwrap();
    fs::write(copy(3), "").unwrap();
    let found = Autosaves::open(dir.path()).unwrap().recoverable();
    assert_eq!(found.offers.len(), 1);
    let messages: Vec<_> =
        found.skipped.iter().map(|problem| format!("{}: {}", problem.title, problem.detail)).collect();
    expect![[r#"
        Could not recover af63ad4c86019caf.autosave: the autosave is damaged: its text is not what was written
        Could not open af63ae4c86019e62.autosave: this is text in UTF-16, not UTF-8 text
        Could not recover af63af4c8601a015.autosave: the autosave is damaged: it ends too early
    "#]]
    .assert_eq(&(messages.join("\n") + "\n"));
    assert!(copy(1).exists(), "damaged copies stay for a person to look at");
}

#[test]
fn recent_files_are_bounded_and_survive_damage() {
    let dir = dir();
    let recent = Recent::in_dir(&dir.path().join("not/yet/there"));
    assert!(recent.list().is_empty());
    for i in 0..20 {
        recent.add(&dir.path().join(format!("{i}.ron"))).unwrap();
    }
    recent.add(&dir.path().join("15.ron")).unwrap();
    let names: Vec<_> = recent.list().iter().map(|p| p.file_name().unwrap().to_owned()).collect();
    assert_eq!(names.len(), MAX_RECENT);
    assert_eq!(names[..3], ["15.ron", "19.ron", "18.ron"]);
    recent.remove(&dir.path().join("15.ron")).unwrap();
    assert_eq!(recent.list().len(), MAX_RECENT - 1);
    fs::write(dir.path().join("not/yet/there/recent.ron"), "(files: [").unwrap();
    assert!(recent.list().is_empty());
    recent.add(Path::new("/a.ron")).unwrap();
    assert_eq!(recent.list(), [PathBuf::from("/a.ron")]);
}

/// Waits for the next answer; a test that waits for minutes has found a fault.
fn next<T: Send>(worker: &Worker<T>) -> Done<T> {
    for _ in 0..2000 {
        if let Some(done) = worker.try_recv() {
            return done;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("no answer came");
}

#[test]
fn a_panic_in_a_job_is_a_notice_and_the_worker_goes_on() {
    let mut worker = Worker::start(Arc::new(|| ())).unwrap();
    let bad = worker.submit(|| panic!("index out of bounds")).unwrap();
    let good = worker.submit(|| Ok(7)).unwrap();
    let done = next(&worker);
    assert_eq!(done.id, bad);
    let problem = done.result.unwrap_err();
    assert_eq!(problem.kind, Kind::Bug);
    assert_eq!(problem.detail, "this is a fault of Podium: index out of bounds");
    let done = next(&worker);
    assert_eq!((done.id, done.result.unwrap()), (good, 7));
}

#[test]
fn closing_the_window_finishes_the_saves() {
    let dir = dir();
    let mut worker = Worker::start(Arc::new(|| ())).unwrap();
    for i in 0..20 {
        let path = dir.path().join(format!("{i}.ron"));
        worker.submit(move || save_new(&path, b"x")).unwrap();
    }
    drop(worker);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 20);
}

#[test]
fn a_full_queue_is_told_and_not_waited_for() {
    let (open, gate) = std::sync::mpsc::sync_channel::<()>(0);
    let mut worker = Worker::start(Arc::new(|| ())).unwrap();
    worker
        .submit(move || {
            gate.recv().unwrap();
            Ok(())
        })
        .unwrap();
    let accepted = (0..1000).filter(|_| worker.submit(|| Ok(())).is_some()).count();
    assert!(accepted < 100, "{accepted}");
    open.send(()).unwrap();
    for _ in 0..=accepted {
        next(&worker).result.unwrap();
    }
}

#[test]
fn a_scripted_dialog_answers_in_order_and_then_is_unavailable() {
    let mut dialogs =
        ScriptedDialogs { answers: [Answer::Picked("a.ron".into()), Answer::Cancelled].into(), ..Default::default() };
    let mut ask = || dialogs.pick_open(Question { title: "Open plan".into(), ..Default::default() }).poll();
    assert_eq!(ask(), Some(Answer::Picked("a.ron".into())));
    assert_eq!(ask(), Some(Answer::Cancelled));
    assert_eq!(ask(), Some(Answer::Unavailable));
    assert_eq!(dialogs.asked.len(), 3);
}

/// A small generator (xorshift64*), so that every run kills at the same moments.
struct Moments(u64);

impl Moments {
    fn next_ms(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % below
    }
}

/// Protects the promise that a crash at any moment costs nothing: the document is whole, the
/// autosave is whole and at least as new.
#[test]
fn two_hundred_kills_never_leave_half_a_file() {
    let dir = dir();
    let (document, data) = (dir.path().join("plan.ron"), dir.path().join("data"));
    fs::write(&document, looks::saved_text(0)).unwrap();
    let mut moments = Moments(1);
    let mut recovered = 0;
    for round in 0..200 {
        let mut child =
            std::process::Command::new(env!("CARGO_BIN_EXE_save_loop")).arg(&document).arg(&data).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(5 + moments.next_ms(40)));
        assert!(child.try_wait().unwrap().is_none(), "round {round}: it ended by itself");
        child.kill().unwrap();
        child.wait().unwrap();

        let saved = read_text(&document, READ_LIMIT_BYTES).unwrap();
        let saved = looks::saved_turn(&saved).unwrap_or_else(|| panic!("round {round}: the document is not whole"));
        let window = Autosaves::open(&data).unwrap();
        let found = window.recoverable();
        assert!(found.skipped.is_empty(), "round {round}: {:?}", found.skipped);
        assert!(found.offers.len() <= 1, "round {round}: one document, {} offers", found.offers.len());
        for offer in found.offers {
            let copy = looks::saved_turn(&offer.read().unwrap());
            assert!(copy.is_some(), "round {round}: the autosave is not whole");
            // A run that was killed before its first save leaves the document of the run before.
            recovered += usize::from(copy > Some(saved));
            offer.discard();
        }
        window.close();
    }
    assert!(recovered > 50, "only {recovered} kills left something to recover");
    assert_eq!(fs::read_dir(data.join("autosave")).unwrap().count(), 0, "no session is left behind");
}
