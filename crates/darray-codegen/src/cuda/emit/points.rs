//! Entries without a fold: one thread for the outermost region, a loop over parallel points.

use super::nodes::{At, Emitter, Unit};
use crate::cuda::plan::entries::is_store;
use crate::cuda::plan::fields::{Field, memory_type};
use crate::layout::StrideClass;
use crate::program::Node;
use darray_core::{Kind, RealType};

/// Operations of the outermost region.
pub(crate) fn single_body(emitter: &mut Emitter<'_>) {
    let plan = emitter.plan;
    emitter.nodes(&plan.before, &At::default());
    emitter.results();
}

/// The function of the elements of an entry whose vectors have a guard, see [`quick`](super::quick): it has every
/// case.
///
/// ```text
/// __device__ __noinline__ void darray_points_0_careful(
///     const darray_points_0_arguments &a, int from, int count) {
///     for (int e = 0; e < count; ++e) {
///         const int c0 = from + e; ..
/// ```
pub(crate) fn careful_function(emitter: &mut Emitter<'_>, name: &str) {
    let index = emitter.variant.index();
    let loops = emitter.variant.loops.len();
    let outer: String = (0..loops - 1).map(|l| format!("{index} c{l}, ")).collect();
    emitter.text.line(format!("__device__ __noinline__ void {name}_careful("));
    emitter.text.open(format!("    const {name}_arguments &a, {outer}{index} from, int count)"));
    emitter.prologue();
    emitter.text.line("#pragma unroll 1");
    emitter.text.open("for (int e = 0; e < count; ++e)");
    emitter.text.line(format!("const {index} c{} = from + e;", loops - 1));
    let coordinates: Vec<_> = (0..loops).map(|l| (l, format!("c{l}"))).collect();
    element(emitter, &coordinates);
    emitter.text.close();
    emitter.text.close();
    emitter.text.line("");
}

/// A loop over parallel points, several at once where the variant says so. `careful` is the entry's name where it
/// has a careful function.
///
/// ```text
/// for (int u = first; u < a.n; u += step) {          vectors
///     const int c0 = u * 2 + a.head;
///     const double2 e1 = __ldg((const double2 *)(a.p0 + k0));
///     for each element: ..
/// }
/// for (int u = first; u < a.rest; ..) { .. }         what is left of rows, one by one
/// ```
pub(crate) fn points_body(emitter: &mut Emitter<'_>, careful: Option<&str>) {
    let width = emitter.variant.vector;
    let index = emitter.variant.index();
    emitter.thread_loop();
    if width == 1 {
        emitter.text.open(format!("for ({index} u = first; u < a.n; u += step)"));
        point(emitter, Unit::Element);
        emitter.text.close();
        return;
    }
    emitter.text.open(format!("for ({index} u = first; u < a.n; u += step)"));
    vector(emitter, careful);
    emitter.text.close();
    if emitter.variant.rest {
        let rest = Field::Rest.path();
        emitter.text.open(format!("for ({index} u = first; u < {rest}; u += step)"));
        match careful {
            Some(name) => {
                let coordinates = emitter.decompose("u", Unit::Left);
                call_careful(emitter, name, &coordinates, 1);
            }
            None => point(emitter, Unit::Left),
        }
        emitter.text.close();
    }
}

fn point(emitter: &mut Emitter<'_>, unit: Unit) {
    let coordinates = emitter.decompose("u", unit);
    element(emitter, &coordinates);
    let plan = emitter.plan;
    for &value in &plan.spilled {
        let (place, name) = (Field::Spill(value).path(), emitter.value(value));
        emitter.text.line(format!("{place}[u] = {name};"));
    }
}

fn element(emitter: &mut Emitter<'_>, coordinates: &[(usize, String)]) {
    let plan = emitter.plan;
    let used: Vec<u16> = plan.before.iter().filter_map(Node::access).collect();
    let at = emitter.kept_place(coordinates, &used);
    emitter.nodes(&plan.before, &at);
}

fn call_careful(emitter: &mut Emitter<'_>, name: &str, coordinates: &[(usize, String)], count: u8) {
    let from: Vec<&str> = coordinates.iter().map(|(_, c)| c.as_str()).collect();
    emitter.text.line(format!("{name}_careful(a, {}, {count});", from.join(", ")));
}

