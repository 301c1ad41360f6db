//! Identity colours: one colour for a team or a slice, the same in every view and both themes.

use std::sync::LazyLock;

use egui::Color32;
use serde::Deserialize;

use super::{Tokens, embedded, hex, mix};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Swatch {
    name: String,
    #[serde(deserialize_with = "hex")]
    fill: Color32,
    #[serde(deserialize_with = "hex")]
    on: Color32,
}

static PALETTE: LazyLock<Vec<Swatch>> = LazyLock::new(|| embedded(include_str!("../../../assets/theme/slices.ron")));

/// The look of one slice: base colour, its shades, and a stripe from the ninth on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceColor {
    /// The colour itself, and the face that looks along +y.
    pub fill: Color32,
    /// Text on the colour.
    pub on: Color32,
    /// Draw 45° stripes of [`Self::edge`] over it: the colour is used a second time.
    pub striped: bool,
}

impl SliceColor {
    /// Number of different colours before stripes begin.
    pub const COUNT: usize = 8;

    /// The colour with a number, counted from zero; the document stores the number.
    pub fn nth(number: usize) -> Self {
        let swatch = &PALETTE[number % Self::COUNT];
        Self { fill: swatch.fill, on: swatch.on, striped: number >= Self::COUNT }
    }

    /// The name of a colour, such as "teal"; ninth and later share the first eight names.
    pub fn name(number: usize) -> &'static str {
        &PALETTE[number % Self::COUNT].name
    }

    /// The upper face of a cube.
    pub fn top(self) -> Color32 {
        mix(self.fill, Color32::WHITE, 0.16)
    }

    /// The face that looks along +x.
    pub fn side(self) -> Color32 {
        mix(self.fill, Color32::BLACK, 0.26)
    }

    /// Edges of a cube, and stripes.
    pub fn edge(self) -> Color32 {
        mix(self.fill, Color32::BLACK, 0.45)
    }

    /// The same slice while another one is selected.
    pub fn quiet(self, tokens: &Tokens) -> Self {
        let share = if tokens.dark { 0.58 } else { 0.52 };
        Self { fill: mix(self.fill, tokens.bg0, share), on: tokens.text2, striped: self.striped }
    }

    /// The 1 point inside edge of a swatch; only pale colours on white need it.
    pub fn swatch_edge(self, tokens: &Tokens) -> Option<Color32> {
        (!tokens.dark).then(|| mix(self.fill, Color32::BLACK, 0.35))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: the document stores numbers, so the order of the palette may never change.
    #[test]
    fn the_palette_keeps_its_order_and_stripes_after_eight() {
        let names: Vec<_> = (0..8).map(SliceColor::name).collect();
        assert_eq!(names, ["slate", "amber", "teal", "violet", "rose", "sky", "olive", "sage"]);
        assert_eq!(PALETTE.len(), SliceColor::COUNT);
        let (third, eleventh) = (SliceColor::nth(2), SliceColor::nth(10));
        assert_eq!(third.fill, eleventh.fill);
        assert!(!third.striped && eleventh.striped);
    }

    /// Protects: the shades of the style guide (top 16 % white, side 26 % black, edge 45 % black).
    #[test]
    fn shades_are_the_stated_mixtures() {
        let teal = SliceColor::nth(2);
        assert_eq!(teal.top().to_srgba_unmultiplied()[..3], [0x87, 0xB8, 0xB2]);
        assert_eq!(teal.side().to_srgba_unmultiplied()[..3], [0x53, 0x7F, 0x79]);
        assert_eq!(teal.edge().to_srgba_unmultiplied()[..3], [0x3E, 0x5E, 0x5A]);
    }
}
