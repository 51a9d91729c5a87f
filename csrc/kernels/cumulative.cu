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

/// Four neighbours as one store of up to 16 bytes.
template <class A>
struct NeighbourStore {
  void* data;
  gk_i64 first;
  const A* values;
  template <class T>
  GK_TEMPLATE_FN void operator()(StorageTag<T>) const {
    store_packed<T, A, 1>(data, first, values);
  }
};

/// True where four neighbours of each thread, from `first` on, are one access.
GK_FN bool neighbours_aligned(const CumulativeKernelArgs& args, gk_i64 first) {
  const gk_u64 places = reinterpret_cast<gk_u64>(args.in) | reinterpret_cast<gk_u64>(args.out);
  return places % 16 == 0 && first % kElementsPerThread == 0;
}

/// What all earlier threads of the block and `carry` come to; `carry` then includes this tile too.
template <class A>
GK_FN A before_thread(A* slots, bool product, A own_total, A& carry) {
  const int thread = static_cast<int>(threadIdx.x);
  slots[thread] = own_total;
  __syncthreads();
  A inclusive = own_total;
  GK_NO_UNROLL
  for (int distance = 1; distance < kScanThreads; distance *= 2) {
    const A other = thread >= distance ? slots[thread - distance] : own_total;
    __syncthreads();
    if (thread >= distance) inclusive = scan_step(product, other, inclusive);
    slots[thread] = inclusive;
    __syncthreads();
  }
  const A before = thread == 0 ? carry : scan_step(product, carry, slots[thread - 1]);
  carry = scan_step(product, carry, slots[kScanThreads - 1]);
  __syncthreads();
  return before;
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
GK_FN void scan_chunk_by_block(const CumulativeKernelArgs& args, A* slots, gk_i64 line,
                               gk_i64 chunk, A carry) {
  const bool product = args.product != 0;
  const A neutral = static_cast<A>(product ? 1 : 0);
  const gk_i64 start = line * args.length;
  const gk_i64 limit = (chunk + 1) * args.chunk_length;
  const gk_i64 end = limit < args.length ? limit : args.length;
  GK_NO_UNROLL
  for (gk_i64 base = chunk * args.chunk_length; base < end; base += kElementTile) {
    const gk_i64 first = base + static_cast<gk_i64>(threadIdx.x) * kElementsPerThread;
    const bool packed =
        first + kElementsPerThread <= end && neighbours_aligned(args, start + first);
    A values[kElementsPerThread];
    if (packed) {
      load_packed_dtype<Widened, A, 1>(args.dtype, args.in, start + first, values);
    } else {
      GK_UNROLL
      for (int e = 0; e < kElementsPerThread; ++e)
        values[e] = first + e < end ? load_dtype<Widened, A>(args.dtype, args.in, start + first + e)
                                    : neutral;
    }
    A total = neutral;
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) total = scan_step(product, total, values[e]);
    A running = before_thread(slots, product, total, carry);
    if (args.totals_only != 0) continue;
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e)
      values[e] = running = scan_step(product, running, values[e]);
    if (packed) {
      visit_target<Widened, A, A>(args.dtype, NeighbourStore<A>{args.out, start + first, values});
      continue;
    }
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) {
      if (first + e < end) store_widened(args.dtype, args.out, start + first + e, values[e]);
    }
  }
  if (args.totals_only != 0 && threadIdx.x == 0)
    static_cast<A*>(args.carry)[line * args.chunks + chunk] = carry;
}

template <class A>
GK_FN void cumulative(const CumulativeKernelArgs& args) {
  GK_SHARED(A, slots, [kScanThreads]);
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
    scan_chunk_by_block<A>(args, &slots[0], line, chunk, carry);
  }
}

template <class A>
GK_FN void cumulative_carry(const CumulativeCarryArgs& args) {
  GK_SHARED(A, slots, [kScanThreads]);
  const bool product = args.product != 0;
  const A neutral = static_cast<A>(product ? 1 : 0);
  A* totals = static_cast<A*>(args.carry) + static_cast<gk_i64>(blockIdx.x) * args.chunks;
  A carry = neutral;
  GK_NO_UNROLL
  for (gk_i32 base = 0; base < args.chunks; base += kScanThreads) {
    const gk_i32 chunk = base + static_cast<gk_i32>(threadIdx.x);
    const A total = chunk < args.chunks ? totals[chunk] : neutral;
    const A before = before_thread(&slots[0], product, total, carry);
    if (chunk < args.chunks) totals[chunk] = before;
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
