#include "base/wait_watch.h"

#include <array>
#include <optional>

namespace gpukit {

namespace {

constinit thread_local std::optional<WaitKind> reason;

using Place = std::atomic<const WaitObserver*>;
constinit std::array<Place, 4> observers{};

/// Puts `to` where `from` stands; false when it stands nowhere.
bool replace(const WaitObserver* from, const WaitObserver* to) noexcept {
  for (Place& place : observers) {
    const WaitObserver* expected = from;
    if (place.compare_exchange_strong(expected, to)) return true;
  }
  return false;
}

bool has(const WaitObserver* observer) noexcept {
  for (const Place& place : observers) {
    if (place.load() == observer) return true;
  }
  return false;
}

/// Calls one of the observers' functions where it is set.
template <class Function, class... Arguments>
void tell(Function WaitObserver::* function, Arguments... arguments) {
  for (const Place& place : observers) {
    const WaitObserver* observer = place.load(std::memory_order_acquire);
    if (observer != nullptr && observer->*function != nullptr) (observer->*function)(arguments...);
  }
}

}  // namespace

std::string_view name(WaitKind kind) noexcept {
  static constexpr std::array<std::string_view, 8> kNames = {"item",  "print", "numpy",    "bool",
                                                             "index", "copy",  "pageable", "sync"};
  return kNames[static_cast<std::size_t>(kind)];
}

void add_wait_observer(const WaitObserver* observer) noexcept {
  if (!has(observer)) replace(nullptr, observer);
  detail::waits_are_watched.store(true, std::memory_order_release);
}

void remove_wait_observer(const WaitObserver* observer) noexcept {
  replace(observer, nullptr);
  for (const Place& place : observers) {
    if (place.load() != nullptr) return;
  }
  detail::waits_are_watched.store(false, std::memory_order_release);
}

void detail::tell_device_work() noexcept { tell(&WaitObserver::work); }

WaitReason::WaitReason(WaitKind kind) noexcept : outermost_(!reason.has_value()) {
  if (outermost_) reason = kind;
}

WaitReason::~WaitReason() {
  if (outermost_) reason.reset();
}

void WatchedWait::begin(WaitKind otherwise, std::size_t bytes) {
  kind_ = reason.value_or(otherwise);
  bytes_ = bytes;
  tell(&WaitObserver::before, kind_, bytes_);
  start_ = std::chrono::steady_clock::now();
}

void WatchedWait::end() noexcept {
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start_;
  tell(&WaitObserver::after, kind_, bytes_, waited.count());
}

}  // namespace gpukit
