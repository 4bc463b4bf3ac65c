//! Pictures: which colour an element has, what is refused, what runs.

use crate::devices::everywhere;
use crate::files::Temporary;
use darray::image::Colormap;
use darray::{Complex, DArray, DType, DynArray, NewAxis, Runtime, s};
use png::{BitDepth, ColorType, Decoder, Transformations};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// A picture as other programs see it: columns and rows, and red, green, blue and opacity of each pixel.
fn pixels(path: &Path) -> ((u32, u32), Vec<[u8; 4]>) {
    let mut decoder = Decoder::new(BufReader::new(File::open(path).unwrap()));
    decoder.set_transformations(Transformations::ALPHA);
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.color_type, info.bit_depth), (ColorType::Rgba, BitDepth::Eight));
    ((info.width, info.height), bytes.as_chunks::<4>().0.to_vec())
}

fn opaque([red, green, blue]: [u8; 3]) -> [u8; 4] {
    [red, green, blue, 255]
}

#[test]
fn the_least_and_the_greatest_element_have_the_ends_of_the_map() {
    let file = Temporary::new("ends.png");
    everywhere(|_| {
        for map in Colormap::ALL {
            let x = DArray::<f64>::arange(6).reshape((2, 3)) * 1e300;
            x.save_png(&file.0, map).unwrap();
            let (size, found) = pixels(&file.0);
            assert_eq!(size, (3, 2));
            // Of 255 levels the one of k / 5 is 51 k, the last 254.
            let level = |k: usize| (51 * k).min(254) as f64 / 254.0;
            let expected: Vec<_> = (0..6).map(|k| opaque(map.color(level(k)))).collect();
            assert_eq!(found, expected, "{map:?}");
        }
    });
}

#[test]
fn a_range_clips_and_nan_is_transparent() {
    let file = Temporary::new("range.png");
    everywhere(|_| {
        let (inf, nan) = (f64::INFINITY, f64::NAN);
        let x = DArray::from([[-inf, -3.0, -1.0, 0.0], [0.999, 5.0, inf, nan]]);
        x.save_png(&file.0, Colormap::Gray.range(-1.0, 1.0)).unwrap();
        let shown = |levels: [u8; 7]| -> Vec<[u8; 4]> {
            let gray = levels.map(|level| opaque(Colormap::Gray.color(f64::from(level) / 254.0)));
            gray.into_iter().chain([[0; 4]]).collect()
        };
        assert_eq!(pixels(&file.0).1, shown([0, 0, 0, 127, 254, 254, 254]));
        // What is not finite does not count among the ends.
        x.save_png(&file.0, Colormap::Gray).unwrap();
        let level = |value: f64| ((value + 3.0) / 8.0 * 255.0) as u8;
        let levels = [0, 0, level(-1.0), level(0.0), level(0.999), 254, 254];
        assert_eq!(pixels(&file.0).1, shown(levels));
        // As far apart as numbers can be.
        let far = DArray::from([[-f64::MAX, 0.0, f64::MAX]]);
        far.save_png(&file.0, Colormap::Gray).unwrap();
        let gray =
            [0, 127, 254].map(|level| opaque(Colormap::Gray.color(f64::from(level) / 254.0)));
        assert_eq!(pixels(&file.0).1, gray);
        // One value, and none that is finite.
        for value in [2.5, nan] {
            DArray::<f64>::full((2, 2), value).save_png(&file.0, Colormap::Inferno).unwrap();
            let color = if value.is_nan() { [0; 4] } else { opaque(Colormap::Inferno.color(0.0)) };
            assert_eq!(pixels(&file.0).1, [color; 4]);
        }
    });
}

