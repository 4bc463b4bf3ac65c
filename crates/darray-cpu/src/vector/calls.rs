//! What the loops for AVX2 and AVX-512 call.

use iced_x86::{Decoder, DecoderOptions, FlowControl};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};

/// In the names of what is meant to be part of a loop: as a function of its own it may have none of the loop's instructions, and takes
/// vectors from memory.
const PARTS: [&str; 9] = [
    "{closure",
    "core::array::",
    "core::bool::",
    "core::cmp::",
    "core::core_arch::",
    "core::iter::",
    "core::mem::",
    "core::ops::function::",
    "core::option::Option",
];

/// Where loops are. Those of sorting go through slices.
const PLACES: [&str; 2] = ["darray_cpu::vector::", "darray_cpu::builtin::gemm::"];

/// The instruction set of a loop, which its name ends with.
fn set(name: &str) -> Option<&'static str> {
    let is_loop = PLACES.iter().any(|place| name.starts_with(place));
    // Some compilers say for which types it is.
    let name = name.split("::<").next()?;
    ["avx2", "avx512"].into_iter().find(|set| is_loop && name.ends_with(set))
}

/// In the profile that tests have, which is optimized, but in CI not across the parts of a crate.
#[test]
fn loops_have_what_they_are_made_of_in_them() {
    let path = std::env::current_exe().expect("tests are a program");
    let bytes = std::fs::read(path).expect("it can be read");
    let program = object::File::parse(&*bytes).expect("it is one of this system");
    let text = program.section_by_name(".text").expect("it has code");
    let code = text.uncompressed_data().expect("code is not compressed");
    let functions: BTreeMap<u64, (u64, String)> = program
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text)
        .filter_map(|symbol| {
            let name = rustc_demangle::demangle(symbol.name().ok()?);
            Some((symbol.address(), (symbol.size(), format!("{name:#}"))))
        })
        .collect();
    let (mut loops, mut found) = (BTreeMap::new(), BTreeSet::new());
    for (&address, (size, name)) in &functions {
        let Some(set) = set(name) else { continue };
        *loops.entry(set).or_insert(0) += 1;
        let begin = (address - text.address()) as usize;
        let code = &code[begin..begin + *size as usize];
        let mut decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
        let called = std::iter::from_fn(|| decoder.can_decode().then(|| decoder.decode()));
        let called = called.filter(|instruction| {
            let flow = instruction.flow_control();
            matches!(flow, FlowControl::Call | FlowControl::UnconditionalBranch)
        });
        let names = called.filter_map(|call| functions.get(&call.near_branch_target()));
        // In tests a load checks its address, and is too long for large functions.
        let names = names.filter(|(_, name)| !(cfg!(debug_assertions) && name.contains("_loadu_")));
        let parts = names.filter(|(_, name)| PARTS.iter().any(|part| name.contains(part)));
        found.extend(parts.map(|(_, part)| format!("{name} calls {part}")));
    }
    // One of each loop for each kind of element.
    assert!(["avx2", "avx512"].iter().all(|set| loops[set] >= 19), "{loops:?}");
    assert!(found.is_empty(), "{found:#?}");
}
