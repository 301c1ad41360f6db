//! `podium observe` and the network thread behind it: files, servers on loopback, and what they can do wrong.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod answers;
mod certificates;
mod command;
mod network;
mod stub;