#[test]
fn every_real_type_and_every_view_has_its_picture() {
    let file = Temporary::new("types.png");
    everywhere(|_| {
        let x = DArray::<i64>::arange(12).reshape((3, 4)) % 2;
        let checks: Vec<_> = (0..12).map(|k| opaque([255 * (k % 2) as u8; 3])).collect();
        for dtype in DType::ALL.into_iter().filter(|dtype| !dtype.is_complex()) {
            let x = DynArray::from(x.alias()).cast(dtype).unwrap();
            x.save_png(&file.0, Colormap::Gray).unwrap();
            assert_eq!(pixels(&file.0).1, checks, "{dtype}");
        }
        let big: DArray = DArray::arange(40);
        let view = big.reshape((5, 8)).t().slice(s![..;-2, 1..4]).alias();
        view.save_png(&file.0, Colormap::Gray).unwrap();
        // Rows 7, 5, 3, 1 and columns 8, 16, 24 of it: from 9 to 31.
        let numbers = [7, 5, 3, 1].map(|row| [8, 16, 24].map(|column| row + column));
        let level = |number: i32| (f64::from(number - 9) / 22.0 * 255.0).min(254.0).floor() / 254.0;
        let expected = numbers.into_iter().flatten().map(level);
        let expected: Vec<_> = expected.map(|l| opaque(Colormap::Gray.color(l))).collect();
        assert_eq!(pixels(&file.0), ((3, 4), expected));
    });
}

#[test]
fn channels_are_colours() {
    let file = Temporary::new("rgb.png");
    everywhere(|_| {
        // More than one piece is read of it.
        let x = (DArray::<i64>::arange(300 * 400 * 4) % 251).cast::<u8>().reshape((300, 400, 4));
        x.save_rgb_png(&file.0).unwrap();
        let (size, found) = pixels(&file.0);
        assert!(size == (400, 300) && found.as_flattened() == x.to_vec());
        // Blue, green and red of a view.
        let bgr = x.slice(s![.., .., ..3]).slice(s![.., .., ..;-1]);
        bgr.save_rgb_png(&file.0).unwrap();
        let expected: Vec<_> = bgr.to_vec().as_chunks::<3>().0.iter().map(|p| opaque(*p)).collect();
        assert!(pixels(&file.0).1 == expected);
    });
}

#[test]
fn what_is_no_picture_is_refused_at_the_users_line() {
    let file = Temporary::new("refused.png");
    let x = DArray::<f64>::ones((2, 3));
    let bytes = DArray::<u8>::ones((2, 3, 5));
    let cases = [
        (
            x.slice(s![0]).save_png(&file.0, Colormap::Gray),
            "save_png: shapes [3]: expected two axes, and elements",
        ),
        (
            x.slice(s![..0]).save_png(&file.0, Colormap::Gray),
            "save_png: shapes [0, 3]: expected two axes, and elements",
        ),
        (x.save_png(&file.0, Colormap::Gray.range(1.0, 1.0)), "save_png: a range from 1 to 1"),
        (
            x.save_png(&file.0, Colormap::Gray.range(f64::NAN, 1.0)),
            "save_png: a range from NaN to 1",
        ),
        (DArray::<Complex<f64>>::ones((2, 3)).save_png(&file.0, Colormap::Gray), "save_png: "),
        (
            bytes.save_rgb_png(&file.0),
            "save_rgb_png: shapes [2, 3, 5]: expected (rows, columns, 3) or (rows, columns, 4)",
        ),
        (
            x.slice(s![.., .., NewAxis]).as_dyn().save_rgb_png(&file.0),
            "save_rgb_png: element types f64: expected u8",
        ),
    ];
    for (found, text) in cases {
        let found = found.unwrap_err().to_string();
        assert!(found.starts_with(text) && found.contains(concat!("(at ", file!())), "{found}");
    }
    assert!(!file.0.exists());
    let nowhere = x.save_png(file.0.join("x.png"), Colormap::Gray).unwrap_err().to_string();
    assert!(nowhere.starts_with("save_png: "), "{nowhere}");
}

#[test]
fn a_picture_is_computed_on_the_devices_in_few_kernels() {
    let file = Temporary::new("kernels.png");
    let runtime = Runtime::builder().cpu_devices(3).build().unwrap();
    let kernels = |write: &dyn Fn(&DArray)| {
        runtime.scope(|| {
            let x: DArray = DArray::linspace(0.0, 1.0, 3000).reshape((50, 60));
            runtime.sync();
            runtime.reset_stats();
            write(&x);
            runtime.stats().fused_tasks
        })
    };
    // The levels; before them the ends. How far these are apart, the levels compute for themselves.
    assert_eq!(kernels(&|x| x.save_png(&file.0, Colormap::Gray.range(0.0, 1.0)).unwrap()), 1);
    assert_eq!(kernels(&|x| x.save_png(&file.0, Colormap::Gray).unwrap()), 2);
}
