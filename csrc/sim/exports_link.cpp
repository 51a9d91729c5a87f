// Linking: several images into one, which is then loaded as any other.
#include <string>

#include "sim/checked_memory.h"
#include "sim/driver_call.h"
#include "sim/sim_link.h"

using namespace gpukit::sim;

namespace exports_link {
namespace {

constexpr std::size_t kLongestName = 4096;

/// body(link), for calls on a link.
template <class Body>
CUresult call(CallSite& site, CUlinkState handle, Body body) noexcept {
  return driver_call(site, [&](Simulation& simulation) {
    const auto link = simulation.links.find(handle);
    return link == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*link);
  });
}

}  // namespace
}  // namespace exports_link

GPUKIT_SIM_EXPORT CUresult cuLinkCreate_v2(unsigned count, CUjit_option* options, void** values,
                                           CUlinkState* result) {
  static CallSite site(__func__);
  return context_call(site, [&](SimDevice& device) {
    if (result == nullptr || !JitLog::is_valid(count, options, values))
      return CUDA_ERROR_INVALID_VALUE;
    *result = device.simulation().links.add(
        std::make_shared<SimLink>(device, JitLog(count, options, values)));
    return CUDA_SUCCESS;
  });
}

// Options of a single input concern what a compiler would do with it.
GPUKIT_SIM_EXPORT CUresult cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void* data,
                                            std::size_t bytes, const char* name, unsigned count,
                                            CUjit_option* options, void** values) {
  static CallSite site(__func__);
  return exports_link::call(site, handle, [&](SimLink& link) {
    if (!JitLog::is_valid(count, options, values)) return CUDA_ERROR_INVALID_VALUE;
    const auto shown =
        name == nullptr ? std::string() : read_text_checked(name, exports_link::kLongestName);
    if (!shown.has_value()) return CUDA_ERROR_INVALID_VALUE;
    return link.add(type, data, bytes, *shown);
  });
}

GPUKIT_SIM_EXPORT CUresult cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type,
                                            const char* path, unsigned count, CUjit_option* options,
                                            void** values) {
  static CallSite site(__func__);
  return exports_link::call(site, handle, [&](SimLink& link) {
    if (path == nullptr || !JitLog::is_valid(count, options, values))
      return CUDA_ERROR_INVALID_VALUE;
    return link.add_file(type, path);
  });
}

GPUKIT_SIM_EXPORT CUresult cuLinkComplete(CUlinkState handle, void** image, std::size_t* bytes) {
  static CallSite site(__func__);
  return exports_link::call(site, handle,
                            [&](SimLink& link) { return link.complete(image, bytes); });
}

GPUKIT_SIM_EXPORT CUresult cuLinkDestroy(CUlinkState handle) {
  static CallSite site(__func__);
  return driver_call(site, [&](Simulation& simulation) {
    return simulation.links.remove(handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
  });
}
