// A stack that can be left and entered again: what one waiting CUDA thread keeps of itself.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define GPUKIT_SIM_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GPUKIT_SIM_ASAN 1
#endif
#endif
// GPUKIT_TSAN is set by the build: the executor itself is compiled without -fsanitize=thread, so
// that the sanitizer sees the kernels only and not the switches between them.

namespace gpukit::sim {

class Fiber {
 public:
  using Entry = void (*)();

  /// The stack the caller already runs on.
  static Fiber for_current_stack();
  /// A new stack with a guard range below it; `entry` starts at the first switch and must never
  /// return.
  explicit Fiber(Entry entry);
  ~Fiber();
  Fiber(Fiber&& other) noexcept;
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Leaves `from` and goes on with `to`; returns when something switches back to `from`.
  static void switch_to(Fiber& from, Fiber& to);
  /// The first thing `entry` must call.
  static void entered();
  /// Abandons what runs on this stack: the next switch restarts `entry`.
  void restart(Entry entry);

  void* thread_sanitizer_fiber() const { return thread_sanitizer_fiber_; }
  /// Highest address of the stack: safe to run on when everything below is abandoned.
  char* stack_top() const { return mapping_ + mapping_bytes_; }

 private:
  Fiber() = default;

  void* stack_pointer_ = nullptr;
  char* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  const void* stack_low_ = nullptr;
  std::size_t stack_bytes_ = 0;
  void* fake_stack_ = nullptr;
  void* thread_sanitizer_fiber_ = nullptr;
};

}  // namespace gpukit::sim
