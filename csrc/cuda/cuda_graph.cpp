#include "cuda/cuda_graph.h"

#include "base/check.h"
#include "base/error.h"

namespace gpukit::cuda {

namespace cuda_graph {
namespace {

CUgraphExec as_exec(GraphRef graph) noexcept { return reinterpret_cast<CUgraphExec>(graph.handle); }

void check_supported(const CudaContext& context) {
  GPUKIT_CHECK(has_graphs(context), NotSupportedError, context.name(),
               ": this driver has no graphs; they need driver 470 or newer. Run the step as it is");
}

bool is_empty(CudaContext& context, CUgraph graph) {
  std::size_t nodes = 0;
  GPUKIT_CU_IN(context, cuGraphGetNodes, graph, nullptr, &nodes);
  return nodes == 0;
}

}  // namespace
}  // namespace cuda_graph

bool is_capturing(CudaContext& context, StreamRef stream) noexcept {
  if (context.open_captures() == 0) return false;
  const QuietContextScope scope(context);
  if (!scope) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = context.table().cuStreamIsCapturing(to_driver(stream), &status);
  return result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void check_not_capturing(CudaContext& context, StreamRef stream) {
  GPUKIT_CHECK(!is_capturing(context, stream), DeviceError, context.name(),
               ": its stream is being captured into a graph: work is recorded there, not run, so "
               "it cannot be waited for. Wait after the 'with gpukit.cuda.graph' block.");
}

bool has_graphs(const CudaContext& context) noexcept {
  const driver::DriverTable& table = context.table();
  return table.cuStreamBeginCapture != nullptr && table.cuStreamEndCapture != nullptr &&
         table.cuStreamIsCapturing != nullptr && table.cuGraphGetNodes != nullptr &&
         table.cuGraphInstantiateWithFlags != nullptr && table.cuGraphLaunch != nullptr &&
         table.cuGraphExecDestroy != nullptr && table.cuGraphDestroy != nullptr;
}

void begin_capture(CudaContext& context, StreamRef stream) {
  cuda_graph::check_supported(context);
  const ContextScope scope(context);
  GPUKIT_CHECK(stream.handle > 2, ValueError, context.name(),
               ": the legacy stream cannot be captured. Use gpukit.cuda.Stream()");
  GPUKIT_CU_IN(context, cuStreamBeginCapture, to_driver(stream),
               CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  context.count_captures(1);
}

GraphRef end_capture(CudaContext& context, StreamRef stream) {
  const ContextScope scope(context);
  CUgraph made = nullptr;
  const CUresult status =
      GPUKIT_CU_STATUS(context.table(), cuStreamEndCapture, to_driver(stream), &made);
  if (status != CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD) context.count_captures(-1);
  if (status != CUDA_SUCCESS) context.fail(status, "cuStreamEndCapture", "stream, &graph");
  const CudaGraph graph(context, made);
  if (cuda_graph::is_empty(context, made)) return {};
  CUgraphExec exec = nullptr;
  GPUKIT_CU_IN(context, cuGraphInstantiateWithFlags, &exec, made, 0);
  return {reinterpret_cast<std::uintptr_t>(exec)};
}

void launch_graph(CudaContext& context, GraphRef graph, StreamRef stream) {
  const ContextScope scope(context);
  GPUKIT_CU_IN(context, cuGraphLaunch, cuda_graph::as_exec(graph), to_driver(stream));
  context.after_launch(stream, "cuGraphLaunch");
}

void destroy_graph(CudaContext& context, GraphRef graph) noexcept {
  const CudaGraphExec gone(context, cuda_graph::as_exec(graph));
}

}  // namespace gpukit::cuda
