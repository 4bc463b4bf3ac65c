//! What is known of the f32 numbers of a nest with a guard: a question whose answer is known is not asked.
//!
//! Ranges come from constants, from what the text [knows](Known) of arguments, and from what the guard has asked:
//! where it says no, nothing is stored. Operations round to nearest, so they are monotonic, and the ends of ranges
//! are computed as the numbers are. `x * (c * x)` has the sign of `c`.
//!
//! ```text
//! %1 = sqrt %0         asks for a positive %0; then 2^-64 <= %0 <= 2^64, 2^-32 <= %1 <= 2^32
//! %3 = mul %2 %1       %2 a positive argument: 2^-48 <= %3 <= 2^48
//! %5 = div %4 %3       asks for a quotient of usual size, not for %3
//! ```

use super::cells::Source;
use darray_kernel::ir::Value;
use darray_kernel::operator::Operator;
use smallvec::{SmallVec, smallvec};

/// What a text knows of a task argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Known {
    /// It is 1.
    One,
    /// Between 2^-16 and 2^16.
    Positive,
    /// Between -2^16 and -2^-16.
    Negative,
}

impl Known {
    /// Of a number; none of most.
    pub fn of(number: f32) -> Option<Known> {
        let of_range = |known: Known| known.range().contains(number).then_some(known);
        of_range(Known::Positive).or_else(|| of_range(Known::Negative))
    }

    fn range(self) -> Range {
        match self {
            Known::One => Range { low: 1.0, high: 1.0 },
            Known::Positive => Range { low: two_to(-16), high: two_to(16) },
            Known::Negative => Range { low: -two_to(16), high: -two_to(-16) },
        }
    }
}

/// What a guard asks of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Question {
    /// Whether its size is between 2 to this and 2 to 128 more.
    Within(i32),
    /// Whether it is positive, and as large.
    Positive(i32),
    /// Whether it is less than 64.
    Below64,
}

/// What a guard asks for an operation.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    /// Of its operands.
    pub operands: SmallVec<[Option<Question>; 3]>,
    /// Of its result.
    pub result: Option<Question>,
}

/// What is known of values.
#[derive(Debug)]
pub(crate) struct Facts {
    /// By value.
    facts: Vec<Option<Fact>>,
    /// Values that are f32.
    single: Vec<bool>,
    /// Values whose quotients should be positive: roots or logarithms are taken of them.
    positive: SmallVec<[Value; 4]>,
    /// Task arguments on which answers depend.
    used: SmallVec<[u16; 8]>,
}

#[derive(Clone, Debug)]
struct Fact {
    range: Range,
    /// It is a product of this value and a number that is not 0, or the value itself; whether the number is negative.
    multiple: Option<(Value, bool)>,
    /// Task arguments on which it depends.
    from: SmallVec<[u16; 4]>,
}

/// Numbers from `low` to `high`; never NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Range {
    low: f32,
    high: f32,
}

impl Facts {
    /// Of constants and arguments; `positive` are the operands of roots and logarithms.
    pub fn new(
        sources: &[Option<Source>],
        single: Vec<bool>,
        positive: impl Iterator<Item = Value>,
        known: impl Fn(u16) -> Option<Known>,
    ) -> Facts {
        let fact = |(source, single): (&Option<Source>, &bool)| match *source {
            Some(Source::Constant(scalar)) if *single => {
                let number = scalar.to_f64() as f32;
                Range::around([number]).map(Fact::new)
            }
            Some(Source::Argument(index)) if *single => known(index)
                .map(|known| Fact { from: smallvec![index], ..Fact::new(known.range()) }),
            _ => None,
        };
        Facts {
            facts: sources.iter().zip(&single).map(fact).collect(),
            single,
            positive: positive.collect(),
            used: SmallVec::new(),
        }
    }

    /// Whether a value is known to be 1.
    pub fn is_one(&self, value: Value) -> bool {
        let fact = self.facts[value.0 as usize].as_ref();
        fact.is_some_and(|fact| fact.range == Known::One.range())
    }

