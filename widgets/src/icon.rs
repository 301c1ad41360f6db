//! The icons: a subset of Phosphor (MIT), drawn from the icon fonts in `assets/fonts`.
//!
//! An icon is a glyph of one of two fonts. Outlines are for controls and things; filled ones
//! are kept for states and for play and pause, as the style guide asks.

use egui::{Align2, Color32, FontFamily, FontId, Painter, Pos2, Rect, RichText};

/// One picture of the icon fonts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Icon {
    glyph: char,
    filled: bool,
}

impl Icon {
    const fn outline(glyph: char) -> Self {
        Self { glyph, filled: false }
    }

    const fn fill(glyph: char) -> Self {
        Self { glyph, filled: true }
    }

    /// The glyph in its font.
    pub const fn glyph(self) -> char {
        self.glyph
    }

    /// Whether it comes from the filled font.
    pub const fn is_filled(self) -> bool {
        self.filled
    }

    /// The icon font at a size in points.
    pub fn font(self, size: f32) -> FontId {
        FontId::new(size, FontFamily::Name(if self.filled { "icons-fill" } else { "icons" }.into()))
    }

    /// For labels, menus and egui's own buttons; `size` in points.
    pub fn text(self, size: f32) -> RichText {
        RichText::new(self.glyph.to_string()).font(self.font(size)).line_height(Some(size))
    }

    /// Draws the icon around a centre; `size` is the em square in points. Returns what it covers.
    pub fn paint(self, painter: &Painter, center: Pos2, size: f32, color: Color32) -> Rect {
        painter.text(center, Align2::CENTER_CENTER, self.glyph, self.font(size), color)
    }
}

macro_rules! icons {
    ($($how:ident { $($name:ident = $glyph:literal $what:literal;)* })*) => {
        $($(
            #[doc = concat!("Phosphor \"", $what, "\", ", stringify!($how), ".")]
            pub const $name: Icon = Icon::$how($glyph);
        )*)*

        /// Every icon with its Phosphor name, for galleries and checks.
        pub const ALL: &[(&str, Icon)] = &[$($(($what, $name),)*)*];
    };
}

