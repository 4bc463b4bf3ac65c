//! The chapter of the book that is written from code: element types, and the functions of the tables with the types of their
//! results. `UPDATE_EXPECT=1 cargo test -p darray-pages` writes it anew.

use darray::{Axes, Binary, DType, DynArray, Reduction, Unary};
use std::fmt::Write;

/// The element types for which results are shown.
const SHOWN: [DType; 4] = [DType::Bool, DType::I32, DType::F32, DType::C64];

/// How operations are written that are operators of Rust, or methods of the names of those.
const OPERATORS: [(&str, &str); 16] = [
    ("negative", "-&x"),
    ("invert", "!&x"),
    ("add", "&x + &y"),
    ("subtract", "&x - &y"),
    ("multiply", "&x * &y"),
    ("divide", "&x / &y"),
    ("remainder", "&x % &y"),
    ("bitwise_and", "&x & &y"),
    ("bitwise_or", "&x \\| &y"),
    ("bitwise_xor", "&x ^ &y"),
    ("less", "x.lt(&y)"),
    ("less_equal", "x.le(&y)"),
    ("greater", "x.gt(&y)"),
    ("greater_equal", "x.ge(&y)"),
    ("equal", "x.eq(&y)"),
    ("not_equal", "x.ne(&y)"),
];

/// A row of a table of the library, as its source has it.
struct Row {
    variant: String,
    method: Option<String>,
    text: String,
}

/// The rows of a table: documentation and, below it, `Variant = x.method(..), ..;` or `Variant = name, rule;`.
fn rows(source: &str) -> Vec<Row> {
    let (mut rows, mut docs) = (Vec::new(), Vec::new());
    for line in source.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim());
            continue;
        }
        let (variant, rest) = line.split_once(" = ").unwrap_or_default();
        let is_row = variant.chars().all(|c| c.is_ascii_alphanumeric()) && !docs.is_empty();
        if is_row && variant.starts_with(|c: char| c.is_ascii_uppercase()) {
            let method = rest.strip_prefix("x.").and_then(|rest| rest.split(')').next());
            let method = method.map(|call| {
                format!("x.{}", call.replace("(axes", "(..").replace("(y", "(&y")) + ")"
            });
            rows.push(Row { variant: variant.into(), method, text: first_sentence(&docs) });
        }
        docs.clear();
    }
    rows
}

/// What stands before the first full stop that ends a sentence.
fn first_sentence(docs: &[&str]) -> String {
    let paragraph: Vec<&str> = docs.iter().copied().take_while(|line| !line.is_empty()).collect();
    let text = paragraph.join(" ");
    text.split(". ").next().unwrap_or_default().trim_end_matches('.').replace('|', "\\|")
}

/// What is written, and the types that it gives.
fn line(
    names: (&str, &str),
    row: &Row,
    gives: impl Fn(DType) -> darray::Result<DynArray>,
) -> String {
    let (numpy, written) = names;
    let mut line = format!("| `{numpy}` | `{written}` | {}", row.text);
    for dtype in SHOWN {
        let dtype = gives(dtype).map_or(String::new(), |result| format!("`{}`", result.dtype()));
        write!(line, " | {dtype}").unwrap();
    }
    line + " |\n"
}

fn find<'r>(rows: &'r [Row], variant: &str) -> &'r Row {
    let variant = variant.split(' ').next().unwrap_or_default();
    rows.iter().find(|row| row.variant == variant).unwrap_or_else(|| panic!("no row {variant}"))
}

fn written(name: &str, row: &Row) -> String {
    let operator = || OPERATORS.iter().find(|(operator, _)| *operator == name);
    let method = row.method.clone().or_else(|| operator().map(|(_, text)| text.to_string()));
    method.unwrap_or_else(|| panic!("how is {name} written?"))
}

