// Running sums and products along one dimension. Long lines are cut into chunks: totals first, then
// their exclusive prefixes, then the scan of each chunk from its prefix. No block waits for
// another.
#include "kernels/element.h"

namespace gpukit {

template <class A>
GK_FN A scan_step(bool product, A a, A b) {
  return product ? multiply(a, b) : add(a, b);
}

template <class A>
GK_FN void store_widened(gk_i32 dtype, void* out, gk_i64 at, A value) {
  visit_target<Widened, A, A>(dtype, ElementStore<A>{out, at, value});
}

/// Neighbours that a thread loads and stores as one access of up to 16 bytes; what the threads of a
/// warp access together is contiguous.
template <class A>
inline constexpr int kScanRun = kElementsPerThread / kRunsOf<A>;

/// Where a run is: elements from `count` on do not exist.
struct ScanPlace {
  gk_i64 first;
  int count;
  bool aligned;
};

template <class A>
struct RunLoad {
  const void* data;
  ScanPlace place;
  A* values;
  template <class T>
  GK_TEMPLATE_FN void operator()(StorageTag<T>) const {
    typedef Pack<T, kScanRun<A>> Vector;
    const T* source = static_cast<const T*>(data) + place.first;
    if (place.aligned && place.count >= kScanRun<A>) {
      const Vector vector = *reinterpret_cast<const Vector*>(source);
      GK_UNROLL
      for (int e = 0; e < kScanRun<A>; ++e) values[e] = static_cast<A>(gk_up(vector.at[e]));
      return;
    }
    GK_UNROLL
    for (int e = 0; e < kScanRun<A>; ++e) {
      if (e < place.count) values[e] = static_cast<A>(gk_up(source[e]));
    }
  }
};

template <class A>
struct RunStore {
  void* data;
  ScanPlace place;
  const A* values;
  template <class T>
  GK_TEMPLATE_FN void operator()(StorageTag<T>) const {
    Pack<T, kScanRun<A>> vector;
    GK_UNROLL
    for (int e = 0; e < kScanRun<A>; ++e)
      vector.at[e] = gk_down<T>(convert_scalar<gk_acc_t<T>>(values[e]));
    T* target = static_cast<T*>(data) + place.first;
    if (place.aligned && place.count >= kScanRun<A>) return store_vector(target, vector);
    GK_UNROLL
    for (int e = 0; e < kScanRun<A>; ++e) {
      if (e < place.count) target[e] = vector.at[e];
    }
  }
};

/// True where a run from `first` on is one access.
GK_FN bool neighbours_aligned(const CumulativeKernelArgs& args, gk_i64 first) {
  const gk_u64 places = reinterpret_cast<gk_u64>(args.in) | reinterpret_cast<gk_u64>(args.out);
  return places % 16 == 0 && first % kElementsPerThread == 0;
}

/// Each thread has a total for each run; the runs of all threads follow each other. Makes of them
/// what all before a thread's run and `carry` come to; `carry` then includes this tile too.
template <class A, int kRuns>
GK_FN void before_runs(A (*slots)[kScanThreads / 32], bool product, A (&totals)[kRuns], A& carry) {
  constexpr int kWarps = kScanThreads / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  GK_UNROLL
  for (int run = 0; run < kRuns; ++run) {
    GK_NO_UNROLL
    for (int distance = 1; distance < 32; distance *= 2) {
      const A other = __shfl_up_sync(~0u, totals[run], distance);
      if (lane >= distance) totals[run] = scan_step(product, other, totals[run]);
    }
    if (lane == 31) slots[run][warp] = totals[run];
    totals[run] = __shfl_up_sync(~0u, totals[run], 1);
  }
  __syncthreads();
  GK_UNROLL
  for (int run = 0; run < kRuns; ++run) {
    A before = carry;
    GK_NO_UNROLL
    for (int w = 0; w < kWarps; ++w) {
      if (w == warp) before = carry;
      carry = scan_step(product, carry, slots[run][w]);
    }
    totals[run] = lane == 0 ? before : scan_step(product, before, totals[run]);
  }
  __syncthreads();
}

template <class A>
GK_FN void scan_chunk_by_thread(const CumulativeKernelArgs& args, gk_i64 line, gk_i64 chunk,
                                A carry) {
  const bool product = args.product != 0;
  const gk_i64 outer = line / args.inner;
  const gk_i64 start = outer * args.length * args.inner + (line - outer * args.inner);
  const gk_i64 begin = chunk * args.chunk_length;
  const gk_i64 limit = begin + args.chunk_length;
  const gk_i64 end = limit < args.length ? limit : args.length;
  GK_NO_UNROLL
  for (gk_i64 t = begin; t < end; ++t) {
    const gk_i64 at = start + t * args.inner;
    carry = scan_step(product, carry, load_dtype<Widened, A>(args.dtype, args.in, at));
    if (args.totals_only == 0) store_widened(args.dtype, args.out, at, carry);
  }
  if (args.totals_only != 0) static_cast<A*>(args.carry)[line * args.chunks + chunk] = carry;
}

template <class A>
GK_FN void scan_chunk_by_block(const CumulativeKernelArgs& args, A (*slots)[kScanThreads / 32],
                               gk_i64 line, gk_i64 chunk, A carry) {
  constexpr int kRun = kScanRun<A>, kRuns = kRunsOf<A>;
  const bool product = args.product != 0;
  const A neutral = static_cast<A>(product ? 1 : 0);
  const gk_i64 start = line * args.length;
  const gk_i64 limit = (chunk + 1) * args.chunk_length;
  const gk_i64 end = limit < args.length ? limit : args.length;
  GK_NO_UNROLL
  for (gk_i64 base = chunk * args.chunk_length; base < end; base += kElementTile) {
    const bool aligned = neighbours_aligned(args, start + base);
    A values[kRuns][kRun], running[kRuns];
    ScanPlace places[kRuns];
    GK_UNROLL
    for (int run = 0; run < kRuns; ++run) {
      const gk_i64 at = base + (run * kScanThreads + static_cast<gk_i64>(threadIdx.x)) * kRun;
      const gk_i64 left = end - at;
      places[run] = {start + at, left < kRun ? static_cast<int>(left) : kRun, aligned};
      GK_UNROLL
      for (int e = 0; e < kRun; ++e) values[run][e] = neutral;
      visit_source<Widened, A>(args.dtype, RunLoad<A>{args.in, places[run], values[run]});
      running[run] = values[run][0];
      GK_UNROLL
      for (int e = 1; e < kRun; ++e)
        running[run] = scan_step(product, running[run], values[run][e]);
    }
    before_runs(slots, product, running, carry);
    if (args.totals_only != 0) continue;
    GK_UNROLL
    for (int run = 0; run < kRuns; ++run) {
      GK_UNROLL
      for (int e = 0; e < kRun; ++e)
        values[run][e] = running[run] = scan_step(product, running[run], values[run][e]);
      visit_target<Widened, A, A>(args.dtype, RunStore<A>{args.out, places[run], values[run]});
    }
  }
  if (args.totals_only != 0 && threadIdx.x == 0)
    static_cast<A*>(args.carry)[line * args.chunks + chunk] = carry;
}

template <class A>
GK_FN void cumulative(const CumulativeKernelArgs& args) {
  GK_SHARED(A, slots, [kRunsOf<A>][kScanThreads / 32]);
  const gk_i64 block = static_cast<gk_i64>(blockIdx.x);
  // Neighbouring threads take neighbouring lines, and neighbouring blocks the chunks of one line.
  const gk_i64 unit = args.per_thread != 0 ? block * kScanThreads + threadIdx.x : block;
  const gk_i64 chunk = args.per_thread != 0 ? unit / args.lines : unit % args.chunks;
  const gk_i64 line = args.per_thread != 0 ? unit - chunk * args.lines : unit / args.chunks;
  if (line >= args.lines || chunk >= args.chunks) return;
  A carry = static_cast<A>(args.product != 0 ? 1 : 0);
  if (args.use_carry != 0) carry = static_cast<const A*>(args.carry)[line * args.chunks + chunk];
  if (args.per_thread != 0) {
    scan_chunk_by_thread<A>(args, line, chunk, carry);
  } else {
    scan_chunk_by_block<A>(args, slots, line, chunk, carry);
  }
}

template <class A>
GK_FN void cumulative_carry(const CumulativeCarryArgs& args) {
  GK_SHARED(A, slots, [1][kScanThreads / 32]);
  const bool product = args.product != 0;
  const A neutral = static_cast<A>(product ? 1 : 0);
  A* totals = static_cast<A*>(args.carry) + static_cast<gk_i64>(blockIdx.x) * args.chunks;
  A carry = neutral;
  GK_NO_UNROLL
  for (gk_i32 base = 0; base < args.chunks; base += kScanThreads) {
    const gk_i32 chunk = base + static_cast<gk_i32>(threadIdx.x);
    A before[1] = {chunk < args.chunks ? totals[chunk] : neutral};
    before_runs(slots, product, before, carry);
    if (chunk < args.chunks) totals[chunk] = before[0];
  }
}

#define GK_CUMULATIVE(suffix, A)                                                            \
  GK_KERNEL_BOUNDS(gk_cumulative_##suffix, kScanThreads, const CumulativeKernelArgs args) { \
    cumulative<A>(args);                                                                    \
  }
GK_FOR_WIDENED(GK_CUMULATIVE)

#define GK_CARRY(suffix, A)                                                                      \
  GK_KERNEL_BOUNDS(gk_cumulative_carry_##suffix, kScanThreads, const CumulativeCarryArgs args) { \
    cumulative_carry<A>(args);                                                                   \
  }
GK_FOR_WIDENED(GK_CARRY)

}  // namespace gpukit
