//! The charts of the What-if view in their states, with figures that are made up.

pub(crate) mod compare;
pub(crate) mod links;
pub(crate) mod roofline;
pub(crate) mod systolic;
pub(crate) mod timeline;
