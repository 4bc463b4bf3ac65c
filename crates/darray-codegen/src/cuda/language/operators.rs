//! Operators, draws and reducers as CUDA C expressions, and the device functions that they call.
//!
//! Elementary functions come from their [traces](darray_kernel::function::trace); the other rows of the
//! operator table are C operators, intrinsics, or functions of `kernels/*.cuh`.

use super::literal::{c_type, literal};
use super::math::{Math, libdevice};
use super::trace;
use darray_core::{Compute, Kind, RealType, Scalar};
use darray_kernel::function::trace::Table;
use darray_kernel::ir::Reducer;
use darray_kernel::operator::Operator;
use darray_kernel::random::BitGenerator;
use std::fmt::Write;

/// Whole files of device functions.
const INTEGERS: &str = include_str!("../../../kernels/integers.cuh");
const HALF: &str = include_str!("../../../kernels/half.cuh");
const BRAIN: &str = include_str!("../../../kernels/brain.cuh");
const RANDOM: &str = include_str!("../../../kernels/random.cuh");
const ARG: &str = include_str!("../../../kernels/arg.cuh");

/// The device functions that a text calls, in the order of their first use.
#[derive(Default)]
pub(crate) struct Functions {
    defined: Vec<(String, String)>,
    tables: Vec<Table>,
    math: Math,
}

impl Functions {
    /// None yet.
    pub fn new(math: Math) -> Functions {
        Functions { math, ..Functions::default() }
    }

    /// Whether [`apply`](Self::apply) has an expression for an operator of operands of these types.
    pub fn knows(operator: Operator, inputs: &[RealType]) -> bool {
        let args: Vec<String> = inputs.iter().map(|_| "0".to_string()).collect();
        Functions::default().expression(operator, inputs, &args).is_some()
    }

    /// `operator` applied to operands of these types. `args` are expressions without side effects,
    /// in parentheses where they are more than a name or a number; so is the result.
    ///
    /// # Panics
    ///
    /// If [`knows`](Self::knows) says no.
    pub fn apply(&mut self, operator: Operator, inputs: &[RealType], args: &[String]) -> String {
        let expression = self.expression(operator, inputs, args);
        expression.unwrap_or_else(|| panic!("{operator} of {inputs:?} has no expression"))
    }

    fn expression(
        &mut self,
        operator: Operator,
        inputs: &[RealType],
        args: &[String],
    ) -> Option<String> {
        let signature = operator.signature(inputs)?;
        if self.math == Math::Libdevice
            && let Some(name) = libdevice(operator, signature.output)
        {
            return Some(format!("{name}({})", args.join(", ")));
        }
        if let Some(trace) = signature.trace {
            let name = format!("darray_{}_{}", operator.name(), signature.output);
            if !self.is_defined(&name) {
                let tables = &mut self.tables;
                let text = trace::definition(&name, trace(), |table| table_name(tables, table));
                self.defined.push((name.clone(), text));
            }
            return Some(format!("{name}({})", args.join(", ")));
        }
        // f16 and bf16 lie in memory as their bits.
        for (float, before) in [(inputs[0], "float_of_"), (signature.output, "")] {
            if float.is_float() && float.is_narrow() {
                let (name, file, text) = match float.kind() {
                    Kind::Brain => ("brain", "brain.cuh", BRAIN),
                    _ => ("half", "half.cuh", HALF),
                };
                self.file(file, text);
                return Some(format!("darray_{before}{name}({})", args[0]));
            }
        }
        self.primitive(operator, inputs, signature.output, args)
    }

    /// Draw number `counter` of a random stream as `dtype`.
    pub fn random(
        &mut self,
        generator: BitGenerator,
        dtype: RealType,
        key: &[String; 4],
        counter: &str,
    ) -> String {
        self.file("random.cuh", RANDOM);
        let name = generator.name();
        let number = |n: &str| format!("darray_{name}({}, {n})", key.join(", "));
        let counter = format!("(unsigned long long){counter}");
        match Compute::of(dtype) {
            Compute::F64 => format!("darray_unit({})", number(&counter)),
            Compute::F32 => {
                format!("darray_unit_half({}, {counter})", number(&format!("({counter}) / 2")))
            }
            _ => format!("(long long){}", number(&counter)),
        }
    }

    /// The type of a reducer's accumulators: that of the values, for arg-reducers a struct of `value`
    /// and `index`.
    pub fn accumulator(&mut self, reducer: Reducer, dtype: RealType) -> String {
        if reducer.has_index() {
            self.file("arg.cuh", ARG);
            return format!("darray_arg<{}>", c_type(dtype));
        }
        c_type(dtype).to_string()
    }

