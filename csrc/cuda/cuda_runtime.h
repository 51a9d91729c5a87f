// DeviceRuntime on a CUDA device: combines the parts of this folder.
#pragma once

#include "backend/device_runtime.h"
#include "cuda/cuda_context.h"
#include "cuda/cuda_event.h"
#include "cuda/cuda_graph.h"
#include "cuda/cuda_index_report.h"
#include "cuda/cuda_launch.h"
#include "cuda/cuda_memory.h"
#include "cuda/cuda_peers.h"
#include "cuda/cuda_pool.h"
#include "cuda/cuda_stream.h"
#include "cuda/user_module.h"

namespace gpukit::cuda {

class CudaRuntime final : public DeviceRuntime {
 public:
  CudaRuntime(CudaContext& context, KernelLauncher& launcher, CudaIndexReport& report)
      : context_(context),
        launcher_(launcher),
        report_(report),
        streams_(context),
        events_(context),
        pool_(context),
        peers_(*this),
        user_modules_(context) {}

  CudaContext& context() const noexcept { return context_; }
  KernelLauncher& launcher() const noexcept { return launcher_; }

  Device device() const noexcept override { return context_.device(); }
  const DeviceProperties& properties() const override { return context_.properties(); }
  DeviceCapabilities capabilities() const noexcept override {
    return {.peer_copies = true, .graphs = has_graphs(context_), .dlpack_type = 2};
  }

  void* allocate(std::size_t bytes) override;
  void deallocate(void* address, std::size_t bytes) noexcept override;
  void* allocate_pinned(std::size_t bytes) override;
  void deallocate_pinned(void* address, std::size_t bytes) noexcept override;
  MemoryInfo memory_info() override;
  void* allocate_from_pool(std::size_t bytes, StreamRef stream) override {
    return pool_.allocate(bytes, stream);
  }
  void deallocate_to_pool(void* address, StreamRef stream) noexcept override {
    pool_.deallocate(address, stream);
  }
  std::size_t trim_pool() override { return pool_.trim(); }

  StreamRef default_stream() override { return streams_.default_stream(); }
  StreamRef create_stream(int priority) override { return streams_.create(priority); }
  void destroy_stream(StreamRef stream) noexcept override { streams_.destroy(stream); }
  bool query(StreamRef stream) override;
  void synchronize(StreamRef stream) override;
  void synchronize() override;

  EventRef create_event(EventOptions options) override { return events_.create(options); }
  void destroy_event(EventRef event) noexcept override { events_.destroy(event); }
  void record(EventRef event, StreamRef stream) override { events_.record(event, stream); }
  void wait(StreamRef stream, EventRef event) override { events_.wait(stream, event); }
  bool query(EventRef event) override;
  void synchronize(EventRef event) override;
  double elapsed_ms(EventRef start, EventRef stop) override {
    return events_.elapsed_ms(start, stop);
  }

  void copy_from_host(void* target, const void* source, std::size_t bytes,
                      StreamRef stream) override;
  void copy_to_host(void* target, const void* source, std::size_t bytes, StreamRef stream) override;
  void copy_on_device(void* target, const void* source, std::size_t bytes,
                      StreamRef stream) override;
  void copy_from_peer(void* target, DeviceRuntime& source_device, const void* source,
                      std::size_t bytes, StreamRef stream) override;
  void fill_bytes(void* target, unsigned char value, std::size_t bytes, StreamRef stream) override;

  bool can_access_peer(const DeviceRuntime& peer) const override;
  AddressLocation locate(const void* address) override { return cuda::locate(context_, address); }

  bool reports_indices() override { return report_.available(); }
  std::optional<IndexFault> take_index_fault() noexcept override { return report_.take(); }

  void begin_capture(StreamRef stream) override { cuda::begin_capture(context_, stream); }
  GraphRef end_capture(StreamRef stream) override { return cuda::end_capture(context_, stream); }
  bool is_capturing(StreamRef stream) const noexcept override {
    return cuda::is_capturing(context_, stream);
  }
  void launch_graph(GraphRef graph, StreamRef stream) override {
    cuda::launch_graph(context_, graph, stream);
  }
  void destroy_graph(GraphRef graph) noexcept override { cuda::destroy_graph(context_, graph); }

  std::unique_ptr<DeviceCode> load_code(const std::string& image, const std::string& name) override;

 private:
  CudaContext& context_;
  KernelLauncher& launcher_;
  CudaIndexReport& report_;
  CudaStreams streams_;
  CudaEvents events_;
  CudaPool pool_;
  CudaPeers peers_;
  UserModules user_modules_;
};

}  // namespace gpukit::cuda
