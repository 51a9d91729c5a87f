#include "cpu/cpu_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/error.h"
#include "base/format.h"
#include "base/numeric.h"

namespace gpukit::cpu {
namespace cpu_memory {
namespace {

constexpr std::size_t kAlignment = 256;
constexpr std::size_t kMappedFrom = 1 << 20;
constexpr std::size_t kHugePage = 2 << 20;

std::int64_t clipped(std::size_t bytes) {
  return static_cast<std::int64_t>(std::min<std::size_t>(bytes, INT64_MAX));
}

[[noreturn]] void fail(std::size_t bytes) {
  const MemoryInfo info = host_memory_info();
  throw HostMemoryError("cpu: cannot allocate " + format_bytes(clipped(bytes)) + "; " +
                        format_bytes(info.free) + " of " + format_bytes(info.total) +
                        " are available. Use smaller tensors, a smaller dtype, or free some "
                        "with `del`");
}

// Whole pages, which have up to 64 KiB on aarch64.
std::size_t mapped_bytes(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return align_up(bytes, page);
}

// The number after `key` in a "key: 123 kB" table, in bytes; 0 if it is missing.
std::int64_t read_bytes(const char* key) noexcept {
  std::FILE* file = std::fopen("/proc/meminfo", "r");
  if (file == nullptr) return 0;
  char line[256];
  long long kib = 0;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    const std::size_t length = std::strlen(key);
    if (std::strncmp(line, key, length) == 0 && std::sscanf(line + length, ": %lld", &kib) == 1)
      break;
    kib = 0;
  }
  std::fclose(file);
  return kib * 1024;
}

// Where the system promises more memory than there is (vm.overcommit_memory=1), a block that cannot
// fit would be mapped, and the process killed when it is written.
bool can_never_fit(std::size_t bytes) {
  constexpr std::size_t kAlwaysTried = std::size_t{1} << 30;
  if (bytes < kAlwaysTried) return false;
  const std::int64_t most = host_memory_info().total + read_bytes("SwapTotal");
  return most > 0 && clipped(bytes) > most;
}

// Mapped larger than needed, so that the block can begin on a huge page; the ends are unmapped.
void* map(std::size_t bytes) {
  if (bytes > SIZE_MAX / 2 || can_never_fit(bytes)) fail(bytes);
  const std::size_t size = mapped_bytes(bytes), whole = size + kHugePage;
  void* raw = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) fail(bytes);
  const auto begin = reinterpret_cast<std::uintptr_t>(raw);
  const std::uintptr_t aligned = align_up(begin, std::uintptr_t{kHugePage});
  if (aligned != begin) munmap(raw, aligned - begin);
  const std::size_t rest = begin + whole - (aligned + size);
  if (rest != 0) munmap(reinterpret_cast<void*>(aligned + size), rest);
  void* block = reinterpret_cast<void*>(aligned);
#if defined(MADV_HUGEPAGE)
  madvise(block, size, MADV_HUGEPAGE);
#endif
  return block;
}

// -1 if the file does not exist or says "max".
std::int64_t read_number(const char* path) noexcept {
  std::FILE* file = std::fopen(path, "r");
  if (file == nullptr) return -1;
  long long value = -1;
  if (std::fscanf(file, "%lld", &value) != 1) value = -1;
  std::fclose(file);
  return value;
}

void limit_to_container(MemoryInfo& info) noexcept {
  std::int64_t limit = read_number("/sys/fs/cgroup/memory.max"),
               used = read_number("/sys/fs/cgroup/memory.current");
  if (limit < 0) {
    limit = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    used = read_number("/sys/fs/cgroup/memory/memory.usage_in_bytes");
  }
  if (limit <= 0 || limit >= info.total) return;
  info.total = limit;
  info.free = std::clamp<std::int64_t>(limit - std::max<std::int64_t>(used, 0), 0, info.free);
}

}  // namespace
}  // namespace cpu_memory

void* allocate_host(std::size_t bytes) {
  if (bytes >= cpu_memory::kMappedFrom) return cpu_memory::map(bytes);
  void* block = ::operator new(bytes, std::align_val_t{cpu_memory::kAlignment}, std::nothrow);
  if (block == nullptr) cpu_memory::fail(bytes);
  return block;
}

void deallocate_host(void* address, std::size_t bytes) noexcept {
  if (bytes >= cpu_memory::kMappedFrom) {
    munmap(address, cpu_memory::mapped_bytes(bytes));
  } else {
    ::operator delete(address, std::align_val_t{cpu_memory::kAlignment});
  }
}

MemoryInfo host_memory_info() noexcept {
  MemoryInfo info;
  info.total = cpu_memory::read_bytes("MemTotal");
  info.free = cpu_memory::read_bytes("MemAvailable");
#if defined(_SC_PHYS_PAGES)
  if (info.total == 0) {
    info.total = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    info.free = info.total;
  }
#endif
  cpu_memory::limit_to_container(info);
  return info;
}

}  // namespace gpukit::cpu
