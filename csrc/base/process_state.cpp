#include "base/process_state.h"

#include <pthread.h>

namespace gpukit::process_state {

namespace {

extern "C" void gpukit_flag_forked_child() {
  detail::forked_flag.store(true, std::memory_order_relaxed);
}

}  // namespace

void mark_exiting() noexcept { detail::exiting_flag.store(true, std::memory_order_release); }

void arm_fork_guard() noexcept {
  static constinit std::atomic<bool> armed{false};
  if (armed.exchange(true)) return;
  pthread_atfork(nullptr, nullptr, gpukit_flag_forked_child);
}

}  // namespace gpukit::process_state
