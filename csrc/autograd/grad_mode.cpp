#include "autograd/grad_mode.h"

namespace gpukit::autograd {

namespace {

constinit thread_local bool enabled = true;
constinit thread_local bool inference = false;

}  // namespace

bool grad_enabled() noexcept { return enabled; }
void set_grad_enabled(bool value) noexcept { enabled = value; }

bool inference_mode_enabled() noexcept { return inference; }
void set_inference_mode(bool value) noexcept { inference = value; }

}  // namespace gpukit::autograd
