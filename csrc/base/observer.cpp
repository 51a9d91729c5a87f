#include "base/observer.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "base/fork_hooks.h"

namespace gpukit {

namespace {

using Observations = std::vector<ObservationPtr>;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Those of all threads, and how many want what. Never destroyed: threads outlive the module.
struct ObserverRegistry {
  std::mutex mutex;
  std::shared_ptr<const Observations> all_threads = std::make_shared<Observations>();
  std::array<int, kObservedKinds> wanted{};
  std::uint64_t next_number = 0;

  void count(const Observer& observer, int change) noexcept {
    for (std::size_t kind = 0; kind < kObservedKinds; ++kind) {
      if (observer.wants(static_cast<Observed>(kind))) wanted[kind] += change;
      detail::observed[kind].store(wanted[kind] > 0 ? 1 : 0, std::memory_order_relaxed);
    }
  }
};

ObserverRegistry& observer_registry() {
  static auto* const shared = new ObserverRegistry;
  return *shared;
}

/// The observers of one thread. They end with it.
struct ThreadObservers {
  Observations own;
  ~ThreadObservers();
};

constinit thread_local ThreadObservers* thread_observers = nullptr;
constinit thread_local std::uint64_t youngest_heard = kNoLimit;  ///< numbers below it
constinit thread_local CallScope* current_scope = nullptr;

ThreadObservers::~ThreadObservers() {
  thread_observers = nullptr;
  for (const ObservationPtr& observation : own) end_observation(observation);
}

ThreadObservers& own_observers() {
  if (thread_observers == nullptr) {
    static thread_local ThreadObservers made;
    thread_observers = &made;
  }
  return *thread_observers;
}

// Of the child only the forking thread is left: the observers of others are heard of no more.
void recount_in_child() noexcept {
  ObserverRegistry& registry = observer_registry();
  registry.wanted = {};
  registry.count(Observer({}), 0);
  for (const ObservationPtr& one : *registry.all_threads) registry.count(one->observer(), 1);
  if (thread_observers == nullptr) return;
  for (const ObservationPtr& one : thread_observers->own) {
    if (!one->ended()) registry.count(one->observer(), 1);
  }
}

void guard_forks() {
  static std::once_flag once;
  std::call_once(once, [] {
    set_fork_hooks(ForkLevel::kObservers, {[] { observer_registry().mutex.lock(); },
                                           [] { observer_registry().mutex.unlock(); },
                                           [] {
                                             recount_in_child();
                                             observer_registry().mutex.unlock();
                                           }});
  });
}

std::shared_ptr<const Observations> all_threads_now() {
  const std::lock_guard lock(observer_registry().mutex);
  return observer_registry().all_threads;
}

/// Those older than `limit` that want the events, oldest first.
Observations those_who_want(Observed kind, std::uint64_t limit) {
  Observations found;
  const auto take = [&](const Observations& from) {
    for (const ObservationPtr& one : from) {
      if (one->number() < limit && !one->ended() && one->observer().wants(kind))
        found.push_back(one);
    }
  };
  take(*all_threads_now());
  if (thread_observers != nullptr) take(thread_observers->own);
  std::ranges::sort(found, {}, [](const ObservationPtr& one) { return one->number(); });
  return found;
}

/// Tells all of them of a fact, whoever's turn it is: facts happen, by whose call they may.
template <class Call>
void tell(Observed kind, Call&& call) noexcept {
  const auto tell_those = [&](const Observations& those) {
    for (const ObservationPtr& one : those) {
      if (!one->ended() && one->observer().wants(kind)) call(one->observer());
    }
  };
  tell_those(*all_threads_now());
  if (thread_observers != nullptr) tell_those(thread_observers->own);
}

}  // namespace

ObservationPtr observe(std::shared_ptr<Observer> observer, Reach reach) {
  guard_forks();
  ThreadObservers& own = own_observers();
  ObserverRegistry& registry = observer_registry();
  std::erase_if(own.own, [](const ObservationPtr& one) { return one->ended(); });
  const std::lock_guard lock(registry.mutex);
  auto made = std::make_shared<Observation>(std::move(observer), registry.next_number++);
  if (reach == Reach::kThisThread) {
    own.own.push_back(made);
  } else {
    auto grown = std::make_shared<Observations>(*registry.all_threads);
    grown->push_back(made);
    registry.all_threads = std::move(grown);
  }
  registry.count(made->observer(), 1);
  return made;
}

void end_observation(const ObservationPtr& observation) noexcept {
  if (!observation->end()) return;
  if (thread_observers != nullptr) std::erase(thread_observers->own, observation);
  std::shared_ptr<const Observations> before;  // goes without the lock: an observer may end with it
  ObserverRegistry& registry = observer_registry();
  const std::lock_guard lock(registry.mutex);
  registry.count(observation->observer(), -1);
  const auto is_it = [&](const ObservationPtr& one) { return one == observation; };
  if (std::ranges::none_of(*registry.all_threads, is_it)) return;
  auto fewer = std::make_shared<Observations>(*registry.all_threads);
  std::erase_if(*fewer, is_it);
  before = std::exchange(registry.all_threads, std::move(fewer));
}

CallScope::CallScope() noexcept
    : outer_(current_scope), depth_(outer_ == nullptr ? 0 : outer_->depth_ + 1) {
  current_scope = this;
}

CallScope::~CallScope() { leave(); }

CallScope* CallScope::current() noexcept { return current_scope; }

void CallScope::leave() noexcept {
  if (left_) return;
  left_ = true;
  current_scope = outer_;
  if (outer_ != nullptr) outer_->add_inner(*this);
}

CallObservers::CallObservers(Observed kind)
    : observations_(those_who_want(kind, youngest_heard)), begun_(observations_.size()) {}

// What an observer calls stands beside the call that it is told of, not inside it: older observers
// have not heard of that one yet.
CallObservers::Turn::Turn(const Observation& observation) noexcept
    : observation_(observation), limit_before_(youngest_heard), scope_before_(current_scope) {
  youngest_heard = observation.number();
  if (current_scope != nullptr) current_scope = current_scope->outer();
}

CallObservers::Turn::~Turn() {
  youngest_heard = limit_before_;
  current_scope = scope_before_;
}

std::vector<ObservationPtr> observers_of_facts(Observed kind) {
  return those_who_want(kind, kNoLimit);
}

namespace detail {

void report_work(const DeviceWork& work) noexcept {
  if (current_scope != nullptr) current_scope->add_work(work);
  tell(Observed::kDeviceWork, [&](Observer& observer) { observer.device_work(work); });
}

void report_node(autograd::Node& node) noexcept {
  if (current_scope != nullptr) current_scope->add_node(node);
  tell(Observed::kNodes, [&](Observer& observer) { observer.node_made(node); });
}

void report_queued_work() noexcept {
  tell(Observed::kQueuedWork, [](Observer& observer) { observer.work_queued(); });
}

}  // namespace detail

}  // namespace gpukit
