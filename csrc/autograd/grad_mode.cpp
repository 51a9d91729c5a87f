#include "autograd/grad_mode.h"

#include "tensor/tensor.h"

namespace gpukit::autograd {

bool grad_enabled() noexcept { return TensorImpl::recording; }
void set_grad_enabled(bool value) noexcept {
  TensorImpl::recording = value && !TensorImpl::inference_mode;
}

bool inference_mode_enabled() noexcept { return TensorImpl::inference_mode; }
void set_inference_mode(bool value) noexcept { TensorImpl::inference_mode = value; }

}  // namespace gpukit::autograd
