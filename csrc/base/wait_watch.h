// Every wait of the host for a device goes through here: where observers count, warn
// of and refuse waits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/observer.h"

namespace gpukit {

/// What made the host wait. The names match gpukit.watch.
enum class WaitKind : std::uint8_t {
  kItem,
  kPrint,
  kNumpy,
  kBool,
  kIndex,
  kCopy,      ///< a copy to the CPU without non_blocking
  kPageable,  ///< an upload of ordinary memory
  kSync,      ///< an explicit synchronize or wait
};
std::string_view name(WaitKind kind) noexcept;

/// Says for a scope what this thread's waits are for; the outermost scope decides.
class WaitReason {
 public:
  explicit WaitReason(WaitKind kind) noexcept;
  ~WaitReason();
  WaitReason(const WaitReason&) = delete;
  WaitReason& operator=(const WaitReason&) = delete;

 private:
  bool outermost_;
};

/// What this thread's WaitReason says, else `otherwise`.
WaitKind wait_reason(WaitKind otherwise) noexcept;

/// Stands around one wait. `otherwise`: its kind where no WaitReason says.
class WatchedWait {
 public:
  WatchedWait(WaitKind otherwise, std::size_t bytes) {
    if (is_observed(Observed::kWaits)) [[unlikely]]
      begin(otherwise, bytes);
  }
  ~WatchedWait() {
    if (!observers_.empty()) [[unlikely]]
      end();
  }
  WatchedWait(const WatchedWait&) = delete;
  WatchedWait& operator=(const WatchedWait&) = delete;

 private:
  void begin(WaitKind otherwise, std::size_t bytes);
  void end() noexcept;

  std::vector<ObservationPtr> observers_;  ///< that were notified of its start
  WaitKind kind_{};
  std::size_t bytes_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace gpukit
