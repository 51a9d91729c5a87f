// User objects, and the references that graphs hold to them.
#include <climits>

#include "sim/driver_call.h"
#include "sim/sim_graph.h"

using namespace gpukit::sim;

namespace exports_user_object {
namespace {

bool is_count(unsigned count) { return count != 0 && count <= INT_MAX; }

}  // namespace
}  // namespace exports_user_object

GPUKIT_SIM_EXPORT CUresult cuUserObjectCreate(CUuserObject* result, void* data, CUhostFn destroy,
                                              unsigned references, unsigned flags) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    if (result == nullptr || destroy == nullptr || !exports_user_object::is_count(references) ||
        flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
      return CUDA_ERROR_INVALID_VALUE;
    *result = simulation.user_objects.create(data, destroy, references);
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    return exports_user_object::is_count(count) && simulation.user_objects.retain(object, count)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

GPUKIT_SIM_EXPORT CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    return exports_user_object::is_count(count) && simulation.user_objects.release(object, count)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGraphRetainUserObject(CUgraph handle, CUuserObject object,
                                                   unsigned count, unsigned flags) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const auto graph = simulation.graphs.find(handle);
    const bool moves = flags == CU_GRAPH_USER_OBJECT_MOVE;
    if (graph == nullptr || !exports_user_object::is_count(count) || (flags != 0 && !moves))
      return CUDA_ERROR_INVALID_VALUE;
    const std::lock_guard lock(graph->objects_mutex);
    // A reference that moves is the caller's, and stays counted.
    if (!simulation.user_objects.retain(object, moves ? 0 : count)) return CUDA_ERROR_INVALID_VALUE;
    graph->objects[object] += count;
    return CUDA_SUCCESS;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGraphReleaseUserObject(CUgraph handle, CUuserObject object,
                                                    unsigned count) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    const auto graph = simulation.graphs.find(handle);
    if (graph == nullptr || !exports_user_object::is_count(count)) return CUDA_ERROR_INVALID_VALUE;
    {
      const std::lock_guard lock(graph->objects_mutex);
      const auto held = graph->objects.find(object);
      if (held == graph->objects.end() || held->second < count) return CUDA_ERROR_INVALID_VALUE;
      held->second -= count;
      if (held->second == 0) graph->objects.erase(held);
    }
    simulation.user_objects.release(object, count);
    return CUDA_SUCCESS;
  });
}
