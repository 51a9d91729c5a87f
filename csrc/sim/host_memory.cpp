#include "sim/host_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace gpukit::sim {

namespace host_memory {
namespace {

constexpr unsigned char kFreshByte = 0xFF;

}  // namespace
}  // namespace host_memory

void* allocate_pinned(std::size_t bytes) {
  void* memory = nullptr;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (posix_memalign(&memory, page, bytes) != 0) return nullptr;
  std::memset(memory, host_memory::kFreshByte, bytes);
  return memory;
}

void free_pinned(void* memory) { std::free(memory); }

}  // namespace gpukit::sim
