#include "ptx/opcodes.h"

#include <unordered_map>

namespace gpukit::ptx {

namespace {

struct Refusal {
  std::string_view name;
  const char* reason;
};

constexpr const char* kTextures =
    "reads or writes a texture or surface, which gpukit does not support";
constexpr const char* kWarpGroups =
    "needs the tensor cores of a single architecture, which gpukit does not support";
constexpr const char* kFragments =
    "belongs to the wmma interface, which gpukit does not support; mma.sync is";

constexpr const char* kVideo =
    "is a scalar video instruction, which gpukit does not support; those of 2 and 4 parts are";
constexpr const char* kStack = "changes the stack at run time, which gpukit does not support";

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
    {"clusterlaunchcontrol", "uses clusters, which gpukit does not support"},
    {"vadd", kVideo},
    {"vsub", kVideo},
    {"vabsdiff", kVideo},
    {"vmin", kVideo},
    {"vmax", kVideo},
    {"vshl", kVideo},
    {"vshr", kVideo},
    {"vmad", kVideo},
    {"vset", kVideo},
    {"alloca", kStack},
    {"stacksave", kStack},
    {"stackrestore", kStack},
    {"stmatrix",
     "stores matrices of one architecture's tensor cores, which gpukit does not support"},
    {"movmatrix", "moves matrices of the tensor cores, which gpukit does not support"},
    {"multimem", "uses several devices' memory at a time, which gpukit does not support"},
    {"griddepcontrol", "needs dependent launches, which gpukit does not support"},
};

}  // namespace

Decode find_decode(std::string_view opcode) {
  static const auto* const index = [] {
    auto* const made = new std::unordered_map<std::string_view, Decode>;
    for (const auto rows :
         {opcodes<Family::kInteger>(), opcodes<Family::kCarry>(), opcodes<Family::kBit>(),
          opcodes<Family::kFloat>(), opcodes<Family::kCompare>(), opcodes<Family::kConvert>(),
          opcodes<Family::kMove>(), opcodes<Family::kMemory>(), opcodes<Family::kAtomic>(),
          opcodes<Family::kFlow>(), opcodes<Family::kWarp>(), opcodes<Family::kMatrix>(),
          opcodes<Family::kDot>(), opcodes<Family::kVideo>(), opcodes<Family::kMbarrier>()}) {
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
