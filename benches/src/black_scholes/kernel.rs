//! The formula, over vectors of whatever element.

use super::Form;

/// A vector register of elements.
///
/// # Safety
/// All methods: the machine has the instructions, see [`available`](Lanes::available). They are inlined into
/// functions that are compiled for them.
pub(super) trait Lanes: Copy {
    /// What it holds.
    type Element: super::Element;
    /// How many.
    const LANES: usize;

    /// Whether this machine has the instructions.
    fn available() -> bool;
    /// [`vectors`], compiled for them.
    ///
    /// # Safety
    /// That of [`vectors`].
    unsafe fn price<const CONTRACT: bool, const NEWTON: bool>(
        from: [*const Self::Element; 3],
        to: [*mut Self::Element; 2],
        n: usize,
    );

    unsafe fn load(from: *const Self::Element) -> Self;
    unsafe fn store(self, to: *mut Self::Element);
    unsafe fn all(value: f64) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    unsafe fn div(self, other: Self) -> Self;
    /// Near its inverse; [`div_by_newton`](Lanes::div_by_newton) takes so many steps from there.
    unsafe fn estimated_inverse(self) -> Self;
    /// See [`estimated_inverse`](Lanes::estimated_inverse).
    const NEWTON_STEPS: usize;
    unsafe fn sqrt(self) -> Self;
    unsafe fn abs(self) -> Self;
    /// `self * b + c`, rounded once.
    unsafe fn fused(self, b: Self, c: Self) -> Self;
    /// `self * b - c`, rounded once.
    unsafe fn fused_sub(self, b: Self, c: Self) -> Self;
    /// `c - self * b`, rounded once.
    unsafe fn fused_from(self, b: Self, c: Self) -> Self;
    unsafe fn exp(self) -> Self;
    unsafe fn ln(self) -> Self;
    /// `positive` where `self` is above zero, `other` elsewhere.
    unsafe fn select(self, positive: Self, other: Self) -> Self;

    /// A quotient that may be off by an ulp, without an instruction that divides.
    #[inline(always)]
    unsafe fn div_by_newton(self, other: Self) -> Self {
        // SAFETY: the caller's contract.
        unsafe {
            let mut inverse = other.estimated_inverse();
            for _ in 0..Self::NEWTON_STEPS {
                let error = other.fused_from(inverse, Self::all(1.0));
                inverse = inverse.fused(error, inverse);
            }
            let quotient = self.mul(inverse);
            let rest = other.fused_from(quotient, self);
            rest.fused(inverse, quotient)
        }
    }
}

/// A vector register and its [`Lanes`] by these instructions: the operations that they have, and those that follow.
macro_rules! vector {
    (
        #[target_feature(enable = $features:literal)]
        $name:ident($register:ty), $lanes:literal of $element:ty, if [$($feature:tt)*],
        [$load:ident $store:ident $splat:ident $add:ident $sub:ident $mul:ident $div:ident $sqrt:ident
            $fmadd:ident $fmsub:ident $fnmadd:ident]
        $($rest:tt)*
    ) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name($register);

        impl Lanes for $name {
            type Element = $element;
            const LANES: usize = $lanes;

            fn available() -> bool {
                $(is_x86_feature_detected!($feature))&&*
            }

            unsafe fn price<const CONTRACT: bool, const NEWTON: bool>(
                from: [*const $element; 3],
                to: [*mut $element; 2],
                n: usize,
            ) {
                #[target_feature(enable = $features)]
                unsafe fn compiled<const CONTRACT: bool, const NEWTON: bool>(
                    from: [*const $element; 3],
                    to: [*mut $element; 2],
                    n: usize,
                ) {
                    // SAFETY: the caller's contract.
                    unsafe { $crate::black_scholes::kernel::vectors::<$name, CONTRACT, NEWTON>(from, to, n) }
                }
                // SAFETY: the caller's contract.
                unsafe { compiled::<CONTRACT, NEWTON>(from, to, n) }
            }

            #[inline(always)]
            unsafe fn load(from: *const $element) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($load(from)) }
            }

            #[inline(always)]
            unsafe fn store(self, to: *mut $element) {
                // SAFETY: the caller's contract.
                unsafe { $store(to, self.0) }
            }

            #[inline(always)]
            unsafe fn all(value: f64) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($splat(value as $element)) }
            }

            #[inline(always)]
            unsafe fn add(self, other: $name) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($add(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn sub(self, other: $name) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($sub(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn mul(self, other: $name) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($mul(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn div(self, other: $name) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($div(self.0, other.0)) }
            }

            #[inline(always)]
            unsafe fn sqrt(self) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($sqrt(self.0)) }
            }

            #[inline(always)]
            unsafe fn fused(self, b: $name, c: $name) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($fmadd(self.0, b.0, c.0)) }
            }

            #[inline(always)]
            unsafe fn fused_sub(self, b: $name, c: $name) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($fmsub(self.0, b.0, c.0)) }
            }

            #[inline(always)]
            unsafe fn fused_from(self, b: $name, c: $name) -> $name {
                // SAFETY: the caller's contract.
                unsafe { $name($fnmadd(self.0, b.0, c.0)) }
            }

            $($rest)*
        }
    };
}
pub(super) use vector;

