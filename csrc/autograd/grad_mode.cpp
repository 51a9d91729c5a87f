#include "autograd/grad_mode.h"

#include "base/thread_local.h"

namespace gpukit::autograd {

namespace {

GPUKIT_FAST_THREAD_LOCAL constinit bool enabled = true;
GPUKIT_FAST_THREAD_LOCAL constinit bool inference = false;

}  // namespace

bool grad_enabled() noexcept { return enabled; }
void set_grad_enabled(bool value) noexcept { enabled = value; }

bool inference_mode_enabled() noexcept { return inference; }
void set_inference_mode(bool value) noexcept { inference = value; }

}  // namespace gpukit::autograd
