// What a chain keeps of each tile: which memory holds which value, and where operands are read.
#pragma once

#include <array>
#include <cstdint>

#include "backend/chain.h"
#include "cpu/simd/simd_table.h"

namespace gpukit::cpu {

/// How a tile reads an input.
enum class InputAccess : std::uint8_t {
  kInPlace,    ///< where it lies: it is contiguous, or the tile lies in one row
  kRowNumber,  ///< one element for the tile's row, which loops take as a number
  kPacked,     ///< copied to the tile's memory
};

/// Inputs and results over one shape, with as few dimensions as all of them allow.
struct ChainOperands {
  explicit ChainOperands(const ChainArgs& args);

  bool is_packed(int input) const noexcept {
    return access[static_cast<std::size_t>(input)] == InputAccess::kPacked;
  }

  Shape shape;
  int input_count = 0;
  Operand inputs[kMaxChainInputs];
  InputAccess access[kMaxChainInputs] = {};
  std::int64_t row = 0;  ///< tiles end where rows of so many elements do; 0 where they need not

 private:
  void read_by_rows(const ChainArgs& args);
};

/// Where an element lies, in elements from the first.
std::int64_t element_offset(const Shape& shape, const Strides& strides, std::int64_t element);

/// Copies the elements [first, first + count) of an operand, in the order of `shape`, to `out`.
void pack_elements(char* out, const Operand& in, const Shape& shape, std::int64_t first,
                   std::int64_t count);

/// The place of each value in a tile's memory. Values that are dead give theirs to later ones.
class TileLayout {
 public:
  /// `keeps_results`: results are made in the tile's memory too, and copied from there.
  TileLayout(const ChainArgs& args, const ChainOperands& operands, bool keeps_results);

  /// -1 where the value is not in the tile's memory: a dense input, or a result that is made where
  /// it goes.
  int slot(int value) const noexcept { return slots_[static_cast<std::size_t>(value)]; }
  /// The value's place among the results, or -1.
  int result(int value) const noexcept { return results_[static_cast<std::size_t>(value)]; }
  int slot_count() const noexcept { return slot_count_; }

 private:
  void find_last_uses(const ChainArgs& args);
  int take_slot() noexcept;
  void release_operands(const ChainStep& step, int number) noexcept;

  std::array<int, kMaxChainValues> slots_;
  std::array<int, kMaxChainValues> results_;
  std::array<int, kMaxChainValues> last_use_;  ///< the number of a step
  std::array<bool, kMaxChainValues> is_released_{};
  std::array<bool, kMaxChainValues> is_free_{};  ///< of slots
  int slot_count_ = 0;
};

}  // namespace gpukit::cpu
