// Reductions in two deterministic stages: chunks of 256 threads, then one block per result over the
// chunks. The order of additions depends on the sizes only, never on the card; there are no
// atomics.
#include "kernels/element.h"

namespace gpukit {

inline constexpr int kWarpThreads = 32;

/// A running result: `value` for sums, products and extremes, `index` for positions and counts.
template <class A>
struct Partial {
  A value;
  gk_i64 index;
};

GK_FN bool counts(ReduceOp op) {
  return op == ReduceOp::kCountNonzero || op == ReduceOp::kAll || op == ReduceOp::kAny;
}
GK_FN bool finds_position(ReduceOp op) {
  return op == ReduceOp::kArgMax || op == ReduceOp::kArgMin;
}

GK_FN float lowest_value(float) { return -GK_INF; }
GK_FN double lowest_value(double) { return -GK_INF64; }
GK_FN gk_i64 lowest_value(gk_i64) { return -9223372036854775807LL - 1; }
GK_FN float highest_value(float) { return GK_INF; }
GK_FN double highest_value(double) { return GK_INF64; }
GK_FN gk_i64 highest_value(gk_i64) { return 9223372036854775807LL; }

template <class A>
GK_FN Partial<A> identity(ReduceOp op) {
  switch (op) {
    case ReduceOp::kProd:
      return {static_cast<A>(1), 0};
    case ReduceOp::kMax:
      return {lowest_value(A()), 0};
    case ReduceOp::kMin:
      return {highest_value(A()), 0};
    case ReduceOp::kArgMax:
    case ReduceOp::kArgMin:
      return {static_cast<A>(0), -1};
    default:
      return {static_cast<A>(0), 0};
  }
}

/// The first NaN wins, then the larger (smaller) value, then the lower index. Index -1 is "none
/// yet".
template <class A>
GK_FN void keep_better(Partial<A>& kept, Partial<A> other, bool larger) {
  if (other.index < 0) return;
  const bool same = kept.value == other.value || (is_nan(kept.value) && is_nan(other.value));
  const bool beyond = larger ? other.value > kept.value : other.value < kept.value;
  const bool better = is_nan(kept.value) ? false : is_nan(other.value) || beyond;
  if (kept.index < 0 || better || (same && other.index < kept.index)) kept = other;
}

/// Folds `count` elements into as many partial results; the switch is outside the loop.
template <class A, int kCount>
GK_FN void accumulate(ReduceOp op, const A* values, gk_i64 index, gk_i64 index_step,
                      Partial<A>* partial) {
#define GK_EACH(statement)             \
  {                                    \
    GK_UNROLL                          \
    for (int e = 0; e < kCount; ++e) { \
      const A x = values[e];           \
      statement;                       \
    }                                  \
    break;                             \
  }
  switch (op) {
    case ReduceOp::kSum:
    case ReduceOp::kMean:
      GK_EACH(partial[e].value = add(partial[e].value, x))
    case ReduceOp::kNorm1:
      GK_EACH(partial[e].value = add(partial[e].value, absolute(x)))
    case ReduceOp::kNorm2:
      GK_EACH(partial[e].value = add(partial[e].value, multiply(x, x)))
    case ReduceOp::kProd:
      GK_EACH(partial[e].value = multiply(partial[e].value, x))
    case ReduceOp::kMax:
      GK_EACH(partial[e].value = maximum(partial[e].value, x))
    case ReduceOp::kMin:
      GK_EACH(partial[e].value = minimum(partial[e].value, x))
    case ReduceOp::kArgMax:
      GK_EACH(keep_better(partial[e], Partial<A>{x, index + e * index_step}, true))
    case ReduceOp::kArgMin:
      GK_EACH(keep_better(partial[e], Partial<A>{x, index + e * index_step}, false))
    default:
      GK_EACH(partial[e].index += x != static_cast<A>(0) ? 1 : 0)
  }
#undef GK_EACH
}

template <class A>
GK_FN void combine(ReduceOp op, Partial<A>& into, Partial<A> other) {
  switch (op) {
    case ReduceOp::kProd:
      into.value = multiply(into.value, other.value);
      break;
    case ReduceOp::kMax:
      into.value = maximum(into.value, other.value);
      break;
    case ReduceOp::kMin:
      into.value = minimum(into.value, other.value);
      break;
    case ReduceOp::kArgMax:
      keep_better(into, other, true);
      break;
    case ReduceOp::kArgMin:
      keep_better(into, other, false);
      break;
    default:
      into.value = add(into.value, other.value);
      into.index += other.index;
      break;
  }
}

template <class A>
GK_FN void store_result(ReduceOp op, Partial<A> result, gk_i64 reduced_count, void* out, gk_i64 at,
                        gk_i32 dtype, gk_i64 order_mask) {
  if (counts(op) || finds_position(op)) {
    gk_i64 number = result.index;
    if (op == ReduceOp::kAll) number = number == reduced_count ? 1 : 0;
    store_dtype(dtype, out, at, number);
    return;
  }
  A value = ordered(result.value, order_mask);
  if constexpr (is_floating_scalar<A>) {
    if (op == ReduceOp::kMean) value = value / static_cast<A>(reduced_count);
    if (op == ReduceOp::kNorm2) value = gk_sqrt(value);
  }
  store_dtype(dtype, out, at, value);
}

/// Folds the partial results of `lanes` (a power of two) threads into that of lane 0; all threads
/// take part. Lanes are `step` threads apart: those of other warps give theirs through shared
/// memory, where each thread's slot is its number (no bank conflicts).
template <class A>
GK_FN void fold_slots(ReduceOp op, A* values, gk_i64* indices, int lane, int lanes, int step,
                      Partial<A>& partial) {
  const int slot = static_cast<int>(threadIdx.x);
  GK_NO_UNROLL
  for (int half = lanes / 2; half > 0; half /= 2) {
    const int distance = half * step;
    Partial<A> other;
    if (distance < kWarpThreads) {
      other.value = __shfl_down_sync(0xffffffffu, partial.value, distance);
      other.index = __shfl_down_sync(0xffffffffu, partial.index, distance);
    } else {
      if (lane < 2 * half) {  // others' slots may still be read
        values[slot] = partial.value;
        indices[slot] = partial.index;
      }
      __syncthreads();
      const int giver = lane < half ? slot + distance : slot;
      other = Partial<A>{values[giver], indices[giver]};
    }
    if (lane < half) combine(op, partial, other);
  }
}

/// T is the input's storage type, or int64 for all integers, which are told apart by their dtype.
template <class T, class A>
GK_FN A load_input(const ReduceKernelArgs& args, gk_i64 offset) {
  if constexpr (is_same_type<A, gk_i64>) {
    return ordered(load_dtype<Widened, A>(args.in_dtype, args.in, offset), args.order_mask);
  } else {
    return load_as<T, A>(args.in, offset);
  }
}

inline constexpr int kRuns = 4;  ///< independent partial results of a lane

/// Types whose rows are folded by vectors of kRuns elements.
template <class T>
inline constexpr bool kHasVectors = sizeof(T) <= 4;

/// Sums or, of `extremes`, maxima. A minimum is the negative of the negatives' maximum, bit for
/// bit.
template <bool extremes, class A>
GK_FN A joined(A a, A b) {
  if constexpr (extremes) {
    return maximum(a, b);
  } else {
    return add(a, b);
  }
}
template <bool extremes, class A>
GK_FN A taken(A x, bool negated) {
  return extremes && negated ? -x : x;
}

/// What is left of a row after its last whole round: a lane that has elements of all runs folds
/// each into its run, another one all into the first.
template <bool extremes, class T, class A>
GK_FN void fold_rest(const T* in, gk_i64 count, int lane, int lanes, bool negated,
                     A (&values)[kRuns][kRuns]) {
  GK_NO_UNROLL
  for (int run = 0; run < kRuns; ++run) {
    GK_UNROLL
    for (int e = 0; e < kRuns; ++e) {
      if (run * lanes + lane + e >= count) continue;
      const A x = taken<extremes>(gk_up(in[run * lanes + e]), negated);
      const int into = lane + e + (kRuns - 1) * lanes < count ? run : 0;
      GK_UNROLL
      for (int r = 0; r < kRuns; ++r) {
        if (r == into) values[r][e] = joined<extremes>(values[r][e], x);
      }
    }
  }
}

/// Folds a row of `count` neighbours by lanes / kRuns threads, each for kRuns lanes from `lane` on.
/// Order and grouping are those of reduce_part and fold_slots, so the bits are. The result is that
/// of the row's first thread.
template <bool extremes, class T, class A>
GK_FN A fold_row(const T* in, gk_i64 count, int lane, int lanes, bool negated, A* slots) {
  typedef Pack<T, kRuns> Vector;
  A values[kRuns][kRuns];
  GK_UNROLL
  for (int i = 0; i < kRuns * kRuns; ++i)
    values[i / kRuns][i % kRuns] = extremes ? -GK_INF : static_cast<A>(0);
  const bool vectors = reinterpret_cast<gk_u64>(in) % sizeof(Vector) == 0;
  in += lane;
  GK_NO_UNROLL
  for (; count >= kRuns * lanes; count -= kRuns * lanes, in += kRuns * lanes) {
    Vector loaded[kRuns];
    GK_UNROLL
    for (int run = 0; run < kRuns; ++run) {
      if (vectors) {
        loaded[run] = *reinterpret_cast<const Vector*>(in + run * lanes);
      } else {
        GK_UNROLL
        for (int e = 0; e < kRuns; ++e) loaded[run].at[e] = in[run * lanes + e];
      }
    }
    GK_UNROLL
    for (int i = 0; i < kRuns * kRuns; ++i) {
      A& value = values[i / kRuns][i % kRuns];
      const A x = gk_up(loaded[i / kRuns].at[i % kRuns]);
      value = joined<extremes>(value, taken<extremes>(x, negated));
    }
  }
  if (count > 0) fold_rest<extremes>(in, count, lane, lanes, negated, values);
  A sums[kRuns];
  GK_UNROLL
  for (int e = 0; e < kRuns; ++e)
    sums[e] = joined<extremes>(joined<extremes>(values[0][e], values[1][e]),
                               joined<extremes>(values[2][e], values[3][e]));
  if (lanes > kRuns * kWarpThreads) {  // a row of two warps
    const int thread = static_cast<int>(threadIdx.x);
    GK_UNROLL
    for (int e = 0; e < kRuns; ++e) slots[e * kReduceThreads + thread] = sums[e];
    __syncthreads();
    GK_UNROLL
    for (int e = 0; e < kRuns; ++e)
      sums[e] = joined<extremes>(sums[e], slots[e * kReduceThreads + (thread ^ kWarpThreads)]);
  }
  GK_NO_UNROLL
  for (int half = (lanes < kRuns * kWarpThreads ? lanes : kRuns * kWarpThreads) / (2 * kRuns);
       half > 0; half /= 2) {
    GK_UNROLL
    for (int e = 0; e < kRuns; ++e)
      sums[e] = joined<extremes>(sums[e], __shfl_down_sync(0xffffffffu, sums[e], half));
  }
  const A whole =
      joined<extremes>(joined<extremes>(sums[0], sums[2]), joined<extremes>(sums[1], sums[3]));
  return taken<extremes>(whole, negated);
}

/// What a thread has: the partial result of one chunk of one kept element, if it is to give it.
template <class A>
struct ChunkResult {
  Partial<A> partial;
  gk_i64 kept, chunk;
  bool gives;
};

/// Sums, means and extremes of neighbours: a block has the chunks of kRuns times `width` rows.
template <class T, class A>
GK_FN ChunkResult<A> reduce_rows(const ReduceKernelArgs& args, A* slots) {
  const int lanes = kReduceThreads / args.width, threads = lanes / kRuns;
  const int thread = static_cast<int>(threadIdx.x);
  const gk_u32 item = blockIdx.x * (args.width * kRuns) + thread / threads;
  const gk_u32 kept = args.chunks == 1 ? item : item / args.chunks;
  const gk_u32 chunk = item - kept * args.chunks;
  const int lane = thread % threads * kRuns;
  const T* in = static_cast<const T*>(args.in);
  gk_i64 count = 0;  // of a row past the last
  if (kept < args.kept_count) {
    const gk_i64 begin = chunk * args.chunk_length, left = args.reduced_count - begin;
    in += element_offsets(args.kept, kept).at[0] + begin;
    count = left < args.chunk_length ? left : args.chunk_length;
  }
  Partial<A> result{A(), 0};
  const ReduceOp op = static_cast<ReduceOp>(args.op);
  if (op == ReduceOp::kMax || op == ReduceOp::kMin) {
    result.value = fold_row<true>(in, count, lane, lanes, op == ReduceOp::kMin, slots);
  } else {
    result.value = fold_row<false>(in, count, lane, lanes, false, slots);
  }
  return {result, kept, chunk, lane == 0 && kept < args.kept_count};
}

/// Folds elements first, first + lanes, … below `end`. Where the reduced dimensions merged into
/// one, kRuns at a time, in as many independent partial results.
template <class T, class A>
GK_FN Partial<A> reduce_part(const ReduceKernelArgs& args, gk_i64 start, gk_i64 first, gk_i64 end,
                             int lanes) {
  const ReduceOp op = static_cast<ReduceOp>(args.op);
  const gk_i64 step = lanes * args.reduced.stride[0][0];
  Partial<A> partial[kRuns];
  GK_UNROLL
  for (int e = 0; e < kRuns; ++e) partial[e] = identity<A>(op);
  gk_i64 r = first;
  gk_i64 offset = start + r * args.reduced.stride[0][0];
  GK_NO_UNROLL
  for (; args.reduced.rank == 1 && r + (kRuns - 1) * lanes < end; r += kRuns * lanes) {
    A values[kRuns];
    GK_UNROLL
    for (int e = 0; e < kRuns; ++e) values[e] = load_input<T, A>(args, offset + e * step);
    accumulate<A, kRuns>(op, values, r, lanes, partial);
    offset += kRuns * step;
  }
  GK_NO_UNROLL
  for (; r < end; r += lanes) {
    const A value = load_input<T, A>(args, start + element_offsets(args.reduced, r).at[0]);
    accumulate<A, 1>(op, &value, r, 0, partial);
  }
  combine(op, partial[0], partial[1]);
  combine(op, partial[2], partial[3]);
  combine(op, partial[0], partial[2]);
  return partial[0];
}

template <class T, class A>
GK_FN ChunkResult<A> reduce_elements(const ReduceKernelArgs& args, A* values, gk_i64* indices) {
  const ReduceOp op = static_cast<ReduceOp>(args.op);
  const int thread = static_cast<int>(threadIdx.x);
  const int lanes = kReduceThreads / args.width;
  const int lane = args.along_kept != 0 ? thread / args.width : thread % lanes;
  const int column = args.along_kept != 0 ? thread % args.width : thread / lanes;
  const gk_i64 kept = static_cast<gk_i64>(blockIdx.x) * args.width + column;
  const gk_i64 chunk = static_cast<gk_i64>(blockIdx.y);
  Partial<A> partial = identity<A>(op);
  if (kept < args.kept_count) {
    const gk_i64 start = element_offsets(args.kept, kept).at[0];
    const gk_i64 begin = chunk * args.chunk_length;
    const gk_i64 limit = begin + args.chunk_length;
    const gk_i64 end = limit < args.reduced_count ? limit : args.reduced_count;
    partial = reduce_part<T, A>(args, start, begin + lane, end, lanes);
  }
  const int step = args.along_kept != 0 ? args.width : 1;
  fold_slots(op, values, indices, lane, lanes, step, partial);
  return {partial, kept, chunk, lane == 0 && kept < args.kept_count};
}

template <class T>
GK_FN void reduce(const ReduceKernelArgs& args) {
  typedef Widened<T> A;
  GK_SHARED(A, values, [kHasVectors<T> ? kRuns * kReduceThreads : kReduceThreads]);
  GK_SHARED(gk_i64, indices, [kReduceThreads]);
  ChunkResult<A> result;
  if constexpr (kHasVectors<T>) {
    result = args.by_rows != 0 ? reduce_rows<T, A>(args, &values[0])
                               : reduce_elements<T, A>(args, &values[0], &indices[0]);
  } else {
    result = reduce_elements<T, A>(args, &values[0], &indices[0]);
  }
  if (!result.gives) return;
  if (args.chunks == 1) {
    store_result(static_cast<ReduceOp>(args.op), result.partial, args.reduced_count, args.out,
                 result.kept, args.out_dtype, args.order_mask);
    return;
  }
  const gk_i64 slot = result.kept * args.chunks + result.chunk;
  static_cast<A*>(args.partial_value)[slot] = result.partial.value;
  args.partial_index[slot] = result.partial.index;
}

inline constexpr int kStagedChunks = 8 * kReduceThreads;

template <class A>
GK_FN void reduce_finish(const ReduceFinishArgs& args) {
  GK_SHARED(A, values, [kReduceThreads]);
  GK_SHARED(gk_i64, indices, [kReduceThreads]);
  const ReduceOp op = static_cast<ReduceOp>(args.op);
  const int thread = static_cast<int>(threadIdx.x);
  const gk_i64 kept = static_cast<gk_i64>(blockIdx.x);
  Partial<A> partial = identity<A>(op);
  // The chunks' results are brought in together: their accesses wait for memory once.
  GK_SHARED(A, staged, [kStagedChunks]);
  const bool indexed = counts(op) || finds_position(op);
  const A* given = static_cast<const A*>(args.partial_value) + kept * args.chunks;
  const gk_i64* given_indices = args.partial_index + kept * args.chunks;
  GK_NO_UNROLL
  for (gk_i32 first = 0; first < args.chunks; first += kStagedChunks) {
    const gk_i32 left = args.chunks - first;
    A loaded[kStagedChunks / kReduceThreads];
    GK_UNROLL
    for (int i = 0; i < kStagedChunks / kReduceThreads; ++i) {
      const gk_i32 at = thread + i * kReduceThreads;
      if (at < left) loaded[i] = given[first + at];
    }
    GK_UNROLL
    for (int i = 0; i < kStagedChunks / kReduceThreads; ++i)
      staged[thread + i * kReduceThreads] = loaded[i];
    GK_NO_UNROLL
    for (gk_i32 at = thread; at < left && at < kStagedChunks; at += kReduceThreads)
      combine(op, partial, Partial<A>{staged[at], indexed ? given_indices[first + at] : 0});
  }
  fold_slots(op, &values[0], &indices[0], thread, kReduceThreads, 1, partial);
  if (thread == 0) {
    store_result(op, partial, args.reduced_count, args.out, kept, args.out_dtype, args.order_mask);
  }
}

#define GK_REDUCE(suffix, T)                                                          \
  GK_KERNEL_BOUNDS(gk_reduce_##suffix, kReduceThreads, const ReduceKernelArgs args) { \
    reduce<T>(args);                                                                  \
  }
GK_REDUCE(i64, gk_i64)
GK_FOR_FLOATS(GK_REDUCE)

#define GK_REDUCE_FINISH(suffix, A)                                                          \
  GK_KERNEL_BOUNDS(gk_reduce_finish_##suffix, kReduceThreads, const ReduceFinishArgs args) { \
    reduce_finish<A>(args);                                                                  \
  }
GK_FOR_WIDENED(GK_REDUCE_FINISH)

}  // namespace gpukit
