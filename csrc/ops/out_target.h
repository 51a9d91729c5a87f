// out=: where the result of a call is to be written. Operations that can write there make their
// result with result_of_elements or result_apart; whatever else they give is copied by the caller.
#pragma once

#include <atomic>

#include "ops/dispatch.h"
#include "tensor/factory.h"

namespace gpukit::ops {

/// While it lives, the first result of this thread that fits `target` is made there. A later one
/// inside it takes its place; one without a target keeps results apart from an outer one.
class OutTarget {
 public:
  OutTarget() noexcept : OutTarget(nullptr) {}
  explicit OutTarget(const Tensor& target) noexcept : OutTarget(&target) {}
  OutTarget(const OutTarget&) = delete;
  OutTarget& operator=(const OutTarget&) = delete;
  ~OutTarget();

 private:
  explicit OutTarget(const Tensor* target) noexcept;

  const Tensor* outer_;
};

namespace detail {

/// How many exist in all threads: without any, a result costs no look at this thread's.
inline constinit std::atomic<int> out_targets{0};

/// This thread's target if it has this device, shape and dtype; null else.
const Tensor* fitting_target(OpenDevice& device, const Shape& shape, DType dtype) noexcept;
/// The target, which from now on is no longer there to be taken.
Tensor take_target();

}  // namespace detail

/// True when this thread may have a target: results then go through the general ways.
inline bool may_have_target() noexcept {
  return detail::out_targets.load(std::memory_order_relaxed) != 0;
}

/// An uninitialised tensor of any strides for an elementwise result. An input may be the target
/// itself, element for element, but not overlap it else.
template <class... Inputs>
Tensor result_of_elements(OpenDevice& device, const Shape& shape, DType dtype,
                          const Inputs&... inputs) {
  if (may_have_target()) [[unlikely]] {
    const Tensor* target = detail::fitting_target(device, shape, dtype);
    if (target != nullptr && !(overlaps_shifted(*target, inputs) || ...))
      return detail::take_target();
  }
  return empty_on(device, shape, dtype);
}

/// The same for a contiguous result that must not share memory with the inputs.
template <class... Inputs>
Tensor result_apart(OpenDevice& device, const Shape& shape, DType dtype, const Inputs&... inputs) {
  if (may_have_target()) [[unlikely]] {
    const Tensor* target = detail::fitting_target(device, shape, dtype);
    if (target != nullptr && target->is_contiguous() && !(overlaps(*target, inputs) || ...)) {
      return detail::take_target();
    }
  }
  return empty_on(device, shape, dtype);
}

}  // namespace gpukit::ops
