#include "memory/limiting_resource.h"

#include "base/check.h"
#include "base/error.h"
#include "base/format.h"

namespace gpukit::memory {

namespace limiting_resource {
namespace {

[[noreturn]] void fail(std::size_t bytes, std::size_t held, std::size_t limit) {
  const auto total = static_cast<std::int64_t>(limit);
  const std::int64_t free = held < limit ? static_cast<std::int64_t>(limit - held) : 0;
  OutOfMemoryError error(concat("asked ", format_bytes(static_cast<std::int64_t>(bytes)), "; free ",
                                format_bytes(free), " of the limit of ", format_bytes(total)),
                         static_cast<std::int64_t>(bytes), free, total, 0);
  error.add_detail("limit", total);
  throw error;
}

}  // namespace
}  // namespace limiting_resource

void* LimitingResource::allocate(std::size_t bytes, StreamRef stream) {
  const std::size_t limit = this->limit();
  const std::size_t held = held_.fetch_add(bytes, std::memory_order_relaxed);
  try {
    if (limit != 0 && (held > limit || bytes > limit - held))
      limiting_resource::fail(bytes, held, limit);
    return upstream_.allocate(bytes, stream);
  } catch (...) {
    held_.fetch_sub(bytes, std::memory_order_relaxed);
    throw;
  }
}

void LimitingResource::deallocate(void* address, std::size_t bytes, StreamRef stream,
                                  std::span<const StreamRef> also_used_on) noexcept {
  upstream_.deallocate(address, bytes, stream, also_used_on);
  held_.fetch_sub(bytes, std::memory_order_relaxed);
}

}  // namespace gpukit::memory
