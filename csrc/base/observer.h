// The one point where what gpukit does is observed: operators, derivatives, nodes of the graph,
// work of devices, waits. Anything that counts, traces, casts or profiles is an Observer and
// patches nothing.
//
// Each kind of event has a flag that is set while an observer subscribes to it: an event without
// subscribers costs one branch on a byte.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

namespace gpukit {

enum class WaitKind : std::uint8_t;  // base/wait_watch.h
struct DeviceWork;                   // core/device_work.h

namespace autograd {
class Node;
struct DerivativeCall;
}  // namespace autograd
namespace bindings {
class OperatorCall;
}

enum class Observed : std::uint8_t {
  kOperators,    ///< what Python calls: rows, slots, properties, modules
  kDerivatives,  ///< of the nodes, in a backward pass
  kNodes,        ///< recorded operations
  kDeviceWork,   ///< what reaches a device's arithmetic
  kQueuedWork,   ///< that a device is no longer idle
  kWaits,        ///< of the host for a device
};
inline constexpr std::size_t kObservedKinds = 6;

namespace detail {
inline constinit std::array<std::atomic<std::uint8_t>, kObservedKinds> observed{};  // 0 or 1
}  // namespace detail

/// Whether an observer in any thread subscribes to these events.
inline bool is_observed(Observed kind) noexcept {
  return detail::observed[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed) != 0;
}
/// The same as 0 or 1: an index costs no branch.
inline std::size_t observed_index(Observed kind) noexcept {
  return detail::observed[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
}

/// Operators are observed with the GIL, all else on whatever thread it happens and with or without
/// the GIL. `before` functions may throw, which prevents the event. Those
/// that are noexcept are called where nothing may fail: they take no lock that is held while an
/// operator is called, and not the GIL, but for after_wait.
class Observer {
 public:
  explicit Observer(std::initializer_list<Observed> wanted) noexcept {
    for (const Observed kind : wanted) wanted_ |= bit(kind);
  }
  virtual ~Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  bool observes(Observed kind) const noexcept { return (wanted_ & bit(kind)) != 0; }

  virtual void before_operator(bindings::OperatorCall&) {}
  virtual void after_operator(bindings::OperatorCall&) {}
  virtual void before_derivative(autograd::DerivativeCall&) {}
  virtual void after_derivative(autograd::DerivativeCall&) {}
  virtual void node_made(autograd::Node&) noexcept {}
  virtual void device_work(const DeviceWork&) noexcept {}
  virtual void work_queued() noexcept {}
  virtual void before_wait(WaitKind, std::size_t /*bytes*/) {}
  virtual void after_wait(WaitKind, std::size_t /*bytes*/, double /*seconds*/) noexcept {}

 private:
  static constexpr unsigned bit(Observed kind) noexcept {
    return 1u << static_cast<unsigned>(kind);
  }
  unsigned wanted_ = 0;
};

/// Which threads' events an observer receives.
enum class Reach : std::uint8_t { kThisThread, kAllThreads };

class Observation;
using ObservationPtr = std::shared_ptr<Observation>;

/// The observer now receives the events it subscribes to. A thread that ends removes its observers;
/// the child of a fork keeps those of the forking thread and those of all threads.
ObservationPtr observe(std::shared_ptr<Observer> observer, Reach reach);
/// It receives nothing that begins after this. May be called from any thread; a second call does
/// nothing.
void end_observation(const ObservationPtr& observation) noexcept;

/// An observer with its place among the others.
class Observation {
 public:
  Observation(std::shared_ptr<Observer> observer, std::uint64_t number) noexcept
      : observer_(std::move(observer)), number_(number) {}

  Observer& observer() const noexcept { return *observer_; }
  /// Larger than that of all older ones.
  std::uint64_t number() const noexcept { return number_; }
  bool ended() const noexcept { return ended_.load(std::memory_order_acquire); }
  /// True for the first call.
  bool end() noexcept { return !ended_.exchange(true, std::memory_order_acq_rel); }

 private:
  std::shared_ptr<Observer> observer_;
  std::uint64_t number_;
  std::atomic<bool> ended_{false};
};

/// What happens inside a call that is observed, recorded for the observers of the call's end, so
/// that no Python has to run where the work is done. One a call; they form a stack of the thread.
class CallScope {
 public:
  CallScope() noexcept;
  virtual ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// The innermost of this thread, or nullptr.
  static CallScope* current() noexcept;
  CallScope* outer() const noexcept { return outer_; }
  int depth() const noexcept { return depth_; }
  /// Pops the stack: its records are also the outer one's.
  void leave() noexcept;

  virtual void add_work(const DeviceWork&) noexcept {}
  virtual void add_node(autograd::Node&) noexcept {}
  virtual void add_inner(const CallScope& /*inner*/) noexcept {}

 private:
  CallScope* outer_;
  int depth_;
  bool left_ = false;
};

/// The observers that this thread's calls go to, oldest first.
///
/// An observer that calls operators itself is seen by older ones only, never by itself: what it
/// adds to a program (the casts of autocast) is part of the program for those beneath it.
class CallObservers {
 public:
  explicit CallObservers(Observed kind);
  bool empty() const noexcept { return observations_.empty(); }

  /// The youngest first. When one throws, the remaining are not called.
  template <class Call>
  void before(Call&& call) {
    for (begun_ = observations_.size(); begun_ > 0; --begun_) {
      const Turn turn(*observations_[begun_ - 1]);
      if (!call(turn.observer())) {
        --begun_;
        return;
      }
    }
  }
  /// The other way round: those whose `before` was done. `call` must not throw.
  template <class Call>
  void after(Call&& call) noexcept {
    for (; begun_ < observations_.size(); ++begun_) {
      const Turn turn(*observations_[begun_]);
      call(turn.observer());
    }
  }

 private:
  /// While it lives this thread's calls are those of an observer.
  class Turn {
   public:
    explicit Turn(const Observation& observation) noexcept;
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    Observer& observer() const noexcept { return observation_.observer(); }

   private:
    const Observation& observation_;
    std::uint64_t limit_before_;
    CallScope* scope_before_;
  };

  std::vector<ObservationPtr> observations_;
  std::size_t begun_ = 0;  ///< observations_[begun_, end) have had their `before`
};

/// The observers of this kind of fact, regardless of reentrancy.
std::vector<ObservationPtr> observers_of_facts(Observed kind);

namespace detail {
void report(const DeviceWork& work) noexcept;
void report(autograd::Node& node) noexcept;
void report_queued_work() noexcept;
}  // namespace detail

/// Said by a device's arithmetic when it was called. Only while kDeviceWork is observed.
inline void note(const DeviceWork& work) noexcept { detail::report(work); }
/// Said when a recorded operation enters the graph.
inline void note(autograd::Node& node) noexcept {
  if (is_observed(Observed::kNodes)) [[unlikely]]
    detail::report(node);
}
/// Said by a backend when it queues work: the device is not idle from now on.
inline void note_queued_work() noexcept {
  if (is_observed(Observed::kQueuedWork)) [[unlikely]]
    detail::report_queued_work();
}

}  // namespace gpukit
