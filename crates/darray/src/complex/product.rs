//! Products of complex matrices and vectors: four real ones.

use super::{ComplexArray, ComplexPart, Joined};
use crate::error::expect_at_caller;
use crate::{DArray, Promote};
use darray_core::Result;

impl<T: ComplexPart> ComplexArray<T> {
    /// NumPy's `matmul`: the product of matrices, or of stacks of matrices; see [`DArray::matmul`]. The parts
    /// are sums and differences of the four products of the parts, each in its order.
    ///
    /// # Panics
    ///
    /// If an array is 0-d, the inner extents differ, or the leading axes do not broadcast.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let turn = ComplexArray::from_shape_vec((1, 1), vec![Complex::new(0.0, 1.0)]);
    /// assert_eq!(turn.matmul(&turn).to_string(), "[[-1.+0.j]]");
    /// ```
    #[track_caller]
    pub fn matmul<V: ComplexPart>(&self, right: &ComplexArray<V>) -> ComplexArray<Joined<T, V>>
    where
        T: Promote<V>,
        Joined<T, V>: ComplexPart,
    {
        expect_at_caller(self.try_matmul(right))
    }

    /// As [`matmul`](Self::matmul); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let (a, b) = (ComplexArray::<f64>::zeros((2, 3)), ComplexArray::<f64>::zeros(2));
    /// let error = a.try_matmul(&b).unwrap_err().to_string();
    /// assert!(error.starts_with("matmul: shapes [2, 3] and [2]: expected one inner extent, not "));
    /// ```
    #[track_caller]
    pub fn try_matmul<V: ComplexPart>(
        &self,
        right: &ComplexArray<V>,
    ) -> Result<ComplexArray<Joined<T, V>>>
    where
        T: Promote<V>,
        Joined<T, V>: ComplexPart,
    {
        let (a, b, c, d) = (&self.re, &self.im, &right.re, &right.im);
        let re = a.try_matmul(c)?.try_sub(b.try_matmul(d)?)?;
        Ok(ComplexArray::wrap(re, a.try_matmul(d)?.try_add(b.try_matmul(c)?)?))
    }

    /// NumPy's `dot`, without conjugation; see [`DArray::dot`] and [`matmul`](Self::matmul).
    ///
    /// # Panics
    ///
    /// If the inner extents differ.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(0.0, 1.0), Complex::new(2.0, 0.0)]);
    /// assert_eq!(z.dot(&z).item(), Complex::new(3.0, 0.0));
    /// ```
    #[track_caller]
    pub fn dot<V: ComplexPart>(&self, right: &ComplexArray<V>) -> ComplexArray<Joined<T, V>>
    where
        T: Promote<V>,
        Joined<T, V>: ComplexPart,
    {
        expect_at_caller(self.try_dot(right))
    }

    /// As [`dot`](Self::dot); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let (a, b) = (ComplexArray::<f64>::zeros(3), ComplexArray::<f64>::zeros(2));
    /// assert!(a.try_dot(&b).is_err());
    /// ```
    #[track_caller]
    pub fn try_dot<V: ComplexPart>(
        &self,
        right: &ComplexArray<V>,
    ) -> Result<ComplexArray<Joined<T, V>>>
    where
        T: Promote<V>,
        Joined<T, V>: ComplexPart,
    {
        let (a, b, c, d) = (&self.re, &self.im, &right.re, &right.im);
        let re = a.try_dot(c)?.try_sub(b.try_dot(d)?)?;
        Ok(ComplexArray::wrap(re, a.try_dot(d)?.try_add(b.try_dot(c)?)?))
    }

    /// The sum of the products of the conjugates of these elements with the others, in row-major order; a 0-d
    /// array.
    ///
    /// # Panics
    ///
    /// If the numbers of elements differ.
    ///
    /// ```
    /// use darray::{Complex, ComplexArray};
    /// let z = ComplexArray::from_vec(vec![Complex::new(0.0, 1.0), Complex::new(2.0, 0.0)]);
    /// assert_eq!(z.vdot(&z).item(), Complex::new(5.0, 0.0));
    /// ```
    #[track_caller]
    pub fn vdot<V: ComplexPart>(&self, right: &ComplexArray<V>) -> ComplexArray<Joined<T, V>>
    where
        T: Promote<V>,
        Joined<T, V>: ComplexPart,
    {
        expect_at_caller(self.try_vdot(right))
    }

    /// As [`vdot`](Self::vdot); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// let (a, b) = (ComplexArray::<f64>::zeros(3), ComplexArray::<f64>::zeros(2));
    /// assert!(a.try_vdot(&b).is_err());
    /// ```
    #[track_caller]
    pub fn try_vdot<V: ComplexPart>(
        &self,
        right: &ComplexArray<V>,
    ) -> Result<ComplexArray<Joined<T, V>>>
    where
        T: Promote<V>,
        Joined<T, V>: ComplexPart,
    {
        let (a, b, c, d) = (&self.re, &self.im, &right.re, &right.im);
        let re = a.try_vdot(c)?.try_add(b.try_vdot(d)?)?;
        Ok(ComplexArray::wrap(re, a.try_vdot(d)?.try_sub(b.try_vdot(c)?)?))
    }

    /// The sum of the diagonal of a matrix; see [`DArray::trace`].
    ///
    /// # Panics
    ///
    /// If there are fewer than two axes.
    ///
    /// ```
    /// use darray::DArray;
    /// let z = DArray::<f64>::identity(3).to_complex();
    /// assert_eq!(z.trace().to_string(), "(3+0j)");
    /// ```
    #[track_caller]
    pub fn trace(&self) -> ComplexArray<T> {
        expect_at_caller(self.try_trace())
    }

    /// As [`trace`](Self::trace); what would panic is an error.
    ///
    /// ```
    /// use darray::ComplexArray;
    /// assert!(ComplexArray::<f64>::zeros(3).try_trace().is_err());
    /// ```
    #[track_caller]
    pub fn try_trace(&self) -> Result<ComplexArray<T>> {
        let re: DArray<T> = self.re.try_trace()?;
        Ok(ComplexArray::wrap(re, self.im.try_trace()?))
    }
}
