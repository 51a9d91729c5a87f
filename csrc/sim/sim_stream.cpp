#include "sim/sim_stream.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/condition.h"
#include "sim/simulation.h"

namespace gpukit::sim {

namespace sim_stream {
namespace {

constexpr std::size_t kQueueLimit = 1024;
thread_local bool in_host_function = false;

// The application's signals are not for our threads: Python handles them on its own.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &previous_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t previous_;
};

}  // namespace
}  // namespace sim_stream

bool inside_host_function() { return sim_stream::in_host_function; }
HostFunctionScope::HostFunctionScope() { sim_stream::in_host_function = true; }
HostFunctionScope::~HostFunctionScope() { sim_stream::in_host_function = false; }

SimStream::SimStream(SimDevice& device, int number, unsigned flags, int priority)
    : device_(device), number_(number), flags_(flags), priority_(priority) {}

SimStream::~SimStream() {
  finish();
  join();
}

void SimStream::join() {
  if (thread_.joinable()) thread_.join();
}

std::uint64_t SimStream::push(Work work) {
  std::unique_lock lock(mutex_);
  if (cancelled_) {
    const std::uint64_t completed = completed_;
    lock.unlock();  // a destructor of the application may use the stream
    if (work.drop) work.drop();
    return completed;
  }
  if (!thread_.joinable()) {
    const sim_stream::SignalsBlocked blocked;
    thread_ = std::thread([this] { work_loop(); });
  }
  if (device_.in_real_time()) work.pushed_at = wall_nanoseconds();
  queue_.push_back(std::move(work));
  queued_changed_.notify_one();
  return ++pushed_;
}

void SimStream::wait_for_room() {
  std::unique_lock lock(mutex_);
  wait_until(completed_changed_, lock, [this] { return queue_.size() < sim_stream::kQueueLimit; });
}

std::uint64_t SimStream::last_ticket() const {
  const std::lock_guard lock(mutex_);
  return pushed_;
}

bool SimStream::is_complete(std::uint64_t ticket) const {
  const std::lock_guard lock(mutex_);
  return has_completed(ticket);
}

// By the clock, which is exact to the microsecond; the thread that sleeps until then wakes up
// later.
bool SimStream::has_completed(std::uint64_t ticket) const {
  if (completed_ >= ticket) return true;
  return completed_ + 1 == ticket && due_ != 0 && wall_nanoseconds() >= due_;
}

void SimStream::wait(std::uint64_t ticket) const {
  std::unique_lock lock(mutex_);
  wait_until(completed_changed_, lock, [&] { return completed_ >= ticket; });
}

bool SimStream::is_idle() const {
  const std::lock_guard lock(mutex_);
  return has_completed(pushed_);
}

void SimStream::finish() {
  const std::lock_guard lock(mutex_);
  finishing_ = true;
  queued_changed_.notify_one();
}

void SimStream::cancel() {
  std::deque<Work> dropped;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = finishing_ = true;
    dropped.swap(queue_);
    completed_ += dropped.size();
    queued_changed_.notify_one();
    completed_changed_.notify_all();
  }
  for (Work& work : dropped) {
    if (work.drop) work.drop();
  }
}

void SimStream::work_loop() {
  if (device_.in_real_time()) shorten_timer_slack();
  std::unique_lock lock(mutex_);
  for (;;) {
    wait_until(queued_changed_, lock, [this] { return finishing_ || !queue_.empty(); });
    if (queue_.empty()) return;
    Work work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    run_one(work);
    const double due = end_in_real_time(work);
    work = {};  // what it held must be released before its completion is reported
    lock.lock();
    if (due != 0) {
      due_ = due;
      lock.unlock();
      sleep_until_nanoseconds(due);
      lock.lock();
      due_ = 0;
    }
    completed_++;
    completed_changed_.notify_all();
  }
}

void SimStream::run_one(Work& work) {
  const Simulation::MemoryAccess access(device_.simulation());
  const CountingScope counting(work.counted);
  if (device_.sticky_status() != CUDA_SUCCESS) {
    if (work.drop) work.drop();
    return;
  }
  if (work.run) device_.note_status(work.run());
}

// The work itself is done immediately. Its time begins when it was queued or when what it had to
// wait for was over, not when this thread woke up.
double SimStream::end_in_real_time(const Work& work) {
  if (!device_.in_real_time()) return 0;
  if (work.cost.total() == 0 || device_.sticky_status() != CUDA_SUCCESS) {
    ready_ = wall_nanoseconds();
    return 0;
  }
  ready_ = device_.reserve_engine_now(work.cost, std::max(work.pushed_at, ready_));
  return ready_;
}

}  // namespace gpukit::sim
