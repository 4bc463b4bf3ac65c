//! Other shapes of the same elements: values and errors as NumPy's, views that are views, and what
//! runs for them.

use crate::devices::everywhere;
use darray::{
    Axes, DArray, Diagonal, DynArray, Fallible, PadMode, PadWidths, Result, Runtime, Sections, s,
};

type Array = DArray<i64>;

/// A line of shapes.txt.
struct Case<'t> {
    text: &'t str,
    name: &'t str,
    /// `None`: NumPy's None.
    arguments: Vec<Option<Vec<i64>>>,
    inputs: Vec<Array>,
    /// Shapes and elements; `None`: NumPy raises.
    results: Option<(Vec<Vec<usize>>, Vec<i64>)>,
}

impl Case<'_> {
    fn parse(text: &str) -> Case<'_> {
        let fields: Vec<&str> = text.split('|').map(str::trim).collect();
        let [name, arguments, inputs, shapes, elements] = fields[..] else { panic!("{text}") };
        let shapes_of = |text: &str| -> Vec<Vec<usize>> {
            let extents = |word| list(word).iter().map(|n| *n as usize).collect();
            text.split_whitespace().map(extents).collect()
        };
        let inputs = shapes_of(inputs).into_iter().enumerate().map(|(k, shape)| {
            let size: usize = shape.iter().product();
            (Array::arange(size) + 1000 * k as i64).reshape(&shape[..])
        });
        Case {
            text,
            name,
            arguments: arguments.split_whitespace().map(argument).collect(),
            inputs: inputs.collect(),
            results: (shapes != "error").then(|| {
                let numbers = elements.split_whitespace().map(|n| n.parse().unwrap());
                (shapes_of(shapes), numbers.collect())
            }),
        }
    }

    fn integer(&self, k: usize) -> isize {
        self.arguments[k].as_ref().unwrap()[0] as isize
    }

    fn list(&self, k: usize) -> Vec<isize> {
        self.arguments[k].as_ref().unwrap().iter().map(|n| *n as isize).collect()
    }

    fn pairs(&self, k: usize) -> PadWidths {
        let pairs: Vec<_> = self.list(k).chunks(2).map(|pair| (pair[0], pair[1])).collect();
        PadWidths::from(&pairs[..])
    }

    fn axes(&self, k: usize) -> Axes {
        match &self.arguments[k] {
            None => Axes::all(),
            Some(_) => Axes::from(&self.list(k)[..]),
        }
    }

    fn run(&self) -> Result<Vec<Array>> {
        let x = &self.inputs[0];
        let one = |array: Array| Ok(vec![array]);
        let sections = |k| Sections::Count(usize::try_from(self.integer(k)).unwrap());
        match self.name {
            "flip" => one(x.try_flip(self.axes(0))?),
            "squeeze" => one(x.try_squeeze(self.axes(0))?),
            "expand_dims" => one(x.try_expand_dims(self.axes(0))?),
            "transpose" => one(x.try_transpose(self.axes(0))?),
            "swapaxes" => one(x.try_swap_axes(self.integer(0), self.integer(1))?),
            "moveaxis" => one(x.try_moveaxis(self.axes(0), self.axes(1))?),
            "diagonal" => {
                one(x.try_diagonal(diagonal(self.integer(0), self.integer(1), self.integer(2)))?)
            }
            "ravel" => one(x.ravel()),
            "split" => x.try_split(sections(0), self.integer(1)),
            "split_at" => x.try_split(Sections::At(self.list(0)), self.integer(1)),
            "array_split" => x.try_array_split(sections(0), self.integer(1)),
            "broadcast_arrays" => DArray::try_broadcast_arrays(&self.inputs),
            "concatenate" => one(DArray::try_concatenate(&self.inputs, self.axes(0))?),
            "stack" => one(DArray::try_stack(&self.inputs, self.integer(0))?),
            "vstack" => one(DArray::try_vstack(&self.inputs)?),
            "hstack" => one(DArray::try_hstack(&self.inputs)?),
            "repeat" => one(x.try_repeat(self.integer(0) as usize, self.axes(1))?),
            "tile" => one(x.try_tile(self.list(0))?),
            "roll" => one(x.try_roll(&self.list(0)[..], self.axes(1))?),
            "edge" => one(x.try_pad(self.pairs(0), PadMode::Edge)?),
            "reflect" => one(x.try_pad(self.pairs(0), PadMode::Reflect)?),
            "symmetric" => one(x.try_pad(self.pairs(0), PadMode::Symmetric)?),
            "wrap" => one(x.try_pad(self.pairs(0), PadMode::Wrap)?),
            "constant" => one(x.try_pad(self.pairs(0), PadMode::constant(7i64))?),
            other => panic!("no function {other}"),
        }
    }
}

