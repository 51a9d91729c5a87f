#include "sim/shared_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "sim/device_runtime.h"
#include "sim/fiber.h"

#if defined(GPUKIT_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

namespace gpukit::sim {

namespace shared_memory {
namespace {

[[maybe_unused]] constexpr std::size_t kGuardBytes = 64;
[[maybe_unused]] constexpr unsigned char kGuardByte = 0xFB;
// Room made before the launch; the arrays of a block beyond these are not guarded.
constexpr std::size_t kMostArrays = 256;
constexpr unsigned char kFreshByte = 0xFF;  // a NaN in every floating-point type

/// Poisons it again for the next block.
void refresh(void* memory, std::size_t bytes) { std::memset(memory, kFreshByte, bytes); }

/// Poisoned memory for std::free. Throws std::bad_alloc.
void* allocate(std::size_t bytes) {
  void* memory = nullptr;
#if defined(GPUKIT_SIM_ASAN) || defined(GPUKIT_TSAN)
  const std::size_t total = bytes;  // the sanitizer's own red zone follows
#else
  const std::size_t total = bytes + kGuardBytes;
#endif
  if (posix_memalign(&memory, 64, total) != 0) throw std::bad_alloc();
  refresh(memory, bytes);
#if !defined(GPUKIT_SIM_ASAN) && !defined(GPUKIT_TSAN)
  std::memset(static_cast<unsigned char*>(memory) + bytes, kGuardByte, kGuardBytes);
#endif
  return memory;
}

/// Whether nothing was written past the last byte. Sanitizer builds detect that themselves.
bool is_intact([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if !defined(GPUKIT_SIM_ASAN) && !defined(GPUKIT_TSAN)
  const unsigned char* guard = static_cast<const unsigned char*>(memory) + bytes;
  for (std::size_t i = 0; i < kGuardBytes; i++) {
    if (guard[i] != kGuardByte) return false;
  }
#endif
  return true;
}

}  // namespace
}  // namespace shared_memory

void BlockSharedMemory::start_launch(std::size_t dynamic_bytes) {
  arrays_.reserve(shared_memory::kMostArrays);
  dynamic_ = {dynamic_bytes != 0 ? shared_memory::allocate(dynamic_bytes) : nullptr, dynamic_bytes};
  dynamic_shared_memory = static_cast<unsigned char*>(dynamic_.memory);
}

void BlockSharedMemory::end_launch() {
  std::free(std::exchange(dynamic_, Part()).memory);
  for (void* memory : used_) std::free(memory);
  used_.clear();
}

void BlockSharedMemory::free_later(void* memory) { used_.push_back(memory); }

void BlockSharedMemory::start_block() {
  if (dynamic_.memory == nullptr) return;
#if defined(GPUKIT_TSAN)
  free_later(dynamic_.memory);
  dynamic_.memory = shared_memory::allocate(dynamic_.bytes);
#else
  shared_memory::refresh(dynamic_.memory, dynamic_.bytes);
#endif
  dynamic_shared_memory = static_cast<unsigned char*>(dynamic_.memory);
}

const char* BlockSharedMemory::end_block() {
  const bool arrays_whole = std::all_of(arrays_.begin(), arrays_.end(), [](const Part& array) {
    return shared_memory::is_intact(array.memory, array.bytes);
  });
  arrays_.clear();
  if (!arrays_whole) return "a static shared array was written past its end";
  if (dynamic_.memory == nullptr || shared_memory::is_intact(dynamic_.memory, dynamic_.bytes))
    return nullptr;
  return "dynamic shared memory was written past its end";
}

void BlockSharedMemory::start_array(SharedArray& array, std::size_t bytes,
                                    [[maybe_unused]] Fiber& scheduler) {
#if defined(GPUKIT_TSAN)
  // Fresh memory per block, made in the scheduler's name: a recycled array would look like a race.
  void* const kernel_side = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(scheduler.thread_sanitizer_fiber(), __tsan_switch_to_fiber_no_sync);
  free_later(array.memory);
  array.memory = shared_memory::allocate(bytes);
  __tsan_release(&array);
  __tsan_switch_to_fiber(kernel_side, __tsan_switch_to_fiber_no_sync);
#else
  if (array.memory == nullptr) {
    array.memory = shared_memory::allocate(bytes);
  } else {
    shared_memory::refresh(array.memory, bytes);
  }
#endif
  array.bytes = bytes;
  array.serial = block_serial;
  if (arrays_.size() < shared_memory::kMostArrays) arrays_.push_back({array.memory, bytes});
}

}  // namespace gpukit::sim
