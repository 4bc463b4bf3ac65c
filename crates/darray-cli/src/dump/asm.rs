//! Machine code as text, with the instructions that it is for.
//!
//! ```text
//! ; r0 = mul.f64 a0 c1'
//!   01c4  vmulpd zmm1,zmm0,qword bcst [0x8]                  ; 0x3fe0000000000000 = 0.5
//! ```

use darray_cpu::{Function, Listing};
use iced_x86::{Decoder, DecoderOptions, FastFormatter, Instruction};
use std::fmt::Write;

/// The kernel, the nest and what the code was made for.
pub fn heading(listing: &Listing) -> String {
    let Listing { kernel, nest, layout, .. } = listing;
    format!("{kernel}nest {nest} for {layout:?}\n")
}

/// All functions of a nest.
pub fn write(out: &mut String, listing: &Listing) {
    if listing.functions.is_empty() {
        out.push_str("no machine code\n");
    }
    for function in &listing.functions {
        let code = function.bytes.len() - function.start;
        let constants = function.start;
        let _ = writeln!(out, "{}, {constants} bytes of constants, {code} of code", function.level);
        write_function(out, function);
    }
}

fn write_function(out: &mut String, function: &Function) {
    let code = &function.bytes[function.start..];
    let decoder = Decoder::with_ip(64, code, function.start as u64, DecoderOptions::NONE);
    let mut formatter = FastFormatter::new();
    formatter.options_mut().set_use_hex_prefix(true);
    let mut notes = function.notes.iter().peekable();
    let mut text = String::new();
    for instruction in decoder {
        while let Some((_, note)) = notes.next_if(|(at, _)| *at as u64 <= instruction.ip()) {
            let _ = writeln!(out, "; {note}");
        }
        text.clear();
        formatter.format(&instruction, &mut text);
        let place = instruction.ip();
        let _ = match constant(function, &instruction) {
            Some(bits) => {
                let number = f64::from_bits(bits);
                writeln!(out, "  {place:04x}  {text:<58} ; {bits:#018x} = {number:?}")
            }
            None => writeln!(out, "  {place:04x}  {text}"),
        };
    }
}

/// The constant that an instruction reads.
fn constant(function: &Function, instruction: &Instruction) -> Option<u64> {
    if !instruction.is_ip_rel_memory_operand() {
        return None;
    }
    let at = usize::try_from(instruction.ip_rel_memory_address()).ok()?;
    let bytes = function.bytes.get(at..at + 8).filter(|_| at < function.start)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
