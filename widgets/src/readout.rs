//! What a picture says about the thing under the pointer, at once and beside it.

use egui::{Response, Tooltip};

use crate::notice::TooltipCard;

/// Distance from the pointer, in points.
const AWAY: f32 = 12.0;

/// Shows a card beside the pointer as long as it is called.
pub(crate) fn readout(response: &Response, card: &TooltipCard<'_>) {
    Tooltip::for_widget(response).at_pointer().gap(AWAY).show(|ui| card.show(ui));
}
