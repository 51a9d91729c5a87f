#include "sim/block_executor.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/device_runtime.h"
#include "sim/executor_parts.h"
#include "sim/fiber.h"
#include "sim/memory_fault.h"
#include "sim/shared_memory.h"
#include "sim/warp.h"

#if defined(GPUKIT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace gpukit::sim {

Index3 thread_index, block_index, block_shape, grid_shape;
unsigned char* dynamic_shared_memory;
unsigned long long block_serial;

namespace block_executor {
namespace {

#if defined(GPUKIT_TSAN)
// Each CUDA thread gets its own fiber, so that the race detector can distinguish them.
constexpr bool kOneThreadPerFiber = true;
#else
constexpr bool kOneThreadPerFiber = false;
#endif

enum class FiberState { kFree, kRunning, kReady, kAtBarrier, kInWarp };

struct ThreadFiber {
  explicit ThreadFiber(Fiber::Entry entry) : fiber(entry) {}
  Fiber fiber;
  FiberState state = FiberState::kFree;
  unsigned thread = 0;
  unsigned threads_taken = 0;
  std::source_location where;
};

class Executor {
 public:
  LaunchResult run(const Launch& launch, const ExecutionOrder& order);

  bool take_thread();
  void finish_thread();
  int barrier(BarrierVote vote, int predicate, std::source_location where);
  const std::uint64_t* exchange(unsigned mask, std::uint64_t value, std::source_location where);
  /// Ends the launch; only the first failure is reported.
  void fail(KernelFault fault, const std::string& what, const std::source_location* where);
  /// The same, about the thread that runs now.
  void fail_thread(KernelFault fault, const std::string& what, const std::source_location* where);
  void start_array(SharedArray* array, std::size_t bytes) {
    shared_.start_array(*array, bytes, *scheduler_);
  }
  [[noreturn]] void fiber_loop();
  [[noreturn]] void land_after_fault();

 private:
  void start_launch(const Launch& launch, const ExecutionOrder& order);
  void run_blocks();
  void run_block();
  ThreadFiber* next_fiber();
  ThreadFiber* free_fiber();
  void resume(ThreadFiber* fiber);
  void park(FiberState state);
  void release_barrier();
  void check_everyone_at_barrier();
  void describe_deadlock();
  void abandon_parked();
  void set_thread_index(unsigned thread) const;
  void rest_fibers();
  void end_launch_for_race_detector();

