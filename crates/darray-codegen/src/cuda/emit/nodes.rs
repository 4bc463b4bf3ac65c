//! Operations as C statements.

use crate::cuda::language::literal::{c_type, literal};
use crate::cuda::language::operators::Functions;
use crate::cuda::language::text::Text;
use crate::cuda::plan::cells::Source;
use crate::cuda::plan::entries::Plan;
use crate::cuda::plan::fields::{Field, memory_type};
use crate::cuda::plan::kernel_plan::KernelPlan;
use crate::cuda::plan::ranges::Facts;
use crate::cuda::plan::variant::NestVariant;
use crate::layout::StrideClass;
use crate::program::{Nest, Node, Program};
use darray_core::{Kind, RealType};
use darray_kernel::ir::{Role as BufferRole, Value};

/// Writes an entry.
pub(crate) struct Emitter<'e> {
    pub program: &'e Program,
    pub nest: &'e Nest,
    pub plan: &'e Plan,
    pub variant: &'e NestVariant,
    pub functions: &'e mut Functions,
    pub text: Text,
    /// Set where a guard is at hand.
    pub guarded: Option<Facts>,
    pub sources: &'e [Option<Source>],
    /// What a value is called, where it has been computed.
    names: Vec<Option<String>>,
}

/// Where operations stand: what indices and addresses are there.
#[derive(Clone, Debug, Default)]
pub(crate) struct At {
    /// Elements from the base of every access of the nest; empty for none.
    pub offsets: Vec<String>,
    /// Index of every axis from the tile's origin; empty for 0.
    pub indices: Vec<String>,
}

/// What the iterations of a loop over the parallel points stand for.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Unit {
    Element,
    /// The first element of a vector.
    Vector,
    /// An element of a row that is in none of its vectors.
    Left,
}

