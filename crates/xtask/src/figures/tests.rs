use super::*;
use expect_test::expect;

/// Every program, the later the slower; JAX is not there for the last one, and has no loop for the first one.
fn records() -> Records {
    let mut lines = String::from(
        "{\"machine\": \"a machine\", \"date\": \"1 May 2026\", \"versions\": \"NumPy 2, JAX 0.1\"}\n",
    );
    for (index, program) in PROGRAMS.iter().enumerate() {
        let (name, s) = (program.name, (index + 1) as f64 / 1e3);
        let hand = if index == 0 { "1.25" } else { "null" };
        let limits = format!("{{\"of_memory\": 0.5, \"of_by_hand\": {hand}}}");
        for (mode, times) in [("fused", 1.0), ("unfused", 2.0 + index as f64)] {
            lines += &format!(
                "{{\"run\": \"modes\", \"program\": \"{name}\", \"mode\": \"{mode}\", \"iter_s\": {}, \
                 \"limits\": {limits}}}\n",
                s * times
            );
        }
        let systems = [("darray", 1.0), ("numpy", 8.0), ("jax", 0.5), ("jax_loop", 0.25)];
        for (system, times) in systems {
            if index == 0 && system == "jax_loop" || index == 10 && system.starts_with("jax") {
                continue;
            }
            for (run, first) in [("turns", 1.0), ("first", 0.003)] {
                lines += &format!(
                    "{{\"run\": \"{run}\", \"program\": \"{name}\", \"system\": \"{system}\", \
                     \"iter_s\": {}, \"times_darray\": {times}, \"first_s\": {}}}\n",
                    s * times,
                    first * times
                );
            }
        }
    }
    Records::parse(&lines).expect("the lines are JSON")
}

