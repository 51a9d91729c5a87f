// Work recorded from a stream, to be launched again and again.
#pragma once

#include "cuda/cuda_handle.h"

namespace gpukit::cuda {

struct GraphTraits {
  using Handle = CUgraph;
  static void destroy(const driver::DriverTable& table, CUgraph graph) noexcept {
    GPUKIT_CU_NOEXCEPT(table, cuGraphDestroy, graph);
  }
};

struct GraphExecTraits {
  using Handle = CUgraphExec;
  static void destroy(const driver::DriverTable& table, CUgraphExec exec) noexcept {
    GPUKIT_CU_NOEXCEPT(table, cuGraphExecDestroy, exec);
  }
};

using CudaGraph = CudaHandle<GraphTraits>;
using CudaGraphExec = CudaHandle<GraphExecTraits>;

/// True while the stream's work is recorded. Without any capture on the device it costs one load.
bool is_capturing(CudaContext& context, StreamRef stream) noexcept;

/// Throws what to do instead of waiting for a stream that is recorded: a driver would
/// invalidate the capture.
void check_not_capturing(CudaContext& context, StreamRef stream);

/// Whether the driver has all functions that graphs need.
bool has_graphs(const CudaContext& context) noexcept;

/// Only calls of the capturing thread can invalidate the capture. NotSupportedError on old drivers.
void begin_capture(CudaContext& context, StreamRef stream);
/// The graph, ready to launch; 0 when nothing was recorded.
GraphRef end_capture(CudaContext& context, StreamRef stream);
void launch_graph(CudaContext& context, GraphRef graph, StreamRef stream);
void destroy_graph(CudaContext& context, GraphRef graph) noexcept;

}  // namespace gpukit::cuda
