// The simulated NVML: the energy that cards have used, and how they are connected.
#include <cmath>

#include "sim/nvml_call.h"

using namespace gpukit::sim;
using namespace gpukit::sim::nvml;

namespace nvml_links {
namespace {

/// The first generation whose cards count their energy.
constexpr int kVolta = 7;
/// What a busy multiprocessor draws, as nvmlDeviceGetPowerUsage has it.
constexpr double kWattsBusy = 1.5;

/// body(target, other), for calls on two cards.
template <class Body>
int pair_call(const char* name, nvmlDevice_t handle, nvmlDevice_t second, Body body) noexcept {
  return device_call(name, handle, [&](const Target& target) -> int {
    Target other;
    if (!find(second, other)) return kInvalidArgument;
    if (other.gpu.lost) return kGpuIsLost;
    return body(target, other);
  });
}

/// The card at the other end of a link, or -1: links go to the other cards in their order.
int other_end(const Gpu& gpu, unsigned link) {
  const auto each = static_cast<unsigned>(state().nvlinks());
  const auto others = static_cast<unsigned>(state().gpus().size()) - 1;
  if (each == 0 || link >= each * others) return -1;
  const auto other = static_cast<int>(link / each);
  return other < gpu.index ? other : other + 1;
}

}  // namespace
}  // namespace nvml_links

/// Millijoules of the work so far, on the clock of the simulation.
GPUKIT_SIM_EXPORT int nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t handle,
                                                          unsigned long long* millijoules) {
  return reading(__func__, handle, millijoules, [](const Gpu& gpu) {
    if (gpu.card->major < nvml_links::kVolta) return -1LL;
    return std::llround(nvml_links::kWattsBusy * gpu.card->multiprocessors * gpu.clock_ms);
  });
}

/// All cards are below one host bridge.
GPUKIT_SIM_EXPORT int nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t handle, nvmlDevice_t second,
                                                          int* level) {
  const char* const name = __func__;
  return nvml_links::pair_call(
      name, handle, second, [&](const Target& target, const Target& other) -> int {
        if (level == nullptr) return kInvalidArgument;
        const auto scripted = state().reading(plain_name(name), target.gpu.index);
        const bool same = target.gpu.index == other.gpu.index;
        *level = scripted ? static_cast<int>(*scripted) : int{same ? kSameBoard : kHostBridge};
        return kSuccess;
      });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetP2PStatus(nvmlDevice_t handle, nvmlDevice_t second, int,
                                             int* status) {
  const char* const name = __func__;
  return nvml_links::pair_call(
      name, handle, second, [&](const Target& target, const Target& other) -> int {
        if (status == nullptr) return kInvalidArgument;
        const auto scripted = state().reading(plain_name(name), target.gpu.index);
        const bool peers = state().are_peers(target.gpu.index, other.gpu.index);
        *status =
            scripted ? static_cast<int>(*scripted) : int{peers ? kPeersOk : kPeersNotSupported};
        return kSuccess;
      });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetNvLinkState(nvmlDevice_t handle, unsigned link,
                                               unsigned* is_active) {
  return device_call(__func__, handle, [&](const Target& target) -> int {
    if (is_active == nullptr) return kInvalidArgument;
    if (nvml_links::other_end(target.gpu, 0) < 0) return kNotSupported;
    *is_active = nvml_links::other_end(target.gpu, link) >= 0 ? 1 : 0;
    return kSuccess;
  });
}

GPUKIT_SIM_EXPORT int nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t handle, unsigned link,
                                                          PciInfo* info) {
  return device_call(__func__, handle, [&](const Target& target) -> int {
    const int other = nvml_links::other_end(target.gpu, link);
    if (info == nullptr || other < 0) return kInvalidArgument;
    return write_pci_info(state().gpus()[static_cast<std::size_t>(other)], *info);
  });
}
