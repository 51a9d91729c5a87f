// Stream capture and graphs.
#include <memory>
#include <utility>

#include "sim/driver_call.h"
#include "sim/sim_graph.h"

using namespace gpukit::sim;

namespace exports_graph {
namespace {

// What a node costs besides its work; a launch of the graph costs one launch.
constexpr double kNodeNanoseconds = 600;

bool is_mode(int mode) {
  return mode >= CU_STREAM_CAPTURE_MODE_GLOBAL && mode <= CU_STREAM_CAPTURE_MODE_RELAXED;
}

/// One node as it runs in this launch: a planned failure takes the kernel's place.
Work node_of_launch(const Work& node, FaultPlan& faults, double launch_nanoseconds) {
  Work work = node;
  work.cost.launch_nanoseconds = launch_nanoseconds;
  const CUresult planned = work.is_kernel ? faults.on_launch() : CUDA_SUCCESS;
  if (planned != CUDA_SUCCESS) work.run = [planned] { return planned; };
  return work;
}

/// The objects stay until the stream has done what it was given, though the executable be
/// destroyed or updated before; in a capture, the captured graph holds them.
void hold_until_reached(SimDevice& device, SimStream& stream, const HeldObjects& objects) {
  if (objects.empty()) return;
  Simulation& simulation = device.simulation();
  simulation.user_objects.retain(objects);
  if (const auto graph = simulation.captures.graph(stream)) {
    const std::lock_guard lock(graph->objects_mutex);
    for (const auto& [object, count] : objects) graph->objects[object] += count;
    return;
  }
  Work work;
  work.run = [&simulation, objects] {
    simulation.user_objects.release(objects);
    return CUDA_SUCCESS;
  };
  work.drop = [&simulation, objects] {
    if (!simulation.ended_flag()) simulation.user_objects.release(objects);
  };
  device.submit(stream, std::move(work));
}

void launch(SimDevice& device, SimStream& stream, SimGraphExec& exec) {
  const std::lock_guard lock(exec.mutex);
  if (exec.last_end != nullptr) device.submit_wait(stream, exec.last_end);
  double launch = device.launch_cost().launch_nanoseconds;
  for (const Work& node : exec.nodes) {
    device.submit(stream, node_of_launch(node, device.simulation().faults(), launch));
    launch = kNodeNanoseconds;
  }
  exec.last_end = device.submit_record(stream);
  hold_until_reached(device, stream, exec.objects);
}

/// The handle of the graph that is being captured; the same when the capture ends.
CUgraph graph_of_capture(Simulation& simulation, const SimStream& stream) {
  const auto graph = simulation.captures.graph(stream);
  if (graph == nullptr) return nullptr;
  const CUgraph known =
      simulation.graphs.handle_if([&](const SimGraph& other) { return &other == graph.get(); });
  return known != nullptr ? known : simulation.graphs.add(graph);
}

/// What the graph refers to now, in place of what its executable referred to, which is returned:
/// it is released where no lock is held, since destructors are the program's.
HeldObjects hold_objects_of(Simulation& simulation, SimGraph& graph, SimGraphExec& exec) {
  const std::lock_guard lock(graph.objects_mutex);
  simulation.user_objects.retain(graph.objects);
  return std::exchange(exec.objects, graph.objects);
}

CUresult instantiate(Simulation& simulation, CUgraphExec* result, CUgraph handle,
                     unsigned long long flags) {
  constexpr unsigned long long kKnownFlags = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH |
                                             CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  if (result == nullptr || (flags & ~kKnownFlags) != 0) return CUDA_ERROR_INVALID_VALUE;
  const auto graph = simulation.graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto exec = std::make_shared<SimGraphExec>(*graph);
  hold_objects_of(simulation, *graph, *exec);
  *result = simulation.graph_execs.add(exec);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace exports_graph

GPUKIT_SIM_EXPORT CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (!exports_graph::is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
    if (handle == nullptr || handle == CU_STREAM_LEGACY)
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return device.simulation().captures.begin(*stream, mode);
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamEndCapture(CUstream handle, CUgraph* result) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *result = nullptr;
    std::shared_ptr<SimGraph> graph;
    Simulation& simulation = device.simulation();
    const CUresult status = simulation.captures.end(*stream, graph);
    if (status != CUDA_SUCCESS) return status;
    const CUgraph known =
        simulation.graphs.handle_if([&](const SimGraph& other) { return &other == graph.get(); });
    *result = known != nullptr ? known : simulation.graphs.add(graph);
    return status;
  });
}

GPUKIT_SIM_EXPORT CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* result) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *result = device.simulation().captures.status(*stream);
    return CUDA_SUCCESS;
  });
}