fn list(word: &str) -> Vec<i64> {
    word.split(',').filter(|n| *n != "-").map(|n| n.parse().unwrap()).collect()
}

fn argument(word: &str) -> Option<Vec<i64>> {
    (word != "*").then(|| list(word))
}

#[test]
fn shapes_and_elements_are_numpys() {
    everywhere(|_| {
        let mut refused = 0;
        let lines = include_str!("../numpy/shapes.txt").lines();
        for case in lines.map(Case::parse) {
            let Some((shapes, elements)) = &case.results else {
                assert!(case.run().is_err(), "{}", case.text);
                refused += 1;
                continue;
            };
            let found = case.run().unwrap_or_else(|e| panic!("{}: {e}", case.text));
            let found_shapes: Vec<_> = found.iter().map(|x| x.shape().to_vec()).collect();
            assert_eq!(found_shapes, *shapes, "{}", case.text);
            let found: Vec<i64> = found.iter().flat_map(|x| x.to_vec()).collect();
            assert_eq!(found, *elements, "{}", case.text);
        }
        assert!(refused > 100, "{refused} refused");
    });
}

/// Tasks recorded by `f`.
fn tasks(runtime: &Runtime, f: impl FnOnce()) -> u64 {
    runtime.sync();
    runtime.reset_stats();
    f();
    runtime.sync();
    runtime.stats().tasks
}

#[test]
fn views_are_no_tasks_and_write_through() {
    everywhere(|runtime| {
        let x = Array::zeros((2, 3, 3));
        let made = tasks(runtime, || {
            let views = [
                x.flip(..),
                x.expand_dims([0, -1]),
                x.expand_dims(0).squeeze(0),
                x.swap_axes(0, 2),
                x.moveaxis(0, -1),
                x.transpose([1, 0, 2]),
                x.diagonal(diagonal(1, 1, 2)),
                x.ravel(),
                x.flip(1).flip(1).ravel(),
            ];
            assert!(views.iter().all(|view| !view.is_empty()));
            assert_eq!(x.split(3, 1).len() + x.array_split(2, 2).len(), 5);
        });
        assert_eq!(made, 0);
        x.flip(0).slice(s![0, 0]).assign(1);
        x.diagonal(diagonal(0, 1, 2)).assign(2);
        x.split([1], 0)[0].diagonal(diagonal(-1, -1, -2)).assign(3);
        x.moveaxis(2, 0).slice(s![0, .., 2]).assign(4);
        x.ravel().slice(s![5]).assign(5);
        x.expand_dims(1).squeeze(..).slice(s![1, 2]).assign(6);
        let expected = [2, 3, 0, 0, 2, 5, 4, 0, 2, 2, 1, 1, 0, 2, 0, 6, 6, 6];
        assert_eq!(x.to_vec(), expected);
        assert_eq!(tasks(runtime, || drop(x.swap_axes(0, 1).ravel())), 1, "no strides: a copy");
        assert_eq!(tasks(runtime, || drop(x.flatten())), 1, "always a copy");
        x.flatten().assign(0);
        assert_eq!(x.to_vec(), expected);
    });
}

#[test]
fn writes_through_diagonals_read_before_they_write() {
    everywhere(|_| {
        let x = Array::arange(16).reshape((4, 4));
        let (main, anti) = (x.diagonal(0), x.flip(1).diagonal(0));
        main.assign(&anti);
        assert_eq!(main.to_vec(), [3, 6, 9, 12]);
        assert_eq!(anti.to_vec(), [3, 6, 9, 12]);
        let mut reversed = main.flip(0);
        reversed += &main;
        assert_eq!(main.to_vec(), [15; 4]);
        main.slice(s![1..]).assign(main.slice(s![..-1]) + x.slice(s![0, 1..]));
        assert_eq!(main.to_vec(), [15, 16, 17, 18]);
        let mut rows = x.diagonal(0).expand_dims(0).broadcast_to((2, 4));
        assert!(rows.try_assign(0).is_err(), "a repeated diagonal");
        rows = x.diagonal(0).expand_dims(1);
        rows += 1;
        assert_eq!(x.diagonal(0).sum(..).item(), 70);
    });
}

