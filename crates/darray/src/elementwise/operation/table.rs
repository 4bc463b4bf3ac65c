//! THE table of element-wise operations: one row per operation.
//!
//! The enums [`Unary`](crate::Unary) and [`Binary`](crate::Binary), their names and rules, the methods
//! of [`DArray`](crate::DArray) with their `try_` forms and the functions of [`np`](crate::np) come
//! from here. A row is
//!
//! ```text
//! /// Documentation.
//! Variant = x.method(), np::name, rule, "x" => "result";
//! Variant = x.method(y), x.try_method(y), np::name, rule, "x", "y" => "result";
//! ```
//!
//! The variant is that of the operator table in `darray_kernel`. NumPy's name also stands in errors.
//! The two texts become the examples that run as tests. Rules (`P` is the element type of `x`, or what
//! `x` and `y` promote to):
//!
//! | rule | computes in | gives | refuses |
//! |---|---|---|---|
//! | `same` | `P` | `P` | types that the operator has no row for |
//! | `part` | `P` | `P`, the parts of complex numbers | as `same` |
//! | `number` | `P` | `P` | `bool`, and as `same` |
//! | `integer` | `P`, `i64` for `bool` | as it computes | as `same` |
//! | `real` | `P`, `f64` for integers and `bool` | as it computes | |
//! | `function` | `P` of floats; `f16`, `f32` or `f64` for integers by their size, of both operands what these promote to | as it computes | |
//! | `test` | `P` | `bool` | as `same` |
//!
//! Operations that Rust has operators or methods of its own for stand under `operators`: no functions
//! are made of those.

