// An index or class number outside its range: what a device found, and the one text of
// the error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/device.h"

namespace gpukit {

/// Who reads indices, as the user called it.
enum class IndexedOp : std::int32_t {
  kIndex,
  kIndexPut,
  kIndexSelect,
  kIndexAdd,
  kTake,
  kGather,
  kScatter,
  kScatterAdd,
  kEmbedding,
  kCrossEntropy,
  kNllLoss,
  kCount
};
/// "index_select"; "X[...]" for brackets.
std::string_view name(IndexedOp op) noexcept;

/// Class numbers do not count from the end.
constexpr bool counts_from_end(IndexedOp op) noexcept {
  return op != IndexedOp::kCrossEntropy && op != IndexedOp::kNllLoss;
}

/// Goes with a call to a device. `report`: kernels leave what they find in the device's record.
/// They never touch memory outside the operands, whether they report or not.
struct IndexCheck {
  IndexedOp op = IndexedOp::kIndex;
  int dim = 0;
  bool report = false;
};

/// The first index out of range that a device found since the last query.
struct IndexFault {
  IndexedOp op;
  int dim;
  std::int64_t index, size;
  std::int64_t position;  ///< which element of the flattened index
};

/// Throws IndexError. `found_on`: the device that found it after the call had returned.
[[noreturn]] void throw_index_fault(const IndexFault& fault,
                                    std::optional<Device> found_on = std::nullopt);

}  // namespace gpukit
