//! Builtins: kernels that are not generated.
//!
//! A builtin is a row of [`for_each_builtin!`](crate::for_each_builtin) and a file of this folder, which says by [`BuiltinSpec`] what
//! there is to know of its tasks. Windows, their texts and checks, and the runtime ask that and know no builtin by name. See
//! docs/adding-a-builtin.md.

mod compact;
mod gather;
mod matmul;
mod scan;
mod scatter;
mod search;
mod sort;

pub use compact::Compact;
pub use gather::Gather;
pub use matmul::MatMul;
pub use scan::Scan;
pub use scatter::Scatter;
pub use search::Search;
pub use sort::Sort;

use crate::privilege::Privilege;
use darray_core::RealType;
use darray_kernel::ir::Reducer;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// Calls `callback! { builtins }` with the names of all builtins.
#[macro_export]
macro_rules! for_each_builtin {
    ($callback:ident) => {
        $callback! { MatMul Scan Gather Scatter Sort Compact Search }
    };
}

/// Ranges of the axes of a domain.
pub type Tile = SmallVec<[Range<usize>; 4]>;

/// What there is to know of a builtin's tasks.
///
/// Argument 0 is the output, the others are inputs.
pub trait BuiltinSpec: fmt::Debug {
    /// What it is called in texts; with its numbers this is all of it.
    fn name(&self) -> Cow<'static, str>;

    /// What stands in braces behind the name.
    fn numbers(&self) -> SmallVec<[u8; 3]>;

    /// The builtin of this name with these numbers.
    fn parse(name: &str, numbers: &[u8]) -> Option<Self>
    where
        Self: Sized;

    /// A number that distinguishes builtins of one kind and the same numbers.
    fn variant(&self) -> u8 {
        0
    }

    /// How many inputs, and how many scalars: the only one there can be is an extent, as i64.
    fn inputs(&self) -> (usize, usize);

    /// What it does with its output.
    fn output(&self) -> Privilege {
        Privilege::Write
    }

    /// Whether it is defined for these element types of its arguments over a domain of this rank.
    ///
    /// # Errors
    /// What is not.
    fn check(&self, dtypes: &[RealType], rank: usize) -> Result<(), String>;

    /// Where its work is cut into points.
    fn cuts(&self) -> Cuts;

    /// Makes of a tile of the domain the part of an argument that it uses, which the argument's map spans; `extent` is the scalar.
    fn part(&self, _position: usize, _tile: &mut Tile, _extent: usize) {}
}

/// Where the work of a builtin is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cuts {
    /// Where that of element-wise operations is.
    Anywhere,
    /// Along the last axis but one, or one before it.
    Rows,
    /// Along other axes than this one. Where there is no other, in parts that are sorted, and of which every point merges its
    /// part of the result.
    Runs {
        /// The axis.
        axis: usize,
        /// Whether indices go along.
        indices: bool,
    },
    /// Anywhere; along this axis one point hands what it has folded to the next.
    Carries {
        /// The axis.
        axis: usize,
        /// The fold.
        reducer: Reducer,
    },
}

macro_rules! define_builtins {
    ($($builtin:ident)+) => {
        /// A builtin of the devices.
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Builtin {
            $(#[doc = concat!("See [`", stringify!($builtin), "`].")] $builtin($builtin),)+
        }

        $(impl From<$builtin> for Builtin {
            fn from(builtin: $builtin) -> Builtin {
                Builtin::$builtin(builtin)
            }
        })+

        impl Builtin {
            /// What there is to know of it.
            pub fn spec(&self) -> &dyn BuiltinSpec {
                match self {
                    $(Builtin::$builtin(builtin) => builtin,)+
                }
            }

            /// That of this name in texts, and with these numbers.
            pub fn parse(name: &str, numbers: &[u8]) -> Option<Builtin> {
                let parsers = [$(|name: &str, numbers: &[u8]| {
                    $builtin::parse(name, numbers).map(Builtin::from)
                }),+];
                parsers.into_iter().find_map(|parse| parse(name, numbers))
            }

            /// Its number, from 0.
            fn number(&self) -> u64 {
                let kinds = [$(matches!(self, Builtin::$builtin(_))),+];
                kinds.iter().take_while(|is_it| !**is_it).count() as u64
            }
        }
    };
}

crate::for_each_builtin!(define_builtins);

impl Builtin {
    /// One word that two builtins share exactly when they are equal; a byte is free.
    pub fn code(&self) -> u64 {
        let numbers = self.spec().numbers();
        let bytes = [self.spec().variant()].into_iter().chain(numbers);
        bytes
            .zip(1..)
            .fold(self.number(), |code, (byte, place)| code | (byte as u64) << (8 * place))
            << 8
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec().fmt(f)
    }
}

impl fmt::Display for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.spec().name())?;
        let numbers: Vec<String> = self.spec().numbers().iter().map(u8::to_string).collect();
        match numbers.is_empty() {
            true => Ok(()),
            false => write!(f, "{{{}}}", numbers.join(", ")),
        }
    }
}