/// The element types of arrays.
fn element_types() -> String {
    let mut page = String::from(
        "| NumPy | Rust | `DType` | bytes | `sum` gives | `mean` gives |\n|---|---|---|---|---|---|\n",
    );
    for dtype in DType::ALL {
        let name = dtype.to_string();
        let bits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let (numpy, rust) = match name.as_str() {
            "bool" => ("bool".to_string(), name.clone()),
            "complex64" => (name.clone(), "Complex<f32>".to_string()),
            "complex128" => (name.clone(), "Complex<f64>".to_string()),
            "f16" => ("float16".to_string(), "darray::f16".to_string()),
            "bf16" => ("(`ml_dtypes.bfloat16`)".to_string(), "darray::bf16".to_string()),
            _ => {
                let kind = match name.as_bytes()[0] {
                    b'i' => "int",
                    b'u' => "uint",
                    b'f' => "float",
                    _ => panic!("what is {name} in NumPy?"),
                };
                (format!("{kind}{bits}"), name.clone())
            }
        };
        let numpy = if numpy.contains('`') { numpy } else { format!("`{numpy}`") };
        let gives = |reduction| {
            let x = DynArray::full(1, dtype, 1).unwrap();
            x.reduce(reduction, Axes::all()).unwrap().dtype()
        };
        let (sum, mean) = (gives(Reduction::Sum), gives(Reduction::Mean));
        writeln!(
            page,
            "| {numpy} | `{rust}` | `DType::{dtype:?}` | {} | `{sum}` | `{mean}` |",
            dtype.size()
        )
        .unwrap();
    }
    page
}

fn functions() -> String {
    let source = |name| {
        let path = format!("{}/../../../crates/darray/src/{name}", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let operations = source("elementwise/operation/table.rs");
    let (unary, binary) = operations.split_once("macro_rules! binary_table").expect("two tables");
    let (unary, binary, folds) = (rows(unary), rows(binary), rows(&source("reduction/table.rs")));
    let of = |dtype| DynArray::full(2, dtype, 1);
    let heading = SHOWN.map(|dtype| format!(" of `{dtype}` |")).concat();
    let heading =
        format!("| NumPy | darray | what it gives |{heading}\n|---|---|---|---|---|---|---|\n");
    let mut page = format!("## Of each element\n\n{heading}");
    for &operation in Unary::ALL {
        let row = find(&unary, &format!("{operation:?}"));
        let names = (operation.name(), &*written(operation.name(), row));
        page += &line(names, row, |dtype| of(dtype)?.unary(operation));
    }
    page += &format!("\n## Of two elements\n\n{heading}");
    for &operation in Binary::ALL {
        let row = find(&binary, &format!("{operation:?}"));
        let names = (operation.name(), &*written(operation.name(), row));
        page += &line(names, row, |dtype| of(dtype)?.binary(operation, &of(dtype)?));
    }
    page += &format!("\n## Reductions\n\n{heading}");
    for &reduction in Reduction::ALL {
        let row = find(&folds, &format!("{reduction:?}"));
        let names = (reduction.name(), &*written(reduction.name(), row));
        page += &line(names, row, |dtype| of(dtype)?.reduce(reduction, Axes::all()));
    }
    page
}

#[test]
fn the_chapter_says_what_the_code_does() {
    let page = format!(
        "# Element types and functions\n\n\
         <!-- Written by `UPDATE_EXPECT=1 cargo test -p darray-pages`. -->\n\n\
         The tables of this page are written from the library's own. What is no operator is a function of `darray::np`, too, by NumPy's name.\n\n\
         ## Element types\n\n{}\n\
         Arrays of two types meet in the type that NumPy 2 gives: `i32` and `f32` in `f64`; \
         [numbers](numpy.md#numbers-beside-arrays) take the array's.\n\n\
         The columns of the following tables are the types of results; other integers go as `i32`, other floats as `f32`, and nothing \
         stands where the operation does not exist. A sum of unsigned integers is `u64`.\n\n{}",
        element_types(),
        functions()
    );
    expect_test::expect_file!["../../../../docs/book/src/functions.md"].assert_eq(&page);
}
