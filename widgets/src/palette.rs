//! The command palette: type a few letters, reach everything.

mod fuzzy;

use egui::text::LayoutJob;
use egui::{
    Align, Align2, Context, Frame, Id, Key, Margin, Modal, Modifiers, Order, Rect, Response, Role, ScrollArea, Sense,
    TextEdit, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};

use crate::control::{keys_width, paint_keys};
use crate::icon;
use crate::notice::floating;
use crate::paint::{Line, swatch};
use crate::theme::{Tokens, Type, size, text};
use crate::tree::Mark;

pub use fuzzy::{Found, search};

/// One thing that can be reached.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// "Go to", "Do" or "Read"; entries of one group follow each other.
    pub group: &'a str,
    /// What is searched.
    pub label: &'a str,
    /// A remark behind the label.
    pub note: &'a str,
    /// Keys that do the same, separated by spaces, such as "Ctrl 3".
    pub shortcut: &'a str,
    /// Whether it can be done now; shown in grey otherwise.
    pub enabled: bool,
    /// Icon or colour before the label.
    pub mark: Mark,
}

/// How a visit to the palette ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Do the entry with this index.
    Chosen(usize),
    /// Open the entry with this index beside what is open.
    ChosenInNewTile(usize),
    /// Left with Escape or a click outside.
    Closed,
}

/// What is typed and where the cursor is; make a new one each time the palette opens.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Palette {
    query: String,
    cursor: usize,
}

/// Without the edges of the frame, which make it 640.
const WIDTH: f32 = 638.0;
const PADDING: f32 = 14.0;
/// Room for the rows; more of them scroll.
const LIST_HEIGHT: f32 = 360.0;

impl Palette {
    /// A palette in which something is typed already.
    pub fn with_query(query: impl Into<String>) -> Self {
        Self { query: query.into(), cursor: 0 }
    }