    /// The task arguments on which answers depended so far.
    pub fn used(&self) -> &[u16] {
        &self.used
    }

    /// Notes an operator, after those before it: what is asked for it. `1 / x` is a reciprocal.
    pub fn apply(&mut self, result: Value, operator: Operator, args: &[Value]) -> Questions {
        use Operator::*;
        let mut questions = Questions { operands: smallvec![None; args.len()], result: None };
        if ![result].iter().chain(args).all(|value| self.single[value.0 as usize]) {
            return questions;
        }
        match operator {
            // Its remainder is exact.
            Sqrt => {
                let common = |x: Range| x.has_sizes(-100, 126) && x.low > 0.0;
                questions.operands[0] = self.ask(args[0], Question::Positive(-64), common);
                self.derive(result, args, |x| Range::around([x[0].low.sqrt(), x[0].high.sqrt()]));
            }
            Reciprocal => questions.operands[0] = self.reciprocal(result, args[0]),
            Div if self.is_one(args[0]) => {
                questions.operands[1] = self.reciprocal(result, args[1]);
            }
            // Its remainder is exact where neither the quotient nor what it is multiplied with is small.
            Div => {
                let common = |x: Range| x.has_sizes(-52, 120);
                questions.operands[1] = self.ask(args[1], Question::Within(-52), common);
                self.derive(result, args, |x| x[0].over(x[1]));
                let question = match self.positive.contains(&result) {
                    true => Question::Positive(-48),
                    false => Question::Within(-48),
                };
                questions.result = self.ask(result, question, |x| x.has_sizes(-48, 80));
            }
            Exp => {
                questions.operands[0] = self.ask(args[0], Question::Below64, |x| x.high < 64.0);
                self.derive(result, args, |_| Some(Range { low: 0.0, high: two_to(93) }));
            }
            Ln => {
                let common = |x: Range| x.has_sizes(-126, 127) && x.low > 0.0;
                questions.operands[0] = self.ask(args[0], Question::Positive(-64), common);
                self.derive(result, args, |_| Some(Range { low: -88.0, high: 89.0 }));
            }
            Neg => {
                self.derive(result, args, |x| Some(x[0].negative()));
                self.multiply(result, args[0], true);
            }
            Abs => self.derive(result, args, |x| Some(x[0].size())),
            Add => self.derive(result, args, |x| x[0].plus(x[1])),
            Sub => self.derive(result, args, |x| x[0].plus(x[1].negative())),
            Mul => self.product(result, args),
            Fma => self.derive(result, args, |x| x[0].times_plus(x[1], x[2])),
            _ => {}
        }
        questions
    }

    fn reciprocal(&mut self, result: Value, x: Value) -> Option<Question> {
        let question = self.ask(x, Question::Within(-64), |x| x.has_sizes(-120, 120));
        self.derive(result, &[x], |x| Known::One.range().over(x[0]));
        question
    }

    /// The question, if the answer is not known to be yes; it is from now on.
    fn ask(
        &mut self,
        value: Value,
        question: Question,
        is_known: impl Fn(Range) -> bool,
    ) -> Option<Question> {
        let fact = self.facts[value.0 as usize].clone();
        if let Some(fact) = &fact {
            self.used.extend(fact.from.iter().copied());
            if is_known(fact.range) {
                return None;
            }
        }
        let asked = question.range(fact.as_ref().map(|fact| fact.range));
        let known = match fact {
            Some(fact) => Fact { range: fact.range.meet(asked), ..fact },
            None => Fact::new(asked),
        };
        self.facts[value.0 as usize] = Some(known);
        Some(question)
    }