    /// Two accumulators of a reducer as one, the earlier one first.
    pub fn combine(&mut self, reducer: Reducer, dtype: RealType, a: &str, b: &str) -> String {
        match reducer.operator() {
            Some(operator) => self.apply(operator, &[dtype; 2], &[a.to_string(), b.to_string()]),
            None => {
                self.file("arg.cuh", ARG);
                format!("darray_{}({a}, {b})", reducer.name())
            }
        }
    }

    /// Everything called so far, to stand in front of the kernels.
    pub fn definitions(&self) -> String {
        let mut text = String::new();
        for (number, table) in self.tables.iter().enumerate() {
            let values: Vec<String> = table.0.iter().map(|&v| literal(v.into())).collect();
            let name = format!("darray_table_{number}[{}]", values.len());
            writeln!(text, "__device__ const double {name} = {{").expect("a string");
            for row in values.chunks(4) {
                writeln!(text, "    {},", row.join(", ")).expect("a string");
            }
            text.push_str("};\n\n");
        }
        for (_, definition) in &self.defined {
            text.push_str(definition);
            text.push('\n');
        }
        text
    }

    pub fn is_defined(&self, name: &str) -> bool {
        self.defined.iter().any(|(defined, _)| defined == name)
    }

    /// A text that stands in front once.
    pub fn file(&mut self, name: &str, text: &str) {
        if !self.is_defined(name) {
            self.defined.push((name.to_string(), text.to_string()));
        }
    }

