//! The files of cases.

use darray::{DType, RealType, Scalar};
use std::collections::BTreeMap;
use std::fmt;
use toml::{Table, Value};

/// A call with NumPy's result.
pub struct Case {
    /// NumPy's name.
    pub function: String,
    /// Names of inputs, or `scalar 2`.
    pub operands: Vec<String>,
    /// The other arguments.
    pub options: Table,
    /// NumPy's result.
    pub expected: Array,
    /// How far elements may be from it.
    pub ulp: u64,
}

/// Elements in row-major order.
pub struct Array {
    /// Their type.
    pub dtype: DType,
    /// Extents.
    pub shape: Vec<usize>,
    /// One each.
    pub elements: Vec<Scalar>,
}

/// An array and how it is seen.
pub struct Input {
    /// All of it.
    pub base: Array,
    /// Steps to the view.
    pub view: Vec<Step>,
}

/// A step to a view.
pub enum Step {
    /// Start, stop and step per axis; `None` is the end.
    Slice(Vec<[Option<i64>; 3]>),
    /// The new order of the axes.
    Permute(Vec<i64>),
    /// The new shape.
    Broadcast(Vec<i64>),
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}", self.function, self.operands.join("; "))?;
        for (name, value) in &self.options {
            write!(f, "; {name} = {value}")?;
        }
        write!(f, ")")
    }
}

impl Case {
    /// An option that is an integer.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.options.get(name).and_then(Value::as_integer)
    }

    /// An option that is a list of integers, or one integer.
    pub fn integers(&self, name: &str) -> Option<Vec<i64>> {
        match self.options.get(name)? {
            Value::Integer(one) => Some(vec![*one]),
            list => Some(integers(list)),
        }
    }

    /// An option that is a float.
    pub fn float(&self, name: &str) -> f64 {
        self.options.get(name).and_then(Value::as_float).unwrap_or_else(|| panic!("{self}: {name}"))
    }

    /// The option `to`, an element type.
    pub fn to(&self) -> DType {
        dtype(&self.options["to"])
    }
}

/// The inputs by name.
pub fn inputs(text: &str) -> BTreeMap<String, Input> {
    let table: Table = text.parse().expect("a table of inputs");
    let input = |(name, value): (String, Value)| {
        let table = value.as_table().expect("an input is a table");
        let view = table.get("view").and_then(Value::as_array).map(|steps| &steps[..]);
        let view = view.unwrap_or_default().iter().map(step).collect();
        (name, Input { base: array(table), view })
    };
    table.into_iter().map(input).collect()
}

/// The cases of a file.
pub fn cases(text: &str) -> Vec<Case> {
    let mut table: Table = text.parse().expect("a table of cases");
    let Some(Value::Array(cases)) = table.remove("case") else { panic!("no cases") };
    let case = |value: Value| {
        let table = value.as_table().expect("a case is a table");
        let operands = table["operands"].as_array().expect("a list").iter();
        Case {
            function: table["function"].as_str().expect("a name").to_string(),
            operands: operands.map(|o| o.as_str().expect("a name").to_string()).collect(),
            options: table.get("options").and_then(Value::as_table).cloned().unwrap_or_default(),
            expected: array(table),
            ulp: table.get("ulp").and_then(Value::as_integer).unwrap_or(0) as u64,
        }
    };
    cases.into_iter().map(case).collect()
}

fn array(table: &Table) -> Array {
    let dtype = dtype(&table["dtype"]);
    let shape = integers(&table["shape"]).into_iter().map(|n| n as usize).collect();
    let values = table["values"].as_array().expect("a list").iter();
    Array { dtype, shape, elements: values.map(|value| scalar(value).cast(dtype.part())).collect() }
}

fn scalar(value: &Value) -> Scalar {
    match value {
        Value::Boolean(value) => Scalar::from(*value),
        Value::Integer(value) => Scalar::from(*value),
        Value::Float(value) => Scalar::from(*value),
        // TOML has no integers beyond those of i64.
        Value::String(value) => Scalar::parse(RealType::U64, value).expect("a large integer"),
        other => panic!("{other} is no element"),
    }
}

fn step(value: &Value) -> Step {
    let step = value.as_array().expect("a step is a list");
    match step[0].as_str() {
        Some("slice") => {
            let items = step[1].as_array().expect("a list").iter();
            Step::Slice(
                items
                    .map(|item| {
                        let item = item.as_array().expect("a list");
                        [0, 1, 2].map(|k| item[k].as_integer())
                    })
                    .collect(),
            )
        }
        Some("permute") => Step::Permute(integers(&step[1])),
        Some("broadcast") => Step::Broadcast(integers(&step[1])),
        other => panic!("{other:?} is no step"),
    }
}

fn integers(value: &Value) -> Vec<i64> {
    let list = value.as_array().unwrap_or_else(|| panic!("{value} is no list"));
    list.iter().map(|n| n.as_integer().expect("an integer")).collect()
}

fn dtype(value: &Value) -> DType {
    let name = value.as_str().expect("a name");
    DType::from_name(name).unwrap_or_else(|| panic!("{name} is no element type"))
}
