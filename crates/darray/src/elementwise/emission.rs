//! From an element-wise operation on arrays to an index task.

use crate::{Argument, DynArray, Runtime};
use darray_core::{
    Compute, Error, ErrorKind, Map, Place, RealType, Result, Scalar, Shape, View, broadcast_shapes,
};
use darray_fusion::plan::Rule;
use darray_fusion::precondition;
use darray_ir::{Privilege, TaskOp};
use darray_kernel::composite::{Composite, Formula};
use darray_kernel::operator::Operator;
use darray_runtime::{Emission, NewStores, StoreOwner, StoreRef};
use smallvec::SmallVec;
use std::sync::Arc;

/// An element-wise operation before it becomes an index task.
///
/// Rules:
/// - operands and target are real: complex numbers are taken apart before;
/// - operands broadcast to the domain; scalars become arguments of the task, cast to the type in
///   which it computes, which has to hold them if they are integers;
/// - f16 and bf16 are how elements lie in memory: tasks compute in f32 and round what they write; their arguments are
///   f32 that the type holds;
/// - a write through a view that covers its store makes a new store version, any other write is in
///   place;
/// - preconditions of fusion hold for every emitted task: an operand that overlaps the written view
///   otherwise than element on element is copied first (P1), a view that reaches an element twice
///   is refused (P2).
#[derive(Clone, Copy)]
pub(crate) struct Elementwise<'a> {
    /// What is computed.
    pub op: ElementOp,
    /// The NumPy name.
    pub name: &'static str,
    /// In the order of the operator.
    pub operands: &'a [Argument<'a>],
    /// Where the user asked for it.
    pub place: Place,
}

/// What an element-wise operation computes at each element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ElementOp {
    /// A row of the operator table, in this type.
    Apply { operator: Operator, compute: RealType },
    /// The operand, cast to the output's type.
    Copy,
    /// What is made of several rows of the operator table, in this type.
    Composite { composite: Composite, compute: RealType },
}

impl ElementOp {
    /// A fixed power in this type.
    pub fn powi(exponent: i32, compute: RealType) -> ElementOp {
        let composite = Composite { formula: Formula::Powi, exponent };
        ElementOp::Composite { composite, compute }
    }
}

