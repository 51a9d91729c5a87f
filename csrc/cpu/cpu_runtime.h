// The host as a device: its streams are immediate, so a stream is always done and an event is a
// time stamp.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/device_runtime.h"

namespace gpukit::cpu {

class CpuRuntime final : public DeviceRuntime {
 public:
  CpuRuntime();

  Device device() const noexcept override { return Device::cpu(); }
  const DeviceProperties& properties() const override { return properties_; }
  DeviceCapabilities capabilities() const noexcept override {
    return {.shares_memory_with_host = true, .dlpack_type = 1};
  }

  void* allocate(std::size_t bytes) override;
  void deallocate(void* address, std::size_t bytes) noexcept override;
  void* allocate_pinned(std::size_t bytes) override;
  void deallocate_pinned(void* address, std::size_t bytes) noexcept override;
  MemoryInfo memory_info() override;

  StreamRef default_stream() override { return {}; }
  StreamRef create_stream(int) override { return {}; }
  void destroy_stream(StreamRef) noexcept override {}
  bool query(StreamRef) override { return true; }
  void synchronize(StreamRef) override {}
  void synchronize() override {}

  EventRef create_event(EventOptions options) override;
  void destroy_event(EventRef event) noexcept override;
  void record(EventRef event, StreamRef stream) override;
  void wait(StreamRef, EventRef) override {}
  bool query(EventRef) override { return true; }
  void synchronize(EventRef) override {}
  double elapsed_ms(EventRef start, EventRef stop) override;

  void copy_from_host(void* target, const void* source, std::size_t bytes,
                      StreamRef stream) override;
  void copy_to_host(void* target, const void* source, std::size_t bytes, StreamRef stream) override;
  void copy_on_device(void* target, const void* source, std::size_t bytes,
                      StreamRef stream) override;
  void copy_from_peer(void* target, DeviceRuntime& source_device, const void* source,
                      std::size_t bytes, StreamRef stream) override;
  void fill_bytes(void* target, unsigned char value, std::size_t bytes, StreamRef stream) override;

  bool can_access_peer(const DeviceRuntime& peer) const override { return &peer == this; }

 private:
  DeviceProperties properties_;
};

}  // namespace gpukit::cpu
