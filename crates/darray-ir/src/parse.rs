//! Windows from text; the form is [`crate::print`]'s. For tests and tools.
//!
//! Stores get their De Bruijn numbers (order of first use, outputs before inputs) whatever numbers
//! the text gives them, so `print(parse(text)) == text` for texts that are printed windows.

use crate::{Builtin, Distribution, Opaque, Privilege, StoreId, TaskArg, TaskArgs, TaskOp, Window};
use darray_core::{Chart, Dim, Map, Place, RealType, Scalar, Shape};
use darray_kernel::composite::Composite;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_kernel::random::BitGenerator;
use smallvec::SmallVec;
use std::fmt;

/// Text that is no window: the line's number (from 1) and what is wrong with it.
#[derive(Clone, PartialEq, Eq)]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// What was expected or not understood.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl fmt::Debug for ParseError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ParseError {}

type Parsed<T> = Result<T, String>;

impl Window {
    /// Reads a window. Empty lines and lines that start with `#` are skipped.
    pub fn parse(text: &str) -> Result<Window, ParseError> {
        let mut reader = Reader { window: Window::new(), declared: Vec::new() };
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                let at = |message| ParseError { line: number + 1, message };
                reader.line(line).map_err(at)?;
            }
        }
        Ok(reader.window)
    }
}

struct Declared {
    dtype: RealType,
    shape: Shape,
    initialised: bool,
    live: bool,
    is_replaced: bool,
    id: Option<StoreId>,
}

struct Reader {
    window: Window,
    declared: Vec<Declared>,
}

impl Reader {
    fn line(&mut self, line: &str) -> Parsed<()> {
        let (name, rest) = line.split_once(':').ok_or("expected `name: ...`")?;
        match name.as_bytes() {
            [b's', ..] => self.store(rest.trim()),
            [b't', ..] => self.task(rest.trim()),
            _ => Err(format!("expected a store or a task, found `{name}`")),
        }
    }

    fn store(&mut self, text: &str) -> Parsed<()> {
        let (dtype, rest) = text.split_once(' ').ok_or("expected `dtype [shape]`")?;
        let dtype = RealType::from_name(dtype).ok_or(format!("no element type `{dtype}`"))?;
        let (shape, flags) = shape(rest)?;
        let has = |word: &str| flags.split_whitespace().any(|f| f == word);
        let (initialised, live, is_replaced) = (has("initialised"), has("live"), has("replaced"));
        self.declared.push(Declared { dtype, shape, initialised, live, is_replaced, id: None });
        Ok(())
    }

    fn task(&mut self, text: &str) -> Parsed<()> {
        let (op, rest) = text.split_once(" over ").ok_or("expected `op over [..]: ..`")?;
        let (domain, rest) = shape(rest)?;
        let rest = rest.trim().strip_prefix(':').ok_or("expected `:` after the domain")?;
        let (outputs, inputs) = rest.split_once('=').ok_or("expected `outputs = inputs`")?;
        let mut op = operation(op.trim())?;
        let domain = self.window.intern_domain(&domain);
        let mut args: TaskArgs = SmallVec::new();
        let mut scalars: SmallVec<[Scalar; 2]> = SmallVec::new();
        for (k, output) in list(outputs).into_iter().enumerate() {
            args.push(self.arg(output, op.output_privilege(k))?);
        }
        for (position, input) in list(inputs).into_iter().enumerate() {
            if input.starts_with('s') {
                args.push(self.arg(input, Privilege::Read)?);
            } else {
                scalars.push(scalar(input)?);
                if let TaskOp::Apply { scalars, .. } | TaskOp::Composite { scalars, .. } = &mut op {
                    *scalars |= 1 << position;
                }
            }
        }
        self.window.push(op, "parsed", domain, args, scalars, Place::caller());
        Ok(())
    }

    fn arg(&mut self, text: &str, privilege: Privilege) -> Parsed<TaskArg> {
        let open = text.find(['[', '{']).ok_or(format!("expected `s0[..]`, found `{text}`"))?;
        let number: usize = text[1..open].parse().map_err(|_| format!("no store `{text}`"))?;
        let map = map(&text[open..])?;
        let declared = self.declared.get_mut(number).ok_or(format!("s{number} is not declared"))?;
        let window = &mut self.window;
        let store = *declared.id.get_or_insert_with(|| {
            let id = window.add_store(declared.dtype, &declared.shape, declared.initialised);
            window.set_live(id, declared.live);
            if declared.is_replaced {
                window.set_replaced(id);
            }
            id
        });
        let map = window.intern_map(&map);
        Ok(TaskArg { store, map, privilege })
    }
}

