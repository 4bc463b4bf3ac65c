//! Random valid programs.

mod arrangements;
mod palette;
mod products;
mod reduce;
mod reductions;
mod views;

pub use palette::Scale;

use crate::oracle::{Oracle, broadcast, promote};
use crate::program::{
    Binary, Comparison, Draw, Expression, Name, Operand, Program, Statement, Stream, Unary, View,
};
use crate::random::Random;
use darray_core::DType;

/// Most axes of an array.
const MOST_AXES: usize = 5;

/// The program of a seed: the same on every machine.
///
/// Programs are valid by construction: the oracle executes each statement as it is drawn, and what
/// it refuses is drawn again. Shapes come from a small palette, so that arrays meet; operands are
/// rather recent, so that chains form.
pub fn generate(seed: u64, scale: Scale) -> Program {
    let mut generator = Generator::new(seed, scale);
    let length = 6 + generator.random.below(34);
    for _ in 0..2 {
        generator.create();
    }
    while generator.program.statements.len() < length {
        generator.step();
    }
    generator.program
}

struct Generator {
    random: Random,
    oracle: Oracle,
    program: Program,
    scale: Scale,
    palette: Vec<Vec<usize>>,
    next: Name,
}

/// A kind of step with its weight.
type Step = (usize, fn(&mut Generator));

const STEPS: [Step; 18] = [
    (9, Generator::create),
    (14, Generator::view),
    (8, Generator::shifted_sum),
    (12, Generator::unary),
    (34, Generator::binary),
    (6, Generator::compare),
    (6, Generator::select),
    (6, Generator::cast),
    (10, Generator::reduce),
    (4, Generator::reduce_into),
    (4, Generator::matmul),
    (3, Generator::scan),
    (8, Generator::arrange),
    (4, Generator::masked_write),
    (9, Generator::assign),
    (7, Generator::overlap),
    (9, Generator::update),
    (13, Generator::manage),
];

impl Generator {
    fn new(seed: u64, scale: Scale) -> Generator {
        let mut random = Random::new(seed);
        let palette = palette::palette(&mut random, scale);
        let (oracle, program) = (Oracle::default(), Program::default());
        Generator { random, oracle, program, scale, palette, next: 0 }
    }

    fn step(&mut self) {
        let total: usize = STEPS.iter().map(|(weight, _)| weight).sum();
        let mut at = self.random.below(total);
        for (weight, step) in STEPS {
            if at < weight {
                return step(self);
            }
            at -= weight;
        }
    }

    /// Appends the statement if it is valid and makes no array that is too large.
    fn push(&mut self, statement: Statement) -> bool {
        if let Statement::Let { value: Expression::View { view: View::Broadcast(to), .. }, .. } =
            &statement
            && to.iter().product::<usize>() > self.scale.most_elements()
        {
            return false;
        }
        let mut next = self.oracle.clone();
        if next.execute(&statement).is_err() {
            return false;
        }
        if let Statement::Let { name, .. } = &statement
            && let Some((shape, _)) = next.look(*name)
        {
            let size = shape.iter().product::<usize>();
            if shape.len() > MOST_AXES || size > self.scale.most_elements() {
                return false;
            }
        }
        self.oracle = next;
        self.program.statements.push(statement);
        true
    }

    fn define(&mut self, value: Expression) -> Option<Name> {
        let name = self.next;
        self.push(Statement::Let { name, value }).then(|| {
            self.next += 1;
            name
        })
    }

    fn shape(&self, name: Name) -> Vec<usize> {
        self.oracle.look(name).map_or(Vec::new(), |(shape, _)| shape.to_vec())
    }

    fn dtype(&self, name: Name) -> DType {
        self.oracle.look(name).map_or(DType::F64, |(_, dtype)| dtype)
    }

    /// A live array, rather a recent one.
    fn any(&mut self) -> Name {
        let names = self.oracle.names();
        match names.len() {
            0 => self.fresh(),
            n if self.random.chance(65) => names[n - 1 - self.random.below(n.min(4))],
            _ => self.random.pick(&names),
        }
    }

    fn any_where(&mut self, wanted: impl Fn(&Generator, Name) -> bool) -> Option<Name> {
        let names: Vec<Name> =
            self.oracle.names().into_iter().filter(|&n| wanted(self, n)).collect();
        (!names.is_empty()).then(|| self.random.pick(&names))
    }

    /// A new array of host data, when there is none to use.
    fn fresh(&mut self) -> Name {
        let shape = self.palette[0].clone();
        let seed = self.random.bits() % 1000;
        let data = Expression::Data { shape, dtype: DType::F64, seed };
        self.define(data).expect("host data is valid")
    }

