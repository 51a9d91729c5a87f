#include "base/observer.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "base/fork_hooks.h"

namespace gpukit {

namespace observer {
namespace {

using Observations = std::vector<ObservationPtr>;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// A list that is replaced as a whole, so that readers need the lock only to take it.
using SharedObservations = std::shared_ptr<const Observations>;

/// The observers of one thread. They end with it. Guarded by the registry's mutex.
struct ThreadObservers {
  SharedObservations own = std::make_shared<Observations>();
  ThreadObservers();
  ~ThreadObservers();
};

/// Those of all threads, and how many want what. Never destroyed: threads outlive the module.
struct ObserverRegistry {
  std::mutex mutex;
  SharedObservations all_threads = std::make_shared<Observations>();
  std::vector<ThreadObservers*> threads;  ///< that have or had their own observers
  std::array<int, kObservedKinds> wanted{};
  std::uint64_t next_number = 0;

  void count(const Observer& observer, int change) noexcept {
    for (std::size_t kind = 0; kind < kObservedKinds; ++kind) {
      if (observer.observes(static_cast<Observed>(kind))) wanted[kind] += change;
      detail::observed[kind].store(wanted[kind] > 0 ? 1 : 0, std::memory_order_relaxed);
    }
  }
};

ObserverRegistry& observer_registry() {
  static auto* const shared = new ObserverRegistry;
  return *shared;
}

constinit thread_local ThreadObservers* thread_observers = nullptr;
constinit thread_local std::uint64_t youngest_heard = kNoLimit;  ///< numbers below it
constinit thread_local CallScope* current_scope = nullptr;

ThreadObservers::ThreadObservers() {
  const std::lock_guard lock(observer_registry().mutex);
  observer_registry().threads.push_back(this);
}

ThreadObservers::~ThreadObservers() {
  thread_observers = nullptr;
  SharedObservations last;
  {
    const std::lock_guard lock(observer_registry().mutex);
    std::erase(observer_registry().threads, this);
    last = std::move(own);
  }
  for (const ObservationPtr& observation : *last) end_observation(observation);
}

ThreadObservers& own_observers() {
  if (thread_observers == nullptr) {
    static thread_local ThreadObservers made;
    thread_observers = &made;
  }
  return *thread_observers;
}

// Of the child only the forking thread is left: the observers of others are heard of no more.
void after_fork_in_child() noexcept {
  ObserverRegistry& registry = observer_registry();
  registry.wanted = {};
  registry.count(Observer({}), 0);
  for (const ObservationPtr& one : *registry.all_threads) registry.count(one->observer(), 1);
  std::erase_if(registry.threads,
                [](const ThreadObservers* one) { return one != thread_observers; });
  if (thread_observers == nullptr) return;
  for (const ObservationPtr& one : *thread_observers->own) {
    if (!one->ended()) registry.count(one->observer(), 1);
  }
}

void install() {
  static std::once_flag once;
  std::call_once(once, [] {
    set_fork_hooks(ForkLevel::kObservers, {[] { observer_registry().mutex.lock(); },
                                           [] { observer_registry().mutex.unlock(); },
                                           [] {
                                             after_fork_in_child();
                                             observer_registry().mutex.unlock();
                                           }});
  });
}

/// Those that this thread's events go to.
struct Listeners {
  SharedObservations all_threads, own;  ///< own: null where the thread never had any
};

Listeners listeners() {
  const std::lock_guard lock(observer_registry().mutex);
  return {observer_registry().all_threads,
          thread_observers != nullptr ? thread_observers->own : nullptr};
}

/// Calls for each that wants the events: those of all threads first.
template <class Call>
void for_each_listener(Observed kind, Call&& call) {
  const Listeners both = listeners();
  for (const SharedObservations& list : {both.all_threads, both.own}) {
    if (list == nullptr) continue;
    for (const ObservationPtr& one : *list) {
      if (!one->ended() && one->observer().observes(kind)) call(one);
    }
  }
}

/// Those older than `limit` that want the events, oldest first.
Observations interested_observers(Observed kind, std::uint64_t limit) {
  Observations found;
  for_each_listener(kind, [&](const ObservationPtr& one) {
    if (one->number() < limit) found.push_back(one);
  });
  std::ranges::sort(found, {}, [](const ObservationPtr& one) { return one->number(); });
  return found;
}

/// Reports a fact to all observers, regardless of reentrancy: facts do not belong to a call.
template <class Call>
void tell(Observed kind, Call&& call) noexcept {
  for_each_listener(kind, [&](const ObservationPtr& one) { call(one->observer()); });
}

/// The list with one more.
SharedObservations with(const SharedObservations& list, const ObservationPtr& observation) {
  auto grown = std::make_shared<Observations>(*list);
  grown->push_back(observation);
  return grown;
}

/// Takes it out of the list. What was the list goes to `before`, to be released without the lock:
/// an observer may end with it.
void remove(SharedObservations& list, const ObservationPtr& observation,
            std::vector<SharedObservations>& before) {
  if (list == nullptr || std::ranges::find(*list, observation) == list->end()) return;
  auto fewer = std::make_shared<Observations>(*list);
  std::erase(*fewer, observation);
  before.push_back(std::exchange(list, std::move(fewer)));
}

}  // namespace
}  // namespace observer

ObservationPtr observe(std::shared_ptr<Observer> observer, Reach reach) {
  observer::install();
  observer::ThreadObservers& thread = observer::own_observers();
  observer::ObserverRegistry& registry = observer::observer_registry();
  const std::lock_guard lock(registry.mutex);
  auto made = std::make_shared<Observation>(std::move(observer), registry.next_number++);
  observer::SharedObservations& list =
      reach == Reach::kThisThread ? thread.own : registry.all_threads;
  list = observer::with(list, made);
  registry.count(made->observer(), 1);
  return made;
}

void end_observation(const ObservationPtr& observation) noexcept {
  if (!observation->end()) return;
  std::vector<observer::SharedObservations> before;
  observer::ObserverRegistry& registry = observer::observer_registry();
  const std::lock_guard lock(registry.mutex);
  registry.count(observation->observer(), -1);
  observer::remove(registry.all_threads, observation, before);
  for (observer::ThreadObservers* thread : registry.threads)
    observer::remove(thread->own, observation, before);
}

CallScope::CallScope() noexcept
    : outer_(observer::current_scope), depth_(outer_ == nullptr ? 0 : outer_->depth_ + 1) {
  observer::current_scope = this;
}

CallScope::~CallScope() { leave(); }

CallScope* CallScope::current() noexcept { return observer::current_scope; }

void CallScope::leave() noexcept {
  if (left_) return;
  left_ = true;
  observer::current_scope = outer_;
  if (outer_ != nullptr) outer_->add_inner(*this);
}

CallObservers::CallObservers(Observed kind)
    : observations_(observer::interested_observers(kind, observer::youngest_heard)),
      begun_(observations_.size()) {}

// What an observer calls is next to the call that is reported to it, not inside it: older observers
// have not heard of that one yet.
CallObservers::Turn::Turn(const Observation& observation) noexcept
    : observation_(observation),
      limit_before_(observer::youngest_heard),
      scope_before_(observer::current_scope) {
  observer::youngest_heard = observation.number();
  if (observer::current_scope != nullptr)
    observer::current_scope = observer::current_scope->outer();
}

CallObservers::Turn::~Turn() {
  observer::youngest_heard = limit_before_;
  observer::current_scope = scope_before_;
}

std::vector<ObservationPtr> observers_of_facts(Observed kind) {
  return observer::interested_observers(kind, observer::kNoLimit);
}

namespace detail {

void report(const DeviceWork& work) noexcept {
  if (observer::current_scope != nullptr) observer::current_scope->add_work(work);
  observer::tell(Observed::kDeviceWork, [&](Observer& observer) { observer.device_work(work); });
}

void report(autograd::Node& node) noexcept {
  if (observer::current_scope != nullptr) observer::current_scope->add_node(node);
  observer::tell(Observed::kNodes, [&](Observer& observer) { observer.node_made(node); });
}

void report_queued_work() noexcept {
  observer::tell(Observed::kQueuedWork, [](Observer& observer) { observer.work_queued(); });
}

}  // namespace detail

}  // namespace gpukit
