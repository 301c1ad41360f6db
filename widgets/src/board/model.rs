//! What a board is made of, and what it answers.

use serde::{Deserialize, Serialize};

/// A board.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Board {
    /// Name, for the accessible description.
    pub name: String,
    /// Columns from the left.
    pub columns: Vec<Column>,
    /// Card that is selected.
    pub selected: Option<u64>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Such as "In progress".
    pub name: String,
    /// Cards in it, also those that a filter hides.
    pub count: usize,
    /// Most cards it should hold.
    pub limit: Option<usize>,
    /// Cards that are shown, from above.
    pub cards: Vec<Card>,
}

/// How grave a card's note is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Nothing to worry about.
    Plain,
    /// Look at it.
    Warn,
    /// Act.
    Crit,
}

/// What a card's note is about; decides its icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// It cannot go on.
    Blocked,
    /// It is late.
    Late,
    /// It waits for something.
    Waiting,
}

/// A line that says what is wrong with a card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Decides the icon.
    pub kind: NoteKind,
    /// Decides the colour.
    pub tone: Tone,
    /// Such as "Blocked by spare ports, R-1".
    pub text: String,
}

/// A card.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Unique on the board.
    pub id: u64,
    /// Such as "KES-12".
    pub key: String,
    /// One or two lines.
    pub title: String,
    /// The gate it belongs to.
    pub gate: Option<String>,
    /// The team that owns it.
    pub team: Option<String>,
    /// Due or closing date, such as "4 Dec" or "closed 23 Oct".
    pub date: Option<String>,
    /// How grave the date is.
    pub date_tone: Tone,
    /// Age in this column, such as "35 d".
    pub age: Option<String>,
    /// How grave the age is.
    pub age_tone: Tone,
    /// What is wrong with it.
    pub note: Option<Note>,
    /// Whether it is on the critical path.
    pub critical: bool,
    /// Whether it is done.
    pub done: bool,
}

/// How a board is looked at.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BoardState {
    /// Points scrolled away above, per column.
    pub scroll: Vec<f32>,
    /// Points scrolled away at the left.
    pub scroll_x: f32,
    /// The card that is dragged and where it was taken, relative to its corner.
    #[serde(skip)]
    pub drag: Option<(u64, egui::Vec2)>,
}

/// A card goes elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// The card.
    pub card: u64,
    /// Column it goes to.
    pub column: usize,
    /// Number of cards above it there, not counting itself.
    pub position: usize,
}

/// What happened to a board in this frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BoardOutput {
    /// Card under the pointer.
    pub hovered: Option<u64>,
    /// Card that was clicked.
    pub clicked: Option<u64>,
    /// Card that was clicked twice.
    pub double_clicked: Option<u64>,
    /// Column whose plus was clicked.
    pub add_to: Option<usize>,
    /// A finished move: one undo step.
    pub moved: Option<Move>,
}
