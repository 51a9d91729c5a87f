// Observers that end while others use them, and waits that an observer refuses.
#include "base/observer.h"

#include <memory>
#include <stdexcept>
#include <thread>

#include "base/wait_watch.h"
#include "check.h"

namespace {

using namespace gpukit;

/// Counts the waits that begin and end; refuses those to come if told so.
class Waits final : public Observer {
 public:
  Waits() : Observer({Observed::kWaits}) {}
  void before_wait(WaitKind, std::size_t) override {
    if (refuses) throw std::runtime_error("refused");
    ++open;
  }
  void after_wait(WaitKind, std::size_t, double seconds) noexcept override {
    --open;
    CHECK(seconds >= 0);
  }

  bool refuses = false;
  int open = 0;
};

void test_a_refused_wait_ends_for_those_who_were_told() {
  const auto first = std::make_shared<Waits>(), second = std::make_shared<Waits>(),
             third = std::make_shared<Waits>();
  const ObservationPtr observations[] = {observe(first, Reach::kAllThreads),
                                         observe(second, Reach::kAllThreads),
                                         observe(third, Reach::kAllThreads)};
  second->refuses = true;
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS(std::runtime_error, const WatchedWait wait(WaitKind::kSync, 8));
    CHECK(first->open == 0 && second->open == 0 && third->open == 0);
  }
  second->refuses = false;
  {
    const WatchedWait wait(WaitKind::kSync, 8);
    CHECK(first->open == 1 && second->open == 1 && third->open == 1);
  }
  CHECK(first->open == 0 && second->open == 0 && third->open == 0);
  for (const ObservationPtr& one : observations) end_observation(one);
  CHECK(!is_observed(Observed::kWaits));
}

/// An observer of a thread that lives on is released when another thread ends it.
void test_another_thread_ends_an_observation() {
  auto observer = std::make_shared<Waits>();
  const std::weak_ptr<Waits> alive = observer;
  ObservationPtr observation = observe(std::move(observer), Reach::kThisThread);
  std::thread([&] { end_observation(observation); }).join();
  CHECK(!is_observed(Observed::kWaits));
  observation.reset();
  CHECK(alive.expired());
}

void test_a_thread_takes_its_observers_along() {
  std::weak_ptr<Waits> alive;
  std::thread([&] {
    auto observer = std::make_shared<Waits>();
    alive = observer;
    observe(std::move(observer), Reach::kThisThread);
    CHECK(is_observed(Observed::kWaits));
  }).join();
  CHECK(alive.expired());
  CHECK(!is_observed(Observed::kWaits));
}

/// A thread's observer receives that thread's events only.
void test_reach() {
  const auto own = std::make_shared<Waits>(), all = std::make_shared<Waits>();
  const ObservationPtr ours = observe(own, Reach::kThisThread);
  const ObservationPtr everyones = observe(all, Reach::kAllThreads);
  std::thread([&] {
    const WatchedWait wait(WaitKind::kSync, 8);
    CHECK(own->open == 0 && all->open == 1);
  }).join();
  {
    const WatchedWait wait(WaitKind::kSync, 8);
    CHECK(own->open == 1 && all->open == 1);
  }
  end_observation(ours);
  end_observation(everyones);
  end_observation(ours);
}

}  // namespace

int main() {
  test_a_refused_wait_ends_for_those_who_were_told();
  test_another_thread_ends_an_observation();
  test_a_thread_takes_its_observers_along();
  test_reach();
  return 0;
}
