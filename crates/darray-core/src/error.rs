//! Errors that name operation, shapes, dtypes and the user's place.

use crate::{DType, Place, Scalar, Shape};
use std::fmt;

/// The result of an operation that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, in which operation, emitted where.
///
/// Displays as `add: shapes [3] and [4] do not broadcast (at src/main.rs:7:13)`.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    operation: &'static str,
    kind: ErrorKind,
    place: Place,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Shapes that do not broadcast together.
    Broadcast {
        /// The operands' shapes, in order.
        shapes: Vec<Shape>,
    },
    /// Shapes that this operation does not accept together (not a broadcast).
    Shapes {
        /// The operands' shapes, in order.
        shapes: Vec<Shape>,
        /// What was expected.
        expected: String,
    },
    /// An operand's element type that this operation does not accept.
    DType {
        /// The operands' element types, in order.
        found: Vec<DType>,
        /// What was expected.
        expected: String,
    },
    /// An integer beside an array whose element type cannot hold it.
    Value {
        /// The integer.
        value: Scalar,
        /// The element type that it would have to take.
        dtype: DType,
    },
    /// An axis that the array does not have, or named twice.
    Axis {
        /// The axis as given.
        axis: isize,
        /// The array's shape.
        shape: Shape,
        /// Whether the axis was given twice rather than out of range.
        repeated: bool,
    },
    /// An integer index out of bounds, or too many indices, or a zero step.
    Index {
        /// What is wrong with it.
        message: String,
        /// The array's shape.
        shape: Shape,
    },
    /// A reshape that changes the number of elements.
    Reshape {
        /// The array's shape.
        from: Shape,
        /// The shape asked for.
        to: Shape,
    },
    /// A write through a view that reaches some element twice (precondition P2).
    Overlap {
        /// The shape of the view.
        shape: Shape,
    },
    /// A device has no memory for an allocation.
    OutOfMemory {
        /// The device's name.
        device: String,
        /// Bytes asked for.
        requested: u64,
        /// Bytes in use.
        in_use: u64,
        /// The device's limit, or what addresses it has where it may not reserve more.
        limit: u64,
        /// Whether addresses are what is short, because of a limit of the process.
        addresses: bool,
        /// The shape of the array that did not fit.
        shape: Shape,
        /// Its element type.
        dtype: DType,
        /// Arrays that take up the device's memory, the largest first, where the runtime knows them.
        live: Vec<LiveArray>,
    },
    /// A failure while a kernel or builtin was compiled or ran.
    Execution {
        /// The device's message.
        message: String,
        /// The shapes of the operation's arrays.
        shapes: Vec<Shape>,
        /// Their element types.
        dtypes: Vec<DType>,
    },
    /// A file that cannot be read or written, or that is not what it should be.
    File {
        /// Its path as it was given; inside an archive with the name of the member.
        path: String,
        /// The first byte that is wrong, where it is the contents.
        offset: Option<u64>,
        /// What is wrong.
        reason: String,
    },
    /// An argument, no array, that the operation does not accept.
    Argument {
        /// What is wrong with it.
        message: String,
    },
    /// Arrays of two runtimes, or a setting that cannot be used.
    Runtime {
        /// What is wrong.
        message: String,
    },
}

/// An array that takes up memory of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveArray {
    /// The array's shape.
    pub shape: Shape,
    /// Its element type.
    pub dtype: DType,
    /// Bytes on the device, which may hold a part of it.
    pub bytes: u64,
}

/// Arrays that the message of an error names.
const NAMED: usize = 5;

/// `; of that [100] f64 (800 bytes), [7] f32 (28 bytes) and 3 more arrays (60 bytes)`.
fn list_live(f: &mut fmt::Formatter<'_>, live: &[LiveArray]) -> fmt::Result {
    let (named, others) = live.split_at(live.len().min(NAMED));
    for (number, LiveArray { shape, dtype, bytes: size }) in named.iter().enumerate() {
        let before = if number == 0 { "; of that" } else { "," };
        write!(f, "{before} {shape} {dtype} ({})", bytes(*size, [", ", ""]))?;
    }
    if !others.is_empty() {
        let size = others.iter().map(|array| array.bytes).sum();
        write!(f, " and {} more arrays ({})", others.len(), bytes(size, [", ", ""]))?;
    }
    Ok(())
}

