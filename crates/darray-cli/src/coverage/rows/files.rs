//! Files, texts, random numbers.

rows! {
    with x v n;

    "np.array_str", v.to_string() => "np.array_str(v)";
    "np.array2string", v.to_string() => "np.array2string(v)";
    "np.save", { let path = file("a.npy"); np::save(&path, &x).unwrap(); DArray::<f64>::load(path).unwrap() } => "[f := io.BytesIO(), np.save(f, x), f.seek(0), np.load(f)][3]";
    "np.load", { let path = file("b.npy"); np::save(&path, &v).unwrap(); DArray::<f64>::load(path).unwrap() } => "[f := io.BytesIO(), np.save(f, v), f.seek(0), np.load(f)][3]";
    "np.savez", { let path = file("c.npz"); np::savez(&path, &[("x", x.as_dyn())]).unwrap(); np::load_npz(path).unwrap().get_as::<f64>("x").unwrap() } => "[f := io.BytesIO(), np.savez(f, x=x), f.seek(0), np.load(f)['x']][3]";
    "np.savez_compressed", { let path = file("d.npz"); np::savez_compressed(&path, &[("x", x.as_dyn())]).unwrap(); np::load_npz(path).unwrap().get_as::<f64>("x").unwrap() } => "[f := io.BytesIO(), np.savez_compressed(f, x=x), f.seek(0), np.load(f)['x']][3]";
    "np.random.default_rng", default_rng(42).random(3) => "np.random.default_rng(42).random(3)";
    "np.random.Generator", np::random::Generator::pcg64(42).random(3) => "np.random.Generator(np.random.PCG64(42)).random(3)";
    "np.random.PCG64", np::random::Generator::pcg64(42).random(3) => "np.random.Generator(np.random.PCG64(42)).random(3)";
    "np.random.Philox", np::random::Generator::philox(42).random(3) => "np.random.Generator(np.random.Philox(42)).random(3)";
    "np.random.random", default_rng(1).random(3) => "np.random.default_rng(1).random(3)";
    "np.random.uniform", default_rng(1).uniform(-1.0, 2.0, 3) => "np.random.default_rng(1).uniform(-1, 2, 3)";
    "np.random.normal", default_rng(1).normal(5.0, 2.0, (2, 3)).shape() => "np.random.normal(5, 2, (2, 3)).shape";
    "np.random.standard_normal", default_rng(1).standard_normal((2, 3)).shape() => "np.random.standard_normal((2, 3)).shape";
    "np.random.exponential", default_rng(1).exponential(2.0, 4).shape() => "np.random.exponential(2, 4).shape";
    "np.random.standard_exponential", default_rng(1).standard_exponential(4).shape() => "np.random.standard_exponential(4).shape";
    "np.loadtxt", { let path = file("e.txt"); std::fs::write(&path, "1 2\n3 4\n").unwrap(); np::loadtxt::<f64>(path).unwrap() } => "np.loadtxt(io.StringIO('1 2\\n3 4\\n'))";
    "np.savetxt", { let path = file("f.txt"); np::savetxt(&path, &v).unwrap(); std::fs::read_to_string(path).unwrap() } => "[f := io.StringIO(), np.savetxt(f, v), f.getvalue()][2]";
    "np.random.choice", default_rng(1).choice(5, (2, 3)).shape() => "np.random.choice(5, (2, 3)).shape";
    "np.random.permutation", default_rng(1).permutation(&n).sort(0) => "np.sort(np.random.permutation(n))";
    "np.random.shuffle", { let c = n.copy(); default_rng(1).shuffle(&c); c.sort(0) } => "[c := n.copy(), np.random.shuffle(c), np.sort(c)][2]";
}
