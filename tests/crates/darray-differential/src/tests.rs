use super::*;
use darray_interpreter::interpret;
use darray_kernel::ir::Op;
use darray_kernel::verify::verify;

#[test]
fn every_case_runs_and_the_kinds_are_there() {
    let options = Options::default();
    let (mut lines, mut partial, mut empty) = (String::new(), 0, 0);
    let [mut fors, mut folds, mut kept_folds, mut zero_d] = [0; 4];
    for seed in 0..1600 {
        let case = random_kernel(seed, &options);
        assert_eq!(case, random_kernel(seed, &options));
        let text = case.kernel.to_string();
        verify(&case.kernel).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(Kernel::parse(&text).as_ref(), Ok(&case.kernel), "seed {seed}\n{text}");
        let mut memory = case.memory.clone();
        interpret(&case.kernel, &case.launch, &mut memory)
            .unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}{:?}", case.launch));
        let ops = &case.kernel.body.ops;
        zero_d += ops.iter().all(|op| op.body().is_none()) as u32;
        for op in ops {
            match op {
                Op::For { body } if body.ops.iter().any(|o| o.body().is_some()) => kept_folds += 1,
                Op::For { .. } => fors += 1,
                Op::Fold { .. } => folds += 1,
                _ => {}
            }
            for axis in op.body().into_iter().flat_map(|b| &b.axes) {
                let param = |p: darray_kernel::ir::Param| case.launch.params[p.0 as usize];
                partial += (param(axis.extent) < param(axis.global)) as u32;
                empty += (param(axis.extent) == 0) as u32;
            }
        }
        lines += &text;
    }
    for (count, least) in
        [(fors, 100), (folds, 100), (kept_folds, 100), (zero_d, 50), (partial, 200), (empty, 20)]
    {
        assert!(count >= least, "{count} {least}");
    }
    for operator in darray_kernel::operator::Operator::ALL {
        for signature in operator.row().signatures {
            let last = signature.inputs.last().unwrap();
            assert!(lines.contains(&format!(" {operator}.{last} ")), "{operator}.{last}");
        }
    }
    for reducer in darray_kernel::reducer::Reducer::ALL {
        assert!(lines.contains(&format!(" {reducer} %")), "{reducer}");
    }
    for word in ["random", "index", " if %", " - 1*", "*(i0-", "readwrite", "rank 4"] {
        assert!(lines.contains(word), "{word}");
    }
}

#[test]
fn differences_are_found_and_nans_are_equal() {
    let left = vec![vec![Scalar::from(f64::NAN), 1.0.into()]];
    let mut right = vec![vec![Scalar::from(-f64::NAN), 1.0.into()]];
    assert_eq!(first_difference(&left, &right), None);
    right[0][1] = 2.0.into();
    assert_eq!(first_difference(&left, &right), Some((0, 1, 1.0.into(), 2.0.into())));
    right[0][1] = 1.0f32.into();
    assert!(first_difference(&left, &right).is_some());
    assert!(!same(0.0.into(), (-0.0).into()));
}