#[test]
fn copies_are_as_few_tasks_as_they_can_be() {
    everywhere(|runtime| {
        let (x, y) = (Array::arange(6).reshape((2, 3)), Array::ones((2, 3)));
        let counts = |f: &dyn Fn() -> Array| tasks(runtime, || drop(f()));
        let table: [(u64, &dyn Fn() -> Array); 16] = [
            (3, &|| DArray::concatenate([&x, &y, &x], 0)),
            (2, &|| DArray::concatenate([&x, &y], ..)),
            (1, &|| DArray::concatenate([&x], 1)),
            (4, &|| DArray::stack([&x, &y, &y, &x], 1)),
            (2, &|| DArray::vstack([&x, &y])),
            (2, &|| DArray::hstack([&x, &y])),
            (1, &|| x.repeat(3, 1)),
            (1, &|| x.repeat(3, [0, 1])),
            (1, &|| x.tile((2, 2, 2))),
            (2, &|| x.roll(1, 1)),
            (4, &|| x.roll(1, [0, 1])),
            (2, &|| x.roll(4, ..)),
            (1, &|| x.roll([2, 3], [0, 1])),
            (5, &|| x.pad(1, PadMode::Edge)),
            (3, &|| x.pad([(0, 0), (1, 2)], PadMode::Wrap)),
            // Wider than the array: one piece of 2, then 4, then 8 and 4.
            (5, &|| x.slice(s![0]).pad((0, 18), PadMode::Reflect)),
        ];
        for (row, (expected, function)) in table.iter().enumerate() {
            assert_eq!(counts(function), *expected, "row {row}");
        }
        let before = x.roll(1, 1).to_vec();
        let rolled = x.roll(1, 1);
        x.assign(0);
        assert_eq!(rolled.to_vec(), before, "what is written later is not seen");
    });
}

/// As many axes as there can be: neighbours that are not repeated are one axis, and each has its turn where all are repeated.
#[test]
fn arrays_of_eight_axes_are_repeated() {
    let x = Array::arange(6561).reshape([3; 8]);
    let plain = |axes: &[usize], each: bool| -> Vec<i64> {
        let extents: Vec<usize> = (0..8).map(|k| if axes.contains(&k) { 6 } else { 3 }).collect();
        let element = |mut at: usize| {
            let mut index = [0; 8];
            for axis in (0..8).rev() {
                index[axis] = at % extents[axis];
                at /= extents[axis];
            }
            let own = |axis: usize| match axes.contains(&axis) {
                true if each => index[axis] / 2,
                true => index[axis] % 3,
                false => index[axis],
            };
            (0..8).fold(0, |to, axis| to * 3 + own(axis) as i64)
        };
        (0..extents.iter().product()).map(element).collect()
    };
    for axes in [&[0][..], &[7], &[3], &[0, 7], &[1, 2, 6], &[0, 2, 4, 6]] {
        let list: Vec<isize> = axes.iter().map(|&axis| axis as isize).collect();
        assert_eq!(x.repeat(2, &list[..]).to_vec(), plain(axes, true), "repeat {axes:?}");
        let counts = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| if axes.contains(&k) { 2 } else { 1 });
        assert_eq!(x.tile(counts).to_vec(), plain(axes, false), "tile {axes:?}");
    }
    assert_eq!(x.t().repeat(2, 3).to_vec(), x.repeat(2, 4).t().to_vec());
    assert_eq!(x.repeat(0, 0).shape(), [0, 3, 3, 3, 3, 3, 3, 3]);
    assert_eq!(Array::ones([2; 8]).tile([2; 8]).sum(..).item(), 65_536);
    assert_eq!(Array::ones([2; 8]).repeat(2, [0, 1, 2, 3, 4, 5, 6, 7]).sum(..).item(), 65_536);
}

#[test]
fn element_types_of_joined_arrays_promote() {
    let (x, y) = (Array::ones(2), DArray::<f32>::zeros(1));
    let both = DynArray::concatenate(&[x.as_dyn(), y.as_dyn()], 0).unwrap();
    assert_eq!(DArray::<f64>::try_from(both).unwrap().to_vec(), [1.0, 1.0, 0.0]);
    let flags = DArray::from_vec(vec![true, false]);
    let both = DynArray::stack(&[flags.as_dyn(), x.as_dyn()], 0).unwrap();
    assert_eq!(DArray::<i64>::try_from(both).unwrap().to_vec(), [1, 0, 1, 1]);
    let padded = DArray::from_vec(vec![1.5f32]).pad(1, PadMode::constant(2i64));
    assert_eq!(padded.to_vec(), [2.0, 1.5, 2.0]);
}

/// The text of an error, without its place.
fn text<T>(result: Result<T>) -> String {
    let text = result.err().expect("an error").to_string();
    text.split(" (at ").next().unwrap().to_string()
}

