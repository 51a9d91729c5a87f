#include "driver/loader_cache.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

namespace gpukit::driver {

namespace loader_cache {
namespace {

constexpr std::string_view kMagic = "glibc-ld.so.cache1.1";

// Layout of glibc's cache since 2.2; offsets of strings count from the header's first byte.
struct CacheHeader {
  char magic[20];
  std::uint32_t count;
  std::uint32_t string_bytes;
  std::uint32_t other[5];
};
static_assert(sizeof(CacheHeader) == 48);

struct CacheEntry {
  std::int32_t flags;
  std::uint32_t name;
  std::uint32_t path;
  std::uint32_t os_version;
  std::uint64_t hardware;
};
static_assert(sizeof(CacheEntry) == 24);

std::string_view text_at(std::string_view cache, std::uint32_t offset) {
  if (offset >= cache.size()) return {};
  const std::string_view rest = cache.substr(offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

}  // namespace
}  // namespace loader_cache

std::vector<std::string> find(std::string_view content, std::string_view soname) {
  std::vector<std::string> paths;
  // Caches written for very old loaders have this one after the old table.
  const std::size_t start = content.find(loader_cache::kMagic);
  if (start == std::string_view::npos) return paths;
  const std::string_view cache = content.substr(start);
  if (cache.size() < sizeof(loader_cache::CacheHeader)) return paths;
  loader_cache::CacheHeader header;
  std::memcpy(&header, cache.data(), sizeof header);
  for (std::uint32_t i = 0; i < header.count; ++i) {
    const std::size_t offset = sizeof header + std::size_t{i} * sizeof(loader_cache::CacheEntry);
    if (offset + sizeof(loader_cache::CacheEntry) > cache.size()) break;
    loader_cache::CacheEntry entry;
    std::memcpy(&entry, cache.data() + offset, sizeof entry);
    if (loader_cache::text_at(cache, entry.name) != soname) continue;
    if (const std::string_view path = loader_cache::text_at(cache, entry.path); !path.empty()) {
      paths.emplace_back(path);
    }
  }
  return paths;
}

std::vector<std::string> cached_libraries(std::string_view soname) {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  if (!file) return {};
  const std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return find(content, soname);
}

}  // namespace gpukit::driver
