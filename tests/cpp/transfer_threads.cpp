// Eight host threads on storages, transfers, streams, events, the pinned ring and watched waits at
// once, over the simulated driver. tools/sanitize.sh builds it under TSan, with the driver's
// library linked in: TSan takes the thread-local memory of one that is opened later for a race. The
// first argument is the library's path, the second the number of rounds.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "backend/current.h"
#include "backend/registry.h"
#include "base/error.h"
#include "base/wait_watch.h"
#include "check.h"
#include "memory/device_resources.h"
#include "tensor/live_counts.h"
#include "tensor/tensor.h"
#include "tensor/transfer.h"

namespace gpukit {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kThreads = 8;
constexpr std::int64_t kSmall = 20'000;    // bytes: the driver stages them
constexpr std::int64_t kMedium = 300'000;  // through the pinned ring
constexpr std::int64_t kLarge = 3 << 19;   // 1.5 MiB: by a gpukit thread when nobody waits
constexpr std::int64_t kSizes[] = {kSmall, kMedium, kLarge};

std::atomic<std::int64_t> watched_waits{0};
std::atomic<std::int64_t> queued_work{0};

/// Comes and goes while the threads work.
class CountingObserver final : public Observer {
 public:
  CountingObserver() : Observer({Observed::kWaits, Observed::kQueuedWork}) {}
  void before_wait(WaitKind, std::size_t) override {
    watched_waits.fetch_add(1, std::memory_order_relaxed);
  }
  void work_queued() noexcept override { queued_work.fetch_add(1, std::memory_order_relaxed); }
};

Tensor over(StorageRef storage, std::int64_t bytes) {
  return Tensor::make_contiguous(std::move(storage), DType::kUInt8, Shape{bytes});
}

Tensor host_tensor(std::int64_t bytes, unsigned char value) {
  Tensor made = over(StorageRef::allocate(cpu_device(), static_cast<std::size_t>(bytes)), bytes);
  std::memset(made.data(), value, made.bytes());
  return made;
}

/// Reading waits for what is under way.
void check_bytes(const Tensor& host, unsigned char value) {
  const auto* bytes = static_cast<const unsigned char*>(host.data());
  for (std::size_t i = 0; i < host.bytes(); i += 997) CHECK(bytes[i] == value);
  CHECK(bytes[host.bytes() - 1] == value);
}

/// Tensors that any thread drops: the last owner is seldom the maker.
class Shelf {
 public:
  Tensor swap(std::size_t place, Tensor tensor) {
    const std::lock_guard lock(mutex_);
    std::swap(tensors_[place % kPlaces], tensor);
    return tensor;
  }
  Tensor look(std::size_t place) {
    const std::lock_guard lock(mutex_);
    return tensors_[place % kPlaces];
  }
  void clear() {
    for (std::size_t place = 0; place < kPlaces; ++place) swap(place, Tensor());
  }

 private:
  static constexpr std::size_t kPlaces = 6;
  std::mutex mutex_;
  Tensor tensors_[kPlaces];
};

/// One thread's rounds.
class Worker {
 public:
  Worker(unsigned seed, Shelf& shelf)
      : random_(seed),
        shelf_(shelf),
        here_(open_device(Device::cuda(static_cast<int>(seed % 2)))),
        there_(open_device(Device::cuda(static_cast<int>((seed + 1) % 2)))) {
    set_current_index(DeviceType::kCuda, here_.device().index);
  }

  void round() {
    const auto value = static_cast<unsigned char>(random_());
    const std::int64_t bytes = kSizes[random_() % 3];
    switch (random_() % 6) {
      case 0:
        return there_and_back(bytes, value, false);
      case 1:
        return there_and_back(bytes, value, true);
      case 2:
        return over_the_peer(bytes, value);
      case 3:
        return pinned_on_a_stream(bytes, value);
      case 4:
        return shared(bytes, value);
      default:
        return housekeeping();
    }
  }

 private:
  void there_and_back(std::int64_t bytes, unsigned char value, bool non_blocking) {
    const Tensor source = host_tensor(bytes, value);
    const Tensor up = copy_to_device(source, here_.device(), non_blocking);
    if (non_blocking && random_() % 2 == 0) {
      source.storage()->wait_for_readers();
      std::memset(source.data(), value + 1, source.bytes());
    }
    if (random_() % 2 == 0) CHECK(wait_for(up, std::chrono::seconds(60)));
    const Tensor back = copy_to_device(up, Device::cpu(), non_blocking);
    while (random_() % 4 == 0 && !is_ready(back)) std::this_thread::yield();
    check_bytes(back, value);
  }

  void over_the_peer(std::int64_t bytes, unsigned char value) {
    const Tensor up = copy_to_device(host_tensor(bytes, value), here_.device(), true);
    const Tensor away = copy_to_device(up, there_.device(), true);
    std::vector<unsigned char> first(1000);
    read_to_host(away, first.data(), first.size());
    for (const unsigned char byte : first) CHECK(byte == value);
  }

