#!/usr/bin/env bash
# Tests and measures darray on this machine's GPU. Needs NVIDIA's driver and NVRTC; no Rust, no network.
#
#   bash run.sh [FOLDER]     writes FOLDER/result.json and a log per step (default: results beside this script)
#
# NVRTC: the folder in DARRAY_NVRTC, else the toolkit's, else where it is found on the disk.
# Tests run side by side, then measurements one after the other, then the sanitizer; about seven minutes with 16 processors.
# Ends with 0 if every step passed.
set -u
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:-$folder/results}
mkdir -p "$out"
# The programs, for as long as this runs.
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
tar -xzf "$folder/programs.tar.gz" -C "$here" || exit 1

if [ -z "${DARRAY_NVRTC:-}" ]; then
    found=$(ls -d /usr/local/cuda*/lib64/libnvrtc.so.1[23] 2>/dev/null | tail -n 1)
    [ -n "$found" ] || found=$(find / -xdev -name 'libnvrtc.so.1[23]' 2>/dev/null | sort | tail -n 1)
    [ -z "$found" ] || export DARRAY_NVRTC=${found%/*}
fi
# A driver that is named is the real one: tests do not take the stand-in then.
export DARRAY_CUDA_DRIVER=${DARRAY_CUDA_DRIVER:-libcuda.so.1}
export TESTS_REQUIRE_NVRTC=1 DARRAY_KERNEL_CACHE=$out/kernels

names=()
# step SECONDS NAME COMMAND...: runs it, at most so long; its output goes to NAME.log, what came of it to NAME.json.
step() {
    local limit=$1 name=$2 code=0 start=$SECONDS
    shift 2
    timeout "$limit" "$@" >"$out/$name.log" 2>&1 || code=$?
    printf '%-28s %s in %s s\n' "$name" "$([ "$code" = 0 ] && echo passed || echo "ended with $code")" \
        "$((SECONDS - start))"
    # Lines of JSON that it printed are its figures.
    local figures
    figures=$(grep '^{.*}$' "$out/$name.log" | paste -sd, -)
    printf '    {"name": "%s", "exit": %s, "seconds": %s, "figures": [%s]}' "$name" "$code" \
        "$((SECONDS - start))" "$figures" >"$out/$name.json"
}
# beside SECONDS NAME COMMAND...: a step, while others run.
beside() {
    names+=("$2")
    step "$@" &
}
# alone SECONDS NAME COMMAND...: a step with nothing beside it.
alone() {
    names+=("$2")
    wait
    step "$@"
}

alone 60 doctor "$here/darray-cli" doctor
for module in builtins graphs indexing kernels libdevice transfers; do
    beside 600 "test-$module" "$here/devices" "$module::" --test-threads=1
done
# The others of this module read the source.
beside 600 copies "$here/devices" --exact twins::copies_equal_the_cpus_and_are_transposed_where_it_pays
beside 600 test-rows "$here/integration" rows:: --test-threads=1
beside 600 test-gpu "$here/gpu" --test-threads=1
# NumPy's cases by their files.
for group in $("$here/cases" cuda:: --list | sed -n 's/: test$//p'); do
    beside 600 "cases-${group##*::}" "$here/cases" --exact "$group" --nocapture
done
beside 600 programs "$here/darray-suite" programs cuda
# Each process compiles its own programs' kernels.
for part in 0 1 2 3; do
    beside 600 "random-programs-$part" "$here/darray-suite" 75 "$((part * 1000))" cuda
done
wait

alone 300 limits "$here/limits"
export DARRAY_DEVICES=cuda:0
# bench NAME PROGRAM OPTION...
bench() {
    local name=$1
    shift
    alone 120 "$name" "$here/darray-cli" bench "$@" --json
}
for dtype in f32 f64; do
    bench "black-scholes-$dtype" black_scholes --n 200000000 --dtype "$dtype" --modes fused,unfused
    bench "black-scholes-$dtype-queued" black_scholes --n 200000000 --dtype "$dtype" --modes fused --batch 10
    bench "sum-$dtype-queued" vector_sum --n 1000000000 --dtype "$dtype" --modes fused --batch 10
done
bench dot-queued vector_dot --n 200000000 --modes fused --batch 10
# In turns: the processor, which launches, varies from one second to the next.
for round in 1 2 3 4 5; do
    for launch in streams graphs; do
        export DARRAY_CUDA_LAUNCH=$launch
        bench "cg-$launch-$round" cg --n 316 --modes fused
    done
done
for launch in streams graphs; do
    export DARRAY_CUDA_LAUNCH=$launch
    bench "cg-$launch-unfused" cg --n 316 --modes unfused
    bench "stencil-$launch" stencil --n 4000 --modes fused,unfused
    bench "logistic-regression-$launch" logistic_regression --modes fused,unfused
    alone 300 "task-bench-$launch" "$here/task-bench"
done
# With CuPy beside it where a Python has that.
python=
for found in "${PYTHON:-python3}" /usr/bin/python3; do
    [ -n "$python" ] || ! "$found" -c 'import cupy' 2>/dev/null || python=$found
done
alone 300 functions "$here/functions" --cuda --json --side 4000 ${python:+--python "$python"}

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -n 1)
if [ -n "$sanitizer" ]; then
    for tool in memcheck racecheck initcheck synccheck; do
        for module in builtins indexing kernels; do
            beside 600 "sanitizer-$tool-$module" "$sanitizer" --tool "$tool" --error-exitcode 9 \
                "$here/devices" "$module::" --test-threads=1
        done
    done
    beside 600 sanitizer-memcheck-random-programs "$sanitizer" --tool memcheck --error-exitcode 9 \
        "$here/darray-suite" 10 5000 cuda
else
    echo "compute-sanitizer is not on this machine: not run"
fi

wait

card=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
failed=0
{
    printf '{\n  "date": "%s",\n  "card and driver": "%s",\n  "steps": [\n' "$(date -u +%F)" "$card"
    separator=
    for name in "${names[@]}"; do
        printf '%b' "$separator"
        cat "$out/$name.json"
        grep -q '"exit": 0,' "$out/$name.json" || failed=1
        separator=',\n'
    done
    printf '\n  ]\n}\n'
} >"$out/result.json"
echo "$out/result.json"
exit "$failed"
