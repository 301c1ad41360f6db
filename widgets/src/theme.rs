//! Design tokens: the only place where a colour or a text size is written down.
//!
//! Colours come from `assets/theme/*.ron`, fonts from `assets/fonts`. [`install`] puts both into
//! an egui context; [`Tokens::of`] gives a widget the tokens of the theme in use.

use std::sync::{Arc, LazyLock};

use egui::{Color32, Context, FontData, FontDefinitions, FontFamily, FontId, Theme};
use serde::{Deserialize, Deserializer};

/// Colours of one theme; the names are those of the style guide.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the style guide's table says what each token is for")]
pub struct Tokens {
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
fn embedded(text: &str) -> Tokens {
    ron::from_str(text).expect("the embedded theme is valid")
}

fn hex<'de, D: Deserializer<'de>>(source: D) -> Result<Color32, D::Error> {
    let text = String::deserialize(source)?;
    Color32::from_hex(&text)
        .map_err(|_error| serde::de::Error::custom(format!("\"{text}\" is not a colour such as #0C0F13")))
}

impl Tokens {
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

/// Text styles of the style guide, section 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// 24, one value of a card.
    Kpi,
    /// 18, empty states.
    Title,
    /// 15, name of a view.
    Heading,
    /// 13 semibold, title of a panel.
    Label,
    /// 13, running text.
    Body,
    /// 12, rows, buttons, properties.
    Secondary,
    /// 12 medium, names in rows.
    SecondaryMedium,
    /// 11, axis numbers, units, ages.
    Caption,
    /// 12 monospaced, formulas.
    Mono,
}

impl Type {
    /// Size and family.
    pub fn font(self) -> FontId {
        let (size, family) = match self {
            Self::Kpi => (24.0, "sans-semibold"),
            Self::Title => (18.0, "sans-semibold"),
            Self::Heading => (15.0, "sans-semibold"),
            Self::Label => (13.0, "sans-semibold"),
            Self::Body => return FontId::proportional(13.0),
            Self::Secondary => return FontId::proportional(12.0),
            Self::SecondaryMedium => (12.0, "sans-medium"),
            Self::Caption => return FontId::proportional(11.0),
            Self::Mono => return FontId::monospace(12.0),
        };
        FontId::new(size, FontFamily::Name(family.into()))
    }
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