    /// Shows the palette over the window; an outcome means that it is to be closed.
    pub fn show(&mut self, ctx: &Context, entries: &[Entry<'_>]) -> Option<Outcome> {
        let t = Tokens::of(ctx);
        let id = Id::unique("palette");
        let place = Modal::default_area(id).anchor(Align2::CENTER_TOP, vec2(0.0, 2.0 * size::TOP_BAR));
        let shown = Modal::new(id)
            .area(place.order(Order::Foreground))
            .backdrop_color(t.backdrop())
            .frame(floating(&t))
            .show(ctx, |ui| self.contents(ui, entries));
        shown.inner.or_else(|| shown.should_close().then_some(Outcome::Closed))
    }

    fn contents(&mut self, ui: &mut Ui, entries: &[Entry<'_>]) -> Option<Outcome> {
        ui.set_width(WIDTH);
        ui.spacing_mut().item_spacing.y = 0.0;
        let found = search(&self.query, entries.iter().map(|entry| (entry.group, entry.label)));
        let moved = self.keys(ui, found.len());
        let pressed = enter(ui);
        self.input(ui, found.len());
        let mut clicked = None;
        ScrollArea::vertical().max_height(LIST_HEIGHT).auto_shrink([false, true]).show(ui, |ui| {
            if found.is_empty() {
                nothing(ui);
            }
            let mut group = "";
            for (row, hit) in found.iter().enumerate() {
                let entry = &entries[hit.index];
                if entry.group != group {
                    group = entry.group;
                    heading(ui, group);
                }
                let response = entry.row(ui, hit, row == self.cursor);
                if moved && row == self.cursor {
                    response.scroll_to_me(None);
                }
                if response.clicked() {
                    clicked = Some((row, ui.input(|input| input.modifiers.command)));
                }
            }
        });
        footer(ui);
        let (row, beside) = clicked.or_else(|| pressed.map(|beside| (self.cursor, beside)))?;
        let hit = found.get(row).filter(|hit| entries[hit.index].enabled)?;
        Some(if beside { Outcome::ChosenInNewTile(hit.index) } else { Outcome::Chosen(hit.index) })
    }

    /// Moves the cursor; whether it was moved.
    fn keys(&mut self, ui: &Ui, count: usize) -> bool {
        let pressed = |key| ui.input_mut(|input| input.count_and_consume_key(Modifiers::NONE, key));
        let last = count.saturating_sub(1);
        let before = self.cursor;
        self.cursor = self.cursor.saturating_sub(pressed(Key::ArrowUp) + 8 * pressed(Key::PageUp));
        self.cursor = (self.cursor + pressed(Key::ArrowDown) + 8 * pressed(Key::PageDown)).min(last);
        before != self.cursor
    }

    fn input(&mut self, ui: &mut Ui, count: usize) {
        let t = Tokens::of(ui.ctx());
        let (_, area) = ui.allocate_space(vec2(WIDTH, size::TOP_BAR));
        let middle = area.center().y;
        icon::MAGNIFYING_GLASS.paint(ui.painter(), pos2(area.left() + PADDING + 9.0, middle), 18.0, t.text2);
        let results = if count == 1 { "1 result".to_owned() } else { format!("{count} results") };
        let right = pos2(area.right() - PADDING, middle);
        let end = Line::new(&results, Type::Secondary, t.text3).paint(ui.painter(), right, Align2::RIGHT_CENTER).left();
        let room = Rect::from_min_max(pos2(area.left() + PADDING + 26.0, area.top()), pos2(end - 8.0, area.bottom()));
        let edit = TextEdit::singleline(&mut self.query)
            .font(egui::FontId::proportional(15.0))
            .text_color(t.text1)
            .hint_text(egui::RichText::new("Search or run a command").size(15.0).color(t.text3))
            .frame(Frame::NONE)
            .margin(vec2(0.0, 0.0))
            .align(Align2::LEFT_CENTER);
        let mut child = ui.new_child(UiBuilder::new().max_rect(room));
        let response = child.add_sized(room.size(), edit).accessible_name("Search or run a command");
        if response.changed() {
            self.cursor = 0;
        }
        response.request_focus();
        crate::paint::underline(ui.painter(), area, t.line1);
    }
}

/// Enter was pressed; whether with Ctrl.
fn enter(ui: &Ui) -> Option<bool> {
    ui.input_mut(|input| {
        if input.consume_key(Modifiers::COMMAND, Key::Enter) {
            Some(true)
        } else {
            input.consume_key(Modifiers::NONE, Key::Enter).then_some(false)
        }
    })
}

fn nothing(ui: &mut Ui) {
    let t = Tokens::of(ui.ctx());
    Frame::new().inner_margin(Margin::symmetric(14, 16)).show(ui, |ui| {
        ui.label(text(Type::Body, "Nothing is called that. Try fewer letters.").color(t.text2));
    });
}

fn heading(ui: &mut Ui, group: &str) {
    let t = Tokens::of(ui.ctx());
    let (_, area) = ui.allocate_space(vec2(WIDTH, 24.0));
    let words = Line::new(group, Type::Caption, t.text3);
    words.paint(ui.painter(), pos2(area.left() + PADDING, area.top() + 15.0), Align2::LEFT_CENTER);
}

fn footer(ui: &mut Ui) {
    let t = Tokens::of(ui.ctx());
    let (_, area) = ui.allocate_space(vec2(WIDTH, 30.0));
    ui.painter().hline(area.x_range(), area.top() + 0.5, egui::Stroke::new(1.0, t.line1));
    let mut at = pos2(area.left() + PADDING, area.center().y);
    for (shortcut, verb) in [("↑ ↓", "move"), ("Enter", "open"), ("Ctrl Enter", "open in a new tile"), ("Esc", "close")]
    {
        at.x += keys_width(ui, shortcut);
        paint_keys(ui, shortcut, at);
        at.x += 6.0;
        at.x = Line::new(verb, Type::Caption, t.text3).paint(ui.painter(), at, Align2::LEFT_CENTER).right() + 12.0;
    }
}

impl Entry<'_> {
    fn row(&self, ui: &mut Ui, hit: &Found, chosen: bool) -> Response {
        let t = Tokens::of(ui.ctx());
        let (area, response) = ui.allocate_exact_size(vec2(WIDTH, size::LIST_ROW), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, self.enabled, chosen, self.label));
        if chosen {
            ui.painter().rect_filled(area, 0.0, t.accent_soft);
        } else if response.hovered() {
            ui.painter().rect_filled(area, 0.0, t.bg3);
        }
        let middle = area.center().y;
        let mut x = area.left() + PADDING;
        match self.mark {
            Mark::Icon(icon) => icon.paint(ui.painter(), pos2(x + 8.0, middle), size::ICON, t.text2),
            Mark::Slice(color) => {
                swatch(ui.painter(), pos2(x + 8.0, middle), color, &t);
                Rect::NOTHING
            }
        };
        x += size::ICON + 10.0;
        let mut right = area.right() - PADDING;
        let shortcut = if chosen && self.shortcut.is_empty() { "Enter" } else { self.shortcut };
        if !shortcut.is_empty() {
            paint_keys(ui, shortcut, pos2(right, middle));
            right -= keys_width(ui, shortcut) + size::GAP;
        }
        let galley = ui.painter().layout_job(self.label_job(hit, &t));
        let place = Align2::LEFT_CENTER.anchor_size(pos2(x, middle), galley.size());
        ui.painter().galley(place.min, galley, t.text1);
        let room = Rect::from_min_max(pos2(place.right() + 10.0, area.top()), pos2(right, area.bottom()));
        if room.is_positive() {
            Line::new(self.note, Type::Secondary, t.text3).within(ui.painter(), room, Align::Min);
        }
        response
    }

