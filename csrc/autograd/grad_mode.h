// Whether operations are recorded: a setting of each thread.
#pragma once

namespace gpukit::autograd {

/// True at the start of every thread.
bool grad_enabled() noexcept;
void set_grad_enabled(bool enabled) noexcept;

/// Only a label beside grad_enabled(): inference_mode sets both.
bool inference_mode_enabled() noexcept;
void set_inference_mode(bool enabled) noexcept;

/// Recording off for a scope of this thread.
class NoGradScope {
 public:
  NoGradScope() noexcept : before_(grad_enabled()) { set_grad_enabled(false); }
  ~NoGradScope() { set_grad_enabled(before_); }
  NoGradScope(const NoGradScope&) = delete;
  NoGradScope& operator=(const NoGradScope&) = delete;

 private:
  bool before_;
};

}  // namespace gpukit::autograd
