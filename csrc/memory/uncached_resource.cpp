#include "memory/uncached_resource.h"

#include <thread>

#include "base/wait_pacing.h"

namespace gpukit::memory {

namespace uncached_resource {
namespace {

/// Freeing may not throw, so Ctrl-C is left to the next wait.
void wait(DeviceRuntime& runtime, StreamRef stream) noexcept {
  try {
    WaitPacing pacing;
    while (!runtime.query(stream)) std::this_thread::sleep_for(pacing.pause());
  } catch (...) {  // a lost device works no more
  }
}

void order_after(DeviceRuntime& runtime, StreamRef stream, StreamRef other) {
  const EventRef event = runtime.create_event({});
  try {
    runtime.record(event, other);
    runtime.wait(stream, event);
  } catch (...) {
    runtime.destroy_event(event);
    throw;
  }
  runtime.destroy_event(event);
}

}  // namespace
}  // namespace uncached_resource

void UncachedResource::deallocate(void* address, std::size_t bytes, StreamRef stream,
                                  std::span<const StreamRef> also_used_on) noexcept {
  uncached_resource::wait(runtime_, stream);
  for (StreamRef used : also_used_on) uncached_resource::wait(runtime_, used);
  upstream_.deallocate(address, bytes, stream, also_used_on);
}

void DriverPoolResource::deallocate(void* address, std::size_t, StreamRef stream,
                                    std::span<const StreamRef> also_used_on) noexcept {
  try {
    for (StreamRef used : also_used_on) uncached_resource::order_after(runtime_, stream, used);
  } catch (...) {  // a lost device works no more
  }
  runtime_.deallocate_to_pool(address, stream);
}

}  // namespace gpukit::memory