/// Calls `callback! { operators { rows } functions { rows } }` with the operations of one array.
macro_rules! unary_table {
    ($callback:ident) => {
        $callback! {
            operators {
                /// `-x`; not for bool.
                Neg = negative, number;
                /// Logical negation of bool, bitwise of integers.
                Not = invert, same;
            }
            functions {
                /// Absolute values; that of the least integer is itself. Of complex numbers their distances from 0, at most 2 ulp.
                Abs = x.abs(), np::absolute, part, "vec![-1.5, 2.0]" => "[1.5, 2.0]";
                /// Square roots, correctly rounded; NaN below zero.
                Sqrt = x.sqrt(), np::sqrt, function, "vec![4, 9]" => "[2.0, 3.0]";
                /// `x * x`; integers wrap.
                Square = x.square(), np::square, integer, "vec![3.0, -4.0]" => "[9.0, 16.0]";
                /// `1 / x`; of integers toward zero; for 0 the least value of `i32` and `i64`, 0 of others.
                Reciprocal = x.reciprocal(), np::reciprocal, integer,
                    "vec![4.0, -0.5]" => "[0.25, -2.0]";
                /// -1, 0 or 1 by the sign; NaN gives NaN.
                Sign = x.sign(), np::sign, number, "vec![-2.5, 0.0, 7.0]" => "[-1.0, 0.0, 1.0]";
                /// `e^x`, at most 2 ulp.
                Exp = x.exp(), np::exp, function, "vec![0.0, f64::NEG_INFINITY]" => "[1.0, 0.0]";
                /// `2^x`, at most 2 ulp; exact for whole numbers.
                Exp2 = x.exp2(), np::exp2, function, "vec![3, -1]" => "[8.0, 0.5]";
                /// `e^x - 1`, at most 2 ulp also near zero.
                Expm1 = x.expm1(), np::expm1, function,
                    "vec![1e-20, f64::NEG_INFINITY]" => "[1e-20, -1.0]";
                /// `ln(1 + x)`, at most 2 ulp also near zero; NaN below -1.
                Log1p = x.log1p(), np::log1p, function, "vec![1e-20, -1.0]" => "[1e-20, f64::NEG_INFINITY]";
                /// Logarithms of base 2, at most 2 ulp; exact for powers of two, NaN below zero.
                Log2 = x.log2(), np::log2, function, "vec![8.0, 0.25]" => "[3.0, -2.0]";
                /// Logarithms of base 10, at most 2 ulp; NaN below zero.
                Log10 = x.log10(), np::log10, function, "vec![1000, 1]" => "[3.0, 0.0]";
                /// Hyperbolic sines, at most 2 ulp.
                Sinh = x.sinh(), np::sinh, function, "vec![0.0, f64::INFINITY]" => "[0.0, f64::INFINITY]";
                /// Hyperbolic cosines, at most 2 ulp.
                Cosh = x.cosh(), np::cosh, function, "vec![0.0, f64::NEG_INFINITY]" => "[1.0, f64::INFINITY]";
                /// Hyperbolic tangents, at most 2 ulp.
                Tanh = x.tanh(), np::tanh, function, "vec![1e-20, -30.0]" => "[1e-20, -1.0]";
                /// Area hyperbolic sines, at most 2 ulp.
                Asinh = x.asinh(), np::arcsinh, function, "vec![1e-20, -0.0]" => "[1e-20, -0.0]";
                /// Area hyperbolic cosines, at most 2 ulp; NaN below 1.
                Acosh = x.acosh(), np::arccosh, function, "vec![1.0, f64::INFINITY]" => "[0.0, f64::INFINITY]";
                /// Area hyperbolic tangents, at most 2 ulp; NaN beyond ±1.
                Atanh = x.atanh(), np::arctanh, function, "vec![1e-20, 1.0]" => "[1e-20, f64::INFINITY]";
                /// Cube roots, at most 2 ulp.
                Cbrt = x.cbrt(), np::cbrt, function, "vec![27, -8]" => "[3.0, -2.0]";
                /// The error function, at most 3 ulp (SciPy's `special.erf`).
                Erf = x.erf(), np::erf, function, "vec![0.0, 6.0]" => "[0.0, 1.0]";
                /// Natural logarithms, at most 2 ulp; NaN below zero.
                Ln = x.ln(), np::log, function, "vec![1.0, 0.0]" => "[0.0, f64::NEG_INFINITY]";
                /// Sines of angles in radians, at most 2 ulp, also of huge ones.
                Sin = x.sin(), np::sin, function, "vec![0.0, 1e300]" => "[0.0, -0.8178819121159085]";
                /// Cosines of angles in radians, at most 2 ulp, also of huge ones.
                Cos = x.cos(), np::cos, function, "vec![0.0, -0.0]" => "[1.0, 1.0]";
                /// Tangents of angles in radians, at most 2 ulp, also of huge ones.
                Tan = x.tan(), np::tan, function, "vec![0.0, -0.0]" => "[0.0, -0.0]";
                /// Arc sines in radians, at most 2 ulp; NaN beyond ±1.
                Asin = x.asin(), np::arcsin, function,
                    "vec![0, 1]" => "[0.0, std::f64::consts::FRAC_PI_2]";
                /// Arc cosines in radians, at most 2 ulp; NaN beyond ±1.
                Acos = x.acos(), np::arccos, function, "vec![1, -1]" => "[0.0, std::f64::consts::PI]";
                /// Arc tangents in radians, at most 2 ulp.
                Atan = x.atan(), np::arctan, function,
                    "vec![0.0, f64::INFINITY]" => "[0.0, std::f64::consts::FRAC_PI_2]";
                /// From degrees to radians.
                ToRadians = x.to_radians(), np::deg2rad, function,
                    "vec![0, 180]" => "[0.0, std::f64::consts::PI]";
                /// From radians to degrees.
                ToDegrees = x.to_degrees(), np::rad2deg, function,
                    "vec![0.0, std::f64::consts::PI]" => "[0.0, 180.0]";
                /// The greatest whole numbers not above `x`, in its type.
                Floor = x.floor(), np::floor, same, "vec![1.5, -1.5]" => "[1.0, -2.0]";
                /// The least whole numbers not below `x`, in its type.
                Ceil = x.ceil(), np::ceil, same, "vec![1.5, -1.5]" => "[2.0, -1.0]";
                /// The whole numbers next to `x` towards zero, in its type.
                Trunc = x.trunc(), np::trunc, same, "vec![1.5, -1.5]" => "[1.0, -1.0]";
                /// The whole numbers nearest to `x`, ties to even.
                Rint = x.rint(), np::rint, function, "vec![1.5, 2.5, -0.4]" => "[2.0, 2.0, -0.0]";
                /// Where elements are NaN; nowhere in integers.
                IsNan = x.is_nan(), np::isnan, test, "vec![1.0, f64::NAN]" => "[false, true]";
                /// Where elements are infinite; nowhere in integers.
                IsInfinite = x.is_infinite(), np::isinf, test,
                    "vec![1.0, f64::NEG_INFINITY]" => "[false, true]";
                /// Where elements are neither infinite nor NaN; everywhere in integers.
                IsFinite = x.is_finite(), np::isfinite, test, "vec![1.0, f64::NAN]" => "[true, false]";
                /// Where the sign is minus, that of zeros included; NaN has no sign.
                SignBit = x.signbit(), np::signbit, test, "vec![-0.0, 2.0]" => "[true, false]";
                /// Where elements are zero.
                LogicalNot = x.logical_not(), np::logical_not, test, "vec![0, 7]" => "[true, false]";
            }
        }
    };
}

