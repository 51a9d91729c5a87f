// Where a tensor keeps its gradient.
#pragma once

#include <string_view>
#include <utility>

#include "tensor/tensor.h"

namespace gpukit::bindings {

struct GradSlot : AutogradMeta {
  Tensor gradient;
};

/// nullptr when there is none.
inline const Tensor* gradient_of(const Tensor& tensor) noexcept {
  const auto* slot = static_cast<const GradSlot*>(tensor.impl()->autograd.get());
  return slot != nullptr && slot->gradient.defined() ? &slot->gradient : nullptr;
}

/// Throws DTypeError for tensors that are not floating.
void mark_requires_grad(std::string_view op, const Tensor& tensor, bool wanted);

/// An undefined gradient takes the present one away.
inline void set_gradient(const Tensor& tensor, Tensor gradient) {
  auto& meta = tensor.impl()->autograd;
  if (!gradient.defined()) {
    const auto dropped = std::move(meta);  // freed after the slot is empty: its end may run Python
    return;
  }
  auto slot = std::make_unique<GradSlot>();
  slot->gradient = std::move(gradient);
  const auto dropped = std::exchange(meta, std::move(slot));
}

}  // namespace gpukit::bindings
