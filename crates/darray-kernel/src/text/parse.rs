//! Text to kernels: the form of [`print`](mod@crate::print).

mod tokens;

use crate::ir::{
    Access, AccessDim, Axis, Buffer, FoldItem, Kernel, Op, Param, Reducer, Region, Role, Step,
    Value,
};
use crate::operator::Operator;
use crate::random::BitGenerator;
use crate::tree::TreeRule;
use darray_core::{RealType, Scalar};
use std::fmt;
use tokens::Tokens;

/// Where a text is no kernel.
#[derive(Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Line of the text, from 1.
    pub line: usize,
    /// Byte in the line, from 1.
    pub column: usize,
    /// What could stand there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ParseError { line, column, expected, found } = self;
        write!(f, "line {line}, column {column}: expected {expected}, found {found}")
    }
}

impl fmt::Debug for ParseError {
    /// The text, which is what `unwrap` prints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for ParseError {}

type Parsed<T> = Result<T, ParseError>;

impl Kernel {
    /// Reads a kernel. It is not verified.
    ///
    /// ```
    /// use darray_kernel::ir::Kernel;
    /// let text = "\
    /// kernel params=0 scalars=[f64]
    ///   b0: f64 rank 0 write noalias
    /// {
    ///   %0 = scalar 0
    ///   %1 = sqrt.f64 %0
    ///   store b0[] %1
    /// }
    /// ";
    /// assert_eq!(Kernel::parse(text).unwrap().to_string(), text);
    /// ```
    pub fn parse(text: &str) -> Result<Kernel, ParseError> {
        let mut parser = Parser { tokens: Tokens::new(text), axes: 0 };
        let mut kernel = parser.header()?;
        parser.tokens.word("{")?;
        kernel.body.ops = parser.ops()?;
        parser.tokens.end()?;
        Ok(kernel)
    }
}

struct Parser<'t> {
    tokens: Tokens<'t>,
    /// Loop axes around the current operation.
    axes: usize,
}

