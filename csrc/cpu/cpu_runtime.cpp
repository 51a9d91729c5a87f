#include "cpu/cpu_runtime.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "base/error.h"
#include "cpu/cpu_features.h"
#include "cpu/cpu_memory.h"
#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_runtime {
namespace {

struct CpuEvent {
  bool timing;
  std::atomic<std::int64_t> recorded_ns{-1};
};

CpuEvent& event_of(EventRef event) { return *reinterpret_cast<CpuEvent*>(event.handle); }

DeviceProperties read_properties() {
  DeviceProperties properties;
  const std::string name = processor_name();
  properties.name = name.empty() ? "CPU" : name;
  properties.total_memory = host_memory_info().total;
  properties.multi_processor_count = usable_cores();
#if defined(_SC_LEVEL2_CACHE_SIZE)
  properties.l2_cache_size = std::max<std::int64_t>(0, sysconf(_SC_LEVEL2_CACHE_SIZE));
#endif
  return properties;
}

}  // namespace
}  // namespace cpu_runtime

CpuRuntime::CpuRuntime() : properties_(cpu_runtime::read_properties()) {}

void* CpuRuntime::allocate(std::size_t bytes) { return allocate_host(bytes); }
void CpuRuntime::deallocate(void* address, std::size_t bytes) noexcept {
  deallocate_host(address, bytes);
}
void* CpuRuntime::allocate_pinned(std::size_t bytes) { return allocate_host(bytes); }
void CpuRuntime::deallocate_pinned(void* address, std::size_t bytes) noexcept {
  deallocate_host(address, bytes);
}
MemoryInfo CpuRuntime::memory_info() { return host_memory_info(); }

EventRef CpuRuntime::create_event(EventOptions options) {
  auto event = std::make_unique<cpu_runtime::CpuEvent>();
  event->timing = options.timing;
  return {reinterpret_cast<std::uintptr_t>(event.release())};
}

void CpuRuntime::destroy_event(EventRef event) noexcept {
  std::unique_ptr<cpu_runtime::CpuEvent>(&cpu_runtime::event_of(event));
}

void CpuRuntime::record(EventRef event, StreamRef) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  cpu_runtime::event_of(event).recorded_ns.store(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

double CpuRuntime::elapsed_ms(EventRef start, EventRef stop) {
  const cpu_runtime::CpuEvent& first = cpu_runtime::event_of(start);
  const cpu_runtime::CpuEvent& last = cpu_runtime::event_of(stop);
  if (!first.timing || !last.timing) {
    throw DeviceError(
        "elapsed_time: cpu event without timing. Create both events with enable_timing=True");
  }
  const std::int64_t begin = first.recorded_ns.load(), end = last.recorded_ns.load();
  if (begin < 0 || end < 0) {
    throw DeviceError(
        "elapsed_time: cpu event that was never recorded. Call record() on both events first");
  }
  return static_cast<double>(end - begin) * 1e-6;
}

void CpuRuntime::copy_from_host(void* target, const void* source, std::size_t bytes, StreamRef) {
  copy_bytes(target, source, static_cast<std::int64_t>(bytes));
}
void CpuRuntime::copy_to_host(void* target, const void* source, std::size_t bytes, StreamRef) {
  copy_bytes(target, source, static_cast<std::int64_t>(bytes));
}
void CpuRuntime::copy_on_device(void* target, const void* source, std::size_t bytes, StreamRef) {
  copy_bytes(target, source, static_cast<std::int64_t>(bytes));
}
void CpuRuntime::copy_from_peer(void* target, DeviceRuntime&, const void* source, std::size_t bytes,
                                StreamRef) {
  copy_bytes(target, source, static_cast<std::int64_t>(bytes));
}
void CpuRuntime::fill_bytes(void* target, unsigned char value, std::size_t bytes, StreamRef) {
  cpu::fill_bytes(target, value, static_cast<std::int64_t>(bytes));
}

}  // namespace gpukit::cpu
