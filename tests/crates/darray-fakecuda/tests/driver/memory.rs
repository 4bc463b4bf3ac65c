//! Memory: limits, pools, faults of kernels, variables of modules, rectangles.

use super::gpu::{Gpu, TEXT, code, download, number, turn, upload};
use cudarc::driver::{CudaContext, result, sys};
use cudarc::nvrtc::Ptx;
use std::ffi::CString;

#[test]
fn a_device_has_only_so_much_memory() {
    let turn = turn("devices=2 memory=1000000");
    let gpu = Gpu::new(0).unwrap();
    let (free, total) = gpu.context.mem_get_info().unwrap();
    assert_eq!(total, 1_000_000);
    // The module's variable takes its bytes, too.
    assert_eq!(total - free, 4);
    let first = gpu.allocate(600_000).unwrap();
    assert_eq!(number(gpu.allocate(600_000)), 2);
    let other = Gpu::new(1).unwrap();
    other.allocate(600_000).unwrap();
    gpu.free(first).unwrap();
    assert_eq!(number(gpu.allocate(600_000)), 0);
    assert_eq!(turn.fake.count("allocated:0"), 600_004);
    drop(gpu);
    assert_eq!(turn.fake.count("allocated:0"), 0, "the last holder of a context frees its memory");
}

fn attribute(pool: sys::CUmemoryPool, which: sys::CUmemPool_attribute) -> u64 {
    let mut value = 0u64;
    // SAFETY: the attributes that are asked for have 64 bits.
    let got =
        unsafe { sys::cuMemPoolGetAttribute(pool, which, std::ptr::from_mut(&mut value).cast()) };
    assert_eq!(code(got), 0);
    value
}

