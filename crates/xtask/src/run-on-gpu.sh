#!/usr/bin/env bash
# Tests and measures darray on this machine's GPU. Needs NVIDIA's driver and NVRTC; no Rust, no network.
#
#   bash run.sh [FOLDER]     writes FOLDER/result.json and a log per step (default: results beside this script)
#
# NVRTC: the folder in DARRAY_NVRTC, else the toolkit's, else where it is found on the disk.
# Ends with 0 if every step passed.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$here/results}
mkdir -p "$out"

if [ -z "${DARRAY_NVRTC:-}" ]; then
    found=$(ls -d /usr/local/cuda*/lib64/libnvrtc.so.1[23] 2>/dev/null | tail -n 1)
    [ -n "$found" ] || found=$(find / -xdev -name 'libnvrtc.so.1[23]' 2>/dev/null | sort | tail -n 1)
    [ -z "$found" ] || export DARRAY_NVRTC=${found%/*}
fi
# A driver that is named is the real one: tests do not take the stand-in then.
export DARRAY_CUDA_DRIVER=${DARRAY_CUDA_DRIVER:-libcuda.so.1}
export DARRAY_REQUIRE_NVRTC=1 DARRAY_KERNEL_CACHE=$out/kernels

steps=
failed=0
# step SECONDS NAME COMMAND...: runs it, at most so long; its output goes to NAME.log.
step() {
    local limit=$1 name=$2 code=0 start=$SECONDS
    shift 2
    timeout "$limit" "$@" >"$out/$name.log" 2>&1 || code=$?
    [ "$code" = 0 ] || failed=1
    printf '%-28s %s in %s s\n' "$name" "$([ "$code" = 0 ] && echo passed || echo "ended with $code")" \
        "$((SECONDS - start))"
    # Lines of JSON that it printed are its figures.
    local figures
    figures=$(grep '^{.*}$' "$out/$name.log" | paste -sd, -)
    steps+="${steps:+,
}    {\"name\": \"$name\", \"exit\": $code, \"seconds\": $((SECONDS - start)), \"figures\": [$figures]}"
}

step 60 doctor "$here/darray-cli" doctor
for test in "$here"/test-*; do
    name=${test##*/}
    step 600 "$name" "$test" --test-threads=1
done
step 600 programs "$here/darray-suite" programs cuda
step 900 random-programs "$here/darray-suite" 500 cuda

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -n 1)
if [ -n "$sanitizer" ]; then
    for tool in memcheck racecheck initcheck; do
        step 900 "sanitizer-$tool-builtins" "$sanitizer" --tool "$tool" --error-exitcode 9 \
            "$here/test-builtins" --test-threads=1
        step 900 "sanitizer-$tool-kernels" "$sanitizer" --tool "$tool" --error-exitcode 9 \
            "$here/test-kernels" --test-threads=1
    done
else
    echo "compute-sanitizer is not on this machine: not run"
fi

step 300 limits "$here/limits"
export DARRAY_DEVICES=cuda:0
for dtype in f32 f64; do
    for launch in streams graphs; do
        DARRAY_CUDA_LAUNCH=$launch step 600 "black-scholes-$dtype-$launch" \
            "$here/darray-cli" bench black_scholes --n 200000000 --dtype "$dtype" --modes fused,unfused --json
    done
done
for launch in streams graphs; do
    DARRAY_CUDA_LAUNCH=$launch step 300 "cg-$launch" \
        "$here/darray-cli" bench cg --n 316 --modes fused,unfused --json
    DARRAY_CUDA_LAUNCH=$launch step 300 "stencil-$launch" \
        "$here/darray-cli" bench stencil --n 4000 --modes fused,unfused --json
    DARRAY_CUDA_LAUNCH=$launch step 300 "task-bench-$launch" "$here/task-bench"
done

card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
{
    printf '{\n  "date": "%s",\n  "card and driver": "%s",\n  "steps": [\n' "$(date -u +%F)" "$card"
    printf '%s\n  ]\n}\n' "$steps"
} >"$out/result.json"
echo "$out/result.json"
exit "$failed"
