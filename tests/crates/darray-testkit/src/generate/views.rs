//! Steps that look at arrays through views.

use super::Generator;
use crate::program::{Binary, Expression, Index, Name, Operand, Statement, View};

impl Generator {
    /// A view of any kind, which stays as a variable.
    pub(super) fn view(&mut self) {
        let of = self.any();
        let shape = self.shape(of);
        let view = match self.random.below(11) {
            10 if shape.len() >= 2 => self.diagonal(&shape),
            0..6 | 10 => View::Slice(self.items(&shape)),
            6 if self.random.chance(50) => View::Transpose,
            6 => View::Permute(self.order(shape.len())),
            7 | 8 => return self.reshape(of),
            _ => {
                let shape =
                    shape.iter().map(|&n| if n == 1 && self.random.chance(60) { 3 } else { n });
                let mut to: Vec<usize> = shape.collect();
                if to.len() < 3 && self.random.chance(50) {
                    to.insert(0, 1 + self.random.below(3));
                }
                View::Broadcast(to)
            }
        };
        self.define(Expression::View { of, view });
    }

    /// A diagonal of two axes, now and then one that misses the array.
    fn diagonal(&mut self, shape: &[usize]) -> View {
        let order = self.order(shape.len());
        let most = 1 + shape.iter().min().copied().unwrap_or(0) as i64;
        let offset = self.random.between(-most, most) as isize;
        View::Diagonal { offset, rows: order[0], columns: order[1] }
    }

    /// The axes in some order, some counted from the end.
    pub(super) fn order(&mut self, rank: usize) -> Vec<isize> {
        let mut left: Vec<isize> = (0..rank as isize).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let axis = left.remove(self.random.below(left.len()));
            order.push(if self.random.chance(30) { axis - rank as isize } else { axis });
        }
        order
    }

    /// A reshape or `ravel`, rather of a view.
    fn reshape(&mut self, of: Name) {
        // Of one axis, no transpose and few slices have to be copied.
        let matrix = |g: &Generator, name: Name| g.shape(name).len() > 1;
        let of = self.any_where(matrix).filter(|_| self.random.chance(60)).unwrap_or(of);
        let shape = self.shape(of);
        let base = match self.random.below(5) {
            0 | 1 => self.define(Expression::View { of, view: View::Transpose }),
            2 => {
                let view = View::Slice(self.items(&shape));
                self.define(Expression::View { of, view })
            }
            _ => None,
        };
        let of = base.unwrap_or(of);
        let view = match self.random.chance(25) {
            true => View::Ravel,
            false => View::Reshape(self.reshaped(self.shape(of).iter().product())),
        };
        self.define(Expression::View { of, view });
    }

    /// Items of a slice of an array of this shape.
    fn items(&mut self, shape: &[usize]) -> Vec<Index> {
        let mut items: Vec<Index> = Vec::new();
        let mut ellipsis = false;
        for &extent in shape {
            if self.random.chance(8) {
                items.push(Index::NewAxis);
            }
            if !ellipsis && self.random.chance(8) {
                ellipsis = true;
                items.push(Index::Ellipsis);
                // Axes that get no item of their own are the ellipsis's.
                if self.random.chance(50) {
                    break;
                }
            }
            items.push(self.item(extent));
        }
        if self.random.chance(8) {
            items.push(Index::NewAxis);
        }
        items
    }

    fn item(&mut self, extent: usize) -> Index {
        let n = extent as i64;
        let step = self.random.pick(&[1, 1, 1, 1, 2, 3, -1, -1, -2]);
        match self.random.below(10) {
            0 if extent > 0 => Index::At(self.random.between(-n, n - 1) as isize),
            0..4 => Index::Range { start: None, stop: None, step },
            4 | 5 => Index::Range { start: Some(1), stop: Some(-1), step: 1 },
            _ => {
                let mut bound = || {
                    let value = self.random.between(-n - 2, n + 2) as isize;
                    self.random.chance(60).then_some(value)
                };
                Index::Range { start: bound(), stop: bound(), step }
            }
        }
    }

    /// A shape of so many elements.
    fn reshaped(&mut self, size: usize) -> Vec<usize> {
        if size == 0 {
            return self.random.pick(&[vec![0], vec![3, 0], vec![0, 2]]);
        }
        let mut shape = Vec::new();
        let mut left = size;
        while left > 1 && shape.len() < 3 {
            let divisors: Vec<usize> = (1..=left).filter(|d| left.is_multiple_of(*d)).collect();
            let extent = if shape.len() == 2 { left } else { self.random.pick(&divisors) };
            shape.push(extent);
            left /= extent;
        }
        if left > 1 {
            shape.push(left);
        }
        shape
    }

    /// Two views of one array, shifted against each other, both as large as their array allows.
    fn shifted(&mut self, of: Name) -> Option<(Name, Name)> {
        let shape = self.shape(of);
        let axis = self.random.below(shape.len().max(1));
        let by = 1 + self.random.below(2) as isize;
        let slice = |start: Option<isize>, stop: Option<isize>| {
            let all = Index::Range { start: None, stop: None, step: 1 };
            let mut items = vec![all; shape.len()];
            *items.get_mut(axis)? = Index::Range { start, stop, step: 1 };
            Some(Expression::View { of, view: View::Slice(items) })
        };
        let high = self.define(slice(Some(by), None)?)?;
        let low = self.define(slice(None, Some(-by))?)?;
        Some(if self.random.chance(50) { (high, low) } else { (low, high) })
    }

    /// A sum of neighbours, as in a stencil, now and then assigned back.
    pub(super) fn shifted_sum(&mut self) {
        let of = self.any();
        let Some((a, b)) = self.shifted(of) else { return };
        let (left, right) = (Operand::Name(a), Operand::Name(b));
        let sum = self.define(Expression::Binary { operator: Binary::Add, left, right });
        let Some(sum) = sum else { return };
        let (left, right) = (Operand::Name(sum), self.scalar());
        let work = self.define(Expression::Binary { operator: Binary::Multiply, left, right });
        if let Some(work) = work
            && self.random.chance(60)
        {
            self.push(Statement::Assign { target: a, value: Operand::Name(work) });
        }
    }

    /// A write whose value overlaps its target.
    pub(super) fn overlap(&mut self) {
        let of = self.any();
        let square = matches!(self.shape(of)[..], [m, n] if m == n && m > 1);
        let reversed = || {
            let item = Index::Range { start: None, stop: None, step: -1 };
            View::Slice(vec![item])
        };
        let pair = match self.random.below(3) {
            0 if square => {
                let transposed = self.define(Expression::View { of, view: View::Transpose });
                transposed.map(|t| (of, t))
            }
            1 if !self.shape(of).is_empty() => {
                self.define(Expression::View { of, view: reversed() }).map(|r| (of, r))
            }
            _ => self.shifted(of),
        };
        let Some((target, value)) = pair else { return };
        let value = Operand::Name(value);
        if self.random.chance(50) {
            self.push(Statement::Assign { target, value });
        } else {
            let operator = self.random.pick(&[Binary::Add, Binary::Subtract]);
            self.push(Statement::Update { operator, target, value });
        }
    }
}

/// The rows of an array of two rows more (or of three elements) that make a view of `shape`.
pub(super) fn rows(shape: &[usize], at: isize) -> Index {
    match shape.first() {
        Some(&first) => Index::Range { start: Some(at), stop: Some(at + first as isize), step: 1 },
        None => Index::At(at),
    }
}
