//! Arrays whose element type is known at run time.

use crate::Runtime;
use crate::array::variable::{Part, Variable};
use darray_core::{DType, Error, ErrorKind, Map, Place, RealType, Result, Shape, View};
use darray_runtime::{NewStores, Store, StoreOwner, StoreRef};
use std::borrow::Cow;
use std::sync::Arc;

/// A lazy array with element type and rank known at run time: what [`DArray<T>`](crate::DArray) is a
/// typed handle of, and what other front ends wrap.
///
/// Rules:
/// - A handle is a view: a shape and a map over a store that other handles may share.
/// - Operations are recorded, not run; errors of shapes and element types are known at once and
///   returned with the caller's place.
/// - `Clone` is by value (copy-on-write); [`alias`](Self::alias), slices, transposes and broadcasts
///   are views that write through.
///
/// ```
/// use darray::{Binary, DArray, DType, DynArray};
/// let x = DynArray::from(DArray::<i64>::arange(3));
/// let y = DynArray::from(DArray::<f32>::ones(3));
/// let z = x.binary(Binary::Add, &y).unwrap();
/// assert_eq!(z.dtype(), DType::F64);
/// assert_eq!(DArray::<f64>::try_from(z).unwrap().to_vec(), [1.0, 2.0, 3.0]);
/// ```
#[must_use = "operations make new arrays, and this one is not used; in place are `assign` and `update`"]
pub struct DynArray {
    variable: Arc<Variable>,
    /// None: all of it, by the view that the variable keeps. So most handles are two words.
    seen: Option<Box<Seen>>,
}

/// What a handle sees of its variable.
#[derive(Clone)]
struct Seen {
    view: View,
    /// None: real elements, or complex ones.
    part: Option<Part>,
}

impl DynArray {
    /// A new array of this shape, all of whose elements will be written before anything reads them.
    pub(crate) fn allocate(runtime: &Runtime, dtype: DType, shape: &Shape) -> DynArray {
        DynArray::made_of(runtime, dtype, shape, darray_runtime::Runtime::new_store_in_parts)
    }

    /// A new array of this shape, whose elements are 0 until they are written.
    pub(crate) fn unwritten(runtime: &Runtime, dtype: DType, shape: &Shape) -> DynArray {
        DynArray::made_of(runtime, dtype, shape, darray_runtime::Runtime::new_store)
    }

    fn made_of(
        runtime: &Runtime,
        dtype: DType,
        shape: &Shape,
        made: fn(&darray_runtime::Runtime, RealType, &Shape) -> Arc<Store>,
    ) -> DynArray {
        let store = || StoreOwner::new(made(runtime.engine(), dtype.part(), shape));
        match dtype.is_complex() {
            false => DynArray::of_store(runtime, store()),
            true => {
                let stores = [store(), store()];
                let view = View::whole(shape);
                DynArray::of_variable(Variable::complex(runtime.clone(), stores, view))
            }
        }
    }

    /// All of a store.
    pub(crate) fn of_store(runtime: &Runtime, store: StoreOwner) -> DynArray {
        let view = View::whole(store.shape());
        DynArray::of_variable(Variable::new(runtime.clone(), store, view))
    }

    /// All of the one store that a task made.
    #[inline]
    pub(crate) fn of_made(runtime: &Runtime, made: NewStores, view: View) -> DynArray {
        DynArray::made_in(runtime.clone(), made, view)
    }

    /// As [`of_made`](Self::of_made).
    #[inline]
    pub(crate) fn made_in(runtime: Runtime, mut made: NewStores, view: View) -> DynArray {
        let store = made.pop().expect("the task makes a store");
        DynArray::of_variable(Variable::new(runtime, store, view))
    }

    #[inline]
    fn of_variable(variable: Variable) -> DynArray {
        DynArray { variable: Arc::new(variable), seen: None }
    }

