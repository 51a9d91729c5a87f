// All functions of one operand, by operation code: one kernel a compute type, for contiguous and
// strided operands.
#include "kernels/element.h"

namespace gpukit {

/// values[e] = op(values[e]), a bool result as 0 or 1 of the compute type.
template <class A>
struct UnaryOnThread {
  A* values;
  gk_i32 dtype;
  template <UnaryOp op>
  GK_TEMPLATE_FN void operator()(UnaryTag<op>) const {
    if constexpr (is_same_type<A, gk_i64> && sign_matters(op)) {
      if (dtype == dtype_number<gk_u64>) return apply_as<op, gk_u64>();
    }
    apply_as<op, A>();
  }
  template <UnaryOp op, class T>
  GK_TEMPLATE_FN void apply_as() const {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e)
      values[e] = static_cast<A>(apply_unary<op>(static_cast<T>(values[e])));
  }
};

template <class A>
GK_FN void unary(const UnaryKernelArgs& args) {
  const UnaryOp op = static_cast<UnaryOp>(args.op);
  const ThreadElements elements = thread_elements(args.count, args.contiguous != 0);
  OutputOffsets targets;
  A values[kElementsPerThread];
  GK_UNROLL
  for (int e = 0; e < kElementsPerThread; ++e) values[e] = static_cast<A>(0);
  if (elements.packed) {
    load_packed_dtype<Computed>(args.dtype, args.in, elements.first, values);
  } else {
    GK_UNROLL
    for (int e = 0; e < kElementsPerThread; ++e) {
      const gk_i64 index = single_element(elements, e);
      if (index >= args.count) continue;
      const Offsets<2> offsets = single_offsets(args.layout, index, args.contiguous != 0);
      values[e] = load_dtype<Computed, A>(args.dtype, args.in, offsets.at[1]);
      targets.at[e] = offsets.at[0];
    }
  }
  visit_unary<A>(op, UnaryOnThread<A>{values, args.dtype});
  if (gives_bool(op)) {
    store_elements<gk_b8>(args.out, elements, args.count, targets, values);
  } else {
    store_elements_dtype<Computed>(args.dtype, args.out, elements, args.count, targets, values);
  }
}

#define GK_UNARY(suffix, A)                                                          \
  GK_KERNEL_BOUNDS(gk_unary_##suffix, kElementThreads, const UnaryKernelArgs args) { \
    unary<A>(args);                                                                  \
  }
GK_FOR_COMPUTED(GK_UNARY)

}  // namespace gpukit
