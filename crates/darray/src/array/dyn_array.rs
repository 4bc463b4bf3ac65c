//! Arrays whose element type is known at run time.

use crate::Runtime;
use crate::array::variable::Variable;
use darray_core::{DType, Map, Shape, View};
use darray_runtime::{NewStores, StoreOwner};
use std::borrow::Cow;
use std::fmt;
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
pub struct DynArray {
    variable: Arc<Variable>,
    /// None: all of it, by the view that the variable keeps. So most handles are two words.
    part: Option<Box<View>>,
}

impl DynArray {
    /// A new store of this shape, not yet written.
    pub(crate) fn allocate(runtime: &Runtime, dtype: DType, shape: &Shape) -> DynArray {
        let store = runtime.engine().new_store(dtype, shape);
        DynArray::of_store(runtime, StoreOwner::new(store))
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
        DynArray { variable: Arc::new(variable), part: None }
    }

    /// Another view of the same variable.
    pub(crate) fn with_view(&self, view: View) -> DynArray {
        DynArray { variable: self.variable.clone(), part: Some(Box::new(view)) }
    }

    pub(crate) fn variable(&self) -> &Variable {
        &self.variable
    }

    #[inline]
    pub(crate) fn view(&self) -> &View {
        match &self.part {
            None => self.variable.whole(),
            Some(view) => view,
        }
    }

    #[inline]
    pub(crate) fn shape_of(&self) -> &Shape {
        self.view().shape()
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

    /// Element type.
    ///
    /// ```
    /// use darray::{DArray, DType, DynArray};
    /// assert_eq!(DynArray::from(DArray::<f32>::ones(2)).dtype(), DType::F32);
    /// ```
    pub fn dtype(&self) -> DType {
        self.variable.dtype()
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
        DynArray { variable: self.variable.clone(), part: self.part.clone() }
    }

    /// The elements as they are now, whatever is written to the array later: a view of a variable of its own, which holds
    /// the same store.
    pub(crate) fn snapshot(&self) -> DynArray {
        let _updating = self.runtime().updating();
        let variable = Arc::new(self.variable.share());
        DynArray { variable, part: self.part.clone() }
    }
}

impl AsRef<DynArray> for DynArray {
    fn as_ref(&self) -> &DynArray {
        self
    }
}

impl fmt::Debug for DynArray {
    /// Element type and shape only: never waits for data.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DynArray<{}>{}", self.dtype(), self.shape_of())
    }
}
