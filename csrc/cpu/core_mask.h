// Which cores the calling thread may use, changed for a moment.
#pragma once

#if defined(__linux__)
#include <sched.h>
#endif

namespace gpukit::cpu {

/// The core that runs this thread; -1 if the system does not report it.
int current_core() noexcept;

/// Keeps this thread on one core, or away from one, for its lifetime. Does nothing for core -1, and
/// where no core would be left.
class NarrowedMask {
 public:
  static NarrowedMask only(int core) noexcept { return {core, true}; }
  static NarrowedMask without(int core) noexcept { return {core, false}; }
  NarrowedMask(const NarrowedMask&) = delete;
  NarrowedMask& operator=(const NarrowedMask&) = delete;
#if defined(__linux__)
  ~NarrowedMask();

 private:
  NarrowedMask(int core, bool only) noexcept;

  cpu_set_t before_, narrowed_;
  bool active_ = false;
#else
  ~NarrowedMask() {}  // not trivial, so that an unused one causes no warning

 private:
  NarrowedMask(int, bool) noexcept {}
#endif
};

}  // namespace gpukit::cpu
