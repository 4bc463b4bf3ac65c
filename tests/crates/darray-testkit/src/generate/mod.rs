//! Random valid programs.

mod arrangements;
mod axes;
mod creations;
mod elements;
mod find;
mod indices;
mod palette;
mod products;
mod reduce;
mod reductions;
mod views;

pub use palette::Scale;

use crate::oracle::{Oracle, broadcast, promote};
use crate::program::{Binary, Carrier, Expression, Name, Operand, Program, Statement, View};
use crate::random::Random;
use darray_core::RealType;

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

const STEPS: [Step; 27] = [
    (9, Generator::create),
    (14, Generator::view),
    (7, Generator::axes),
    (2, Generator::joint),
    (8, Generator::shifted_sum),
    (12, Generator::unary),
    (34, Generator::binary),
    (6, Generator::compare),
    (6, Generator::select),
    (6, Generator::cast),
    (6, Generator::limited),
    (10, Generator::reduce),
    (4, Generator::reduce_into),
    (4, Generator::matmul),
    (4, Generator::product),
    (3, Generator::scan),
    (2, Generator::sort),
    (2, Generator::take),
    (2, Generator::put),
    (3, Generator::find),
    (2, Generator::add_at),
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

    fn dtype(&self, name: Name) -> RealType {
        self.oracle.look(name).map_or(RealType::F64, |(_, dtype)| dtype)
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
        let data = Expression::Data { shape, dtype: RealType::F64, seed };
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
        let function = |operation| Binary::Apply(operation);
        let operator = match self.dtype(target) {
            RealType::Bool => self.random.pick(&[Binary::And, Binary::Or, Binary::Xor]),
            dtype if dtype.is_integer() => self.random.pick(&[
                Binary::Add,
                Binary::Subtract,
                Binary::Multiply,
                Binary::Remainder,
                Binary::Xor,
                Binary::Minimum,
                function(darray::Binary::FloorDivide),
                function(darray::Binary::ShiftRight),
            ]),
            _ => self.random.pick(&[
                Binary::Add,
                Binary::Subtract,
                Binary::Multiply,
                Binary::Divide,
                Binary::Add,
                Binary::Multiply,
                Binary::Maximum,
                Binary::Remainder,
                function(darray::Binary::Fmod),
            ]),
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

    /// Clones, drops, reads, and arrays that leave and come back.
    fn manage(&mut self) {
        match self.random.below(22) {
            20.. => {
                let of = self.any();
                let by = self.random.pick(&[
                    Carrier::Bytes,
                    Carrier::Vector,
                    Carrier::Function,
                    Carrier::Ndarray,
                    Carrier::Npy,
                    Carrier::Npz { compressed: false },
                    Carrier::Npz { compressed: true },
                ]);
                self.define(Expression::Carry { of, by });
            }
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
