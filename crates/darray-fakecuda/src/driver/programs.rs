//! Texts that were read before: a test loads the same kernels hundreds of times.

use crate::ptx::{Global, Program, PtxError, Source};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most bytes of the texts that are remembered; past it all are forgotten.
const CAPACITY: usize = 16 << 20;

/// What is remembered of a text.
#[derive(Clone)]
struct Known {
    source: Arc<Source>,
    /// Its program, if it has no variables of device memory: then it is the same wherever it is loaded.
    program: Option<Arc<Program>>,
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
        Some(Known { program: Some(program), .. }) => return Ok(program),
        Some(Known { source, .. }) => source,
        None => Arc::new(Source::new(text)?),
    };
    let program = Arc::new(source.program(place)?);
    let mut texts = texts();
    let texts = texts.get_or_insert_default();
    if !texts.known.contains_key(text) {
        if texts.bytes + text.len() > CAPACITY {
            *texts = Texts::default();
        }
        texts.bytes += text.len();
        let same = program.globals.is_empty().then(|| program.clone());
        texts.known.insert(source.text().clone(), Known { source, program: same });
    }
    Ok(program)
}
