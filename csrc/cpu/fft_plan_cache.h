// Plans of Fourier transforms that are kept for the next ones.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "base/fork_hooks.h"
#include "cpu/fft_plan.h"

namespace gpukit::cpu::fft_plan {

inline constexpr std::int64_t kMostKeptBytes = std::int64_t{64} << 20;

/// Plans in the order of their last use.
template <class T>
struct Cache {
  struct Entry {
    std::int64_t size;
    FftForm form;
    std::shared_ptr<const FftPlan<T>> plan;
  };
  std::list<Entry> entries;
  std::int64_t bytes = 0;

  std::shared_ptr<const FftPlan<T>> find(std::int64_t size, FftForm form) {
    const auto found = std::ranges::find_if(
        entries, [&](const Entry& entry) { return entry.size == size && entry.form == form; });
    if (found == entries.end()) return nullptr;
    entries.splice(entries.begin(), entries, found);
    return found->plan;
  }

  void add(std::int64_t size, FftForm form, std::shared_ptr<const FftPlan<T>> plan) {
    bytes += plan->bytes();
    entries.push_front({size, form, std::move(plan)});
    while (bytes > kMostKeptBytes && entries.size() > 1) {
      bytes -= entries.back().plan->bytes();
      entries.pop_back();
    }
  }
};

inline std::mutex& cache_mutex() {
  static std::mutex* const mutex = [] {
    static constexpr auto kUnlock = [] { cache_mutex().unlock(); };
    set_fork_hooks(ForkLevel::kPlans, {[] { cache_mutex().lock(); }, kUnlock, kUnlock});
    return new std::mutex;
  }();
  return *mutex;
}

template <class T>
Cache<T>& cache() {
  static auto* const kept = new Cache<T>;
  return *kept;
}

}  // namespace gpukit::cpu::fft_plan
