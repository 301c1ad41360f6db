//! The seven states of the style guide: each is a shape, a word and a colour, always together.

use egui::Color32;

use crate::icon::{self, Icon};
use crate::theme::Tokens;

/// How a thing or a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Target met, fresh data.
    Ok,
    /// Near or over a limit: look at it.
    Watch,
    /// Target missed, budget spent: act.
    Critical,
    /// Worth knowing, nothing to do.
    Info,
    /// Data older than its own limit.
    Stale,
    /// No value, no source.
    Unknown,
    /// The platform has no such metric.
    NotExported,
}

impl Status {
    /// Every state, from the best to the least known.
    pub const ALL: [Self; 7] =
        [Self::Ok, Self::Watch, Self::Critical, Self::Info, Self::Stale, Self::Unknown, Self::NotExported];

    /// The shape.
    pub fn icon(self) -> Icon {
        match self {
            Self::Ok => icon::CHECK_CIRCLE_FILL,
            Self::Watch => icon::WARNING_FILL,
            Self::Critical => icon::WARNING_DIAMOND_FILL,
            Self::Info => icon::INFO_FILL,
            Self::Stale => icon::HOURGLASS_MEDIUM,
            Self::Unknown => icon::CIRCLE_DASHED,
            Self::NotExported => icon::PROHIBIT,
        }
    }

    /// The word to use when the thing has no better one of its own.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "On target",
            Self::Watch => "Watch",
            Self::Critical => "Off target",
            Self::Info => "Info",
            Self::Stale => "Stale",
            Self::Unknown => "No data",
            Self::NotExported => "Not exported",
        }
    }

    /// Colour of the shape, and of words on the soft ground.
    pub fn color(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Ok => tokens.ok,
            Self::Watch | Self::Stale => tokens.warn,
            Self::Critical => tokens.crit,
            Self::Info | Self::Unknown | Self::NotExported => tokens.text2,
        }
    }

    /// Soft ground of a chip; transparent for "no data", which has an outline instead.
    pub fn ground(self, tokens: &Tokens) -> Color32 {
        match self {
            Self::Ok => tokens.ok_soft,
            Self::Watch | Self::Stale => tokens.warn_soft,
            Self::Critical => tokens.crit_soft,
            Self::Info | Self::NotExported => tokens.bg3,
            Self::Unknown => Color32::TRANSPARENT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Protects: without colour, shape and word still tell every state from every other.
    #[test]
    fn every_state_has_its_own_shape_and_word() {
        for (n, state) in Status::ALL.into_iter().enumerate() {
            for other in &Status::ALL[..n] {
                assert_ne!(state.icon(), other.icon());
                assert_ne!(state.word(), other.word());
            }
        }
    }
}
