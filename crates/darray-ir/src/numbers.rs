//! The numbers by which tasks name stores, domains and maps of their window.

/// De Bruijn number of a store: stores are numbered in order of first use in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StoreId(pub u32);

/// Number of an iteration domain: domains are numbered by value, in order of first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DomainId(pub u32);

/// Number of a map: maps are numbered by value, in order of first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MapId(pub u32);
