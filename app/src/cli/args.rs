//! What can be written on the command line.

mod observe;
mod rules;
mod serve;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use observe::{ObserveArgs, ObserveKind};
pub use rules::{RulesArgs, RulesCommand};
pub use serve::ServeArgs;

/// See, plan and present TPU pods.
#[derive(Debug, Parser)]
#[command(name = "podium", version, about)]
#[command(
    after_help = "Example: podium plan.ron\nWithout a file the window opens the sample fleet with the live simulator.\n\
                        Exit status: 0 done, 1 the input is wrong or a check found something, 2 wrong usage, 3 a source \
                        could not be reached."
)]
pub struct Arguments {
    /// Plan, fleet or inventory to open in the window
    pub file: Option<PathBuf>,
    /// Print one JSON object on standard output instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do instead of opening the window
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the catalogue of chip generations
    #[command(after_help = "Example: podium chips v5p")]
    Chips {
        /// Only this generation
        generation: Option<String>,
    },
    /// Show the facts of one slice
    #[command(after_help = "Example: podium slice tpu7x 8x8x16")]
    Slice(SliceArgs),
    /// List the legal slice shapes of a generation
    #[command(after_help = "Example: podium slices v5p --chips 128")]
    Slices {
        /// Chip generation, such as v5p, or an accelerator type, such as v5p-128
        generation: String,
        /// Only shapes of this many chips
        #[arg(long)]
        chips: Option<usize>,
    },
    /// List the chips of a slice in device order, with hosts and neighbours
    #[command(after_help = "Example: podium coords v5e 4x4\nExample: podium coords v5p 4x4x8 --mesh 8x16")]
    Coords(CoordsArgs),
    /// Find a shortest route between two chips of a slice
    #[command(after_help = "Example: podium route v5p 4x4x8 0,0,0 3,2,5 --fail chip:0,0,1 --fail link:0,0,0:x")]
    Route(RouteArgs),
    /// Estimate one matrix product on one chip, or on a bare systolic array
    #[command(after_help = "Example: podium matmul --chip v6e -m 4096 -k 4096 -n 4096 --execute")]
    Matmul(MatmulArgs),
    /// Hold the model against published figures, and fit its constants to measured ones
    #[command(after_help = "Example: podium validate --csv mine.csv --fit -o mine.ron")]
    Validate(ValidateArgs),
    /// Answer one matrix product sharded over a slice, in the notation of the scaling book
    #[command(after_help = "Example: podium shard \"A[I_x,J] . B[J,K_y] -> C[I_x,K_y]\" --size I=8192,J=8192,K=8192 \
                            --slice v5p:4x4x4 --axes x=x,y=yz")]
    Shard(ShardArgs),
    /// Time one collective over a slice, with every link counted, or simulated chunk by chunk
    #[command(
        after_help = "Example: podium collective all-reduce --slice v5p:8x8x8 --axes x,y,z --bytes 256MiB --fail ocs:x:1,2"
    )]
    Collective(CollectiveArgs),
    /// Check files: plans, fleets, inventories, model configurations
    #[command(after_help = "Example: podium check fleet.ron")]
    Check {
        /// Files to check
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Schedule a roadmap: critical path, forecast, adherence; reads plans and files of GitHub, Jira, Linear, Mermaid, iCalendar
    #[command(after_help = "Example: podium roadmap plan.ron --as-of 2026-11-30")]
    Roadmap(RoadmapArgs),
    /// Tell what is different between two plans: added, removed, moved, changed
    #[command(after_help = "Example: podium diff monday.ron today.ron")]
    Diff {
        /// The earlier plan
        before: PathBuf,
        /// The later plan
        after: PathBuf,
    },
    /// Make a fleet from inventories: kubectl nodes, pods and slices as JSON, TPU VM lists
    #[command(after_help = "Example: kubectl get nodes -o json > nodes.json && podium import nodes.json -o fleet.ron")]
    Import(ImportArgs),
    /// Rehearse rules for alerts and objectives
    #[command(after_help = "Example: podium rules test sample-data/rules/tpu.test.yml")]
    Rules(RulesArgs),
    /// Let Prometheus scrape the embedded simulator, or write what it would have scraped into a recording
    #[command(after_help = "Example: podium serve-metrics --bind 127.0.0.1:9400\n\
                            Example: podium serve-metrics -o hour.om --minutes 60")]
    ServeMetrics(ServeArgs),
    /// Read telemetry once: a Prometheus server, a page of an exporter, Alertmanager, or a file of theirs
    #[command(after_help = "Example: podium observe --source http://127.0.0.1:9090 --fleet fleet.ron --range 1h/60s\n\
                            Example: podium observe --source node.prom --fleet fleet.ron\n\
                            Secrets are references: env:NAME, file:PATH, keychain:SERVICE/ACCOUNT or command:…")]
    Observe(Box<ObserveArgs>),
    /// Draw a view into a picture; needs no display
    #[command(after_help = "Example: podium render plan.ron --view topology --theme light --size 1600x1000 -o out.png")]
    Render(RenderArgs),
    /// Measure the speed of the engine and of a frame on this machine
    #[command(after_help = "Example: podium bench")]
    Bench,
    /// Print the completions of a shell
    #[command(after_help = "Example: podium completions bash > ~/.local/share/bash-completion/completions/podium")]
    Completions {
        /// Name of the shell
        shell: clap_complete::Shell,
    },
}

