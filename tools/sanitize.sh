#!/usr/bin/env bash
# The sanitizer jobs. `asan`: the tests of compiled code in sim mode, and faults planted in kernels, under ASan and
# UBSan. `tsan`: kernels (a fiber per CUDA thread), the simulated driver, the allocator, and transfers with
# streams, events, the pinned ring and waits under TSan, and planted races. `mutate`: each barrier of each kernel removed once must be found.
# `asan` needs an activated environment into which gpukit may be installed; the others only g++ and,
# for `tsan`, the headers of nvidia-cuda-runtime-cu12 (CUDA_INCLUDE, or a wheel python finds).
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${SANITIZE_JOBS:-2}
cxx=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $(uname -m) in aarch64 | arm64) fiber=fiber_aarch64.S ;; *) fiber=fiber_x86_64.S ;; esac

common="-std=c++20 -O1 -g1 -fno-omit-frame-pointer -fno-strict-aliasing -Wno-unknown-pragmas -Wno-attributes -Icsrc -Itests/cpp"
address="$common -fsanitize=address,undefined -fno-sanitize=vptr,enum -fno-sanitize-recover=undefined -DGPUKIT_ASAN=1"
thread="$common -fsanitize=thread -DGPUKIT_TSAN=1"
executor="block_executor fiber memory_fault shared_memory warp" # never instrumented by TSan itself

# object FLAGS FOLDER SOURCE: queues one compilation; `compile_all` runs the queue.
object() {
  local flags=$1 folder=$2 source=$3 language=""
  [[ $source == *.cu ]] && language="-x c++ -include sim/device_runtime.h"
  mkdir -p "$folder"
  printf '%s %s %s -c %s -o %s\n' "$cxx" "$flags" "$language" "$source" \
    "$folder/$(basename "$(dirname "$source")")_$(basename "$source").o" >>"$work/queue"
}

compile_all() {
  nice -n 10 xargs -P "$jobs" -d '\n' -I{} sh -c '{}' <"$work/queue" || return 1
  : >"$work/queue"
}

executor_objects() { # FLAGS FOLDER
  local name
  for name in $executor; do object "$1" "$2" "csrc/sim/$name.cpp"; done
  object "$1" "$2" "csrc/sim/$fiber"
}