  const Launch* launch_ = nullptr;
  ExecutionOrder order_;
  LaunchResult result_;
  Shuffler shuffler_;
  std::vector<unsigned> permutation_ = std::vector<unsigned>(kMaxThreads);
  std::vector<Warp> warps_ = std::vector<Warp>(kMaxThreads / Warp::kLanes);
  std::vector<std::unique_ptr<ThreadFiber>> all_fibers_;
  std::vector<ThreadFiber*> free_fibers_;
  std::vector<ThreadFiber*> retired_;  ///< of this block, where a fiber runs one thread only
  std::vector<ThreadFiber*> resting_;  ///< of the block before
  FixedQueue<ThreadFiber*> ready_;
  FixedQueue<ThreadFiber*> at_barrier_;
  BlockSharedMemory shared_;
  Fiber* scheduler_ = nullptr;
  ThreadFiber* current_ = nullptr;
  unsigned thread_count_ = 0;
  unsigned next_thread_ = 0;
  unsigned exited_ = 0;
  std::source_location warp_place_[kMaxThreads];
  ThreadFiber* in_warp_[kMaxThreads] = {};
  int vote_count_ = 0;
  int vote_result_[2] = {};
  unsigned barrier_generation_ = 0;
#if defined(GPUKIT_TSAN)
  char launch_sync_ = 0;
  char block_end_sync_ = 0;
  char barrier_sync_[4096] = {};
  char warp_sync_[kMaxThreads / Warp::kLanes][1024] = {};
#endif
};

Executor& executor() {
  static auto* const the_executor = new Executor;
  return *the_executor;
}

void enter_fiber() {
  Fiber::entered();
  executor().fiber_loop();
}

void enter_after_fault() { executor().land_after_fault(); }

std::string describe(const Index3& index) {
  return "(" + std::to_string(index.x) + "," + std::to_string(index.y) + "," +
         std::to_string(index.z) + ")";
}

// ---- threads

void Executor::set_thread_index(unsigned thread) const {
  if (block_shape.y == 1 && block_shape.z == 1) {
    thread_index = {thread, 0, 0};
    return;
  }
  const unsigned row = thread / block_shape.x;
  thread_index = {thread % block_shape.x, row % block_shape.y, row / block_shape.y};
}

bool Executor::take_thread() {
  if (next_thread_ >= thread_count_ || result_.fault != KernelFault::kNone) return false;
  if (kOneThreadPerFiber && current_->threads_taken != 0) return false;
  const unsigned position = next_thread_++;
  const unsigned thread = order_.order == ThreadOrder::kForward ? position : permutation_[position];
  current_->thread = thread;
  current_->threads_taken++;
  set_thread_index(thread);
  return true;
}

void Executor::finish_thread() {
  exited_++;
  warps_[current_->thread / Warp::kLanes].lane_exits(current_->thread % Warp::kLanes);
#if defined(GPUKIT_TSAN)
  __tsan_release(&block_end_sync_);
#endif
}

void Executor::fiber_loop() {
  for (;;) {
#if defined(GPUKIT_TSAN)
    __tsan_acquire(&launch_sync_);
#endif
    launch_->kernel->run(launch_->params);
    current_->state = FiberState::kFree;
    Fiber::switch_to(current_->fiber, *scheduler_);
  }
}

ThreadFiber* Executor::free_fiber() {
  if (free_fibers_.empty()) {
    all_fibers_.push_back(std::make_unique<ThreadFiber>(&enter_fiber));
    free_fibers_.push_back(all_fibers_.back().get());
  }
  ThreadFiber* fiber = free_fibers_.back();
  free_fibers_.pop_back();
  fiber->threads_taken = 0;
  return fiber;
}

ThreadFiber* Executor::next_fiber() {
  const bool random = order_.order == ThreadOrder::kRandom;
  const bool may_start = next_thread_ < thread_count_;
  if (!ready_.empty() && !(random && may_start && shuffler_.below(2) == 0)) {
    if (random) ready_.swap_front_with(shuffler_.below(ready_.size()));
    return ready_.pop_front();
  }
  return may_start ? free_fiber() : nullptr;
}

void Executor::resume(ThreadFiber* fiber) {
  fiber->state = FiberState::kRunning;
  current_ = fiber;
  aim_fault({&enter_after_fault, fiber->fiber.stack_top()});
  Fiber::switch_to(*scheduler_, fiber->fiber);
  aim_fault({});
  if (fiber->state == FiberState::kFree)
    (kOneThreadPerFiber ? retired_ : free_fibers_).push_back(fiber);
}

void Executor::park(FiberState state) {
  ThreadFiber* const self = current_;
  self->state = state;
  Fiber::switch_to(self->fiber, *scheduler_);
  set_thread_index(self->thread);
}

// ---- barriers and warps

int Executor::barrier(BarrierVote vote, int predicate, std::source_location where) {
  current_->where = where;
  if (predicate != 0) vote_count_++;
  at_barrier_.push(current_);
  const unsigned generation = barrier_generation_;
#if defined(GPUKIT_TSAN)
  __tsan_release(&barrier_sync_[generation % sizeof barrier_sync_]);
#endif
  park(FiberState::kAtBarrier);
#if defined(GPUKIT_TSAN)
  __tsan_acquire(&barrier_sync_[generation % sizeof barrier_sync_]);
#endif
  const int votes = vote_result_[generation & 1];
  switch (vote) {
    case BarrierVote::kCount:
      return votes;
    case BarrierVote::kAnd:
      return votes == static_cast<int>(thread_count_);
    case BarrierVote::kOr:
      return votes != 0;
    case BarrierVote::kNone:
      break;
  }
  return 0;
}

void Executor::check_everyone_at_barrier() {
  const ThreadFiber* first = at_barrier_[0];
  if (exited_ != 0) {
    const std::string text = std::to_string(at_barrier_.size()) + " of " +
                             std::to_string(thread_count_) +
                             " threads reached a barrier, the others had returned";
    fail(KernelFault::kMisuse, text, &first->where);
  }
  for (std::size_t i = 1; i < at_barrier_.size(); i++) {
    const ThreadFiber* other = at_barrier_[i];
    if (same_place(first->where, other->where)) continue;
    const std::string text = "thread " + std::to_string(first->thread) +
                             " waits at the barrier at " + to_string(first->where) + ", thread " +
                             std::to_string(other->thread) + " at that at " +
                             to_string(other->where);
    return fail(KernelFault::kMisuse, text, nullptr);
  }
}

void Executor::release_barrier() {
  check_everyone_at_barrier();
  if (result_.fault != KernelFault::kNone) return;
  vote_result_[barrier_generation_ & 1] = std::exchange(vote_count_, 0);
  barrier_generation_++;
  const std::size_t count = at_barrier_.size();
  ThreadFiber** waiters = at_barrier_.data();
  if (order_.order == ThreadOrder::kRandom) shuffler_.shuffle(waiters, count);
  for (std::size_t i = 0; i < count; i++) {
    ThreadFiber* waiter = waiters[order_.order == ThreadOrder::kReverse ? count - 1 - i : i];
    waiter->state = FiberState::kReady;
    ready_.push(waiter);
  }
  at_barrier_.clear();
}

const std::uint64_t* Executor::exchange(unsigned mask, std::uint64_t value,
                                        std::source_location where) {
  const unsigned thread = current_->thread;
  const unsigned lane = thread % Warp::kLanes;
  const unsigned first_thread = thread - lane;
  Warp& warp = warps_[thread / Warp::kLanes];
  if (((mask >> lane) & 1u) == 0) {
    fail_thread(KernelFault::kMisuse, "its lane is not in the mask it names", &where);
    mask |= 1u << lane;
  }
  warp_place_[thread] = where;
  in_warp_[thread] = current_;
#if defined(GPUKIT_TSAN)
  char* const sync = &warp_sync_[thread / Warp::kLanes][warp.exchanges() % sizeof warp_sync_[0]];
  __tsan_release(sync);
#endif
  const unsigned group = warp.arrive(lane, mask, value);
  if (group == 0) {
    park(FiberState::kInWarp);
  } else {
    for (unsigned rest = group & ~(1u << lane); rest != 0; rest &= rest - 1) {
      ThreadFiber* waiter = in_warp_[first_thread + static_cast<unsigned>(__builtin_ctz(rest))];
      waiter->state = FiberState::kReady;
      ready_.push(waiter);
    }
  }
#if defined(GPUKIT_TSAN)
  __tsan_acquire(sync);
#endif
  return warp.values_for(lane);
}

// ---- faults

void Executor::fail(KernelFault fault, const std::string& what, const std::source_location* where) {
  if (result_.fault != KernelFault::kNone) return;
  result_.fault = fault;
  result_.message = std::string("kernel ") + launch_->kernel->name + ", block " +
                    describe(block_index) + ": " + what;
  if (where != nullptr) result_.message += " at " + to_string(*where);
}

void Executor::fail_thread(KernelFault fault, const std::string& what,
                           const std::source_location* where) {
  fail(fault, "thread " + describe(thread_index) + ": " + what, where);
}

void Executor::describe_deadlock() {
  for (unsigned thread = 0; thread < thread_count_; thread++) {
    const Warp& warp = warps_[thread / Warp::kLanes];
    const unsigned lane = thread % Warp::kLanes;
    if (((warp.waiting() >> lane) & 1u) == 0) continue;
    char text[200];
    std::snprintf(text, sizeof text,
                  "thread %u waits for the lanes 0x%08x of its warp, of which 0x%08x returned",
                  thread, warp.mask_of(lane), warp.mask_of(lane) & warp.exited());
    return fail(KernelFault::kMisuse, text, &warp_place_[thread]);
  }
  fail(KernelFault::kMisuse, "threads wait for each other", nullptr);
}

void Executor::land_after_fault() {
  const FaultReport report = last_fault();
  char text[120];
  if (report.signal == SIGFPE) {
    std::snprintf(text, sizeof text, "an integer division by zero");
  } else {
    std::snprintf(text, sizeof text, "an illegal memory access to %p", report.address);
  }
  fail_thread(report.signal == SIGFPE ? KernelFault::kMisuse : KernelFault::kIllegalAddress, text,
              nullptr);
  current_->state = FiberState::kReady;  // parked permanently; abandon_parked restarts it
  Fiber::switch_to(current_->fiber, *scheduler_);
  std::abort();
}

void Executor::abandon_parked() {
  for (const auto& fiber : all_fibers_) {
    if (fiber->state == FiberState::kFree) continue;
    fiber->fiber.restart(&enter_fiber);
    fiber->state = FiberState::kFree;
    free_fibers_.push_back(fiber.get());
  }
}

// ---- blocks

void Executor::run_block() {
  block_serial++;
  next_thread_ = exited_ = 0;
  vote_count_ = 0;
  ready_.clear();
  at_barrier_.clear();
  for (unsigned first = 0; first < thread_count_; first += Warp::kLanes) {
    warps_[first / Warp::kLanes].reset(thread_count_ - first);
  }
  if (order_.order == ThreadOrder::kRandom) shuffler_.shuffle(permutation_.data(), thread_count_);
  shared_.start_block();
#if defined(GPUKIT_TSAN)
  __tsan_release(&launch_sync_);
#endif
  while (result_.fault == KernelFault::kNone) {
    if (ThreadFiber* fiber = next_fiber()) {
      resume(fiber);
    } else if (!at_barrier_.empty() && at_barrier_.size() + exited_ == thread_count_) {
      release_barrier();
    } else {
      break;
    }
  }
  if (result_.fault == KernelFault::kNone && exited_ != thread_count_) describe_deadlock();
  if (const char* overrun = shared_.end_block()) fail(KernelFault::kMisuse, overrun, nullptr);
  rest_fibers();
}

/// For the race detector a fiber rests during the next block, and nothing orders the two blocks.
void Executor::rest_fibers() {
  free_fibers_.insert(free_fibers_.end(), resting_.rbegin(), resting_.rend());
  resting_ = std::exchange(retired_, {});
}

void Executor::end_launch_for_race_detector() {
#if defined(GPUKIT_TSAN)
  __tsan_acquire(&block_end_sync_);
#endif
}

void Executor::run_blocks() {
  const std::uint64_t blocks = launch_->grid.count();
  std::vector<std::uint64_t> block_order;
  if (order_.order == ThreadOrder::kRandom) {
    block_order.resize(blocks);
    std::iota(block_order.begin(), block_order.end(), std::uint64_t{0});
    shuffler_.shuffle(block_order.data(), blocks);
  }
  for (std::uint64_t i = 0; i < blocks && result_.fault == KernelFault::kNone; i++) {
    std::uint64_t block = order_.order == ThreadOrder::kReverse ? blocks - 1 - i : i;
    if (!block_order.empty()) block = block_order[i];
    const std::uint64_t row = block / grid_shape.x;
    block_index = {static_cast<unsigned>(block % grid_shape.x),
                   static_cast<unsigned>(row % grid_shape.y),
                   static_cast<unsigned>(row / grid_shape.y)};
    run_block();
  }
}

void Executor::start_launch(const Launch& launch, const ExecutionOrder& order) {
  launch_ = &launch;
  order_ = order;
  result_ = {};
  shuffler_.seed(order.seed);
  block_shape = {launch.block.x, launch.block.y, launch.block.z};
  grid_shape = {launch.grid.x, launch.grid.y, launch.grid.z};
  thread_count_ = static_cast<unsigned>(launch.block.count());
  for (unsigned i = 0; i < thread_count_; i++) {
    permutation_[i] = order.order == ThreadOrder::kReverse ? thread_count_ - 1 - i : i;
  }
  shared_.start_launch(launch.dynamic_shared_bytes);
}

LaunchResult Executor::run(const Launch& launch, const ExecutionOrder& order) {
  Fiber scheduler = Fiber::for_current_stack();
  scheduler_ = &scheduler;
  const FaultGuard guard;
  start_launch(launch, order);
  run_blocks();
  end_launch_for_race_detector();
  if (result_.fault != KernelFault::kNone) abandon_parked();
  shared_.end_launch();
  return std::move(result_);
}

}  // namespace
}  // namespace block_executor

bool take_thread() { return block_executor::executor().take_thread(); }
void finish_thread() { block_executor::executor().finish_thread(); }

int block_barrier(BarrierVote vote, int predicate, std::source_location where) {
  return block_executor::executor().barrier(vote, predicate, where);
}

const std::uint64_t* warp_exchange(unsigned mask, std::uint64_t value, std::source_location where) {
  return block_executor::executor().exchange(mask, value, where);
}

void report_kernel_fault(const char* what, std::source_location where) {
  block_executor::executor().fail_thread(KernelFault::kMisuse, what, &where);
}

void start_array(SharedArray* array, std::size_t bytes) {
  block_executor::executor().start_array(array, bytes);
}

#if defined(GPUKIT_TSAN)
// Kernels are compiled with -fsanitize=thread and call this; this file is not.
void see_shared_array(SharedArray* array) { __tsan_acquire(array); }
#endif

LaunchResult run_launch(const Launch& launch, const ExecutionOrder& order) {
  static auto* const one_at_a_time = new std::mutex;
  const std::lock_guard lock(*one_at_a_time);
  return block_executor::executor().run(launch, order);
}

}  // namespace gpukit::sim