    /// Something that broadcasts with `shape`: an array, rather of that shape, or a scalar.
    fn partner(&mut self, shape: &[usize]) -> Operand {
        if self.random.chance(22) {
            return self.scalar();
        }
        let same = self.random.chance(75);
        let recent = self.oracle.names().into_iter().rev().nth(7).unwrap_or(0);
        let oldest = if self.random.chance(60) { recent } else { 0 };
        let fits = |g: &Generator, name: Name| {
            let other = g.shape(name);
            let wide = broadcast(shape, &other).filter(|_| name >= oldest);
            if same {
                other == shape
            } else {
                wide.is_some_and(|w| w.iter().product::<usize>() <= g.scale.most_elements())
            }
        };
        match self.any_where(fits) {
            Some(name) => Operand::Name(name),
            None => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Operand {
        if self.random.chance(5) {
            // Beyond what narrow types hold: compared or refused there.
            Operand::Integer(self.random.pick(&[-1, 100, 255, 256, 1 << 31, 1 << 40]))
        } else if self.random.chance(50) {
            Operand::Integer(self.random.between(-3, 4))
        } else {
            Operand::Float(self.random.pick(&[0.5, -2.0, 0.1, 1.0, 3.25, -0.0, 1e-3]))
        }
    }

    fn create(&mut self) {
        let shape = self.random.pick(&self.palette.clone());
        let dtype = match self.random.below(DType::ALL.len() + 1) {
            0 => DType::F64,
            number => DType::ALL[number - 1],
        };
        let value = match self.random.below(10) {
            0 => Expression::Full { shape, dtype, value: 0.0 },
            1 | 2 => Expression::Full { shape, dtype, value: self.random.pick(&[1.0, -2.5, 7.0]) },
            3 if dtype != DType::Bool => {
                Expression::Arange { count: shape.last().copied().unwrap_or(1), dtype }
            }
            4 => self.draw(shape),
            _ => Expression::Data { shape, dtype, seed: self.random.bits() % 1000 },
        };
        self.define(value);
    }

    fn draw(&mut self, shape: Vec<usize>) -> Expression {
        let low = self.random.between(-9, 9);
        let (draw, dtype) = self.random.pick(&[
            (Draw::Uniform, DType::F64),
            (Draw::Uniform, DType::F64),
            (Draw::Uniform, DType::F32),
            (Draw::Integers { low, high: low + 7 }, DType::I64),
            (Draw::Normal, DType::F64),
            (Draw::Normal, DType::F32),
            (Draw::Exponential, DType::F64),
            (Draw::Exponential, DType::F32),
        ]);
        let stream = Stream { philox: self.random.chance(50), seed: self.random.bits() % 1000 };
        let skip = self.random.pick(&[0, 0, 1, 6]);
        Expression::Random { draw, shape, dtype, stream, skip }
    }

    fn unary(&mut self) {
        let of = self.any();
        // What is not defined for the array's type is refused, and another step is drawn.
        let operator = match self.random.below(20) {
            power @ 0..5 => Unary::Power(power as i32),
            5..9 => Unary::Apply(darray::Unary::Sqrt),
            9..13 => Unary::Apply(self.random.pick(&[darray::Unary::Neg, darray::Unary::Abs])),
            _ => Unary::Apply(self.random.pick(darray::Unary::ALL)),
        };
        let bool = self.dtype(of) == DType::Bool;
        let operator = if bool { Unary::Apply(darray::Unary::Not) } else { operator };
        self.define(Expression::Unary { operator, of });
    }

    fn binary(&mut self) {
        let left = self.any();
        let right = self.partner(&self.shape(left));
        let function = self.random.pick(darray::Binary::FUNCTIONS);
        let operator = self.random.pick(&[
            Binary::Add,
            Binary::Add,
            Binary::Subtract,
            Binary::Multiply,
            Binary::Multiply,
            Binary::Divide,
            Binary::Minimum,
            Binary::Maximum,
            Binary::Remainder,
            Binary::Apply(function),
        ]);
        let dtype = match right.name() {
            Some(name) => promote(self.dtype(left), self.dtype(name)),
            None => self.dtype(left),
        };
        let bitwise = dtype == DType::Bool || dtype.is_integer() && self.random.chance(25);
        let operator = match operator {
            Binary::Add | Binary::Minimum if bitwise => Binary::And,
            Binary::Subtract | Binary::Multiply | Binary::Maximum if bitwise => Binary::Or,
            Binary::Divide if bitwise => Binary::Xor,
            _ => operator,
        };
        let (left, right) = self.shuffle(Operand::Name(left), right);
        self.define(Expression::Binary { operator, left, right });
    }

    fn shuffle(&mut self, a: Operand, b: Operand) -> (Operand, Operand) {
        if self.random.chance(50) { (a, b) } else { (b, a) }
    }

    fn compare(&mut self) {
        let left = self.any();
        let right = self.partner(&self.shape(left));
        let comparison = self.random.pick(&[
            Comparison::Less,
            Comparison::LessEqual,
            Comparison::Greater,
            Comparison::GreaterEqual,
            Comparison::Equal,
            Comparison::NotEqual,
        ]);
        let (left, right) = (Operand::Name(left), right);
        self.define(Expression::Compare { comparison, left, right });
    }

    fn select(&mut self) {
        let Some(mask) = self.any_where(|g, name| g.dtype(name) == DType::Bool) else {
            return self.compare();
        };
        let then = self.partner(&self.shape(mask));
        let otherwise = self.partner(&self.shape(mask));
        self.define(Expression::Select { mask, then, otherwise });
    }

    fn cast(&mut self) {
        let of = self.any();
        let dtype = self.random.pick(&DType::ALL);
        self.define(Expression::Cast { of, dtype });
    }

    fn assign(&mut self) {
        let repeats = |g: &Generator, name: Name| !g.oracle.writable(name);
        if self.random.chance(30)
            && let Some(target) = self.any_where(repeats)
        {
            let value = self.value_for(target);
            self.push(Statement::Refused { target, value });
            return;
        }
        let Some(target) = self.any_where(|g, name| g.oracle.writable(name)) else { return };
        let value = self.value_for(target);
        self.push(Statement::Assign { target, value });
    }

    fn update(&mut self) {
        let Some(target) = self.any_where(|g, name| g.oracle.writable(name)) else { return };
        let operator = match self.dtype(target) {
            DType::Bool => return,
            dtype if dtype.is_integer() => self.random.pick(&[
                Binary::Add,
                Binary::Subtract,
                Binary::Multiply,
                Binary::Remainder,
                Binary::Xor,
            ]),
            _ => {
                self.random.pick(&[Binary::Add, Binary::Subtract, Binary::Multiply, Binary::Divide])
            }
        };
        let value = self.value_for(target);
        self.push(Statement::Update { operator, target, value });
    }

    /// Something that can be written to `target`.
    fn value_for(&mut self, target: Name) -> Operand {
        let (shape, dtype) = (self.shape(target), self.dtype(target));
        let fits = |g: &Generator, name: Name| {
            promote(g.dtype(name), dtype) == dtype
                && broadcast(&shape, &g.shape(name)).is_some_and(|wide| wide == shape)
        };
        match self.any_where(fits) {
            Some(name) if self.random.chance(80) => Operand::Name(name),
            _ => self.scalar(),
        }
    }

    /// Clones, drops and reads.
    fn manage(&mut self) {
        match self.random.below(20) {
            0..6 => {
                let of = self.any();
                self.define(Expression::Clone(of));
            }
            6..18 => {
                let names = self.oracle.names();
                if names.len() > 2 {
                    let name = self.random.pick(&names);
                    self.push(Statement::Drop(name));
                }
            }
            _ => {
                let name = self.any();
                self.push(Statement::Read(name));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Scale, generate};
    use crate::oracle::Oracle;

    #[test]
    fn programs_are_valid_and_the_same_for_one_seed() {
        for seed in 0..500 {
            let program = generate(seed, Scale::Small);
            assert_eq!(program, generate(seed, Scale::Small));
            let oracle =
                Oracle::run(&program).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{program}"));
            assert!(
                oracle.reads.iter().all(|read| read.cells.len() == read.shape.iter().product())
            );
        }
    }

    #[test]
    fn most_results_are_known_to_the_bit_and_few_not_at_all() {
        let (mut exact, mut unknown, mut all) = (0, 0, 0);
        for seed in 0..500 {
            for read in Oracle::run(&generate(seed, Scale::Small)).expect("valid").reads {
                exact += read.cells.iter().filter(|c| c.radius == 0.0).count();
                unknown += read.cells.iter().filter(|c| c.radius.is_infinite()).count();
                all += read.cells.len();
            }
        }
        assert!(exact * 10 > all * 6, "{exact} of {all} exact");
        assert!(unknown * 10 < all, "{unknown} of {all} unknown");
    }
}