icons! {
    outline {
        ARROW_BEND_DOWN_RIGHT = '\u{e01a}' "arrow-bend-down-right";
        ARROW_BEND_UP_LEFT = '\u{e024}' "arrow-bend-up-left";
        ARROW_CLOCKWISE = '\u{e036}' "arrow-clockwise";
        ARROW_DOWN = '\u{e03e}' "arrow-down";
        ARROW_LEFT = '\u{e058}' "arrow-left";
        ARROW_RIGHT = '\u{e06c}' "arrow-right";
        ARROW_U_UP_LEFT = '\u{e08a}' "arrow-u-up-left";
        ARROW_U_UP_RIGHT = '\u{e08c}' "arrow-u-up-right";
        ARROW_UP = '\u{e08e}' "arrow-up";
        ARROW_UP_RIGHT = '\u{e092}' "arrow-up-right";
        ARROWS_CLOCKWISE = '\u{e094}' "arrows-clockwise";
        ARROWS_DOWN_UP = '\u{e098}' "arrows-down-up";
        ARROWS_IN = '\u{e09a}' "arrows-in";
        ARROWS_LEFT_RIGHT = '\u{e0a0}' "arrows-left-right";
        ARROWS_MERGE = '\u{ed3e}' "arrows-merge";
        ARROWS_OUT = '\u{e0a2}' "arrows-out";
        ARROWS_OUT_CARDINAL = '\u{e0a4}' "arrows-out-cardinal";
        BELL = '\u{e0ce}' "bell";
        BELL_RINGING = '\u{e5e8}' "bell-ringing";
        BELL_SLASH = '\u{e0d4}' "bell-slash";
        BOOK_OPEN_TEXT = '\u{e8f2}' "book-open-text";
        BROADCAST = '\u{e0f2}' "broadcast";
        BUG = '\u{e5f4}' "bug";
        CALENDAR_BLANK = '\u{e10a}' "calendar-blank";
        CALENDAR_CHECK = '\u{e712}' "calendar-check";
        CARET_DOWN = '\u{e136}' "caret-down";
        CARET_LEFT = '\u{e138}' "caret-left";
        CARET_RIGHT = '\u{e13a}' "caret-right";
        CARET_UP = '\u{e13c}' "caret-up";
        CHART_BAR = '\u{e150}' "chart-bar";
        CHART_LINE = '\u{e154}' "chart-line";
        CHART_LINE_UP = '\u{e156}' "chart-line-up";
        CHART_SCATTER = '\u{eaac}' "chart-scatter";
        CHAT_TEXT = '\u{e17a}' "chat-text";
        CHECK = '\u{e182}' "check";
        CHECK_CIRCLE = '\u{e184}' "check-circle";
        CIRCLE = '\u{e18a}' "circle";
        CIRCLE_DASHED = '\u{e602}' "circle-dashed";
        CLIPBOARD_TEXT = '\u{e198}' "clipboard-text";
        CLOCK = '\u{e19a}' "clock";
        CLOCK_CLOCKWISE = '\u{e19e}' "clock-clockwise";
        CLOUD = '\u{e1aa}' "cloud";
        CLOUD_SLASH = '\u{e1b6}' "cloud-slash";
        COLUMNS = '\u{e546}' "columns";
        COMMAND = '\u{e1c4}' "command";
        COPY = '\u{e1ca}' "copy";
        CORNERS_OUT = '\u{e1d0}' "corners-out";
        CPU = '\u{e610}' "cpu";
        CROSSHAIR = '\u{e1d6}' "crosshair";
        CUBE = '\u{e1da}' "cube";
        CUBE_FOCUS = '\u{ed0a}' "cube-focus";
        CUBE_TRANSPARENT = '\u{ec7c}' "cube-transparent";
        CURRENCY_DOLLAR = '\u{e550}' "currency-dollar";
        CURSOR = '\u{e1dc}' "cursor";
        DATABASE = '\u{e1de}' "database";
        DIAMOND = '\u{e1ec}' "diamond";
        DIAMONDS_FOUR = '\u{e8f4}' "diamonds-four";
        DOTS_SIX_VERTICAL = '\u{eae2}' "dots-six-vertical";
        DOTS_THREE = '\u{e1fe}' "dots-three";
        DOTS_THREE_VERTICAL = '\u{e208}' "dots-three-vertical";
        DROP = '\u{e210}' "drop";
        EXPORT = '\u{eaf0}' "export";
        EYE = '\u{e220}' "eye";
        EYE_SLASH = '\u{e224}' "eye-slash";
        FILE_CODE = '\u{e914}' "file-code";
        FILE_TEXT = '\u{e23a}' "file-text";
        FILES = '\u{e710}' "files";
        FIRE = '\u{e242}' "fire";
        FIRST_AID_KIT = '\u{e570}' "first-aid-kit";
        FLAG = '\u{e244}' "flag";
        FLAG_BANNER = '\u{e622}' "flag-banner";
        FLASK = '\u{e79e}' "flask";
        FLOPPY_DISK = '\u{e248}' "floppy-disk";
        FOLDER_OPEN = '\u{e256}' "folder-open";
        FRAME_CORNERS = '\u{e626}' "frame-corners";
        FUNCTION = '\u{ebe4}' "function";
        FUNNEL = '\u{e266}' "funnel";
        GAUGE = '\u{e628}' "gauge";
        GEAR = '\u{e270}' "gear";
        GIT_BRANCH = '\u{e278}' "git-branch";
        GLOBE = '\u{e288}' "globe";
        GRADUATION_CAP = '\u{e62c}' "graduation-cap";
        GRAPH = '\u{eb58}' "graph";
        GRID_FOUR = '\u{e296}' "grid-four";
        GRID_NINE = '\u{ec8c}' "grid-nine";
        HAMMER = '\u{e80e}' "hammer";
        HAND_GRABBING = '\u{e57c}' "hand-grabbing";
        HARD_DRIVES = '\u{e2a0}' "hard-drives";
        HASH = '\u{e2a2}' "hash";
        HEARTBEAT = '\u{e2ac}' "heartbeat";
        HEXAGON = '\u{e2ae}' "hexagon";
        HOURGLASS = '\u{e2b2}' "hourglass";
        HOURGLASS_MEDIUM = '\u{e2b8}' "hourglass-medium";
        IMAGE = '\u{e2ca}' "image";
        INFO = '\u{e2ce}' "info";
        KANBAN = '\u{eb54}' "kanban";
        KEYBOARD = '\u{e2d8}' "keyboard";
        LIGHTBULB = '\u{e2dc}' "lightbulb";
        LIGHTNING = '\u{e2de}' "lightning";
        LINK = '\u{e2e2}' "link";
        LINK_BREAK = '\u{e2e4}' "link-break";
        LIST = '\u{e2f0}' "list";
        LOCK = '\u{e2fa}' "lock";
        LOCK_OPEN = '\u{e306}' "lock-open";
        MAGIC_WAND = '\u{e6b6}' "magic-wand";
        MAGNIFYING_GLASS = '\u{e30c}' "magnifying-glass";
        MAGNIFYING_GLASS_MINUS = '\u{e30e}' "magnifying-glass-minus";
        MAGNIFYING_GLASS_PLUS = '\u{e310}' "magnifying-glass-plus";
        MATH_OPERATIONS = '\u{e31e}' "math-operations";
        MICROPHONE = '\u{e326}' "microphone";
        MINUS = '\u{e32a}' "minus";
        MONITOR = '\u{e32e}' "monitor";
        MONITOR_PLAY = '\u{e58c}' "monitor-play";
        MOON = '\u{e330}' "moon";
        NETWORK = '\u{edde}' "network";
        NOTE = '\u{e348}' "note";
        NOTE_PENCIL = '\u{e34c}' "note-pencil";
        NUT = '\u{e38c}' "nut";
        PACKAGE = '\u{e390}' "package";
        PAINT_BUCKET = '\u{e392}' "paint-bucket";
        PALETTE = '\u{e6c8}' "palette";
        PATH = '\u{e39c}' "path";
        PAUSE = '\u{e39e}' "pause";
        PERSPECTIVE = '\u{ebe6}' "perspective";
        PLAY = '\u{e3d0}' "play";
        PLUG = '\u{e946}' "plug";
        PLUGS = '\u{eb56}' "plugs";
        PLUGS_CONNECTED = '\u{eb5a}' "plugs-connected";
        PLUS = '\u{e3d4}' "plus";
        PRESENTATION_CHART = '\u{e656}' "presentation-chart";
        PROHIBIT = '\u{e3de}' "prohibit";
        PULSE = '\u{e000}' "pulse";
        PUSH_PIN = '\u{e3e2}' "push-pin";
        QUESTION = '\u{e3e8}' "question";
        QUEUE = '\u{e6ac}' "queue";
        RECORD = '\u{e3ee}' "record";
        RECYCLE = '\u{e75a}' "recycle";
        REPEAT = '\u{e3f6}' "repeat";
        ROAD_HORIZON = '\u{e838}' "road-horizon";
        ROBOT = '\u{e762}' "robot";
        ROCKET = '\u{e3fc}' "rocket";
        ROCKET_LAUNCH = '\u{e3fe}' "rocket-launch";
        ROWS = '\u{e5a2}' "rows";
        RULER = '\u{e6b8}' "ruler";
        SCISSORS = '\u{eae0}' "scissors";
        SEAL_CHECK = '\u{e606}' "seal-check";
        SELECTION = '\u{e69a}' "selection";
        SELECTION_PLUS = '\u{e69c}' "selection-plus";
        SHAPES = '\u{ec5e}' "shapes";
        SHARE_NETWORK = '\u{e408}' "share-network";
        SHIELD_CHECK = '\u{e40c}' "shield-check";
        SHUFFLE = '\u{e422}' "shuffle";
        SIDEBAR_SIMPLE = '\u{ec24}' "sidebar-simple";
        SIGMA = '\u{eab8}' "sigma";
        SKIP_BACK = '\u{e5a4}' "skip-back";
        SKIP_FORWARD = '\u{e5a6}' "skip-forward";
        SLIDERS_HORIZONTAL = '\u{e434}' "sliders-horizontal";
        SNOWFLAKE = '\u{e5aa}' "snowflake";
        SORT_ASCENDING = '\u{e444}' "sort-ascending";
        SPEEDOMETER = '\u{ee74}' "speedometer";
        SPLIT_HORIZONTAL = '\u{e872}' "split-horizontal";
        SPLIT_VERTICAL = '\u{e876}' "split-vertical";
        SQUARES_FOUR = '\u{e464}' "squares-four";
        STACK = '\u{e466}' "stack";
        STAR = '\u{e46a}' "star";
        STETHOSCOPE = '\u{e7ea}' "stethoscope";
        SUN = '\u{e472}' "sun";
        TAG = '\u{e478}' "tag";
        TARGET = '\u{e47c}' "target";
        TERMINAL = '\u{e47e}' "terminal";
        TERMINAL_WINDOW = '\u{eae8}' "terminal-window";
        TEXT_T = '\u{e48a}' "text-t";
        THERMOMETER = '\u{e5c6}' "thermometer";
        TIMER = '\u{e492}' "timer";
        TRAFFIC_CONE = '\u{e9a8}' "traffic-cone";
        TRASH = '\u{e4a6}' "trash";
        TREE_STRUCTURE = '\u{e67c}' "tree-structure";
        TREND_DOWN = '\u{e4ac}' "trend-down";
        TREND_UP = '\u{e4ae}' "trend-up";
        USER_CIRCLE = '\u{e4c4}' "user-circle";
        USERS_THREE = '\u{e68e}' "users-three";
        WARNING = '\u{e4e0}' "warning";
        WARNING_CIRCLE = '\u{e4e2}' "warning-circle";
        WARNING_OCTAGON = '\u{e4e4}' "warning-octagon";
        WAVEFORM = '\u{e802}' "waveform";
        WIFI_HIGH = '\u{e4ea}' "wifi-high";
        WIFI_SLASH = '\u{e4f2}' "wifi-slash";
        WRENCH = '\u{e5d4}' "wrench";
        X = '\u{e4f6}' "x";
        X_CIRCLE = '\u{e4f8}' "x-circle";
    }
    fill {
        BELL_FILL = '\u{e0ce}' "bell";
        CARET_DOWN_FILL = '\u{e136}' "caret-down";
        CARET_LEFT_FILL = '\u{e138}' "caret-left";
        CARET_RIGHT_FILL = '\u{e13a}' "caret-right";
        CARET_UP_FILL = '\u{e13c}' "caret-up";
        CHECK_CIRCLE_FILL = '\u{e184}' "check-circle";
        CIRCLE_FILL = '\u{e18a}' "circle";
        CLOCK_FILL = '\u{e19a}' "clock";
        CUBE_FILL = '\u{e1da}' "cube";
        DIAMOND_FILL = '\u{e1ec}' "diamond";
        FLAG_FILL = '\u{e244}' "flag";
        INFO_FILL = '\u{e2ce}' "info";
        LIGHTNING_FILL = '\u{e2de}' "lightning";
        PAUSE_FILL = '\u{e39e}' "pause";
        PLAY_FILL = '\u{e3d0}' "play";
        PROHIBIT_FILL = '\u{e3de}' "prohibit";
        PUSH_PIN_FILL = '\u{e3e2}' "push-pin";
        SHIELD_CHECK_FILL = '\u{e40c}' "shield-check";
        STAR_FILL = '\u{e46a}' "star";
        WARNING_FILL = '\u{e4e0}' "warning";
        WARNING_CIRCLE_FILL = '\u{e4e2}' "warning-circle";
        WARNING_DIAMOND_FILL = '\u{e7fc}' "warning-diamond";
        WARNING_OCTAGON_FILL = '\u{e4e4}' "warning-octagon";
        WRENCH_FILL = '\u{e5d4}' "wrench";
        X_CIRCLE_FILL = '\u{e4f8}' "x-circle";
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use egui::epaint::text::{FontData, FontDefinitions, Fonts, TextOptions};

    use super::*;

    /// A fonts view with nothing but one file, so that no other font can lend a glyph.
    fn only(bytes: &'static [u8]) -> Fonts {
        let mut definitions = FontDefinitions::empty();
        definitions.font_data.insert("one".into(), Arc::new(FontData::from_static(bytes)));
        definitions.families.insert(FontFamily::Proportional, vec!["one".into()]);
        definitions.families.insert(FontFamily::Monospace, vec!["one".into()]);
        Fonts::new(TextOptions::default(), definitions)
    }

    /// Protects: a name without a glyph would show an empty box.
    #[test]
    fn every_icon_has_a_glyph_in_its_own_font() {
        let mut outline = only(include_bytes!("../../assets/fonts/PhosphorSubset-Regular.ttf"));
        let mut filled = only(include_bytes!("../../assets/fonts/PhosphorSubset-Fill.ttf"));
        let font = FontId::proportional(16.0);
        for &(name, icon) in ALL {
            let fonts = if icon.filled { &mut filled } else { &mut outline };
            assert!(fonts.with_pixels_per_point(1.0).has_glyph(&font, icon.glyph), "{name} is missing");
        }
        assert!(!filled.with_pixels_per_point(1.0).has_glyph(&font, GAUGE.glyph), "the check itself can fail");
    }

    /// Protects: the side bearings in the font files; a wrong one moves the ink away from the centre.
    #[test]
    fn symmetric_icons_are_painted_in_the_middle() {
        for icon in [X, SQUARES_FOUR, PLUS, CARET_DOWN, CIRCLE_FILL, X_CIRCLE_FILL] {
            let picture = crate::raster::render(egui::vec2(64.0, 64.0), 1.0, egui::Theme::Dark, |ui| {
                icon.paint(ui.painter(), Pos2::new(32.0, 32.0), 40.0, Color32::WHITE);
            });
            let ground = picture.pixels[0];
            let inked = |x: usize| (0..64).any(|y| picture.pixel(x, y) != Some(ground));
            let columns: Vec<usize> = (0..64).filter(|&x| inked(x)).collect();
            let middle = (columns[0] + columns[columns.len() - 1]) as f32 / 2.0 + 0.5;
            assert!((middle - 32.0).abs() <= 1.0, "{icon:?} has its middle at {middle}");
        }
    }

    /// Protects: two names for one picture would let the same thing get two looks.
    #[test]
    fn names_and_pictures_are_unique() {
        for (n, (name, icon)) in ALL.iter().enumerate() {
            assert!(ALL[..n].iter().all(|(_, other)| other != icon), "{name} repeats a picture");
        }
    }
}
