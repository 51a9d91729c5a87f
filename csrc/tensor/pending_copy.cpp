#include "tensor/pending_copy.h"

#include "base/check.h"
#include "base/device_use.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/process_state.h"

namespace gpukit {

namespace pending_copy {
namespace {

using Clock = WaitPacing::Clock;

constexpr auto kInterruptPeriod = std::chrono::milliseconds(10);

[[noreturn]] void throw_lost_in_fork() {
  throw DeviceError(
      "a copy was under way when this process was made by fork(); its bytes never arrive here. "
      "Wait "
      "for copies before fork, or use multiprocessing's 'spawn' method.")
      .with_fix("multiprocessing.set_start_method('spawn')");
}

}  // namespace
}  // namespace pending_copy

PendingCopy::PendingCopy(OpenDevice& carrier)
    : session_(carrier.session().shared_from_this()),
      carrier_(carrier),
      event_(carrier.runtime().create_event({})) {
  // Queued later, perhaps by another thread: reported now, so that it is charged to the caller.
  note_device_use(carrier.device().index, kNoStreamYet);
}

PendingCopy::~PendingCopy() {
  if (!carrier_.alive() || !process_state::driver_usable()) return;
  try {
    carrier_.runtime().destroy_event(event_);
  } catch (...) {  // the session ended meanwhile, and the event with it
  }
}

void PendingCopy::advance(State state) noexcept {
  {
    const std::lock_guard lock(mutex_);
    state_.store(state, std::memory_order_release);
  }
  changed_.notify_all();
}

void PendingCopy::mark_issued(StreamRef stream) {
  carrier_.runtime().record(event_, stream);
  advance(State::kIssued);
}

void PendingCopy::mark_done() noexcept { advance(State::kDone); }

void PendingCopy::mark_failed() noexcept {
  failure_ = std::current_exception();
  advance(State::kFailed);
}

/// As a new exception: several threads may call it.
void PendingCopy::throw_failure() {
  try {
    std::rethrow_exception(failure_);
  } catch (const std::exception& error) {
    throw TransferError(concat("a copy with ", to_string(carrier_.device()),
                               " failed after it was started: ", error.what()));
  }
}

bool PendingCopy::is_done() {
  switch (state_.load(std::memory_order_acquire)) {
    case State::kDone:
      return true;
    case State::kFailed:
      throw_failure();
    case State::kWaiting:
      if (process_state::forked_child()) pending_copy::throw_lost_in_fork();
      return false;
    case State::kIssued:
      break;
  }
  if (process_state::forked_child()) pending_copy::throw_lost_in_fork();
  if (!carrier_.runtime().query(event_)) return false;
  mark_done();
  return true;
}

void PendingCopy::rest(WaitPacing::Clock::duration longest) {
  std::unique_lock lock(mutex_);
  const State before = state_.load(std::memory_order_relaxed);
  changed_.wait_for(lock, longest,
                    [&] { return state_.load(std::memory_order_relaxed) != before; });
}

template <class Ready>
bool PendingCopy::wait_for(const Ready& ready, std::optional<Seconds> longest) {
  WaitPacing pacing;
  pending_copy::Clock::time_point asked = pending_copy::Clock::now();
  while (!ready()) {
    if (longest && pacing.waited() >= *longest) return false;
    const pending_copy::Clock::duration pause = pacing.pause();
    if (pause == pending_copy::Clock::duration::zero()) continue;
    const pending_copy::Clock::time_point now = pending_copy::Clock::now();
    if (now - asked >= pending_copy::kInterruptPeriod) {
      throw_if_interrupted();
      asked = now;
    }
    rest(pause);
  }
  return true;
}

void PendingCopy::wait_until_issued() {
  const auto issued = [this] {
    return state_.load(std::memory_order_acquire) == State::kIssued || is_done();
  };
  if (issued()) return;
  run_wait([&] { wait_for(issued, std::nullopt); });
}

bool PendingCopy::wait(std::optional<Seconds> longest) {
  if (is_done()) return true;
  bool arrived = false;
  run_wait([&] { arrived = wait_for([this] { return is_done(); }, longest); });
  return arrived;
}

void PendingCopy::order_before(DeviceRuntime& runtime, StreamRef stream) {
  wait_until_issued();
  if (!is_done()) runtime.wait(stream, event_);
}

}  // namespace gpukit