    /// The label with the letters that were found in semibold.
    fn label_job(&self, hit: &Found, t: &Tokens) -> LayoutJob {
        let ink = if self.enabled { t.text1 } else { t.text3 };
        let mut job = LayoutJob::default();
        for (n, letter) in self.label.chars().enumerate() {
            let style = if hit.letters.contains(&n) { Type::Label } else { Type::Body };
            job.append(letter.encode_utf8(&mut [0; 4]), 0.0, style.format(ink));
        }
        job
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;

    fn entry(label: &'static str, enabled: bool) -> Entry<'static> {
        Entry { group: "Do", label, note: "", shortcut: "", enabled, mark: Mark::Icon(icon::CUBE) }
    }

    type State = (Palette, Vec<Outcome>);

    fn open() -> Harness<'static, State> {
        let show = |ui: &mut Ui, (palette, outcomes): &mut State| {
            let entries = [entry("Save", true), entry("Save as", true), entry("Move", false), entry("Export", true)];
            outcomes.extend(palette.show(ui.ctx(), &entries));
        };
        let builder = Harness::builder().with_size([900.0, 600.0]).with_context_setup(crate::theme::install);
        builder.build_ui_state(show, State::default())
    }

    /// Protects: the whole visit without the mouse: type, move, choose.
    #[test]
    fn typing_and_arrows_choose_an_entry() {
        let mut harness = open();
        harness.run();
        harness.get_by_label("Search or run a command").type_text("sa");
        harness.run();
        harness.key_press(Key::ArrowDown);
        harness.run();
        harness.key_press(Key::Enter);
        harness.run();
        assert_eq!(harness.state().1, [Outcome::Chosen(1)]);
    }

    /// Protects: an entry that is not possible now stays without effect; Escape leaves.
    #[test]
    fn disabled_entries_do_nothing_and_escape_closes() {
        let mut harness = open();
        harness.run();
        harness.get_by_label("Search or run a command").type_text("move");
        harness.run();
        harness.key_press(Key::Enter);
        harness.run();
        assert!(harness.state().1.is_empty());
        harness.key_press(Key::Escape);
        harness.run();
        assert_eq!(harness.state().1.first(), Some(&Outcome::Closed));
    }

    /// Protects: a click chooses, with Ctrl beside what is open.
    #[test]
    fn clicks_choose_too() {
        let mut harness = open();
        harness.run();
        harness.get_by_label("Export").click();
        harness.run();
        harness.get_by_label("Save as").click_modifiers(Modifiers::COMMAND);
        harness.run();
        assert_eq!(harness.state().1, [Outcome::Chosen(3), Outcome::ChosenInNewTile(1)]);
    }
}
