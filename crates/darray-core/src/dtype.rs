//! Element types of arrays: real ones, and complex numbers of two floats.

use crate::RealType;
use std::fmt;

macro_rules! define_dtypes {
    ($($(#[$doc:meta])+ $name:ident = $rust:ident ($($row:tt)+);)+) => {
        /// The type of the elements of an array, known at run time.
        ///
        /// ```
        /// use darray_core::{DType, RealType};
        /// assert_eq!(DType::F32.size(), 4);
        /// assert_eq!(DType::C64.part(), RealType::F32);
        /// assert_eq!(DType::C64.to_string(), "complex64");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum DType {
            $($(#[$doc])+ $name,)+
            /// A complex number whose parts are f32.
            C64,
            /// A complex number whose parts are f64.
            C128,
        }

        const REAL: &[DType] = &[$(DType::$name),+];

        impl DType {
            /// Every element type: the real ones in the order of their table, and then the complex ones.
            pub const ALL: [DType; REAL.len() + 2] =
                [$(DType::$name,)+ DType::C64, DType::C128];
        }
    };
}

crate::for_each_element! { [define_dtypes] }

impl DType {
    /// The type of what `argmin` gives and of what gathers and scatters take.
    pub const INDEX: DType = DType::of_real(RealType::INDEX);

    /// The type of masks: of what comparisons give.
    pub const MASK: DType = DType::of_real(RealType::MASK);

    /// The element type of real arrays of this type.
    pub const fn of_real(real: RealType) -> DType {
        REAL[real as usize]
    }

    /// The complex type with parts of this type; none unless they are f32 or f64.
    ///
    /// ```
    /// use darray_core::{DType, RealType};
    /// assert_eq!(DType::complex_of(RealType::F64), Some(DType::C128));
    /// assert_eq!(DType::complex_of(RealType::F16), None);
    /// ```
    pub const fn complex_of(part: RealType) -> Option<DType> {
        match part {
            RealType::F32 => Some(DType::C64),
            RealType::F64 => Some(DType::C128),
            _ => None,
        }
    }

    /// The type of real and imaginary parts; of real types itself.
    #[inline]
    pub const fn part(self) -> RealType {
        match self {
            DType::C64 => RealType::F32,
            DType::C128 => RealType::F64,
            _ => RealType::ALL[self as usize],
        }
    }

    /// This type as a real one; none of complex types.
    pub const fn as_real(self) -> Option<RealType> {
        if self.is_complex() { None } else { Some(self.part()) }
    }

    /// Whether elements are complex numbers.
    #[inline]
    pub const fn is_complex(self) -> bool {
        matches!(self, DType::C64 | DType::C128)
    }

    /// Whether this is an integer type; `bool` is none.
    pub const fn is_integer(self) -> bool {
        self.part().is_integer()
    }

    /// Whether this is a real floating-point type.
    pub const fn is_float(self) -> bool {
        self.part().is_float() && !self.is_complex()
    }

    /// Bytes of one element.
    pub const fn size(self) -> usize {
        if self.is_complex() { 2 * self.part().size() } else { self.part().size() }
    }

    /// The name used in texts: that of Rust's type, `complex64` and `complex128`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::C64 => "complex64",
            DType::C128 => "complex128",
            _ => self.part().name(),
        }
    }

    /// The type with this [`name`](Self::name).
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// The type of a sum or product: itself for floats and complex numbers, else that of
    /// [`RealType::accumulator`].
    pub const fn accumulator(self) -> DType {
        if self.is_complex() { self } else { DType::of_real(self.part().accumulator()) }
    }

    /// The type in which true division and means compute: itself for floats and complex numbers, else f64.
    pub const fn inexact(self) -> DType {
        if self.is_complex() { self } else { DType::of_real(self.part().inexact()) }
    }

    /// The type in which functions such as `sqrt` compute: itself for complex numbers, else [`RealType::function`].
    pub const fn function(self) -> DType {
        if self.is_complex() { self } else { DType::of_real(self.part().function()) }
    }
}

impl From<RealType> for DType {
    fn from(real: RealType) -> DType {
        DType::of_real(real)
    }
}

impl PartialEq<RealType> for DType {
    fn eq(&self, real: &RealType) -> bool {
        *self == DType::of_real(*real)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_real_or_has_parts() {
        for real in RealType::ALL {
            let dtype = DType::from(real);
            assert_eq!(
                (dtype.as_real(), dtype.part(), dtype.name()),
                (Some(real), real, real.name())
            );
            assert_eq!(DType::from_name(real.name()), Some(dtype));
            if let Some(complex) = DType::complex_of(real) {
                assert_eq!((complex.as_real(), complex.part()), (None, real));
                assert_eq!(complex.size(), 2 * real.size());
                assert_eq!(DType::from_name(complex.name()), Some(complex));
            }
        }
        assert_eq!(DType::ALL.iter().filter(|dtype| dtype.is_complex()).count(), 2);
    }
}
