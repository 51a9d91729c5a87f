// The one place that every wait of the host for a device goes through: where waits are counted,
// warned of and refused.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpukit {

/// What made the host wait. The names are those of gpukit.watch.
enum class WaitKind : std::uint8_t {
  kItem,
  kPrint,
  kNumpy,
  kBool,
  kIndex,
  kCopy,      ///< a copy to the CPU that was not asked to be non-blocking
  kPageable,  ///< an upload of ordinary memory
  kSync,      ///< an explicit synchronize or wait
};
std::string_view name(WaitKind kind) noexcept;

/// All may run on any thread and without the GIL, with no lock held; `before` may throw and the
/// wait then does not happen. `work` is told of every piece of work that is queued on a device.
struct WaitObserver {
  void (*before)(WaitKind kind, std::size_t bytes);
  void (*after)(WaitKind kind, std::size_t bytes, double seconds) noexcept;
  void (*work)() noexcept;
};

namespace detail {
inline constinit std::atomic<const WaitObserver*> wait_observer{nullptr};
}  // namespace detail

/// The one observer, which must live on; nullptr for none: watching costs one load then.
inline void set_wait_observer(const WaitObserver* observer) noexcept {
  detail::wait_observer.store(observer, std::memory_order_release);
}

/// Said by a backend when it queues work: the device is not idle from now on.
inline void note_device_work() noexcept {
  const WaitObserver* observer = detail::wait_observer.load(std::memory_order_acquire);
  if (observer != nullptr) [[unlikely]]
    observer->work();
}

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
  WatchedWait(WaitKind otherwise, std::size_t bytes)
      : observer_(detail::wait_observer.load(std::memory_order_acquire)) {
    if (observer_ != nullptr) [[unlikely]]
      begin(otherwise, bytes);
  }
  ~WatchedWait() {
    if (observer_ != nullptr) [[unlikely]]
      end();
  }
  WatchedWait(const WatchedWait&) = delete;
  WatchedWait& operator=(const WatchedWait&) = delete;

 private:
  void begin(WaitKind otherwise, std::size_t bytes);
  void end() noexcept;

  const WaitObserver* observer_;
  WaitKind kind_{};
  std::size_t bytes_ = 0;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace gpukit