impl Parser<'_> {
    fn header(&mut self) -> Parsed<Kernel> {
        self.tokens.word("kernel")?;
        let params = self.field("params")?;
        self.tokens.word("scalars")?;
        self.tokens.word("=")?;
        self.tokens.word("[")?;
        let mut scalars = Vec::new();
        while !self.tokens.take("]") {
            if !scalars.is_empty() {
                self.tokens.word(",")?;
            }
            scalars.push(self.dtype()?);
        }
        let by_rows = self.tokens.take("by");
        if by_rows {
            self.tokens.word("rows")?;
        }
        let mut buffers = Vec::new();
        while !self.tokens.next_is("{") {
            self.tokens.word(&format!("b{}", buffers.len()))?;
            self.tokens.word(":")?;
            let dtype = self.dtype()?;
            self.tokens.word("rank")?;
            let rank = self.tokens.integer()?;
            let role =
                self.tokens.named("a role", |w| Role::ALL.into_iter().find(|r| r.name() == w))?;
            let no_alias = self.tokens.take("noalias");
            buffers.push(Buffer { dtype, rank, role, no_alias });
        }
        Ok(Kernel { params, scalars, buffers, body: Region::default(), by_rows })
    }

    /// Operations up to the closing brace.
    fn ops(&mut self) -> Parsed<Vec<Op>> {
        let mut ops = Vec::new();
        while !self.tokens.take("}") {
            ops.push(self.op()?);
        }
        Ok(ops)
    }

    fn op(&mut self) -> Parsed<Op> {
        if self.tokens.take("store") {
            let (to, value) = (self.access()?, self.value()?);
            let mask = if self.tokens.take("if") { Some(self.value()?) } else { None };
            return Ok(Op::Store { to, value, mask });
        }
        if self.tokens.take("yield") {
            return Ok(Op::Yield { to: self.access()?, value: self.value()? });
        }
        if self.tokens.take("for") {
            return Ok(Op::For { body: self.nested(|_| Ok(()))?.0 });
        }
        if self.tokens.take("fold") {
            let (body, tree) = self.nested(Self::tree)?;
            let mut folds = vec![self.fold_item()?];
            while self.tokens.take(",") {
                folds.push(self.fold_item()?);
            }
            return Ok(Op::Fold { body, folds, tree });
        }
        let result = self.value()?;
        self.tokens.word("=")?;
        self.definition(result)
    }

    fn definition(&mut self, result: Value) -> Parsed<Op> {
        if self.tokens.take("const") {
            self.tokens.word(".")?;
            let dtype = self.dtype()?;
            let scalar = self.tokens.spaced("a constant", |word| constant(dtype, word))?;
            return Ok(Op::Const { result, scalar });
        }
        if self.tokens.take("scalar") {
            return Ok(Op::Scalar { result, index: self.tokens.integer()? });
        }
        if self.tokens.take("index") {
            return Ok(Op::Index { result, axis: self.tokens.numbered('i')? });
        }
        if self.tokens.take("load") {
            return Ok(Op::Load { result, from: self.access()? });
        }
        if self.tokens.take("random") {
            self.tokens.word(".")?;
            let generator = self.tokens.named("a generator", BitGenerator::from_name)?;
            self.tokens.word(".")?;
            let dtype = self.dtype()?;
            let key = [self.value()?, self.value()?, self.value()?, self.value()?];
            self.tokens.word("at")?;
            let counter = self.value()?;
            return Ok(Op::Random { result, generator, dtype, key, counter });
        }
        let operator = self.tokens.named("an operation", Operator::from_name)?;
        if self.tokens.take(".") {
            self.dtype()?;
        }
        let args = (0..operator.arity()).map(|_| self.value()).collect::<Parsed<_>>()?;
        Ok(Op::Apply { result, operator, args })
    }

    /// Axes, what `after` reads, and the operations in braces.
    fn nested<T>(&mut self, after: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<(Region, T)> {
        let mut axes = Vec::new();
        self.tokens.word("(")?;
        while !self.tokens.take(")") {
            if !axes.is_empty() {
                self.tokens.word(",")?;
            }
            self.tokens.word(&format!("i{}", self.axes + axes.len()))?;
            self.tokens.word(":")?;
            axes.push(Axis {
                extent: self.param_field("extent")?,
                origin: self.param_field("origin")?,
                global: self.param_field("global")?,
                logical: self.field("logical")?,
            });
        }
        let extra = after(self)?;
        self.tokens.word("{")?;
        self.axes += axes.len();
        let ops = self.ops()?;
        self.axes -= axes.len();
        Ok((Region { axes, ops }, extra))
    }

    fn tree(&mut self) -> Parsed<TreeRule> {
        Ok(TreeRule {
            lanes: self.field("lanes")?,
            width: self.field("width")?,
            rounds: self.field("rounds")?,
            alone: self.field("alone")?,
        })
    }

    fn fold_item(&mut self) -> Parsed<FoldItem> {
        let result = self.value()?;
        let index = if self.tokens.next_is("=") { None } else { Some(self.value()?) };
        self.tokens.word("=")?;
        let reducer = self.tokens.named("a reducer", Reducer::from_name)?;
        Ok(FoldItem { reducer, value: self.value()?, result, index })
    }

    fn access(&mut self) -> Parsed<Access> {
        let buffer = self.tokens.numbered('b')?;
        self.tokens.word("[")?;
        let mut dims = Vec::new();
        while !self.tokens.take("]") {
            if !dims.is_empty() {
                self.tokens.word(",")?;
            }
            dims.push(self.access_dim()?);
        }
        Ok(Access { buffer, dims })
    }

    fn access_dim(&mut self) -> Parsed<AccessDim> {
        let start = self.param()?;
        let minus = self.tokens.take("-");
        if !minus && !self.tokens.take("+") {
            return Ok(AccessDim { axis: None, start, step: Step::Zero, shift: 0 });
        }
        let step = match minus {
            true => self.tokens.word("1").map(|()| Step::MinusOne)?,
            false if self.tokens.take("0") => Step::Zero,
            false if self.tokens.take("1") => Step::One,
            false => Step::Any(self.param()?),
        };
        self.tokens.word("*")?;
        let shifted = self.tokens.take("(");
        let axis = Some(self.tokens.numbered('i')?);
        let mut shift = 0;
        if shifted {
            let negative = self.tokens.take("-");
            if !negative {
                self.tokens.word("+")?;
            }
            let size: i64 = self.tokens.integer()?;
            let signed = if negative { -size } else { size };
            shift = i32::try_from(signed).map_err(|_| self.tokens.error("a shift of 32 bits"))?;
            self.tokens.word(")")?;
        }
        Ok(AccessDim { axis, start, step, shift })
    }

    fn field<T: std::str::FromStr>(&mut self, name: &str) -> Parsed<T> {
        self.tokens.word(name)?;
        self.tokens.word("=")?;
        self.tokens.integer()
    }

    fn param_field(&mut self, name: &str) -> Parsed<Param> {
        self.tokens.word(name)?;
        self.tokens.word("=")?;
        self.param()
    }

    fn param(&mut self) -> Parsed<Param> {
        self.tokens.numbered('p').map(Param)
    }

    fn value(&mut self) -> Parsed<Value> {
        self.tokens.word("%")?;
        self.tokens.integer().map(Value)
    }

    fn dtype(&mut self) -> Parsed<RealType> {
        self.tokens.named("an element type", RealType::from_name)
    }
}

/// A constant of this type from its text.
fn constant(dtype: RealType, text: &str) -> Option<Scalar> {
    if let Some(hexadecimal) = text.strip_prefix("0x") {
        let bits = u64::from_str_radix(hexadecimal, 16).ok()?;
        return Some(Scalar::from_bits(dtype, bits));
    }
    Scalar::parse(dtype, text)
}
