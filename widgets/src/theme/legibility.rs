//! Checks over the token tables: contrast of text, and distances under colour-vision loss.
//!
//! Contrast is that of WCAG 2.2. Colour-vision loss is simulated by the matrices of Machado,
//! Oliveira and Fernandes (2009, "A physiologically-based model for simulation of color vision
//! deficiency", severity 1.0) in linear light. Distance is Euclidean in Ottosson's `OKLab` (2020),
//! times 100. The style guide's own figures are in CAM02-UCS, so limits here differ in scale:
//! they are the values measured over today's tables, rounded down, and guard against drift.

use egui::{Color32, Theme};

use super::{SliceColor, Tokens};

type Rgb = [f64; 3];
type Matrix = [[f64; 3]; 3];

const NORMAL: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const NO_RED: Matrix =
    [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]];
const NO_GREEN: Matrix =
    [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]];
const NO_BLUE: Matrix =
    [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]];

fn linear(color: Color32) -> Rgb {
    [color.r(), color.g(), color.b()].map(|channel| {
        let value = f64::from(channel) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    })
}

fn times(matrix: &Matrix, v: Rgb) -> Rgb {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

fn contrast(a: Color32, b: Color32) -> f64 {
    let luminance = |color| {
        let [r, g, b] = linear(color);
        0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    };
    let (a, b) = (luminance(a), luminance(b));
    a.max(b) / a.min(b)
}

fn oklab(rgb: Rgb) -> Rgb {
    const TO_LMS: Matrix = [
        [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
        [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
        [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
    ];
    const TO_LAB: Matrix = [
        [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
        [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
        [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
    ];
    times(&TO_LAB, times(&TO_LMS, rgb).map(f64::cbrt))
}

/// Smallest distance between any two colours as seen through `loss`.
fn closest(colors: &[Color32], loss: &Matrix) -> f64 {
    let seen: Vec<Rgb> =
        colors.iter().map(|&color| oklab(times(loss, linear(color)).map(|channel| channel.clamp(0.0, 1.0)))).collect();
    let distance = |a: &Rgb, b: &Rgb| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt() * 100.0;
    let mut nearest = f64::INFINITY;
    for (n, a) in seen.iter().enumerate() {
        for b in &seen[..n] {
            nearest = nearest.min(distance(a, b));
        }
    }
    nearest
}

fn grounds(t: &Tokens) -> [Color32; 5] {
    [t.bg0, t.bg1, t.bg2, t.bg3, t.accent_soft]
}

/// Lowest contrast over every ground a text can stand on, rounded to one decimal as the guide prints it.
fn lowest(color: Color32, grounds: &[Color32]) -> f64 {
    let least = grounds.iter().map(|&ground| contrast(color, ground)).fold(f64::INFINITY, f64::min);
    (least * 10.0).round() / 10.0
}

/// Protects: the figures printed in the style guide's contrast table, and with them legibility.
#[test]
fn text_contrast_is_as_the_style_guide_states() {
    for (theme, stated) in [
        (Theme::Dark, [12.2, 6.8, 4.6, 6.1, 7.0, 8.1, 4.9, 3.0, 5.4]),
        (Theme::Light, [14.8, 6.9, 4.7, 5.5, 4.9, 5.0, 6.3, 2.8, 6.5]),
    ] {
        let t = Tokens::for_theme(theme);
        let all = grounds(&t);
        let colors = [t.text1, t.text2, t.text3, t.accent, t.ok, t.warn, t.crit, t.line3];
        let mut measured: Vec<f64> = colors.map(|color| lowest(color, &all)).to_vec();
        measured.push(lowest(t.on_accent, &[t.accent_fill]));
        for (measured, stated) in measured.iter().zip(stated) {
            assert!((measured - stated).abs() < 0.11, "{theme:?}: measured {measured}, stated {stated}");
        }
    }
}

/// Protects: words on chips and on swatches (at least 4.5 : 1).
#[test]
fn text_on_coloured_grounds_is_legible() {
    for theme in [Theme::Dark, Theme::Light] {
        let t = Tokens::for_theme(theme);
        for (text, ground) in
            [(t.ok, t.ok_soft), (t.warn, t.warn_soft), (t.crit, t.crit_soft), (t.accent, t.accent_soft)]
        {
            assert!(contrast(text, ground) >= 4.5);
        }
    }
    for n in 0..SliceColor::COUNT {
        let color = SliceColor::nth(n);
        assert!(contrast(color.on, color.fill) >= 4.8, "{}", SliceColor::name(n));
    }
}

/// Protects: states stay apart for people who do not see red, green or blue.
#[test]
fn state_colours_stay_apart_under_colour_vision_loss() {
    for (theme, limits) in [(Theme::Dark, [9.3, 6.7, 17.2]), (Theme::Light, [8.6, 4.3, 10.2])] {
        let t = Tokens::for_theme(theme);
        for (loss, limit) in [&NO_RED, &NO_GREEN, &NO_BLUE].into_iter().zip(limits) {
            let nearest = closest(&[t.ok, t.warn, t.crit], loss);
            assert!(nearest >= limit, "{theme:?}: {nearest:.1} is under {limit}");
        }
    }
}

/// Protects: slices stay apart, with full sight and without one kind of cone.
#[test]
fn slice_colours_stay_apart_under_colour_vision_loss() {
    let colors: Vec<Color32> = (0..SliceColor::COUNT).map(|n| SliceColor::nth(n).fill).collect();
    for (loss, limit) in [(&NORMAL, 9.0), (&NO_RED, 9.0), (&NO_GREEN, 8.9), (&NO_BLUE, 5.6)] {
        let nearest = closest(&colors, loss);
        assert!(nearest >= limit, "{nearest:.1} is under {limit}");
    }
}
