//! Code that does for each row what is the same in all of it, as code that does it for its elements: of all there is to do becomes one
//! function, so that nothing is done between short rows.

use super::super::schedule::summary::LARGEST;
use super::super::schedule::tuning::CHEAP_COST;
use super::runs::is_move;
use crate::jit::can_compile;
use darray_codegen::{Code, FoldSource, Instruction, Primitive, Slot, StrideClass};
use hashbrown::HashMap;

/// The code of short rows with what it does for each row done for its elements, if that is cheap and all of it becomes one
/// function, also where it is a move `alone`. What is the same in all of a row is read where it is.
pub(in super::super) fn in_one_list(
    code: &Code,
    classes: &[StrideClass],
    alone: bool,
) -> Option<Code> {
    if code.before_row.is_empty() || !alone && code.before.iter().all(is_move) {
        return None;
    }
    let mut joining = Joining {
        code: Code { before_row: Vec::new(), before: Vec::new(), ..code.clone() },
        places: HashMap::new(),
    };
    code.before_row.iter().try_for_each(|instruction| joining.of_row(instruction, classes))?;
    code.before.iter().try_for_each(|instruction| joining.of_block(instruction))?;
    let joined = joining.code;
    let computed: Vec<Slot> = joined.before.iter().filter_map(Instruction::writes).collect();
    let can = |instruction: &Instruction| can_compile(instruction, classes, &computed);
    joined.before.iter().all(can).then_some(joined)
}

/// The body of a fold with what it does for each row done for its elements, and what items take, if all of it becomes one function.
pub(in super::super) fn fold_in_one_list(
    code: &Code,
    classes: &[StrideClass],
) -> Option<(Vec<Instruction>, Vec<FoldSource>)> {
    let mut joining = Joining {
        code: Code { before_row: Vec::new(), before: Vec::new(), ..code.clone() },
        places: HashMap::new(),
    };
    code.fold_row.iter().try_for_each(|instruction| joining.of_row(instruction, classes))?;
    code.fold.iter().try_for_each(|instruction| joining.of_block(instruction))?;
    let Joining { code: joined, places } = joining;
    let computed: Vec<Slot> = joined.before.iter().filter_map(Instruction::writes).collect();
    let can = |instruction: &Instruction| can_compile(instruction, classes, &computed);
    let source = |source: &FoldSource| match places.get(&source.value) {
        Some(&value @ Slot::Register(_)) => Some(FoldSource { value, ..*source }),
        Some(_) => None,
        None => Some(*source),
    };
    let sources = code.sources.iter().map(source).collect::<Option<_>>()?;
    let fits = joined.before_row.is_empty() && joined.before.iter().all(can);
    fits.then_some((joined.before, sources))
}

/// Code that is joined to one list.
struct Joining {
    code: Code,
    /// Where what cells and registers of the code held is now: one element of an access, or a block in a register.
    places: HashMap<Slot, Slot>,
}

impl Joining {
    /// Takes an instruction of a row.
    fn of_row(&mut self, instruction: &Instruction, classes: &[StrideClass]) -> Option<()> {
        match instruction {
            Instruction::Gather { access, out, .. }
                if classes[*access as usize] == StrideClass::Still =>
            {
                self.places.insert(*out, Slot::Access(*access));
            }
            // Cells that stay.
            Instruction::Iota { .. } => self.code.before_row.push(instruction.clone()),
            Instruction::Compute { primitive, dtype, args, out, .. } => {
                let Primitive::Apply(operator) = primitive;
                if operator.cost() > CHEAP_COST {
                    return None;
                }
                let mut instruction = Instruction::Compute {
                    primitive: *primitive,
                    dtype: *dtype,
                    args: args.clone(),
                    // Cells that stay are one element.
                    uniform: u8::MAX >> (8 - args.len()),
                    out: Slot::Register(self.code.registers),
                };
                self.code.registers += 1;
                self.code.element = LARGEST;
                self.move_operands(&mut instruction)?;
                self.places.insert(*out, Slot::Register(self.code.registers - 1));
                self.code.before.push(instruction);
            }
            _ => return None,
        }
        Some(())
    }

    /// Takes an instruction of a block.
    fn of_block(&mut self, instruction: &Instruction) -> Option<()> {
        let mut instruction = instruction.clone();
        if let Instruction::Fill { value, out, .. } = instruction
            && let Some(&place @ Slot::Register(_)) = self.places.get(&value)
        {
            // It has been filled.
            self.places.insert(out, place);
            return Some(());
        }
        self.move_operands(&mut instruction)?;
        // What was in this register is no more.
        if let Some(out) = instruction.writes() {
            self.places.remove(&out);
        }
        self.code.before.push(instruction);
        Some(())
    }

