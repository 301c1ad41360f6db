//! Text styles: size, line height and weight, read from `assets/theme/scale.ron`.

use std::sync::LazyLock;

use egui::{Color32, FontFamily, FontId, RichText, TextFormat};
use serde::Deserialize;

use super::embedded;

/// Text styles of the style guide, section 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Type {
    /// 24 semibold, one value of a card.
    Kpi,
    /// 18 semibold, empty states.
    Title,
    /// 15 semibold, name of a view.
    Heading,
    /// 13 semibold, title of a panel.
    Label,
    /// 13 medium, name of a document.
    LabelMedium,
    /// 13, running text.
    Body,
    /// 12, rows, buttons, properties.
    Secondary,
    /// 12 medium, names in rows, words on buttons.
    SecondaryMedium,
    /// 12 semibold, title of a section.
    SecondaryStrong,
    /// 11, axis numbers, units, ages.
    Caption,
    /// 11 medium, names in chips.
    CaptionMedium,
    /// 11 semibold, numbers on swatches.
    CaptionStrong,
    /// 12 monospaced, formulas.
    Mono,
    /// 40 semibold, clock of the presenter.
    Timer,
    /// 44 semibold, title of a slide 1600 points wide.
    SlideTitle,
    /// 22, second line of a slide.
    SlideSub,
    /// 44 semibold, claim on a slide.
    SlideClaim,
    /// 20, text of a slide.
    SlideBody,
    /// 16, foot of a slide.
    SlideFoot,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Style {
    size: f32,
    line: f32,
    weight: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scale {
    kpi: Style,
    title: Style,
    heading: Style,
    label: Style,
    label_medium: Style,
    body: Style,
    secondary: Style,
    secondary_medium: Style,
    secondary_strong: Style,
    caption: Style,
    caption_medium: Style,
    caption_strong: Style,
    mono: Style,
    timer: Style,
    slide_title: Style,
    slide_sub: Style,
    slide_claim: Style,
    slide_body: Style,
    slide_foot: Style,
}

static SCALE: LazyLock<Scale> = LazyLock::new(|| embedded(include_str!("../../../assets/theme/scale.ron")));

impl Type {
    fn style(self) -> &'static Style {
        let scale = &*SCALE;
        match self {
            Self::Kpi => &scale.kpi,
            Self::Title => &scale.title,
            Self::Heading => &scale.heading,
            Self::Label => &scale.label,
            Self::LabelMedium => &scale.label_medium,
            Self::Body => &scale.body,
            Self::Secondary => &scale.secondary,
            Self::SecondaryMedium => &scale.secondary_medium,
            Self::SecondaryStrong => &scale.secondary_strong,
            Self::Caption => &scale.caption,
            Self::CaptionMedium => &scale.caption_medium,
            Self::CaptionStrong => &scale.caption_strong,
            Self::Mono => &scale.mono,
            Self::Timer => &scale.timer,
            Self::SlideTitle => &scale.slide_title,
            Self::SlideSub => &scale.slide_sub,
            Self::SlideClaim => &scale.slide_claim,
            Self::SlideBody => &scale.slide_body,
            Self::SlideFoot => &scale.slide_foot,
        }
    }

    /// Size in points and family.
    pub fn font(self) -> FontId {
        let style = self.style();
        let family = match style.weight.as_str() {
            "sans" => FontFamily::Proportional,
            "mono" => FontFamily::Monospace,
            weight => FontFamily::Name(weight.into()),
        };
        FontId::new(style.size, family)
    }

    /// Height of a line in points.
    pub fn line_height(self) -> f32 {
        self.style().line
    }

    /// Text in this style for labels and menus.
    pub fn text(self, text: impl Into<String>) -> RichText {
        RichText::new(text).font(self.font()).line_height(Some(self.line_height()))
    }

    /// The format of a piece of a mixed line.
    pub fn format(self, color: Color32) -> TextFormat {
        TextFormat { font_id: self.font(), color, line_height: Some(self.line_height()), ..TextFormat::default() }
    }
}

/// Text in a style of the guide: short for [`Type::text`].
pub fn text(style: Type, text: impl Into<String>) -> RichText {
    style.text(text)
}