fn operation(text: &str) -> Parsed<TaskOp> {
    let unknown = || format!("no operation `{text}`");
    if let Some((name, compute)) = text.split_once('.') {
        let compute = RealType::from_name(compute).and_then(RealType::as_compute);
        let compute = compute.ok_or_else(unknown)?;
        if let Some(operator) = Operator::from_name(name) {
            return Ok(TaskOp::Apply { operator, compute, scalars: 0 });
        }
        let composite = Composite::from_name(name).ok_or_else(unknown)?;
        return Ok(TaskOp::Composite { composite, compute, scalars: 0 });
    }
    if let Some((name, argument)) = text.split_once('{') {
        let argument = argument.strip_suffix('}').ok_or_else(unknown)?;
        if name == "random" {
            let (generator, distribution) = argument.split_once(',').ok_or_else(unknown)?;
            return Ok(TaskOp::Random {
                generator: BitGenerator::from_name(generator).ok_or_else(unknown)?,
                distribution: Distribution::from_name(distribution.trim()).ok_or_else(unknown)?,
            });
        }
        if name == "inner_product" {
            let axis = argument.parse().map_err(|_| unknown())?;
            return Ok(TaskOp::InnerProduct { axis });
        }
        if name == "opaque" {
            return opaque(&list(argument)).map(TaskOp::Opaque).ok_or_else(unknown);
        }
        if let Some(builtin) = builtin(name, &list(argument)) {
            return Ok(TaskOp::Builtin(builtin));
        }
        let mut axes = 0u32;
        for axis in list(argument) {
            axes |= 1 << axis.parse::<u32>().map_err(|_| unknown())?;
        }
        if name == "arange" {
            return Ok(TaskOp::Arange { axes });
        }
        let reducer = Reducer::from_name(name).ok_or_else(unknown)?;
        return Ok(TaskOp::Reduce { reducer, axes });
    }
    match text {
        "copy" => Ok(TaskOp::Copy),
        "fill" => Ok(TaskOp::Fill),
        "below_diagonal" => Ok(TaskOp::BelowDiagonal),
        _ => builtin(text, &[]).map(TaskOp::Builtin).ok_or_else(unknown),
    }
}

fn opaque(numbers: &[&str]) -> Option<Opaque> {
    let &[definition, outputs, updated, whole] = numbers else { return None };
    Some(Opaque {
        definition: definition.parse().ok()?,
        outputs: outputs.parse().ok()?,
        updated: updated.parse().ok()?,
        whole: whole.parse().ok()?,
    })
}

fn builtin(name: &str, numbers: &[&str]) -> Option<Builtin> {
    let numbers: Vec<u8> = numbers.iter().map(|n| n.parse().ok()).collect::<Option<_>>()?;
    Builtin::parse(name, &numbers)
}

/// Splits at commas outside brackets; no items in blank text.
fn list(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim());
    items.retain(|item| !item.is_empty());
    items
}

/// A leading `[2, 3]` and the rest.
fn shape(text: &str) -> Parsed<(Shape, &str)> {
    let text = text.trim().strip_prefix('[').ok_or("expected `[`")?;
    let (inside, rest) = text.split_once(']').ok_or("expected `]`")?;
    let extent = |s: &str| s.parse::<usize>().map_err(|_| format!("no extent `{s}`"));
    let shape = list(inside).into_iter().map(extent).collect::<Parsed<Shape>>()?;
    Ok((shape, rest))
}

fn map(text: &str) -> Parsed<Map> {
    let chart = if text.starts_with('[') { Chart::Native } else { Chart::Linear };
    let inside = text.get(1..text.len() - 1).ok_or("expected `[..]`")?;
    Ok(Map { chart, dims: list(inside).into_iter().map(dim).collect::<Parsed<_>>()? })
}

fn dim(text: &str) -> Parsed<Dim> {
    let number = |s: &str| s.trim().parse::<i64>().map_err(|_| format!("no index `{text}`"));
    let (start, term) = match text.split_once(" + ") {
        Some((start, term)) => (number(start)?, term),
        None if text.contains('i') => (0, text),
        None => return Ok(Dim::fixed(number(text)?)),
    };
    let (step, axis) = match term.split_once('*') {
        Some((step, axis)) => (number(step)?, axis),
        None => (1, term),
    };
    let axis = axis.trim().strip_prefix('i').ok_or(format!("no axis `{axis}`"))?;
    Ok(Dim::along(number(axis)? as u8, start, step))
}

fn scalar(text: &str) -> Parsed<Scalar> {
    let unknown = || format!("no scalar `{text}`");
    let (value, dtype) = text.split_once(':').ok_or_else(unknown)?;
    let dtype = RealType::from_name(dtype).ok_or_else(unknown)?;
    Scalar::parse(dtype, value).ok_or_else(unknown)
}