    /// Notes a result that is as large as a function of its operands says, if all of them are known and finite.
    fn derive(&mut self, result: Value, args: &[Value], range: impl Fn(&[Range]) -> Option<Range>) {
        let facts: Option<SmallVec<[Fact; 3]>> =
            args.iter().map(|value| self.facts[value.0 as usize].clone()).collect();
        let Some(facts) = facts else { return };
        let ranges: SmallVec<[Range; 3]> = facts.iter().map(|fact| fact.range).collect();
        if let Some(range) = range(&ranges) {
            let mut from: SmallVec<[u16; 4]> =
                facts.iter().flat_map(|fact| fact.from.iter().copied()).collect();
            from.sort_unstable();
            from.dedup();
            self.facts[result.0 as usize] = Some(Fact { from, ..Fact::new(range) });
        }
    }

    /// Notes a product.
    fn product(&mut self, result: Value, args: &[Value]) {
        let of = |value: Value| self.facts[value.0 as usize].as_ref();
        let base = |value: Value| of(value)?.multiple.or(Some((value, false)));
        let squared = match (base(args[0]), base(args[1])) {
            (Some((a, first)), Some((b, second))) if a == b => Some(first != second),
            _ => None,
        };
        let range = |x: &[Range]| {
            let product = x[0].times(x[1])?;
            Some(match squared {
                None => product,
                Some(false) => Range { low: 0.0, ..product },
                Some(true) => Range { high: 0.0, ..product },
            })
        };
        self.derive(result, args, range);
        for (value, factor) in [(args[0], args[1]), (args[1], args[0])] {
            let of = |value: Value| self.facts[value.0 as usize].as_ref();
            if let Some(factor) = of(factor).filter(|fact| fact.range.has_sizes(-120, 120)) {
                self.multiply(result, value, factor.range.low < 0.0);
            }
        }
    }

    /// Notes a result as a multiple of a value, if anything is known of it.
    fn multiply(&mut self, result: Value, value: Value, negative: bool) {
        let base = self.facts[value.0 as usize].as_ref().map(|fact| fact.multiple);
        let (Some(base), Some(fact)) = (base, &mut self.facts[result.0 as usize]) else { return };
        let (base, turned) = base.unwrap_or((value, false));
        fact.multiple = Some((base, negative != turned));
    }
}

impl Fact {
    fn new(range: Range) -> Fact {
        Fact { range, multiple: None, from: SmallVec::new() }
    }
}

impl Question {
    /// What a number of a known range is in where the answer is yes.
    fn range(self, known: Option<Range>) -> Range {
        let sizes = |first| Range { low: two_to(first), high: two_to(first + 128) };
        match (self, known) {
            (Question::Positive(first), _) => sizes(first),
            (Question::Within(first), Some(known)) if known.low >= 0.0 => sizes(first),
            (Question::Within(first), Some(known)) if known.high <= 0.0 => sizes(first).negative(),
            (Question::Within(first), _) => {
                Range { low: -two_to(first + 128), high: two_to(first + 128) }
            }
            (Question::Below64, _) => Range { low: f32::NEG_INFINITY, high: 64.0 },
        }
    }
}

impl Range {
    fn contains(self, number: f32) -> bool {
        self.low <= number && number <= self.high
    }

    /// From the least to the greatest of some numbers; none if one is NaN.
    fn around<const N: usize>(ends: [f32; N]) -> Option<Range> {
        let none = Range { low: f32::INFINITY, high: f32::NEG_INFINITY };
        let join = |range: Range, &end: &f32| {
            (!end.is_nan()).then(|| Range { low: range.low.min(end), high: range.high.max(end) })
        };
        ends.iter().try_fold(none, join)
    }

    /// Whether all are of one sign, and their sizes between these powers of 2.
    fn has_sizes(self, first: i32, last: i32) -> bool {
        let size = if self.high < 0.0 { self.negative() } else { self };
        two_to(first) <= size.low && size.high <= two_to(last)
    }

    fn is_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// What is in both; the other where nothing is.
    fn meet(self, other: Range) -> Range {
        let both = Range { low: self.low.max(other.low), high: self.high.min(other.high) };
        if both.low <= both.high { both } else { other }
    }

