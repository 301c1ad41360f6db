//! How each cell looks: colours by slice or value, quiet or selected.

use egui::{Color32, Stroke};

use super::model::{Cell, CellState, Ghost, Paint, Torus};
use crate::theme::{SliceColor, Tokens, mix};

/// The look of one cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Look {
    /// Colours of the faces across x, y and z; `None` for a wire frame.
    pub faces: Option<[Color32; 3]>,
    /// Edges.
    pub edge: Stroke,
    /// Faint fill of a wire frame.
    pub veil: Color32,
    /// Lines that divide the faces into chips.
    pub grid: Option<Color32>,
    /// A cross over the front, for repair.
    pub cross: Option<Color32>,
    /// Diagonal stripes, for colours that are used a second time.
    pub stripes: Option<Color32>,
    /// Links to neighbours of the same slice.
    pub strut: Option<Stroke>,
}

impl Look {
    fn solid(faces: [Color32; 3], edge: Stroke) -> Self {
        Self {
            faces: Some(faces),
            edge,
            veil: Color32::TRANSPARENT,
            grid: None,
            cross: None,
            stripes: None,
            strut: None,
        }
    }

    fn wire(edge: Stroke, veil: Color32) -> Self {
        Self { faces: None, edge, veil, grid: None, cross: None, stripes: None, strut: None }
    }
}

/// Faces of a box in one colour: the style guide's shades.
pub(super) fn shades(color: Color32) -> [Color32; 3] {
    [mix(color, Color32::BLACK, 0.26), color, mix(color, Color32::WHITE, 0.16)]
}

/// Decides the looks of the cells of one picture.
pub(super) struct Looks<'a> {
    model: &'a Torus,
    tokens: &'a Tokens,
    any_selected: bool,
}

impl<'a> Looks<'a> {
    pub(super) fn new(model: &'a Torus, tokens: &'a Tokens) -> Self {
        Self { model, tokens, any_selected: model.slices.iter().any(|slice| slice.selected) }
    }

    /// The look of a cell.
    pub(super) fn of(&self, cell: &Cell) -> Look {
        let t = self.tokens;
        if let Some(ghost) = self.model.ghost.filter(|ghost| ghost.covers(cell)) {
            return self.ghost(&ghost, cell);
        }
        match cell.state {
            CellState::InRepair => {
                Look { cross: Some(t.crit), ..Look::solid(shades(t.crit_soft), Stroke::new(1.2, t.crit)) }
            }
            CellState::Spare => Look::solid(shades(t.bg3), Stroke::new(0.8, t.line3)),
            CellState::Free => self.free(),
            // Values on links are the picture: cells only say where the links begin and end.
            CellState::Allocated if self.model.links.is_some() => {
                Look::wire(Stroke::new(0.8, t.line3), t.bg3.gamma_multiply(0.35))
            }
            CellState::Allocated => match cell.owner.and_then(|owner| self.model.slices.get(owner)) {
                Some(slice) => self.owned(cell, slice.color, slice.selected),
                None => self.free(),
            },
        }
    }

    fn free(&self) -> Look {
        let color = if self.tokens.dark { self.tokens.line2 } else { self.tokens.line3 };
        Look::wire(Stroke::new(0.8, color), Color32::TRANSPARENT)
    }

    fn ghost(&self, ghost: &Ghost, cell: &Cell) -> Look {
        let color = if ghost.fits { self.tokens.accent } else { self.tokens.crit };
        let under = ghost.pointer == Some(cell.at);
        let width = if under { 2.0 } else { 1.25 };
        Look::wire(Stroke::new(width, color), color.gamma_multiply(if under { 0.34 } else { 0.13 }))
    }

    fn owned(&self, cell: &Cell, color: usize, selected: bool) -> Look {
        let t = self.tokens;
        if let Paint::ByValue(scale) = &self.model.paint {
            let edge = if selected { Stroke::new(1.0, t.text1) } else { Stroke::new(0.6, t.bg0) };
            return match cell.value {
                Some(value) => Look::solid(shades(scale.color(value)), edge),
                None => Look {
                    stripes: Some(t.missing_hatch),
                    ..Look::solid(shades(t.missing), Stroke::new(0.8, t.missing_hatch))
                },
            };
        }
        let own = SliceColor::nth(color);
        let quiet = self.any_selected && !selected;
        let shown = if quiet { own.quiet(t) } else { own };
        let width = if selected { 3.0 } else { 2.0 };
        let edge = match (selected, quiet) {
            (true, _) if t.dark => Stroke::new(0.9, t.text1),
            (true, _) => Stroke::new(1.1, mix(own.fill, Color32::BLACK, 0.7)),
            (_, true) => Stroke::new(0.6, mix(own.fill, t.bg0, if t.dark { 0.78 } else { 0.25 })),
            _ => Stroke::new(0.6, own.edge()),
        };
        Look {
            grid: selected.then(|| own.edge()),
            stripes: shown.striped.then(|| shown.edge()),
            strut: Some(Stroke::new(width, shown.fill)),
            ..Look::solid(shades(shown.fill), edge)
        }
    }
}

impl Ghost {
    /// Whether a cell lies inside.
    pub(super) fn covers(&self, cell: &Cell) -> bool {
        let (at, low): ([u16; 3], [u16; 3]) = (cell.at.into(), self.at.into());
        (0..3).all(|axis| at[axis] >= low[axis] && at[axis] - low[axis] < self.size[axis])
    }
}