/// `3221225472 bytes` and, of 1 MiB and more, `3.0 GiB` between two texts.
fn bytes(bytes: u64, [before, after]: [&str; 2]) -> String {
    let (unit, name) = match bytes >> 20 {
        0 => return format!("{bytes} bytes"),
        1..1024 => (1 << 20, "MiB"),
        _ => (1 << 30, "GiB"),
    };
    format!("{bytes} bytes{before}{:.1} {name}{after}", bytes as f64 / f64::from(unit))
}

impl Error {
    /// An error of `operation` emitted at `place`.
    pub fn new(operation: &'static str, kind: ErrorKind, place: Place) -> Error {
        Error(Box::new(Inner { operation, kind, place }))
    }

    /// The operation that failed, by its NumPy name.
    pub fn operation(&self) -> &'static str {
        self.0.operation
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Where the operation was emitted.
    pub fn place(&self) -> Place {
        self.0.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} (at {})", self.0.operation, self.0.kind, self.0.place)
    }
}

impl fmt::Debug for Error {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// `a, b and c`.
fn list<T: fmt::Display>(items: &[T]) -> String {
    let texts: Vec<String> = items.iter().map(|t| t.to_string()).collect();
    match texts.split_last() {
        None => "none".to_string(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Broadcast { shapes } => {
                write!(f, "shapes {} do not broadcast", list(shapes))
            }
            ErrorKind::Shapes { shapes, expected } => {
                write!(f, "shapes {}: expected {expected}", list(shapes))
            }
            ErrorKind::DType { found, expected } => {
                write!(f, "element types {}: expected {expected}", list(found))
            }
            ErrorKind::Value { value, dtype } => {
                write!(f, "the integer {value} is out of bounds for {dtype}")
            }
            ErrorKind::Axis { axis, shape, repeated } => {
                let what = match (*repeated, *axis) {
                    (true, _) => "is given twice",
                    // What an isize cannot hold is here, too.
                    (false, isize::MAX) => "or more is out of range",
                    (false, _) => "is out of range",
                };
                write!(f, "axis {axis} {what} for shape {shape}")
            }
            ErrorKind::Index { message, shape } => write!(f, "{message} (shape {shape})"),
            ErrorKind::Reshape { from, to } => write!(
                f,
                "cannot reshape {from} ({} elements) to {to} ({} elements)",
                from.size(),
                to.size()
            ),
            ErrorKind::Overlap { shape } => write!(
                f,
                "the view of shape {shape} reaches an element more than once and cannot be written"
            ),
            ErrorKind::OutOfMemory {
                device,
                requested,
                in_use,
                limit,
                addresses,
                shape,
                dtype,
                live,
            } => {
                write!(
                    f,
                    "out of memory on {device}: {} for shape {shape} of {dtype}, {in_use} of {} in use",
                    bytes(*requested, [" (", ")"]),
                    bytes(*limit, [" (", ")"])
                )?;
                if *addresses {
                    f.write_str(
                        "; the process may not reserve more addresses: raise its limit (`ulimit -v`)",
                    )?;
                }
                list_live(f, live)
            }
            ErrorKind::Execution { message, shapes, dtypes } => {
                write!(f, "{message} (shapes {}, element types {})", list(shapes), list(dtypes))
            }
            ErrorKind::File { path, offset: Some(offset), reason } => {
                write!(f, "{path}: byte {offset}: {reason}")
            }
            ErrorKind::File { path, offset: None, reason } => write!(f, "{path}: {reason}"),
            ErrorKind::Argument { message } | ErrorKind::Runtime { message } => {
                f.write_str(message)
            }
        }
    }
}
