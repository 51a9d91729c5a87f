#include "backend/chain.h"

#include <array>
#include <cstddef>
#include <limits>

namespace gpukit {
namespace chain {
namespace {

/// Constant before any registration runs, whatever the order of the files.
constinit std::array<ChainRunner, std::numeric_limits<std::uint8_t>::max() + 1> registered{};

}  // namespace
}  // namespace chain

ChainRegistration::ChainRegistration(DeviceType type, ChainRunner runner) {
  chain::registered[static_cast<std::size_t>(type)] = runner;
}

ChainRunner chains_of(DeviceType type) noexcept {
  return chain::registered[static_cast<std::size_t>(type)];
}

}  // namespace gpukit
