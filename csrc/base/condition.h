// Waiting on a condition variable.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace gpukit {

/// Waits until `ready()` is true. Not condition_variable::wait, whose symbol libstdc++ renewed in
/// GCC 12: calling it would bind the wheel to that release.
template <class Ready>
void wait_until(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                const Ready& ready) {
  while (!ready()) {
    changed.wait_for(lock, std::chrono::hours(1));
  }
}

}  // namespace gpukit
