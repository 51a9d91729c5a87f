#include "memory/copy_worker.h"

#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <thread>

#include "base/condition.h"
#include "base/error.h"
#include "base/interrupt.h"
#include "base/process_state.h"

namespace gpukit::memory {

namespace copy_worker {
namespace {

constexpr auto kIdleTime = std::chrono::seconds(1);
constexpr auto kInterruptPeriod = std::chrono::milliseconds(10);
constexpr auto kLongestStop = std::chrono::milliseconds(300);

std::atomic<int> running_jobs{0};

/// Signals stay with the threads of the application.
template <class Body>
void start_thread(Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread(std::move(body)).detach();
  } catch (const std::system_error&) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw HostMemoryError("a thread for copies could not be started: the system gives no more");
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace copy_worker

struct CopyWorker::State {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::unique_ptr<CopyJob>> jobs;
  std::uint64_t added = 0;
  std::uint64_t finished = 0;
  bool has_thread = false;
  bool busy = false;
  bool closed = false;

  /// The next job; nullptr when the thread should end.
  std::unique_ptr<CopyJob> take() {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, copy_worker::kIdleTime, [this] { return closed || !jobs.empty(); });
    if (jobs.empty() || closed) {
      has_thread = false;
      return nullptr;
    }
    std::unique_ptr<CopyJob> job = std::move(jobs.front());
    jobs.pop_front();
    busy = true;
    return job;
  }

  void finish() {
    {
      const std::lock_guard lock(mutex);
      ++finished;
      busy = false;
    }
    changed.notify_all();
  }

  void loop() {
    while (std::unique_ptr<CopyJob> job = take()) {
      copy_worker::running_jobs.fetch_add(1);
      if (process_state::exiting()) {
        static_cast<void>(job.release());  // its memory must not be freed any more
        copy_worker::running_jobs.fetch_sub(1);
        return;
      }
      job->run();
      job.reset();
      copy_worker::running_jobs.fetch_sub(1);
      finish();
    }
  }
};

CopyWorker::CopyWorker() : state_(std::make_shared<State>()) {}

CopyWorker::~CopyWorker() {
  std::deque<std::unique_ptr<CopyJob>> dropped;
  std::unique_lock lock(state_->mutex);
  state_->closed = true;
  dropped.swap(state_->jobs);
  state_->changed.notify_all();
  wait_until(state_->changed, lock, [this] { return !state_->busy || process_state::exiting(); });
}

void CopyWorker::add(std::unique_ptr<CopyJob> job) {
  const std::lock_guard lock(state_->mutex);
  if (!state_->has_thread) {
    copy_worker::start_thread([state = state_] { state->loop(); });
    state_->has_thread = true;
  }
  state_->jobs.push_back(std::move(job));
  ++state_->added;
  state_->changed.notify_all();
}

bool CopyWorker::is_idle() const {
  const std::lock_guard lock(state_->mutex);
  return state_->finished == state_->added;
}

void CopyWorker::flush() {
  std::unique_lock lock(state_->mutex);
  const std::uint64_t target = state_->added;
  while (state_->finished < target && !process_state::forked_child()) {
    if (state_->changed.wait_for(lock, copy_worker::kInterruptPeriod) == std::cv_status::no_timeout)
      continue;
    lock.unlock();
    throw_if_interrupted();
    lock.lock();
  }
}

void stop_copy_workers() noexcept {
  const auto end = std::chrono::steady_clock::now() + copy_worker::kLongestStop;
  while (copy_worker::running_jobs.load() > 0 && !process_state::forked_child() &&
         std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace gpukit::memory
