// The caching allocator under threads: random and training-like traces on 4 threads and 8 streams
// against a shadow of every granule, and a thousand shortages at a cap.
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <thread>
#include <vector>

#include "check.h"
#include "fake_runtime.h"
#include "memory/caching_resource.h"
#include "memory/limiting_resource.h"
#include "memory/runtime_resource.h"
#include "memory/statistics_resource.h"

namespace {

using namespace gpukit;
using namespace gpukit::memory;
using gpukit::testing::FakeRuntime;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kCapacity = 1024 * kMiB;
constexpr std::size_t kSlot = 2 * kMiB;
constexpr std::size_t kGranule = 512;
constexpr std::uintptr_t kStreams = 8;
constexpr int kThreads = 4;

/// Segments lie in one reserved range that nobody touches, so a granule has a number.
class ArenaRuntime final : public FakeRuntime {
 public:
  ArenaRuntime() : FakeRuntime(kCapacity), taken_(kCapacity / kSlot) {
    base_ = static_cast<std::byte*>(
        mmap(nullptr, kCapacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    CHECK(base_ != MAP_FAILED);
  }
  ~ArenaRuntime() override { munmap(base_, kCapacity); }

  void* allocate(std::size_t bytes) override {
    CHECK(bytes % kSlot == 0);
    const std::size_t slots = bytes / kSlot;
    const std::lock_guard lock(mutex_);
    for (std::size_t first = 0; first + slots <= taken_.size(); ++first) {
      std::size_t run = 0;
      while (run < slots && !taken_[first + run]) ++run;
      if (run == slots) return take(first, slots);
      first += run;
    }
    throw OutOfMemoryError("no memory", static_cast<std::int64_t>(bytes), 0,
                           static_cast<std::int64_t>(kCapacity), 0);
  }
  void deallocate(void* address, std::size_t bytes) noexcept override {
    const std::lock_guard lock(mutex_);
    const std::size_t first = granule(address) / (kSlot / kGranule);
    for (std::size_t i = 0; i < bytes / kSlot; ++i) {
      if (!taken_[first + i]) std::abort();
      taken_[first + i] = false;
    }
    held_.fetch_sub(bytes);
  }
  std::size_t granule(const void* address) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_) / kGranule;
  }
  std::size_t bytes_held() const { return held_.load(); }

 private:
  void* take(std::size_t first, std::size_t slots) {
    for (std::size_t i = 0; i < slots; ++i) taken_[first + i] = true;
    held_.fetch_add(slots * kSlot);
    return base_ + first * kSlot;
  }

  std::mutex mutex_;
  std::vector<bool> taken_;
  std::byte* base_;
  std::atomic<std::size_t> held_{0};
};

struct Setup {
  ArenaRuntime runtime;
  DeviceMemory raw{runtime};
  LimitingResource limited{raw};
  CachingResource cache{runtime, limited, Reuse::kStreamOrdered};
  StatisticsResource counted{cache};
};

/// Who holds each granule; 0 is nobody.
class Shadow {
 public:
  explicit Shadow(const ArenaRuntime& runtime) : runtime_(runtime), owners_(kCapacity / kGranule) {}

  void lend(const void* address, std::size_t bytes, std::uint32_t owner) {
    each(address, bytes, [&](auto& granule) { CHECK(granule.exchange(owner) == 0); });
  }
  void take(const void* address, std::size_t bytes, std::uint32_t owner) {
    each(address, bytes, [&](auto& granule) { CHECK(granule.exchange(0) == owner); });
  }

 private:
  template <class Visit>
  void each(const void* address, std::size_t bytes, const Visit& visit) {
    const std::size_t first = runtime_.granule(address);
    const std::size_t count = (bytes + kGranule - 1) / kGranule;
    for (std::size_t i = 0; i < count; ++i) visit(owners_[first + i]);
  }

  const ArenaRuntime& runtime_;
  std::vector<std::atomic<std::uint32_t>> owners_;
};

struct Lent {
  void* address;
  std::size_t bytes;
  StreamRef stream;
};

/// One thread of a replay.
class Player {
 public:
  Player(Setup& setup, Shadow& shadow, std::uint32_t mark)
      : setup_(setup), shadow_(shadow), mark_(mark), random_(mark) {}
  ~Player() {
    while (!held_.empty()) give(held_.size() - 1);
  }

  void play_random(std::int64_t operations) {
    for (done_ = 0; done_ < operations;) {
      const auto choice = random_() % 1000;
      if (choice < 2) {
        setup_.runtime.finish_all();
      } else if (choice < 3 && mark_ == 1 && random_() % 100 == 0) {
        setup_.cache.release_cached();
      } else if (held_.size() < 20 || (held_.size() < 400 && choice % 2 == 0)) {
        take(any_size(), any_stream());
      } else {
        give(random_() % held_.size());
      }
    }
  }

