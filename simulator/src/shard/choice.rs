//! All ways to do a sharded product: what each axis of the mesh may do during the local products.

use super::layout::{Layout, Move, moves};
use super::problem::{Problem, Role};

/// One way: how the operands lie when the chips multiply, and the moves before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) left: Layout,
    pub(crate) right: Layout,
    /// The result of the local products, with partial sums.
    pub(crate) partial: Layout,
    pub(crate) before: Vec<Move>,
    pub(crate) after: Vec<Move>,
}

/// What an axis does during the local products: nothing, or it cuts a dimension, in both operands if it is summed.
type Use = Option<usize>;

/// All ways that reach the result that is wanted, each once. There is always one: gather all and cut the result,
/// unless partial sums are wanted.
pub(crate) fn choices(problem: &Problem) -> Vec<Choice> {
    let uses: Vec<Vec<Use>> = (0..problem.mesh().axes().len()).map(|axis| uses(problem, axis)).collect();
    let mut found = Vec::<Choice>::new();
    let n: usize = uses.iter().map(Vec::len).product();
    for number in 0..n {
        let mut rest = number;
        let chosen: Vec<Use> = uses
            .iter()
            .map(|uses| {
                let used = uses[rest % uses.len()];
                rest /= uses.len();
                used
            })
            .collect();
        // The axes of a dimension come in the order of the operand, or of the result; either may save a move.
        for order in [[Role::Left, Role::Right, Role::Result], [Role::Result, Role::Right, Role::Left]] {
            if let Some(choice) = choice(problem, &chosen, order).filter(|choice| !found.contains(choice)) {
                found.push(choice);
            }
        }
    }
    found
}

/// What an axis may do: what it does in one of the arrays, or nothing.
fn uses(problem: &Problem, axis: usize) -> Vec<Use> {
    let mut uses: Vec<Use> = Vec::new();
    for role in Role::ALL {
        for (dim, axes) in problem.dims(role).iter().zip(&problem.layout(role).dims) {
            if axes.contains(&axis) && !uses.contains(&Some(*dim)) {
                uses.push(Some(*dim));
            }
        }
    }
    if problem.layout(Role::Result).unreduced.contains(&axis) {
        uses.retain(|used| used.is_some_and(|dim| problem.is_summed(dim)));
    } else {
        uses.push(None);
    }
    uses
}

fn choice(problem: &Problem, uses: &[Use], order: [Role; 3]) -> Option<Choice> {
    let cuts = |dim: usize| -> Option<Vec<usize>> {
        let mut axes: Vec<usize> = (0..uses.len()).filter(|axis| uses[*axis] == Some(dim)).collect();
        axes.sort_by_key(|axis| place(problem, dim, *axis, order));
        problem.size(dim).is_multiple_of(problem.parts(&axes)).then_some(axes)
    };
    let layout = |role: Role| -> Option<Layout> {
        let dims = problem.dims(role).iter().map(|dim| cuts(*dim)).collect::<Option<_>>()?;
        Some(Layout { dims, unreduced: Vec::new() })
    };
    let (left, right, mut partial) = (layout(Role::Left)?, layout(Role::Right)?, layout(Role::Result)?);
    let is_partial = |axis: &usize| uses[*axis].is_some_and(|dim| problem.is_summed(dim));
    partial.unreduced = (0..uses.len()).filter(is_partial).collect();
    let mut before = moves(Role::Left, problem.layout(Role::Left), &left);
    before.extend(moves(Role::Right, problem.layout(Role::Right), &right));
    let after = moves(Role::Result, &partial, problem.layout(Role::Result));
    Some(Choice { left, right, partial, before, after })
}

/// Where an axis stands among those that cut a dimension, in the first array of the order that has it there.
fn place(problem: &Problem, dim: usize, axis: usize, order: [Role; 3]) -> (usize, usize) {
    let within = |role: &Role| {
        let at = problem.dims(*role).iter().position(|other| *other == dim)?;
        problem.layout(*role).dims[at].iter().position(|other| *other == axis)
    };
    let found = order.iter().enumerate().find_map(|(rank, role)| Some((rank, within(role)?)));
    found.unwrap_or((order.len(), axis))
}
