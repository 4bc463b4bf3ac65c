//! Kernels as texts, for benches and tests.

use darray_core::RealType;
use std::fmt::Write;

/// `a * b + c`.
#[allow(dead_code, reason = "not every user has a use for it")]
pub fn multiply_add() -> String {
    String::from(
        "kernel params=2 scalars=[] b0: f64 rank 1 read noalias b1: f64 rank 1 read noalias
         b2: f64 rank 1 read noalias b3: f64 rank 1 write noalias
         { for (i0: extent=p0 origin=p1 global=p0 logical=0) {
             %0 = load b0[p1 + 1*i0] %1 = load b1[p1 + 1*i0] %2 = load b2[p1 + 1*i0]
             %3 = mul.f64 %0 %1 %4 = add.f64 %3 %2 store b3[p1 + 1*i0] %4 } }",
    )
}

/// `a * b - c`.
#[allow(dead_code, reason = "not every user has a use for it")]
pub fn multiply_subtract() -> String {
    multiply_add().replace("add.f64", "sub.f64")
}

/// Prices of European options: S, X, T in, call and put out; rate and volatility are scalars.
pub fn black_scholes(dtype: RealType) -> String {
    let mut program = Formula { text: String::new(), values: 0, dtype };
    let f = &mut program;
    let constants = [
        0.02,
        0.3,
        0.5,
        1.0,
        -0.5,
        0.3989422804,
        0.2316419,
        0.31938153,
        -0.356563782,
        1.781477937,
        -1.821255978,
        1.330274429,
        0.0,
    ];
    let [r, v, half, one, minus_half, c0, c1, a1, a2, a3, a4, a5, zero] =
        constants.map(|c| f.line(&format!("const.{dtype} {c:?}")));
    let hv = f.apply("mul", &[half, v]);
    let hvv = f.apply("mul", &[hv, v]);
    let drift = f.apply("add", &[r, hvv]);
    let minus_r = f.apply("neg", &[r]);
    f.text += "for (i0: extent=p0 origin=p1 global=p0 logical=0) {\n";
    let [s, x, t] = [0, 1, 2].map(|b| f.line(&format!("load b{b}[p1 + 1*i0]")));
    let sqrt = f.apply("sqrt", &[t]);
    let ratio = f.apply("div", &[s, x]);
    let log = f.apply("ln", &[ratio]);
    let drifted = f.apply("mul", &[drift, t]);
    let numerator = f.apply("add", &[log, drifted]);
    let spread = f.apply("mul", &[v, sqrt]);
    let d1 = f.apply("div", &[numerator, spread]);
    let d2 = f.apply("sub", &[d1, spread]);
    let mut normal = |d: u32| {
        let abs = f.apply("abs", &[d]);
        let scaled = f.apply("mul", &[c1, abs]);
        let shifted = f.apply("add", &[one, scaled]);
        let k = f.apply("div", &[one, shifted]);
        let mut p = f.apply("mul", &[k, a5]);
        for a in [a4, a3, a2, a1] {
            p = f.apply("add", &[a, p]);
            p = f.apply("mul", &[k, p]);
        }
        let e = f.apply("mul", &[minus_half, d]);
        let e = f.apply("mul", &[e, d]);
        let e = f.apply("exp", &[e]);
        let e = f.apply("mul", &[c0, e]);
        let c = f.apply("mul", &[e, p]);
        let rest = f.apply("sub", &[one, c]);
        let positive = f.apply("gt", &[d, zero]);
        let line = format!("select.{dtype} %{positive} %{rest} %{c}");
        f.line(&line)
    };
    let (n1, n2) = (normal(d1), normal(d2));
    let e = f.apply("mul", &[minus_r, t]);
    let e = f.apply("exp", &[e]);
    let xe = f.apply("mul", &[x, e]);
    let sn = f.apply("mul", &[s, n1]);
    let xn = f.apply("mul", &[xe, n2]);
    let call = f.apply("sub", &[sn, xn]);
    let m2 = f.apply("sub", &[one, n2]);
    let xm = f.apply("mul", &[xe, m2]);
    let m1 = f.apply("sub", &[one, n1]);
    let sm = f.apply("mul", &[s, m1]);
    let put = f.apply("sub", &[xm, sm]);
    let body = &f.text;
    let mut text = String::from("kernel params=2 scalars=[]");
    for (k, role) in ["read", "read", "read", "write", "write"].iter().enumerate() {
        write!(text, " b{k}: {dtype} rank 1 {role} noalias").expect("a string");
    }
    let stores = format!("store b3[p1 + 1*i0] %{call}\nstore b4[p1 + 1*i0] %{put}");
    format!("{text} {{\n{body}{stores}\n}} }}")
}

/// Lines of a kernel's text.
struct Formula {
    text: String,
    values: u32,
    dtype: RealType,
}

impl Formula {
    fn line(&mut self, operation: &str) -> u32 {
        writeln!(self.text, "%{} = {operation}", self.values).expect("a string");
        self.values += 1;
        self.values - 1
    }

    fn apply(&mut self, operator: &str, args: &[u32]) -> u32 {
        let mut line = format!("{operator}.{}", self.dtype);
        args.iter().for_each(|a| write!(line, " %{a}").expect("a string"));
        self.line(&line)
    }
}
