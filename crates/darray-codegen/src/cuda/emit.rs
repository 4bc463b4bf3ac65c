//! The texts of entries.

pub(crate) mod combine;
pub(crate) mod entry;
pub(crate) mod leaves;
pub(crate) mod nodes;
pub(crate) mod pairs;
pub(crate) mod points;
pub(crate) mod quick;
pub(crate) mod rounds;
