//! Instruction sets of CPU devices.

use darray_core::settings::{CpuJit, CpuLevel};
use darray_cpu::Level;

/// The level of CPU devices.
pub(super) fn level(level: CpuLevel) -> Level {
    match level {
        CpuLevel::Baseline => Level::Baseline,
        CpuLevel::Avx2 => Level::Avx2,
        CpuLevel::Avx512 => Level::Avx512,
    }
}

/// The best machine code of devices held to `highest` on a machine of level `machine`; none: no machine code.
///
/// Errors: an instruction set that is named, and that the machine or `highest` lacks.
pub(super) fn machine_code(
    jit: CpuJit,
    highest: Option<CpuLevel>,
    machine: Level,
) -> Result<Option<Level>, String> {
    let named = match jit {
        CpuJit::Auto => return Ok(Some(machine)),
        CpuJit::Off => return Ok(None),
        CpuJit::Avx2 => Level::Avx2,
        CpuJit::Avx512 => Level::Avx512,
    };
    if named > machine {
        return Err(format!("machine code for {named} on a machine that has {machine} at most"));
    }
    match highest.map(level) {
        Some(highest) if named > highest => {
            Err(format!("machine code for {named} on CPU devices of level {highest}"))
        }
        _ => Ok(Some(named)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_that_is_not_there_is_an_error() {
        let none = None;
        assert_eq!(machine_code(CpuJit::Auto, none, Level::Avx2), Ok(Some(Level::Avx2)));
        assert_eq!(machine_code(CpuJit::Off, none, Level::Avx512), Ok(None));
        assert_eq!(machine_code(CpuJit::Avx2, none, Level::Avx512), Ok(Some(Level::Avx2)));
        assert_eq!(
            machine_code(CpuJit::Avx512, none, Level::Avx2),
            Err("machine code for avx512 on a machine that has avx2 at most".to_string())
        );
        assert_eq!(
            machine_code(CpuJit::Avx512, Some(CpuLevel::Avx2), Level::Avx512),
            Err("machine code for avx512 on CPU devices of level avx2".to_string())
        );
    }
}