impl Elementwise<'_> {
    /// Emits into a new array of the operands' broadcast shape. At least one operand is an array.
    pub fn create(self, dtype: RealType) -> Result<DynArray> {
        let Some(first) = self.arrays().next() else {
            return Err(self.error(ErrorKind::DType {
                found: self.operands.iter().map(|operand| operand.dtype()).collect(),
                expected: "at least one array".to_string(),
            }));
        };
        let (view, made) = self.create_all(first, &[dtype])?;
        Ok(DynArray::of_made(first.runtime(), made, view))
    }

    /// As [`create`](Self::create), two results of one type.
    pub fn create_two(self, dtype: RealType) -> Result<[DynArray; 2]> {
        let first = self.arrays().next().expect("an operand that is an array");
        let (_, made) = self.create_all(first, &[dtype; 2])?;
        let mut stores = made.into_iter();
        let mut next = || DynArray::of_store(first.runtime(), stores.next().expect("two stores"));
        Ok([next(), next()])
    }

    fn create_all(self, first: &DynArray, dtypes: &[RealType]) -> Result<(View, NewStores)> {
        self.check_scalars(dtypes[0])?;
        let view = match self.broadcast(first)? {
            None => View::whole(first.shape_of()),
            Some(domain) => View::whole(&domain),
        };
        let shape = view.shape();
        let outs: SmallVec<[StoreRef<'_>; 2]> =
            dtypes.iter().map(|&dtype| StoreRef::New(dtype, shape)).collect();
        let made = self.emit(first.runtime(), shape, (&outs, dtypes[0]), view.map(), &[])?;
        drop(outs);
        Ok((view, made))
    }

    /// Emits into an existing array or view.
    pub fn update(self, target: &DynArray) -> Result<()> {
        let domain = target.shape_of();
        // As in NumPy, more axes in front are nothing where these have extent 1 and nothing is computed.
        if let (ElementOp::Copy, [Argument::Array(array)]) = (self.op, self.operands)
            && let Some(more) = array.shape().len().checked_sub(domain.rank()).filter(|&n| n > 0)
            && array.shape()[..more].iter().all(|&extent| extent == 1)
        {
            self.check_runtime(target.runtime())?;
            let shape: Shape = array.shape()[more..].iter().copied().collect();
            let inner = array.reshape_to(&shape, self.name, self.place)?;
            return Elementwise { operands: &[Argument::Array(&inner)], ..self }.update(target);
        }
        self.check_scalars(target.real_type())?;
        for array in self.arrays() {
            check_fits(target, array).map_err(|kind| self.error(kind))?;
        }
        let runtime = target.runtime();
        self.check_runtime(runtime)?;
        let map = target.view().map();
        write_through(target, self.name, self.place, |store, in_place| {
            let mut copies: SmallVec<[Option<DynArray>; 2]> = SmallVec::new();
            let copied = |operand: &Argument<'_>| match (operand, in_place) {
                (Argument::Array(array), Some(written))
                    if overlaps(written, map, array, domain)
                        && runtime.engine().enforces(Rule::SelfAlias) =>
                {
                    array.copy_at(self.place).map(Some)
                }
                _ => Ok(None),
            };
            for operand in self.operands {
                copies.push(copied(operand)?);
            }
            self.emit(runtime, domain, (&[store], target.real_type()), map, &copies)
        })
    }

    /// The shape of all operands broadcast, where it is another than that of the first array; checks
    /// that they belong together.
    fn broadcast(&self, first: &DynArray) -> Result<Option<Shape>> {
        let mut wide: Option<Shape> = None;
        for array in self.arrays() {
            if array.runtime() != first.runtime() {
                return Err(self.runtime_error());
            }
            let domain = wide.as_ref().unwrap_or_else(|| first.shape_of());
            if *domain != *array.shape_of() {
                let both = broadcast_shapes(domain, array.shape_of());
                wide = Some(both.map_err(|kind| self.broadcast_error(kind))?);
            }
        }
        Ok(wide)
    }

    /// Emits the task into stores that one map reaches. `copies[k]` stands for operand `k` where it is one.
    fn emit(
        &self,
        runtime: &Runtime,
        domain: &Shape,
        (outs, dtype): (&[StoreRef<'_>], RealType),
        out_map: &Map,
        copies: &[Option<DynArray>],
    ) -> Result<NewStores> {
        let array_of = |k: usize| match (copies.get(k), &self.operands[k]) {
            (Some(Some(copy)), _) => Some(copy),
            (_, operand) => operand.array(),
        };
        // Maps of operands that are repeated along axes which they lack.
        let mut wide: SmallVec<[Map; 1]> = SmallVec::new();
        for array in (0..self.operands.len()).filter_map(array_of) {
            if let Some(map) = array.wide_map(domain) {
                wide.push(map);
            }
        }
        let mut wide = wide.iter();
        let mut args: SmallVec<[(StoreRef<'_>, &Map, Privilege); 4]> = SmallVec::new();
        let mut scalars: SmallVec<[Scalar; 3]> = SmallVec::new();
        let mut which = 0u8;
        args.extend(outs.iter().map(|&out| (out, out_map, Privilege::Write)));
        for (k, operand) in self.operands.iter().enumerate() {
            if let Some(array) = array_of(k) {
                let own = array.shape_of().rank() == domain.rank();
                let map = if own { array.view().map() } else { wide.next().expect("one each") };
                args.push((array.when_recorded(), map, Privilege::Read));
            } else if let Argument::Scalar(scalar) = operand {
                which |= 1 << k;
                let dtype = self.operand_type(k, dtype);
                scalars.push(scalar.cast(dtype).cast(dtype.compute()));
            }
        }
        let op = match self.op {
            ElementOp::Apply { operator, compute } => {
                TaskOp::Apply { operator, compute: Compute::of(compute), scalars: which }
            }
            ElementOp::Copy if args.len() == outs.len() => TaskOp::Fill,
            ElementOp::Copy => TaskOp::Copy,
            ElementOp::Composite { composite, compute } => {
                let compute = Compute::of(compute);
                TaskOp::Composite { composite, compute, scalars: which }
            }
        };
        let (name, place) = (self.name, self.place);
        runtime.emit(Emission { op, name, domain, args: &args, scalars: &scalars, place })
    }

    /// The type in which operand `k` enters; of f16 and bf16, the one that it is rounded to first.
    fn operand_type(&self, k: usize, out: RealType) -> RealType {
        match self.op {
            ElementOp::Apply { operator: Operator::Select, .. } if k == 0 => RealType::Bool,
            ElementOp::Apply { compute, .. } | ElementOp::Composite { compute, .. } => compute,
            ElementOp::Copy => out,
        }
    }

    fn arrays(&self) -> impl Iterator<Item = &DynArray> {
        self.operands.iter().filter_map(|operand| operand.array())
    }

    /// Refuses integers that the type in which they enter cannot hold.
    fn check_scalars(&self, out: RealType) -> Result<()> {
        for (k, operand) in self.operands.iter().enumerate() {
            if let Argument::Scalar(scalar) = operand {
                let dtype = self.operand_type(k, out);
                if !scalar.fits(dtype) {
                    let (value, dtype) = (*scalar, dtype.into());
                    return Err(self.error(ErrorKind::Value { value, dtype }));
                }
            }
        }
        Ok(())
    }

    fn check_runtime(&self, runtime: &Runtime) -> Result<()> {
        match self.arrays().all(|array| array.runtime() == runtime) {
            true => Ok(()),
            false => Err(self.runtime_error()),
        }
    }

    fn runtime_error(&self) -> Error {
        let message = "the operands belong to two runtimes".to_string();
        self.error(ErrorKind::Runtime { message })
    }

    /// The error of two operands, which names all of them where it is about broadcasting.
    fn broadcast_error(&self, kind: ErrorKind) -> Error {
        match kind {
            ErrorKind::Broadcast { .. } => {
                let shapes = self.arrays().map(|array| array.shape_of().clone()).collect();
                self.error(ErrorKind::Broadcast { shapes })
            }
            other => self.error(other),
        }
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(self.name, kind, self.place)
    }
}

/// Writes a real array or view by what `emit` emits into a store: into a new version where the view covers
/// its store, else in place, and then `emit` is told the version. Nothing is emitted for a view without
/// elements.
pub(crate) fn write_through(
    target: &DynArray,
    name: &'static str,
    place: Place,
    emit: impl FnOnce(StoreRef<'_>, Option<&StoreOwner>) -> Result<NewStores>,
) -> Result<()> {
    let (runtime, shape) = (target.runtime(), target.shape_of());
    check_injective(target, name, place)?;
    if shape.size() == 0 {
        return Ok(());
    }
    let _updating = runtime.updating();
    if shape.size() < target.whole_shape().size() {
        let version = target.current_for_update(place)?;
        return emit(version.store().into(), Some(&version)).map(|_| ());
    }
    emit(target.next(), None).map(|_| ())
}

/// Refuses an array that does not broadcast to what is written.
pub(crate) fn check_fits(
    target: &DynArray,
    array: &DynArray,
) -> std::result::Result<(), ErrorKind> {
    let (target, array) = (target.shape_of(), array.shape_of());
    let wide = broadcast_shapes(array, target);
    if wide.as_ref() == Ok(target) {
        return Ok(());
    }
    let shapes = vec![target.clone(), array.clone()];
    Err(match wide {
        Ok(wide) => {
            let expected = format!("a result of the shape of what it is written to, not {wide}");
            ErrorKind::Shapes { shapes, expected }
        }
        Err(_) => ErrorKind::Broadcast { shapes },
    })
}

/// Refuses a view that reaches an element twice as the target of a write.
pub(crate) fn check_injective(target: &DynArray, name: &'static str, place: Place) -> Result<()> {
    let shape = target.shape_of();
    let repeats = precondition::non_injective(target.view().map(), shape);
    if repeats && target.runtime().engine().enforces(Rule::InjectiveWrite) {
        return Err(Error::new(name, ErrorKind::Overlap { shape: shape.clone() }, place));
    }
    Ok(())
}

/// Whether an operand reads, at one element, what a write through `map` changes at another.
fn overlaps(store: &StoreOwner, map: &Map, array: &DynArray, domain: &Shape) -> bool {
    let other = array.current();
    Arc::ptr_eq(store.store(), other.store())
        && precondition::self_alias(map, &array.map_over(domain), domain)
}
