#include "base/process_state.h"

#include <pthread.h>

#include <string>

#include "base/error.h"

namespace gpukit::process_state {

namespace {

extern "C" void gpukit_flag_forked_child() {
  detail::forked_flag.store(true, std::memory_order_relaxed);
}

}  // namespace

void check_not_forked(std::string_view what) {
  if (!forked_child()) return;
  throw DriverError(std::string(what) + (what.empty() ? "" : ": ") +
                    "a GPU cannot be used in a process made by fork() after its parent used one. "
                    "Start the process with multiprocessing's 'spawn' method instead of 'fork'.")
      .with_fix("multiprocessing.set_start_method('spawn')");
}

void mark_exiting() noexcept { detail::exiting_flag.store(true, std::memory_order_release); }

void arm_fork_guard() noexcept {
  static constinit std::atomic<bool> armed{false};
  if (armed.exchange(true)) return;
  pthread_atfork(nullptr, nullptr, gpukit_flag_forked_child);
}

}  // namespace gpukit::process_state