/// Several points: all loads, then the operations of each element, then the stores, under
/// the guard where there is one.
fn vector(emitter: &mut Emitter<'_>, careful: Option<&str>) {
    let plan = emitter.plan;
    let width = emitter.variant.vector;
    let coordinates = emitter.decompose("u", Unit::Vector);
    let used: Vec<u16> = plan.before.iter().filter_map(Node::access).collect();
    let mut at = emitter.kept_place(&coordinates, &used);
    for node in &plan.before {
        if let Node::Load { access, result } = node {
            let offset = emitter.offset(*access, &at);
            if emitter.moves(*access) {
                load_vector(emitter, *access, &offset);
            } else {
                let value = emitter.load(*access, &offset);
                emitter.define(*result, &value);
            }
        }
    }
    for node in &plan.before {
        if let Node::Store { access, mask: None, .. } = node {
            let pack = Pack::of(emitter.access_dtype(*access), width);
            let zero = if pack.per_part > 1 { " = {}" } else { "" };
            emitter.text.line(format!("{} y{access}[{}]{zero};", pack.part, pack.parts));
        }
    }
    if careful.is_some() {
        emitter.text.line("darray_guard guard = {~0u, ~0u, true};");
        emitter.guarded = Some(emitter.facts());
    }
    emitter.text.line("#pragma unroll");
    emitter.text.open(format!("for (int e = 0; e < {width}; ++e)"));
    let inner = emitter.variant.loops.len() - 1;
    if let Some(axis) = emitter.variant.loops[inner] {
        at.indices[axis as usize] = format!("c{inner} + e");
    }
    for node in &plan.before {
        match node {
            Node::Load { access, result } => {
                if emitter.moves(*access) {
                    let dtype = emitter.access_dtype(*access);
                    let value = Pack::of(dtype, width).element(dtype, *access);
                    emitter.define(*result, &value);
                }
            }
            Node::Store { access, value, mask: None } => {
                let (access, pack) = (*access, Pack::of(emitter.access_dtype(*access), width));
                let value = emitter.value(*value);
                emitter.text.line(pack.set_element(access, &value));
            }
            Node::Store { access, value, mask: Some(mask) } => {
                let offset = emitter.offset(*access, &at);
                let offset = if offset.is_empty() { "e".to_string() } else { offset + " + e" };
                let element = emitter.element(*access, &offset);
                let (mask, value) = (emitter.value(*mask), emitter.value(*value));
                emitter.text.line(format!("if ({mask}) {element} = {value};"));
            }
            _ => {
                let (result, value) = emitter.computed(node, &at);
                emitter.define(result, &value);
            }
        }
    }
    emitter.text.close();
    emitter.guarded = None;
    if careful.is_some() {
        emitter.text.open("if (darray_common(guard))");
    }
    for node in plan.before.iter().filter(|node| is_store(node)) {
        if let Node::Store { access, mask: None, .. } = node {
            let pack = Pack::of(emitter.access_dtype(*access), width);
            let element = address(*access, &emitter.offset(*access, &at));
            let parts: Vec<String> = (0..pack.parts).map(|k| format!("y{access}[{k}]")).collect();
            let (ty, parts) = (pack.ty, parts.join(", "));
            emitter.text.line(format!("*({ty} *)({element}) = make_{ty}({parts});"));
        }
    }
    if let Some(name) = careful {
        emitter.text.otherwise();
        // The loop stands in the function: beside a loop of calls, NVRTC 13.0 reads arguments anew.
        call_careful(emitter, name, &coordinates, width);
        emitter.text.close();
    }
}

/// `const double2 e1 = ..;` and its parts as an array `q1`. A vector that is not aligned is made of two that
/// are, `e1` and `f1`.
fn load_vector(emitter: &mut Emitter<'_>, access: u16, offset: &str) {
    let pack = Pack::of(emitter.access_dtype(access), emitter.variant.vector);
    let position = emitter.position(access);
    let shift = position.and_then(|at| emitter.variant.shifts.get(at)).copied().unwrap_or(0);
    let parts = |name: char| "xyzw".chars().map(move |part| format!("{name}{access}.{part}"));
    let mut all: Vec<String> = parts('e').take(pack.parts).collect();
    if shift == 0 {
        let value = vector_at(emitter, access, offset, &pack);
        emitter.text.line(format!("const {} e{access} = {value};", pack.ty));
    } else {
        let (low, high) = (format!("{offset} - {shift}"), pack.parts as u8 - shift);
        let value = vector_at(emitter, access, &low, &pack);
        emitter.text.line(format!("const {} e{access} = {value};", pack.ty));
        let value = vector_at(emitter, access, &format!("{offset} + {high}"), &pack);
        emitter.text.line(format!("const {} f{access} = {value};", pack.ty));
        all.extend(parts('f').take(pack.parts));
        all.rotate_left(shift as usize);
        all.truncate(pack.parts);
    }
    let (part, parts) = (pack.part, all.join(", "));
    emitter.text.line(format!("const {part} q{access}[{}] = {{{parts}}};", pack.parts));
}

