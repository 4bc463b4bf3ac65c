use super::{Executable, LINE, PAGE, REGION};
use std::sync::{Mutex, Weak};

/// `mov eax, number; ret`
fn function(number: u8) -> Vec<u8> {
    vec![0xb8, number, 0, 0, 0, 0xc3]
}

fn call(code: &Executable) -> u32 {
    // SAFETY: the bytes of `function`.
    unsafe {
        let function: extern "sysv64" fn() -> u32 = std::mem::transmute(code.at(0));
        function()
    }
}

/// What may be done with the mapping at an address, as the system lists it; none where there is none.
fn protection(address: *const u8) -> Option<String> {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("a list of mappings");
    maps.lines().find_map(|line| {
        let (range, rest) = line.split_once(' ')?;
        let (begin, end) = range.split_once('-')?;
        let [begin, end] = [begin, end].map(|at| usize::from_str_radix(at, 16).expect("hex"));
        (begin..end).contains(&address.addr()).then(|| rest[..3].to_string())
    })
}

#[test]
fn functions_share_a_region_that_is_never_writable() {
    let current = Mutex::new(Weak::new());
    let [first, second] = [1, 2].map(|number| Executable::beside(&current, &function(number)));
    let (first, second) = (first.expect("memory"), second.expect("memory"));
    assert_eq!(second.at(0).addr() - first.at(0).addr(), LINE);
    assert_eq!((call(&first), call(&second)), (1, 2));
    assert_eq!(first.code(), function(1));
    assert_eq!(protection(first.at(0)).as_deref(), Some("r-x"));
    let place = first.at(0);
    drop(first);
    let third = Executable::beside(&current, &function(3)).expect("memory");
    assert_eq!(third.at(0), place, "the place of what is gone is taken again");
    assert_eq!((call(&second), call(&third)), (2, 3));
}

#[test]
fn a_region_goes_with_its_last_function() {
    let current = Mutex::new(Weak::new());
    // It fills a region and more.
    let long = vec![0xc3; REGION + PAGE];
    let first = Executable::beside(&current, &long).expect("memory");
    let second = Executable::beside(&current, &function(2)).expect("memory");
    assert!(!std::sync::Arc::ptr_eq(&first.region, &second.region));
    let places = [first.at(0), second.at(0)];
    let region = std::sync::Arc::downgrade(&first.region);
    drop(first);
    assert!(region.upgrade().is_none());
    assert_eq!(call(&second), 2);
    drop(second);
    assert!(current.lock().expect("no panic").upgrade().is_none());
    // Other tests may map what they will, but no code there.
    for place in places {
        assert_ne!(protection(place).as_deref(), Some("r-x"));
    }
}
