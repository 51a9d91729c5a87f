// Memory, copies, streams and events of a demo device: host memory that only tasks touch.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "backend/device_runtime.h"
#include "base/check.h"
#include "base/error.h"
#include "demo_stream.h"

namespace demo {

inline constexpr std::int64_t kMemoryBytes = std::int64_t{256} << 20;

class Runtime final : public gpukit::DeviceRuntime {
 public:
  explicit Runtime(gpukit::Device device) : device_(device) {
    properties_.name = "Demo device";
    properties_.total_memory = kMemoryBytes;
    properties_.shares_memory_with_others = false;
    default_stream_ = create_stream(0);
  }

  gpukit::Device device() const noexcept override { return device_; }
  const gpukit::DeviceProperties& properties() const override { return properties_; }

  void* allocate(std::size_t bytes) override {
    const auto size = static_cast<std::int64_t>(bytes);
    const std::int64_t before = held_.fetch_add(size);
    if (before + size > kMemoryBytes) {
      held_ -= size;
      throw gpukit::OutOfMemoryError(
          gpukit::concat(gpukit::to_string(device_), ": ", bytes, " bytes were asked for, ",
                         kMemoryBytes - before, " are free"),
          size, kMemoryBytes - before, kMemoryBytes, 0);
    }
    return allocate_pinned(bytes);
  }
  void deallocate(void* address, std::size_t bytes) noexcept override {
    held_ -= static_cast<std::int64_t>(bytes);
    std::free(address);
  }
  void* allocate_pinned(std::size_t bytes) override {
    void* address = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (address == nullptr) throw gpukit::HostMemoryError("no host memory");
    return address;
  }
  void deallocate_pinned(void* address, std::size_t) noexcept override { std::free(address); }
  gpukit::MemoryInfo memory_info() override { return {kMemoryBytes - held_, kMemoryBytes}; }

  gpukit::StreamRef default_stream() override { return default_stream_; }
  gpukit::StreamRef create_stream(int) override {
    const std::lock_guard lock(mutex_);
    streams_.push_back(new Stream);
    return {reinterpret_cast<std::uintptr_t>(streams_.back())};
  }
  void destroy_stream(gpukit::StreamRef) noexcept override {}
  bool query(gpukit::StreamRef stream) override { return at(stream).idle(); }
  void synchronize(gpukit::StreamRef stream) override { at(stream).synchronize(); }
  void synchronize() override {
    std::vector<Stream*> streams;
    {
      const std::lock_guard lock(mutex_);
      streams = streams_;
    }
    for (Stream* stream : streams) stream->synchronize();
  }

  gpukit::EventRef create_event(gpukit::EventOptions) override {
    return {reinterpret_cast<std::uintptr_t>(new std::shared_ptr<Event>(new Event))};
  }
  void destroy_event(gpukit::EventRef event) noexcept override { delete &at(event); }
  void record(gpukit::EventRef event, gpukit::StreamRef stream) override {
    at(event)->record(at(stream), at(event));
  }
  void wait(gpukit::StreamRef stream, gpukit::EventRef event) override {
    at(event)->hold(at(stream), at(event));
  }
  bool query(gpukit::EventRef event) override { return at(event)->passed(); }
  void synchronize(gpukit::EventRef event) override { at(event)->synchronize(); }
  double elapsed_ms(gpukit::EventRef start, gpukit::EventRef stop) override {
    return std::chrono::duration<double, std::milli>(at(stop)->time() - at(start)->time()).count();
  }

  /// The caller may free pageable memory at once, so the bytes are read before the return.
  void copy_from_host(void* target, const void* source, std::size_t bytes,
                      gpukit::StreamRef stream) override {
    const auto* from = static_cast<const std::byte*>(source);
    const auto staged = std::make_shared<const std::vector<std::byte>>(from, from + bytes);
    at(stream).add([=] { std::memcpy(target, staged->data(), staged->size()); });
  }
  void copy_to_host(void* target, const void* source, std::size_t bytes,
                    gpukit::StreamRef stream) override {
    copy(target, source, bytes, stream);
  }
  void copy_on_device(void* target, const void* source, std::size_t bytes,
                      gpukit::StreamRef stream) override {
    copy(target, source, bytes, stream);
  }
  void fill_bytes(void* target, unsigned char value, std::size_t bytes,
                  gpukit::StreamRef stream) override {
    at(stream).add([=] { std::memset(target, value, bytes); });
  }

  static Stream& at(gpukit::StreamRef stream) { return *reinterpret_cast<Stream*>(stream.handle); }

 private:
  static std::shared_ptr<Event>& at(gpukit::EventRef event) {
    return *reinterpret_cast<std::shared_ptr<Event>*>(event.handle);
  }
  static void copy(void* target, const void* source, std::size_t bytes, gpukit::StreamRef stream) {
    at(stream).add([=] { std::memmove(target, source, bytes); });
  }

  gpukit::Device device_;
  gpukit::DeviceProperties properties_;
  std::atomic<std::int64_t> held_{0};
  std::mutex mutex_;
  std::vector<Stream*> streams_;  // their threads use them until the process ends
  gpukit::StreamRef default_stream_;
};

}  // namespace demo
