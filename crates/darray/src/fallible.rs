//! The forms of methods that return errors.
//!
//! A row has a method that panics, the form that does not, and what that computes. Those of `elementwise/operation/table.rs` and `reduction/table.rs` come from there.

use crate::creation::from_elements;
use crate::elementwise::operation::{binary_table, pair_output, rule_output};
use crate::elementwise::steps::Steps;
use crate::reduction::{reduction_signature, reduction_table};
use crate::*;
use darray_core::Place;
#[cfg(feature = "ndarray")]
use ndarray::{ArrayBase, ArrayD, Data, Dimension};

/// The text of a method, of `DArray` or of a trait that is named by its path.
macro_rules! as_method {
    ($method:ident) => {
        concat!("As [`", stringify!($method), "`](DArray::", stringify!($method), ").")
    };
    ($method:ident $path:literal) => {
        concat!("As [`", stringify!($method), "`](", $path, ").")
    };
}

/// What the methods of this trait have in common.
macro_rules! fallible {
    ($($(#[$cfg:meta])? $method:ident $($at:literal)? => $try:ident [$($generics:tt)*] ($($arguments:tt)*) -> $output:ty $(where [$($bounds:tt)*])? $body:block)*) => {
        /// The methods of [`DArray`] in a form that returns an error where they panic. Beside it there is [`attempt`], for whole expressions.
        ///
        /// # Errors
        ///
        /// What the method gives as a reason to panic.
        ///
        /// ```
        /// use darray::{DArray, Fallible};
        /// let (x, y) = (DArray::<f64>::ones(2), DArray::<f64>::ones(3));
        /// let error = x.try_add(&y).unwrap_err();
        /// assert!(error.to_string().starts_with("add: shapes [2] and [3] do not broadcast (at "));
        /// assert_eq!(x.try_sum(..)?.try_item()?, 2.0);
        /// # Ok::<(), darray::Error>(())
        /// ```
        pub trait Fallible<T: Element>: Sized {
            $(
                #[doc = as_method!($method $($at)?)]
                $(#[$cfg])?
                fn $try<$($generics)*>($($arguments)*) -> Result<$output> $(where $($bounds)*)?;
            )*

            binary_table!(declare_binary);
            reduction_table!(declare_reductions);
        }

        // The trait's page has the methods; the array's would have them all again.
        #[doc(hidden)]
        impl<T: Element> Fallible<T> for DArray<T> {
            $(
                $(#[$cfg])?
                #[track_caller]
                fn $try<$($generics)*>($($arguments)*) -> Result<$output> $(where $($bounds)*)? $body
            )*

            binary_table!(define_binary);
            reduction_table!(define_reductions);
        }
    };
}

/// The functions of two operands.
macro_rules! declare_binary {
    (operators { $($operators:tt)* } functions {
        $($(#[$doc:meta])+ $variant:ident = x.$method:ident(y), x.$try:ident(y), np::$name:ident,
            $rule:ident, $left:literal, $right:literal => $output:literal;)+
    }) => { $(
        #[doc = as_method!($method)]
        fn $try<R: Operand<T>>(&self, y: R) -> Result<DArray<pair_output!($rule R)>>;
    )+ };
}

macro_rules! define_binary {
    (operators { $($operators:tt)* } functions {
        $($(#[$doc:meta])+ $variant:ident = x.$method:ident(y), x.$try:ident(y), np::$name:ident,
            $rule:ident, $left:literal, $right:literal => $output:literal;)+
    }) => { $(
        #[track_caller]
        fn $try<R: Operand<T>>(&self, y: R) -> Result<DArray<pair_output!($rule R)>> {
            typed(self.as_dyn().binary(Binary::$variant, y.argument()))
        }
    )+ };
}

/// Calls `callback! { { bound } { result } method try { what it computes } }` for each reduction.
macro_rules! each_reduction {
    ($callback:ident
        any { $($(#[$any_doc:meta])+ $any:ident = x.$any_name:ident(axes), x.$any_try:ident(axes),
            $any_rule:ident $(by $any_reducer:ident)?, $any_input:literal => $any_output:literal, $any_rows:literal;)+ }
        some { $($(#[$some_doc:meta])+ $some:ident = x.$some_name:ident(axes), x.$some_try:ident(axes),
            $some_rule:ident $(by $some_reducer:ident)?,
            $some_input:literal => $some_output:literal, $some_rows:literal;)+ }
        spread { $($(#[$doc:meta])+ $variant:ident = x.$name:ident(axes), x.$try:ident(axes),
            $input:literal => $output:literal, $rows:literal, $free:literal;)+ }
    ) => {
        $(reduction_signature! { $callback! $any_rule { $any_name $any_try $any } })+
        $(reduction_signature! { $callback! $some_rule { $some_name $some_try $some } })+
        $($callback! { spread { $name $try $variant } })+
    };
}

macro_rules! declare_reductions {
    ($($table:tt)+) => { each_reduction! { declare_reduction $($table)+ } };
}

macro_rules! declare_reduction {
    (spread { $method:ident $try:ident $variant:ident }) => {
        declare_reduction! { @as [A: Into<SpreadAxes>] [T::Spread] $method $try }
    };
    ($family:ident { $method:ident $try:ident $variant:ident }) => {
        declare_reduction! { @as [A: $family<T>] [A::Output] $method $try }
    };
    (plain { $output:ty } { $method:ident $try:ident $variant:ident }) => {
        declare_reduction! { @as [A: PlainAxes] [$output] $method $try }
    };
    (@as [$($bound:tt)+] [$output:ty] $method:ident $try:ident) => {
        #[doc = as_method!($method)]
        fn $try<$($bound)+>(&self, all_or_axes: A) -> Result<DArray<$output>>;
    };
}

macro_rules! define_reductions {
    ($($table:tt)+) => { each_reduction! { define_reduction $($table)+ } };
}

macro_rules! define_reduction {
    (spread { $method:ident $try:ident $variant:ident }) => {
        #[track_caller]
        fn $try<A: Into<SpreadAxes>>(&self, all_or_axes: A) -> Result<DArray<T::Spread>> {
            let (options, ddof) = all_or_axes.into().take();
            typed(self.as_dyn().reduce_with(Reduction::$variant { ddof }, options))
        }
    };
    ($family:ident { $method:ident $try:ident $variant:ident }) => {
        #[track_caller]
        fn $try<A: $family<T>>(&self, all_or_axes: A) -> Result<DArray<A::Output>> {
            typed(self.as_dyn().reduce_with(Reduction::$variant, all_or_axes.options()))
        }
    };
    (plain { $output:ty } { $method:ident $try:ident $variant:ident }) => {
        #[track_caller]
        fn $try<A: PlainAxes>(&self, all_or_axes: A) -> Result<DArray<$output>> {
            typed(self.as_dyn().reduce(Reduction::$variant, all_or_axes))
        }
    };
}

fallible! {
    // Of `array`.
    dims => try_dims[const N: usize](&self) -> [usize; N] { self.as_dyn().dims() }
    to_string "ToString::to_string" => try_to_string[](&self) -> String { self.as_dyn().try_to_string() }

    // Of `creation`.
    zeros => try_zeros[](shape: impl IntoShape) -> DArray<T> {
        let zero = false.into();
        typed(DynArray::filled("zeros", &shape, T::DTYPE, zero, Place::caller()))
    }
    ones => try_ones[](shape: impl IntoShape) -> DArray<T> {
        let one = true.into();
        typed(DynArray::filled("ones", &shape, T::DTYPE, one, Place::caller()))
    }
    full => try_full[V](shape: impl IntoShape, value: V) -> DArray<T> where [V: ScalarLike + Assignable<T>] {
        typed(DynArray::full(shape, T::DTYPE, value.weak()))
    }
    from_vec => try_from_vec[](elements: Vec<T>) -> DArray<T> { from_elements("from_vec", elements.len(), elements, Place::caller()) }
    from_shape_vec => try_from_shape_vec[](shape: impl IntoShape, elements: Vec<T>) -> DArray<T> {
        from_elements("from_shape_vec", shape, elements, Place::caller())
    }
    from_fn => try_from_fn[](shape: impl IntoShape, f: impl FnMut(&[usize]) -> T) -> DArray<T> { DArray::from_fn_at(shape, f, Place::caller()) }
    to_vec => try_to_vec[](&self) -> Vec<T> { T::read(self.as_dyn(), "to_vec", Place::caller()) }
    item => try_item[](&self) -> T { self.item_at(Place::caller()) }
    #[cfg(feature = "ndarray")]
    to_ndarray => try_to_ndarray[](&self) -> ArrayD<T> { self.to_ndarray_at(Place::caller()) }
    #[cfg(feature = "ndarray")]
    from_ndarray => try_from_ndarray[S, D](array: &ArrayBase<S, D>) -> DArray<T> where [S: Data<Elem = T>, D: Dimension] {
        DArray::from_ndarray_at(array, Place::caller())
    }
    meshgrid => try_meshgrid[](arrays: impl Arrays<T>, indexing: Indexing) -> Vec<DArray<T>> {
        let grid = DynArray::meshgrid(&arrays.untyped(), indexing)?;
        Ok(grid.into_iter().map(DArray::wrap).collect())
    }
    empty => try_empty[](shape: impl IntoShape) -> DArray<T> { typed(DynArray::empty(shape, T::DTYPE)) }
    full_like => try_full_like[V](&self, value: V) -> DArray<T> where [V: ScalarLike + Assignable<T>] { typed(self.as_dyn().full_like(value.weak())) }
    eye => try_eye[](rows: usize, columns: usize, offset: isize) -> DArray<T> { typed(DynArray::eye(rows, columns, offset, T::DTYPE)) }
    identity => try_identity[](count: usize) -> DArray<T> { DArray::identity_at(count, Place::caller()) }
    tri => try_tri[](rows: usize, columns: usize, offset: isize) -> DArray<T> { typed(DynArray::tri(rows, columns, offset, T::DTYPE)) }
    tril => try_tril[](&self, offset: isize) -> DArray<T> { typed(self.as_dyn().tril(offset)) }
    triu => try_triu[](&self, offset: isize) -> DArray<T> { typed(self.as_dyn().triu(offset)) }
    diag => try_diag[](&self, offset: isize) -> DArray<T> { typed(self.as_dyn().diag(offset)) }
    array => try_array[](rows: impl Nest<T>) -> DArray<T> { DArray::array_at(rows, Place::caller()) }
    arange => try_arange[](count: usize) -> DArray<T> where [T: Number] { typed(DynArray::arange(count, T::DTYPE)) }
    range => try_range[](start: T, stop: T, step: T) -> DArray<T> where [T: Real] { DArray::range_at(start, stop, step, Place::caller()) }
    linspace => try_linspace[](start: T, stop: T, count: usize) -> DArray<T> where [T: Float] {
        let [start, stop] = [start, stop].map(|v| v.into_scalar().to_f64());
        typed(DynArray::linspace(start, stop, count, true, T::DTYPE))
    }
    linspace_open => try_linspace_open[](start: T, stop: T, count: usize) -> DArray<T> where [T: Float] {
        let [start, stop] = [start, stop].map(|v| v.into_scalar().to_f64());
        typed(DynArray::linspace(start, stop, count, false, T::DTYPE))
    }
    logspace => try_logspace[](start: T, stop: T, count: usize) -> DArray<T> where [T: Float] { DArray::try_logspace_of(start, stop, count, 10.0) }
    indices => try_indices[](shape: impl IntoShape) -> DArray<i64> { Ok(DArray::wrap(DynArray::indices(shape)?)) }
    logspace_of => try_logspace_of[](start: T, stop: T, count: usize, base: f64) -> DArray<T> where [T: Float] {
        let [start, stop] = [start, stop].map(|v| v.into_scalar().to_f64());
        typed(DynArray::logspace(start, stop, count, true, base, T::DTYPE))
    }

    // Of `elementwise`.
    powi => try_powi[](&self, exponent: i32) -> DArray<T::WithInteger> { typed(self.as_dyn().powi(exponent)) }
    select => try_select[A: Operands<B>, B](&self, then: A, otherwise: B) -> DArray<A::Output> where [Self: AsArray<bool>] {
        let (then, otherwise) = then.arguments(&otherwise);
        typed(self.as_dyn().select(then, otherwise))
    }
    from_parts => try_from_parts[](re: DArray<T>, im: DArray<T>) -> DArray<T::WithComplex> where [T: Real] {
        typed(DynArray::from_parts(re.as_dyn(), im.as_dyn()))
    }
    from_polar => try_from_polar[](r: &DArray<T>, theta: &DArray<T>) -> DArray<T::WithComplex> where [T: Real] {
        DArray::from_polar_at(r, theta, Place::caller())
    }
    assign_where => try_assign_where[R: Assignable<T>](&self, mask: &DArray<bool>, value: R) -> () {
        self.as_dyn().assign_where(mask.as_dyn(), value.argument())
    }
    clip => try_clip[L: Bound<T>, H: Bound<L::Output>](&self, low: L, high: H) -> DArray<H::Output> {
        typed(self.as_dyn().clip(low.bound(), high.bound()))
    }
    diff => try_diff[](&self, n: usize, axis: isize) -> DArray<T> { typed(self.as_dyn().diff(n, axis)) }
    gradient => try_gradient[](&self, spacing: impl Into<Spacing>, axis: isize) -> DArray<T::Inexact> { typed(self.as_dyn().gradient(spacing, axis)) }
    gradients => try_gradients[](&self, spacing: impl Into<Spacing>, axes: impl Into<Axes>) -> Vec<DArray<T::Inexact>> {
        let slopes = self.as_dyn().gradients(spacing, axes)?;
        Ok(slopes.into_iter().map(DArray::wrap).collect())
    }
    mul_add => try_mul_add[Y, Z](&self, y: Y, z: Z) -> DArray<Z::Output> where [T: Float, Y: Operand<T>, Z: Operand<Y::Output>] {
        typed(self.as_dyn().mul_add(y.argument(), z.argument()))
    }
    add "std::ops::Add::add" => try_add[R: Operand<T>](&self, right: R) -> DArray<R::Output> { typed(self.as_dyn().binary(Binary::Add, right.argument())) }
    sub "std::ops::Sub::sub" => try_sub[R: Operand<T>](&self, right: R) -> DArray<R::Output> { typed(self.as_dyn().binary(Binary::Sub, right.argument())) }
    mul "std::ops::Mul::mul" => try_mul[R: Operand<T>](&self, right: R) -> DArray<R::Output> { typed(self.as_dyn().binary(Binary::Mul, right.argument())) }
    div "std::ops::Div::div" => try_div[R: Operand<T>](&self, right: R) -> DArray<<R::Output as Element>::Inexact> {
        typed(self.as_dyn().binary(Binary::Div, right.argument()))
    }
    rem "std::ops::Rem::rem" => try_rem[R: Operand<T>](&self, right: R) -> DArray<R::Output> { typed(self.as_dyn().binary(Binary::Rem, right.argument())) }
    add_assign => try_add_assign[R: Assignable<T>](&self, right: R) -> () { self.as_dyn().update(Binary::Add, right.argument()) }
    sub_assign => try_sub_assign[R: Assignable<T>](&self, right: R) -> () { self.as_dyn().update(Binary::Sub, right.argument()) }
    mul_assign => try_mul_assign[R: Assignable<T>](&self, right: R) -> () { self.as_dyn().update(Binary::Mul, right.argument()) }
    rem_assign => try_rem_assign[R: Assignable<T>](&self, right: R) -> () { self.as_dyn().update(Binary::Rem, right.argument()) }
    div_assign => try_div_assign[R: Assignable<T>](&self, right: R) -> () where [T: Element<Inexact = T>] {
        self.as_dyn().update(Binary::Div, right.argument())
    }
    bitand "std::ops::BitAnd::bitand" => try_bitand[R](&self, right: R) -> DArray<R::Output> where [R: Operand<T, Output: Integral>] {
        typed(self.as_dyn().binary(Binary::And, right.argument()))
    }
    bitor "std::ops::BitOr::bitor" => try_bitor[R](&self, right: R) -> DArray<R::Output> where [R: Operand<T, Output: Integral>] {
        typed(self.as_dyn().binary(Binary::Or, right.argument()))
    }
    bitxor "std::ops::BitXor::bitxor" => try_bitxor[R](&self, right: R) -> DArray<R::Output> where [R: Operand<T, Output: Integral>] {
        typed(self.as_dyn().binary(Binary::Xor, right.argument()))
    }
    bitand_assign => try_bitand_assign[R: Assignable<T>](&self, right: R) -> () where [T: Integral] {
        self.as_dyn().update(Binary::And, right.argument())
    }
    bitor_assign => try_bitor_assign[R: Assignable<T>](&self, right: R) -> () where [T: Integral] { self.as_dyn().update(Binary::Or, right.argument()) }
    bitxor_assign => try_bitxor_assign[R: Assignable<T>](&self, right: R) -> () where [T: Integral] {
        self.as_dyn().update(Binary::Xor, right.argument())
    }
    lt => try_lt[R: Operand<T>](&self, right: R) -> DArray<bool> { typed(self.as_dyn().binary(Binary::Lt, right.argument())) }
    le => try_le[R: Operand<T>](&self, right: R) -> DArray<bool> { typed(self.as_dyn().binary(Binary::Le, right.argument())) }
    gt => try_gt[R: Operand<T>](&self, right: R) -> DArray<bool> { typed(self.as_dyn().binary(Binary::Gt, right.argument())) }
    ge => try_ge[R: Operand<T>](&self, right: R) -> DArray<bool> { typed(self.as_dyn().binary(Binary::Ge, right.argument())) }
    eq => try_eq[R: Operand<T>](&self, right: R) -> DArray<bool> { typed(self.as_dyn().binary(Binary::Eq, right.argument())) }
    ne => try_ne[R: Operand<T>](&self, right: R) -> DArray<bool> { typed(self.as_dyn().binary(Binary::Ne, right.argument())) }

    // Of `reduction`.
    accumulate => try_accumulate[](&self, axis: impl Into<Along>, f: impl FnMut(&DArray<T>, &DArray<T>) -> DArray<T>) -> DArray<T> {
        let mut f = f;
        let f = |a: &DynArray, b: &DynArray| {
            Ok(DynArray::from(f(&DArray::wrap(a.alias()), &DArray::wrap(b.alias()))))
        };
        typed(self.as_dyn().accumulate(axis, f))
    }
    isclose => try_isclose[U: Element](&self, other: &DArray<U>) -> DArray<bool> { self.try_isclose_within(other, Tolerance::default()) }
    isclose_within => try_isclose_within[U: Element](&self, other: &DArray<U>, tolerance: Tolerance) -> DArray<bool> {
        typed(self.as_dyn().isclose(other.as_dyn(), tolerance))
    }
    allclose => try_allclose[U: Element](&self, other: &DArray<U>) -> DArray<bool> { self.try_allclose_within(other, Tolerance::default()) }
    allclose_within => try_allclose_within[U: Element](&self, other: &DArray<U>, tolerance: Tolerance) -> DArray<bool> {
        typed(self.as_dyn().allclose(other.as_dyn(), tolerance))
    }
    array_equal => try_array_equal[U: Element](&self, other: &DArray<U>) -> DArray<bool> { typed(self.as_dyn().array_equal(other.as_dyn())) }
    cov => try_cov[](&self, observations: impl Into<Observations>) -> DArray<T::Inexact> { self.cov_at(observations, Place::caller()) }
    reduce_into => try_reduce_into[U: Element](&self, reduction: Reduction, axes: impl Into<Axes>, target: &DArray<U>) -> () {
        self.as_dyn().reduce_into(reduction, axes, target.as_dyn())
    }
    norm => try_norm[](&self, all_or_axes: impl Into<NormAxes>) -> DArray<T::Spread> {
        let NormAxes { axes, ord } = all_or_axes.into();
        typed(self.as_dyn().reduce(Reduction::Norm(ord), axes))
    }
    cumsum => try_cumsum[](&self, axis: impl Into<Along>) -> DArray<T::Accumulator> { typed(self.as_dyn().cumsum(axis)) }
    cumprod => try_cumprod[](&self, axis: impl Into<Along>) -> DArray<T::Accumulator> { typed(self.as_dyn().cumprod(axis)) }
    cummax => try_cummax[](&self, axis: impl Into<Along>) -> DArray<T> { typed(self.as_dyn().cummax(axis)) }
    cummin => try_cummin[](&self, axis: impl Into<Along>) -> DArray<T> { typed(self.as_dyn().cummin(axis)) }
    quantile => try_quantile[](&self, q: impl Quantiles, all_or_axes: impl Into<Axes>) -> DArray<T::Inexact> {
        let steps = Steps { name: "quantile", place: Place::caller() };
        typed(self.as_dyn().quantiles_as(q, 1.0, all_or_axes, steps))
    }
    percentile => try_percentile[](&self, percent: impl Quantiles, all_or_axes: impl Into<Axes>) -> DArray<T::Inexact> {
        let steps = Steps { name: "percentile", place: Place::caller() };
        typed(self.as_dyn().quantiles_as(percent, 100.0, all_or_axes, steps))
    }

    // Of `sorting`.
    sort => try_sort[](&self, axis: impl Into<Along>) -> DArray<T> { typed(self.as_dyn().sort(axis)) }
    argsort => try_argsort[](&self, axis: impl Into<Along>) -> DArray<i64> { typed(self.as_dyn().argsort(axis)) }
    topk => try_topk[](&self, k: usize) -> (DArray<T>, DArray<i64>) {
        let (values, indices) = self.as_dyn().topk(k)?;
        Ok((DArray::wrap(values), DArray::wrap(indices)))
    }
    partition => try_partition[](&self, kth: isize, axis: impl Into<Along>) -> DArray<T> { typed(self.as_dyn().partition(kth, axis)) }
    argpartition => try_argpartition[](&self, kth: isize, axis: impl Into<Along>) -> DArray<i64> { typed(self.as_dyn().argpartition(kth, axis)) }
    unique => try_unique[](&self) -> DArray<T> { typed(self.as_dyn().unique()) }
    unique_counts => try_unique_counts[](&self) -> (DArray<T>, DArray<i64>) {
        let (values, counts) = self.as_dyn().unique_counts()?;
        Ok((DArray::wrap(values), DArray::wrap(counts)))
    }
    unique_inverse => try_unique_inverse[](&self) -> (DArray<T>, DArray<i64>) {
        let (values, inverse) = self.as_dyn().unique_inverse()?;
        Ok((DArray::wrap(values), DArray::wrap(inverse)))
    }
    unique_all => try_unique_all[](&self) -> Unique<T> {
        let [values, indices, inverse, counts] = self.as_dyn().unique_all()?;
        let [indices, inverse, counts] = [indices, inverse, counts].map(DArray::wrap);
        Ok(Unique { values: DArray::wrap(values), indices, inverse, counts })
    }

    // Of `indexing`.
    slice => try_slice[S: Selection](&self, index: S) -> <S::Entry as Entry>::Of<T> { Ok(S::Entry::typed(self.as_dyn().slice(index)?)) }
    permute => try_permute[](&self, order: &[isize]) -> DArray<T> { typed(self.as_dyn().permute(order)) }
    broadcast_to => try_broadcast_to[](&self, shape: impl IntoShape) -> DArray<T> { typed(self.as_dyn().broadcast_to(shape)) }
    reshape => try_reshape[](&self, shape: impl IntoShape) -> DArray<T> { typed(self.as_dyn().reshape(shape)) }
    assign => try_assign[R: Assignable<T>](&self, value: R) -> () { self.as_dyn().assign(value.argument()) }
    bincount => try_bincount[](&self, minlength: impl MinLength) -> DArray<i64> where [T: Integral] {
        typed(self.as_dyn().bincount(None, minlength.minlength()))
    }
    bincount_weighted => try_bincount_weighted[W: Element](&self, weights: &DArray<W>, minlength: impl MinLength) -> DArray<f64> where [T: Integral] {
        typed(self.as_dyn().bincount(Some(weights.as_dyn()), minlength.minlength()))
    }
    histogram => try_histogram[](&self, bins: impl Into<Bins>) -> (DArray<i64>, DArray<T::Inexact>) {
        let steps = Steps { name: "histogram", place: Place::caller() };
        let (counts, edges) = self.as_dyn().histogram(bins, None, false)?;
        Ok((DArray::wrap(counts), DArray::wrap(steps.cast(&edges, T::Inexact::DTYPE)?)))
    }
    histogram_weighted => try_histogram_weighted[W: Element](&self, weights: &DArray<W>, bins: impl Into<Bins>) -> (DArray<f64>, DArray<T::Inexact>) {
        let steps = Steps { name: "histogram", place: Place::caller() };
        let (sums, edges) = self.as_dyn().histogram(bins, Some(weights.as_dyn()), false)?;
        Ok((DArray::wrap(sums), DArray::wrap(steps.cast(&edges, T::Inexact::DTYPE)?)))
    }
    histogram_density => try_histogram_density[](&self, bins: impl Into<Bins>) -> (DArray<f64>, DArray<T::Inexact>) {
        let steps = Steps { name: "histogram", place: Place::caller() };
        let (density, edges) = self.as_dyn().histogram(bins, None, true)?;
        Ok((DArray::wrap(density), DArray::wrap(steps.cast(&edges, T::Inexact::DTYPE)?)))
    }
    searchsorted => try_searchsorted[U: Element](&self, values: &DArray<U>) -> DArray<i64> { typed(self.as_dyn().searchsorted(values.as_dyn(), false)) }
    searchsorted_right => try_searchsorted_right[U: Element](&self, values: &DArray<U>) -> DArray<i64> {
        typed(self.as_dyn().searchsorted(values.as_dyn(), true))
    }
    digitize => try_digitize[U: Element](&self, edges: &DArray<U>) -> DArray<i64> { typed(self.as_dyn().digitize(edges.as_dyn(), false)) }
    digitize_right => try_digitize_right[U: Element](&self, edges: &DArray<U>) -> DArray<i64> { typed(self.as_dyn().digitize(edges.as_dyn(), true)) }
    get => try_get[](&self, position: impl Position) -> T {
        let (name, place) = ("get", Place::caller());
        let element = self.as_dyn().element(position.indices().as_ref(), name, place)?;
        Ok(T::read(&element, name, place)?[0])
    }
    set => try_set[](&self, position: impl Position, value: T) -> () { self.set_at(position, value, Place::caller()) }
    at => try_at[](&self, index: impl Position) -> DArray<T> { typed(self.as_dyn().at(index)) }
    put => try_put[I: Integral + Number, R: Assignable<T>](&self, indices: &DArray<I>, values: R) -> () {
        self.as_dyn().put(indices.as_dyn(), values.argument())
    }
    put_along_axis => try_put_along_axis[I: Integral + Number, R: Assignable<T>](&self, indices: &DArray<I>, values: R, axis: isize) -> () {
        self.as_dyn().put_along_axis(indices.as_dyn(), values.argument(), axis)
    }
    take => try_take[I: Integral + Number](&self, indices: &DArray<I>, axis: impl Into<Along>) -> DArray<T> {
        typed(self.as_dyn().take(indices.as_dyn(), axis))
    }
    take_along_axis => try_take_along_axis[I: Integral + Number](&self, indices: &DArray<I>, axis: isize) -> DArray<T> {
        typed(self.as_dyn().take_along_axis(indices.as_dyn(), axis))
    }
    iter => try_iter[](&self) -> Iter<T> { self.iter_at(Place::caller()) }
    compress => try_compress[](&self, mask: &DArray<bool>, axis: impl Into<Along>) -> DArray<T> { typed(self.as_dyn().compress(mask.as_dyn(), axis)) }
    extract => try_extract[](&self, mask: &DArray<bool>) -> DArray<T> { typed(self.as_dyn().extract(mask.as_dyn())) }
    flatnonzero => try_flatnonzero[](&self) -> DArray<i64> { typed(self.as_dyn().flatnonzero()) }
    nonzero => try_nonzero[](&self) -> Vec<DArray<i64>> { Ok(self.as_dyn().nonzero()?.into_iter().map(DArray::wrap).collect()) }
    argwhere => try_argwhere[](&self) -> DArray<i64> { typed(self.as_dyn().argwhere()) }
    add_at => try_add_at[I: Integral + Number, R: Assignable<T>](&self, indices: &DArray<I>, values: R) -> () {
        self.as_dyn().add_at(indices.as_dyn(), values.argument())
    }

    // Of `shape`.
    expand_dims => try_expand_dims[](&self, axes: impl Into<Axes>) -> DArray<T> { typed(self.as_dyn().expand_dims(axes)) }
    squeeze => try_squeeze[](&self, axes: impl Into<Axes>) -> DArray<T> { typed(self.as_dyn().squeeze(axes)) }
    swap_axes => try_swap_axes[](&self, a: isize, b: isize) -> DArray<T> { typed(self.as_dyn().swap_axes(a, b)) }
    moveaxis => try_moveaxis[](&self, source: impl Into<Axes>, destination: impl Into<Axes>) -> DArray<T> {
        typed(self.as_dyn().moveaxis(source, destination))
    }
    transpose => try_transpose[](&self, axes: impl Into<Axes>) -> DArray<T> { typed(self.as_dyn().transpose(axes)) }
    flip => try_flip[](&self, axes: impl Into<Axes>) -> DArray<T> { typed(self.as_dyn().flip(axes)) }
    diagonal => try_diagonal[](&self, diagonal: impl Into<Diagonal>) -> DArray<T> { self.diagonal_at(diagonal) }
    broadcast_arrays => try_broadcast_arrays[](arrays: impl Arrays<T>) -> Vec<DArray<T>> {
        let repeated = DynArray::broadcast_arrays(&arrays.untyped())?;
        Ok(repeated.into_iter().map(DArray::wrap).collect())
    }
    concatenate => try_concatenate[](arrays: impl Arrays<T>, axis: impl Into<Axes>) -> DArray<T> { typed(DynArray::concatenate(&arrays.untyped(), axis)) }
    stack => try_stack[](arrays: impl Arrays<T>, axis: isize) -> DArray<T> { typed(DynArray::stack(&arrays.untyped(), axis)) }
    vstack => try_vstack[](arrays: impl Arrays<T>) -> DArray<T> { typed(DynArray::vstack(&arrays.untyped())) }
    hstack => try_hstack[](arrays: impl Arrays<T>) -> DArray<T> { typed(DynArray::hstack(&arrays.untyped())) }
    pad => try_pad[](&self, widths: impl Into<PadWidths>, border: impl Padding<T>) -> DArray<T> { typed(self.as_dyn().pad(widths, border.mode())) }
    repeat => try_repeat[](&self, count: usize, axes: impl Into<Axes>) -> DArray<T> { typed(self.as_dyn().repeat(count, axes)) }
    tile => try_tile[](&self, counts: impl IntoShape) -> DArray<T> { typed(self.as_dyn().tile(counts)) }
    roll => try_roll[](&self, shifts: impl Into<Shifts>, axes: impl Into<Axes>) -> DArray<T> { typed(self.as_dyn().roll(shifts, axes)) }
    split => try_split[](&self, sections: impl Into<Sections>, axis: isize) -> Vec<DArray<T>> {
        Ok(self.as_dyn().split(sections, axis)?.into_iter().map(DArray::wrap).collect())
    }
    array_split => try_array_split[](&self, sections: impl Into<Sections>, axis: isize) -> Vec<DArray<T>> {
        Ok(self.as_dyn().array_split(sections, axis)?.into_iter().map(DArray::wrap).collect())
    }

    // Of `linalg`.
    trace => try_trace[](&self) -> DArray<T::Accumulator> { typed(self.as_dyn().trace(0, (0, 1))) }
    matmul => try_matmul[V: Element](&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output> where [T: Promote<V>] {
        typed(self.as_dyn().matmul(right.as_dyn()))
    }
    dot => try_dot[V: Element](&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output> where [T: Promote<V>] {
        typed(self.as_dyn().dot(right.as_dyn()))
    }
    inner => try_inner[V: Element](&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output> where [T: Promote<V>] {
        typed(self.as_dyn().inner(right.as_dyn()))
    }
    outer => try_outer[V: Element](&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output> where [T: Promote<V>] {
        typed(self.as_dyn().outer(right.as_dyn()))
    }
    vdot => try_vdot[V: Element](&self, right: &DArray<V>) -> DArray<<T as Promote<V>>::Output> where [T: Promote<V>] {
        typed(self.as_dyn().vdot(right.as_dyn()))
    }
    tensordot => try_tensordot[V: Element](&self, right: &DArray<V>, over: impl Into<ContractionAxes>) -> DArray<<T as Promote<V>>::Output> where [T: Promote<V>] {
        typed(self.as_dyn().tensordot(right.as_dyn(), over))
    }
}

/// An untyped result as one of the type that the signature says.
fn typed<U: Element>(result: Result<DynArray>) -> Result<DArray<U>> {
    result.map(DArray::wrap)
}