/// Calls `callback! { operators { rows } functions { rows } }` with the operations of two operands.
macro_rules! binary_table {
    ($callback:ident) => {
        $callback! {
            operators {
                /// `a + b`; logical or of bool.
                Add = add, same;
                /// `a - b`; not for bool.
                Sub = subtract, number;
                /// `a * b`; logical and of bool.
                Mul = multiply, same;
                /// True division, in floats.
                Div = divide, real;
                /// The remainder with the sign of the divisor; not for bool.
                Rem = remainder, number;
                /// Logical and of bool, bitwise of integers.
                And = bitwise_and, same;
                /// Logical or of bool, bitwise of integers.
                Or = bitwise_or, same;
                /// Logical exclusive or of bool, bitwise of integers.
                Xor = bitwise_xor, same;
                /// `a < b`, to bool.
                Lt = less, test;
                /// `a <= b`, to bool.
                Le = less_equal, test;
                /// `a > b`, to bool.
                Gt = greater, test;
                /// `a >= b`, to bool.
                Ge = greater_equal, test;
                /// `a == b`, to bool.
                Eq = equal, test;
                /// `a != b`, to bool.
                Ne = not_equal, test;
            }
            functions {
                /// `x` to the power `y`, at most 3 ulp; NaN for a negative `x` and a `y` that is not whole.
                /// Of floats, a scalar `y` of 2 gives `x * x`, one of 1 gives `x` and one of -1 `1 / x`, bit for
                /// bit and as fast, as in NumPy; a `y` that is an array does not.
                /// Integers give integers, wrapping: a negative scalar `y` is refused there; negative
                /// elements of an array are not looked for, they give `1 / x^-y` toward zero (for 0 the
                /// least value of `i32` and `i64`, 0 of others).
                Power = x.pow(y), x.try_pow(y), np::power, integer, "vec![4.0, 9.0]", "0.5" => "[2.0, 3.0]";
                /// The smaller of each pair; NaN wins. -0.0 is smaller than 0.0, whichever comes first: NumPy gives either.
                ///
                /// ```
                /// use darray::DArray;
                /// let zeros = DArray::from_vec(vec![0.0, -0.0]);
                /// let smaller = zeros.minimum(DArray::from_vec(vec![-0.0, 0.0]));
                /// assert!(smaller.to_vec().iter().all(|zero: &f64| zero.is_sign_negative()));
                /// ```
                ///
                Minimum = x.minimum(y), x.try_minimum(y), np::minimum, same, "vec![1, 5]", "3" => "[1, 3]";
                /// The larger of each pair; NaN wins. 0.0 is larger than -0.0, whichever comes first: NumPy gives either.
                ///
                /// ```
                /// use darray::DArray;
                /// let zeros = DArray::from_vec(vec![0.0, -0.0]);
                /// let larger = zeros.maximum(DArray::from_vec(vec![-0.0, 0.0]));
                /// assert!(larger.to_vec().iter().all(|zero: &f64| zero.is_sign_positive()));
                /// ```
                ///
                Maximum = x.maximum(y), x.try_maximum(y), np::maximum, same, "vec![1, 5]", "3" => "[3, 5]";
                /// The angles in radians of points whose second coordinates are `x` and whose first are
                /// `y`, at most 2 ulp.
                Atan2 = x.atan2(y), x.try_atan2(y), np::arctan2, function,
                    "vec![0.0, 1.0]", "-1.0" => "[std::f64::consts::PI, 2.356194490192345]";
                /// `sqrt(x^2 + y^2)` without overflow, at most 2 ulp.
                Hypot = x.hypot(y), x.try_hypot(y), np::hypot, function,
                    "vec![3.0, -7.5]", "4" => "[5.0, 8.5]";
                /// The sizes of `x` with the signs of `y`; NaN has no sign, and gives plus.
                CopySign = x.copysign(y), x.try_copysign(y), np::copysign, function,
                    "vec![1.5, -2.0]", "-0.0" => "[-1.5, -2.0]";
                /// The numbers next to `x` towards `y`.
                NextAfter = x.nextafter(y), x.try_nextafter(y), np::nextafter, function,
                    "vec![1.0]", "2.0" => "[1.0 + f64::EPSILON]";
                /// The exact rests of division towards zero, with the signs of `x` (`%` has those of `y`);
                /// by 0: 0 for integers, else NaN.
                Fmod = x.fmod(y), x.try_fmod(y), np::fmod, number, "vec![7, -7]", "3" => "[1, -1]";
                /// `floor(x / y)` in the type of both; by 0: 0 for integers, else `x / y`.
                FloorDivide = x.floor_divide(y), x.try_floor_divide(y), np::floor_divide, number,
                    "vec![7, -7]", "2" => "[3, -4]";
                /// `x` shifted up by `y` bits; 0 where `y` is negative or not below the width. Integers only.
                ShiftLeft = x.left_shift(y), x.try_left_shift(y), np::left_shift, same,
                    "vec![1, 3]", "2" => "[4, 12]";
                /// `x` shifted down by `y` bits, signs coming in; 0 or -1 where `y` is negative or not below
                /// the width. Integers only.
                ShiftRight = x.right_shift(y), x.try_right_shift(y), np::right_shift, same,
                    "vec![12, -1]", "2" => "[3, -1]";
                /// Where neither element is zero.
                LogicalAnd = x.logical_and(y), x.try_logical_and(y), np::logical_and, test,
                    "vec![0, 2]", "1" => "[false, true]";
                /// Where not both elements are zero.
                LogicalOr = x.logical_or(y), x.try_logical_or(y), np::logical_or, test,
                    "vec![0, 2]", "0" => "[false, true]";
                /// Where just one of both elements is zero.
                LogicalXor = x.logical_xor(y), x.try_logical_xor(y), np::logical_xor, test,
                    "vec![0, 2]", "1" => "[true, false]";
            }
        }
    };
}