#undef cuStreamGetCaptureInfo

// Graphs here have no node handles: not even for the node that the capture's next work depends on.
GPUKIT_SIM_EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream handle, CUstreamCaptureStatus* status,
                                                     cuuint64_t* id, CUgraph* graph,
                                                     const CUgraphNode** dependencies,
                                                     std::size_t* count) {
  static CallSite site(__func__);
  return call(site, handle, [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
    if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *status = device.simulation().captures.status(*stream);
    const bool active = *status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (id != nullptr && active) *id = device.simulation().captures.id(*stream);
    if (graph != nullptr)
      *graph = active ? exports_graph::graph_of_capture(device.simulation(), *stream) : nullptr;
    if (dependencies != nullptr) *dependencies = nullptr;
    if (count != nullptr) *count = 0;
    return CUDA_SUCCESS;
  });
}

#if CUDA_VERSION >= 12030
GPUKIT_SIM_EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus* status,
                                                     cuuint64_t* id, CUgraph* graph,
                                                     const CUgraphNode** dependencies,
                                                     const CUgraphEdgeData** edges,
                                                     std::size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return cuStreamGetCaptureInfo_v2(handle, status, id, graph, dependencies, count);
}
#endif

GPUKIT_SIM_EXPORT CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation&) {
    if (mode == nullptr || !exports_graph::is_mode(*mode)) return CUDA_ERROR_INVALID_VALUE;
    *mode = std::exchange(thread_capture_mode(), *mode);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec* result, CUgraph handle,
                                                       unsigned long long flags) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    return exports_graph::instantiate(device.simulation(), result, handle, flags);
  });
}

#if CUDA_VERSION >= 12000
GPUKIT_SIM_EXPORT CUresult cuGraphInstantiateWithParams(CUgraphExec* result, CUgraph handle,
                                                        CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
    // There is nothing to upload.
    const cuuint64_t flags =
        params->flags & ~static_cast<cuuint64_t>(CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD);
    const CUresult status = exports_graph::instantiate(device.simulation(), result, handle, flags);
    params->hErrNode_out = nullptr;
    params->result_out =
        status == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : CUDA_GRAPH_INSTANTIATE_ERROR;
    return status;
  });
}
#endif

/// The number of nodes; a captured graph returns no node handles.
GPUKIT_SIM_EXPORT CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, size_t* count) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const auto graph = simulation.graphs.find(handle);
    if (graph == nullptr || count == nullptr || nodes != nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = graph->nodes.size();
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  static CallSite site(__func__);
  return call(site, stream_handle,
              [&](SimDevice& device, const std::shared_ptr<SimStream>& stream) {
                const auto exec = device.simulation().graph_execs.find(handle);
                if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
                exports_graph::launch(device, *stream, *exec);
                return CUDA_SUCCESS;
              });
}

GPUKIT_SIM_EXPORT CUresult cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
  static CallSite site(__func__);
  return call(site, stream_handle, [&](SimDevice& device, const std::shared_ptr<SimStream>&) {
    return device.simulation().graph_execs.find(handle) == nullptr ? CUDA_ERROR_INVALID_VALUE
                                                                   : CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graph_handle,
                                                CUgraphExecUpdateResultInfo* info) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    Simulation& simulation = device.simulation();
    const auto exec = simulation.graph_execs.find(handle);
    const auto graph = simulation.graphs.find(graph_handle);
    if (exec == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::unique_lock lock(exec->mutex);
    const bool same = exec->has_shape_of(*graph);
    if (info != nullptr) {
      *info = {};
      info->result =
          same ? CU_GRAPH_EXEC_UPDATE_SUCCESS : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
    }
    if (!same) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
    exec->nodes = graph->nodes;
    const HeldObjects before = exports_graph::hold_objects_of(simulation, *graph, *exec);
    lock.unlock();
    simulation.user_objects.release(before);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGraphExecDestroy(CUgraphExec handle) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const auto exec = simulation.graph_execs.remove(handle);
    if (exec == nullptr) return CUDA_ERROR_INVALID_VALUE;
    simulation.user_objects.release(exec->objects);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGraphDestroy(CUgraph handle) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const auto graph = simulation.graphs.remove(handle);
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    simulation.user_objects.release(graph->objects);
    return CUDA_SUCCESS;
  });
}