    /// A row of the table that is no elementary function; none for rows that have no expression here.
    fn primitive(
        &mut self,
        operator: Operator,
        inputs: &[RealType],
        output: RealType,
        args: &[String],
    ) -> Option<String> {
        use Compute::{Bool, F32, F64, I32, I64, U64};
        use Operator::*;
        let dtype = inputs[inputs.len() - 1];
        let compute = Compute::of(dtype);
        let a = args[0].as_str();
        let b = args.get(1).map_or("", String::as_str);
        let infix = |operator: &str| format!("({a} {operator} {b})");
        let call = |name: &str| format!("{name}({})", args.join(", "));
        // A function of doubles and its twin of floats.
        let named = |name: &str| call(&format!("{name}{}", if compute == F32 { "f" } else { "" }));
        let rounded =
            |name: &str| call(&format!("__{}{name}_rn", if compute == F32 { 'f' } else { 'd' }));
        // Overflow of signed integers is undefined in C, so they are computed with as unsigned ones.
        let unsigned = if dtype.size() == 8 { "unsigned long long" } else { "unsigned" };
        let wrapping = |a: &str, operator: &str, b: &str| {
            format!("({})(({unsigned}){a} {operator} ({unsigned}){b})", c_type(dtype))
        };
        let float = dtype.is_float();
        let infinity = || literal(Scalar::from(f64::INFINITY).cast(dtype));
        Some(match operator {
            Add | Sub | Mul | Square if float => match operator {
                Add => rounded("add"),
                Sub => rounded("sub"),
                Mul => rounded("mul"),
                _ => {
                    self.primitive(Mul, &[dtype; 2], dtype, &[args[0].clone(), args[0].clone()])?
                }
            },
            Add => wrapping(a, "+", b),
            Sub => wrapping(a, "-", b),
            Mul => wrapping(a, "*", b),
            Square => wrapping(a, "*", a),
            MulHigh => format!("(long long)__umul64hi({a}, {b})"),
            Div => rounded("div"),
            Neg if float => format!("(-{a})"),
            Neg => wrapping("0", "-", a),
            Abs if float => named("fabs"),
            Abs if compute == U64 => a.to_string(),
            Abs => format!("({a} < 0 ? {} : {a})", wrapping("0", "-", a)),
            Sqrt => rounded("sqrt"),
            Minimum if compute == Bool => infix("&&"),
            Maximum if compute == Bool => infix("||"),
            Minimum => format!("({a} < {b} ? {a} : {b})"),
            Maximum => format!("({a} > {b} ? {a} : {b})"),
            Fma => call(if compute == F32 { "__fmaf_rn" } else { "__fma_rn" }),
            Lt => infix("<"),
            Le => infix("<="),
            Gt => infix(">"),
            Ge => infix(">="),
            Eq => infix("=="),
            Ne => infix("!="),
            And if compute == Bool => infix("&&"),
            Or if compute == Bool => infix("||"),
            And => wrapping(a, "&", b),
            Or => wrapping(a, "|", b),
            Xor => wrapping(a, "^", b),
            Not if compute == Bool => format!("(!{a})"),
            Not => format!("({})~{a}", c_type(dtype)),
            Select => format!("({a} ? {b} : {})", args[2]),
            ToBool => format!("({a} != 0)"),
            // Saturates upwards by itself; of what is not above zero, and of NaN, 0.
            ToU64 if float => {
                let name = if compute == F32 { "__float2ull_rz" } else { "__double2ull_rz" };
                format!("({a} > 0 ? {name}({a}) : 0ull)")
            }
            ToI8 | ToU8 | ToI16 | ToU16 | ToU32 if float => {
                let [least, highest] = [f64::NEG_INFINITY, f64::INFINITY]
                    .map(|end| Scalar::from(end).cast(output).to_i64());
                let bound = |end: i64| literal(Scalar::from(end as f64).cast(dtype));
                let inside = format!("{a} > {} ? ({}){a}", bound(least), c_type(output.compute()));
                let below = format!("{a} == {a} ? {least} : 0");
                format!(
                    "({})({a} >= {} ? {highest} : {inside} : {below})",
                    c_type(output),
                    bound(highest)
                )
            }
            ToI32 if float => {
                let name = if compute == F32 { "__float2int_rz" } else { "__double2int_rz" };
                format!("({a} == {a} ? {name}({a}) : 0)")
            }
            ToI64 if float => {
                let name = if compute == F32 { "__float2ll_rz" } else { "__double2ll_rz" };
                format!("({a} == {a} ? {name}({a}) : 0ll)")
            }
            ToF32 if compute == F64 => call("__double2float_rn"),
            ToF32 if compute == I64 => call("__ll2float_rn"),
            ToF32 if compute == U64 => call("__ull2float_rn"),
            ToF32 if compute == I32 => call("__int2float_rn"),
            ToF64 if compute == I64 => call("__ll2double_rn"),
            ToF64 if compute == U64 => call("__ull2double_rn"),
            Floor if float => named("floor"),
            Ceil if float => named("ceil"),
            Trunc if float => named("trunc"),
            Floor | Ceil | Trunc => a.to_string(),
            Rint => named("rint"),
            IsNan if float => format!("({a} != {a})"),
            IsInfinite if float => format!("({} == {})", named("fabs"), infinity()),
            IsFinite if float => format!("({} < {})", named("fabs"), infinity()),
            IsNan | IsInfinite => "false".to_string(),
            IsFinite => "true".to_string(),
            SignBit => match compute {
                F32 => format!("(__float_as_int({a}) < 0 && {a} == {a})"),
                F64 => format!("(__double_as_longlong({a}) < 0 && {a} == {a})"),
                I32 | I64 => format!("({a} < 0)"),
                Bool | U64 => "false".to_string(),
            },
            Fmod if float => named("fmod"),
            Fmod | Rem | FloorDivide | ShiftLeft | ShiftRight | Power => {
                self.integers(operator.name(), args)
            }
            Reciprocal if float => {
                let one = if compute == F32 { "1.0f" } else { "1.0" };
                let args = [one.to_string(), args[0].clone()];
                self.primitive(Div, &[dtype; 2], dtype, &args)?
            }
            Reciprocal => self.integers("reciprocal", args),
            Sign => format!("({})(({a} > 0) - ({a} < 0))", c_type(dtype)),
            LogicalAnd => format!("({a} != 0 && {b} != 0)"),
            LogicalOr => format!("({a} != 0 || {b} != 0)"),
            LogicalXor => format!("(({a} != 0) != ({b} != 0))"),
            LogicalNot => format!("({a} == 0)"),
            cast if cast == Operator::cast_to(output) => format!("({})({a})", c_type(output)),
            // Rows of traces; and what the table has gained since.
            _ => return None,
        })
    }

    /// A function of `integers.cuh`.
    fn integers(&mut self, name: &str, args: &[String]) -> String {
        self.file("integers.cuh", INTEGERS);
        format!("darray_{name}({})", args.join(", "))
    }
}

