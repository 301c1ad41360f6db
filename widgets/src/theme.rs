//! Design tokens: the only place where a colour or a text size is written down.
//!
//! Colours and text sizes come from `assets/theme/*.ron`, fonts from `assets/fonts`. [`install`]
//! puts all of them into an egui context; [`Tokens::of`] gives a widget the colours in use.

mod install;
#[cfg(test)]
mod legibility;
pub mod size;
mod slice;

use std::sync::{Arc, LazyLock};

use egui::{Color32, Context, FontData, FontDefinitions, FontFamily, Theme};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};

pub use install::{install, shadow};
pub use slice::SliceColor;
pub use typeface::{Type, text};

mod typeface;

/// Colours of one theme; the names are those of the style guide.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the style guide's table says what each token is for")]
pub struct Tokens {
    pub dark: bool,
    #[serde(deserialize_with = "hex")]
    pub bg0: Color32,
    #[serde(deserialize_with = "hex")]
    pub bg1: Color32,
    #[serde(deserialize_with = "hex")]
    pub bg2: Color32,
    #[serde(deserialize_with = "hex")]
    pub bg3: Color32,
    #[serde(deserialize_with = "hex")]
    pub line1: Color32,
    #[serde(deserialize_with = "hex")]
    pub line2: Color32,
    #[serde(deserialize_with = "hex")]
    pub line3: Color32,
    #[serde(deserialize_with = "hex")]
    pub text1: Color32,
    #[serde(deserialize_with = "hex")]
    pub text2: Color32,
    #[serde(deserialize_with = "hex")]
    pub text3: Color32,
    #[serde(deserialize_with = "hex")]
    pub accent: Color32,
    #[serde(deserialize_with = "hex")]
    pub accent_fill: Color32,
    #[serde(deserialize_with = "hex")]
    pub accent_soft: Color32,
    #[serde(deserialize_with = "hex")]
    pub on_accent: Color32,
    #[serde(deserialize_with = "hex")]
    pub ok: Color32,
    #[serde(deserialize_with = "hex")]
    pub warn: Color32,
    #[serde(deserialize_with = "hex")]
    pub crit: Color32,
    #[serde(deserialize_with = "hex")]
    pub ok_soft: Color32,
    #[serde(deserialize_with = "hex")]
    pub warn_soft: Color32,
    #[serde(deserialize_with = "hex")]
    pub crit_soft: Color32,
    #[serde(deserialize_with = "hex")]
    pub missing: Color32,
    #[serde(deserialize_with = "hex")]
    pub missing_hatch: Color32,
}

static DARK: LazyLock<Arc<Tokens>> = LazyLock::new(|| Arc::new(embedded(include_str!("../../assets/theme/dark.ron"))));
static LIGHT: LazyLock<Arc<Tokens>> =
    LazyLock::new(|| Arc::new(embedded(include_str!("../../assets/theme/light.ron"))));

#[expect(clippy::expect_used, reason = "the embedded asset is parsed by a test")]
fn embedded<T: DeserializeOwned>(text: &str) -> T {
    ron::from_str(text).expect("the embedded theme is valid")
}

fn hex<'de, D: Deserializer<'de>>(source: D) -> Result<Color32, D::Error> {
    let text = String::deserialize(source)?;
    Color32::from_hex(&text)
        .map_err(|_error| serde::de::Error::custom(format!("\"{text}\" is not a colour such as #0C0F13")))
}

impl Tokens {
    /// Ground of a primary button under the pointer.
    pub fn accent_hover(&self) -> Color32 {
        mix(self.accent_fill, self.emphasis(), 0.14)
    }

    /// Ground of a pressed primary button: one step further in the same direction.
    pub fn accent_pressed(&self) -> Color32 {
        mix(self.accent_fill, self.emphasis(), 0.28)
    }

    /// Where "stronger" leads: white in the dark theme, black in the light one.
    fn emphasis(&self) -> Color32 {
        if self.dark { Color32::WHITE } else { Color32::BLACK }
    }

    /// A row under the pointer.
    pub fn row_hover(&self) -> Color32 {
        self.bg2
    }

    /// What dims the window under a modal.
    pub fn backdrop(&self) -> Color32 {
        Color32::from_black_alpha(if self.dark { 115 } else { 64 })
    }

    /// The tokens of a theme.
    pub fn for_theme(theme: Theme) -> Arc<Self> {
        Arc::clone(match theme {
            Theme::Dark => &DARK,
            Theme::Light => &LIGHT,
        })
    }

    /// The tokens of the theme that the context shows now.
    pub fn of(ctx: &Context) -> Arc<Self> {
        Self::for_theme(ctx.theme())
    }
}

/// A colour between two, channel by channel in sRGB: 0 is `from`, 1 is `to`. Both must be opaque.
pub fn mix(from: Color32, to: Color32, share: f32) -> Color32 {
    let between = |a: u8, b: u8| (f32::from(a) + (f32::from(b) - f32::from(a)) * share).round() as u8;
    Color32::from_rgb(between(from.r(), to.r()), between(from.g(), to.g()), between(from.b(), to.b()))
}

/// An opaque colour made see-through; `alpha` from 0 to 1.
pub fn translucent(color: Color32, alpha: f32) -> Color32 {
    Color32::from_rgba_unmultiplied(color.r(), color.g(), color.b(), (alpha * 255.0).round() as u8)
}

/// The fonts of the program: text, medium and semibold weights, monospace, icons.
pub fn fonts() -> FontDefinitions {
    let files: [(&str, &'static [u8]); 6] = [
        ("sans", include_bytes!("../../assets/fonts/PodiumSans-Regular.ttf")),
        ("sans-medium", include_bytes!("../../assets/fonts/PodiumSans-Medium.ttf")),
        ("sans-semibold", include_bytes!("../../assets/fonts/PodiumSans-SemiBold.ttf")),
        ("mono", include_bytes!("../../assets/fonts/PodiumMono-Regular.ttf")),
        ("icons", include_bytes!("../../assets/fonts/PhosphorSubset-Regular.ttf")),
        ("icons-fill", include_bytes!("../../assets/fonts/PhosphorSubset-Fill.ttf")),
    ];
    let mut fonts = FontDefinitions::empty();
    for (name, bytes) in files {
        fonts.font_data.insert(name.to_owned(), Arc::new(FontData::from_static(bytes)));
    }
    let mut family = |family: FontFamily, names: &[&str]| {
        fonts.families.insert(family, names.iter().map(|&name| name.to_owned()).collect());
    };
    family(FontFamily::Proportional, &["sans", "icons"]);
    family(FontFamily::Monospace, &["mono", "sans", "icons"]);
    for name in ["sans-medium", "sans-semibold", "icons", "icons-fill"] {
        family(FontFamily::Name(name.into()), &[name, "sans", "icons"]);
    }
    fonts
}