    fn negative(self) -> Range {
        Range { low: -self.high, high: -self.low }
    }

    fn size(self) -> Range {
        let high = self.high.max(-self.low);
        Range { low: self.low.max(-self.high).max(0.0), high }
    }

    /// Sums of finite numbers.
    fn plus(self, other: Range) -> Option<Range> {
        let finite = self.is_finite() && other.is_finite();
        finite.then_some(Range { low: self.low + other.low, high: self.high + other.high })
    }

    /// Products of finite numbers.
    fn times(self, other: Range) -> Option<Range> {
        let (low, high) = (self.low, self.high);
        let finite = self.is_finite() && other.is_finite();
        let ends = [low * other.low, low * other.high, high * other.low, high * other.high];
        Range::around(ends).filter(|_| finite)
    }

    /// Products of finite numbers and a finite one more, rounded once.
    fn times_plus(self, other: Range, sum: Range) -> Option<Range> {
        let finite = self.is_finite() && other.is_finite() && sum.is_finite();
        let ends = |c: f32| {
            let of = |a: f32, b: f32| a.mul_add(b, c);
            let (low, high) = (self.low, self.high);
            [of(low, other.low), of(low, other.high), of(high, other.low), of(high, other.high)]
        };
        let (low, high) = (Range::around(ends(sum.low))?, Range::around(ends(sum.high))?);
        finite.then_some(Range { low: low.low, high: high.high })
    }

    /// Quotients of finite numbers, the other not near 0.
    fn over(self, other: Range) -> Option<Range> {
        let (low, high) = (self.low, self.high);
        let ends = [low / other.low, low / other.high, high / other.low, high / other.high];
        Range::around(ends).filter(|_| self.is_finite() && other.has_sizes(-120, 120))
    }
}

