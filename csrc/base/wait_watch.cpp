#include "base/wait_watch.h"

#include <array>
#include <optional>

#include "base/thread_local.h"

namespace gpukit {

namespace {

GPUKIT_FAST_THREAD_LOCAL constinit std::optional<WaitKind> reason;

}  // namespace

std::string_view name(WaitKind kind) noexcept {
  static constexpr std::array<std::string_view, 8> kNames = {"item",  "print", "numpy",    "bool",
                                                             "index", "copy",  "pageable", "sync"};
  return kNames[static_cast<std::size_t>(kind)];
}

WaitKind wait_reason(WaitKind otherwise) noexcept { return reason.value_or(otherwise); }

WaitReason::WaitReason(WaitKind kind) noexcept : outermost_(!reason.has_value()) {
  if (outermost_) reason = kind;
}

WaitReason::~WaitReason() {
  if (outermost_) reason.reset();
}

void WatchedWait::begin(WaitKind otherwise, std::size_t bytes) {
  kind_ = reason.value_or(otherwise);
  bytes_ = bytes;
  start_ = std::chrono::steady_clock::now();
  try {
    for (const ObservationPtr& one : observers_of_facts(Observed::kWaits)) {
      one->observer().before_wait(kind_, bytes_);
      observers_.push_back(one);
    }
  } catch (...) {  // one of them refuses the wait: those notified before it are notified of the end
    end();
    throw;
  }
  start_ = std::chrono::steady_clock::now();
}

void WatchedWait::end() noexcept {
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start_;
  for (const ObservationPtr& one : observers_)
    one->observer().after_wait(kind_, bytes_, waited.count());
}

}  // namespace gpukit