#[test]
fn pools_keep_what_is_below_their_threshold() {
    use sys::CUmemPool_attribute_enum as Which;
    let turn = turn("devices=1 sched=random:1 memory=10000");
    let context = CudaContext::new(0).unwrap();
    let stream = context.new_stream().unwrap();
    // SAFETY: handles are used while they live, memory is not used at all.
    unsafe {
        let pool = result::device::get_default_mem_pool(context.cu_device()).unwrap();
        let state = || {
            let used = attribute(pool, Which::CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
            (used, attribute(pool, Which::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT))
        };
        let allocate = |bytes| result::malloc_async(stream.cu_stream(), bytes);
        let (a, b) = (allocate(4000).unwrap(), allocate(3000).unwrap());
        assert_eq!(state(), (7000, 7000));
        assert_eq!(number(allocate(4000)), 2);
        result::free_async(a, stream.cu_stream()).unwrap();
        // Freed in the same stream, so it can be used again behind that.
        let c = allocate(4000).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(state(), (7000, 7000));
        result::free_async(b, stream.cu_stream()).unwrap();
        result::free_async(c, stream.cu_stream()).unwrap();
        let mut keep = 5000u64;
        let threshold = Which::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let set = sys::cuMemPoolSetAttribute(pool, threshold, std::ptr::from_mut(&mut keep).cast());
        assert_eq!(code(set), 0);
        stream.synchronize().unwrap();
        assert_eq!(state(), (0, 5000));
        assert_eq!(context.mem_get_info().unwrap().0, 5000);
        assert_eq!(code(sys::cuMemPoolTrimTo(pool, 1000)), 0);
        assert_eq!(state(), (0, 1000));
        // Cached memory makes room for other allocations.
        let plain = result::malloc_sync(9500).unwrap();
        assert_eq!(state(), (0, 0));
        result::free_sync(plain).unwrap();
        assert_eq!(attribute(pool, Which::CU_MEMPOOL_ATTR_USED_MEM_HIGH), 11000);
    }
    assert_eq!(turn.fake.count("allocations"), 4);
}

#[test]
fn a_kernel_that_goes_wrong_is_named_and_spoils_its_device_alone() {
    for schedule in ["eager", "random:2"] {
        let turn = turn(&format!("devices=2 sched={schedule}"));
        let (gpu, other) = (Gpu::new(0).unwrap(), Gpu::new(1).unwrap());
        let stream = gpu.stream();
        let x = gpu.allocate(400).unwrap();
        let launched = gpu.affine(&stream, [x, x], [1.0, 0.0], 101);
        assert_eq!(number(launched.and_then(|()| stream.synchronize())), 700);
        let error = turn.fake.error();
        for part in ["kernel affine: out of bounds", "ld.global.f32", "thread [100, 0, 0]"] {
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(number(gpu.allocate(4)), 700, "the error stays");
        let y = other.allocate(4).unwrap();
        upload(y, &[2.0]);
        assert_eq!(download(y, 1).unwrap(), [2.0], "the other device goes on");
        drop((stream, gpu));
        let gpu = Gpu::new(0).unwrap();
        let x = gpu.allocate(4).unwrap();
        upload(x, &[3.0]);
        assert_eq!(download(x, 1).unwrap(), [3.0], "a new context is sound");
    }
}

#[test]
fn freed_memory_is_known() {
    let turn = turn("devices=1");
    let gpu = Gpu::new(0).unwrap();
    let [x, y] = [0; 2].map(|_| gpu.allocate(400).unwrap());
    gpu.free(x).unwrap();
    assert_eq!(number(gpu.free(x)), 1);
    // An address that no allocation begins at cannot be freed either.
    assert_eq!(number(gpu.free(y + 4)), 1);
    let stream = gpu.stream();
    assert_eq!(number(gpu.affine(&stream, [y, x], [1.0, 0.0], 10)), 700);
    assert!(turn.fake.error().contains("use after free"), "{}", turn.fake.error());
}

#[test]
fn variables_of_modules_and_shared_memory_of_launches() {
    let _turn = turn("devices=1");
    let context = CudaContext::new(0).unwrap();
    let stream = context.new_stream().unwrap();
    // SAFETY: handles live, arguments are those of the kernel.
    unsafe {
        let text = CString::new(TEXT).unwrap();
        let module = result::module::load_data(text.as_ptr().cast()).unwrap();
        let name = CString::new("offset").unwrap();
        let (address, bytes) = result::module::get_global(module, name).unwrap();
        assert_eq!(bytes, 4);
        result::memcpy_htod_sync(address, &[40i32]).unwrap();
        let shifted =
            result::module::get_function(module, CString::new("shifted").unwrap()).unwrap();
        let (out, count) = (result::malloc_sync(4 * 64).unwrap(), 64i32);
        let launch = |shared: u32| {
            let mut arguments = [super::gpu::pointer(&out), super::gpu::pointer(&count)];
            result::launch_kernel(
                shifted,
                (1, 1, 1),
                (64, 1, 1),
                shared,
                stream.cu_stream(),
                &mut arguments,
            )
        };
        assert_eq!(number(launch(49 << 10)), 1, "more than a block has");
        let dynamic = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        result::function::set_function_attribute(shifted, dynamic, 64 << 10).unwrap();
        launch(49 << 10).unwrap();
        launch(256).unwrap();
        stream.synchronize().unwrap();
        let mut found = [0i32; 64];
        result::memcpy_dtoh_sync(&mut found, out).unwrap();
        assert_eq!(found, std::array::from_fn(|i| i as i32 + 40));
        assert_eq!(number(launch(252).and_then(|()| stream.synchronize())), 700);
        result::module::unload(module).ok();
    }
}

#[test]
fn a_text_that_is_loaded_again_has_variables_of_its_own() {
    let turn = turn("devices=2");
    let contexts = [0, 1].map(|device| CudaContext::new(device).unwrap());
    let (text, name) = (CString::new(TEXT).unwrap(), CString::new("offset").unwrap());
    let shifted = CString::new("shifted").unwrap();
    // SAFETY: handles live, arguments are those of the kernel.
    unsafe {
        let mut modules = Vec::new();
        for (context, value) in [(0, 40), (0, 50), (1, 60), (0, 3)] {
            contexts[context].bind_to_thread().unwrap();
            let module = result::module::load_data(text.as_ptr().cast()).unwrap();
            let (address, _) = result::module::get_global(module, name.clone()).unwrap();
            let mut first = [0i32];
            result::memcpy_dtoh_sync(&mut first, address).unwrap();
            assert_eq!(first, [3], "the first value is the text's");
            result::memcpy_htod_sync(address, &[value]).unwrap();
            modules.push((context, module, value));
        }
        for (context, module, value) in modules {
            contexts[context].bind_to_thread().unwrap();
            let stream = contexts[context].new_stream().unwrap();
            let kernel = result::module::get_function(module, shifted.clone()).unwrap();
            let (out, count) = (result::malloc_sync(4 * 64).unwrap(), 64i32);
            let mut arguments = [super::gpu::pointer(&out), super::gpu::pointer(&count)];
            let (one, threads) = ((1, 1, 1), (64, 1, 1));
            result::launch_kernel(kernel, one, threads, 256, stream.cu_stream(), &mut arguments)
                .unwrap();
            stream.synchronize().unwrap();
            let mut found = [0i32; 64];
            result::memcpy_dtoh_sync(&mut found, out).unwrap();
            assert_eq!(found, std::array::from_fn(|i| i as i32 + value));
            result::module::unload(module).unwrap();
        }
    }
    assert_eq!(turn.fake.count("modules"), 0);
}

#[test]
fn a_library_is_loaded_on_every_device_that_uses_it() {
    let turn = turn("devices=2");
    let contexts = [0, 1].map(|device| CudaContext::new(device).unwrap());
    let (text, name) = (CString::new(TEXT).unwrap(), CString::new("affine").unwrap());
    // SAFETY: handles live, arguments are those of the kernel.
    unsafe {
        let (mut library, mut kernel) = (std::mem::zeroed(), std::mem::zeroed());
        let image = text.as_ptr().cast();
        let null = std::ptr::null_mut();
        let (values, more) = (std::ptr::null_mut(), std::ptr::null_mut());
        let loaded = sys::cuLibraryLoadData(
            &mut library,
            image,
            null,
            values,
            0,
            std::ptr::null_mut(),
            more,
            0,
        );
        assert_eq!(code(loaded), 0);
        assert_eq!(code(sys::cuLibraryGetKernel(&mut kernel, library, name.as_ptr())), 0);
        for context in &contexts {
            context.bind_to_thread().unwrap();
            let stream = context.new_stream().unwrap();
            let x = result::malloc_sync(40).unwrap();
            upload(x, &[4.0; 10]);
            let (a, b, count) = (3f32, 1f32, 10i32);
            let mut arguments = [
                super::gpu::pointer(&x),
                super::gpu::pointer(&x),
                super::gpu::pointer(&a),
                super::gpu::pointer(&b),
                super::gpu::pointer(&count),
            ];
            let launched = result::launch_kernel(
                kernel.cast(),
                (1, 1, 1),
                (32, 1, 1),
                0,
                stream.cu_stream(),
                &mut arguments,
            );
            launched.unwrap();
            stream.synchronize().unwrap();
            assert_eq!(download(x, 10).unwrap(), [13.0; 10]);
        }
        assert_eq!(turn.fake.count("modules"), 2);
        assert_eq!(code(sys::cuLibraryUnload(library)), 0);
        assert_eq!(turn.fake.count("modules"), 0);
    }
}

#[test]
fn texts_that_are_no_ptx_are_refused() {
    let turn = turn("devices=1");
    let context = CudaContext::new(0).unwrap();
    let load = |text: &str| number(context.load_module(Ptx::from_src(text)));
    for _ in 0..2 {
        assert_eq!(load(".version 9.0\n.visible .entry k() {\n  wgmma.fence;\n}"), 218);
        assert_eq!(
            turn.fake.error(),
            "module: line 3: `wgmma.fence`: this instruction is not supported"
        );
    }
    assert_eq!(load("\u{7f}ELF and so on"), 209, "code for processors has no place here");
    let module = context.load_module(Ptx::from_src(TEXT)).unwrap();
    assert_eq!(number(module.load_function("nobody")), 500);
}

#[test]
fn rectangles_are_copied_and_filled() {
    let turn = turn("devices=1 sched=random:3");
    let context = CudaContext::new(0).unwrap();
    let stream = context.new_stream().unwrap();
    let host: Vec<u8> = (0..48).collect();
    // SAFETY: the memory has the bytes that are said.
    unsafe {
        let x = result::malloc_sync(64).unwrap();
        assert_eq!(code(sys::cuMemsetD2D8Async(x, 16, 7, 10, 4, stream.cu_stream())), 0);
        let what = sys::CUDA_MEMCPY2D {
            srcXInBytes: 2,
            srcY: 1,
            srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
            srcHost: host.as_ptr().cast(),
            srcDevice: 0,
            srcArray: std::ptr::null_mut(),
            srcPitch: 12,
            dstXInBytes: 1,
            dstY: 0,
            dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
            dstHost: std::ptr::null_mut(),
            dstDevice: x,
            dstArray: std::ptr::null_mut(),
            dstPitch: 16,
            WidthInBytes: 5,
            Height: 3,
        };
        assert_eq!(code(sys::cuMemcpy2DAsync_v2(&what, stream.cu_stream())), 0);
        stream.synchronize().unwrap();
        let mut found = [0u8; 64];
        result::memcpy_dtoh_sync(&mut found, x).unwrap();
        for row in 0..4 {
            for column in 0..10 {
                let inside = row < 3 && (1..6).contains(&column);
                let expected = if inside { 12 * (row + 1) + 2 + column - 1 } else { 7 };
                assert_eq!(usize::from(found[16 * row + column]), expected);
            }
            assert_eq!(found[16 * row + 10], 0xcd, "bytes between the rows are as they were");
        }
    }
    assert_eq!(turn.fake.count("bytes_to_device"), 15);
    assert_eq!(turn.fake.count("bytes_set"), 40);
}
