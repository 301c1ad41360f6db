//! Arguments of `podium rules`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Rules for alerts and objectives.
#[derive(Debug, Args)]
pub struct RulesArgs {
    /// What to do with them
    #[command(subcommand)]
    pub command: RulesCommand,
}

/// What can be done with rules.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Replay series through rules and compare what fires with what should, in the form of `promtool test rules`
    #[command(after_help = "Example: podium rules test sample-data/rules/tpu.test.yml\n\
                            Rule files count from the test file: rule files of Prometheus, objectives in OpenSLO v1.")]
    Test {
        /// Test file
        file: PathBuf,
    },
}
