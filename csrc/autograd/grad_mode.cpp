#include "autograd/grad_mode.h"

#include "base/thread_local.h"
#include "tensor/tensor.h"

namespace gpukit::autograd {

namespace {

GPUKIT_FAST_THREAD_LOCAL constinit bool enabled = true;

}  // namespace

bool grad_enabled() noexcept { return enabled; }
void set_grad_enabled(bool value) noexcept { enabled = value; }

bool inference_mode_enabled() noexcept { return TensorImpl::inference_mode; }
void set_inference_mode(bool value) noexcept { TensorImpl::inference_mode = value; }

}  // namespace gpukit::autograd
