#include "cpu/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

#include "base/check.h"
#include "base/condition.h"
#include "base/env.h"
#include "base/error.h"
#include "base/fork_hooks.h"
#include "cpu/core_mask.h"

namespace gpukit::cpu {
namespace thread_pool {
namespace {

constexpr int kMaxThreads = 4096;
constexpr std::int64_t kPiecesPerThread = 4;
constexpr auto kSpinTime = std::chrono::microseconds(40);
// The gate counts the workers inside the job; this bit says that more may enter.
constexpr std::uint32_t kGateOpen = 1u << 31;

inline void relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// The scheduler may wake a worker on the core of its caller, and leave both there for milliseconds
// while another core is idle. Without this core in its mask the worker moves immediately.
void leave_core(int core) noexcept {
  if (core >= 0 && current_core() == core) NarrowedMask::without(core);
}

// A part of a job's indices, on its own cache line.
struct alignas(64) Share {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

struct Job {
  RangeFunction function = nullptr;
  void* context = nullptr;
  std::int64_t piece = 1;
  int shares = 1;
  int caller_core = -1;
  std::atomic<bool> failed{false};
  std::exception_ptr error;
};

thread_local bool inside_pool = false;

// One job at a time. A worker enters the job through `gate_`, so the caller knows when no thread
// reads it any more.
class ThreadPool {
 public:
  /// With `own_shares` each thread begins with its own part, the same in every call of this
  /// size, so that it finds in its cache what it wrote there; then it helps the others. Without,
  /// pieces are taken in order.
  bool try_run(std::int64_t count, std::int64_t piece, int threads, bool own_shares,
               RangeFunction function, void* context);
  bool workers_sleep() const noexcept {
    return sleepers_.load(std::memory_order_relaxed) > 0 || !started_.load();
  }

  void lock_for_fork() {
    owner_.lock();
    sleep_mutex_.lock();
  }
  void unlock_after_fork() {
    sleep_mutex_.unlock();
    owner_.unlock();
  }

 private:
  void start_workers(int wanted);
  void share_out(std::int64_t count, int shares);
  void worker_loop(int index);
  bool wait_for_job(std::uint64_t& seen);
  bool enter() noexcept;
  void work(int thread) noexcept;
  void work_on(Share& share) noexcept;
  void wake() noexcept;

  std::mutex owner_;
  Job job_;
  std::unique_ptr<Share[]> shares_;  ///< changed only while no worker is inside
  int share_room_ = 0;
  std::atomic<std::uint32_t> gate_{0};
  std::atomic<int> limit_{0};  ///< workers with an index below it take part
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<int> sleepers_{0};
  std::mutex sleep_mutex_;
  std::condition_variable wake_up_;
  int worker_count_ = 0;
  std::atomic<bool> started_{false};
};

bool ThreadPool::try_run(std::int64_t count, std::int64_t piece, int threads, bool own_shares,
                         RangeFunction function, void* context) {
  if (!owner_.try_lock()) return false;
  std::lock_guard owned(owner_, std::adopt_lock);
  start_workers(threads - 1);
  if (worker_count_ == 0) return false;
  job_.function = function;
  job_.context = context;
  job_.piece = piece;
  job_.caller_core = current_core();
  share_out(count, own_shares ? threads : 1);
  job_.failed.store(false, std::memory_order_relaxed);
  job_.error = nullptr;
  limit_.store(threads - 1, std::memory_order_relaxed);
  gate_.store(kGateOpen, std::memory_order_release);
  wake();
  inside_pool = true;
  work(0);
  inside_pool = false;
  gate_.fetch_and(~kGateOpen, std::memory_order_acq_rel);
  for (int spins = 0; gate_.load(std::memory_order_acquire) != 0; ++spins) {
    if (spins < 20000) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
  if (job_.error) std::rethrow_exception(std::exchange(job_.error, nullptr));
  return true;
}

// Shares are whole pieces, so that no more pieces are made than without them.
void ThreadPool::share_out(std::int64_t count, int shares) {
  if (share_room_ < shares) {
    shares_ = std::make_unique<Share[]>(static_cast<std::size_t>(shares));
    share_room_ = shares;
  }
  job_.shares = shares;
  const std::int64_t pieces = (count + job_.piece - 1) / job_.piece;
  for (int i = 0; i < shares; ++i) {
    shares_[i].next.store(std::min(count, pieces * i / shares * job_.piece),
                          std::memory_order_relaxed);
    shares_[i].end = std::min(count, pieces * (i + 1) / shares * job_.piece);
  }
}

// Signals stay with the threads of the application.
void ThreadPool::start_workers(int wanted) {
  if (worker_count_ >= wanted) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    while (worker_count_ < wanted) {
      std::thread([this, index = worker_count_] { worker_loop(index); }).detach();
      ++worker_count_;
      started_.store(true);
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: go on with those there are.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ThreadPool::wake() noexcept {
  epoch_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  {
    std::lock_guard lock(sleep_mutex_);
  }
  wake_up_.notify_all();
}

void ThreadPool::worker_loop(int index) {
  inside_pool = true;
  std::uint64_t seen = 0;
  while (wait_for_job(seen)) {
    if (index >= limit_.load(std::memory_order_relaxed)) continue;
    if (!enter()) continue;
    leave_core(job_.caller_core);
    work(index + 1);
    gate_.fetch_sub(1, std::memory_order_release);
  }
}

// Spins a moment, since the next operation often follows immediately, then sleeps.
bool ThreadPool::wait_for_job(std::uint64_t& seen) {
  const auto give_up = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 64; ++i) {
      const std::uint64_t now = epoch_.load(std::memory_order_acquire);
      if (now != seen) {
        seen = now;
        return true;
      }
      relax();
    }
  } while (std::chrono::steady_clock::now() < give_up);
  std::unique_lock lock(sleep_mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  wait_until(wake_up_, lock, [&] { return epoch_.load(std::memory_order_seq_cst) != seen; });
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  seen = epoch_.load(std::memory_order_acquire);
  return true;
}

bool ThreadPool::enter() noexcept {
  std::uint32_t state = gate_.load(std::memory_order_relaxed);
  while ((state & kGateOpen) != 0) {
    if (gate_.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) return true;
  }
  return false;
}

void ThreadPool::work(int thread) noexcept {
  for (int i = 0; i < job_.shares; ++i) work_on(shares_[(thread + i) % job_.shares]);
}

void ThreadPool::work_on(Share& share) noexcept {
  while (!job_.failed.load(std::memory_order_relaxed)) {
    const std::int64_t begin = share.next.fetch_add(job_.piece, std::memory_order_relaxed);
    if (begin >= share.end) return;
    try {
      job_.function(job_.context, begin, std::min(begin + job_.piece, share.end));
    } catch (...) {
      if (!job_.failed.exchange(true)) job_.error = std::current_exception();
    }
  }
}

// Never destroyed: workers sleep on it until the process ends.
std::atomic<ThreadPool*> the_pool{nullptr};
std::atomic<int> thread_count{0};

void prepare() { the_pool.load()->lock_for_fork(); }
void fork_parent() { the_pool.load()->unlock_after_fork(); }
// The child has none of the workers; its parent's pool is left as it is.
void fork_child() { the_pool.store(new ThreadPool); }

ThreadPool& pool() {
  if (ThreadPool* ready = the_pool.load(std::memory_order_acquire)) return *ready;
  static std::once_flag once;
  std::call_once(once, [] {
    the_pool.store(new ThreadPool, std::memory_order_release);
    set_fork_hooks(ForkLevel::kThreadPool, {prepare, fork_parent, fork_child});
  });
  return *the_pool.load(std::memory_order_acquire);
}

#if defined(__linux__)
// CPU time that the container may use, in whole cores; 0 when there is no limit.
int quota_cores() noexcept {
  long long quota = 0, period = 0;
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {
    if (std::fscanf(file, "%lld %lld", &quota, &period) != 2) quota = 0;
    std::fclose(file);
  } else if (std::FILE* v1 = std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "r")) {
    if (std::fscanf(v1, "%lld", &quota) != 1) quota = 0;
    std::fclose(v1);
    if (std::FILE* length = std::fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "r")) {
      if (std::fscanf(length, "%lld", &period) != 1) period = 0;
      std::fclose(length);
    }
  }
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::min<long long>((quota + period - 1) / period, kMaxThreads));
}

int affinity_cores() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}
#endif

int first_thread_count() {
  const int cores = usable_cores();
  const std::int64_t wanted = env::integer("GPUKIT_NUM_THREADS");
  return wanted > 0 ? static_cast<int>(std::min<std::int64_t>(wanted, cores)) : cores;
}

// Brief calls that follow each other within this time are a series.
constexpr auto kSeriesGap = std::chrono::microseconds(200);

bool is_in_series() noexcept {
  static std::atomic<std::int64_t> last{0};
  const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::int64_t before = last.exchange(now, std::memory_order_relaxed);
  return now - before <
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(kSeriesGap).count();
}

}  // namespace
}  // namespace thread_pool

