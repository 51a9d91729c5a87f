// Whether operations are recorded: a setting of each thread.
#pragma once

namespace gpukit::autograd {

/// True at the start of every thread.
bool grad_enabled() noexcept;
/// In inference mode nothing is recorded, whatever is set there.
void set_grad_enabled(bool enabled) noexcept;

/// Set before set_grad_enabled(): inference_mode does both.
bool inference_mode_enabled() noexcept;
void set_inference_mode(bool enabled) noexcept;

/// Recording on or off for a scope of this thread.
class GradModeScope {
 public:
  explicit GradModeScope(bool enabled) noexcept : before_(grad_enabled()) {
    set_grad_enabled(enabled);
  }
  ~GradModeScope() { set_grad_enabled(before_); }
  GradModeScope(const GradModeScope&) = delete;
  GradModeScope& operator=(const GradModeScope&) = delete;

 private:
  bool before_;
};

class NoGradScope : public GradModeScope {
 public:
  NoGradScope() noexcept : GradModeScope(false) {}
};

}  // namespace gpukit::autograd
