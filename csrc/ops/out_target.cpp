#include "ops/out_target.h"

#include <utility>

#include "base/thread_local.h"

namespace gpukit::ops {

namespace {

GPUKIT_FAST_THREAD_LOCAL constinit const Tensor* current = nullptr;

}  // namespace

OutTarget::OutTarget(const Tensor* target) noexcept : outer_(std::exchange(current, target)) {
  detail::out_targets.fetch_add(1, std::memory_order_relaxed);
}

OutTarget::~OutTarget() {
  current = outer_;
  detail::out_targets.fetch_sub(1, std::memory_order_relaxed);
}

namespace detail {

const Tensor* fitting_target(OpenDevice& device, const Shape& shape, DType dtype) noexcept {
  const Tensor* target = current;
  const bool fits = target != nullptr && &target->open_device() == &device &&
                    target->dtype() == dtype && target->shape() == shape;
  return fits ? target : nullptr;
}

Tensor take_target() {
  const Tensor& target = *std::exchange(current, nullptr);
  check_target("out", target);
  return target;
}

}  // namespace detail

}  // namespace gpukit::ops