/// The element type that a rule gives for `P`.
macro_rules! rule_output {
    (same $p:ty) => {
        $p
    };
    (part $p:ty) => {
        <$p as crate::Element>::Part
    };
    (number $p:ty) => {
        $p
    };
    (integer $p:ty) => {
        <$p as crate::Element>::WithInteger
    };
    (real $p:ty) => {
        <$p as crate::Element>::Inexact
    };
    (function $p:ty) => {
        <$p as crate::Element>::Function
    };
    (test $p:ty) => {
        bool
    };
}

/// The element type that a rule gives for an array beside an operand of this type.
macro_rules! pair_output {
    (function $operand:ident) => {
        $operand::FunctionOutput
    };
    ($rule:ident $operand:ident) => {
        rule_output!($rule $operand::Output)
    };
}

/// What the documentation says about a rule.
macro_rules! rule_text {
    (same) => {
        ""
    };
    (part) => {
        ""
    };
    (number) => {
        ""
    };
    (integer) => {
        "\n\n`bool` gives `i64`."
    };
    (real) => {
        "\n\nComputed in floats: integers and `bool` give `f64`; complex numbers give complex ones."
    };
    (function) => {
        "\n\nComputed in floats: `bool` and integers of one byte give `f16`, of two bytes `f32`, others `f64`, as in NumPy; for more digits \
         `.cast::<f64>()` comes first. Complex numbers give complex ones."
    };
    (test) => {
        "\n\nGives `bool`."
    };
}

pub(crate) use {binary_table, pair_output, rule_output, rule_text, unary_table};
