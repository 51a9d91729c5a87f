#include "cpu/core_mask.h"

#if defined(__linux__)

#include <cstring>

namespace gpukit::cpu {
namespace {

bool get_mask(cpu_set_t& mask) noexcept { return sched_getaffinity(0, sizeof mask, &mask) == 0; }
bool set_mask(const cpu_set_t& mask) noexcept {
  return sched_setaffinity(0, sizeof mask, &mask) == 0;
}

// Where the cpuset alone was the limit, every core is asked for and the system cuts that to the
// cpuset: a thread that had asked for those cores by name would stay on them when the container is
// given more.
void give_back(const cpu_set_t& mask) noexcept {
  cpu_set_t all, granted;
  std::memset(&all, 0xff, sizeof all);
  if (set_mask(all) && get_mask(granted) && CPU_EQUAL(&granted, &mask)) return;
  set_mask(mask);
}

}  // namespace

int current_core() noexcept { return sched_getcpu(); }

NarrowedMask::NarrowedMask(int core, bool only) noexcept {
  if (core < 0 || core >= CPU_SETSIZE || !get_mask(before_)) return;
  CPU_ZERO(&narrowed_);
  if (only) {
    CPU_SET(core, &narrowed_);
  } else {
    narrowed_ = before_;
    CPU_CLR(core, &narrowed_);
  }
  active_ = CPU_COUNT(&narrowed_) > 0 && set_mask(narrowed_);
}

// A mask that somebody else gave this thread meanwhile stays.
NarrowedMask::~NarrowedMask() {
  cpu_set_t now;
  if (active_ && get_mask(now) && CPU_EQUAL(&now, &narrowed_)) give_back(before_);
}

}  // namespace gpukit::cpu

#else

namespace gpukit::cpu {

int current_core() noexcept { return -1; }

}  // namespace gpukit::cpu

#endif
