//! A timeline under a pointer and a keyboard, and the sorting of spans into blocks and bands.

use egui::{Key, Pos2, Vec2, pos2, vec2};

use super::merge::{Ruler, pieces};
use super::*;
use crate::drive::{Do, drive};

const SIZE: Vec2 = vec2(900.0, 320.0);

/// A lane of `n` spans of equal length without gaps, and one that is idle.
fn model(n: usize) -> Timeline {
    let step = 1.0 / n as f64;
    let span = |n: usize| Span {
        name: format!("op {n}").into(),
        start_s: n as f64 * step,
        seconds: step,
        kind: if n.is_multiple_of(4) { Kind::Hbm } else { Kind::Matmul },
    };
    let lane = |name: &str, spans| Lane { name: name.to_owned(), spans, idle: "one pod only".to_owned() };
    Timeline {
        name: "a step".to_owned(),
        whole: "Step".to_owned(),
        total_s: 1.0,
        lanes: vec![lane("MXU", (0..n).map(span).collect()), lane("DCN", Vec::new())],
        phases: Vec::new(),
        groups: Vec::new(),
        stale: false,
        revision: n as u64,
    }
}

fn layout(model: &Timeline, state: &TimelineState) -> Layout {
    let ctx = egui::Context::default();
    crate::theme::install(&ctx);
    let mut found = None;
    let input =
        egui::RawInput { screen_rect: Some(Rect::from_min_size(Pos2::ZERO, SIZE)), ..egui::RawInput::default() };
    let output = ctx.run_ui(input, |ui| {
        found =
            Some(Layout::new(ui.painter(), (model, &Index::new(model)), state, Rect::from_min_size(Pos2::ZERO, SIZE)));
    });
    output.drop_without_applying_deltas();
    found.unwrap()
}

/// The middle of a span of the first lane, in the view of `state`.
fn middle(model: &Timeline, state: &TimelineState, span: usize) -> Pos2 {
    layout(model, state).place(model, SpanId { lane: 0, span }).unwrap().center()
}

/// Protects: the span under the pointer is the one drawn there, a click selects it, and arrows walk on from it.
#[test]
fn the_pointer_and_the_arrows_find_spans() {
    let model = model(10);
    let mut state = TimelineState::default();
    let p = middle(&model, &state, 3);
    let steps = [Do::Move(p), Do::Press(p), Do::Release(p), Do::Key(Key::ArrowRight), Do::Key(Key::Enter)];
    let seen = drive(SIZE, &steps, |ui| show(ui, &model, &mut state));
    let id = |span| Some(SpanId { lane: 0, span });
    assert_eq!(seen[0].hovered, id(3));
    assert_eq!(seen[2].clicked, id(3));
    assert_eq!(seen[4].clicked, id(4));
    assert_eq!(state.selected, id(4));
    assert_eq!(describe(&model, state.selected).replace('\u{A0}', " "), "op 4 on MXU, HBM, 100 ms from 400 ms");
}

/// Protects: plus magnifies, a drag carries the moment under it along, and Home shows everything again.
#[test]
fn keys_and_drags_move_the_view() {
    let model = model(10);
    let mut state = TimelineState::default();
    let p = middle(&model, &state, 5);
    let click = [Do::Press(p), Do::Release(p)];
    let keys = [Do::Key(Key::Plus), Do::Key(Key::Plus), Do::Wait];
    drive(SIZE, &[&click[..], &keys].concat(), |ui| show(ui, &model, &mut state));
    assert!((state.view[1] - state.view[0] - 0.64).abs() < 1e-9, "{:?}", state.view);
    let before = layout(&model, &state).ruler.moment(p.x);
    let to = p + vec2(60.0, 0.0);
    drive(SIZE, &[Do::Press(p), Do::Move(to), Do::Release(to)], |ui| show(ui, &model, &mut state));
    assert!((layout(&model, &state).ruler.moment(to.x) - before).abs() < 1e-3);
    drive(SIZE, &[&click[..], &[Do::Key(Key::Home), Do::Wait]].concat(), |ui| show(ui, &model, &mut state));
    assert_eq!(state.view, [0.0, 1.0]);
}

