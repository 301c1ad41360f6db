//! The tokens as egui's own style, so that egui's widgets look like ours.

use egui::epaint::FontColorTransferFunction;
use egui::epaint::text::TextOptions;
use egui::style::{HandleShape, Selection, Spacing, TextCursorStyle, WidgetVisuals, Widgets};
use egui::{
    Color32, Context, CornerRadius, FontFamily, FontId, Margin, Shadow, Stroke, Style, TextStyle, Theme, Visuals, vec2,
};

use super::{Tokens, Type, fonts, size, translucent};

/// Puts the fonts and the style of both themes into a context; call once at start.
pub fn install(ctx: &Context) {
    ctx.set_fonts(fonts());
    for theme in [Theme::Dark, Theme::Light] {
        let tokens = Tokens::for_theme(theme);
        ctx.style_mut_of(theme, |style| apply(style, &tokens));
    }
}

fn apply(style: &mut Style, tokens: &Tokens) {
    style.text_styles = [
        (TextStyle::Heading, Type::Heading),
        (TextStyle::Body, Type::Body),
        (TextStyle::Button, Type::SecondaryMedium),
        (TextStyle::Small, Type::Caption),
        (TextStyle::Monospace, Type::Mono),
    ]
    .map(|(name, kind)| (name, kind.font()))
    .into();
    style.drag_value_text_style = TextStyle::Name("number".into());
    style.text_styles.insert(TextStyle::Name("number".into()), FontId::new(12.0, FontFamily::Proportional));
    style.spacing = spacing();
    style.visuals = visuals(tokens);
    style.interaction.tooltip_delay = 0.3;
    style.interaction.selectable_labels = false;
    style.animation_time = 0.12;
}

fn spacing() -> Spacing {
    Spacing {
        item_spacing: vec2(size::GAP, size::GRID),
        window_margin: Margin::same(12),
        button_padding: vec2(10.0, 6.0),
        menu_margin: Margin::same(4),
        indent: size::INDENT,
        interact_size: vec2(size::CONTROL_SMALL, size::CONTROL_SMALL),
        slider_rail_height: 4.0,
        icon_width: size::ICON,
        icon_width_inner: 10.0,
        icon_spacing: 6.0,
        tooltip_width: 320.0,
        ..Spacing::default()
    }
}

fn visuals(tokens: &Tokens) -> Visuals {
    let base = if tokens.dark { Visuals::dark() } else { Visuals::light() };
    Visuals {
        dark_mode: tokens.dark,
        // Plain coverage keeps the weights apart; egui's default for dark themes makes regular look medium.
        text_options: TextOptions { color_transfer_function: FontColorTransferFunction::Off, ..base.text_options },
        override_text_color: None,
        weak_text_color: Some(tokens.text3),
        widgets: widgets(tokens),
        selection: Selection { bg_fill: tokens.accent_soft, stroke: Stroke::new(1.0, tokens.accent) },
        hyperlink_color: tokens.accent,
        faint_bg_color: tokens.bg2,
        extreme_bg_color: tokens.bg0,
        text_edit_bg_color: Some(tokens.bg0),
        code_bg_color: tokens.bg0,
        warn_fg_color: tokens.warn,
        error_fg_color: tokens.crit,
        window_corner_radius: CornerRadius::same(6),
        window_shadow: shadow(tokens),
        window_fill: tokens.bg2,
        window_stroke: Stroke::new(1.0, tokens.line2),
        window_highlight_topmost: false,
        menu_corner_radius: CornerRadius::same(6),
        panel_fill: tokens.bg1,
        popup_shadow: shadow(tokens),
        text_cursor: TextCursorStyle { stroke: Stroke::new(1.0, tokens.accent), ..base.text_cursor },
        striped: false,
        slider_trailing_fill: true,
        disabled_alpha: 1.0,
        handle_shape: HandleShape::Circle,
        ..base
    }
}

/// The shadow of things that float: popovers, menus, toasts, the palette.
pub fn shadow(tokens: &Tokens) -> Shadow {
    if tokens.dark {
        Shadow { offset: [0, 8], blur: 24, spread: 0, color: Color32::from_black_alpha(140) }
    } else {
        Shadow { offset: [0, 6], blur: 18, spread: 0, color: translucent(Color32::from_rgb(0x14, 0x1E, 0x2D), 0.18) }
    }
}

fn widgets(tokens: &Tokens) -> Widgets {
    let state = |ground: Color32, fill: Color32, edge: Color32, text: Color32| WidgetVisuals {
        bg_fill: fill,
        weak_bg_fill: ground,
        bg_stroke: Stroke::new(1.0, edge),
        corner_radius: CornerRadius::same(4),
        fg_stroke: Stroke::new(1.0, text),
        expansion: 0.0,
    };
    Widgets {
        noninteractive: state(tokens.bg1, tokens.bg1, tokens.line1, tokens.text2),
        inactive: WidgetVisuals {
            bg_stroke: Stroke::NONE,
            ..state(tokens.bg3, tokens.bg3, tokens.line2, tokens.text1)
        },
        hovered: state(tokens.line2, tokens.line2, tokens.line2, tokens.text1),
        active: state(tokens.line3, tokens.line3, tokens.line3, tokens.text1),
        open: state(tokens.bg3, tokens.bg3, tokens.line2, tokens.text1),
    }
}
