//! How values are compared.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::jit) enum Relation {
    Less,
    LessEqual,
    Equal,
    Greater,
    GreaterEqual,
}

impl Relation {
    /// The relation with its sides exchanged.
    pub fn flipped(self) -> Relation {
        match self {
            Relation::Less => Relation::Greater,
            Relation::LessEqual => Relation::GreaterEqual,
            Relation::Equal => Relation::Equal,
            Relation::Greater => Relation::Less,
            Relation::GreaterEqual => Relation::LessEqual,
        }
    }
}
