//! Any call may fail: the program gets the error, everything is given back, the next program runs.

use super::gpu::turn;
use super::vectors::{expected, sum_of_vectors};

#[test]
fn each_call_of_a_program_fails_in_turn() {
    let turn = turn("devices=1");
    for schedule in ["eager", "random:1"] {
        let settings = format!("quiet=on devices=1 sched={schedule}");
        let mut failed = 0;
        for call in 1.. {
            turn.fake.configure(&format!("{settings} fail={call}:2")).unwrap();
            let result = sum_of_vectors();
            let error = turn.fake.error();
            match result {
                Err(error) => assert_eq!(error.0 as u32, 2, "call {call}"),
                // A failure to give something back comes too late for the program to see it.
                Ok(sum) => assert_eq!(sum, expected(), "call {call}"),
            }
            if error.is_empty() {
                break;
            }
            failed += 1;
            assert!(error.starts_with(&format!("call {call}, cu")), "{error}");
            for held in ["allocated:0", "streams", "events", "queued"] {
                assert_eq!(turn.fake.count(held), 0, "{held} after call {call}: {error}");
            }
            turn.fake.set("fail=0").unwrap();
            assert_eq!(sum_of_vectors().unwrap(), expected());
        }
        assert!(failed > 30, "the program has {failed} calls");
    }
}

#[test]
fn settings_that_are_unknown_are_refused() {
    let turn = turn("devices=1");
    let error = turn.fake.configure("devices=1 colour=red").unwrap_err();
    assert_eq!(error.to_string(), "fake driver: colour is no setting");
    let error = turn.fake.set("sched=backwards").unwrap_err();
    assert_eq!(error.to_string(), "fake driver: backwards is neither eager nor random:SEED");
}