#[test]
fn errors_name_function_shapes_and_axes() {
    let x = Array::zeros((2, 3));
    let cases = [
        (text(x.try_flip(2)), "flip: axis 2 is out of range for shape [2, 3]"),
        (text(x.try_flip([0, -2])), "flip: axis -2 is given twice for shape [2, 3]"),
        (text(x.try_squeeze(0)), "squeeze: shapes [2, 3]: expected extent 1 along axis 0, not 2"),
        (text(x.try_squeeze(5)), "squeeze: axis 5 is out of range for shape [2, 3]"),
        (text(x.try_expand_dims(3)), "expand_dims: axis 3 is out of range for shape [2, 3]"),
        (text(x.try_expand_dims([0, 0])), "expand_dims: axis 0 is given twice for shape [2, 3]"),
        (
            text(x.try_expand_dims([0, 1, 2, 3, 4, 5, 6])),
            "expand_dims: 9 axes, at most 8 (shape [1, 1, 1, 1, 1, 1, 1, 2, 3])",
        ),
        (text(x.try_swap_axes(0, 2)), "swapaxes: axis 2 is out of range for shape [2, 3]"),
        (text(x.try_moveaxis(-3, 0)), "moveaxis: axis -3 is out of range for shape [2, 3]"),
        (text(x.try_moveaxis([0, 1], 0)), "moveaxis: 2 axes to 1 places (shape [2, 3])"),
        (text(x.try_transpose([0, 0])), "transpose: axis 0 is given twice for shape [2, 3]"),
        (text(x.try_transpose(0)), "transpose: shapes [2, 3]: expected 2 axes, not 1"),
        (text(x.ravel().try_diagonal(0)), "diagonal: shapes [6]: expected at least two axes"),
        (
            text(x.try_diagonal(diagonal(0, 1, -1))),
            "diagonal: axis -1 is given twice for shape [2, 3]",
        ),
        (
            text(x.try_split(2, 1)),
            "split: shapes [2, 3]: expected an extent along axis 1 that divides into 2 parts",
        ),
        (text(x.try_split(2, 2)), "split: axis 2 is out of range for shape [2, 3]"),
        (text(x.try_array_split(0, 0)), "array_split: shapes [2, 3]: expected at least one part"),
        (
            text(DArray::try_broadcast_arrays([&x, &Array::zeros(2)])),
            "broadcast_arrays: shapes [2, 3] and [2] do not broadcast",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
    let (y, none) = (Array::zeros(2), [] as [&Array; 0]);
    let cases = [
        (
            text(DArray::try_concatenate([&x, &y], 0)),
            "concatenate: shapes [2, 3] and [2]: expected equal shapes but along axis 0",
        ),
        (
            text(DArray::try_concatenate([&x, &x], 2)),
            "concatenate: axis 2 is out of range for shape [2, 3]",
        ),
        (
            text(DArray::try_concatenate([&x, &x], [0, 1])),
            "concatenate: shapes [2, 3] and [2, 3]: expected one axis to join, not 2",
        ),
        (
            text(DArray::try_concatenate(none, 0)),
            "concatenate: shapes none: expected at least one array",
        ),
        (
            text(DArray::try_concatenate([&x.slice(s![0, 0])], 0)),
            "concatenate: shapes []: expected at least one axis",
        ),
        (
            text(DArray::try_stack([&x, &y], 0)),
            "stack: shapes [2, 3] and [2]: expected equal shapes",
        ),
        (text(DArray::try_stack([&x], 3)), "stack: axis 3 is out of range for shape [2, 3]"),
        (
            text(DArray::try_vstack([&x, &y])),
            "vstack: shapes [2, 3] and [1, 2]: expected equal shapes but along axis 0",
        ),
        (
            text(DArray::try_hstack([&x, &x.t()])),
            "hstack: shapes [2, 3] and [3, 2]: expected equal shapes but along axis 1",
        ),
        (text(x.try_repeat(2, 2)), "repeat: axis 2 is out of range for shape [2, 3]"),
        (
            text(x.try_repeat(usize::MAX, 1)),
            "repeat: too many elements (shape [2, 18446744073709551615])",
        ),
        (text(x.try_tile((2, -1))), "tile: -1 times (shape [2, 3])"),
        (text(x.try_tile([1; 9])), "tile: 9 axes, at most 8 (shape [1, 1, 1, 1, 1, 1, 1, 2, 3])"),
        (text(x.try_roll(1, 2)), "roll: axis 2 is out of range for shape [2, 3]"),
        (text(x.try_roll([1, 2, 3], [0, 1])), "roll: 3 shifts for 2 axes (shape [2, 3])"),
        (text(x.try_pad(-1, PadMode::Edge)), "pad: width -1 is negative (shape [2, 3])"),
        (
            text(x.try_pad([(1, 1); 3], PadMode::Edge)),
            "pad: 3 pairs of widths for 2 axes (shape [2, 3])",
        ),
        (
            text(x.slice(s![.., ..0]).try_pad(1, PadMode::Wrap)),
            "pad: shapes [2, 0]: expected elements along axis 1 to fill its border from",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

/// The diagonal of two axes.
fn diagonal(offset: isize, rows: isize, columns: isize) -> Diagonal {
    Diagonal::new(offset).axes(rows, columns)
}
