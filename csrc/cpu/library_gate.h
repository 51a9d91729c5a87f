// Calls of a library with internal locks, and fork(): the child would find such a lock taken
// by a thread that it does not have.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace gpukit::cpu {

/// Open to any number of concurrent calls. While it is closed, no call is inside.
class LibraryGate {
 public:
  /// Inside for a scope. Waits while the gate is closed.
  class Pass {
   public:
    explicit Pass(LibraryGate& gate) noexcept : gate_(gate) { gate_.enter(); }
    ~Pass() { gate_.inside_.fetch_sub(1); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    LibraryGate& gate_;
  };

  /// Waits until the last call is over. One thread at a time.
  void close() noexcept {
    closed_.store(true);
    while (inside_.load() != 0) rest();
  }
  void open() noexcept { closed_.store(false); }
  /// In a child, which has none of the threads that were at the gate.
  void open_in_child() noexcept {
    inside_.store(0);
    open();
  }

 private:
  static void rest() noexcept { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

  void enter() noexcept {
    inside_.fetch_add(1);
    while (closed_.load()) [[unlikely]] {
      inside_.fetch_sub(1);
      while (closed_.load()) rest();
      inside_.fetch_add(1);
    }
  }

  std::atomic<int> inside_{0};
  std::atomic<bool> closed_{false};
};

}  // namespace gpukit::cpu
