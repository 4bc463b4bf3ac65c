//! Dependences between opaque tasks hold: the numbers that they mix are those of the graph.

use darray::{Mode, Runtime};
use darray_programs::task_bench::{Graph, Topology, mixing};

#[test]
fn tasks_run_in_the_order_of_the_graph() {
    for devices in [1, 2, 3] {
        for (mode, window) in [(Mode::Fused, 1000), (Mode::Fused, 5), (Mode::Unfused, 1000)] {
            let rt = Runtime::builder().cpu_devices(devices).threads(1).mode(mode).window(window);
            let rt = rt.build().unwrap();
            rt.scope(|| {
                for topology in Topology::ALL {
                    for extent in [1, 1 << 15] {
                        let graph = Graph::new(topology, 8, 6);
                        rt.reset_stats();
                        let last = graph.launch(&mixing(), extent);
                        for (column, array) in last.iter().enumerate() {
                            let expected = graph.mixed(5, column) as i64;
                            let values = array.to_vec();
                            assert!(values.iter().all(|&v| v == expected), "{topology} {column}");
                        }
                        let stats = rt.stats();
                        assert_eq!(stats.tasks, graph.tasks() as u64);
                        assert!(stats.opaque >= stats.tasks, "every task ran");
                    }
                }
            });
        }
    }
}

#[test]
fn graphs_have_the_dependences_of_their_names() {
    let inputs = |topology, step, column| Graph::new(topology, 8, 8).inputs(step, column).to_vec();
    assert_eq!(inputs(Topology::Tree, 2, 3), [1]);
    assert_eq!(inputs(Topology::Tree, 5, 3), [3]);
    assert_eq!(inputs(Topology::Fft, 3, 1), [1, 5]);
    assert_eq!(inputs(Topology::Fft, 3, 5), [1, 5]);
    assert_eq!(inputs(Topology::Sweep, 3, 5), [4, 5]);
    assert_eq!(inputs(Topology::Stencil, 3, 0), [0, 1]);
    let random: usize = (0..8).map(|c| inputs(Topology::Random, 3, c).len()).sum();
    assert!((20..56).contains(&random), "{random}: half of 64 and the own columns");
}
