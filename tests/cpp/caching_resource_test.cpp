// The caching allocator over a fake device: reuse, order between streams, shortage, and a replay
// against a shadow.
#include "memory/caching_resource.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <thread>

#include "check.h"
#include "fake_runtime.h"
#include "memory/limiting_resource.h"
#include "memory/runtime_resource.h"
#include "memory/statistics_resource.h"

namespace {

std::atomic<long> host_allocations{0};

void* counted_allocation(std::size_t bytes) {
  ++host_allocations;
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return counted_allocation(bytes); }
void* operator new[](std::size_t bytes) { return counted_allocation(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using namespace gpukit;
using namespace gpukit::memory;
using gpukit::testing::FakeRuntime;

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr StreamRef kFirst{1};
constexpr StreamRef kSecond{2};

struct Setup {
  explicit Setup(std::size_t capacity, Reuse reuse = Reuse::kStreamOrdered)
      : runtime(capacity), raw(runtime), limited(raw), cache(runtime, limited, reuse) {}
  FakeRuntime runtime;
  DeviceMemory raw;
  LimitingResource limited;
  CachingResource cache;
};

void small_requests_share_a_segment() {
  Setup s(64 * kMiB);
  void* a = s.cache.allocate(1, kFirst);
  void* b = s.cache.allocate(513, kFirst);
  CHECK(s.runtime.held() == 2 * kMiB);
  CHECK(static_cast<std::byte*>(b) - static_cast<std::byte*>(a) == 512);
  CHECK(s.cache.statistics().allocated == 512 + 1024);
  s.cache.deallocate(a, 1, kFirst, {});
  s.cache.deallocate(b, 513, kFirst, {});
  // Merged again: the whole segment is one block.
  CHECK(s.cache.allocate(kMiB, kFirst) == a);
  CHECK(s.runtime.allocations == 1);
}

/// A program asks again for what it released, so such a block is neither merged nor cut.
void a_released_block_is_reused_as_it_is() {
  Setup s(64 * kMiB);
  void* a = s.cache.allocate(700, kFirst);
  void* b = s.cache.allocate(3 * kMiB, kFirst);
  s.cache.deallocate(a, 700, kFirst, {});
  s.cache.deallocate(b, 3 * kMiB, kFirst, {});
  const long before = host_allocations;
  for (int i = 0; i < 100; ++i) {
    CHECK(s.cache.allocate(1000, kFirst) == a);  // 1024 bytes, as 700 are
    CHECK(s.cache.allocate(3 * kMiB, kFirst) == b);
    s.cache.deallocate(b, 3 * kMiB, kFirst, {});
    s.cache.deallocate(a, 1000, kFirst, {});
  }
  CHECK(host_allocations == before);
  CHECK(s.cache.spare() == static_cast<std::int64_t>(22 * kMiB));
  CHECK(s.cache.release_cached() == 22 * kMiB);
  CHECK(s.cache.spare() == 0 && s.runtime.held() == 0);
}

/// However many are set aside, they are found by what needs other blocks.
void released_blocks_are_merged_for_what_needs_more() {
  for (std::size_t count = 1; count <= 8; ++count) {
    Setup s(2 * kMiB);
    std::vector<void*> held;
    for (std::size_t i = 0; i < count; ++i) held.push_back(s.cache.allocate(512, kFirst));
    void* rest = s.cache.allocate(kMiB, kFirst);
    for (void* address : held) s.cache.deallocate(address, 512, kFirst, {});
    s.cache.deallocate(rest, kMiB, kFirst, {});
    CHECK(s.cache.spare() == static_cast<std::int64_t>(2 * kMiB));
    // All is idle, so another stream gets the whole segment's bytes.
    void* a = s.cache.allocate(kMiB, kSecond);
    void* b = s.cache.allocate(kMiB, kSecond);
    CHECK(a == held.front() && static_cast<std::byte*>(b) - static_cast<std::byte*>(a) == kMiB);
    CHECK(s.runtime.allocations == 1);
  }
}

void large_requests_take_what_fits() {
  Setup s(256 * kMiB);
  void* a = s.cache.allocate(3 * kMiB, kFirst);
  CHECK(s.runtime.held() == 20 * kMiB);
  void* b = s.cache.allocate(11 * kMiB + 5, kFirst);
  CHECK(s.runtime.held() == 20 * kMiB);  // from the rest of the first segment
  void* c = s.cache.allocate(33 * kMiB, kFirst);
  CHECK(s.runtime.held() == 54 * kMiB);
  for (void* p : {a, b, c}) s.cache.deallocate(p, 0, kFirst, {});
  CHECK(s.cache.statistics().allocated == 0);
  CHECK(s.cache.release_cached() == 54 * kMiB);
  CHECK(s.runtime.held() == 0);
  CHECK(s.cache.statistics().reserved == 0);
}

void other_streams_get_a_block_only_when_its_stream_is_idle() {
  Setup s(256 * kMiB);
  void* a = s.cache.allocate(4 * kMiB, kFirst);
  s.runtime.work(kFirst);
  s.cache.deallocate(a, 4 * kMiB, kFirst, {});
  void* b = s.cache.allocate(4 * kMiB, kSecond);
  CHECK(b != a);
  s.runtime.finish_all();
  CHECK(s.cache.allocate(4 * kMiB, kSecond) != nullptr);
  CHECK(s.cache.allocate(4 * kMiB, kFirst) == a);  // the own stream needs no event
}

void a_block_used_on_another_stream_waits_for_it() {
  Setup s(256 * kMiB);
  void* a = s.cache.allocate(4 * kMiB, kFirst);
  s.runtime.work(kSecond);
  const std::array<StreamRef, 1> used = {kSecond};
  s.cache.deallocate(a, 4 * kMiB, kFirst, used);
  CHECK(s.cache.allocate(4 * kMiB, kFirst) != a);
  s.runtime.finish_all();
  CHECK(s.cache.allocate(4 * kMiB, kFirst) == a);
}

void pinned_memory_is_lent_again_after_its_events_only() {
  Setup s(64 * kMiB, Reuse::kAfterEvents);
  void* a = s.cache.allocate(kMiB, kNoStream);
  const std::array<StreamRef, 5> used = {StreamRef{1}, StreamRef{2}, StreamRef{3}, StreamRef{4},
                                         StreamRef{5}};
  for (StreamRef stream : used) s.runtime.work(stream);
  s.cache.deallocate(a, kMiB, kNoStream, used);
  for (StreamRef stream : used) {
    CHECK(s.cache.allocate(kMiB, kNoStream) != a);
    s.runtime.finish(stream, 100);
  }
  s.runtime.finish_all();
  CHECK(s.cache.allocate(kMiB, kNoStream) == a);
}

void shortage_frees_the_cache_and_tells_the_numbers() {
  Setup s(64 * kMiB);
  void* a = s.cache.allocate(40 * kMiB, kFirst);
  s.cache.deallocate(a, 40 * kMiB, kFirst, {});
  void* b = s.cache.allocate(50 * kMiB, kFirst);  // only possible when the 40 MiB go back
  CHECK(s.runtime.held() == 50 * kMiB);
  try {
    s.cache.allocate(20 * kMiB, kFirst);
    CHECK(false);
  } catch (const OutOfMemoryError& error) {
    CHECK(error.requested == static_cast<std::int64_t>(20 * kMiB));
    CHECK(error.free == static_cast<std::int64_t>(14 * kMiB));
    CHECK(error.total == static_cast<std::int64_t>(64 * kMiB));
    CHECK(std::strstr(error.what(), "cuda:0: asked 20.0 MiB; free 14.0 MiB of 64.0 MiB") !=
          nullptr);
    CHECK(error.fix() == "gpukit.cuda.empty_cache()");
  }
  CHECK(s.cache.statistics().out_of_memory_count == 1);
  s.cache.deallocate(b, 50 * kMiB, kFirst, {});
  CHECK_THROWS(OutOfMemoryError, s.cache.allocate(~std::size_t{0}, kFirst));
  s.limited.set_limit(52 * kMiB);
  CHECK_THROWS(OutOfMemoryError, s.cache.allocate(53 * kMiB, kFirst));
  CHECK(s.cache.allocate(51 * kMiB, kFirst) != nullptr);
}

void a_failed_record_never_frees_too_early() {
  Setup s(64 * kMiB);
  void* a = s.cache.allocate(2 * kMiB, kFirst);
  s.runtime.fail_records = true;
  const std::array<StreamRef, 1> used = {kSecond};
  s.cache.deallocate(a, 2 * kMiB, kFirst, used);
  s.runtime.fail_records = false;
  s.runtime.finish_all();
  CHECK(s.cache.allocate(2 * kMiB, kFirst) != a);
}

/// What a correct allocator must keep true: no overlap, and order before every reuse.
class Shadow {
 public:
  struct Lent {
    std::size_t bytes;
    StreamRef stream;
    std::vector<std::pair<StreamRef, std::uint64_t>> uses;
  };

  explicit Shadow(FakeRuntime& runtime) : runtime_(runtime) {}

  void lend(std::byte* address, std::size_t bytes, StreamRef stream) {
    CHECK(reinterpret_cast<std::uintptr_t>(address) % 256 == 0);
    const auto after = lent_.lower_bound(address);
    CHECK(after == lent_.end() || address + bytes <= after->first);
    CHECK(after == lent_.begin() ||
          std::prev(after)->first + std::prev(after)->second.bytes <= address);
    for (const auto& [start, past] : past_) {
      if (start >= address + bytes || start + past.bytes <= address) continue;
      for (const auto& [user, mark] : past.uses) CHECK(runtime_.is_ordered(user, mark, stream));
    }
    lent_[address] = {bytes, stream, {{stream, runtime_.work(stream)}}};
    total_ += static_cast<std::int64_t>(bytes);
  }

  Lent take(std::byte* address) {
    auto node = lent_.extract(address);
    total_ -= static_cast<std::int64_t>(node.mapped().bytes);
    past_.emplace_back(address, node.mapped());
    if (past_.size() > 300) past_.pop_front();
    return node.mapped();
  }

  std::map<std::byte*, Lent>& lent() { return lent_; }
  std::int64_t total() const { return total_; }

 private:
  FakeRuntime& runtime_;
  std::map<std::byte*, Lent> lent_;
  std::deque<std::pair<std::byte*, Lent>> past_;
  std::int64_t total_ = 0;
};

std::size_t random_size(std::mt19937_64& random) {
  const auto power = random() % 24;
  return 1 + random() % (std::size_t{1} << power);
}

void replay(std::uint64_t seed, int operations) {
  Setup s(48 * kMiB);
  StatisticsResource counted(s.cache);
  Shadow shadow(s.runtime);
  std::mt19937_64 random(seed);
  const auto any_stream = [&] { return StreamRef{1 + random() % 8}; };
  int shortages = 0;
  for (int i = 0; i < operations; ++i) {
    const auto choice = random() % 100;
    if (choice < 45 || shadow.lent().empty()) {
      const std::size_t bytes = random_size(random);
      const StreamRef stream = any_stream();
      try {
        auto* address = static_cast<std::byte*>(counted.allocate(bytes, stream));
        shadow.lend(address, bytes, stream);
      } catch (const OutOfMemoryError&) {
        ++shortages;
      }
    } else if (choice < 90) {
      auto at = shadow.lent().begin();
      std::advance(at, static_cast<std::ptrdiff_t>(
                           random() % std::min<std::size_t>(shadow.lent().size(), 40)));
      std::vector<StreamRef> extra;
      for (auto n = random() % 6; n > 3; --n) {
        extra.push_back(any_stream());
        at->second.uses.emplace_back(extra.back(), s.runtime.work(extra.back()));
      }
      std::byte* address = at->first;
      const auto past = shadow.take(address);
      counted.deallocate(address, past.bytes, past.stream, extra);
    } else if (choice < 99) {
      s.runtime.finish(any_stream(), random() % 50);
    } else if (random() % 20 == 0) {
      s.cache.release_cached();
    }
    if (i % 1000 == 0) CHECK(counted.statistics().allocated == shadow.total());
  }
  CHECK(shortages > 0);
  while (!shadow.lent().empty()) {
    std::byte* address = shadow.lent().begin()->first;
    const auto past = shadow.take(address);
    counted.deallocate(address, past.bytes, past.stream, {});
  }
  s.cache.release_cached();
  CHECK(counted.statistics().allocated == 0);
  CHECK(counted.statistics().out_of_memory_count == shortages);
  CHECK(s.cache.statistics().allocated == 0);
  CHECK(s.cache.statistics().active_blocks == 0);
  CHECK(s.cache.statistics().reserved == 0);
  CHECK(s.runtime.held() == 0);
}

/// Each thread fills what it is lent with its own byte and finds it unchanged when it frees it.
void threads_do_not_meet(int rounds) {
  Setup s(512 * kMiB);
  StatisticsResource counted(s.cache);
  const auto work = [&](unsigned char mark) {
    std::mt19937_64 random(mark);
    std::vector<std::pair<unsigned char*, std::size_t>> held;
    for (int i = 0; i < rounds; ++i) {
      const StreamRef stream{1u + mark % 8u};
      if (held.size() < 8 || random() % 2 == 0) {
        const std::size_t bytes = 1 + random() % 5000;
        auto* address = static_cast<unsigned char*>(counted.allocate(bytes, stream));
        std::memset(address, mark, bytes);
        held.emplace_back(address, bytes);
      }
      if (held.size() > 30 || random() % 2 == 0) {
        const auto [address, bytes] = held.back();
        held.pop_back();
        CHECK(address[0] == mark && std::memcmp(address, address + 1, bytes - 1) == 0);
        const std::array<StreamRef, 1> used = {StreamRef{1 + random() % 8}};
        counted.deallocate(address, bytes, stream, std::span(used).first(random() % 2));
      }
    }
    for (const auto& [address, bytes] : held)
      counted.deallocate(address, bytes, StreamRef{1u + mark % 8u}, {});
  };
  std::vector<std::thread> threads;
  for (unsigned char mark = 1; mark <= 4; ++mark) threads.emplace_back(work, mark);
  for (std::thread& thread : threads) thread.join();
  CHECK(counted.statistics().allocated == 0);
  CHECK(counted.statistics().active_blocks == 0);
  s.cache.release_cached();
  CHECK(s.runtime.held() == 0);
}

}  // namespace

/// The arguments: operations a seed, and seeds.
int main(int argc, char** argv) {
  small_requests_share_a_segment();
  a_released_block_is_reused_as_it_is();
  released_blocks_are_merged_for_what_needs_more();
  large_requests_take_what_fits();
  other_streams_get_a_block_only_when_its_stream_is_idle();
  a_block_used_on_another_stream_waits_for_it();
  pinned_memory_is_lent_again_after_its_events_only();
  shortage_frees_the_cache_and_tells_the_numbers();
  a_failed_record_never_frees_too_early();
  const int operations = argc > 1 ? std::atoi(argv[1]) : 20000;
  const int seeds = argc > 2 ? std::atoi(argv[2]) : 5;
  for (int seed = 1; seed <= seeds; ++seed) replay(static_cast<std::uint64_t>(seed), operations);
  threads_do_not_meet(operations);
  std::printf("caching_resource: %d replays of %d operations, 0 faults\n", seeds, operations);
  return 0;
}
