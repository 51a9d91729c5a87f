// Tracks uninitialised device memory with check=init; empty otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace gpukit::sim {

class FreshMemory {
 public:
  /// Forgets everything; a new simulation watches or does not.
  void watch(bool on);
  /// An allocation, or memory that is reused.
  void add(std::uintptr_t address, std::size_t bytes);
  void note_written(std::uintptr_t address, std::size_t bytes);
  void note_written(const void* address, std::size_t bytes) {
    note_written(reinterpret_cast<std::uintptr_t>(address), bytes);
  }
  /// Something wrote that is not watched: a kernel's host build, or a library.
  void forget();
  /// Whether one of these bytes is fresh.
  bool holds(std::uintptr_t address, std::size_t bytes);

 private:
  void cut(std::uintptr_t first, std::uintptr_t end);

  std::atomic<bool> on_ = false;
  std::mutex mutex_;
  std::map<std::uintptr_t, std::uintptr_t> ranges_;  ///< first byte and the one after the last
};

/// Of the process: there is one simulation at a time.
FreshMemory& fresh_memory();

}  // namespace gpukit::sim
