//! How the flows start the program, and how they press, drag and wait.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use app::app::{App, Clock};
use app::io::dialog::{Answer, Dialogs, Pending, Question, ScriptedDialogs};
use app::jobs::Disk;
use app::render::moment_of;
use egui::{Key, Modifiers, Pos2, Role, UiBuilder, Vec2, ViewportCommand, ViewportEvent, ViewportId, vec2};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use egui_kittest::{Harness, Node};
use planning::plan::Plan;
use topology::chip::Catalog;
use topology::fleet::Fleet;

/// The program in a window that is not there.
pub(crate) type Window = Harness<'static, App>;

/// Two pods of the sample, small enough to simulate at once, with the sample's whole roadmap.
pub(crate) fn small_plan() -> Plan {
    let mut plan = planning::sample();
    let pods = plan.fleet.pods.iter().filter(|pod| ["west-5p-1", "west-6e-3"].contains(&pod.id.0.as_str()));
    let fleet = Fleet { pods: pods.cloned().collect(), ..Fleet::clone(&plan.fleet) };
    let jobs = plan.jobs.iter().filter(|job| fleet.pod(&job.pod).is_some()).cloned().collect();
    plan.fleet = Arc::new(fleet);
    plan.jobs = Arc::new(jobs);
    plan
}

/// The sample's roadmap without pods: nothing is simulated, so a frame costs little.
pub(crate) fn roadmap_plan() -> Plan {
    Plan { fleet: Arc::default(), jobs: Arc::default(), ..planning::sample() }
}

/// The program that shows a plan with its six hours of history, at the sample's moment, without files.
pub(crate) fn app_of(plan: Plan) -> App {
    let now = moment_of(&plan);
    let mut app = App::new(plan, Arc::new(Catalog::embedded().clone()), Clock::Fixed(now));
    app.settle();
    app
}

/// The program with the small plan.
pub(crate) fn small_app() -> App {
    app_of(small_plan())
}

/// Opens the window at the size of the design.
pub(crate) fn window(app: App) -> Window {
    window_of(app, vec2(1600.0, 1000.0))
}

/// Opens the window at a size in points.
pub(crate) fn window_of(app: App, size: Vec2) -> Window {
    let builder =
        Harness::builder().with_size(size).with_max_steps(2000).with_step_dt(0.02).with_context_setup(|ctx| {
            widgets::theme::install(ctx);
            ctx.all_styles_mut(|style| style.animation_time = 0.0);
        });
    let mut window = builder.build_ui_state(frame, app);
    window.run();
    window
}

/// One frame as the window runs it; the harness's own margin is left out.
fn frame(ui: &mut egui::Ui, app: &mut App) {
    let ctx = ui.ctx().clone();
    if ctx.current_pass_index() == 0 {
        app.logic(&ctx);
    }
    let whole = ctx.content_rect();
    let mut room = ui.new_child(UiBuilder::new().max_rect(whole));
    room.set_clip_rect(whole);
    app.ui(&mut room);
}

/// Presses a key with Ctrl (Cmd on a Mac).
pub(crate) fn ctrl(window: &mut Window, key: Key) {
    window.key_press_modifiers(Modifiers::COMMAND, key);
    window.run();
}

/// Presses a key with Ctrl and Shift.
pub(crate) fn ctrl_shift(window: &mut Window, key: Key) {
    window.key_press_modifiers(Modifiers::COMMAND | Modifiers::SHIFT, key);
    window.run();
}

/// Presses a bare key.
pub(crate) fn press(window: &mut Window, key: Key) {
    window.key_press(key);
    window.run();
}

/// Clicks what has this role and name.
pub(crate) fn click(window: &mut Window, role: Role, name: &str) {
    window.get_by_role_and_label(role, name).click();
    window.run();
}

/// Clicks the button of this name.
pub(crate) fn button(window: &mut Window, name: &str) {
    click(window, Role::Button, name);
}

/// Clicks at a point.
pub(crate) fn click_at(window: &mut Window, at: Pos2) {
    window.hover_at(at);
    window.drag_at(at);
    window.drop_at(at);
    window.run();
}

/// Presses at a point, moves in steps, and lets go.
pub(crate) fn drag(window: &mut Window, from: Pos2, to: Pos2) {
    hold(window, from, to);
    window.drop_at(to);
    window.run();
}

/// Presses at a point and moves, without letting go.
pub(crate) fn hold(window: &mut Window, from: Pos2, to: Pos2) {
    window.hover_at(from);
    window.drag_at(from);
    for step in 1_u8..=4 {
        window.hover_at(from.lerp(to, f32::from(step) / 4.0));
    }
    window.run();
}

