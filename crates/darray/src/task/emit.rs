//! From a launch to an opaque index task.

use super::{Access, Launch, Use};
use crate::{DynArray, Runtime};
use darray_core::{Error, ErrorKind, Map, Place, RealType, Result, Shape, View, broadcast_shapes};
use darray_fusion::plan::Rule;
use darray_fusion::precondition;
use darray_ir::{Opaque, Privilege, TaskOp};
use darray_runtime::{Emission, NewStores, StoreOwner, StoreRef};
use smallvec::SmallVec;
use std::sync::Arc;

/// A launch whose arrays fit together.
struct Checked<'l, 'a> {
    launch: &'l Launch<'a>,
    place: Place,
    runtime: &'l Runtime,
    domain: &'l Shape,
}

impl<'l, 'a> Checked<'l, 'a> {
    fn new(
        launch: &'l Launch<'a>,
        runtime: &'l Runtime,
        created: Option<&'l View>,
        place: Place,
    ) -> Result<Checked<'l, 'a>> {
        let error = |kind| Error::new(launch.task.name(), kind, place);
        let first = launch.outputs().next();
        let Some(domain) = created.map(View::shape).or(first.map(|first| first.array.shape_of()))
        else {
            return Err(error(argument("a task writes at least one array")));
        };
        let count = launch.arrays.len() + usize::from(created.is_some());
        if count > Opaque::MOST_ARGS {
            let most = Opaque::MOST_ARGS;
            return Err(error(argument(&format!("{count} arrays, of at most {most}"))));
        }
        let checked = Checked { launch, place, runtime, domain };
        launch.uses().try_for_each(|used| checked.check(used)).map_err(error)?;
        let twice = launch.outputs().enumerate().any(|(k, used)| {
            launch.outputs().take(k).any(|earlier| earlier.array.shares_variable(used.array))
        });
        match twice {
            true => Err(error(argument("an array is written twice"))),
            false => Ok(checked),
        }
    }

    /// Whether there is nothing to do.
    fn is_empty(&self) -> bool {
        self.domain.size() == 0
    }

    fn check(&self, used: Use<'_>) -> std::result::Result<(), ErrorKind> {
        let (array, domain) = (used.array, self.domain);
        if used.access == Access::Read && is_read_as_it_is(array, self.runtime, domain) {
            return Ok(());
        }
        let shape = array.shape_of();
        if array.is_complex() {
            let expected = "real arrays: `real()` and `imag()` are the parts".to_string();
            return Err(ErrorKind::DType { found: vec![array.dtype()], expected });
        }
        if array.runtime() != self.runtime {
            let message = "the arrays belong to two runtimes".to_string();
            return Err(ErrorKind::Runtime { message });
        }
        let shapes = || vec![domain.clone(), shape.clone()];
        match used.access {
            Access::Write | Access::Update if shape != domain => {
                let expected = "one shape for all arrays that are written".to_string();
                Err(ErrorKind::Shapes { shapes: shapes(), expected })
            }
            Access::Write | Access::Update => {
                let repeats = precondition::non_injective(array.view().map(), shape);
                match repeats && self.runtime.engine().enforces(Rule::InjectiveWrite) {
                    true => Err(ErrorKind::Overlap { shape: shape.clone() }),
                    false => Ok(()),
                }
            }
            Access::Read => match broadcast_shapes(shape, domain) {
                Ok(wide) if wide == *domain => Ok(()),
                _ => Err(ErrorKind::Broadcast { shapes: shapes() }),
            },
            Access::ReadWhole => Ok(()),
        }
    }

