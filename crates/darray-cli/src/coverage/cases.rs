//! The results of NumPy that the tests compare with, by function.

use darray::DType;

/// Functions that have a second name.
const ALIASES: &str = include_str!("aliases.txt");

/// The cases of a function: a line of `cases.txt`.
pub struct Cases {
    pub count: usize,
    /// How many have an operand that does not lie in order, or change an array that does not.
    pub strided: usize,
    /// The element types of what they are called with, or of what they make.
    pub types: Vec<DType>,
}

impl Cases {
    /// Those of a function under this name or that of which it is a second one, among lines as `cases.txt` has them.
    pub fn of(name: &str, counted: &str) -> Option<Cases> {
        let last = name.rsplit('.').next().unwrap_or(name).trim_matches('_');
        let mut aliases = ALIASES.lines().filter_map(|line| line.split_once(' '));
        let function = aliases.find(|(alias, _)| *alias == last).map_or(last, |(_, other)| other);
        let mut lines = counted.lines().filter_map(|line| line.split_once(' '));
        let (_, words) = lines.find(|(name, _)| name.trim_matches('_') == function)?;
        let mut words = words.split(' ');
        let mut number = || words.next()?.parse().ok();
        let (count, strided) = (number()?, number()?);
        Some(Cases { count, strided, types: words.filter_map(DType::from_name).collect() })
    }

    /// As `cases.txt` has it, behind the name.
    #[cfg(test)]
    pub fn line(&self) -> String {
        let types: String = self.types.iter().map(|dtype| format!(" {dtype}")).collect();
        format!("{} {}{types}", self.count, self.strided)
    }

    /// As the page has it.
    pub fn summary(&self) -> String {
        format!("{} of {} types, {} strided", self.count, self.types.len(), self.strided)
    }
}