  void pinned_on_a_stream(std::int64_t bytes, unsigned char value) {
    DeviceRuntime& runtime = here_.runtime();
    const StreamRef home = current_stream(here_), side = runtime.create_stream(0);
    set_current_stream(here_, side);
    const auto size = static_cast<std::size_t>(bytes);
    const Tensor source = over(StorageRef::allocate_pinned(here_, size), bytes);
    std::memset(source.data(), value, size);
    const Tensor up = over(StorageRef::allocate(here_, size), bytes);
    const Tensor back = host_tensor(bytes, 0);
    const EventRef begin = runtime.create_event({true}), end = runtime.create_event({true});
    runtime.record(begin, side);
    copy_bytes(up, source, true);
    runtime.record(end, side);
    runtime.wait(home, end);
    set_current_stream(here_, home);
    copy_bytes(back, up, random_() % 2 == 0);
    check_bytes(back, value);
    synchronize(here_, side);
    CHECK(runtime.query(end));
    CHECK(runtime.elapsed_ms(begin, end) >= 0);
    runtime.destroy_event(begin);
    runtime.destroy_event(end);
    // Both may say no: others upload, or record an event on the stream to take over memory that an
    // earlier stream of this handle owns.
    runtime.query(side);
    is_idle(here_, side);
    runtime.synchronize(home);
    runtime.destroy_stream(side);
  }

  /// A copy under way is put where the others find it, and theirs is read.
  void shared(std::int64_t bytes, unsigned char value) {
    const Tensor up = copy_to_device(host_tensor(bytes, value), here_.device(), true);
    Tensor mine = random_() % 2 == 0 ? up : copy_to_device(up, Device::cpu(), true);
    shelf_.swap(random_(), std::move(mine));
    const Tensor found = shelf_.look(random_());
    if (!found.defined()) return;
    const Tensor read = found.on_host() ? found : copy_to_device(found, Device::cpu(), false);
    check_bytes(read, *static_cast<const unsigned char*>(read.data()));
  }

  void housekeeping() {
    DeviceResources& resources = resources_of(here_);
    CHECK(resources.device_memory().statistics().allocated >= 0);
    switch (random_() % 6) {
      case 0:
        resources.device_memory().release_cached();
        break;
      case 1:
        resources.pinned_memory().release_cached();
        break;
      case 2:
        synchronize(there_);
        break;
      case 3:
        flush_uploads(here_);
        break;
      case 4:
        if (observation_) end_observation(observation_);
        observation_ = random_() % 2 == 0
                           ? observe(std::make_shared<CountingObserver>(), Reach::kAllThreads)
                           : nullptr;
        break;
      default:
        resources.select_pool(static_cast<PoolKind>(random_() % 3));
    }
  }

  std::mt19937 random_;
  ObservationPtr observation_;
  Shelf& shelf_;
  OpenDevice& here_;
  OpenDevice& there_;
};

void run(int rounds) {
  Shelf shelf;
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < kThreads; ++seed) {
    threads.emplace_back([seed, rounds, &shelf] {
      Worker worker(seed, shelf);
      for (int i = 0; i < rounds; ++i) worker.round();
    });
  }
  for (std::thread& thread : threads) thread.join();
  shelf.clear();
  for (int index = 0; index < 2; ++index) synchronize(open_device(Device::cuda(index)));
}

/// Until the threads that carry copies have let their tensors go.
void check_nothing_is_left() {
  const Clock::time_point end = Clock::now() + std::chrono::seconds(10);
  while (live::device_buffers + live::pinned_buffers + live::pending_copies > 0) {
    CHECK(Clock::now() < end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// A session that ends while others are inside it: typed errors, nothing else.
void end_under_way() {
  std::atomic<bool> begun{false};
  std::thread user([&] {
    const Tensor source = host_tensor(kLarge, 1);
    try {
      for (;;) {
        const Tensor up = copy_to_device(source, Device::cuda(0), true);
        begun.store(true);
        check_bytes(copy_to_device(up, Device::cpu(), true), 1);
      }
    } catch (const Error&) {
      begun.store(true);
    }
  });
  while (!begun.load()) std::this_thread::yield();
  reset_session(DeviceType::kCuda, "the test has ended it");
  user.join();
}

}  // namespace
}  // namespace gpukit

int main(int count, char** arguments) {
  CHECK(count == 3);
  const int rounds = std::stoi(arguments[2]);
  gpukit::replace_session(gpukit::DeviceType::kCuda, {arguments[1], "2xT4,mem=1GiB"},
                          "another one begins");
  gpukit::run(rounds);
  gpukit::check_nothing_is_left();
  gpukit::end_under_way();
  std::printf("%d threads, %d rounds, %lld waits and %lld pieces of work watched\n",
              gpukit::kThreads, rounds, static_cast<long long>(gpukit::watched_waits),
              static_cast<long long>(gpukit::queued_work));
  return 0;
}