/// Protects: a window drawn in the small map is what the lanes show, and it can be dragged on.
#[test]
fn the_small_map_sets_the_view() {
    let model = model(10);
    let mut state = TimelineState::default();
    let whole = layout(&model, &state);
    let at = |moment: f64| pos2(whole.whole.x(moment), whole.map.center().y);
    let steps = [Do::Press(at(0.2)), Do::Move(at(0.3)), Do::Move(at(0.4)), Do::Release(at(0.4)), Do::Wait];
    drive(SIZE, &steps, |ui| show(ui, &model, &mut state));
    assert!((state.view[0] - 0.2).abs() < 0.002 && (state.view[1] - 0.4).abs() < 0.002, "{:?}", state.view);
    let steps = [Do::Press(at(0.3)), Do::Move(at(0.35)), Do::Move(at(0.5)), Do::Release(at(0.5)), Do::Wait];
    drive(SIZE, &steps, |ui| show(ui, &model, &mut state));
    assert!((state.view[0] - 0.4).abs() < 0.01 && (state.view[1] - 0.6).abs() < 0.01, "{:?}", state.view);
    assert_eq!(state.grip, None);
}

/// Protects: no span is lost or counted twice when spans are finer than the picture, and a busy lane stays full.
#[test]
fn fine_spans_share_bands_that_hold_each_of_them_once() {
    for n in [10, 500, 100_000] {
        let model = model(n);
        let ruler = Ruler { view_s: [0.0, 1.0], x: [0.0, 800.0] };
        let found = pieces(&model, &Index::new(&model), 0, &ruler);
        let in_bands: usize = found.bands.iter().map(|band| band.spans[1] - band.spans[0]).sum();
        assert_eq!(found.blocks.len() + in_bands, n);
        assert_eq!(found.bands.is_empty(), n == 10);
        for band in &found.bands {
            let inner = &band.columns[1..band.columns.len() - 1];
            assert!(inner.iter().all(|(share, _)| (share - 1.0).abs() < 0.01), "{n}: {inner:?}");
        }
    }
    let half = Timeline {
        lanes: vec![Lane {
            name: String::new(),
            spans: (0..4000)
                .map(|n| Span {
                    name: "op".into(),
                    start_s: f64::from(n) / 4000.0,
                    seconds: 1.0 / 8000.0,
                    kind: Kind::Hbm,
                })
                .collect(),
            idle: String::new(),
        }],
        ..model(1)
    };
    let ruler = Ruler { view_s: [0.0, 1.0], x: [0.0, 800.0] };
    let found = pieces(&half, &Index::new(&half), 0, &ruler);
    let [band] = found.bands.as_slice() else { panic!("{} bands", found.bands.len()) };
    let mean = band.columns.iter().map(|(share, _)| share).sum::<f32>() / band.columns.len() as f32;
    assert!((mean - 0.5).abs() < 0.01, "{mean}");
}

/// Protects: a long span that began before the view is still found and drawn, although later ones have ended.
#[test]
fn a_span_that_began_long_ago_is_found() {
    let mut model = model(10);
    let long = Span { name: "long".into(), start_s: 0.0, seconds: 1.0, kind: Kind::Collective };
    model.lanes[0].spans.insert(0, long);
    model.lanes[0].spans.truncate(4);
    let index = Index::new(&model);
    assert_eq!(index.at(&model, 0, 0.9, 0.0), Some(0));
    assert_eq!(index.at(&model, 0, 0.15, 0.0), Some(2), "the later one lies on top");
    let ruler = Ruler { view_s: [0.8, 0.9], x: [0.0, 100.0] };
    assert_eq!(pieces(&model, &index, 0, &ruler).blocks, [(0, [0.0, 100.0])]);
}

/// Protects: up and down lead past idle lanes to the span at the same time.
#[test]
fn arrows_skip_idle_lanes() {
    let mut model = model(10);
    let lower = Lane { name: "HBM".to_owned(), ..model.lanes[0].clone() };
    model.lanes.push(lower);
    let index = Index::new(&model);
    let from = Some(SpanId { lane: 0, span: 7 });
    assert_eq!(index.neighbour(&model, from, [0, 1]), Some(SpanId { lane: 2, span: 7 }));
    assert_eq!(index.neighbour(&model, from, [5, 0]), Some(SpanId { lane: 0, span: 9 }));
    assert_eq!(index.neighbour(&model, None, [1, 0]), Some(SpanId { lane: 0, span: 0 }));
    assert_eq!(index.neighbour(&Timeline { lanes: Vec::new(), ..model }, None, [1, 0]), None);
}