#[test]
fn measured_lines_become_headlines() {
    let text = tables::headlines(&records()).expect("all was measured");
    expect![[r#"
        command: `taskset -c 1 cargo run -p xtask -- figures target/release/darray-cli peers/bin/python`

        | | darray | NumPy | JAX |
        |---|---|---|---|
        | Black-Scholes, 10⁷ options | 1.00 ms | 8.00 ms, 8.0 times | 500 us, 0.50 times |
        | 5-point stencil, 4000² | 2.00 ms | 16.0 ms, 8.0 times | 500 us, 0.25 times |
        | conjugate gradients, 1000², an iteration | 3.00 ms | 24.0 ms, 8.0 times | 750 us, 0.25 times |
        | fused over unfused, 11 programs | 6.2 times (geometric mean; 2.0 to 12) | | |
        | first call of Black-Scholes | 3.00 ms | 24.0 ms | 1.50 ms |

        ![These times as bars](docs/performance.svg)

        One core of a machine, 1 May 2026; NumPy 2, JAX 0.1; f64, medians.
    "#]].assert_eq(&text);
}

#[test]
fn measured_lines_become_a_table() {
    let text = tables::programs(&records()).expect("all was measured");
    expect![[r#"
        **NumPy takes 8.0 times as long as darray** (geometric mean of 11 programs), **JAX 0.27 times** (of 10, the faster of its two
        forms), **unfused operations of darray 6.2 times**. One core of a machine, 1 May 2026; NumPy 2, JAX 0.1; f64, medians.

        command: `taskset -c 1 cargo run -p xtask -- figures target/release/darray-cli peers/bin/python`

        | program | size | darray | unfused | NumPy | JAX | JAX, one loop | of memory's bandwidth | first call | JAX's |
        |---|---|---|---|---|---|---|---|---|---|
        | `black_scholes` | 10⁷ options | 1.00 ms | 2.0 | 8.0 | 0.50 |  | 50 %; 125 % of a kernel by hand | 3.00 ms | 1.50 ms |
        | `stencil` | 4000² | 2.00 ms | 3.0 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `cg` | 1000² | 3.00 ms | 4.0 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `jacobi` | 2000² | 4.00 ms | 5.0 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `logistic_regression` | 10⁵ × 32 | 5.00 ms | 6.0 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `mandelbrot` | 1000² | 6.00 ms | 7.0 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `kmeans` | 10⁵ points | 7.00 ms | 8.0 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `nbody` | 1000 bodies | 8.00 ms | 9.0 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `stencil27` | 100³ | 9.00 ms | 10 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `heat3d` | 100³ | 10.0 ms | 11 | 8.0 | 0.50 | 0.25 | 50 % | 3.00 ms | 1.50 ms |
        | `vector_sum` | 10⁸ | 11.0 ms | 12 | 8.0 |  |  | 50 % | 3.00 ms |  |
    "#]].assert_eq(&text);
}

#[test]
fn measured_lines_become_a_picture() {
    let text = picture::picture(&records()).expect("all was measured");
    expect![[r#"
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 387" width="640" height="387" role="img">
        <style>text{font:12px sans-serif;fill:#1f2328}.title{font-weight:bold}.own{fill:#d2691e}.other{fill:#8b949e}@media(prefers-color-scheme:dark){text{fill:#e6edf3}}</style>
        <text class="title" x="0" y="18">Black-Scholes, 10⁷ options</text>
        <text x="74" y="36" text-anchor="end">darray</text><rect class="own" x="80" y="25" width="52.5" height="12"/><text x="138.5" y="36">1.00 ms</text>
        <text x="74" y="54" text-anchor="end">NumPy</text><rect class="other" x="80" y="43" width="420.0" height="12"/><text x="506.0" y="54">8.00 ms</text>
        <text x="74" y="72" text-anchor="end">JAX</text><rect class="other" x="80" y="61" width="26.2" height="12"/><text x="112.2" y="72">500 us</text>
        <text class="title" x="0" y="99">5-point stencil, 4000²</text>
        <text x="74" y="117" text-anchor="end">darray</text><rect class="own" x="80" y="106" width="52.5" height="12"/><text x="138.5" y="117">2.00 ms</text>
        <text x="74" y="135" text-anchor="end">NumPy</text><rect class="other" x="80" y="124" width="420.0" height="12"/><text x="506.0" y="135">16.0 ms</text>
        <text x="74" y="153" text-anchor="end">JAX</text><rect class="other" x="80" y="142" width="13.1" height="12"/><text x="99.1" y="153">500 us</text>
        <text class="title" x="0" y="180">conjugate gradients, 1000², an iteration</text>
        <text x="74" y="198" text-anchor="end">darray</text><rect class="own" x="80" y="187" width="52.5" height="12"/><text x="138.5" y="198">3.00 ms</text>
        <text x="74" y="216" text-anchor="end">NumPy</text><rect class="other" x="80" y="205" width="420.0" height="12"/><text x="506.0" y="216">24.0 ms</text>
        <text x="74" y="234" text-anchor="end">JAX</text><rect class="other" x="80" y="223" width="13.1" height="12"/><text x="99.1" y="234">750 us</text>
        <text class="title" x="0" y="261">fused and unfused, geometric mean of 11 programs</text>
        <text x="74" y="279" text-anchor="end">fused</text><rect class="own" x="80" y="268" width="68.3" height="12"/><text x="154.3" y="279">1</text>
        <text x="74" y="297" text-anchor="end">unfused</text><rect class="other" x="80" y="286" width="420.0" height="12"/><text x="506.0" y="297">6.2 times as long</text>
        <text class="title" x="0" y="324">first call of Black-Scholes</text>
        <text x="74" y="342" text-anchor="end">darray</text><rect class="own" x="80" y="331" width="52.5" height="12"/><text x="138.5" y="342">3.00 ms</text>
        <text x="74" y="360" text-anchor="end">NumPy</text><rect class="other" x="80" y="349" width="420.0" height="12"/><text x="506.0" y="360">24.0 ms</text>
        <text x="74" y="378" text-anchor="end">JAX</text><rect class="other" x="80" y="367" width="26.2" height="12"/><text x="112.2" y="378">1.50 ms</text>
        </svg>
    "#]].assert_eq(&text);
}

#[test]
fn a_program_without_figures_is_an_error() {
    let none = Records::parse("{}").expect("a line of JSON");
    assert_eq!(tables::programs(&none), Err("`black_scholes` was not measured".to_string()));
    assert!(tables::headlines(&none).is_err());
    assert!(Records::parse("{").is_err());
}

#[test]
fn figures_go_between_the_marks() {
    let page = format!("head\n{BEGIN}old\n{END}tail\n");
    let expected = format!("head\n{BEGIN}new\n{END}tail\n");
    assert_eq!(replaced(&page, "new\n"), Some(expected));
    assert_eq!(replaced("head\n", "new\n"), None);
}