/// Prices all options; false where the machine lacks the instructions.
pub(super) fn price<V: Lanes>(
    form: Form,
    inputs: [&[V::Element]; 3],
    outputs: [&mut [V::Element]; 2],
) -> bool {
    if !V::available() {
        return false;
    }
    let n = inputs[0].len();
    let from = inputs.map(<[V::Element]>::as_ptr);
    let [call, put] = outputs;
    let to = [call.as_mut_ptr(), put.as_mut_ptr()];
    let whole = n / V::LANES * V::LANES;
    // SAFETY: the instructions are there; the slices have `n` elements, `whole` of them in whole vectors.
    let run = |from, to, n| unsafe {
        match form {
            Form::Contracted => V::price::<true, false>(from, to, n),
            Form::Separate => V::price::<false, false>(from, to, n),
            Form::Newton => V::price::<true, true>(from, to, n),
        }
    };
    run(from, to, whole);
    if whole < n {
        // The rest as a whole vector elsewhere.
        use super::Element;
        let one = V::Element::from_f64(1.0);
        let mut ends = [[one; 16]; 3];
        for (end, input) in ends.iter_mut().zip(inputs) {
            end[..n - whole].copy_from_slice(&input[whole..]);
        }
        let mut prices = [[one; 16]; 2];
        let [first, second] = &mut prices;
        run(
            ends.each_ref().map(|end| end.as_ptr()),
            [first.as_mut_ptr(), second.as_mut_ptr()],
            V::LANES,
        );
        call[whole..].copy_from_slice(&first[..n - whole]);
        put[whole..].copy_from_slice(&second[..n - whole]);
    }
    true
}

/// Prices whole vectors of options.
///
/// # Safety
/// The machine has the instructions; `n` is whole vectors, and so many elements can be read and written.
#[inline(always)]
pub(super) unsafe fn vectors<V: Lanes, const CONTRACT: bool, const NEWTON: bool>(
    from: [*const V::Element; 3],
    to: [*mut V::Element; 2],
    n: usize,
) {
    for at in (0..n).step_by(V::LANES) {
        // SAFETY: a whole vector from `at` on.
        unsafe {
            let [s, x, t] =
                [V::load(from[0].add(at)), V::load(from[1].add(at)), V::load(from[2].add(at))];
            let [call, put] = options::<V, CONTRACT, NEWTON>(s, x, t);
            call.store(to[0].add(at));
            put.store(to[1].add(at));
        }
    }
}

/// A vector of options.
#[inline(always)]
unsafe fn options<V: Lanes, const CONTRACT: bool, const NEWTON: bool>(s: V, x: V, t: V) -> [V; 2] {
    // SAFETY: the caller's contract is that of `vectors`.
    unsafe {
        let all = |value| V::all(value);
        let one = all(1.0);
        let deviation = all(0.3).mul(t.sqrt());
        let log = divide::<V, NEWTON>(s, x).ln();
        let d1 = multiply_add::<V, CONTRACT>(all(0.02 + 0.5 * 0.3 * 0.3), t, log);
        let d1 = divide::<V, NEWTON>(d1, deviation);
        let d2 = d1.sub(deviation);
        let n1 = normal::<V, CONTRACT, NEWTON>(d1);
        let n2 = normal::<V, CONTRACT, NEWTON>(d2);
        let discounted = x.mul(all(-0.02).mul(t).exp());
        let (m1, m2) = (one.sub(n1), one.sub(n2));
        [
            multiply_sub::<V, CONTRACT>(s, n1, discounted.mul(n2)),
            multiply_sub::<V, CONTRACT>(discounted, m2, s.mul(m1)),
        ]
    }
}

/// The cumulative normal distribution.
#[inline(always)]
unsafe fn normal<V: Lanes, const CONTRACT: bool, const NEWTON: bool>(d: V) -> V {
    // SAFETY: the caller's contract is that of `vectors`.
    unsafe {
        let (all, one) = (|value| V::all(value), V::all(1.0));
        let k = multiply_add::<V, CONTRACT>(all(0.2316419), d.abs(), one);
        let k = divide::<V, NEWTON>(one, k);
        let mut series = all(1.330274429);
        for coefficient in [-1.821255978, 1.781477937, -0.356563782, 0.31938153] {
            series = multiply_add::<V, CONTRACT>(k, series, all(coefficient));
        }
        let series = k.mul(series);
        let tail = all(0.3989422804).mul(all(-0.5).mul(d).mul(d).exp()).mul(series);
        d.select(one.sub(tail), tail)
    }
}

#[inline(always)]
unsafe fn multiply_add<V: Lanes, const CONTRACT: bool>(a: V, b: V, c: V) -> V {
    // SAFETY: the caller's contract is that of `vectors`.
    unsafe { if CONTRACT { a.fused(b, c) } else { a.mul(b).add(c) } }
}

#[inline(always)]
unsafe fn multiply_sub<V: Lanes, const CONTRACT: bool>(a: V, b: V, c: V) -> V {
    // SAFETY: the caller's contract is that of `vectors`.
    unsafe { if CONTRACT { a.fused_sub(b, c) } else { a.mul(b).sub(c) } }
}

#[inline(always)]
unsafe fn divide<V: Lanes, const NEWTON: bool>(a: V, b: V) -> V {
    // SAFETY: the caller's contract is that of `vectors`.
    unsafe { if NEWTON { a.div_by_newton(b) } else { a.div(b) } }
}

/// The polynomial with these coefficients, the one of the highest power first.
#[inline(always)]
pub(super) unsafe fn polynomial<V: Lanes>(x: V, coefficients: &[f64]) -> V {
    // SAFETY: the caller's contract is that of `vectors`.
    unsafe {
        let (first, rest) = coefficients.split_first().expect("a coefficient");
        rest.iter().fold(V::all(*first), |value, &c| value.fused(x, V::all(c)))
    }
}
