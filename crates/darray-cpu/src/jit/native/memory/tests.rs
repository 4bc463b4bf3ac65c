use super::{Current, Executable, LINE, PAGE, REGION};
use std::io::{Read, Write, pipe};

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
    let mut current = Current::default();
    let [first, second] = [1, 2].map(|number| current.add(&function(number)).expect("memory"));
    assert_eq!(second.at(0).addr() - first.at(0).addr(), LINE);
    assert_eq!((call(&first), call(&second)), (1, 2));
    assert_eq!(first.code(), function(1));
    assert_eq!(protection(first.at(0)).as_deref(), Some("r-x"));
    drop(first);
    let third = current.add(&function(3)).expect("memory");
    assert_eq!(third.at(0).addr() - second.at(0).addr(), LINE, "no place is written twice");
    assert_eq!((call(&second), call(&third)), (2, 3));
}

#[test]
fn a_region_goes_with_its_last_function_once_another_is_filled() {
    let mut current = Current::default();
    // It fills a region and more.
    let long = vec![0xc3; REGION + PAGE];
    let first = current.add(&long).expect("memory");
    let second = current.add(&function(2)).expect("memory");
    assert!(!std::sync::Arc::ptr_eq(&first.region, &second.region));
    let places = [first.at(0), second.at(0)];
    let regions = [&first, &second].map(|code| std::sync::Arc::downgrade(&code.region));
    drop(first);
    assert!(regions[0].upgrade().is_none());
    assert_eq!(call(&second), 2);
    // It has no room beside the second function, which is the last one there.
    let third = current.add(&long).expect("memory");
    assert!(regions[1].upgrade().is_some());
    drop(second);
    assert!(regions[1].upgrade().is_none());
    drop((third, current));
    // Other tests may map what they will, but no code there.
    for place in places {
        assert_ne!(protection(place).as_deref(), Some("r-x"));
    }
}

#[test]
fn functions_that_come_and_go_share_a_region() {
    let mut current = Current::default();
    let mut places = Vec::new();
    for number in 1..4 {
        let code = current.add(&function(number)).expect("memory");
        assert_eq!(call(&code), u32::from(number));
        places.push(code.at(0).addr());
    }
    assert_eq!(places, [0, 1, 2].map(|k| places[0] + k * LINE), "no place is written twice");
}

#[test]
fn a_function_alone_has_a_mapping_that_is_no_longer_writable() {
    let alone = Executable::alone(&function(7)).expect("memory");
    assert_eq!((call(&alone), alone.code()), (7, &function(7)[..]));
    assert_eq!(protection(alone.at(0)).as_deref(), Some("r-x"));
}

#[test]
fn a_forked_process_writes_to_a_region_of_its_own() {
    let mut current = Current::default();
    let first = current.add(&function(1)).expect("memory");
    let (mut go, mut to_child) = pipe().expect("a pipe");
    // SAFETY: the child calls nothing but what follows, of which this thread alone holds what is locked.
    let child = unsafe { libc::fork() };
    if child == 0 {
        go.read_exact(&mut [0]).expect("a byte");
        let own = current.add(&function(9)).map_or(0, |own| call(&own));
        let ok = own == 9 && call(&first) == 1;
        // SAFETY: ends the child without what the test's process is to do at its end.
        unsafe { libc::_exit(i32::from(!ok)) };
    }
    // At the same place as the child's, were that in the same region.
    let second = current.add(&function(2)).expect("memory");
    to_child.write_all(&[0]).expect("a child");
    let mut status = 0;
    // SAFETY: the child's number and a place for its status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "the child found other code than its own");
    assert_eq!((call(&first), call(&second)), (1, 2));
}

/// In a process of its own, whose limits and descriptors these are.
fn in_child(test: impl FnOnce() -> bool) {
    // SAFETY: the child calls nothing but the test, of which this thread alone holds what is locked.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let ok = test();
        // SAFETY: ends the child without what the test's process is to do at its end.
        unsafe { libc::_exit(i32::from(!ok)) };
    }
    let mut status = 0;
    // SAFETY: the child's number and a place for its status.
    assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
    assert_eq!(status, 0, "what the child ended with");
}

#[test]
fn a_process_that_may_make_no_such_file_has_mappings() {
    in_child(|| {
        let limit = libc::rlimit { rlim_cur: PAGE as u64, rlim_max: PAGE as u64 };
        // SAFETY: a limit of this process.
        unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &limit) };
        let shared = Current::default().add(&function(4));
        shared.is_none() && Executable::new(&function(4)).is_some_and(|code| call(&code) == 4)
    });
}

#[test]
fn a_descriptor_that_is_another_file_now_is_left_alone() {
    in_child(|| {
        let mut current = Current::default();
        let first = current.add(&function(5)).expect("memory");
        let (file, _) = current.file.as_ref().expect("a file");
        let number = std::os::fd::AsRawFd::as_raw_fd(file);
        let path = std::env::temp_dir().join(format!("darray-{}", std::process::id()));
        let other = std::fs::File::create(&path).expect("a file");
        // SAFETY: what a program may do that closes all it did not open and opens its own.
        unsafe { libc::dup2(std::os::fd::AsRawFd::as_raw_fd(&other), number) };
        let second = current.add(&function(6)).expect("memory");
        let untouched = std::fs::metadata(&path).expect("a file").len() == 0;
        // SAFETY: asks whether it is open.
        let open = unsafe { libc::fcntl(number, libc::F_GETFD) } >= 0;
        std::fs::remove_file(&path).expect("a file");
        untouched && open && (call(&first), call(&second)) == (5, 6)
    });
}