impl Command {
    /// The name as it is written.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Chips { .. } => "chips",
            Self::Slice(_) => "slice",
            Self::Slices { .. } => "slices",
            Self::Coords(_) => "coords",
            Self::Route(_) => "route",
            Self::Matmul(_) => "matmul",
            Self::Collective(_) => "collective",
            Self::Validate(_) => "validate",
            Self::Shard(_) => "shard",
            Self::Check { .. } => "check",
            Self::Roadmap(_) => "roadmap",
            Self::Diff { .. } => "diff",
            Self::Import(_) => "import",
            Self::Rules(_) => "rules",
            Self::ServeMetrics(_) => "serve-metrics",
            Self::Observe(_) => "observe",
            Self::Render(_) => "render",
            Self::Bench => "bench",
            Self::Completions { .. } => "completions",
        }
    }
}

/// One slice.
#[derive(Debug, Args)]
pub struct SliceArgs {
    /// Chip generation, such as v5p
    pub generation: String,
    /// Sizes in chips joined by x, such as 4x4x8; `4x4x8_twisted`, `4x4x8_untwisted` and `v5p:4x4x8` are understood too
    pub shape: String,
    /// As a twisted torus
    #[arg(long, conflicts_with = "no_twist")]
    pub twist: bool,
    /// As a plain torus, also where the runtime twists by itself
    #[arg(long)]
    pub no_twist: bool,
}

/// The chips of a slice.
#[derive(Debug, Args)]
pub struct CoordsArgs {
    /// The slice
    #[command(flatten)]
    pub slice: SliceArgs,
    /// Show the devices as JAX lays them out for a logical mesh, the axis that talks most last
    #[arg(long, value_name = "AxBx…")]
    pub mesh: Option<String>,
    /// Keep the devices of a host together in the mesh
    #[arg(long, requires = "mesh")]
    pub contiguous: bool,
    /// Let axes of the mesh share a torus axis
    #[arg(long, requires = "mesh")]
    pub split: bool,
}

/// A route in a slice.
#[derive(Debug, Args)]
pub struct RouteArgs {
    /// The slice
    #[command(flatten)]
    pub slice: SliceArgs,
    /// Coordinate of the first chip, such as 0,0,0
    pub from: String,
    /// Coordinate of the last chip
    pub to: String,
    /// What does not work: chip:X,Y,Z, host:X,Y,Z, cube:X,Y,Z, link:X,Y,Z:AXIS or ocs:AXIS:I,J
    #[arg(long, value_name = "COMPONENT")]
    pub fail: Vec<String>,
}

/// How a collective is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CollectiveBy {
    /// The busiest link decides, counted
    Analytic,
    /// Chunks wait for links, simulated
    Event,
}

