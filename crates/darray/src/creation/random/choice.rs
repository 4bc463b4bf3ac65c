//! Orders and choices.

use super::Generator;
use crate::array::into_shape::checked_shape;
use crate::elementwise::steps::Steps;
use crate::error::expect_at_caller;
use crate::{Binary, DArray, DynArray, Element, Extents, IntoShape};
use darray_core::{Place, RealType, Result, Shape};
use darray_ir::Distribution;

/// From what is chosen: the numbers below one, as i64, the elements along the first axis of an array, or those of a list.
///
/// ```
/// use darray::{DArray, default_rng};
/// let x = DArray::from_vec(vec![0.5, 1.5]);
/// assert!(default_rng(1).choice(2, 9).le(1).all(..).item());
/// assert!(default_rng(1).choice(&x, 9).ge(0.5).all(..).item());
/// assert!(default_rng(1).choice([-1, 1], 9).abs().eq(1).all(..).item());
/// ```
#[diagnostic::on_unimplemented(
    message = "nothing can be chosen from `{Self}`",
    label = "write `n`, a usize, for the numbers below it, `&x` for the elements of an array, or `[1, 2]`"
)]
pub trait Population {
    /// The type of what is chosen.
    type Element: Element;

    /// How many there are.
    #[doc(hidden)]
    fn count(&self, name: &'static str, place: Place) -> Result<usize>;

    /// Those with these numbers.
    #[doc(hidden)]
    fn chosen(&self, numbers: DynArray, name: &'static str, place: Place) -> Result<DynArray>;
}

impl Population for usize {
    type Element = i64;

    fn count(&self, _: &'static str, _: Place) -> Result<usize> {
        Ok(*self)
    }

    fn chosen(&self, numbers: DynArray, _: &'static str, _: Place) -> Result<DynArray> {
        Ok(numbers)
    }
}

impl<T: Element> Population for &DArray<T> {
    type Element = T;

    fn count(&self, name: &'static str, place: Place) -> Result<usize> {
        let first = self.shape().first().copied();
        let error = || Steps { name, place }.shapes(&[self.as_dyn()], "at least one axis");
        first.ok_or_else(error)
    }

    fn chosen(&self, numbers: DynArray, name: &'static str, place: Place) -> Result<DynArray> {
        self.as_dyn().taken(&numbers, Some(0), Steps { name, place })
    }
}

impl<T: Element, const N: usize> Population for [T; N] {
    type Element = T;

    fn count(&self, _: &'static str, _: Place) -> Result<usize> {
        Ok(N)
    }

    fn chosen(&self, numbers: DynArray, name: &'static str, place: Place) -> Result<DynArray> {
        (&DArray::array_at(*self, place)?).chosen(numbers, name, place)
    }
}

/// How many are chosen, and how: a shape, or one to which is added that none is chosen twice and how likely each is.
///
/// ```
/// use darray::{DArray, Sample, default_rng};
/// let p = DArray::from_vec(vec![0.0, 0.5, 0.5]);
/// let both = default_rng(1).choice(3, Sample::new(2).without_replacement().p(&p));
/// assert_eq!(both.sort(0).to_vec(), [1, 2]);
/// ```
#[derive(Debug)]
pub struct Sample {
    extents: Extents,
    replace: bool,
    weights: Option<DynArray>,
}

impl Sample {
    /// So many, each of all.
    ///
    /// ```
    /// use darray::{Sample, default_rng};
    /// assert_eq!(default_rng(1).choice(10, Sample::new((2, 3))).shape(), [2, 3]);
    /// ```
    pub fn new(shape: impl IntoShape) -> Sample {
        Sample { extents: shape.extents(), replace: true, weights: None }
    }

    /// None twice: NumPy's `replace=False`.
    ///
    /// ```
    /// use darray::{Sample, default_rng};
    /// let all = default_rng(1).choice(4, Sample::new(4).without_replacement());
    /// assert_eq!(all.sort(0).to_vec(), [0, 1, 2, 3]);
    /// ```
    pub fn without_replacement(self) -> Sample {
        Sample { replace: false, ..self }
    }

    /// How likely each is, in proportion: their sum need not be 1. They are not read, so that none is looked for that is negative or NaN.
    ///
    /// ```
    /// use darray::{DArray, Sample, default_rng};
    /// let p = DArray::from_vec(vec![0, 3]);
    /// assert_eq!(default_rng(1).choice(2, Sample::new(3).p(&p)).to_vec(), [1, 1, 1]);
    /// ```
    pub fn p<T: Element>(self, weights: &DArray<T>) -> Sample {
        Sample { weights: Some(weights.as_dyn().alias()), ..self }
    }
}

impl<S: IntoShape> From<S> for Sample {
    fn from(shape: S) -> Sample {
        Sample::new(shape)
    }
}

impl Generator {
    /// NumPy's `choice`: elements of a [population](Population), a shape or a [`Sample`] of them. Of an array elements are chosen along the
    /// first axis.
    ///
    /// With replacement and probabilities these are NumPy's numbers; without probabilities they are those of
    /// [`integers`](Self::integers); without replacement one draw for each element of the population gives an order of it, whose
    /// beginning is chosen. Nothing is read: of probabilities there may be zeros, but where more are chosen without replacement than
    /// are likely, the unlikely ones follow.
    ///
    /// # Panics
    ///
    /// If there is nothing to choose from, or without replacement not enough; if there is not one probability for each; for a shape that
    /// cannot be.
    ///
    /// ```
    /// use darray::{DArray, Sample, default_rng};
    /// // numpy.random.default_rng(7).choice(3, 4, p=[0.2, 0.3, 0.5])
    /// let p = DArray::from_vec(vec![0.2, 0.3, 0.5]);
    /// assert_eq!(default_rng(7).choice(3, Sample::new(4).p(&p)).to_vec(), [2, 2, 2, 1]);
    /// ```
    #[track_caller]
    pub fn choice<P: Population>(
        &mut self,
        population: P,
        sample: impl Into<Sample>,
    ) -> DArray<P::Element> {
        expect_at_caller(self.try_choice(population, sample))
    }

    /// As [`choice`](Self::choice); what would panic is an error.
    ///
    /// ```
    /// use darray::{Sample, default_rng};
    /// let error = default_rng(1).try_choice(3, Sample::new(4).without_replacement()).unwrap_err();
    /// assert!(error.to_string().starts_with("choice: 4 of 3 without replacement"));
    /// ```
    #[track_caller]
    pub fn try_choice<P: Population>(
        &mut self,
        population: P,
        sample: impl Into<Sample>,
    ) -> Result<DArray<P::Element>> {
        let (name, place) = ("choice", Place::caller());
        let count = population.count(name, place)?;
        let numbers = self.numbers_of(count, sample.into(), Steps { name, place })?;
        Ok(DArray::wrap(population.chosen(numbers, name, place)?))
    }

    /// NumPy's `permutation`: the numbers below one, or the elements along the first axis of an array, in random order, each order being
    /// as likely as the others. One draw for each; the order is not that of NumPy's.
    ///
    /// # Panics
    ///
    /// If an array has no axis, or there are too many numbers.
    ///
    /// ```
    /// use darray::default_rng;
    /// assert_eq!(default_rng(1).permutation(5).sort(0).to_vec(), [0, 1, 2, 3, 4]);
    /// ```
    #[track_caller]
    pub fn permutation<P: Population>(&mut self, population: P) -> DArray<P::Element> {
        expect_at_caller(self.try_permutation(population))
    }

    /// As [`permutation`](Self::permutation); what would panic is an error.
    ///
    /// ```
    /// use darray::{DArray, default_rng};
    /// assert!(default_rng(1).try_permutation(&DArray::<f64>::ones(())).is_err());
    /// ```
    #[track_caller]
    pub fn try_permutation<P: Population>(&mut self, population: P) -> Result<DArray<P::Element>> {
        let (name, place) = ("permutation", Place::caller());
        let order = self.order(population.count(name, place)?, None, Steps { name, place })?;
        Ok(DArray::wrap(population.chosen(order, name, place)?))
    }

    /// NumPy's `shuffle`: puts the elements along the first axis of an array, or of a view, in random order. As
    /// [`permutation`](Self::permutation).
    ///
    /// # Panics
    ///
    /// If there is no axis, or the view reaches an element twice.
    ///
    /// ```
    /// use darray::{DArray, default_rng};
    /// let x = DArray::<i64>::arange(5);
    /// default_rng(1).shuffle(&x);
    /// assert_eq!(x.sum(..).item(), 10);
    /// ```
    #[track_caller]
    pub fn shuffle<T: Element>(&mut self, x: &DArray<T>) {
        expect_at_caller(self.try_shuffle(x));
    }

    /// As [`shuffle`](Self::shuffle); what would panic is an error.
    ///
    /// ```
    /// use darray::{DArray, default_rng};
    /// assert!(default_rng(1).try_shuffle(&DArray::<f64>::ones(())).is_err());
    /// ```
    #[track_caller]
    pub fn try_shuffle<T: Element>(&mut self, x: &DArray<T>) -> Result<()> {
        let steps = Steps { name: "shuffle", place: Place::caller() };
        let order = self.order(x.count(steps.name, steps.place)?, None, steps)?;
        let shuffled = x.as_dyn().taken(&order, Some(0), steps)?;
        steps.assign(x.as_dyn(), &shuffled)
    }

    /// The numbers (i64) of those that are chosen among so many.
    fn numbers_of(&mut self, count: usize, sample: Sample, steps: Steps) -> Result<DynArray> {
        let Steps { name, place } = steps;
        let shape = checked_shape(name, &&sample.extents[..], place)?;
        let wanted = shape.size();
        let weights = sample.weights.map(|weights| steps.weights(&weights, count)).transpose()?;
        if count == 0 && wanted > 0 {
            return Err(steps.argument("nothing to choose from"));
        }
        if !sample.replace {
            if wanted > count {
                let message = format!("{wanted} of {count} without replacement");
                return Err(steps.argument(message));
            }
            let order = self.order(count, weights.as_ref(), steps)?;
            return steps.reshape(&steps.range(&order, 0, (0, wanted))?, &shape);
        }
        match weights {
            None if wanted == 0 => steps.full_of(&shape),
            None => self.integers_as(steps, 0, count as i64, &shape),
            Some(weights) => {
                let sums = weights.cumsum(0)?;
                let all = steps.reshape(&steps.range(&sums, 0, (count - 1, count))?, &[])?;
                let sums = steps.binary(Binary::Div, &sums, &all)?;
                let draws = self.draw(name, Distribution::Uniform, RealType::F64, &shape, place)?;
                let numbers = steps.searched(&sums, &draws, true)?;
                steps.binary(Binary::Minimum, &numbers, count as i64 - 1)
            }
        }
    }

    /// A random order of so many; with weights such that each next one is as likely, among those that are left, as its weight says.
    fn order(
        &mut self,
        count: usize,
        weights: Option<&DynArray>,
        steps: Steps,
    ) -> Result<DynArray> {
        let Steps { name, place } = steps;
        let shape = Shape::new(&[count]);
        let keys = match weights {
            None => self.draw(name, Distribution::Bits, RealType::I64, &shape, place)?,
            Some(weights) => {
                let times =
                    self.draw(name, Distribution::Exponential, RealType::F64, &shape, place)?;
                steps.binary(Binary::Div, &times, weights)?
            }
        };
        keys.sorted(Some(0), true, name, place)
    }
}

impl Steps {
    /// Weights in f64, one for each.
    fn weights(&self, weights: &DynArray, count: usize) -> Result<DynArray> {
        if weights.shape() != [count] {
            return Err(self.shapes(&[weights], &format!("{count} probabilities along one axis")));
        }
        self.real(weights.dtype())?;
        self.cast(weights, RealType::F64)
    }

    /// An array without elements.
    fn full_of(&self, shape: &Shape) -> Result<DynArray> {
        let runtime = crate::Runtime::current_at(self.place)?;
        Ok(DynArray::allocate(&runtime, RealType::INDEX.into(), shape))
    }
}