    /// Records the task; gives the store that is created, if one is to be.
    fn emit(&self, created: Option<(RealType, &View)>) -> Result<NewStores> {
        let (launch, domain, place) = (self.launch, self.domain, self.place);
        let _updating = launch.outputs().next().map(|_| self.runtime.updating());
        // The versions that are written in place; none for those of which all is written.
        let mut versions: SmallVec<[Option<StoreOwner>; 2]> = SmallVec::new();
        for Use { array, access } in launch.outputs() {
            let fresh =
                access == Access::Write && precondition::reaches_all(domain, array.whole_shape());
            versions.push((!fresh).then(|| array.current_for_update(place)).transpose()?);
        }
        // By input: copies of those that cannot be read where they are.
        let mut copies: SmallVec<[(usize, DynArray); 1]> = SmallVec::new();
        for (k, used) in launch.inputs().enumerate() {
            if self.must_copy(used, &versions) {
                copies.push((k, used.array.copy_at(place)?));
            }
        }
        let copy_of = |k: usize| copies.iter().find(|(of, _)| *of == k).map(|(_, copy)| copy);
        let inputs = || {
            let inputs = launch.inputs().enumerate();
            inputs.map(|(k, used)| (used.access, copy_of(k).unwrap_or(used.array)))
        };
        let is_wide = |access, array: &DynArray| {
            access == Access::Read && array.shape_of().rank() != domain.rank()
        };
        let mut wide: SmallVec<[Map; 1]> = SmallVec::new();
        for (_, array) in inputs().filter(|(access, array)| is_wide(*access, array)) {
            wide.push(array.view().map_over(domain));
        }
        let mut opaque = Opaque { definition: 0, outputs: 0, updated: 0, whole: 0 };
        let mut args: SmallVec<[(StoreRef<'_>, &Map, Privilege); 4]> = SmallVec::new();
        if let Some((dtype, view)) = created {
            args.push((StoreRef::New(dtype, domain), view.map(), Privilege::Write));
        }
        for (Use { array, access }, version) in launch.outputs().zip(&versions) {
            let updated = access == Access::Update;
            opaque.updated |= u16::from(updated) << args.len();
            let store = match version {
                Some(version) => version.store().into(),
                None => array.next(),
            };
            let privilege = if updated { Privilege::ReadWrite } else { Privilege::Write };
            args.push((store, array.view().map(), privilege));
        }
        opaque.outputs = args.len() as u8;
        let mut wide = wide.iter();
        for (access, array) in inputs() {
            opaque.whole |= u16::from(access == Access::ReadWhole) << args.len();
            let map = match is_wide(access, array) {
                true => wide.next().expect("one each"),
                false => array.view().map(),
            };
            args.push((array.when_recorded(), map, Privilege::Read));
        }
        let (name, op) = (launch.task.name(), TaskOp::Opaque(opaque));
        let emission = Emission { op, name, domain, args: &args, scalars: &launch.scalars, place };
        let mut made = self.runtime.emit_task(&launch.task.0, emission)?;
        made.truncate(usize::from(created.is_some()));
        Ok(made)
    }

    /// Whether the task gets a copy of what it reads: every point of a part of a store, or what another
    /// array that it writes in place shares elements with (P1).
    fn must_copy(&self, used: Use<'_>, versions: &[Option<StoreOwner>]) -> bool {
        let array = used.array;
        let whole = used.access == Access::ReadWhole;
        if versions.iter().all(Option::is_none) && !whole {
            return false;
        }
        if whole && !array.view().is_whole(array.whole_shape()) {
            return true;
        }
        let in_place = self.launch.outputs().zip(versions);
        let mut in_place = in_place.filter_map(|(out, version)| Some((out, version.as_ref()?)));
        let shares = in_place.any(|(out, version)| {
            // What is read whole need not broadcast to the domain.
            Arc::ptr_eq(array.current().store(), version.store()) && {
                let map = (!whole).then(|| array.map_over(self.domain));
                let written = out.array.view().map();
                precondition::opaque_alias(written, map.as_deref(), self.domain)
            }
        });
        shares && self.runtime.engine().enforces(Rule::SelfAlias)
    }
}

impl<'a> Launch<'a> {
    /// Records the task with one more array that it writes, a new one, if one is to be created; gives its store.
    /// Nothing where there is nothing to do.
    pub(super) fn emit(
        &self,
        runtime: &Runtime,
        created: Option<(RealType, &View)>,
        place: Place,
    ) -> Result<Option<NewStores>> {
        if let Some((dtype, view)) = created
            && self.is_plain(runtime, view.shape())
        {
            return self.emit_plain(runtime, dtype, view, place).map(Some);
        }
        let checked = Checked::new(self, runtime, created.map(|(_, view)| view), place)?;
        if checked.is_empty() {
            return Ok(None);
        }
        checked.emit(created).map(Some)
    }

    /// Whether it only reads arrays of this shape, beside the one that it creates. Then everything fits.
    fn is_plain(&self, runtime: &Runtime, domain: &Shape) -> bool {
        let fits = |array: &&DynArray| is_read_as_it_is(array, runtime, domain);
        let only_read = self.accesses.only_read(self.arrays.len());
        only_read && self.arrays.iter().all(fits) && domain.size() > 0
    }

    /// Records a launch that [`is_plain`](Self::is_plain).
    fn emit_plain(
        &self,
        runtime: &Runtime,
        dtype: RealType,
        view: &View,
        place: Place,
    ) -> Result<NewStores> {
        let mut args: SmallVec<[(StoreRef<'_>, &Map, Privilege); 8]> = SmallVec::new();
        args.push((StoreRef::New(dtype, view.shape()), view.map(), Privilege::Write));
        for array in &self.arrays {
            args.push((array.when_recorded(), array.view().map(), Privilege::Read));
        }
        let op = TaskOp::Opaque(Opaque { definition: 0, outputs: 1, updated: 0, whole: 0 });
        let (name, domain) = (self.task.name(), view.shape());
        let emission = Emission { op, name, domain, args: &args, scalars: &self.scalars, place };
        runtime.emit_task(&self.task.0, emission)
    }

    fn uses(&self) -> impl Iterator<Item = Use<'a>> {
        let accesses = self.accesses;
        let arrays = self.arrays.iter().enumerate();
        arrays.map(move |(at, &array)| Use { array, access: accesses.get(at) })
    }

    fn outputs(&self) -> impl Iterator<Item = Use<'a>> {
        self.uses().filter(|used| matches!(used.access, Access::Write | Access::Update))
    }

    fn inputs(&self) -> impl Iterator<Item = Use<'a>> {
        self.uses().filter(|used| matches!(used.access, Access::Read | Access::ReadWhole))
    }
}

/// Whether a launch over a domain may read an array, and needs no broadcasting for that.
#[inline]
fn is_read_as_it_is(array: &DynArray, runtime: &Runtime, domain: &Shape) -> bool {
    array.shape_of() == domain && array.runtime() == runtime && !array.is_complex()
}

fn argument(message: &str) -> ErrorKind {
    ErrorKind::Argument { message: message.to_string() }
}