/// The vector that begins at an element.
pub(crate) fn vector_at(emitter: &Emitter<'_>, access: u16, offset: &str, pack: &Pack) -> String {
    let place = format!("(const {} *)({})", pack.ty, address(access, offset));
    if emitter.is_constant(access) { format!("__ldg({place})") } else { format!("*{place}") }
}

fn address(access: u16, offset: &str) -> String {
    let plus = if offset.is_empty() { "" } else { " + " };
    format!("{}{plus}{offset}", Field::Base(access).path())
}

impl Emitter<'_> {
    /// The names `first` and `step` of a loop over what the threads of the grid do one by one.
    pub fn thread_loop(&mut self) {
        let index = self.variant.index();
        self.text
            .line(format!("const {index} first = ({index})blockIdx.x * blockDim.x + threadIdx.x;"));
        self.text.line(format!("const {index} step = ({index})gridDim.x * blockDim.x;"));
    }

    /// Whether an access moves along the last parallel loop.
    fn moves(&self, access: u16) -> bool {
        let inner = self.variant.loops.len() - 1;
        let at = self.position(access);
        at.is_some_and(|at| self.variant.class(at, inner) != StrideClass::Still)
    }
}

/// A vector type of CUDA that holds some elements.
pub(crate) struct Pack {
    pub ty: &'static str,
    /// The type of its parts, and how many it has.
    part: &'static str,
    parts: usize,
    /// Elements in a part: several small ones stand in one of 32 bits.
    per_part: usize,
    /// What takes the copies of the sign off an element that stands there.
    bits: &'static str,
}

impl Pack {
    pub fn of(dtype: RealType, width: u8) -> Pack {
        let is_signed = dtype.kind() == Kind::Signed;
        let (ty, parts, per_part) = match (dtype.size(), width) {
            (8, _) if dtype.is_float() => ("double2", 2, 1),
            (8, _) => ("longlong2", 2, 1),
            (4, 2) if dtype.is_float() => ("float2", 2, 1),
            (4, _) if dtype.is_float() => ("float4", 4, 1),
            (4, 2) => ("int2", 2, 1),
            (4, _) => ("int4", 4, 1),
            (2, 2) if is_signed => ("short2", 2, 1),
            (2, 4) if is_signed => ("short4", 4, 1),
            (1, 2) if is_signed => ("char2", 2, 1),
            (1, 4) if is_signed => ("char4", 4, 1),
            (2, 2) => ("ushort2", 2, 1),
            (2, 4) => ("ushort4", 4, 1),
            (2, _) => ("uint4", 4, 2),
            (_, 2) => ("uchar2", 2, 1),
            (_, 4) => ("uchar4", 4, 1),
            (_, 8) => ("uint2", 2, 4),
            (_, _) => ("uint4", 4, 4),
        };
        let part = if per_part > 1 { "unsigned" } else { memory_type(dtype) };
        let bits = match (dtype.kind(), dtype.size()) {
            (Kind::Signed, 1) => "(unsigned char)",
            (Kind::Signed, 2) => "(unsigned short)",
            _ => "",
        };
        Pack { ty, part, parts, per_part, bits }
    }

    /// Element `e` of a loaded vector.
    fn element(&self, dtype: RealType, access: u16) -> String {
        let element = match self.per_part {
            1 => format!("q{access}[e]"),
            n => format!("({})(q{access}[e / {n}] >> e % {n} * {})", memory_type(dtype), 32 / n),
        };
        super::nodes::from_memory(dtype, &element)
    }

    /// Puts a value where element `e` of a vector that will be stored is.
    fn set_element(&self, access: u16, value: &str) -> String {
        match self.per_part {
            1 => format!("y{access}[e] = {value};"),
            n => {
                let bits = format!("(unsigned){}{value}", self.bits);
                format!("y{access}[e / {n}] |= {bits} << e % {n} * {};", 32 / n)
            }
        }
    }
}
