// What gpukit.watch counts: every wait of Python for a device, by the line of Python that waited.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "base/wait_watch.h"
#include "bindings/source_location.h"

namespace gpukit::bindings {

enum class WatchMode : std::uint8_t { kReport, kWarn, kError };

/// Which waits a log is about.
struct WaitFilter {
  WatchMode mode = WatchMode::kReport;
  std::size_t min_bytes = 0;
  std::uint32_t kinds = 0;  ///< bit k: the WaitKind of number k

  bool takes(WaitKind kind, std::size_t bytes) const noexcept {
    return bytes >= min_bytes && (kinds >> static_cast<unsigned>(kind) & 1u) != 0;
  }
};

/// One line of Python and one kind of wait.
struct WaitRow {
  SourceLocation location;
  WaitKind kind{};
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  double seconds = 0;
};

/// Counts between start and stop, in all threads. Several may run at once.
class WaitLog {
 public:
  explicit WaitLog(WaitFilter filter) noexcept : filter_(filter) {}
  ~WaitLog() { stop(); }
  WaitLog(const WaitLog&) = delete;
  WaitLog& operator=(const WaitLog&) = delete;

  /// Both need the GIL.
  void start();
  void stop() noexcept;
  std::vector<WaitRow> rows() const;
  /// Seconds from start to stop or now.
  double seconds() const noexcept;
  /// Of these, seconds between the end of a wait and the next work queued on a device.
  double idle_seconds() const noexcept;

  /// One more wait. Needs the GIL, for the line that waited.
  void add(const WaitRow& wait);
  const WaitFilter& filter() const noexcept { return filter_; }

 private:
  using Key = std::tuple<std::string, int, WaitKind>;

  WaitFilter filter_;
  mutable std::mutex mutex_;
  std::map<Key, WaitRow> rows_;
  bool running_ = false;
  std::int64_t begin_ns_ = 0, end_ns_ = 0;
  std::int64_t idle_at_begin_ns_ = 0, idle_at_end_ns_ = 0;
};

/// Waits of this thread are neither counted, warned of nor refused until the matching call.
void push_allowed_wait() noexcept;
void pop_allowed_wait() noexcept;

}  // namespace gpukit::bindings