/// How messages choose their way in a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RouteBy {
    /// The shortest queue among shortest ways
    Adaptive,
    /// Along x, then y, then z
    Ordered,
}

/// A collective on a slice.
#[derive(Debug, Args)]
pub struct CollectiveArgs {
    /// all-gather, reduce-scatter, all-reduce, all-to-all or permute
    pub kind: String,
    /// The slice
    #[command(flatten)]
    pub slice: NamedSliceArgs,
    /// Axes whose chips are a group, such as x or x,y,z
    #[arg(long, required_unless_present = "groups")]
    pub axes: Option<String>,
    /// Groups of devices instead of axes, such as {{0,1},{2,3}}
    #[arg(long, conflicts_with = "axes")]
    pub groups: Option<String>,
    /// Bytes of the gathered array of a group, such as 1e9 or 256MiB
    #[arg(long, allow_hyphen_values = true)]
    pub bytes: String,
    /// Who sends to whom in a permute: a shift such as x+1, or pairs such as {{0,1},{1,0}}
    #[arg(long)]
    pub pairs: Option<String>,
    /// Slices that work together over the data-centre network
    #[arg(long, default_value_t = 1)]
    pub slices: u32,
    /// How it is timed
    #[arg(long, value_enum, default_value_t = CollectiveBy::Analytic)]
    pub model: CollectiveBy,
    /// Chunks of a shard in a simulation, 1 to 1024
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub chunks: u32,
    /// How messages choose their way in a simulation
    #[arg(long, value_enum, default_value_t = RouteBy::Adaptive)]
    pub routing: RouteBy,
    /// What does not work: chip:X,Y,Z, host:X,Y,Z, cube:X,Y,Z, link:X,Y,Z:AXIS or ocs:AXIS:I,J
    #[arg(long, value_name = "COMPONENT")]
    pub fail: Vec<String>,
    /// Show what every link carries
    #[arg(long)]
    pub links: bool,
    /// The timeline
    #[command(flatten)]
    pub trace: TraceArgs,
}

/// One matrix product.
#[derive(Debug, Args)]
pub struct MatmulArgs {
    /// Chip generation, such as v6e
    #[arg(long, value_name = "GEN", required_unless_present = "array")]
    pub chip: Option<String>,
    /// Rows of the left matrix
    #[arg(short, allow_negative_numbers = true)]
    pub m: u64,
    /// Columns of the left matrix, rows of the right one
    #[arg(short, allow_negative_numbers = true)]
    pub k: u64,
    /// Columns of the right matrix
    #[arg(short, allow_negative_numbers = true)]
    pub n: u64,
    /// Number format: bf16, int8, fp8, int4 or f32
    #[arg(long, default_value = "bf16")]
    pub dtype: String,
    /// Rows and columns of a bare systolic array, such as 128x128, without memory
    #[arg(long, value_name = "RxC")]
    pub array: Option<String>,
    /// What stays in the array: ws (weights), os (outputs) or is (inputs)
    #[arg(long, default_value = "ws", requires = "array")]
    pub dataflow: String,
    /// How what stays comes into the array: before-each-fold (as SCALE-Sim counts) or double-buffered (as a TPU does)
    #[arg(long, default_value = "before-each-fold", requires = "array")]
    pub loading: String,
    /// Really compute it, tile by tile through the modelled array, and check the result
    #[arg(long)]
    pub execute: bool,
    /// Seed of the random matrices of --execute
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// The timeline as a file
    #[command(flatten)]
    pub trace: TraceArgs,
}

/// A comparison with published figures.
#[derive(Debug, Args)]
pub struct ValidateArgs {
    /// More rows: published figures, or measured products as chip,m,k,n,dtype,seconds
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Show every row
    #[arg(long)]
    pub rows: bool,
    /// Fit the constants to the measured products of --csv, or of the embedded rows
    #[arg(long)]
    pub fit: bool,
    /// Constants that go over the embedded ones
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<PathBuf>,
    /// Write the fitted constants to this file
    #[arg(short, long, value_name = "FILE", requires = "fit")]
    pub output: Option<PathBuf>,
    /// Replace the output if it exists
    #[arg(long)]
    pub force: bool,
}