int usable_cores() noexcept {
#if defined(__linux__)
  const int cores = thread_pool::affinity_cores();
  const int quota = thread_pool::quota_cores();
  return quota > 0 ? std::min(cores, quota) : cores;
#else
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
#endif
}

int get_num_threads() noexcept {
  int count = thread_pool::thread_count.load(std::memory_order_relaxed);
  if (count == 0) [[unlikely]] {
    try {
      count = thread_pool::first_thread_count();
    } catch (...) {  // an unreadable environment is not an error
      count = 1;
    }
    thread_pool::thread_count.store(count, std::memory_order_relaxed);
  }
  return count;
}

void set_num_threads(int count) {
  GPUKIT_CHECK(count >= 1 && count <= thread_pool::kMaxThreads, ValueError,
               "set_num_threads: count is ", count, "; it must be between 1 and ",
               thread_pool::kMaxThreads, ". Use at most the ", usable_cores(),
               " cores this process may use.");
  thread_pool::thread_count.store(count, std::memory_order_relaxed);
}

void parallel_for(std::int64_t count, std::int64_t grain, RangeFunction function, void* context) {
  if (count <= 0) return;
  const int threads = count <= grain || thread_pool::inside_pool ? 1 : get_num_threads();
  if (threads > 1) {
    const std::int64_t most = static_cast<std::int64_t>(threads) * thread_pool::kPiecesPerThread;
    const std::int64_t pieces =
        std::min(std::max<std::int64_t>(1, count / std::max<std::int64_t>(grain, 1)), most);
    const std::int64_t piece = (count + pieces - 1) / pieces;
    if (pieces > 1 && thread_pool::pool().try_run(count, piece, threads, true, function, context))
      return;
  }
  function(context, 0, count);
}

void parallel_pieces(std::int64_t pieces, bool brief, RangeFunction function, void* context) {
  const int threads = pieces < 2 ? 1 : available_threads();
  if (threads > 1) {
    thread_pool::ThreadPool& workers = thread_pool::pool();
    const bool worth_it = !brief || thread_pool::is_in_series() || !workers.workers_sleep();
    if (worth_it && workers.try_run(pieces, 1, threads, false, function, context)) return;
  }
  function(context, 0, pieces);
}

int available_threads() noexcept { return thread_pool::inside_pool ? 1 : get_num_threads(); }

}  // namespace gpukit::cpu
