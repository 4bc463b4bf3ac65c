//! Tokens of PTX into a module.

use super::PtxError;
use super::lexer::{Kind, Token, tokens};
use super::tree::{Function, Initial, Instruction, Module, Operand, Space, Statement, Variable};
use super::types::Type;

/// The module that a text holds. Line numbers and directives for debuggers are skipped.
pub fn parse(text: &str) -> Result<Module, PtxError> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, end: text.len() };
    let mut module = Module::default();
    while parser.at < tokens.len() {
        parser.item(&mut module)?;
    }
    Ok(module)
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    end: usize,
}

impl Parser<'_> {
    fn item(&mut self, module: &mut Module) -> Result<(), PtxError> {
        let mut external = false;
        loop {
            let word = match self.next()? {
                Kind::Directive(word) => word,
                other => return Err(self.error(format!("unexpected {other:?}"))),
            };
            match word.as_str() {
                "version" | "target" | "address_size" | "file" | "section" => {
                    return self.skip_line();
                }
                "visible" | "weak" | "common" => {}
                "extern" => external = true,
                "entry" | "func" => {
                    let function = self.function(word == "entry")?;
                    module.functions.extend(function);
                    return Ok(());
                }
                _ => {
                    let Some(space) = space(&word) else {
                        return Err(self.error(format!("unknown directive .{word}")));
                    };
                    let variables = self.variables(space, external)?;
                    module.variables.extend(variables);
                    return Ok(());
                }
            }
        }
    }

    /// A function, or nothing for a declaration without body.
    fn function(&mut self, entry: bool) -> Result<Option<Function>, PtxError> {
        let results = if self.is('(') { self.parameters()? } else { Vec::new() };
        let name = self.word()?;
        let parameters = if self.is('(') { self.parameters()? } else { Vec::new() };
        let mut most_threads = None;
        loop {
            match self.next()? {
                Kind::Punctuation(';') => return Ok(None),
                Kind::Punctuation('{') => break,
                Kind::Directive(word) if word == "maxntid" || word == "reqntid" => {
                    let mut threads = 1;
                    while let Some(Kind::Integer(value)) = self.peek() {
                        threads *= *value as u32;
                        self.at += 1;
                        if !self.take(',') {
                            break;
                        }
                    }
                    most_threads = Some(threads);
                }
                Kind::Directive(_) | Kind::Integer(_) | Kind::Punctuation(',') => {}
                other => return Err(self.error(format!("unexpected {other:?}"))),
            }
        }
        let body = self.body()?;
        Ok(Some(Function { name, entry, parameters, results, most_threads, body }))
    }

    fn parameters(&mut self) -> Result<Vec<Variable>, PtxError> {
        self.expect('(')?;
        let mut found = Vec::new();
        while !self.take(')') {
            let Kind::Directive(_) = self.next()? else {
                return Err(self.error("a parameter begins with .param".to_string()));
            };
            found.push(self.variable(Space::Param, false)?);
            self.take(',');
        }
        Ok(found)
    }

    /// Variables after their space, up to the semicolon.
    fn variables(&mut self, space: Space, external: bool) -> Result<Vec<Variable>, PtxError> {
        let first = self.variable(space, external)?;
        let mut found = vec![first];
        while self.take(',') {
            let mut next = found[0].clone();
            self.declarator(&mut next)?;
            found.push(next);
        }
        self.expect(';')?;
        Ok(found)
    }

    fn variable(&mut self, space: Space, external: bool) -> Result<Variable, PtxError> {
        let (mut align, mut element) = (None, None);
        while let Some(Kind::Directive(word)) = self.peek().cloned() {
            self.at += 1;
            match word.as_str() {
                "align" => align = Some(self.integer()? as usize),
                "ptr" | "global" | "const" | "shared" | "local" => {}
                word => match Type::parse(word) {
                    Some(found) => element = Some(found),
                    None => return Err(self.error(format!("unknown type .{word}"))),
                },
            }
        }
        let element = element.ok_or_else(|| self.error("a variable has no type".to_string()))?;
        let align = align.unwrap_or(element.bytes());
        let name = String::new();
        let mut variable =
            Variable { space, name, align, element, count: Some(1), values: Vec::new() };
        self.declarator(&mut variable)?;
        if external && variable.count == Some(0) {
            variable.count = None;
        }
        Ok(variable)
    }

    /// Name, length and first values.
    fn declarator(&mut self, variable: &mut Variable) -> Result<(), PtxError> {
        variable.name = self.word()?;
        variable.count = Some(1);
        variable.values.clear();
        let mut open = false;
        while self.take('[') {
            if self.take(']') {
                open = true;
                continue;
            }
            let count = self.integer()? as usize;
            variable.count = variable.count.map(|n| n * count);
            self.expect(']')?;
        }
        if open {
            variable.count = Some(0);
        }
        if self.take('=') {
            if self.take('{') {
                while !self.take('}') {
                    let value = self.initial()?;
                    variable.values.push(value);
                    self.take(',');
                }
            } else {
                let value = self.initial()?;
                variable.values.push(value);
            }
            if open {
                variable.count = Some(variable.values.len());
            }
        }
        Ok(())
    }

    fn initial(&mut self) -> Result<Initial, PtxError> {
        if let Some(Kind::Word(word)) = self.peek().cloned() {
            self.at += 1;
            if word == "generic" {
                self.expect('(')?;
                let name = self.word()?;
                self.expect(')')?;
                return Ok(Initial::Address(name, self.offset()?));
            }
            return Ok(Initial::Address(word, self.offset()?));
        }
        match self.operand()? {
            Operand::Integer(bits) | Operand::Double(bits) => Ok(Initial::Bits(bits)),
            Operand::Float(bits) => Ok(Initial::Bits(bits as u64)),
            other => Err(self.error(format!("{other:?} is no first value"))),
        }
    }

    fn body(&mut self) -> Result<Vec<Statement>, PtxError> {
        let mut body = Vec::new();
        let mut depth = 0;
        loop {
            let token = self.tokens.get(self.at).ok_or_else(|| self.error("no }".to_string()))?;
            match &token.kind {
                Kind::Punctuation('{') => {
                    depth += 1;
                    self.at += 1;
                    body.push(Statement::Open);
                }
                Kind::Punctuation('}') => {
                    self.at += 1;
                    if depth == 0 {
                        return Ok(body);
                    }
                    depth -= 1;
                    body.push(Statement::Close);
                }
                Kind::Punctuation(';') => self.at += 1,
                Kind::Directive(word) => {
                    let word = word.clone();
                    self.at += 1;
                    self.directive(&word, &mut body)?;
                }
                Kind::Word(name)
                    if matches!(
                        self.tokens.get(self.at + 1).map(|t| &t.kind),
                        Some(Kind::Punctuation(':'))
                    ) =>
                {
                    let name = name.clone();
                    self.at += 2;
                    let statement = self.labelled(name)?;
                    body.push(statement);
                }
                _ => {
                    let instruction = self.instruction()?;
                    body.push(Statement::Instruction(instruction));
                }
            }
        }
    }

    /// A label, or the table of labels that a branch picks from.
    fn labelled(&mut self, name: String) -> Result<Statement, PtxError> {
        if self.peek() != Some(&Kind::Directive("branchtargets".to_string())) {
            return Ok(Statement::Label(name));
        }
        self.at += 1;
        let mut labels = vec![self.word()?];
        while self.take(',') {
            let label = self.word()?;
            labels.push(label);
        }
        self.expect(';')?;
        Ok(Statement::Targets(name, labels))
    }

    fn directive(&mut self, word: &str, body: &mut Vec<Statement>) -> Result<(), PtxError> {
        match word {
            "loc" | "pragma" => self.skip_line(),
            "extern" | "visible" => Ok(()),
            "reg" => {
                let Kind::Directive(name) = self.next()? else {
                    return Err(self.error("a register has no type".to_string()));
                };
                let Some(kind) = Type::parse(&name) else {
                    return Err(self.error(format!("unknown type .{name}")));
                };
                let mut names = Vec::new();
                loop {
                    let name = self.word()?;
                    let mut count = None;
                    if self.take('<') {
                        count = Some(self.integer()? as u32);
                        self.expect('>')?;
                    }
                    names.push((name, count));
                    if !self.take(',') {
                        break;
                    }
                }
                self.expect(';')?;
                body.push(Statement::Registers(kind, names));
                Ok(())
            }
            _ => {
                let Some(space) = space(word) else {
                    return Err(self.error(format!("unknown directive .{word}")));
                };
                let variables = self.variables(space, true)?;
                body.extend(variables.into_iter().map(Statement::Variable));
                Ok(())
            }
        }
    }

    fn instruction(&mut self) -> Result<Instruction, PtxError> {
        let (start, line) = (self.tokens[self.at].start, self.tokens[self.at].line);
        let mut guard = None;
        if self.take('@') {
            let negated = self.take('!');
            guard = Some((self.word()?, negated));
        }
        let word = self.word()?;
        let mut parts = word.split('.').map(str::to_string);
        let opcode = parts.next().unwrap_or_default();
        let modifiers = parts.collect();
        let mut operands = Vec::new();
        while !self.is(';') {
            let operand = self.operand()?;
            operands.push(operand);
            if !self.take(',') {
                break;
            }
        }
        let end = self.tokens.get(self.at).map_or(self.end, |token| token.start);
        self.expect(';')?;
        Ok(Instruction { guard, opcode, modifiers, operands, span: (start, end), line })
    }

    fn operand(&mut self) -> Result<Operand, PtxError> {
        let first = self.simple()?;
        if self.take('|') {
            let second = self.simple()?;
            return Ok(Operand::Pair(Box::new(first), Box::new(second)));
        }
        Ok(first)
    }

    fn simple(&mut self) -> Result<Operand, PtxError> {
        Ok(match self.next()? {
            Kind::Word(word) if word == "_" => Operand::Sink,
            Kind::Word(word) => Operand::Name(word),
            Kind::Integer(bits) => Operand::Integer(bits),
            Kind::Float(bits) => Operand::Float(bits),
            Kind::Double(bits) => Operand::Double(bits),
            Kind::Punctuation('-') => Operand::Integer(self.integer()?.wrapping_neg()),
            Kind::Punctuation('!') => Operand::Not(self.word()?),
            Kind::Punctuation('[') => {
                let base = self.simple()?;
                let offset = self.offset()?;
                self.expect(']')?;
                Operand::Address(Box::new(base), offset)
            }
            Kind::Punctuation('{') => Operand::Vector(self.operands('}')?),
            Kind::Punctuation('(') => Operand::List(self.operands(')')?),
            other => return Err(self.error(format!("{other:?} is no operand"))),
        })
    }

    fn operands(&mut self, close: char) -> Result<Vec<Operand>, PtxError> {
        let mut found = Vec::new();
        while !self.take(close) {
            let operand = self.operand()?;
            found.push(operand);
            self.take(',');
        }
        Ok(found)
    }

    /// `+8`, `-8`, `+-8` or nothing.
    fn offset(&mut self) -> Result<i64, PtxError> {
        let plus = self.take('+');
        let minus = self.take('-');
        if !plus && !minus {
            return Ok(0);
        }
        let value = self.integer()? as i64;
        Ok(if minus { value.wrapping_neg() } else { value })
    }

    fn integer(&mut self) -> Result<u64, PtxError> {
        match self.next()? {
            Kind::Integer(value) => Ok(value),
            other => Err(self.error(format!("{other:?} is no whole number"))),
        }
    }

    fn word(&mut self) -> Result<String, PtxError> {
        match self.next()? {
            Kind::Word(word) => Ok(word),
            other => Err(self.error(format!("{other:?} is no name"))),
        }
    }

    fn peek(&self) -> Option<&Kind> {
        self.tokens.get(self.at).map(|token| &token.kind)
    }

    fn next(&mut self) -> Result<Kind, PtxError> {
        let kind = self.peek().cloned();
        self.at += 1;
        kind.ok_or_else(|| self.error("the text ends early".to_string()))
    }

    fn is(&self, character: char) -> bool {
        self.peek() == Some(&Kind::Punctuation(character))
    }

    fn take(&mut self, character: char) -> bool {
        let found = self.is(character);
        self.at += found as usize;
        found
    }

    fn expect(&mut self, character: char) -> Result<(), PtxError> {
        match self.take(character) {
            true => Ok(()),
            false => {
                let found = self.peek().cloned();
                self.at += 1;
                Err(self.error(format!("expected {character}, found {found:?}")))
            }
        }
    }

    /// To the end of the line of the last token.
    fn skip_line(&mut self) -> Result<(), PtxError> {
        let line = self.tokens[self.at - 1].line;
        while self.tokens.get(self.at).is_some_and(|token| token.line == line) {
            self.at += 1;
        }
        Ok(())
    }

    fn error(&self, why: String) -> PtxError {
        let last = self.at.saturating_sub(1).min(self.tokens.len().saturating_sub(1));
        PtxError::at(self.tokens.get(last).map_or(0, |token| token.line), why)
    }
}

fn space(word: &str) -> Option<Space> {
    Some(match word {
        "global" => Space::Global,
        "const" => Space::Const,
        "shared" => Space::Shared,
        "local" => Space::Local,
        "param" => Space::Param,
        _ => return None,
    })
}
