// Memory without bytes: addresses that nothing reads, streams and events that are always done.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/device_runtime.h"
#include "base/error.h"

namespace gpukit::meta {

class MetaRuntime final : public DeviceRuntime {
 public:
  MetaRuntime() {
    properties_.name = "meta";
    properties_.total_memory = kBytes;
    properties_.shares_memory_with_others = false;
  }

  Device device() const noexcept override { return Device::meta(); }
  const DeviceProperties& properties() const override { return properties_; }
  DeviceCapabilities capabilities() const noexcept override { return {.holds_no_values = true}; }

  void* allocate(std::size_t bytes) override {
    // The limit keeps sums of sizes in range.
    const auto size = static_cast<std::int64_t>(bytes);
    std::int64_t held = held_;
    do {
      if (size < 0 || size > kBytes - held) {
        throw OutOfMemoryError("meta: its tensors have up to 2^61 bytes together", size,
                               kBytes - held, kBytes, 0);
      }
    } while (!held_.compare_exchange_weak(held, held + size));
    // No two alike; the ranges overlap, but nothing reads there.
    return reinterpret_cast<void*>(next_.fetch_add(256));
  }
  void deallocate(void*, std::size_t bytes) noexcept override {
    held_ -= static_cast<std::int64_t>(bytes);
  }
  void* allocate_pinned(std::size_t) override { throw_no_values(); }
  void deallocate_pinned(void*, std::size_t) noexcept override {}
  MemoryInfo memory_info() override { return {kBytes - held_, kBytes}; }

  StreamRef default_stream() override { return {1}; }
  StreamRef create_stream(int) override { return {++streams_}; }
  void destroy_stream(StreamRef) noexcept override {}
  bool query(StreamRef) override { return true; }
  void synchronize(StreamRef) override {}
  void synchronize() override {}

  EventRef create_event(EventOptions) override { return {1}; }
  void destroy_event(EventRef) noexcept override {}
  void record(EventRef, StreamRef) override {}
  void wait(StreamRef, EventRef) override {}
  bool query(EventRef) override { return true; }
  void synchronize(EventRef) override {}
  double elapsed_ms(EventRef, EventRef) override { return 0; }

  void copy_from_host(void*, const void*, std::size_t, StreamRef) override {}
  void copy_to_host(void*, const void*, std::size_t, StreamRef) override { throw_no_values(); }
  void copy_on_device(void*, const void*, std::size_t, StreamRef) override {}
  void fill_bytes(void*, unsigned char, std::size_t, StreamRef) override {}

  /// Nothing reads an index.
  bool reports_indices() override { return true; }

 private:
  static constexpr std::int64_t kBytes = std::int64_t{1} << 61;

  [[noreturn]] static void throw_no_values() {
    throw NotSupportedError("meta: tensors there have no values to read");
  }

  DeviceProperties properties_;
  std::atomic<std::int64_t> held_{0};
  std::atomic<std::uintptr_t> next_{std::uintptr_t{1} << 40};
  std::atomic<std::uintptr_t> streams_{1};
};

}  // namespace gpukit::meta
