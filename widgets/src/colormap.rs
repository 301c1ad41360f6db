//! Colour maps for quantities: 256 fixed entries each, taken without interpolation.

use std::sync::LazyLock;

use egui::{Color32, Theme};
use serde::Deserialize;

use crate::theme::mix;

/// A perceptually even sequence of colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Map {
    /// Dark violet to yellow: the default for utilization and counts.
    #[default]
    Viridis,
    /// Dark blue to yellow: safest for colour-blind eyes.
    Cividis,
    /// Blue, dark, red: differences in the dark theme.
    Berlin,
    /// Blue, light, red: differences in the light theme.
    Vik,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asset {
    viridis: String,
    cividis: String,
    berlin: String,
    vik: String,
}

type Table = [Color32; 256];

struct Tables {
    viridis: Table,
    cividis: Table,
    berlin: Table,
    vik: Table,
}

static TABLES: LazyLock<Tables> = LazyLock::new(load);

#[expect(clippy::expect_used, reason = "the embedded asset is parsed by a test")]
fn load() -> Tables {
    let asset: Asset = ron::from_str(include_str!("../../assets/colormaps.ron")).expect("the embedded maps are valid");
    let table = |digits: &str| {
        std::array::from_fn(|n| {
            Color32::from_hex(&format!("#{}", &digits[6 * n..6 * n + 6])).expect("six hexadecimal digits an entry")
        })
    };
    Tables {
        viridis: table(&asset.viridis),
        cividis: table(&asset.cividis),
        berlin: table(&asset.berlin),
        vik: table(&asset.vik),
    }
}

impl Map {
    /// Every map, in the order in which the key C walks through them.
    pub const ALL: [Self; 4] = [Self::Viridis, Self::Cividis, Self::Berlin, Self::Vik];

    /// The map for differences about zero that belongs to a theme.
    pub fn diverging(theme: Theme) -> Self {
        if theme == Theme::Dark { Self::Berlin } else { Self::Vik }
    }

    /// The name as shown in a picker.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viridis => "viridis",
            Self::Cividis => "cividis",
            Self::Berlin => "berlin",
            Self::Vik => "vik",
        }
    }

    /// All 256 entries from the low end to the high end.
    pub fn entries(self) -> &'static [Color32; 256] {
        let tables = &*TABLES;
        match self {
            Self::Viridis => &tables.viridis,
            Self::Cividis => &tables.cividis,
            Self::Berlin => &tables.berlin,
            Self::Vik => &tables.vik,
        }
    }

    /// The entry for a position from 0 (low) to 1 (high); positions outside take the end colours.
    pub fn color(self, fraction: f32) -> Color32 {
        self.entries()[index(fraction)]
    }

    /// The same place of the map without its hue, for values older than their limit.
    pub fn stale(self, fraction: f32) -> Color32 {
        let [r, g, b, _] = self.color(fraction).to_array().map(f32::from);
        let light = (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255.0;
        mix(Color32::BLACK, Color32::WHITE, light)
    }
}

/// Number of the entry: the nearest of 0 to 255.
fn index(fraction: f32) -> usize {
    (255.0 * fraction.clamp(0.0, 1.0)).round() as usize
}

/// The values that the two ends of a map stand for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Value of the first colour, in the unit of the data.
    pub low: f32,
    /// Value of the last colour, in the unit of the data.
    pub high: f32,
}

impl Range {
    /// Where a value lies: 0 at `low`, 1 at `high`, clamped. An empty range puts everything at 0.
    pub fn fraction(self, value: f32) -> f32 {
        let span = self.high - self.low;
        if span > 0.0 { ((value - self.low) / span).clamp(0.0, 1.0) } else { 0.0 }
    }

    /// The range for differences: as far below zero as above.
    pub fn symmetric(reach: f32) -> Self {
        Self { low: -reach.abs(), high: reach.abs() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: the sixteen even stops printed in the style guide.
    #[test]
    fn maps_have_the_stops_of_the_style_guide() {
        let stops = [
            (
                Map::Viridis,
                "440154 481A6C 472F7D 414487 39568C 31688E 2A788E 23888E 1F988B 22A884 35B779 54C568 7AD151 A5DB36 D2E21B FDE725",
            ),
            (
                Map::Cividis,
                "00224E 002E6C 1E3A6F 35456C 47516C 575D6D 666970 757575 848279 948E77 A59C74 B7A96E C8B866 DBC75A EED649 FEE838",
            ),
            (
                Map::Berlin,
                "9EB0FF 76ABEC 4D9DCF 3280A6 25607C 1A4256 112732 121215 220C02 371000 501803 732B16 964A36 B86A5C DB8B84 FFADAD",
            ),
            (
                Map::Vik,
                "001261 022D72 034783 116496 3C85AC 71A8C4 A7C9DA DBE5E9 EED9CD E1B8A0 D39774 C6794C B75A26 983307 761706 590008",
            ),
        ];
        for (map, stops) in stops {
            for (n, stop) in stops.split(' ').enumerate() {
                let expected = Color32::from_hex(&format!("#{stop}")).unwrap();
                assert_eq!(map.color(n as f32 / 15.0), expected, "{} stop {n}", map.name());
            }
        }
    }

    /// Protects: `round(255 · clamp(fraction, 0, 1))`, with halves going up.
    #[test]
    fn the_entry_is_the_nearest_one() {
        assert_eq!([-1.0, 0.0, 0.49 / 255.0, 0.51 / 255.0, 0.5, 1.0, 7.0].map(index), [0, 0, 0, 1, 128, 255, 255]);
    }

    /// Protects: a value outside the range takes the end colour, and an empty range divides nothing.
    #[test]
    fn ranges_clamp() {
        let range = Range { low: 20.0, high: 90.0 };
        assert_eq!([0.0, 20.0, 55.0, 90.0, 99.0].map(|value| range.fraction(value)), [0.0, 0.0, 0.5, 1.0, 1.0]);
        assert_eq!(Range { low: 5.0, high: 5.0 }.fraction(9.0), 0.0);
        assert_eq!(Range::symmetric(4.0).fraction(0.0), 0.5);
    }

    /// Protects: stale cells keep their order of lightness but lose their hue.
    #[test]
    fn stale_colours_are_grey_and_ordered() {
        let greys: Vec<Color32> = (0..=16).map(|n| Map::Viridis.stale(n as f32 / 16.0)).collect();
        assert!(greys.iter().all(|c| c.r() == c.g() && c.g() == c.b()));
        assert!(greys.windows(2).all(|pair| pair[0].r() < pair[1].r()));
    }
}
