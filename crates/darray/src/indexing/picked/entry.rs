//! What an index chooses, in the grammar of indices.

use super::DynPicked;
use super::typed::Picked;
use crate::elementwise::steps::Steps;
use crate::indexing::grammar::{Chooser, Entry, Item, Pick, Slice};
use crate::{DynArray, Element};
use darray_core::{Ix, Place, Result};

impl Entry for Pick {
    type Untyped = DynPicked;
    type Of<T: Element> = Picked<T>;

    type With<E: Entry> = Pick;

    fn with<E: Entry>(slice: Slice<Pick>, item: E) -> Slice<Pick> {
        slice.pushed(item.into())
    }

    fn behind(slice: Slice<Ix>, item: Pick) -> Slice<Pick> {
        slice.widened().pushed(item)
    }

    fn select(array: &DynArray, items: &[Pick], place: Place) -> Result<DynPicked> {
        DynPicked::new(array, items, Steps { name: "slice", place })
    }

    fn typed<T: Element>(selected: DynPicked) -> Picked<T> {
        Picked::wrap(selected)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Chooser> Item for Picked<T> {
    type Entry = Pick;

    fn item(self) -> Pick {
        Pick::from(self.as_dyn())
    }
}

#[diagnostic::do_not_recommend]
impl<T: Chooser> Item for &Picked<T> {
    type Entry = Pick;

    fn item(self) -> Pick {
        Pick::from(self.as_dyn())
    }
}
