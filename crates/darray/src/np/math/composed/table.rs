//! THE table of functions that take an array and little else.
//!
//! The methods of [`DynArray`](crate::DynArray) and the functions of [`np`](crate::np) of these names come from here. A row is
//!
//! ```text
//! /// Documentation.
//! name(x) = function, rule, "x" => "result";
//! ```
//!
//! `two` take an operand, an array or a scalar, `pair` another array, `along` an axis or `..`, `many` arrays, `number` an integer. The
//! texts become the examples that run as tests. Rules (`T` is the element type of `x`, `P` what `x` and `y` promote to):
//!
//! | rule | gives |
//! |---|---|
//! | `same` | `T`, of two arrays `P` |
//! | `left` | `T` |
//! | `real` | floats and complex numbers: `T` or `P` where it is one, else f64 |
//! | `sum` | f64, complex128 or i64 and u64 of integers: what sums are |
//! | `test` | `bool` |
//! | `index` | `i64` |

/// Calls `callback!` with the rows.
macro_rules! composed_table {
    ($callback:ident) => {
        $callback! {
            one {
                /// NumPy's `fliplr`: the second axis in reverse order, as a view. Two axes at least.
                fliplr(x) = arrangement::fliplr, same, "DArray::from([[1, 2], [3, 4]])" => "[2, 1, 4, 3]";
                /// NumPy's `flipud`: the first axis in reverse order, as a view. One axis at least.
                flipud(x) = arrangement::flipud, same, "DArray::from([[1, 2], [3, 4]])" => "[3, 4, 1, 2]";
                /// NumPy's `matrix_transpose`: the last two axes in each other's place, as a view.
                matrix_transpose(x) = arrangement::matrix_transpose, same, "DArray::from([[1, 2], [3, 4]])" => "[1, 3, 2, 4]";
                /// NumPy's `atleast_1d`: with an axis where there is none, as a view.
                atleast_1d(x) = arrangement::atleast_1d, same, "DArray::from(vec![7])" => "[7]";
                /// NumPy's `atleast_2d`: with axes in front, up to two, as a view.
                atleast_2d(x) = arrangement::atleast_2d, same, "DArray::from(vec![7, 8])" => "[7, 8]";
                /// NumPy's `atleast_3d`: with axes up to three, the last of extent 1, as a view.
                atleast_3d(x) = arrangement::atleast_3d, same, "DArray::from(vec![7, 8])" => "[7, 8]";
                /// NumPy's `ediff1d`: differences of neighbours in row-major order; of `bool` whether they differ.
                ediff1d(x) = values::ediff1d, same, "DArray::from(vec![1, 4, 9])" => "[3, 5]";
                /// Where elements are positive infinity; real numbers.
                isposinf(x) = values::isposinf, test, "DArray::from(vec![f64::INFINITY, 1.0])" => "[true, false]";
                /// Where elements are negative infinity; real numbers.
                isneginf(x) = values::isneginf, test, "DArray::from(vec![f64::NEG_INFINITY, 1.0])" => "[true, false]";
                /// Where imaginary parts are not 0.
                iscomplex(x) = values::iscomplex, test, "DArray::from(vec![1.0, 2.0])" => "[false, false]";
                /// Where imaginary parts are 0.
                isreal(x) = values::isreal, test, "DArray::from(vec![1.0, 2.0])" => "[true, true]";
                /// NumPy's `sinc`: `sin(πx) / (πx)`, and 1 at 0.
                sinc(x) = values::sinc, real, "DArray::from(vec![0.0, 0.5])" => "[1.0, std::f64::consts::FRAC_2_PI]";
                /// NumPy's `positive`: a copy; not of `bool`.
                positive(x) = values::positive, same, "DArray::from(vec![-1, 2])" => "[-1, 2]";
                /// NumPy's `fabs`: absolute values, in floats; not of complex numbers.
                fabs(x) = values::fabs, real, "DArray::from(vec![-1, 2])" => "[1.0, 2.0]";
                /// NumPy's `spacing`: from each number to the next one away from 0, upwards from 0; real numbers, in floats.
                spacing(x) = values::spacing, real, "DArray::from(vec![1.0, -2.0])" => "[f64::EPSILON, -2.0 * f64::EPSILON]";
                /// NumPy's `polyder`: the derivative of the polynomial with these coefficients, that of the highest power first.
                polyder(x) = polynomials::polyder, same, "DArray::from(vec![3, 2, 1])" => "[6, 2]";
            }
            two {
                /// NumPy's `heaviside`: 0 below 0, `y` at 0, 1 above; NaN stays; in floats.
                heaviside(x, y) = values::heaviside, real, "DArray::from(vec![-1.5, 0.0, 2.0])", "0.5" => "[0.0, 0.5, 1.0]";
                /// NumPy's `logaddexp`: `ln(e^x + e^y)` without overflow; in floats.
                logaddexp(x, y) = values::logaddexp, real, "DArray::from(vec![1000.0])", "-1000.0" => "[1000.0]";
                /// NumPy's `logaddexp2`: `log2(2^x + 2^y)` without overflow; in floats.
                logaddexp2(x, y) = values::logaddexp2, real, "DArray::from(vec![1000.0])", "1000.0" => "[1001.0]";
                /// NumPy's `fmax`: the larger of each pair; the other one where one is NaN.
                fmax(x, y) = values::fmax, same, "DArray::from(vec![f64::NAN, 5.0])", "2.0" => "[2.0, 5.0]";
                /// NumPy's `fmin`: the smaller of each pair; the other one where one is NaN.
                fmin(x, y) = values::fmin, same, "DArray::from(vec![f64::NAN, 5.0])", "2.0" => "[2.0, 2.0]";
            }
            pair {
                /// NumPy's `isin`: where elements are among those of `y`. NaN is among none.
                isin(x, &y) = sets::isin, test, "DArray::from(vec![1, 2, 3])", "DArray::from(vec![3, 1, 9])" => "[true, false, true]";
                /// NumPy's `union1d`: the distinct elements of both in ascending order. Flushes, and waits for the arrays.
                union1d(x, &y) = sets::union1d, same, "DArray::from(vec![3, 1])", "DArray::from(vec![3, 2])" => "[1, 2, 3]";
                /// NumPy's `intersect1d`: the distinct elements that both have, in ascending order. Flushes, and waits for the arrays.
                intersect1d(x, &y) = sets::intersect1d, same, "DArray::from(vec![3, 1])", "DArray::from(vec![3, 2])" => "[3]";
                /// NumPy's `setdiff1d`: the distinct elements that `y` has not, in ascending order. Flushes, and waits for the arrays.
                setdiff1d(x, &y) = sets::setdiff1d, left, "DArray::from(vec![3, 1])", "DArray::from(vec![3, 2])" => "[1]";
                /// NumPy's `setxor1d`: the distinct elements that just one of both has, in ascending order. Flushes, and waits for the arrays.
                setxor1d(x, &y) = sets::setxor1d, same, "DArray::from(vec![3, 1])", "DArray::from(vec![3, 2])" => "[1, 2]";
                /// NumPy's `array_equiv`: whether shapes broadcast and all elements are equal then; a 0-d array.
                array_equiv(x, &y) = values::array_equiv, test, "DArray::from(vec![1, 1])", "DArray::from([[1], [1]])" => "[true]";
                /// NumPy's `kron`: the Kronecker product, each element of `x` times all of `y`. As many axes as the longer one has.
                kron(x, &y) = products::kron, same, "DArray::from(vec![1, 10])", "DArray::from(vec![1, 2])" => "[1, 2, 10, 20]";
                /// NumPy's `vecdot`: the sums along the last axis of conjugates of `x` times `y`.
                vecdot(x, &y) = products::vecdot, same, "DArray::from([[1.0, 2.0], [3.0, 4.0]])", "DArray::from([1.0, 1.0])" => "[3.0, 7.0]";
                /// NumPy's `matvec`: matrices, the last two axes of `x`, times vectors, the last axis of `y`.
                matvec(x, &y) = products::matvec, same, "DArray::from([[1.0, 2.0], [3.0, 4.0]])", "DArray::from([1.0, 1.0])" => "[3.0, 7.0]";
                /// NumPy's `vecmat`: conjugates of vectors, the last axis of `x`, times matrices, the last two axes of `y`.
                vecmat(x, &y) = products::vecmat, same, "DArray::from([1.0, 1.0])", "DArray::from([[1.0, 2.0], [3.0, 4.0]])" => "[4.0, 6.0]";
                /// NumPy's `polyval`: the values at `y` of the polynomial with the coefficients `x`, that of the highest power first.
                polyval(x, &y) = polynomials::polyval, same, "DArray::from(vec![1, 0, 2])", "DArray::from(vec![3, 4])" => "[11, 18]";
                /// NumPy's `polyadd`: the sum of polynomials, the coefficients of the highest powers first.
                polyadd(x, &y) = polynomials::polyadd, same, "DArray::from(vec![1, 0, 2])", "DArray::from(vec![3, 4])" => "[1, 3, 6]";
                /// NumPy's `polysub`: the difference of polynomials, the coefficients of the highest powers first.
                polysub(x, &y) = polynomials::polysub, same, "DArray::from(vec![1, 0, 2])", "DArray::from(vec![3, 4])" => "[1, -3, -2]";
                /// NumPy's `polymul`: the product of polynomials, the coefficients of the highest powers first. Zeros in front stay.
                polymul(x, &y) = polynomials::polymul, same, "DArray::from(vec![1, 2])", "DArray::from(vec![1, 3])" => "[1, 5, 6]";
            }
            along {
                /// NumPy's `nancumsum`: the cumulative sums along an axis, or of all elements, with 0 for NaN.
                nancumsum(x, axis) = averages::nancumsum, sum, "DArray::from(vec![1.0, f64::NAN, 2.0])", "0" => "[1.0, 1.0, 3.0]";
                /// NumPy's `nancumprod`: the cumulative products along an axis, or of all elements, with 1 for NaN.
                nancumprod(x, axis) = averages::nancumprod, sum, "DArray::from(vec![2.0, f64::NAN, 2.0])", "0" => "[2.0, 2.0, 4.0]";
                /// NumPy's `nanargmax`: the index of the first largest element along an axis, or of all, NaN left out. Waits for
                /// floats: where all along the axis are NaN it is an error.
                nanargmax(x, axis) = averages::nanargmax, index, "DArray::from([[1.0, f64::NAN, 2.0]])", "1" => "[2]";
                /// NumPy's `nanargmin`: the index of the first smallest element along an axis, or of all, NaN left out. Waits for
                /// floats: where all along the axis are NaN it is an error.
                nanargmin(x, axis) = averages::nanargmin, index, "DArray::from([[1.0, f64::NAN, 2.0]])", "1" => "[0]";
                /// NumPy's `nanmedian`: the element in the middle along an axis, or of all, NaN left out, or the mean of the two there; in
                /// floats.
                nanmedian(x, axis) = quantiles::nanmedian, real, "DArray::from([[1.0, f64::NAN, 2.0]])", "1" => "[1.5]";
                /// NumPy's `unwrap`: angles along an axis without steps of more than half a turn; in floats.
                unwrap(x, axis) = averages::unwrap, real, "DArray::from(vec![0.0, 6.5])", "0" => "[0.0, 6.5 - std::f64::consts::TAU]";
            }
            many {
                /// NumPy's `column_stack`: arrays of one axis as columns, others beside each other.
                column_stack(arrays) = arrangement::column_stack, "DArray::from(vec![1, 2])" => "[1, 1, 2, 2]";
                /// NumPy's `dstack`: arrays one behind the other, along the third axis.
                dstack(arrays) = arrangement::dstack, "DArray::from(vec![1, 2])" => "[1, 1, 2, 2]";
            }
            number {
                /// NumPy's `rot90`: turned `k` times by a right angle, from the first axis towards the second: a view.
                rot90(x, k) = arrangement::rot90, "DArray::from([[1, 2], [3, 4]])", "1" => "[2, 4, 1, 3]";
                /// NumPy's `diagflat`: a matrix with all elements on a diagonal, that which begins `k` columns to the right.
                diagflat(x, k) = arrangement::diagflat, "DArray::from(vec![1, 2])", "0" => "[1, 0, 0, 2]";
            }
        }
    };
}

/// The element type that a rule gives.
macro_rules! composed_output {
    (same $t:ty, $p:ty) => {
        $p
    };
    (left $t:ty, $p:ty) => {
        $t
    };
    (real $t:ty, $p:ty) => {
        <$p as crate::Element>::Inexact
    };
    (sum $t:ty, $p:ty) => {
        <$p as crate::Element>::Accumulator
    };
    (test $t:ty, $p:ty) => {
        bool
    };
    (index $t:ty, $p:ty) => {
        i64
    };
}

pub(crate) use {composed_output, composed_table};