    /// Another view of the same elements.
    pub(crate) fn with_view(&self, view: View) -> DynArray {
        self.seeing(view, self.part())
    }

    fn seeing(&self, view: View, part: Option<Part>) -> DynArray {
        DynArray { variable: self.variable.clone(), seen: Some(Box::new(Seen { view, part })) }
    }

    /// What it sees of complex numbers, where that is a part of them.
    #[inline]
    fn part(&self) -> Option<Part> {
        self.seen.as_ref().and_then(|seen| seen.part)
    }

    #[inline]
    pub(crate) fn view(&self) -> &View {
        match &self.seen {
            None => self.variable.whole(),
            Some(seen) => &seen.view,
        }
    }

    #[inline]
    pub(crate) fn shape_of(&self) -> &Shape {
        self.view().shape()
    }

    /// The shape of all of its variable.
    pub(crate) fn whole_shape(&self) -> &Shape {
        self.variable.shape()
    }

    /// The map of this array broadcast to a domain that its shape broadcasts to.
    pub(crate) fn map_over(&self, domain: &Shape) -> Cow<'_, Map> {
        match self.wide_map(domain) {
            None => Cow::Borrowed(self.view().map()),
            Some(map) => Cow::Owned(map),
        }
    }

    /// That map, where it is another than the array's own.
    #[inline]
    pub(crate) fn wide_map(&self, domain: &Shape) -> Option<Map> {
        // Axes of extent 1 are in no map, so repeating them changes nothing.
        (self.shape_of().rank() != domain.rank()).then(|| self.view().map_over(domain))
    }

    /// Whether elements are complex numbers. Tasks are made of real arrays, and of the [`parts`](Self::parts) of complex
    /// ones.
    #[inline]
    pub(crate) fn is_complex(&self) -> bool {
        self.part().is_none() && self.variable.is_complex()
    }

    /// Element type of its store, or of both.
    #[inline]
    pub(crate) fn real_type(&self) -> RealType {
        self.variable.part()
    }

    /// The real and the imaginary parts of complex numbers: views that write through. None of a real array.
    pub(crate) fn parts(&self) -> Option<[DynArray; 2]> {
        let part = |part| self.seeing(self.view().clone(), Some(part));
        self.is_complex().then(|| [part(Part::Real), part(Part::Imaginary)])
    }

    /// What is done with a real array, done with either part of a complex one: that of the results.
    pub(crate) fn by_parts(
        &self,
        name: &'static str,
        place: Place,
        make: impl Fn(&DynArray) -> Result<DynArray>,
    ) -> Result<DynArray> {
        match self.parts() {
            None => make(self),
            Some([re, im]) => DynArray::complex_of(make(&re)?, make(&im)?, name, place),
        }
    }

    /// An array of complex numbers with these parts, of one shape, type and runtime. Parts that are all of their stores, in the
    /// same order, are not copied: as with clones, a store is copied before the first partial write.
    pub(crate) fn complex_of(
        re: DynArray,
        im: DynArray,
        name: &'static str,
        place: Place,
    ) -> Result<DynArray> {
        debug_assert!((re.shape(), re.real_type()) == (im.shape(), im.real_type()));
        let in_order = |x: &DynArray| x.view().is_row_major(x.whole_shape());
        let alike = re.view() == im.view() && re.whole_shape() == im.whole_shape();
        let whole = |x: DynArray| match x.view().is_whole(x.whole_shape()) {
            true => Ok(x),
            false => x.copy_as(name, x.dtype(), place),
        };
        let (re, im) = match alike && in_order(&re) {
            true => (re, im),
            false => (whole(re)?, whole(im)?),
        };
        let runtime = re.runtime();
        let _updating = runtime.updating();
        let stores = [re.current(), im.current()];
        let variable = Variable::complex(runtime.clone(), stores, re.variable.whole().clone());
        let all = DynArray::of_variable(variable);
        Ok(if all.view() == re.view() { all } else { all.with_view(re.view().clone()) })
    }

    /// The store version that holds its elements now, kept live as long as the result.
    #[inline]
    pub(crate) fn current(&self) -> StoreOwner {
        self.variable.current(self.part())
    }

    /// The store version that holds its elements when a task that names it is recorded.
    #[inline]
    pub(crate) fn when_recorded(&self) -> StoreRef<'_> {
        self.variable.when_recorded(self.part())
    }

    /// A new version of its store, all of which a task writes.
    #[inline]
    pub(crate) fn next(&self) -> StoreRef<'_> {
        self.variable.next(self.part())
    }

    /// Its store for a partial write; see [`Variable::current_for_update`].
    pub(crate) fn current_for_update(&self, place: Place) -> Result<StoreOwner> {
        self.variable.current_for_update(self.part(), place)
    }

    /// Whether two handles have the same elements in the same places.
    pub(crate) fn is_same(&self, other: &DynArray) -> bool {
        self.shares_variable(other) && self.view() == other.view()
    }

    /// Whether a write through one changes what the other sees, or may.
    pub(crate) fn shares_variable(&self, other: &DynArray) -> bool {
        Arc::ptr_eq(&self.variable, &other.variable) && self.part() == other.part()
    }

    /// Element type.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// assert_eq!(DynArray::from(DArray::<f32>::ones(2)).dtype(), DType::F32);
    /// ```
    pub fn dtype(&self) -> DType {
        match self.part() {
            None => self.variable.dtype(),
            Some(_) => self.real_type().into(),
        }
    }

    /// Extents, outermost axis first.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// assert_eq!(DynArray::from(DArray::<f32>::ones((2, 3))).shape(), [2, 3]);
    /// ```
    pub fn shape(&self) -> &[usize] {
        self.shape_of()
    }

    /// The extents of an array of `N` axes, to be taken apart.
    ///
    /// Errors: there are not `N` axes.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let [height, width] = DynArray::from(DArray::<f32>::ones((2, 3))).dims().unwrap();
    /// assert_eq!((height, width), (2, 3));
    /// ```
    #[track_caller]
    pub fn dims<const N: usize>(&self) -> Result<[usize; N]> {
        let place = Place::caller();
        self.shape().try_into().map_err(|_| {
            let shape = self.shape_of();
            let message = format!("{N} extents are wanted here, and the shape is {shape}");
            Error::new("dims", ErrorKind::Argument { message }, place)
        })
    }

    /// The runtime that its data belongs to.
    ///
    /// ```
    /// use darray::{DArray, DynArray, Runtime};
    /// let x = DynArray::from(DArray::<f32>::ones(2));
    /// assert!(x.runtime() == &Runtime::current());
    /// ```
    pub fn runtime(&self) -> &Runtime {
        self.variable.runtime()
    }

    /// Another handle of the same elements: writes through either are seen by both.
    ///
    /// ```
    /// use darray::{DArray, DynArray};
    /// let x = DynArray::from(DArray::<f64>::zeros(2));
    /// x.alias().assign(1.0).unwrap();
    /// assert_eq!(DArray::<f64>::try_from(x).unwrap().to_vec(), [1.0, 1.0]);
    /// ```
    pub fn alias(&self) -> DynArray {
        DynArray { variable: self.variable.clone(), seen: self.seen.clone() }
    }

    /// The elements as they are now, whatever is written to the array later: a view of a variable of its own, which holds
    /// the same stores.
    pub(crate) fn snapshot(&self) -> DynArray {
        let _updating = self.runtime().updating();
        let variable = Arc::new(self.variable.share(self.part()));
        let seen = self.seen.as_ref().map(|seen| Seen { view: seen.view.clone(), part: None });
        DynArray { variable, seen: seen.map(Box::new) }
    }
}

impl AsRef<DynArray> for DynArray {
    fn as_ref(&self) -> &DynArray {
        self
    }
}
