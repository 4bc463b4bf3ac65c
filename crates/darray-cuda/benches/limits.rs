//! What a GPU can do, for the figures of fused kernels to be a fraction of: copies within its memory,
//! Black-Scholes by hand, and what calls of the driver cost.
//!
//! ```text
//! cargo bench -p darray-cuda --bench limits -- [BYTES]      one JSON object per line and measurement
//! ```
//!
//! Each array has BYTES bytes, 800,000,000 by default. Medians over runs, by the device's own events.

#[path = "limits/launches.rs"]
mod launches;

use cudarc::driver::{
    CudaContext, CudaModule, CudaSlice, CudaStream, LaunchConfig, PushKernelArg, sys,
};
use cudarc::nvrtc::Ptx;
use darray_core::settings::Settings;
use darray_cuda::{Card, Compiler, Driver, Nvrtc, Target};
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

const TEXT: &str = include_str!("black_scholes.cu");
const RUNS: usize = 21;
const BYTES: usize = 800_000_000;
const THREADS: u32 = 256;
const BLOCKS: u32 = 132 * 16;

fn main() -> ExitCode {
    let sizes: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    match run(sizes.first().copied().unwrap_or(BYTES) / 256 * 256) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("no limits are measured: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(bytes: usize) -> Result<(), Box<dyn Error>> {
    let settings = Settings::global()?;
    let driver = Driver::load(settings.cuda_driver.as_deref())?;
    let card = Card::all(driver)?.into_iter().next().ok_or("there is no GPU")?;
    let (major, minor) = driver.version()?;
    println!(
        "{{\"card\": \"{}\", \"capability\": {}, \"cuda\": \"{major}.{minor}\"}}",
        card.name, card.capability
    );
    let compiler = Compiler::new(Nvrtc::load_for(driver, settings.nvrtc.as_deref())?, None);
    launches::launches(&compiler, card.capability)?;
    let gpu = Gpu::new(&compiler, card.capability, bytes)?;
    gpu.copies()?;
    gpu.black_scholes::<f32>("f32", 0.02, 0.3)?;
    gpu.black_scholes::<f64>("f64", 0.02, 0.3)
}

/// A GPU with five arrays.
struct Gpu {
    stream: Arc<CudaStream>,
    module: Arc<CudaModule>,
    arrays: Vec<CudaSlice<u8>>,
    bytes: usize,
}

impl Gpu {
    fn new(compiler: &Compiler, capability: u32, bytes: usize) -> Result<Gpu, Box<dyn Error>> {
        let context = CudaContext::new(0)?;
        let image = compiler.compile(TEXT, Target::Cubin(capability))?;
        let module = match context.load_module(Ptx::from_binary(image.to_vec())) {
            Ok(module) => module,
            // A stand-in for a driver takes PTX only.
            Err(_) => {
                let text = compiler.compile(TEXT, Target::Ptx(capability))?;
                let text = String::from_utf8_lossy(&text).trim_end_matches('\0').to_string();
                context.load_module(Ptx::from_src(text))?
            }
        };
        let stream = context.new_stream()?;
        let arrays = (0..5).map(|_| stream.alloc_zeros(bytes)).collect::<Result<_, _>>()?;
        Ok(Gpu { stream, module, arrays, bytes })
    }

    /// Median seconds of `work`, which is queued on the stream.
    fn time(
        &self,
        mut work: impl FnMut() -> Result<(), Box<dyn Error>>,
    ) -> Result<f64, Box<dyn Error>> {
        let flags = Some(sys::CUevent_flags::CU_EVENT_DEFAULT);
        let mut seconds = Vec::new();
        for run in 0..RUNS + 2 {
            let start = self.stream.record_event(flags)?;
            work()?;
            let end = self.stream.record_event(flags)?;
            end.synchronize()?;
            // The first runs warm up.
            if run >= 2 {
                seconds.push(start.elapsed_ms(&end)? as f64 / 1e3);
            }
        }
        seconds.sort_by(f64::total_cmp);
        Ok(seconds[RUNS / 2])
    }

    fn launch(&self) -> LaunchConfig {
        LaunchConfig { grid_dim: (BLOCKS, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 }
    }

    fn copies(&self) -> Result<(), Box<dyn Error>> {
        let (from, mut to) = (self.arrays[0].clone(), self.arrays[1].clone());
        let seconds = self.time(|| Ok(self.stream.memcpy_dtod(&from, &mut to)?))?;
        print_bytes("copy, driver", seconds, 2 * self.bytes);
        let kernel = self.module.load_function("copy")?;
        let count = (self.bytes / 16) as i64;
        let seconds = self.time(|| {
            let mut builder = self.stream.launch_builder(&kernel);
            builder.arg(&from).arg(&mut to).arg(&count);
            // SAFETY: the kernel's parameters; both arrays have so many groups of 16 bytes.
            unsafe { builder.launch(self.launch())? };
            Ok(())
        })?;
        print_bytes("copy, 16 bytes a thread", seconds, 2 * self.bytes);
        Ok(())
    }

    fn black_scholes<T: Number>(
        &self,
        dtype: &str,
        rate: f64,
        volatility: f64,
    ) -> Result<(), Box<dyn Error>> {
        let n = self.bytes / size_of::<T>();
        let column = |low: f64, high: f64, step: f64| -> Vec<T> {
            (0..n).map(|k| T::new(low + (high - low) * (k as f64 * step).fract())).collect()
        };
        let mut arrays: Vec<CudaSlice<T>> = Vec::new();
        for (low, high, step) in [(5.0, 30.0, 0.618), (1.0, 100.0, 0.414), (0.25, 10.0, 0.732)] {
            arrays.push(self.stream.clone_htod(&column(low, high, step))?);
        }
        let mut call = self.stream.alloc_zeros::<T>(n)?;
        let mut put = self.stream.alloc_zeros::<T>(n)?;
        let kernel = self.module.load_function(&format!("black_scholes_{dtype}"))?;
        let (rate, volatility, count) = (T::new(rate), T::new(volatility), n as i64);
        let seconds = self.time(|| {
            let mut builder = self.stream.launch_builder(&kernel);
            builder.arg(&arrays[0]).arg(&arrays[1]).arg(&arrays[2]).arg(&rate).arg(&volatility);
            builder.arg(&mut call).arg(&mut put).arg(&count);
            // SAFETY: the kernel's parameters; five arrays of so many elements.
            unsafe { builder.launch(self.launch())? };
            Ok(())
        })?;
        let parity = self.parity(&arrays, &call, &put, rate)?;
        assert!(parity < 1e-3, "call - put differs from s - x exp(-rt) by {parity}");
        print_bytes(&format!("black_scholes {dtype}, by hand"), seconds, 5 * self.bytes);
        Ok(())
    }

    /// By how much the first prices violate put-call parity.
    fn parity<T: Number>(
        &self,
        inputs: &[CudaSlice<T>],
        call: &CudaSlice<T>,
        put: &CudaSlice<T>,
        rate: T,
    ) -> Result<f64, Box<dyn Error>> {
        let read = |array: &CudaSlice<T>| -> Result<Vec<f64>, Box<dyn Error>> {
            let part = array.slice(0..1000.min(array.len()));
            Ok(self.stream.clone_dtoh(&part)?.into_iter().map(T::double).collect())
        };
        let [s, x, t] = [read(&inputs[0])?, read(&inputs[1])?, read(&inputs[2])?];
        let (call, put) = (read(call)?, read(put)?);
        let of = |k: usize| (call[k] - put[k]) - (s[k] - x[k] * (-rate.double() * t[k]).exp());
        Ok((0..s.len()).map(|k| of(k).abs()).fold(0.0, f64::max))
    }
}

/// A float of the device.
trait Number: cudarc::driver::DeviceRepr + cudarc::driver::ValidAsZeroBits + Copy {
    fn new(value: f64) -> Self;
    fn double(self) -> f64;
}

impl Number for f32 {
    fn new(value: f64) -> f32 {
        value as f32
    }

    fn double(self) -> f64 {
        self as f64
    }
}

impl Number for f64 {
    fn new(value: f64) -> f64 {
        value
    }

    fn double(self) -> f64 {
        self
    }
}

fn print_bytes(what: &str, seconds: f64, bytes: usize) {
    println!(
        "{{\"what\": \"{what}\", \"seconds\": {seconds:e}, \"bytes\": {bytes}, \"gigabytes_per_second\": {:.1}}}",
        bytes as f64 / seconds / 1e9
    );
}
