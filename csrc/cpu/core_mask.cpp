#include "cpu/core_mask.h"

#if defined(__linux__)

#include <cstring>

namespace gpukit::cpu {
namespace core_mask {
namespace {

bool get(cpu_set_t& mask) noexcept { return sched_getaffinity(0, sizeof mask, &mask) == 0; }
bool set(const cpu_set_t& mask) noexcept { return sched_setaffinity(0, sizeof mask, &mask) == 0; }

// Where the cpuset alone was the limit, every core is asked for and the system cuts that to the
// cpuset: a thread that had asked for those cores by name would stay on them when the container is
// given more.
void restore(const cpu_set_t& mask) noexcept {
  cpu_set_t all, granted;
  std::memset(&all, 0xff, sizeof all);
  if (set(all) && get(granted) && CPU_EQUAL(&granted, &mask)) return;
  set(mask);
}

}  // namespace
}  // namespace core_mask

int current_core() noexcept { return sched_getcpu(); }

NarrowedMask::NarrowedMask(int core, bool only) noexcept {
  if (core < 0 || core >= CPU_SETSIZE || !core_mask::get(before_)) return;
  CPU_ZERO(&narrowed_);
  if (only) {
    CPU_SET(core, &narrowed_);
  } else {
    narrowed_ = before_;
    CPU_CLR(core, &narrowed_);
  }
  active_ = CPU_COUNT(&narrowed_) > 0 && core_mask::set(narrowed_);
}

// A mask that other code has set for this thread meanwhile is kept.
NarrowedMask::~NarrowedMask() {
  cpu_set_t now;
  if (active_ && core_mask::get(now) && CPU_EQUAL(&now, &narrowed_)) core_mask::restore(before_);
}

}  // namespace gpukit::cpu

#else

namespace gpukit::cpu {

int current_core() noexcept { return -1; }

}  // namespace gpukit::cpu

#endif
