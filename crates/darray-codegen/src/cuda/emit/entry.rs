//! The text of an entry: its argument structure and its function.

use super::combine::combine_body;
use super::leaves::leaves_body;
use super::nodes::Emitter;
use super::points::{careful_function, points_body, single_body};
use crate::cuda::language::operators::Functions;
use crate::cuda::language::text::Text;
use crate::cuda::plan::entries::Role;
use crate::cuda::plan::fields::fields;
use crate::cuda::plan::kernel_plan::{Entry, KernelPlan};
use crate::cuda::plan::variant::BLOCK;

/// The name of an entry.
pub(crate) fn entry_name(number: usize, entry: &Entry<'_>) -> String {
    let role = match &entry[..] {
        [(plan, _)] => role_name(plan.role),
        _ => "nests",
    };
    format!("darray_{role}_{number}")
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::Single => "single",
        Role::Points => "points",
        Role::Leaves { .. } => "leaves",
        Role::Combine => "combine",
    }
}

/// The argument structure and the function of an entry. One of several parts has a function for each, which one block calls in turn.
///
/// ```text
/// struct darray_points_0_arguments {
///     alignas(8) const double *p0;
///     alignas(8) int n;
/// };
///
/// extern "C" __global__ void __launch_bounds__(256) darray_points_0(
///     darray_points_0_arguments a) { .. }
/// ```
pub(crate) fn entry_text(
    kernel: &KernelPlan,
    name: &str,
    entry: &Entry<'_>,
    functions: &mut Functions,
) -> String {
    if let [(plan, variant)] = entry[..] {
        let mut emitter = Emitter::new(kernel, plan, variant, functions);
        let careful = declarations(kernel, &mut emitter, name);
        let bounds = if plan.role == Role::Single { 1 } else { BLOCK };
        emitter
            .text
            .line(format!("extern \"C\" __global__ void __launch_bounds__({bounds}) {name}("));
        // A reference is passed on where it is constant. Elsewhere it is not, see arg.cuh.
        let passed = if careful.is_some() { "const __grid_constant__ " } else { "" };
        emitter.text.open(format!("    {passed}{name}_arguments a)"));
        body(&mut emitter, careful);
        emitter.text.close();
        return emitter.text.finish();
    }
    let mut text = String::new();
    for (number, &(plan, variant)) in entry.iter().enumerate() {
        let mut emitter = Emitter::new(kernel, plan, variant, functions);
        let part = format!("{name}_{number}");
        let careful = declarations(kernel, &mut emitter, &part);
        emitter
            .text
            .open(format!("__device__ __forceinline__ void {part}(const {part}_arguments &a)"));
        if plan.role == Role::Single {
            emitter.text.open("if (threadIdx.x == 0)");
        }
        body(&mut emitter, careful);
        if plan.role == Role::Single {
            emitter.text.close();
        }
        emitter.text.close();
        text.push_str(&emitter.text.finish());
        text.push('\n');
    }
    text + &calls(name, entry.len())
}

/// The entry that calls its parts in turn: each thread waits for the others between two.
fn calls(name: &str, parts: usize) -> String {
    let mut text = Text::default();
    text.open(format!("struct {name}_arguments"));
    (0..parts).for_each(|part| text.line(format!("{name}_{part}_arguments a{part};")));
    text.close_with("};");
    text.line("");
    text.line(format!("extern \"C\" __global__ void __launch_bounds__({BLOCK}) {name}("));
    text.open(format!("    const __grid_constant__ {name}_arguments a)"));
    for part in 0..parts {
        if part > 0 {
            text.line("__syncthreads();");
        }
        text.line(format!("{name}_{part}(a.a{part});"));
    }
    text.close();
    text.finish()
}

/// The argument structure of a part, and the careful function if it has one: then its name.
fn declarations<'n>(
    kernel: &KernelPlan,
    emitter: &mut Emitter<'_>,
    name: &'n str,
) -> Option<&'n str> {
    let (plan, variant) = (emitter.plan, emitter.variant);
    emitter.text.open(format!("struct {name}_arguments"));
    for field in fields(&kernel.program, plan, variant) {
        emitter.text.line(field.declaration(&kernel.program, plan, variant));
    }
    emitter.text.close_with("};");
    emitter.text.line("");
    let careful = kernel.guard(plan.nest, variant).map(|_| name);
    if let Some(name) = careful {
        careful_function(emitter, name);
    }
    careful
}

fn body(emitter: &mut Emitter<'_>, careful: Option<&str>) {
    emitter.prologue();
    match emitter.plan.role {
        Role::Single => single_body(emitter),
        Role::Points => points_body(emitter, careful),
        Role::Leaves { finish } => leaves_body(emitter, finish),
        Role::Combine => combine_body(emitter),
    }
}