/// A schedule.
#[derive(Debug, Args)]
pub struct RoadmapArgs {
    /// Plans, or files of other tools, read together
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// The day as of which it is seen, such as 2026-11-30; today without it
    #[arg(long, value_name = "DATE")]
    pub as_of: Option<jiff::civil::Date>,
    /// Monte Carlo runs
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub runs: u32,
    /// Seed of the forecast
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

/// A sharded product.
#[derive(Debug, Args)]
pub struct ShardArgs {
    /// The product, such as `A[I_x,J] . B[J,K_y] -> C[I_x,K_y]`; `{U_x}` behind the result leaves it unreduced
    pub product: String,
    /// Sizes of its dimensions, such as I=8192,J=8192,K=8192
    #[arg(long, value_name = "SIZES")]
    pub size: String,
    /// The slice
    #[command(flatten)]
    pub slice: NamedSliceArgs,
    /// What the axes of the mesh lie on: axes of the torus (x=x,y=yz), parts (x=x:4,y=x:2) or sizes (x=4,y=16)
    #[arg(long, value_name = "MESH", default_value = "")]
    pub axes: String,
    /// Number format: bf16, int8, fp8, int4 or f32
    #[arg(long, default_value = "bf16")]
    pub dtype: String,
    /// Whether communication overlaps with the product: none or collective-matmul
    #[arg(long, default_value = "none")]
    pub overlap: String,
    /// Really do it on simulated chips, data moving link by link and around lost links, and check the result
    #[arg(long)]
    pub execute: bool,
    /// Seed of the random matrices of --execute
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// List what crosses each link
    #[arg(long)]
    pub links: bool,
    /// What does not work: link:X,Y,Z:AXIS, ocs:AXIS:I,J, or what takes chips, which the slice then lacks
    #[arg(long, value_name = "COMPONENT")]
    pub fail: Vec<String>,
    /// The timeline as a file
    #[command(flatten)]
    pub trace: TraceArgs,
}

/// One slice by its full name.
#[derive(Debug, Args)]
pub struct NamedSliceArgs {
    /// The slice, such as v5p:4x4x4
    #[arg(long, value_name = "GEN:SHAPE")]
    pub slice: String,
    /// As a twisted torus
    #[arg(long, conflicts_with = "no_twist")]
    pub twist: bool,
    /// As a plain torus, also where the runtime twists by itself
    #[arg(long)]
    pub no_twist: bool,
}

/// A timeline for a trace viewer.
#[derive(Debug, Args)]
pub struct TraceArgs {
    /// Write the timeline there, for Perfetto or another viewer of Chrome traces
    #[arg(long, value_name = "FILE.json")]
    pub trace: Option<PathBuf>,
    /// Replace the file of --trace if it exists
    #[arg(long, requires = "trace")]
    pub force: bool,
}

/// An import.
#[derive(Debug, Args)]
pub struct ImportArgs {
    /// Files to import together
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write the fleet there; without it, only what would be imported is shown
    #[arg(short, value_name = "FLEET.ron")]
    pub output: Option<PathBuf>,
    /// Replace the output if it exists
    #[arg(long)]
    pub force: bool,
}

/// A colour theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Light text on dark ground
    Dark,
    /// Dark text on light ground
    Light,
}

/// A picture of a view.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// Plan or fleet; without it, the sample fleet
    pub file: Option<PathBuf>,
    /// Which view
    #[arg(long, default_value = "topology")]
    pub view: String,
    /// Which theme
    #[arg(long, value_enum, default_value_t = Theme::Dark)]
    pub theme: Theme,
    /// Width and height in pixels
    #[arg(long, value_name = "WxH", default_value = "1600x1000")]
    pub size: String,
    /// The picture, a .png
    #[arg(short, value_name = "OUT.png")]
    pub output: PathBuf,
    /// Replace the output if it exists
    #[arg(long)]
    pub force: bool,
}
