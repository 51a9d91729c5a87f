// A thread's mask of cores, narrowed for a moment, over a made-up system: what the thread asked for
// is cut to the cpuset, and asked for again when the cpuset changes.
#include "cpu/core_mask.h"

#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "check.h"

namespace {

using gpukit::cpu::NarrowedMask;
using Mask = unsigned;  // a bit a core

Mask cpuset, asked;
int running_on;

Mask usable() { return (asked & cpuset) != 0 ? asked & cpuset : cpuset; }

void begin(Mask cpuset_cores, Mask asked_for = ~0u) {
  cpuset = cpuset_cores;
  asked = asked_for;
  running_on = 0;
}

void a_later_cpuset_is_used_after_the_moment() {
  for (const bool only : {false, true}) {
    begin(0b0011);
    {
      const NarrowedMask mask = only ? NarrowedMask::only(0) : NarrowedMask::without(0);
      CHECK(usable() == (only ? 0b0001u : 0b0010u));
    }
    CHECK(usable() == 0b0011);
    cpuset = 0b1111;
    CHECK(usable() == 0b1111);
  }
}

void a_mask_of_the_user_is_given_back() {
  begin(0b1111, 0b0011);
  {
    const NarrowedMask mask = NarrowedMask::without(1);
  }
  CHECK(asked == 0b0011);
}

void a_mask_that_is_set_meanwhile_stays() {
  begin(0b1111);
  {
    const NarrowedMask mask = NarrowedMask::without(1);
    asked = 0b1000;
  }
  CHECK(asked == 0b1000);
}

void nothing_happens_without_a_core_or_a_choice() {
  begin(0b0001, 0b0001);
  for (const int core : {-1, 0, CPU_SETSIZE}) {
    const NarrowedMask mask = NarrowedMask::without(core);
    CHECK(asked == 0b0001);
  }
  CHECK(asked == 0b0001);
  running_on = 3;
  CHECK(gpukit::cpu::current_core() == 3);
}

}  // namespace

extern "C" {

int sched_getcpu() noexcept { return running_on; }

int sched_getaffinity(pid_t, size_t size, cpu_set_t* mask) noexcept {
  std::memset(mask, 0, size);
  const Mask now = usable();
  std::memcpy(mask, &now, sizeof now);
  return 0;
}

int sched_setaffinity(pid_t, size_t, const cpu_set_t* mask) noexcept {
  Mask wanted;
  std::memcpy(&wanted, mask, sizeof wanted);
  if ((wanted & cpuset) == 0) {
    errno = EINVAL;
    return -1;
  }
  asked = wanted;
  return 0;
}

}  // extern "C"

int main() {
  a_later_cpuset_is_used_after_the_moment();
  a_mask_of_the_user_is_given_back();
  a_mask_that_is_set_meanwhile_stays();
  nothing_happens_without_a_core_or_a_choice();
}