fn two_to(exponent: i32) -> f32 {
    2f32.powi(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Operator::*;

    /// Facts of two arguments, `%0` and `%1`, a constant 3, `%2`, and values of which nothing is known; roots or
    /// logarithms are taken of `%9`.
    fn facts(known: [Option<Known>; 2]) -> Facts {
        let mut sources = vec![None; 20];
        sources[0] = Some(Source::Argument(0));
        sources[1] = Some(Source::Argument(1));
        sources[2] = Some(Source::Constant(3f32.into()));
        let known = move |index: u16| known[index as usize];
        Facts::new(&sources, vec![true; 20], [Value(9)].into_iter(), known)
    }

    /// What is asked of the operands and of the result of an operator of values.
    fn asked(
        facts: &mut Facts,
        result: u32,
        operator: Operator,
        args: &[u32],
    ) -> (Vec<Question>, Option<Question>) {
        let args: Vec<Value> = args.iter().map(|&arg| Value(arg)).collect();
        let questions = facts.apply(Value(result), operator, &args);
        (questions.operands.into_iter().flatten().collect(), questions.result)
    }

    const NOTHING: (Vec<Question>, Option<Question>) = (Vec::new(), None);

    #[test]
    fn sizes_follow_from_arguments_and_what_was_asked() {
        for known in [Known::Positive, Known::Negative] {
            let mut facts = facts([Some(known), None]);
            assert_eq!(asked(&mut facts, 4, Sqrt, &[3]), (vec![Question::Positive(-64)], None));
            assert_eq!(asked(&mut facts, 5, Mul, &[0, 4]), NOTHING);
            // The quotient's size alone: %5 is between 2^-48 and 2^48.
            assert_eq!(asked(&mut facts, 6, Div, &[7, 5]), (vec![], Some(Question::Within(-48))));
            // 3 and more.
            assert_eq!(asked(&mut facts, 8, Abs, &[6]), NOTHING);
            assert_eq!(asked(&mut facts, 10, Add, &[2, 8]), NOTHING);
            assert_eq!(asked(&mut facts, 11, Reciprocal, &[10]), NOTHING);
            assert_eq!(facts.used(), [0], "the argument that %5 depends on");
            // From 0 on.
            assert_eq!(asked(&mut facts, 14, Div, &[8, 2]), (vec![], Some(Question::Within(-48))));
            // Nothing keeps the difference from 0.
            assert_eq!(asked(&mut facts, 12, Sub, &[2, 8]), NOTHING);
            let asks = asked(&mut facts, 13, Reciprocal, &[12]);
            assert_eq!(asks, (vec![Question::Within(-64)], None));
        }
    }

    #[test]
    fn nothing_follows_from_arguments_of_unknown_size() {
        let mut facts = facts([None, None]);
        asked(&mut facts, 4, Sqrt, &[3]);
        asked(&mut facts, 5, Mul, &[0, 4]);
        let question = (vec![Question::Within(-52)], Some(Question::Within(-48)));
        assert_eq!(asked(&mut facts, 6, Div, &[7, 5]), question);
        // A sign is not.
        assert_eq!(asked(&mut facts, 8, Reciprocal, &[5]), (vec![Question::Within(-64)], None));
        asked(&mut facts, 9, Abs, &[5]);
        asked(&mut facts, 10, Reciprocal, &[9]);
        assert_eq!(asked(&mut facts, 11, Reciprocal, &[9]), NOTHING, "asked once, it is known");
    }

    #[test]
    fn a_square_has_the_sign_of_its_factor() {
        for (known, asks) in [(Known::Negative, vec![]), (Known::Positive, vec![Question::Below64])]
        {
            let mut facts = facts([Some(known), None]);
            asked(&mut facts, 4, Div, &[3, 2]);
            asked(&mut facts, 5, Mul, &[0, 4]);
            asked(&mut facts, 6, Mul, &[4, 5]);
            assert_eq!(asked(&mut facts, 7, Exp, &[6]), (asks, None), "{known:?} * x * x");
            // Of a number that may be NaN nothing is known.
            asked(&mut facts, 10, Mul, &[0, 8]);
            asked(&mut facts, 11, Mul, &[8, 10]);
            assert_eq!(asked(&mut facts, 12, Exp, &[11]).0, [Question::Below64]);
        }
        let mut facts = facts([None, None]);
        asked(&mut facts, 4, Div, &[3, 2]);
        asked(&mut facts, 5, Neg, &[4]);
        asked(&mut facts, 6, Mul, &[5, 4]);
        assert_eq!(asked(&mut facts, 7, Exp, &[6]), NOTHING, "-x * x");
        asked(&mut facts, 8, Mul, &[5, 5]);
        assert_eq!(asked(&mut facts, 10, Exp, &[8]).0, [Question::Below64], "-x * -x");
    }

    #[test]
    fn quotients_of_which_logarithms_are_taken_are_asked_for_their_sign() {
        let mut facts = facts([Some(Known::One), None]);
        let question = (vec![Question::Within(-52)], Some(Question::Positive(-48)));
        assert_eq!(asked(&mut facts, 9, Div, &[3, 4]), question);
        assert_eq!(asked(&mut facts, 5, Ln, &[9]), NOTHING);
        assert!(facts.is_one(Value(0)) && !facts.is_one(Value(2)));
        let reciprocal = (vec![Question::Within(-64)], None);
        assert_eq!(asked(&mut facts, 6, Div, &[0, 7]), reciprocal);
    }

    #[test]
    fn sums_that_may_be_of_opposite_infinities_are_not_known() {
        let mut facts = facts([None, None]);
        // Up to 2^80, its square up to infinity, of which the difference with itself is NaN.
        asked(&mut facts, 4, Div, &[3, 2]);
        asked(&mut facts, 5, Mul, &[4, 4]);
        asked(&mut facts, 6, Sub, &[5, 5]);
        assert_eq!(asked(&mut facts, 7, Exp, &[6]).0, [Question::Below64]);
    }
}
