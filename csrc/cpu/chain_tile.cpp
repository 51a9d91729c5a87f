#include "cpu/chain_tile.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/layout.h"
#include "cpu/cpu_ops.h"

namespace gpukit::cpu {
namespace chain_tile {
namespace {

/// Walks a shape row by row from any element on.
class RowWalk {
 public:
  RowWalk(const Shape& shape, const Strides& strides, std::int64_t first)
      : shape_(shape), strides_(strides), index_(Shape::filled(shape.size(), 0)) {
    for (int i = shape.size() - 1; i >= 0; --i) {
      index_[i] = first % shape[i];
      first /= shape[i];
      offset_ += index_[i] * strides[i];
    }
  }

  std::int64_t offset() const noexcept { return offset_; }
  /// Elements to the end of the row.
  std::int64_t left_in_row() const noexcept { return shape_.back() - index_[shape_.size() - 1]; }
  void advance_in_row(std::int64_t count) noexcept {
    int dim = shape_.size() - 1;
    index_[dim] += count;
    offset_ += count * strides_[dim];
    for (; dim > 0 && index_[dim] == shape_[dim]; --dim) {
      offset_ += strides_[dim - 1] - shape_[dim] * strides_[dim];
      index_[dim] = 0;
      ++index_[dim - 1];
    }
  }

 private:
  const Shape& shape_;
  const Strides& strides_;
  Shape index_;
  std::int64_t offset_ = 0;
};

template <class T>
void copy_row(char* out, const char* in, std::int64_t step, std::int64_t count) {
  T* to = reinterpret_cast<T*>(out);
  const T* from = reinterpret_cast<const T*>(in);
  if (step == 1) {
    std::memcpy(out, in, static_cast<std::size_t>(count) * sizeof(T));
  } else if (step == 0) {
    std::fill_n(to, count, *from);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = from[i * step];
  }
}

using CopyRow = void (*)(char* out, const char* in, std::int64_t step, std::int64_t count);

constexpr std::int64_t kShortestRow = 256;  ///< that is worth a tile of its own

/// Whether all that reads the input are loops of two operands, which take numbers.
bool may_be_number(const ChainArgs& args, int input) {
  const DType dtype = args.inputs[static_cast<std::size_t>(input)].dtype;
  if (working_dtype(dtype) != dtype) return false;  // it is widened to the tile's memory
  return std::all_of(args.steps.begin(), args.steps.end(), [&](const ChainStep& step) {
    const bool reads = std::find(std::begin(step.operands), std::end(step.operands), input) !=
                       std::end(step.operands);
    return !reads || step.kind == ChainStepKind::kBinary;
  });
}

CopyRow copy_of(std::int64_t item) {
  switch (item) {
    case 1:
      return copy_row<std::uint8_t>;
    case 2:
      return copy_row<std::uint16_t>;
    case 4:
      return copy_row<std::uint32_t>;
    default:
      static_assert(kWidestReal == 8);
      return copy_row<std::uint64_t>;
  }
}

}  // namespace
}  // namespace chain_tile

ChainOperands::ChainOperands(const ChainArgs& args) : shape(args.shape) {
  Strides out = contiguous_strides(args.shape);
  Strides* strides[kMaxChainInputs + 1] = {&out};
  for (const Operand& input : args.inputs) {
    inputs[input_count] = input;
    strides[input_count + 1] = &inputs[input_count].strides;
    ++input_count;
  }
  merge_dims(shape, std::span(strides, static_cast<std::size_t>(input_count) + 1));
  bool are_dense = true;
  for (int i = 0; i < input_count; ++i) {
    const bool is_dense = is_contiguous(shape, inputs[i].strides);
    access[i] = is_dense ? InputAccess::kInPlace : InputAccess::kPacked;
    are_dense = are_dense && is_dense;
  }
  if (!are_dense && shape.back() >= chain_tile::kShortestRow) read_by_rows(args);
}

/// Where a tile lies in one row, less has to be copied.
void ChainOperands::read_by_rows(const ChainArgs& args) {
  for (int i = 0; i < input_count; ++i) {
    if (!is_packed(i)) continue;
    const std::int64_t step = inputs[i].strides.back();
    if (step == 1) access[i] = InputAccess::kInPlace;
    if (step == 0 && chain_tile::may_be_number(args, i)) access[i] = InputAccess::kRowNumber;
    if (!is_packed(i)) row = shape.back();
  }
}

std::int64_t element_offset(const Shape& shape, const Strides& strides, std::int64_t element) {
  std::int64_t offset = 0;
  for (int i = shape.size() - 1; i >= 0; --i) {
    offset += element % shape[i] * strides[i];
    element /= shape[i];
  }
  return offset;
}

void pack_elements(char* out, const Operand& in, const Shape& shape, std::int64_t first,
                   std::int64_t count) {
  const auto item = static_cast<std::int64_t>(itemsize(in.dtype));
  const chain_tile::CopyRow copy = chain_tile::copy_of(item);
  chain_tile::RowWalk walk(shape, in.strides, first);
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t size = std::min(walk.left_in_row(), count - done);
    copy(out + done * item, static_cast<const char*>(in.data) + walk.offset() * item,
         in.strides.back(), size);
    walk.advance_in_row(size);
    done += size;
  }
}

TileLayout::TileLayout(const ChainArgs& args, const ChainOperands& operands, bool keeps_results) {
  slots_.fill(-1);
  results_.fill(-1);
  last_use_.fill(-1);
  for (std::size_t i = 0; i < args.results.size(); ++i)
    results_[static_cast<std::size_t>(args.results[i].value)] = static_cast<int>(i);
  find_last_uses(args);
  for (int i = 0; i < operands.input_count; ++i) {
    if (operands.is_packed(i)) slots_[static_cast<std::size_t>(i)] = take_slot();
  }
  int value = operands.input_count;
  for (std::size_t number = 0; number < args.steps.size(); ++number, ++value) {
    release_operands(args.steps[number], static_cast<int>(number));
    if (keeps_results || result(value) < 0) slots_[static_cast<std::size_t>(value)] = take_slot();
  }
}

void TileLayout::find_last_uses(const ChainArgs& args) {
  for (std::size_t number = 0; number < args.steps.size(); ++number) {
    for (const int operand : args.steps[number].operands) {
      if (operand >= 0) last_use_[static_cast<std::size_t>(operand)] = static_cast<int>(number);
    }
  }
}

int TileLayout::take_slot() noexcept {
  for (int slot = 0; slot < slot_count_; ++slot) {
    if (std::exchange(is_free_[static_cast<std::size_t>(slot)], false)) return slot;
  }
  return slot_count_++;
}

// A result may take the slot of an operand of its size: loops write where they have read.
void TileLayout::release_operands(const ChainStep& step, int number) noexcept {
  const bool in_place = step.in_dtype == step.out_dtype && step.kind != ChainStepKind::kSelect;
  const int latest = in_place ? number : number - 1;
  for (std::size_t value = 0; value < slots_.size(); ++value) {
    if (slots_[value] < 0 || last_use_[value] < 0 || last_use_[value] > latest) continue;
    if (!std::exchange(is_released_[value], true))
      is_free_[static_cast<std::size_t>(slots_[value])] = true;
  }
}

}  // namespace gpukit::cpu
