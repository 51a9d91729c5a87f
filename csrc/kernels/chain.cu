// Chains of elementwise steps in one pass over memory: an interpreter whose program comes with the
// arguments and is the same for all threads. Values stay in registers between the steps.
#include "kernels/chain_operators.h"
#include "kernels/element.h"

namespace gpukit {

/// Values of a thread's elements. Indexed by constants only, so that they are registers.
template <class A>
struct ChainSlots {
  A at[kChainSlots][kElementsPerThread];
};

#define GK_FOR_SLOTS(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11)
static_assert(kChainSlots == 12);

template <class A>
GK_FN void copy_values(A* to, const A* from) {
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) to[e] = from[e];
}

/// The values of an operand, or the step's number.
template <class A>
GK_FN void read_operand(const ChainSlots<A>& slots, gk_u8 operand, double number, A* values) {
  switch (operand) {
#define GK_READ(slot)                    \
  case slot:                             \
    copy_values(values, slots.at[slot]); \
    break;
    GK_FOR_SLOTS(GK_READ)
#undef GK_READ
    default:
      GK_UNROLL
      for (int e = 0; e < kElementsPerThread; ++e) values[e] = static_cast<A>(number);
  }
}

/// The first value leaves, the others move up.
template <class A>
GK_FN void shift_in(A* values, A last) {
  GK_UNROLL
  for (int e = 1; e < kElementsPerThread; ++e) values[e - 1] = values[e];
  values[kElementsPerThread - 1] = last;
}

template <class A>
GK_FN void write_slot(ChainSlots<A>& slots, gk_u8 slot, const A* values) {
  switch (slot) {
#define GK_WRITE(slot)                   \
  case slot:                             \
    copy_values(slots.at[slot], values); \
    break;
    GK_FOR_SLOTS(GK_WRITE)
#undef GK_WRITE
    default:
      break;
  }
}

/// Calls step(left, right) for the pairs of each element and puts the result in the left's place.
/// Heavy ones in a loop that turns the values round, so that the code is there once.
template <bool kIsHeavy, class A, class Step>
GK_FN void for_elements(A* left, A* right, const Step& step) {
  if constexpr (kIsHeavy) {
    GK_NO_UNROLL
    for (int turn = 0; turn < kElementsPerThread; ++turn) {
      shift_in(left, step(left[0], right[0]));
      shift_in(right, right[0]);
    }
  } else {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) left[e] = step(left[e], right[e]);
  }
}

template <class A>
struct ChainOperator {
  A *left, *right;
  template <UnaryOp op>
  struct OfOne {
    GK_TEMPLATE_FN A operator()(A x, A) const { return static_cast<A>(apply_unary<op>(x)); }
  };
  template <BinaryOp op>
  struct OfTwo {
    GK_TEMPLATE_FN A operator()(A a, A b) const { return static_cast<A>(apply_binary<op>(a, b)); }
  };
  template <UnaryOp op>
  GK_TEMPLATE_FN void operator()(UnaryTag<op>) const {
    if constexpr (is_in_chains(op))
      for_elements<cost_of(op) == Cost::kHeavy>(left, right, OfOne<op>{});
  }
  template <BinaryOp op>
  GK_TEMPLATE_FN void operator()(BinaryTag<op>) const {
    if constexpr (is_in_chains(op))
      for_elements<cost_of(op) == Cost::kHeavy>(left, right, OfTwo<op>{});
  }
};

/// What storing and loading again would give.
template <class A>
GK_FN A rounded_to(gk_u8 dtype, A value) {
  switch (dtype) {
    case dtype_number<gk_b8>:
      return value != static_cast<A>(0) ? static_cast<A>(1) : static_cast<A>(0);
    case dtype_number<gk_f16>:
      return static_cast<A>(gk_up(gk_down<gk_f16>(static_cast<float>(value))));
    case dtype_number<gk_bf16>:
      return static_cast<A>(gk_up(gk_down<gk_bf16>(static_cast<float>(value))));
    default:
      return value;
  }
}

/// Which element of the chain a thread's element e is.
template <class A>
GK_FN gk_i64 element_index(ThreadElements elements, int e) {
  if (!elements.packed) return single_element(elements, e);
  constexpr int kRun = kElementsPerThread / kRunsOf<A>;
  return first_run<kRunsOf<A>>(elements.first) + e / kRun * (kElementThreads * kRun) + e % kRun;
}

GK_FN gk_i64 input_offset(const StridedLayout<kChainInputs>& layout, int input, gk_u32 index) {
  gk_i32 offset = 0;
  gk_u32 rest = index;
  GK_NO_UNROLL
  for (int d = 0; d < layout.rank - 1; ++d) {
    const gk_u32 quotient = magic_divide(rest, layout.magic[d]);
    const gk_i32 coordinate = static_cast<gk_i32>(rest - quotient * layout.magic[d].divisor);
    rest = quotient;
    offset += coordinate * static_cast<gk_i32>(layout.stride[input][d]);
  }
  return offset +
         static_cast<gk_i32>(rest) * static_cast<gk_i32>(layout.stride[input][layout.rank - 1]);
}

