//! How an array lies on the chips, and the moves that change it.
//!
//! A dimension that is sharded over several axes is cut by the first one, its parts by the second, and so on. So a
//! gather can take away only the last axes of a dimension, and a cut adds only behind them; whatever else is asked for
//! is a gather of more, followed by cuts.

use super::problem::Role;
use crate::collective::Collective;

/// For each dimension of an array the axes of the mesh that cut it, slowest first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Layout {
    pub(crate) dims: Vec<Vec<usize>>,
    /// Axes along which each chip holds a partial sum.
    pub(crate) unreduced: Vec<usize>,
}

/// What a move does. All but a cut exchange within the groups along [`Move::axes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MoveKind {
    /// Each chip keeps a part of what it has; nothing is sent.
    Cut,
    /// All get the parts of all.
    Gather,
    /// Partial sums become sums, each chip with a part of them.
    Scatter,
    /// Partial sums become sums on every chip.
    Reduce,
    /// Parts of one dimension become parts of another.
    Exchange,
}

impl MoveKind {
    /// The collective that does it.
    pub(crate) const fn collective(self) -> Option<Collective> {
        match self {
            Self::Cut => None,
            Self::Gather => Some(Collective::AllGather),
            Self::Scatter => Some(Collective::ReduceScatter),
            Self::Reduce => Some(Collective::AllReduce),
            Self::Exchange => Some(Collective::AllToAll),
        }
    }
}

/// One change of how an array lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) role: Role,
    pub(crate) kind: MoveKind,
    /// The axes of the mesh along which chips exchange, sorted.
    pub(crate) axes: Vec<usize>,
    pub(crate) from: Layout,
    pub(crate) to: Layout,
}

/// How many axes two lists have in common at their start.
fn common(a: &[usize], b: &[usize]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Collects the moves of one array.
struct Moves {
    role: Role,
    at: Layout,
    done: Vec<Move>,
}

impl Moves {
    fn go(&mut self, kind: MoveKind, mut axes: Vec<usize>, to: Layout) {
        axes.sort_unstable();
        let from = std::mem::replace(&mut self.at, to.clone());
        self.done.push(Move { role: self.role, kind, axes, from, to });
    }

    /// Axes that only change from the end of one dimension to the end of another.
    fn exchange(&mut self, to: &Layout) {
        for (from_dim, target) in to.dims.iter().enumerate() {
            let Some((last, rest)) = self.at.dims[from_dim].split_last() else { continue };
            if !target.starts_with(rest) || target.contains(last) {
                continue;
            }
            let mut wanted = self.at.dims.iter().zip(&to.dims).enumerate();
            let into = wanted.find(|(_, (now, then))| then.starts_with(now) && then.get(now.len()) == Some(last));
            let Some((into, _)) = into else { continue };
            let (last, mut next) = (*last, self.at.clone());
            next.dims[from_dim].pop();
            next.dims[into].push(last);
            self.go(MoveKind::Exchange, vec![last], next);
        }
    }

    /// Everything that is cut otherwise is gathered, all dimensions at once.
    fn gather(&mut self, to: &Layout) {
        let (mut next, mut axes) = (self.at.clone(), Vec::new());
        for (now, then) in next.dims.iter_mut().zip(&to.dims) {
            axes.extend(now.drain(common(now, then)..));
        }
        if !axes.is_empty() {
            self.go(MoveKind::Gather, axes, next);
        }
    }

    fn cut(&mut self, to: &Layout) {
        if self.at.dims != to.dims {
            let next = Layout { dims: to.dims.clone(), unreduced: self.at.unreduced.clone() };
            self.go(MoveKind::Cut, Vec::new(), next);
        }
    }

    /// Partial sums become sums: scattered where the target is cut by their axes next, else whole on every chip.
    fn reduce(&mut self, to: &Layout) {
        let mut open: Vec<usize> =
            self.at.unreduced.iter().copied().filter(|axis| !to.unreduced.contains(axis)).collect();
        let (mut next, mut axes) = (self.at.clone(), Vec::new());
        for (now, then) in next.dims.iter_mut().zip(&to.dims) {
            while let Some(axis) = then.get(now.len()).filter(|axis| then.starts_with(now) && open.contains(axis)) {
                open.retain(|other| other != axis);
                axes.push(*axis);
                now.push(*axis);
            }
        }
        if !axes.is_empty() {
            next.unreduced.retain(|axis| !axes.contains(axis));
            self.go(MoveKind::Scatter, axes, next);
        }
        if !open.is_empty() {
            let mut next = self.at.clone();
            next.unreduced.retain(|axis| !open.contains(axis));
            self.go(MoveKind::Reduce, open, next);
        }
    }
}

/// The moves that bring an array from one layout to another; partial sums are never made, only reduced.
pub(crate) fn moves(role: Role, from: &Layout, to: &Layout) -> Vec<Move> {
    let mut moves = Moves { role, at: from.clone(), done: Vec::new() };
    moves.reduce(to);
    moves.exchange(to);
    moves.gather(to);
    moves.cut(to);
    moves.done
}
