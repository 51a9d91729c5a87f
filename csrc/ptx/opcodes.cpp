#include "ptx/opcodes.h"

#include <unordered_map>

namespace gpukit::ptx {

namespace {

struct Refusal {
  std::string_view name;
  const char* reason;
};

constexpr const char* kTextures = "reads or writes a texture or surface, which gpukit does not run";
constexpr const char* kWarpGroups =
    "is of the tensor cores of one architecture alone, which gpukit does not run";
constexpr const char* kFragments =
    "is of the wmma interface, which gpukit does not run; mma.sync is";

constexpr Refusal kRefused[] = {
    {"tex", kTextures},
    {"tld4", kTextures},
    {"txq", kTextures},
    {"suld", kTextures},
    {"sust", kTextures},
    {"sured", kTextures},
    {"suq", kTextures},
    {"istypep", kTextures},
    {"wmma", kFragments},
    {"wgmma", kWarpGroups},
    {"tcgen05", kWarpGroups},
    {"tensormap", kWarpGroups},
    {"setmaxnreg", kWarpGroups},
    {"clusterlaunchcontrol", "is of clusters, which gpukit does not run"},
    {"griddepcontrol", "is of dependent launches, which gpukit does not run"},
};

}  // namespace

Decode find_decode(std::string_view opcode) {
  static const auto* const index = [] {
    auto* const made = new std::unordered_map<std::string_view, Decode>;
    for (const auto rows : {integer_opcodes(), carry_opcodes(), bit_opcodes(), float_opcodes(),
                            compare_opcodes(), convert_opcodes(), move_opcodes(), memory_opcodes(),
                            atomic_opcodes(), flow_opcodes(), warp_opcodes(), matrix_opcodes()}) {
      for (const OpcodeRow& row : rows) made->emplace(row.name, row.decode);
    }
    return made;
  }();
  const auto found = index->find(opcode);
  return found == index->end() ? nullptr : found->second;
}

const char* refused_reason(std::string_view opcode) {
  for (const Refusal& refusal : kRefused) {
    if (refusal.name == opcode) return refusal.reason;
  }
  return nullptr;
}

}  // namespace gpukit::ptx
