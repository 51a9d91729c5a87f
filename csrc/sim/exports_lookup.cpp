// cuGetProcAddress: the newest form of a function that both the caller and the driver know.
#include <algorithm>
#include <string_view>

#include "sim/absent_functions.h"
#include "sim/driver_call.h"

using namespace gpukit::sim;

GPUKIT_SIM_EXPORT CUresult cuGetProcAddress(const char* name, void** function, int version,
                                            cuuint64_t flags);

namespace exports_lookup {
namespace {

constexpr std::string_view kPerThread[] = {"_ptds", "_ptsz"};

/// Whether `literal` is `name` with or without the number of a version.
bool is_form_of(std::string_view literal, std::string_view name) {
  if (literal.substr(0, name.size()) != name) return false;
  const std::string_view rest = literal.substr(name.size());
  return rest.empty() || (rest.size() > 2 && rest.substr(0, 2) == "_v" &&
                          rest.find_first_not_of("0123456789", 2) == std::string_view::npos);
}

/// The form of the default stream of each thread has its own ending; "" where it is another one.
std::string_view without_ending(std::string_view literal, bool per_thread) {
  for (const std::string_view ending : kPerThread) {
    const bool has_it =
        literal.size() > ending.size() && literal.substr(literal.size() - ending.size()) == ending;
    if (has_it) return per_thread ? literal.substr(0, literal.size() - ending.size()) : "";
  }
  return per_thread ? "" : literal;
}

// From 12.0 on this name means a function of another name.
constexpr std::string_view kRenamed = "cuGraphInstantiate";
constexpr int kRenamedSince = 12000;

const DriverName* newest_form(std::string_view name, int version, bool per_thread) {
  if (name == kRenamed && version >= kRenamedSince) name = "cuGraphInstantiateWithFlags";
  const DriverName* best = nullptr;
  for (const DriverName& row : driver_names()) {
    if (row.since > version || !is_form_of(without_ending(row.literal, per_thread), name)) continue;
    if (best == nullptr || row.since >= best->since) best = &row;
  }
  return best;
}

const DriverName* newest_form(std::string_view name, int version, cuuint64_t flags) {
  const DriverName* found = nullptr;
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0)
    found = newest_form(name, version, true);
  return found != nullptr ? found : newest_form(name, version, false);
}

bool is_known(std::string_view name) {
  const auto names = driver_names();
  return std::any_of(names.begin(), names.end(),
                     [&](const DriverName& row) { return is_form_of(row.literal, name); });
}

}  // namespace
}  // namespace exports_lookup

GPUKIT_SIM_EXPORT CUresult cuGetProcAddress_v2(const char* name, void** function, int version,
                                               cuuint64_t flags,
                                               CUdriverProcAddressQueryResult* found) {
  static CallSite site(__func__);
  site.count();
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    const auto simulation = current_simulation();
    const int newest = std::min(version, simulation->driver_version());
    const DriverName* form = exports_lookup::newest_form(name, newest, flags);
    const bool hidden = simulation->faults().hides(name) ||
                        (form != nullptr && simulation->faults().hides(form->literal));
    *function = form == nullptr || hidden ? nullptr : form->function;
    if (found != nullptr) {
      *found = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
               : exports_lookup::is_known(name) && !hidden
                   ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                   : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}

GPUKIT_SIM_EXPORT CUresult cuGetProcAddress(const char* name, void** function, int version,
                                            cuuint64_t flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
