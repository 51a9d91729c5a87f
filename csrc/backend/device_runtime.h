// Memory, copies, streams and events of one device. Policy (caching, staging, limits) lives in
// memory/.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "backend/device_capabilities.h"
#include "backend/device_code.h"
#include "backend/device_properties.h"
#include "backend/index_fault.h"
#include "backend/stream_types.h"
#include "core/device.h"

namespace gpukit {

/// Thread safe. Every call may be made from any thread; the implementation makes its own context
/// current. Functions that take a stream only queue work unless they say that they wait.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  virtual Device device() const noexcept = 0;
  virtual const DeviceProperties& properties() const = 0;
  /// The result does not change while the device is open.
  virtual DeviceCapabilities capabilities() const noexcept { return {}; }

  /// Raw memory, aligned to 256 bytes. Throws OutOfMemoryError (HostMemoryError on the CPU). May
  /// wait for the device. `bytes` is never 0.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void deallocate(void* address, std::size_t bytes) noexcept = 0;

  /// Page-locked host memory that the device reaches at full speed. On the CPU ordinary memory.
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  virtual void deallocate_pinned(void* address, std::size_t bytes) noexcept = 0;

  virtual MemoryInfo memory_info() = 0;

  /// The driver's own stream-ordered pool: memory is valid for work queued on `stream` from now on,
  /// and goes back in its order. NotSupportedError where there is none.
  virtual void* allocate_from_pool(std::size_t bytes, StreamRef stream);
  virtual void deallocate_to_pool(void*, StreamRef) noexcept {}
  /// Gives unused memory of the pool back; returns the bytes.
  virtual std::size_t trim_pool() { return 0; }

  /// gpukit's own non-blocking stream of this device; it lives as long as the runtime.
  virtual StreamRef default_stream() = 0;
  virtual StreamRef create_stream(int priority) = 0;
  virtual void destroy_stream(StreamRef stream) noexcept = 0;
  /// True when all queued work is done.
  virtual bool query(StreamRef stream) = 0;
  /// Waits. Lets Ctrl-C through (throws PythonErrorSet); the work stays queued then.
  virtual void synchronize(StreamRef stream) = 0;
  virtual void synchronize() = 0;

  virtual EventRef create_event(EventOptions options) = 0;
  virtual void destroy_event(EventRef event) noexcept = 0;
  virtual void record(EventRef event, StreamRef stream) = 0;
  /// Makes later work of `stream` wait for what the event marks. The event may be another device's.
  virtual void wait(StreamRef stream, EventRef event) = 0;
  virtual bool query(EventRef event) = 0;
  virtual void synchronize(EventRef event) = 0;
  /// Milliseconds between two completed timing events of this device.
  virtual double elapsed_ms(EventRef start, EventRef stop) = 0;

  /// Host memory may be pageable; then the call may wait. Pinned memory must stay untouched until
  /// the work is done.
  virtual void copy_from_host(void* target, const void* source, std::size_t bytes,
                              StreamRef stream) = 0;
  virtual void copy_to_host(void* target, const void* source, std::size_t bytes,
                            StreamRef stream) = 0;
  virtual void copy_on_device(void* target, const void* source, std::size_t bytes,
                              StreamRef stream) = 0;
  /// From another device of the same backend; ordered after `stream` (a stream of this device)
  /// only. NotSupportedError where there are no peer_copies.
  virtual void copy_from_peer(void* target, DeviceRuntime& source_device, const void* source,
                              std::size_t bytes, StreamRef stream);
  virtual void fill_bytes(void* target, unsigned char value, std::size_t bytes,
                          StreamRef stream) = 0;

  /// Whether kernels of this device may read memory of `peer`, a device of the same backend.
  virtual bool can_access_peer(const DeviceRuntime&) const { return false; }

  /// Where an address of another library lies, as the driver says.
  virtual AddressLocation locate(const void*) { return {}; }
  /// True when kernels find indices that are out of range and leave them for take_index_fault; else
  /// the caller checks them first.
  virtual bool reports_indices() { return false; }
  /// The fault that completed kernels have found, reported once. Call it after a wait and throw the
  /// fault.
  virtual std::optional<IndexFault> take_index_fault() noexcept { return std::nullopt; }

  /// From now on work queued on `stream`, and on streams that wait for it, is recorded
  /// and not run. NotSupportedError where there are no graphs.
  virtual void begin_capture(StreamRef stream);
  /// Ends it, on the thread that began; no graph when nothing was recorded. Throws when something
  /// invalidated the capture; the stream is then as before, too.
  virtual GraphRef end_capture(StreamRef stream);
  /// True while work on the stream is recorded: nothing may wait for it or query its events.
  virtual bool is_capturing(StreamRef) const noexcept { return false; }
  virtual void launch_graph(GraphRef graph, StreamRef stream);
  virtual void destroy_graph(GraphRef) noexcept {}

  /// Loads code of the user's: PTX, a cubin or a fat binary. `name` is for messages. CompileError
  /// when the driver does not take it, NotSupportedError where there is no such code.
  virtual std::unique_ptr<DeviceCode> load_code(const std::string& image, const std::string& name);
};

}  // namespace gpukit
