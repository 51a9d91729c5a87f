#include "bindings/wait_log.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/fork_hooks.h"
#include "base/format.h"
#include "base/thread_local.h"
#include "bindings/exceptions.h"
#include "bindings/gil.h"

namespace gpukit::bindings {

namespace {

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Nanoseconds in which no work was queued after a wait had drained its device.
struct IdleClock {
  std::atomic<std::int64_t> since{0};  ///< 0: work is queued
  std::atomic<std::int64_t> total{0};

  void begin() noexcept { since.store(now_ns(), std::memory_order_relaxed); }
  void end() noexcept {
    if (since.load(std::memory_order_relaxed) == 0) return;
    const std::int64_t from = since.exchange(0, std::memory_order_relaxed);
    if (from != 0) total.fetch_add(now_ns() - from, std::memory_order_relaxed);
  }
  std::int64_t now() const noexcept {
    const std::int64_t from = since.load(std::memory_order_relaxed);
    return total.load(std::memory_order_relaxed) + (from == 0 ? 0 : now_ns() - from);
  }
};
constinit IdleClock idle_clock;

struct Running {
  std::mutex mutex;  ///< guards `logs`; taken after the GIL and before a log's own mutex
  std::vector<WaitLog*> logs;
  ObservationPtr observation;  ///< while there are logs; guarded by the GIL
};
Running& running() {
  // Never destroyed: threads may outlive the module. Waiting threads hold the lock without the GIL,
  // so os.fork() has to take it.
  static Running* const shared = [] {
    const auto unlock = [] { running().mutex.unlock(); };
    set_fork_hooks(ForkLevel::kWaitLogs, {[] { running().mutex.lock(); }, unlock, unlock});
    return new Running;
  }();
  return *shared;
}

GPUKIT_FAST_THREAD_LOCAL constinit int allowed = 0;

std::string message(WaitKind kind, std::size_t bytes) {
  return concat("Python waits here for a GPU: ", name(kind), " (",
                format_bytes(static_cast<std::int64_t>(bytes)),
                "). Keep the value on the device, use non_blocking=True, or allow it with "
                "gpukit.allow_sync(). gpukit.watch or set_sync_debug_mode asked to be told");
}

void warn(WaitKind kind, std::size_t bytes) {
  const TakeGil gil;
  const SourceLocation location = current_source_location();
  const py::object category = imported("gpukit.errors").attr("GpukitWarning");
  const std::string text = message(kind, bytes);
  checked_status(PyErr_WarnExplicit(category.ptr(), text.c_str(), location.file.c_str(),
                                    location.line, nullptr, nullptr));
}

/// The strictest mode of the logs that take this wait.
WatchMode strictest(WaitKind kind, std::size_t bytes) {
  const std::lock_guard lock(running().mutex);
  WatchMode mode = WatchMode::kReport;
  for (const WaitLog* log : running().logs) {
    if (log->filter().takes(kind, bytes)) mode = std::max(mode, log->filter().mode);
  }
  return mode;
}

void check_wait(WaitKind kind, std::size_t bytes) {
  if (allowed > 0 || interpreter_is_finalizing()) return;
  const WatchMode mode = strictest(kind, bytes);
  if (mode == WatchMode::kError) {
    throw DeviceError(message(kind, bytes)).with_fix("with gpukit.allow_sync():");
  }
  if (mode == WatchMode::kWarn) warn(kind, bytes);
}

void count(WaitKind kind, std::size_t bytes, double seconds) {
  const TakeGil gil;
  const WaitRow wait{current_source_location(), kind, 1, static_cast<std::int64_t>(bytes), seconds};
  const std::lock_guard lock(running().mutex);
  for (WaitLog* log : running().logs) {
    if (log->filter().takes(kind, bytes)) log->add(wait);
  }
}

void count_wait(WaitKind kind, std::size_t bytes, double seconds) noexcept {
  idle_clock.begin();
  if (allowed > 0 || interpreter_is_finalizing()) return;
  try {
    count(kind, bytes, seconds);
  } catch (...) {
    // A wait that cannot be counted is still a wait that succeeded.
  }
}

/// One for all logs: the idle clock is one.
class WaitLogs final : public Observer {
 public:
  WaitLogs() noexcept : Observer({Observed::kWaits, Observed::kQueuedWork}) {}
  void before_wait(WaitKind kind, std::size_t bytes) override { check_wait(kind, bytes); }
  void after_wait(WaitKind kind, std::size_t bytes, double seconds) noexcept override {
    count_wait(kind, bytes, seconds);
  }
  void work_queued() noexcept override { idle_clock.end(); }
};

}  // namespace

void WaitLog::start() {
  if (running_) return;
  if (!running().observation)
    running().observation = observe(std::make_shared<WaitLogs>(), Reach::kAllThreads);
  running_ = true;
  begin_ns_ = now_ns();
  const std::lock_guard lock(running().mutex);
  if (running().logs.empty()) idle_clock.begin();
  running().logs.push_back(this);
  idle_at_begin_ns_ = idle_clock.now();
}

void WaitLog::stop() noexcept {
  if (!running_) return;
  running_ = false;
  end_ns_ = now_ns();
  idle_at_end_ns_ = idle_clock.now();
  ObservationPtr unused;
  {
    const std::lock_guard lock(running().mutex);
    std::erase(running().logs, this);
    if (running().logs.empty()) unused = std::exchange(running().observation, nullptr);
  }
  if (unused) end_observation(unused);
}

std::vector<WaitRow> WaitLog::rows() const {
  const std::lock_guard lock(mutex_);
  std::vector<WaitRow> rows;
  for (const auto& [key, row] : rows_) rows.push_back(row);
  return rows;
}

double WaitLog::seconds() const noexcept {
  return 1e-9 * static_cast<double>((running_ ? now_ns() : end_ns_) - begin_ns_);
}

double WaitLog::idle_seconds() const noexcept {
  const std::int64_t end = running_ ? idle_clock.now() : idle_at_end_ns_;
  return 1e-9 * static_cast<double>(end - idle_at_begin_ns_);
}

void WaitLog::add(const WaitRow& wait) {
  const std::lock_guard lock(mutex_);
  const auto [entry, fresh] =
      rows_.try_emplace(Key{wait.location.file, wait.location.line, wait.kind}, wait);
  if (fresh) return;
  entry->second.count += wait.count;
  entry->second.bytes += wait.bytes;
  entry->second.seconds += wait.seconds;
}

void push_allowed_wait() noexcept { ++allowed; }
void pop_allowed_wait() noexcept { --allowed; }

}  // namespace gpukit::bindings
