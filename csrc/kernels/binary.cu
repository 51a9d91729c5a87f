// All functions of two operands, by operation code: one kernel a compute type, for contiguous,
// strided and scalar operands.
#include "kernels/element.h"

namespace gpukit {

/// The next half number towards another; both are passed as exact floats.
template <class T>
GK_FN float next_half(float from, float to) {
  T from_half = gk_down<T>(from);
  const T to_half = gk_down<T>(to);
  const gk_u16 bits = next_after_16(*reinterpret_cast<const gk_u16*>(&from_half), from,
                                    *reinterpret_cast<const gk_u16*>(&to_half), to);
  *reinterpret_cast<gk_u16*>(&from_half) = bits;
  return gk_up(from_half);
}

/// left[e] = op(left[e], right[e]), a bool result as 0 or 1 of the compute type.
template <class A>
struct BinaryOnThread {
  A* left;
  const A* right;
  gk_i32 dtype;
  template <BinaryOp op>
  GK_TEMPLATE_FN void operator()(BinaryTag<op>) const {
    if constexpr (is_same_type<A, gk_i64> && sign_matters(op)) {
      if (dtype == dtype_number<gk_u64>) return apply_as<op, gk_u64>();
    }
    apply_as<op, A>();
  }
  template <BinaryOp op, class T>
  GK_TEMPLATE_FN void apply_as() const {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) {
      if constexpr (op == BinaryOp::kNextafter && is_same_type<A, float>) {
        left[e] = next_float(left[e], right[e]);
      } else {
        left[e] =
            static_cast<A>(apply_binary<op>(static_cast<T>(left[e]), static_cast<T>(right[e])));
      }
    }
  }
  GK_TEMPLATE_FN float next_float(float from, float to) const {
    static_assert(gk_dtype_count == 15);  // two of which are computed in float and are not float32
    if (dtype == dtype_number<gk_f16>) return next_half<gk_f16>(from, to);
    if (dtype == dtype_number<gk_bf16>) return next_half<gk_bf16>(from, to);
    return gk_nextafter(from, to);
  }
};

template <class A>
GK_FN void broadcast_scalar(A value, A* values) {
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) values[e] = value;
}

template <class A>
GK_FN void binary(const BinaryKernelArgs& args) {
  const BinaryOp op = static_cast<BinaryOp>(args.op);
  const ThreadElements elements = thread_elements(args.count, args.contiguous != 0);
  const bool has_left = args.scalar_side != 1;
  const bool has_right = args.scalar_side != 2;
  OutputOffsets targets;
  A left[kElementsPerThread], right[kElementsPerThread];
  broadcast_scalar(scalar_as<A>(args.scalar), left);
  broadcast_scalar(scalar_as<A>(args.scalar), right);
  if (elements.packed) {
    if (has_left) load_packed_dtype<Computed>(args.dtype, args.left, elements.first, left);
    if (has_right) load_packed_dtype<Computed>(args.dtype, args.right, elements.first, right);
  } else {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) {
      const gk_i64 index = single_element(elements, e);
      if (index >= args.count) continue;
      const Offsets<3> offsets = single_offsets(args.layout, index, args.contiguous != 0);
      if (has_left) left[e] = load_dtype<Computed, A>(args.dtype, args.left, offsets.at[1]);
      if (has_right) right[e] = load_dtype<Computed, A>(args.dtype, args.right, offsets.at[2]);
      targets.at[e] = offsets.at[0];
    }
  }
  visit_binary<A>(op, BinaryOnThread<A>{left, right, args.dtype});
  if (gives_bool(op)) {
    store_elements<gk_b8>(args.out, elements, args.count, targets, left);
  } else {
    store_elements_dtype<Computed>(args.dtype, args.out, elements, args.count, targets, left);
  }
}

#define GK_BINARY(suffix, A)                                                           \
  GK_KERNEL_BOUNDS(gk_binary_##suffix, kElementThreads, const BinaryKernelArgs args) { \
    binary<A>(args);                                                                   \
  }
GK_FOR_COMPUTED(GK_BINARY)

}  // namespace gpukit