  /// Steps of a training: activations pile up, gradients come while they go, parameters stay.
  void play_training(std::int64_t operations) {
    const StreamRef stream{1 + mark_ % kStreams};
    for (int i = 0; i < 12; ++i) take(1 + random_() % (256 * 1024), stream);
    const std::size_t parameters = held_.size();
    for (done_ = 0; done_ < operations;) {
      for (int layer = 0; layer < 30; ++layer) {
        take(layer_bytes(layer), stream);
        take(layer_bytes(layer) / 4 + 1, stream);
        give(held_.size() - 1);  // scratch
      }
      while (held_.size() > parameters) {
        take(layer_bytes(static_cast<int>(held_.size())), stream);
        give(held_.size() - 2);
        give(held_.size() - 1);
      }
      setup_.runtime.finish(stream, 1 << 20);
    }
  }

  std::int64_t shortages() const { return shortages_; }

 private:
  std::size_t any_size() {
    const auto kind = random_() % 1000;
    if (kind < 900) return 1 + random_() % 4096;
    if (kind < 998) return 1 + random_() % (128 * 1024);
    return 1 + random_() % (24 * kMiB);
  }
  StreamRef any_stream() { return {1 + random_() % kStreams}; }
  static std::size_t layer_bytes(int layer) {
    return std::size_t{512} << (static_cast<unsigned>(layer) % 6U);
  }

  void take(std::size_t bytes, StreamRef stream) {
    ++done_;
    try {
      void* address = setup_.counted.allocate(bytes, stream);
      shadow_.lend(address, bytes, mark_);
      held_.push_back({address, bytes, stream});
    } catch (const OutOfMemoryError&) {
      ++shortages_;
      if (!held_.empty()) give(random_() % held_.size());
    }
  }

  void give(std::size_t which) {
    ++done_;
    const Lent gone = held_[which];
    held_[which] = held_.back();
    held_.pop_back();
    shadow_.take(gone.address, gone.bytes, mark_);
    const std::array<StreamRef, 1> other = {any_stream()};
    if (random_() % 16 == 0) setup_.runtime.work(other[0]);
    setup_.counted.deallocate(gone.address, gone.bytes, gone.stream,
                              std::span(other).first(random_() % 16 == 0 ? 1 : 0));
  }

  Setup& setup_;
  Shadow& shadow_;
  std::uint32_t mark_;
  std::mt19937_64 random_;
  std::vector<Lent> held_;
  std::int64_t done_ = 0;
  std::int64_t shortages_ = 0;
};

void check_empty(Setup& s) {
  s.runtime.finish_all();
  s.cache.release_cached();
  CHECK(s.counted.statistics().allocated == 0);
  CHECK(s.counted.statistics().active_blocks == 0);
  CHECK(s.cache.statistics().allocated == 0);
  CHECK(s.cache.statistics().active_blocks == 0);
  CHECK(s.cache.statistics().reserved == 0);
  CHECK(s.runtime.bytes_held() == 0);
}

using Play = void (Player::*)(std::int64_t operations);

std::int64_t replay(Play play, std::int64_t operations) {
  Setup s;
  Shadow shadow(s.runtime);
  std::vector<std::thread> threads;
  for (std::uint32_t mark = 1; mark <= kThreads; ++mark) {
    threads.emplace_back([&, mark] {
      Player player(s, shadow, mark);
      (player.*play)(operations / kThreads);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::int64_t allocations = s.counted.statistics().allocation_count;
  check_empty(s);
  return allocations;
}

/// At a cap of 1 GiB: every refused request leaves the cache whole and the next one possible.
void shortages_lose_nothing(int count) {
  Setup s;
  Shadow shadow(s.runtime);
  std::vector<void*> held;
  for (int i = 0; i < 500; ++i) {
    held.push_back(s.counted.allocate(2 * kMiB, {1 + static_cast<std::uintptr_t>(i) % kStreams}));
    shadow.lend(held.back(), 2 * kMiB, 1);
  }
  const std::int64_t before = s.counted.statistics().allocated;
  for (int i = 0; i < count; ++i) {
    CHECK_THROWS(OutOfMemoryError, s.counted.allocate(600 * kMiB, {1}));
    void* small = s.counted.allocate(1000, {2});
    shadow.lend(small, 1000, 2);
    shadow.take(small, 1000, 2);
    s.counted.deallocate(small, 1000, {2}, {});
    CHECK(s.counted.statistics().allocated == before);
  }
  CHECK(s.counted.statistics().out_of_memory_count == count);
  for (std::size_t i = 0; i < held.size(); ++i) {
    shadow.take(held[i], 2 * kMiB, 1);
    s.counted.deallocate(held[i], 2 * kMiB, {1 + i % kStreams}, {});
  }
  check_empty(s);
}

}  // namespace

/// The argument: operations of all replays together.
int main(int argc, char** argv) {
  const std::int64_t operations = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const auto begin = std::chrono::steady_clock::now();
  std::int64_t allocations = replay(&Player::play_random, operations / 2);
  allocations += replay(&Player::play_training, operations / 2);
  shortages_lose_nothing(1000);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf(
      "allocator_replay: %lld operations (%lld allocations) on %d threads and %d streams, 1000 "
      "shortages, 0 faults, %.1f s\n",
      static_cast<long long>(operations), static_cast<long long>(allocations), kThreads,
      static_cast<int>(kStreams), took.count());
  return 0;
}
