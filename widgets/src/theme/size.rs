//! Sizes and gaps in points, from the style guide's section on space, size and stroke.

/// The grid; gaps are multiples of it.
pub const GRID: f32 = 4.0;
/// Gap between a control and its neighbour.
pub const GAP: f32 = 8.0;
/// Gap between panels, and the padding inside them.
pub const PANEL_GAP: f32 = 12.0;
/// Outer margin of the overview.
pub const PAGE_MARGIN: f32 = 16.0;

/// Corner radius of tags and key caps.
pub const RADIUS_TAG: f32 = 3.0;
/// Corner radius of controls.
pub const RADIUS: f32 = 4.0;
/// Corner radius of panels and popovers.
pub const RADIUS_PANEL: f32 = 6.0;

/// Stroke of wire frames.
pub const STROKE_WIRE: f32 = 0.8;
/// Stroke of grids, frames and hairlines.
pub const STROKE_LINE: f32 = 1.0;
/// Stroke of data lines.
pub const STROKE_DATA: f32 = 1.5;
/// Stroke of critical paths and supply lines.
pub const STROKE_STRONG: f32 = 1.75;
/// Stroke of the focus ring.
pub const STROKE_FOCUS: f32 = 2.0;
/// Stroke of the halo under a line that crosses data.
pub const STROKE_HALO: f32 = 4.0;

/// Height of a property row.
pub const PROPERTY: f32 = 22.0;
/// Height of a tree row.
pub const TREE_ROW: f32 = 24.0;
/// Height of a table row.
pub const TABLE_ROW: f32 = 26.0;
/// Height of a button or an input.
pub const CONTROL: f32 = 28.0;
/// Height of a button in a panel header, and the smallest target to click.
pub const CONTROL_SMALL: f32 = 24.0;
/// Height of a control in a list, and of a palette row.
pub const LIST_ROW: f32 = 32.0;
/// Height of a panel header.
pub const PANEL_HEADER: f32 = 36.0;
/// Height of a view header.
pub const VIEW_HEADER: f32 = 40.0;
/// Height of the top bar.
pub const TOP_BAR: f32 = 44.0;
/// Height of the status bar.
pub const STATUS_BAR: f32 = 24.0;
/// Width of the navigation rail.
pub const RAIL: f32 = 72.0;
/// Width of the navigation rail when only icons fit.
pub const RAIL_NARROW: f32 = 48.0;
/// Height of an item of the navigation rail.
pub const RAIL_ITEM: f32 = 56.0;
/// Width of the inspector.
pub const INSPECTOR: f32 = 304.0;
/// Height of an alert row with its line.
pub const ALERT_ROW: f32 = 53.0;
/// Height of a chip.
pub const CHIP: f32 = 20.0;
/// Height of a source or filter chip.
pub const CHIP_LARGE: f32 = 24.0;
/// Height of a tag or a key cap.
pub const TAG: f32 = 16.0;
/// Indent of one tree level.
pub const INDENT: f32 = 14.0;

/// Icon in rows.
pub const ICON: f32 = 16.0;
/// Icon in the navigation rail.
pub const ICON_RAIL: f32 = 20.0;
/// Icon in buttons.
pub const ICON_SMALL: f32 = 14.0;
/// Icon in chips.
pub const ICON_CHIP: f32 = 12.0;
