//! What becomes of an element that a value is written to: it is replaced, or the value is added.

use super::{Line, Writes};
use crate::vector;
use crate::workers::Workers;
use darray_core::RealType;
use darray_kernel::element::Element;
use darray_kernel::for_each_fold;
use std::marker::PhantomData;
use std::sync::atomic::AtomicBool;

/// A way to write elements.
pub(super) trait Store {
    /// The elements, or others of their size.
    type E: Copy + Send;

    /// # Safety
    /// The element can be read and written.
    unsafe fn store(to: *mut Self::E, value: Self::E);

    /// Of `n` elements; each side has an address and bytes from one to the next.
    ///
    /// # Safety
    /// The elements can be read and written; the two sides are apart.
    unsafe fn store_row(from: (*const u8, i64), to: (*mut u8, i64), n: usize) {
        for k in 0..n as i64 {
            let from = from.0.wrapping_offset((k * from.1) as isize).cast::<Self::E>();
            let to = to.0.wrapping_offset((k * to.1) as isize).cast::<Self::E>();
            // SAFETY: the caller's contract.
            unsafe { Self::store(to, from.read()) };
        }
    }
}

/// A way to add values.
pub(super) trait Add: Store {
    /// What changes nothing where it is added.
    const NOTHING: Self::E;
}

/// The loops of one way to write elements of one type.
#[derive(Clone, Copy)]
pub(super) struct Loops {
    /// Elements by an index each; whether all are in range.
    pub line: unsafe fn(&Writes, &Line) -> bool,
    /// Elements by one index; whether it is in range.
    pub together: unsafe fn(&Writes, &Line) -> bool,
    /// By threads in tables of their own, where the order of the values does not matter.
    pub in_tables: Option<fn(&Writes, &Workers, usize, &AtomicBool)>,
}

impl Loops {
    fn of<S: Store>() -> Loops {
        let (line, together) = (Writes::line::<S>, Writes::together::<S>);
        Loops { line, together, in_tables: None }
    }

    /// None where values are added of a type without sums.
    pub fn find(dtype: RealType, add: bool) -> Option<Loops> {
        match (add, dtype.size()) {
            (true, _) => find_sum(dtype),
            (false, 1) => Some(Loops::of::<Replace<u8>>()),
            (false, 2) => Some(Loops::of::<Replace<u16>>()),
            (false, 4) => Some(Loops::of::<Replace<u32>>()),
            (false, _) => Some(Loops::of::<Replace<u64>>()),
        }
    }
}

/// The value takes the place of the element.
struct Replace<E>(PhantomData<E>);

impl<E: Copy + Send> Store for Replace<E> {
    type E = E;

    #[inline(always)]
    unsafe fn store(to: *mut E, value: E) {
        // SAFETY: the caller's contract.
        unsafe { to.write(value) };
    }

    unsafe fn store_row(from: (*const u8, i64), to: (*mut u8, i64), n: usize) {
        // SAFETY: the caller's contract.
        unsafe { vector::copy(from, to, n, size_of::<E>()) };
    }
}

/// One arm per row of sums of the reducer table; the rest nothing.
macro_rules! define_sums {
    (@row $dtype:ident, (Sum, $how:tt, $t:ident, $identity:expr, $join:path)) => {
        if $dtype == <$t as Element>::DTYPE {
            struct Sum;
            impl Store for Sum {
                type E = $t;
                #[inline(always)]
                unsafe fn store(to: *mut $t, value: $t) {
                    // SAFETY: the caller's contract.
                    unsafe { to.write($join(to.read(), value)) };
                }
            }
            impl Add for Sum {
                const NOTHING: $t = $identity;
            }
            // Sums of integers are the same in any order.
            let in_tables: fn(&Writes, &Workers, usize, &AtomicBool) = Writes::in_tables::<Sum>;
            let in_tables = (!$dtype.is_float()).then_some(in_tables);
            return Some(Loops { in_tables, ..Loops::of::<Sum>() });
        }
    };
    (@row $dtype:ident, $other:tt) => {};
    ($($row:tt)*) => {
        fn find_sum(dtype: RealType) -> Option<Loops> {
            $(define_sums!(@row dtype, $row);)*
            None
        }
    };
}

for_each_fold! { define_sums }