/// Types into the field of this name.
pub(crate) fn type_into(window: &mut Window, name: &str, text: &str) {
    let field = window.get_by_role_and_label(Role::TextInput, name);
    field.focus();
    field.type_text(text);
    window.run();
}

/// Whether some node's name or value holds this text.
pub(crate) fn says(window: &Window, text: &str) -> bool {
    window.root().children_recursive().any(|node| {
        let node = node.accesskit_node();
        [node.label(), node.value()].into_iter().flatten().any(|words| words.contains(text))
    })
}

/// The first node of a role whose name begins with `start`.
pub(crate) fn starting_with<'a>(window: &'a Window, role: Role, start: &str) -> Node<'a> {
    window
        .get_all_by_role(role)
        .find(|node| node.accesskit_node().label().is_some_and(|label| label.starts_with(start)))
        .unwrap_or_else(|| panic!("nothing begins with {start:?}"))
}

/// Runs frames until workers have brought what is waited for.
pub(crate) fn wait_until(window: &mut Window, what: &str, done: impl Fn(&Window) -> bool) {
    for _ in 0..2000 {
        if done(window) {
            window.run();
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
        window.step();
    }
    panic!("waited in vain until {what}");
}

/// Whether the window was told to close in the last frame.
pub(crate) fn closes(window: &Window) -> bool {
    let commands = window.output().viewport_output.values().flat_map(|output| &output.commands);
    let mut last = commands.filter(|command| matches!(command, ViewportCommand::Close | ViewportCommand::CancelClose));
    last.next_back() == Some(&ViewportCommand::Close)
}

/// Clicks the cross of the window: one frame.
pub(crate) fn ask_to_close(window: &mut Window) {
    let root = window.input_mut().viewports.entry(ViewportId::ROOT).or_default();
    root.events.push(ViewportEvent::Close);
    window.step();
}

/// Dialogs whose answers are given while the window runs.
#[derive(Clone, Default)]
pub(crate) struct Script(Rc<RefCell<ScriptedDialogs>>);

impl Script {
    /// The next question is answered with this path.
    pub(crate) fn pick(&self, path: &Path) {
        self.0.borrow_mut().answers.push_back(Answer::Picked(path.to_owned()));
    }

    /// The next question is left without an answer.
    pub(crate) fn cancel(&self) {
        self.0.borrow_mut().answers.push_back(Answer::Cancelled);
    }

    /// What was asked so far.
    pub(crate) fn asked(&self) -> Vec<Question> {
        self.0.borrow().asked.clone()
    }
}

impl Dialogs for Script {
    fn pick_open(&mut self, question: Question) -> Pending {
        self.0.borrow_mut().pick_open(question)
    }

    fn pick_save(&mut self, question: Question) -> Pending {
        self.0.borrow_mut().pick_save(question)
    }
}

/// A program with files: the window, its folder, and its dialogs.
pub(crate) struct Desk {
    /// The window.
    pub(crate) window: Window,
    /// Answers to its file dialogs.
    pub(crate) script: Script,
    /// Everything on disk.
    pub(crate) folder: tempfile::TempDir,
}

impl Desk {
    /// A program that shows a plan which is saved nowhere.
    pub(crate) fn new(app: App) -> Self {
        Self::in_folder(app, tempfile::tempdir().unwrap())
    }

    /// The same on a folder that was used before.
    pub(crate) fn in_folder(app: App, folder: tempfile::TempDir) -> Self {
        let script = Script::default();
        let (disk, problem) = Disk::start(Some(&folder.path().join("data")), Arc::new(|| ()));
        assert_eq!(problem, None);
        let app = app.with_disk(disk.unwrap(), Box::new(script.clone()));
        Self { window: window(app), script, folder }
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and opens it by Ctrl+O.
    pub(crate) fn open(&mut self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).unwrap();
        self.open_path(&path);
        path
    }

    /// Opens a file by Ctrl+O.
    pub(crate) fn open_path(&mut self, path: &Path) {
        self.script.pick(path);
        let message = format!("Opening {}", path.file_name().unwrap().to_str().unwrap());
        ctrl(&mut self.window, Key::O);
        wait_until(&mut self.window, "the file is open", |window| window.state().model.message != message);
    }

    /// Saves as a new file by Ctrl+Shift+S.
    pub(crate) fn save_as(&mut self, name: &str) -> PathBuf {
        let path = self.path(name);
        self.script.pick(&path);
        ctrl_shift(&mut self.window, Key::S);
        wait_until(&mut self.window, "the file is saved", |window| window.state().model.path() == Some(&path));
        path
    }

    /// The plan that is shown.
    pub(crate) fn plan(&self) -> Plan {
        self.window.state().model.plan().clone()
    }
}