template <class A>
GK_FN void load_input(const ChainKernelArgs& args, ThreadElements elements, int input, gk_u8 dtype,
                      A* values) {
  const void* const data = args.input[input].data;
  const bool dense = args.input[input].dense != 0;
  const bool is_bool = dtype == dtype_number<gk_b8>;
  if (dense && elements.packed) {
    if (!is_bool) return load_packed_dtype<Computed>(dtype, data, elements.first, values);
    bool flags[kElementsPerThread];
    load_packed<gk_b8, bool, kRunsOf<A>>(data, elements.first, flags);
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) values[e] = static_cast<A>(flags[e] ? 1 : 0);
    return;
  }
  GK_NO_UNROLL
  for (int turn = 0; turn < kElementsPerThread; ++turn) {
    const gk_i64 index = element_index<A>(elements, turn);
    A value = static_cast<A>(0);
    if (index < args.count) {
      const gk_i64 offset =
          dense ? index : input_offset(args.layout, input, static_cast<gk_u32>(index));
      value = is_bool ? static_cast<A>(load_as<gk_b8, bool>(data, offset) ? 1 : 0)
                      : load_dtype<Computed, A>(dtype, data, offset);
    }
    shift_in(values, value);
  }
}

template <class A>
struct PackedStore {
  void* data;
  gk_i64 first;
  const A* values;
  template <class T>
  GK_TEMPLATE_FN void operator()(StorageTag<T>) const {
    store_packed<T>(data, first, values);
  }
};

template <class A>
GK_FN void store_result(void* data, gk_i64 count, ThreadElements elements, gk_u8 dtype,
                        const A* given) {
  const bool is_bool = dtype == dtype_number<gk_b8>;
  if (elements.packed) {
    if (is_bool) return store_packed<gk_b8>(data, elements.first, given);
    return visit_storage<Computed, A>(dtype, PackedStore<A>{data, elements.first, given});
  }
  A values[kElementsPerThread];
  copy_values(values, given);
  GK_NO_UNROLL
  for (int turn = 0; turn < kElementsPerThread; ++turn) {
    const gk_i64 index = single_element(elements, turn);
    if (index >= count) return;
    if (is_bool) {
      store_as<gk_b8>(data, index, values[0]);
    } else {
      visit_storage<Computed, A>(dtype, ElementStore<A>{data, index, values[0]});
    }
    shift_in(values, values[0]);
  }
}

template <class A>
GK_FN void chain(const ChainKernelArgs& args) {
  const ThreadElements elements = thread_elements(args.count, args.aligned != 0);
  ChainSlots<A> slots;
  GK_UNROLL
  for (int slot = 0; slot < kChainSlots; ++slot) {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) slots.at[slot][e] = static_cast<A>(0);
  }
  GK_NO_UNROLL
  for (int i = 0; i < args.codes; ++i) {
    const ChainKernelStep step = args.code[i];
    A left[kElementsPerThread], right[kElementsPerThread];
    if (step.code == ChainCode::kLoad) {
      load_input(args, elements, step.operand[0], step.dtype, left);
      write_slot(slots, step.out, left);
      continue;
    }
    read_operand(slots, step.operand[0], step.number, left);
    if (step.code == ChainCode::kStore) {
      store_result(args.result[step.operand[1]], args.count, elements, step.dtype, left);
      continue;
    }
    read_operand(slots, step.operand[1], step.number, right);
    switch (step.code) {
      case ChainCode::kUnary:
        visit_unary<A>(static_cast<UnaryOp>(step.op), ChainOperator<A>{left, right});
        break;
      case ChainCode::kBinary:
        visit_binary<A>(static_cast<BinaryOp>(step.op), ChainOperator<A>{left, right});
        break;
      case ChainCode::kSelect: {
        A condition[kElementsPerThread];
        read_operand(slots, step.operand[2], step.number, condition);
        GK_UNROLL
        for (int e = 0; e < kElementsPerThread; ++e)
          left[e] = condition[e] != static_cast<A>(0) ? left[e] : right[e];
        break;
      }
      case ChainCode::kClampLow:
        GK_UNROLL
        for (int e = 0; e < kElementsPerThread; ++e)
          left[e] = left[e] < right[e] ? right[e] : left[e];
        break;
      case ChainCode::kClampHigh:
        GK_UNROLL
        for (int e = 0; e < kElementsPerThread; ++e)
          left[e] = left[e] > right[e] ? right[e] : left[e];
        break;
      default:
        break;
    }
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) left[e] = rounded_to(step.dtype, left[e]);
    write_slot(slots, step.out, left);
  }
}

GK_KERNEL_BOUNDS(gk_chain_f32, kElementThreads, const ChainKernelArgs args) { chain<float>(args); }

}  // namespace gpukit