link() { # SANITIZER FOLDER PROGRAM
  "$cxx" "-fsanitize=$1" "$2"/*.o -o "$3" -pthread -ldl
}

# finishes LABEL VERDICT PROGRAM ARGUMENT...: prints the program's last line and the verdict, or all it printed where it failed.
finishes() {
  local label=$1 verdict=$2
  shift 2
  if ! "$@" >"$work/log" 2>&1; then
    echo "$label: FAILED" && cat "$work/log"
    return 1
  fi
  echo "$label: $(tail -1 "$work/log"), $verdict"
}

# planted PROGRAM NAME...: each run must fail; prints how many did.
planted() {
  local program=$1 caught=0 name
  shift
  for name in "$@"; do
    if "$program" "$name" >"$work/log" 2>&1; then
      echo "  $name: NOT CAUGHT"
    elif grep -qE 'CAUGHT|ERROR: AddressSanitizer|runtime error|WARNING: ThreadSanitizer' "$work/log"; then
      caught=$((caught + 1))
    else
      echo "  $name failed, but not as it should:" && tail -3 "$work/log"
    fi
  done
  echo "planted faults caught: $caught of $#"
  [ "$caught" -eq $# ]
}

plant_under_address() {
  export ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0
  local name
  executor_objects "$address" "$work/planted"
  for name in kernel_registry sim_heap; do object "$address" "$work/planted" "csrc/sim/$name.cpp"; done
  object "$address" "$work/planted" tests/cpp/planted_faults.cpp
  driver_objects "$address" "$address" "$work/driver"
  compile_all
  link address,undefined "$work/driver" "$work/driver/program"
  finishes driver "no fault" "$work/driver/program"
  link address,undefined "$work/planted" "$work/planted/program"
  planted "$work/planted/program" read_beyond write_before read_freed dynamic_shared static_shared \
    misaligned uninitialised
}

# The tests that reach compiled code in ever new ways. Derivatives run the same kernels a hundred times
# over; processes that only print (doctor, monitor, bench) reach no other code than these.
native="tests/backend tests/driver tests/sim tests/unit/test_identity.py tests/unit/test_errors_table.py
  tests/unit/test_wrong_arguments.py tests/unit/test_buffers.py tests/unit/test_dlpack.py tests/unit/test_checkpoint_refusal.py tests/unit/test_nn_optim.py"
# Counts of the kernels, and their products by both engines, run what the backend's tests run, for minutes.
left_out=""
for name in autograd_formulas second_derivatives composed_gradients gpu_day monitor doctor bench plugin readme main_job \
  properties kernel_counts chain_choice nvrtc_chains products.py matmul_bits matmul_mma matmul_wide radix_counts; do
  left_out+=" --ignore-glob=*test_$name*"
done

# libstdc++ is loaded early too: the sanitizer looks for its exception functions when it starts.
under_address() { # COMMAND...
  LD_PRELOAD="$("$cxx" -print-file-name=libasan.so) $("$cxx" -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:detect_stack_use_after_return=0 \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 GPUKIT_TEST_DEVICES=two \
    "$@"
}

# Once with the cache; once with a block of its own for every tensor, so that the sanitizer sees its bounds and its end.
suite_under_address() {
  pip install ".[test]" -Cbuild-dir=build/address -Cinstall.strip=false \
    -Ccmake.define.GPUKIT_SANITIZE=address "-Ccmake.define.GPUKIT_ARCHS=75;80"
  local tests=(pytest -n "$jobs" --dist loadfile --timeout=900 -m "not memory_growth and not slow" --durations=15)
  under_address "${tests[@]}" $native $left_out
  GPUKIT_POOL=none under_address "${tests[@]}" tests/backend $left_out
}

race_objects() { # FOLDER
  executor_objects "$common -DGPUKIT_TSAN=1" "$1"
  object "$thread" "$1" csrc/sim/kernel_registry.cpp
  object "$thread" "$1" tests/cpp/kernel_race.cpp
}

families="copy cumulative loss matmul_mma matmul_thin matmul_tiled matmul_wide reduce softmax sort"

race_kernels() { # FOLDER
  local family
  race_objects "$1"
  for family in $families; do object "$thread" "$1" "csrc/kernels/$family.cu"; done
}

cuda_include() {
  [ -n "${CUDA_INCLUDE:-}" ] && echo "$CUDA_INCLUDE" && return
  python3 - <<'PYTHON'
import importlib.util
spec = importlib.util.find_spec("nvidia") and importlib.util.find_spec("nvidia.cuda_runtime")
if spec is None or not spec.submodule_search_locations:
    raise SystemExit("sanitize.sh: no CUDA headers. Use: pip install --group build, or set CUDA_INCLUDE")
print(next(iter(spec.submodule_search_locations)) + "/include")
PYTHON
}

driver_objects() { # FLAGS EXECUTOR-FLAGS FOLDER
  local source include
  include=$(cuda_include)
  executor_objects "$2" "$3"
  for source in csrc/base/*.cpp csrc/ptx/*.cpp csrc/sim/*.cpp tests/cpp/driver_threads.cpp; do
    case ${source#csrc/} in
    sim/block_executor.cpp | sim/fiber.cpp | sim/memory_fault.cpp | sim/shared_memory.cpp | sim/warp.cpp) ;;
    sim/*_exports.cpp | sim/nvml_links.cpp | sim/nvml_state.cpp) ;; # of the other libraries
    *) object "$1 -isystem $include" "$3" "$source" ;;
    esac
  done
}

memory_objects() { # FOLDER
  local source
  for source in csrc/memory/{block_table,caching_resource,free_list,limiting_resource,statistics_resource}.cpp \
    csrc/core/*.cpp csrc/base/format.cpp csrc/backend/device_runtime.cpp tests/cpp/caching_resource_test.cpp; do
    object "$thread" "$1" "$source"
  done
}

# gpukit from the transfers down, over the simulated driver as a library of its own, with two programs.
transfer_programs="transfer_threads allocation_failures"

transfer_objects() { # FOLDER
  local source flags
  flags="$thread -DGPUKIT_WITH_CUDA=1 -isystem $(cuda_include)"
  for source in csrc/{base,core,backend,driver,memory,cuda}/*.cpp \
    csrc/tensor/{captured_graph,pending_copy,staging,storage,tensor,transfer,transfer_plan,waiting}.cpp tests/cpp/host_backend.cpp; do
    object "$flags" "$1" "$source"
  done
  for source in $transfer_programs; do object "$flags" "$1/programs" "tests/cpp/$source.cpp"; done
}

link_transfers() { # DRIVER-FOLDER FOLDER
  local name
  find "$1" -name '*.o' ! -name '*driver_threads*' -print0 |
    xargs -0 "$cxx" -fsanitize=thread -shared -o "$2/libdriver.so" -pthread -ldl
  for name in $transfer_programs; do
    "$cxx" -fsanitize=thread -Wl,--no-as-needed "$2"/*.o "$2/programs/cpp_$name.cpp.o" "$2/libdriver.so" \
      -Wl,-rpath,"$2" -o "$2/$name" -pthread -ldl
  done
}

job_asan() {
  suite_under_address
  plant_under_address
}

job_tsan() {
  local name
  all_families_are_here
  race_kernels "$work/race"
  driver_objects "$thread -fPIC" "$common -fPIC -DGPUKIT_TSAN=1" "$work/driver"
  memory_objects "$work/memory"
  transfer_objects "$work/transfer"
  executor_objects "$common -DGPUKIT_TSAN=1" "$work/planted"
  for name in csrc/sim/kernel_registry.cpp csrc/sim/sim_heap.cpp tests/cpp/planted_faults.cpp; do
    object "$thread" "$work/planted" "$name"
  done
  compile_all
  for name in race driver memory planted; do link thread "$work/$name" "$work/$name/program"; done
  export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1
  finishes kernels "no race" "$work/race/program"
  finishes driver "no race" "$work/driver/program"
  finishes allocator "no race" "$work/memory/program" 20000 4
  link_transfers "$work/driver" "$work/transfer"
  # The simulated streams' threads end with the process, unjoined.
  TSAN_OPTIONS=$TSAN_OPTIONS:report_thread_leaks=0 finishes transfers "no race" \
    "$work/transfer/transfer_threads" "$work/transfer/libdriver.so" 500
  # What a failed copy leaves behind is read by nobody: only crashes and leaks count here.
  TSAN_OPTIONS=report_bugs=0 finishes "allocation failures" "no crash" \
    "$work/transfer/allocation_failures" "$work/transfer/libdriver.so"
  planted "$work/planted/program" forgotten_barrier shared_increment overwritten_early shared_by_blocks
}

# Each kernel file with a barrier has to be among the families.
all_families_are_here() {
  local file
  for file in $(grep -l '__syncthreads' csrc/kernels/*.cu); do
    [[ " $families " == *" $(basename "$file" .cu) "* ]] && continue
    echo "sanitize.sh: $file has barriers; name it in families and in tests/cpp/kernel_race.cpp"
    return 1
  done
}

# A barrier removed from a kernel file must make its family's run fail.
job_mutate() {
  local folder=$work/mutate family line survivors=0 found=0 mutant=$work/mutant.cu
  all_families_are_here
  race_kernels "$folder"
  compile_all
  link thread "$folder" "$folder/program"
  export TSAN_OPTIONS=halt_on_error=1
  "$folder/program"
  for family in $families; do
    for line in $(grep -n '__syncthreads' "csrc/kernels/$family.cu" | cut -d: -f1); do
      sed "${line}s/__syncthreads();//" "csrc/kernels/$family.cu" >"$mutant"
      nice -n 10 "$cxx" $thread -x c++ -include sim/device_runtime.h -c "$mutant" -o "$folder/kernels_$family.cu.o"
      link thread "$folder" "$folder/program"
      if timeout 120 "$folder/program" "$family" >"$work/log" 2>&1; then
        echo "  $family.cu:$line: SURVIVED"
        survivors=$((survivors + 1))
      else
        found=$((found + 1))
      fi
    done
    nice -n 10 "$cxx" $thread -x c++ -include sim/device_runtime.h -c "csrc/kernels/$family.cu" -o "$folder/kernels_$family.cu.o"
  done
  echo "barriers removed and found: $found, survivors: $survivors"
  [ "$survivors" -eq 0 ]
}

# Asked before anything is compiled, so that what is missing is not found out after minutes.
check_tools() { # JOB
  local source=$work/probe.cpp kind=address
  [ "$1" = asan ] || kind=thread
  echo 'int main() { return 0; }' >"$source"
  command -v "$cxx" >/dev/null || {
    echo "sanitize.sh: no compiler '$cxx'. Install g++, or set CXX" >&2
    exit 2
  }
  "$cxx" -fsanitize=$kind "$source" -o "$work/probe" 2>"$work/log" || {
    echo "sanitize.sh: '$cxx' has no library for -fsanitize=$kind: $(head -1 "$work/log")" >&2
    exit 2
  }
  [ "$1" = mutate ] || cuda_include >/dev/null || exit 2
  [ "$1" != asan ] || python3 -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)' || {
    echo "sanitize.sh: asan installs gpukit. Activate a virtual environment first: python3 -m venv .venv && . .venv/bin/activate" >&2
    exit 2
  }
}

case ${1:-} in
asan | tsan | mutate) check_tools "$1" && "job_$1" ;;
planted) plant_under_address ;;
*)
  echo "usage: tools/sanitize.sh asan|tsan|mutate" >&2
  exit 2
  ;;
esac
