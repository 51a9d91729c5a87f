#include "sim/checked_memory.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "sim/fiber.h"

namespace gpukit::sim {

namespace checked_memory {
namespace {

constexpr std::size_t kPageBytes = 4096;  // the smallest there are; larger ones are multiples

// Tells whether memory can be read by letting the kernel try: it answers with an error, not a
// signal.
class ReadProbe {
 public:
  ReadProbe() {
    if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
  }
  ~ReadProbe() {
    if (ends_[0] < 0) return;
    close(ends_[0]);
    close(ends_[1]);
  }
  ReadProbe(const ReadProbe&) = delete;
  ReadProbe& operator=(const ReadProbe&) = delete;

  bool can_read(const char* byte) const {
    if (ends_[0] < 0) return true;  // no descriptor left to ask with
    // The plain system call: a sanitizer's wrapper would look at the byte itself.
    if (syscall(SYS_write, ends_[1], byte, 1) != 1) return false;
    char taken;
    return read(ends_[0], &taken, 1) == 1;
  }

 private:
  int ends_[2];
};

// Past the end of a damaged image are unrelated bytes; a sanitizer must let us read them.
#if defined(GPUKIT_SIM_ASAN)
__attribute__((no_sanitize("address"))) void copy(void* to, const char* from, std::size_t bytes) {
  const volatile char* source = from;
  for (std::size_t i = 0; i < bytes; i++) static_cast<char*>(to)[i] = source[i];
}
#else
void copy(void* to, const char* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

/// Bytes from here to the end of the page.
std::size_t rest_of_page(const char* from) {
  return kPageBytes - reinterpret_cast<std::uintptr_t>(from) % kPageBytes;
}

}  // namespace
}  // namespace checked_memory

bool can_read(const void* from, std::size_t bytes) {
  const checked_memory::ReadProbe probe;
  const char* const first = static_cast<const char*>(from);
  if (reinterpret_cast<std::uintptr_t>(first) > ~std::uintptr_t{0} - bytes) return false;
  for (std::size_t at = 0; at < bytes; at += checked_memory::rest_of_page(first + at)) {
    if (!probe.can_read(first + at)) return false;
  }
  return true;
}

bool copy_checked(void* to, const void* from, std::size_t bytes) {
  if (!can_read(from, bytes)) return false;
  checked_memory::copy(to, static_cast<const char*>(from), bytes);
  return true;
}

std::optional<std::string> read_text_checked(const void* from, std::size_t most) {
  const checked_memory::ReadProbe probe;
  const char* at = static_cast<const char*>(from);
  std::string text;
  char page[checked_memory::kPageBytes];
  while (text.size() < most) {
    if (!probe.can_read(at)) return std::nullopt;
    const std::size_t bytes = std::min(checked_memory::rest_of_page(at), most - text.size());
    checked_memory::copy(page, at, bytes);
    const void* const end = std::memchr(page, 0, bytes);
    text.append(page, end == nullptr ? bytes : static_cast<const char*>(end) - page);
    if (end != nullptr) return text;
    at += bytes;
  }
  return text;
}

}  // namespace gpukit::sim
