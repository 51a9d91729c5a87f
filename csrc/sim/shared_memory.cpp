#include "sim/shared_memory.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "sim/fiber.h"

namespace gpukit::sim {

namespace {

[[maybe_unused]] constexpr std::size_t kGuardBytes = 64;
[[maybe_unused]] constexpr unsigned char kGuardByte = 0xFB;
constexpr unsigned char kFreshByte = 0xFF;  // a NaN in every floating-point type

}  // namespace

void refresh_shared(void* memory, std::size_t bytes) { std::memset(memory, kFreshByte, bytes); }

void* new_shared(std::size_t bytes) {
  void* memory = nullptr;
#if defined(GPUKIT_SIM_ASAN) || defined(GPUKIT_TSAN)
  const std::size_t total = bytes;  // the sanitizer's own red zone follows
#else
  const std::size_t total = bytes + kGuardBytes;
#endif
  if (posix_memalign(&memory, 64, total) != 0) throw std::bad_alloc();
  refresh_shared(memory, bytes);
#if !defined(GPUKIT_SIM_ASAN) && !defined(GPUKIT_TSAN)
  std::memset(static_cast<unsigned char*>(memory) + bytes, kGuardByte, kGuardBytes);
#endif
  return memory;
}

bool guard_is_whole([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#if !defined(GPUKIT_SIM_ASAN) && !defined(GPUKIT_TSAN)
  const unsigned char* guard = static_cast<const unsigned char*>(memory) + bytes;
  for (std::size_t i = 0; i < kGuardBytes; i++) {
    if (guard[i] != kGuardByte) return false;
  }
#endif
  return true;
}

}  // namespace gpukit::sim
