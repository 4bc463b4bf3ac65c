//! Names the shared library as the real driver is named, so that a later `dlopen("libcuda.so.1")`
//! finds the one that is loaded already.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
}