    /// Has an instruction read what has moved where it is.
    fn move_operands(&self, instruction: &mut Instruction) -> Option<()> {
        let moved = |slot: &mut Slot, uniform: bool| match self.places.get(slot) {
            None => uniform,
            Some(&place) => {
                *slot = place;
                matches!(place, Slot::Access(_))
            }
        };
        match instruction {
            Instruction::Compute { args, uniform, .. } => {
                for (k, arg) in args.iter_mut().enumerate() {
                    let one = moved(arg, *uniform >> k & 1 == 1);
                    *uniform = *uniform & !(1 << k) | u8::from(one) << k;
                }
            }
            Instruction::Scatter { value, uniform, mask, mask_uniform, .. } => {
                *uniform = moved(value, *uniform);
                if let Some(mask) = mask {
                    *mask_uniform = moved(mask, *mask_uniform);
                }
            }
            Instruction::Fill { value, .. } => {
                moved(value, true);
            }
            Instruction::Gather { .. } | Instruction::Iota { .. } => {}
            Instruction::Random { .. } | Instruction::Yield { .. } => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use crate::execute::testing::{Array, run, with_bound};
    use crate::jit::Target;
    use crate::level::Level;

    /// The kernel of a body that takes `%0` to `%9`, on every element of some rows, or every `step`th one; `b2` has an element
    /// for each row.
    fn kernel(body: &str, step: &str) -> String {
        format!(
            "kernel params=5 scalars=[] b0: f64 rank 2 read noalias b1: f64 rank 2 write noalias b2: f64 rank 1 read noalias
             {{ for (i0: extent=p0 origin=p2 global=p0 logical=0,
                     i1: extent=p1 origin=p2 global=p1 logical=1) {{
                 %0 = load b0[p2 + 1*i0, p3 + {step}*i1] {body} store b1[p2 + 1*i0, p2 + 1*i1] %9 }} }}"
        )
    }

    const ARRAYS: [Array<'_>; 3] = [
        Array { block: 0, offset: 0, strides: &[200, 1] },
        Array { block: 1, offset: 0, strides: &[150, 1] },
        // Elements of the first one.
        Array { block: 0, offset: 40, strides: &[3] },
    ];

    const NEG: &str = "%9 = neg.f64 %0";
    const SUM: &str = "%1 = load b2[p2 + 1*i0] %9 = add.f64 %0 %1";
    const REPEATED: &str = "%9 = load b2[p2 + 1*i0]";
    const CHOSEN: &str = "%1 = load b2[p2 + 1*i0] %2 = lt.f64 %1 %0 %3 = mul.f64 %1 %1
        %4 = lt.f64 %1 %3 %9 = select.f64 %4 %1 %0";
    const CHAIN: &str =
        "%1 = load b2[p2 + 1*i0] %2 = mul.f64 %0 %1 %3 = add.f64 %2 %1 %9 = sub.f64 %1 %3";
    const COMPUTED: &str = "%1 = load b2[p2 + 1*i0] %2 = mul.f64 %1 %1 %9 = sub.f64 %2 %0";
    const EXP: &str = "%9 = exp.f64 %0";
    const DEAR: &str = "%1 = load b2[p2 + 1*i0] %2 = exp.f64 %1 %9 = sub.f64 %2 %0";
    const PLACE: &str = "%1 = index i0 %2 = index i1 %3 = add.i64 %1 %1 %4 = lt.i64 %2 %3
        %5 = neg.f64 %0 %9 = select.f64 %4 %0 %5";
    const SIN: &str = "%9 = sin.f64 %0";

    /// Whether one function goes through so many rows and columns.
    fn has_function(body: &str, step: &str, [rows, columns]: [usize; 2], target: Target) -> bool {
        let params = [rows, columns, 0, 1, 2];
        with_bound(&kernel(body, step), &ARRAYS, &params, Some(target), usize::MAX, |bound| {
            bound.specialised.machine.before_alone.is_some()
        })
    }

    #[test]
    fn one_function_goes_through_many_short_rows() {
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for (body, least) in [
                (NEG, 4),
                (SUM, 4),
                (REPEATED, 4),
                (CHOSEN, 4),
                (CHAIN, 4),
                (COMPUTED, 4),
                (PLACE, 4),
                (EXP, 8),
                (SIN, 8),
                // Exponentials are not taken of all elements of a row.
                (DEAR, 1000),
            ] {
                for columns in [2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 100, 150] {
                    let name = format!("{target:?} {body} {columns}");
                    let has = has_function(body, "1", [150, columns], target);
                    assert_eq!(has, columns >= least, "{name}");
                    let (text, params) = (kernel(body, "1"), [150, columns, 0, 1, 2]);
                    let sizes = (150 * 200, 150 * 150);
                    let bits = |jit| run(&text, &ARRAYS, &params, jit, usize::MAX, sizes, |_| ()).0;
                    assert!(bits(Some(target)) == bits(None), "{name}");
                }
            }
            assert!(has_function(NEG, "1", [7, 100], target), "few rows, as all that runs");
            assert!(!has_function(NEG, "p4", [50, 50], target), "elements are gathered");
        }
    }
    /// Rows that are read backwards have the function, too; columns of them are gathered.
    #[test]
    fn one_function_goes_through_rows_that_are_read_backwards() {
        let backward = Array { block: 0, offset: 199, strides: &[200, -1] };
        let arrays = [backward, ARRAYS[1], ARRAYS[2]];
        for target in Target::ALL.into_iter().filter(|target| target.level() <= Level::detect()) {
            for body in [NEG, SUM, CHAIN, EXP, PLACE] {
                for columns in [2, 3, 4, 5, 7, 8, 9, 15, 16, 31, 100, 150] {
                    let (text, params) = (kernel(body, "1"), [150, columns, 0, 1, 2]);
                    let sizes = (150 * 200, 150 * 150);
                    let run = |jit| {
                        run(&text, &arrays, &params, jit, usize::MAX, sizes, |bound| {
                            bound.specialised.machine.before_alone.is_some()
                        })
                    };
                    let ((bits, seen), (expected, _)) = (run(Some(target)), run(None));
                    let name = format!("{target:?} {body} {columns}");
                    assert!(bits == expected, "{name}");
                    let least = if body == EXP { 8 } else { 4 };
                    assert_eq!(seen, [columns >= least], "{name}");
                }
            }
        }
    }
}
