// Small parts of the block executor that do not depend on how it runs threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

namespace gpukit::sim {

inline constexpr unsigned kMaxThreads = 1024;

/// "reduce.cu:41:5"
inline std::string to_string(const std::source_location& where) {
  const char* slash = std::strrchr(where.file_name(), '/');
  return std::string(slash != nullptr ? slash + 1 : where.file_name()) + ":" +
         std::to_string(where.line()) + ":" + std::to_string(where.column());
}

inline bool same_place(const std::source_location& a, const std::source_location& b) {
  return a.line() == b.line() && a.column() == b.column() &&
         std::strcmp(a.file_name(), b.file_name()) == 0;
}

// xorshift64*: shuffling must be cheap and give the same order on every platform.
class Shuffler {
 public:
  void seed(std::uint64_t seed) { state_ = seed * 0x9E3779B97F4A7C15u + 0xBB67AE8584CAA73Bu; }
  unsigned below(std::size_t bound) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<unsigned>(((state_ * 0x2545F4914F6CDD1Du) >> 32) * bound >> 32);
  }
  template <class T>
  void shuffle(T* first, std::size_t count) {
    for (std::size_t i = count; i > 1; i--) std::swap(first[i - 1], first[below(i)]);
  }

 private:
  std::uint64_t state_ = 1;
};

// Fixed capacity: the executor must not allocate while it runs on a kernel's stack.
template <class T>
class FixedQueue {
 public:
  FixedQueue() : items_(kMaxThreads) {}
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  T* data() { return items_.data(); }
  T& operator[](std::size_t i) { return items_[i]; }
  void clear() { count_ = head_ = 0; }
  void push(T item) { items_[(head_ + count_++) % kMaxThreads] = item; }
  T pop_front() {
    T item = items_[head_];
    head_ = (head_ + 1) % kMaxThreads;
    count_--;
    return item;
  }
  void swap_front_with(std::size_t offset) {
    std::swap(items_[head_], items_[(head_ + offset) % kMaxThreads]);
  }

 private:
  std::vector<T> items_;
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

}  // namespace gpukit::sim
