//! Texts that were read before: a test loads the same kernels hundreds of times.

use crate::ptx::{Global, Program, PtxError, Source};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most bytes of the texts that are remembered; past it all are forgotten.
const CAPACITY: usize = 16 << 20;

/// What is remembered of a text.
#[derive(Clone)]
enum Known {
    /// Its program, which has no variables of device memory and is the same wherever it is loaded.
    Program(Arc<Program>),
    /// What was read, for programs with variables in other places.
    Source(Arc<Source>),
}

#[derive(Default)]
struct Texts {
    known: HashMap<Arc<str>, Known>,
    bytes: usize,
}

static TEXTS: Mutex<Option<Texts>> = Mutex::new(None);

fn texts() -> MutexGuard<'static, Option<Texts>> {
    TEXTS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program of a text, as [`Program::new`] has it. The text is read only where it is not remembered.
pub fn program(
    text: &str,
    place: impl FnMut(&Global) -> Result<u64, PtxError>,
) -> Result<Arc<Program>, PtxError> {
    let known = texts().as_ref().and_then(|texts| texts.known.get(text).cloned());
    let source = match known {
        Some(Known::Program(program)) => return Ok(program),
        Some(Known::Source(source)) => source,
        None => Arc::new(Source::new(text)?),
    };
    let program = Arc::new(source.program(place)?);
    let mut texts = texts();
    let texts = texts.get_or_insert_default();
    if text.len() <= CAPACITY && !texts.known.contains_key(text) {
        if texts.bytes + text.len() > CAPACITY {
            *texts = Texts::default();
        }
        texts.bytes += text.len();
        let known = match program.globals.is_empty() {
            true => Known::Program(program.clone()),
            false => Known::Source(source),
        };
        texts.known.insert(program.text.clone(), known);
    }
    Ok(program)
}
