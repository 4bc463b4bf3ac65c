//! Graphs, and streams that capture them.

mod capture;
mod graph;
mod graph_copy;