impl<'e> Emitter<'e> {
    pub fn new(
        kernel: &'e KernelPlan,
        plan: &'e Plan,
        variant: &'e NestVariant,
        functions: &'e mut Functions,
    ) -> Emitter<'e> {
        let program = &kernel.program;
        Emitter {
            program,
            nest: &program.nests[plan.nest],
            plan,
            variant,
            functions,
            text: Text::default(),
            guarded: None,
            sources: &kernel.sources,
            names: vec![None; program.dtypes.len()],
        }
    }

    /// Values of the outermost region: read from cells, or computed again.
    pub fn prologue(&mut self) {
        for &value in &self.plan.cells {
            let Some(Source::Cell(cell)) = self.sources[value.0 as usize] else { continue };
            let dtype = self.dtype(value);
            let place = format!("*(const {} *)(a.cells + {cell})", memory_type(dtype));
            self.define(value, &from_memory(dtype, &place));
        }
        self.nodes(&self.plan.prologue, &At::default());
    }

    /// Writes the values that other entries read from cells.
    pub fn results(&mut self) {
        for &value in &self.plan.results {
            let Some(Source::Cell(cell)) = self.sources[value.0 as usize] else { continue };
            let (ty, name) = (memory_type(self.dtype(value)), self.value(value));
            self.text.line(format!("*({ty} *)(a.cells + {cell}) = {name};"));
        }
    }

    /// The statements of operations, at a place.
    pub fn nodes(&mut self, nodes: &[Node], at: &At) {
        for node in nodes {
            self.node(node, at);
        }
    }

    fn node(&mut self, node: &Node, at: &At) {
        match node {
            Node::Load { result, access } => {
                let offset = self.offset(*access, at);
                let value = self.load(*access, &offset);
                self.define(*result, &value);
            }
            Node::Store { access, value, mask } => {
                let element = self.element(*access, &self.offset(*access, at));
                let condition = mask.map_or(String::new(), |m| format!("if ({}) ", self.value(m)));
                let value = self.value(*value);
                self.text.line(format!("{condition}{element} = {value};"));
            }
            Node::Yield { .. } => unreachable!("yields belong to the end of a fold"),
            _ => {
                let (result, value) = self.computed(node, at);
                self.define(result, &value);
            }
        }
    }

    /// The result of an operation that touches no memory, and its expression.
    pub fn computed(&mut self, node: &Node, at: &At) -> (Value, String) {
        match node {
            Node::Index { result, axis } => {
                let origin = Field::Origin(*axis).path();
                let index = at.indices.get(*axis as usize).map_or("", String::as_str);
                let sum = if index.is_empty() { origin } else { format!("{origin} + {index}") };
                (*result, sum)
            }
            Node::Random { result, generator, key, counter } => {
                let key = key.map(|word| self.value(word));
                let counter = self.value(*counter);
                let dtype = self.dtype(*result);
                (*result, self.functions.random(*generator, dtype, &key, &counter))
            }
            Node::Apply { result, operator, args } => {
                if let Some(quick) = self.quick(*result, *operator, args) {
                    return (*result, quick);
                }
                let inputs: Vec<RealType> = args.iter().map(|&arg| self.dtype(arg)).collect();
                let args: Vec<String> = args.iter().map(|&arg| self.value(arg)).collect();
                (*result, self.functions.apply(*operator, &inputs, &args))
            }
            Node::Load { .. } | Node::Store { .. } | Node::Yield { .. } => {
                unreachable!("it touches memory")
            }
        }
    }

    /// Gives a value its name, and the name this expression.
    pub fn define(&mut self, value: Value, expression: &str) {
        let ty = c_type(self.dtype(value));
        let name = self.name(value);
        self.text.line(format!("const {ty} {name} = {expression};"));
    }

    /// Gives a value its name.
    pub fn name(&mut self, value: Value) -> String {
        let name = format!("v{}", value.0);
        self.names[value.0 as usize] = Some(name.clone());
        name
    }

    /// What a value is called.
    pub fn value(&self, value: Value) -> String {
        if let Some(name) = &self.names[value.0 as usize] {
            return name.clone();
        }
        match self.sources[value.0 as usize] {
            Some(Source::Constant(scalar)) => literal(scalar),
            Some(Source::Argument(index)) => Field::Scalar(index).path(),
            _ => unreachable!("%{} is used before it is computed", value.0),
        }
    }

    /// An element of memory.
    pub fn element(&self, access: u16, offset: &str) -> String {
        let base = Field::Base(access).path();
        if offset.is_empty() { format!("*{base}") } else { format!("{base}[{offset}]") }
    }

    /// The value of an element of memory.
    pub fn load(&self, access: u16, offset: &str) -> String {
        from_memory(self.access_dtype(access), &self.stored(access, offset))
    }

    /// An element of memory, as it is stored there.
    pub fn stored(&self, access: u16, offset: &str) -> String {
        if !self.is_constant(access) {
            return self.element(access, offset);
        }
        let plus = if offset.is_empty() { "" } else { " + " };
        format!("__ldg({}{plus}{offset})", Field::Base(access).path())
    }

    /// Whether nothing stores into the memory of an access while the kernel runs: it may be read
    /// through the read-only path.
    pub fn is_constant(&self, access: u16) -> bool {
        let buffer = &self.program.buffers[self.program.accesses[access as usize].buffer as usize];
        buffer.no_alias && buffer.role == BufferRole::Read
    }

    pub fn dtype(&self, value: Value) -> RealType {
        self.program.dtypes[value.0 as usize]
    }

    /// The type of the elements that an access reaches.
    pub fn access_dtype(&self, access: u16) -> RealType {
        self.program.buffers[self.program.accesses[access as usize].buffer as usize].dtype
    }

    /// Where an access stands among the nest's; none for those of other nests.
    pub fn position(&self, access: u16) -> Option<usize> {
        self.nest.accesses.iter().position(|&(other, _)| other == access)
    }

    pub fn offset(&self, access: u16, at: &At) -> String {
        let position = self.position(access);
        position.and_then(|p| at.offsets.get(p)).cloned().unwrap_or_default()
    }

    /// `c0 * a.s1_0 + c1`: how far a pattern moves for coordinates along some of its dimensions.
    pub fn moved(&self, pattern: usize, coordinates: &[(usize, String)]) -> Vec<String> {
        let term = |(dim, coordinate): &(usize, String)| {
            let class = self.variant.patterns.pattern(pattern)[*dim];
            match Field::stride(class, pattern as u16, *dim as u8) {
                Some(stride) => Some(format!("{coordinate} * {}", stride.path())),
                None => (class != StrideClass::Still).then(|| coordinate.clone()),
            }
        };
        coordinates.iter().filter_map(term).collect()
    }

    /// Coordinates `c0, c1, ..` of the parallel loops from a linear index, with their dimensions.
    pub fn decompose(&mut self, linear: &str, unit: Unit) -> Vec<(usize, String)> {
        let index = self.variant.index();
        let loops = self.variant.loops.len();
        let mut rest = linear.to_string();
        for l in (0..loops).rev() {
            let unit = if l + 1 == loops { unit } else { Unit::Element };
            let mut here = rest.clone();
            if l > 0 {
                let extent = match unit {
                    Unit::Left => Field::RestOfRow.path(),
                    _ => Field::Extent(l as u8).path(),
                };
                here = format!("{rest} % {extent}");
                self.text.line(format!("const {index} d{l} = {rest} / {extent};"));
                rest = format!("d{l}");
            }
            let coordinate = match unit {
                Unit::Element => here,
                Unit::Vector if self.variant.rest => {
                    format!("{here} * {} + {}", self.variant.vector, Field::Head.path())
                }
                Unit::Vector => format!("{here} * {}", self.variant.vector),
                Unit::Left => {
                    self.text.line(format!("const {index} left = {here};"));
                    let (head, covered) = (Field::Head.path(), Field::Covered.path());
                    format!("left < {head} ? left : left + {covered}")
                }
            };
            self.text.line(format!("const {index} c{l} = {coordinate};"));
        }
        (0..loops).map(|l| (l, format!("c{l}"))).collect()
    }

    /// The place of the outer level at these coordinates; names the offset of every pattern in use.
    pub fn kept_place(&mut self, coordinates: &[(usize, String)], used: &[u16]) -> At {
        let index = self.variant.index();
        let positions: Vec<usize> = used.iter().filter_map(|&a| self.position(a)).collect();
        let mut offsets = vec![String::new(); self.nest.accesses.len()];
        for pattern in 0..self.variant.patterns.count() {
            let of = |&&at: &&usize| self.variant.patterns.number(at) == pattern;
            let users: Vec<usize> = positions.iter().filter(of).copied().collect();
            let terms = self.moved(pattern, coordinates);
            if users.is_empty() || terms.is_empty() {
                continue;
            }
            let name = format!("k{pattern}");
            self.text.line(format!("const {index} {name} = {};", terms.join(" + ")));
            users.into_iter().for_each(|at| offsets[at].clone_from(&name));
        }
        let mut indices = vec![String::new(); self.nest.axes.len()];
        for (l, axis) in self.variant.loops.iter().enumerate() {
            if let Some(axis) = axis {
                indices[*axis as usize] = format!("c{l}");
            }
        }
        At { offsets, indices }
    }
}

/// A value of this type from an element in memory.
pub(crate) fn from_memory(dtype: RealType, element: &str) -> String {
    if dtype.kind() == Kind::Bool { format!("{element} != 0") } else { element.to_string() }
}
