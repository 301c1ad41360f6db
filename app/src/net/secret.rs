//! Secrets: fetched by reference when they are needed, shown nowhere.

use std::collections::BTreeMap;
use std::fmt;
use std::process::Stdio;
use std::time::Duration;

use planning::source::SecretRef;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use tokio::sync::Mutex;

use crate::clock::Stopwatch;
use crate::net::error::{NetError, NetErrorKind};
use crate::net::read_file;

/// Longest secret in bytes.
const MAX_BYTES: u64 = 65_536;
/// A token of a command is asked anew after this: such tokens live for about an hour.
const TOKEN_LIFE: Duration = Duration::from_mins(40);
/// A command that takes longer waits for a person.
const COMMAND_TIME: Duration = Duration::from_secs(30);

/// A secret. Whatever prints it prints "•••".
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret(String);

impl Secret {
    /// Hides a text.
    pub(super) fn new(text: String) -> Self {
        Self(text)
    }

    /// The text, for the request only.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("•••")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("•••")
    }
}

/// Takes secrets of at least so many bytes out of a text that a server wrote.
pub(super) fn scrub(text: String, secrets: &[Secret], min_bytes: usize) -> String {
    secrets
        .iter()
        .filter(|secret| secret.0.len() >= min_bytes)
        .fold(text, |text, secret| if text.contains(&secret.0) { text.replace(&secret.0, "•••") } else { text })
}

/// Fetches secrets and remembers the tokens of commands until they may have expired.
#[derive(Default)]
pub(super) struct Vault {
    tokens: Mutex<BTreeMap<SecretRef, (Stopwatch, Secret)>>,
}

impl Vault {
    /// The secret of a reference: variables, files and keychains anew each time, commands when the last token is old.
    pub(super) async fn get(&self, reference: &SecretRef) -> Result<Secret, NetError> {
        let text = match reference {
            SecretRef::Env(name) => {
                std::env::var(name).map_err(|_absent| fault(reference, "the variable is not set, or is no text"))?
            }
            SecretRef::File(path) => {
                read_file(path, MAX_BYTES).await.map_err(|error| fault(reference, &error.message))?
            }
            SecretRef::Command(line) => return self.of_command(reference, line).await,
            SecretRef::Keychain { service, account } => printed(reference, &keychain(service, account)).await?,
        };
        checked(reference, &text)
    }

    async fn of_command(&self, reference: &SecretRef, line: &str) -> Result<Secret, NetError> {
        let mut tokens = self.tokens.lock().await;
        if let Some((since, token)) = tokens.get(reference)
            && since.elapsed() < TOKEN_LIFE
        {
            return Ok(token.clone());
        }
        let token = checked(reference, &printed(reference, &words(line)).await?)?;
        tokens.insert(reference.clone(), (Stopwatch::start(), token.clone()));
        Ok(token)
    }

    /// Forgets tokens, because a server did not take one.
    pub(super) async fn forget(&self) {
        self.tokens.lock().await.clear();
    }
}

/// The command with which the system prints an entry of its store of passwords.
fn keychain(service: &str, account: &str) -> Vec<String> {
    let words: &[&str] = if cfg!(target_os = "macos") {
        &["security", "find-generic-password", "-w", "-s", service, "-a", account]
    } else {
        &["secret-tool", "lookup", "service", service, "account", account]
    };
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// What a command prints, within its time.
async fn printed(reference: &SecretRef, words: &[String]) -> Result<String, NetError> {
    let ended = tokio::time::timeout(COMMAND_TIME, run(words)).await;
    let text = ended.map_err(|_elapsed| fault(reference, "the command did not end within 30 s"))?;
    text.map_err(|reason| fault(reference, &reason))
}

async fn run(words: &[String]) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("the command is empty")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| format!("{program} cannot be started: {}", error.kind()))?;
    let mut text = Vec::new();
    if let Some(out) = child.stdout.take() {
        let read = out.take(MAX_BYTES).read_to_end(&mut text).await;
        read.map_err(|error| format!("its output cannot be read: {}", error.kind()))?;
    }
    let status = child.wait().await.map_err(|error| format!("it cannot be waited for: {}", error.kind()))?;
    if !status.success() {
        return Err(format!("the command failed with {status}"));
    }
    String::from_utf8(text).map_err(|_bytes| "its output is no text".to_owned())
}

/// Words of a command, without a shell: split at blanks, double quotes hold them together.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut quoted, mut open) = (Vec::<String>::new(), false, false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => open = false,
            c => {
                if !std::mem::replace(&mut open, true) {
                    words.push(String::new());
                }
                if let Some(word) = words.last_mut() {
                    word.push(c);
                }
            }
        }
    }
    words
}

fn checked(reference: &SecretRef, text: &str) -> Result<Secret, NetError> {
    let text = text.trim();
    let is_good = !text.is_empty() && !text.contains(char::is_control);
    if is_good { Ok(Secret(text.to_owned())) } else { Err(fault(reference, "it is empty or more than one line")) }
}

fn fault(reference: &SecretRef, why: &str) -> NetError {
    let message = format!("there is no secret at {reference}: {why}");
    NetError::new(NetErrorKind::Credentials, message, "Set the variable, file or command that the reference names")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: a secret does not reach a log by being printed.
    #[test]
    fn a_secret_prints_as_dots() {
        let secret = Secret("hunter2".to_owned());
        assert_eq!(format!("{secret} {secret:?} {:?}", [&secret]), "••• ••• [•••]");
        assert_eq!(scrub("no token hunter2 here".to_owned(), &[secret], 1), "no token ••• here");
    }

    #[test]
    fn commands_are_split_without_a_shell() {
        assert_eq!(words("print  \"two words\" $HOME;x"), ["print", "two words", "$HOME;x"]);
    }

    /// Protects: names of an entry are words of their own, whatever they hold.
    #[test]
    fn a_keychain_is_asked_by_the_tool_of_the_system() {
        let words = keychain("prom of north", "ada; x");
        assert!(words.contains(&"prom of north".to_owned()) && words.contains(&"ada; x".to_owned()), "{words:?}");
    }
}
