#include "sim/host_memory.h"

#include <cstdlib>
#include <cstring>

namespace gpukit::sim {

namespace host_memory {
namespace {

constexpr std::size_t kPage = 4096;
constexpr unsigned char kFreshByte = 0xFF;

}  // namespace
}  // namespace host_memory

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, host_memory::kPage, bytes) != 0) return nullptr;
  std::memset(memory, host_memory::kFreshByte, bytes);
  return memory;
}

void free_pinned(void* memory) { std::free(memory); }

}  // namespace gpukit::sim
