#include "backend/device_runtime.h"

#include "backend/backend.h"
#include "base/check.h"
#include "base/error.h"

namespace gpukit {

void* DeviceRuntime::allocate_from_pool(std::size_t, StreamRef) {
  throw NotSupportedError(concat(to_string(device()),
                                 ": there is no stream-ordered pool. Use "
                                 "gpukit.config.set_pool('pool')"));
}

void DeviceRuntime::copy_from_peer(void*, DeviceRuntime& source_device, const void*, std::size_t,
                                   StreamRef) {
  throw NotSupportedError(concat("no copy goes from ", to_string(source_device.device()),
                                 " straight to ", to_string(device()), ". Copy to the CPU first"));
}

namespace device_runtime {
namespace {

[[noreturn]] void throw_no_graphs(const DeviceRuntime& runtime) {
  throw NotSupportedError(concat(to_string(runtime.device()),
                                 ": work cannot be captured into a graph here; graphs are for GPUs"
                                 ". Run the step as it is"));
}

}  // namespace
}  // namespace device_runtime

void DeviceRuntime::begin_capture(StreamRef) { device_runtime::throw_no_graphs(*this); }

GraphRef DeviceRuntime::end_capture(StreamRef) { device_runtime::throw_no_graphs(*this); }

void DeviceRuntime::launch_graph(GraphRef, StreamRef) { device_runtime::throw_no_graphs(*this); }

std::unique_ptr<DeviceCode> DeviceRuntime::load_code(const std::string&, const std::string& name) {
  throw NotSupportedError(
      concat(to_string(device()), ": ", name, " is code for GPUs, and this is none"));
}

CompiledCode Backend::compile(const SourceCode& source) {
  throw NotSupportedError(concat(source.name, ": there is no compiler for these devices"));
}

}  // namespace gpukit
