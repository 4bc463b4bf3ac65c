//! The text of an entry: its argument structure and its function.

use super::combine::combine_body;
use super::leaves::leaves_body;
use super::nodes::Emitter;
use super::points::{careful_function, points_body, single_body};
use crate::cuda::language::operators::Functions;
use crate::cuda::plan::entries::{Plan, Role};
use crate::cuda::plan::fields::fields;
use crate::cuda::plan::kernel_plan::KernelPlan;
use crate::cuda::plan::variant::{BLOCK, NestVariant};

/// The name of an entry.
pub(crate) fn entry_name(number: usize, plan: &Plan) -> String {
    let role = match plan.role {
        Role::Single => "single",
        Role::Points => "points",
        Role::Leaves { .. } => "leaves",
        Role::Combine => "combine",
    };
    format!("darray_{role}_{number}")
}

/// The argument structure and the function of an entry.
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
    plan: &Plan,
    variant: &NestVariant,
    functions: &mut Functions,
) -> String {
    let mut emitter = Emitter::new(kernel, plan, variant, functions);
    emitter.text.open(format!("struct {name}_arguments"));
    for field in fields(&kernel.program, plan, variant) {
        emitter.text.line(field.declaration(&kernel.program, plan, variant));
    }
    emitter.text.close_with("};");
    emitter.text.line("");
    let careful = kernel.guard(plan.nest, variant).map(|_| name);
    if let Some(name) = careful {
        careful_function(&mut emitter, name);
    }
    let bounds = if plan.role == Role::Single { 1 } else { BLOCK };
    emitter.text.line(format!("extern \"C\" __global__ void __launch_bounds__({bounds}) {name}("));
    // A reference is passed on where it is constant. Elsewhere it is not, see arg.cuh.
    let passed = if careful.is_some() { "const __grid_constant__ " } else { "" };
    emitter.text.open(format!("    {passed}{name}_arguments a)"));
    emitter.prologue();
    match plan.role {
        Role::Single => single_body(&mut emitter),
        Role::Points => points_body(&mut emitter, careful),
        Role::Leaves { finish } => leaves_body(&mut emitter, finish),
        Role::Combine => combine_body(&mut emitter),
    }
    emitter.text.close();
    emitter.text.finish()
}