fn table_name(tables: &mut Vec<Table>, table: Table) -> String {
    let number = tables.iter().position(|t| *t == table).unwrap_or_else(|| {
        tables.push(table);
        tables.len() - 1
    });
    format!("darray_table_{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(operator: Operator, inputs: &[RealType]) -> String {
        let args: Vec<String> =
            ["a", "b", "c"][..inputs.len()].iter().map(|a| a.to_string()).collect();
        Functions::default().apply(operator, inputs, &args)
    }

    #[test]
    fn every_row_of_the_table_has_an_expression() {
        let mut functions = Functions::default();
        for operator in Operator::ALL {
            for signature in operator.row().signatures {
                let args: Vec<String> =
                    (0..signature.inputs.len()).map(|k| format!("x{k}")).collect();
                let text = functions.apply(*operator, signature.inputs, &args);
                let constant = matches!(text.as_str(), "true" | "false");
                assert!(constant || text.contains("x0"), "{operator} {signature:?}: {text}");
                let parts = text.matches('(').count();
                assert_eq!(parts, text.matches(')').count(), "{operator} {signature:?}: {text}");
            }
        }
        let definitions = functions.definitions();
        for function in ["darray_exp_f64(double v0)", "darray_pow_f32(float v0, float v1)"] {
            assert_eq!(definitions.matches(function).count(), 1, "{function}");
        }
        // Sines, cosines and tangents share their table.
        assert_eq!(definitions.matches("__device__ const double").count(), 1);
    }

    #[test]
    fn sums_and_products_are_never_contracted_and_integers_wrap() {
        use RealType::{F32, F64, I32, I64};
        assert_eq!(text(Operator::Mul, &[F64, F64]), "__dmul_rn(a, b)");
        assert_eq!(text(Operator::Add, &[F32, F32]), "__fadd_rn(a, b)");
        let wrapped = "(long long)((unsigned long long)a + (unsigned long long)b)";
        assert_eq!(text(Operator::Add, &[I64, I64]), wrapped);
        assert_eq!(text(Operator::Sub, &[I32, I32]), "(int)((unsigned)a - (unsigned)b)");
        assert_eq!(text(Operator::ToU8, &[I32]), "(unsigned char)(a)");
        assert_eq!(text(Operator::Select, &[RealType::Bool, F64, F64]), "(a ? b : c)");
    }

    #[test]
    fn an_elementary_function_is_defined_once_step_by_step() {
        let mut functions = Functions::default();
        let combined = functions.combine(Reducer::Min, RealType::F64, "l", "r");
        assert_eq!(combined, "darray_minimum_f64(l, r)");
        assert_eq!(
            functions.combine(Reducer::Min, RealType::F64, "l", "m"),
            "darray_minimum_f64(l, m)"
        );
        let want = "\
__device__ __forceinline__ double darray_minimum_f64(double v0, double v1) {
    const bool v2 = v0 < v1;
    const double v3 = v2 ? v0 : v1;
    const bool v4 = v1 < v0;
    const double v5 = v4 ? v1 : v0;
    const unsigned long long v6 = (unsigned long long)__double_as_longlong(v3);
    const unsigned long long v7 = (unsigned long long)__double_as_longlong(v5);
    const unsigned long long v8 = v6 | v7;
    const double v9 = __longlong_as_double((long long)v8);
    return v9;
}

";
        assert_eq!(functions.definitions(), want);
    }

    #[test]
    fn functions_of_libdevice_are_called_by_their_names() {
        let mut functions = Functions::new(Math::Libdevice);
        let mut text = |operator, dtype| functions.apply(operator, &[dtype], &["a".to_string()]);
        assert_eq!(text(Operator::Ln, RealType::F64), "log(a)");
        assert_eq!(text(Operator::Erf, RealType::F32), "erff(a)");
        assert_eq!(functions.definitions(), "");
        // Its integers and what is exact are darray's.
        let power =
            functions.apply(Operator::Power, &[RealType::I64; 2], &["a", "b"].map(String::from));
        assert_eq!(power, "darray_pow(a, b)");
        let least =
            functions.apply(Operator::Minimum, &[RealType::F64; 2], &["a", "b"].map(String::from));
        assert_eq!(least, "darray_minimum_f64(a, b)");
    }

    #[test]
    fn draws_and_arg_reducers_bring_their_files() {
        let mut functions = Functions::default();
        let key = ["a", "b", "c", "d"].map(String::from);
        let draw = functions.random(BitGenerator::Philox, RealType::F64, &key, "n");
        assert_eq!(draw, "darray_unit(darray_philox(a, b, c, d, (unsigned long long)n))");
        assert_eq!(functions.accumulator(Reducer::ArgMax, RealType::F32), "darray_arg<float>");
        assert_eq!(
            functions.combine(Reducer::ArgMax, RealType::F32, "l", "r"),
            "darray_argmax(l, r)"
        );
        let definitions = functions.definitions();
        assert!(
            definitions.starts_with("// Numbered draws") && definitions.contains("darray_prefer")
        );
    }
}
