// The shared memory of a block: poisoned when a block starts, with a guard after it.
#pragma once

#include <cstddef>
#include <vector>

namespace gpukit::sim {

class Fiber;
struct SharedArray;

/// The static arrays and the dynamic part of the block that runs now. Not thread safe.
class BlockSharedMemory {
 public:
  /// Makes the dynamic part. Throws std::bad_alloc.
  void start_launch(std::size_t dynamic_bytes);
  void end_launch();

  void start_block();
  /// What was written past its end in this block, or null.
  const char* end_block();

  /// At a kernel's first use of a static array in this block; `scheduler` is not the kernel's own.
  void start_array(SharedArray& array, std::size_t bytes, Fiber& scheduler);

 private:
  struct Part {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };

  /// Frees memory that the race detector may still see threads of this launch use.
  void free_later(void* memory);

  std::vector<Part> arrays_;
  std::vector<void*> used_;  ///< freed when the launch ends
  Part dynamic_;
};

}  // namespace gpukit::sim
