// Chains on the CPU: tile by tile in the cache, over the threads of the pool, by the same loops as
// the operators one by one.
#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/chain_reduction.h"
#include "cpu/chain_tile.h"
#include "cpu/cpu_features.h"
#include "cpu/cpu_ops.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_chain {
namespace {

constexpr std::int64_t kTileBytes = 1 << 14;  ///< of a tile's inputs and values: they stay in L1
constexpr std::int64_t kShortestTile = 512, kLongestTile = 4096;
constexpr std::int64_t kSlotGap = 192;  ///< loads wait for stores 4096 bytes away
/// Where tiles are whole pages, prefetching starts again with each, in all operands at once.
constexpr std::int64_t kPageBytes = 4096;
constexpr std::int64_t kLightWork = 1 << 16;  ///< elements of a light step that are worth a thread
constexpr std::int64_t kHeavyFactor = 8;      ///< a heavy step counts as so many light ones
constexpr std::int64_t kBlockElements = 1 << 15;  ///< of rows whose stages run one after another
constexpr int kWideSlots = 3;                     ///< half operands of a step, widened

/// A number as a loop reads it.
struct NumberElement {
  alignas(kWidestReal) unsigned char bytes[kWidestReal] = {};

  NumberElement() = default;
  NumberElement(const Scalar& number, DType dtype) {
    visit_real_dtype(dtype, [&]<class T>() {
      const T value = number.as<T>();
      std::memcpy(bytes, &value, sizeof value);
    });
  }
};

bool is_heavy(const ChainStep& step) {
  if (step.kind == ChainStepKind::kUnary)
    return cost_of(static_cast<UnaryOp>(step.op)) == Cost::kHeavy;
  return step.kind == ChainStepKind::kBinary &&
         cost_of(static_cast<BinaryOp>(step.op)) == Cost::kHeavy;
}

/// A step with the loops that do it.
struct BoundStep {
  ChainStep step;
  bool widens = false;  ///< half operands, computed in float32
  UnaryKernel unary = nullptr;
  BinaryKernel binary = nullptr, minimum = nullptr;
  ConvertKernel convert = nullptr;
  SelectKernel select = nullptr;
  NumberElement number, high;
};

void bind_unary(BoundStep& bound, const SimdTable& table) {
  const auto& row = table.unary[bound.step.op];
  bound.unary = row[index_of(bound.step.in_dtype)];
  bound.widens = bound.unary == nullptr;
  if (bound.widens) bound.unary = row[index_of(working_dtype(bound.step.in_dtype))];
}

void bind_binary(BoundStep& bound, const SimdTable& table) {
  const auto op = static_cast<BinaryOp>(bound.step.op);
  const DType dtype = bound.step.in_dtype;
  const auto& row = table.binary[bound.step.op];
  bound.binary = row[index_of(dtype)];
  bound.widens = bound.binary == nullptr;
  if (!bound.widens) {
    bound.number = NumberElement(bound.step.number, dtype);
    return;
  }
  bound.binary = row[index_of(working_dtype(dtype))];
  const float value = visit_real_dtype(number_dtype(op, dtype), [&]<class T>() {
    return static_cast<float>(bound.step.number.as<T>());
  });
  bound.number = NumberElement(Scalar::floating(value), DType::kFloat32);
}

void bind_clamp(BoundStep& bound, const SimdTable& table) {
  const DType working = working_dtype(bound.step.in_dtype);
  bound.widens = working != bound.step.in_dtype;
  bound.binary = table.binary[static_cast<int>(BinaryOp::kMaximum)][index_of(working)];
  bound.minimum = table.binary[static_cast<int>(BinaryOp::kMinimum)][index_of(working)];
  bound.number = NumberElement(bound.step.number, working);
  bound.high = NumberElement(bound.step.high, working);
}

BoundStep bind(const ChainStep& step, const SimdTable& table) {
  BoundStep bound;
  bound.step = step;
  switch (step.kind) {
    case ChainStepKind::kUnary:
      bind_unary(bound, table);
      break;
    case ChainStepKind::kBinary:
      bind_binary(bound, table);
      break;
    case ChainStepKind::kSelect:
      bound.select = table.select[itemsize(step.out_dtype)];
      bound.number = NumberElement(step.number, step.out_dtype);
      break;
    case ChainStepKind::kConvert:
      bound.convert = table.convert[index_of(step.in_dtype)][index_of(step.out_dtype)];
      break;
    case ChainStepKind::kClamp:
      bind_clamp(bound, table);
      break;
  }
  return bound;
}

/// As the operators do it, by the size of one result.
bool is_streaming(const ChainArgs& args) {
  std::int64_t widest = 0;
  for (const ChainResult& result : args.results)
    widest = std::max(widest, static_cast<std::int64_t>(itemsize(result.out.dtype)));
  return element_count(args.shape) * widest >= streaming_threshold_bytes();
}

/// A row in tiles of one length, as far as whole vectors allow.
std::int64_t equal_part(std::int64_t row, std::int64_t longest) {
  const std::int64_t parts = (row + longest - 1) / longest;
  return std::min(row, ((row + parts - 1) / parts + 63) / 64 * 64);
}

/// A chain with all that its tiles share.
struct BoundChain {
  BoundChain(const ChainArgs& chain, bool streaming)
      : args(chain),
        operands(chain),
        streams(streaming),
        layout(chain, operands, streams),
        table(simd_table()) {
    steps.reserve(chain.steps.size());
    for (const ChainStep& step : chain.steps) steps.push_back(bind(step, table));
    measure_slots();
    const std::int64_t fitting = kTileBytes / ((slots + operands.input_count) * item);
    tile = std::clamp(fitting / 64 * 64, kShortestTile, kLongestTile);
    if (tile * item % kPageBytes == 0) tile -= 64;
    if (operands.row > 0) tile = equal_part(operands.row, tile);
    tile = std::min(tile, element_count(chain.shape));
  }

  /// Of `left` elements from `first` on.
  std::int64_t tile_from(std::int64_t first, std::int64_t left) const {
    const std::int64_t count = std::min(tile, left);
    return operands.row > 0 ? std::min(count, operands.row - first % operands.row) : count;
  }
  std::int64_t slot_bytes() const { return (tile * item + 63) / 64 * 64 + kSlotGap; }
  std::int64_t grain() const {
    std::int64_t work = 0;
    for (const BoundStep& bound : steps) work += is_heavy(bound.step) ? kHeavyFactor : 1;
    return std::max(tile, kLightWork / work);
  }

  /// How many there are, and the widest element in one.
  void measure_slots() {
    slots = layout.slot_count();
    for (const ChainStep& step : args.steps)
      item = std::max({item, static_cast<std::int64_t>(itemsize(step.in_dtype)),
                       static_cast<std::int64_t>(itemsize(step.out_dtype))});
    const auto widens = [](const BoundStep& bound) { return bound.widens; };
    if (std::none_of(steps.begin(), steps.end(), widens)) return;
    slots += kWideSlots;
    item = std::max(item, static_cast<std::int64_t>(sizeof(float)));
  }

  const ChainArgs& args;
  ChainOperands operands;
  int slots = 0;
  std::int64_t item = 1;
  bool streams;  ///< results are stored past the caches
  TileLayout layout;
  const SimdTable& table;
  std::vector<BoundStep> steps;
  std::int64_t tile = 0;
};

/// One thread's tiles.
class TileRunner {
 public:
  explicit TileRunner(const BoundChain& chain)
      : chain_(chain),
        memory_(nullptr, static_cast<std::size_t>(chain.slots * chain.slot_bytes())) {}

  void run(std::int64_t first, std::int64_t count) {
    count_ = count;
    place_inputs(first);
    for (std::size_t i = 0; i < chain_.steps.size(); ++i) {
      const int value = chain_.operands.input_count + static_cast<int>(i);
      const int result = chain_.layout.result(value);
      char* const out = result < 0 ? nullptr : result_at(result, first);
      char* const window = windows_[value];
      if (is_made_in_place(value)) {
        values_[value] = out;
      } else {
        values_[value] = window != nullptr ? window : slot(chain_.layout.slot(value));
      }
      run_step(chain_.steps[i], values_[value]);
      if (result >= 0 && chain_.streams)
        chain_.table.copy_streaming(out, values_[value], count_ * result_itemsize(result));
    }
  }

  /// The same for elements [first, first + count), by tiles; reduced values are put into windows
  /// where they are not made as results.
  void fill(ChainWindows& windows, std::int64_t first, std::int64_t count) {
    for (const ChainReduction& each : chain_.args.reductions) {
      if (is_made_in_place(each.value))
        windows.read_from(each.value, result_at(chain_.layout.result(each.value), first));
    }
    for (std::int64_t done = 0; done < count; done += count_) {
      for (const ChainReduction& each : chain_.args.reductions) {
        if (!is_made_in_place(each.value))
          windows_[each.value] = windows.of(each.value) + done * itemsize_of(each.value);
      }
      run(first + done, chain_.tile_from(first + done, count - done));
    }
  }

 private:
  char* slot(int number) const { return memory_.as<char>() + number * chain_.slot_bytes(); }
  char* wide_slot(int number) const { return slot(chain_.layout.slot_count() + number); }

  void place_inputs(std::int64_t first) {
    for (int i = 0; i < chain_.operands.input_count; ++i) {
      const Operand& in = chain_.operands.inputs[i];
      if (chain_.operands.is_packed(i)) {
        values_[i] = slot(chain_.layout.slot(i));
        pack_elements(values_[i], in, chain_.operands.shape, first, count_);
      } else {
        values_[i] = static_cast<char*>(in.data) +
                     offset_of(in, first) * static_cast<std::int64_t>(itemsize(in.dtype));
      }
    }
  }
  std::int64_t offset_of(const Operand& in, std::int64_t first) const {
    return chain_.operands.row > 0 ? element_offset(chain_.operands.shape, in.strides, first)
                                   : first;
  }

  std::int64_t itemsize_of(int value) const {
    return static_cast<std::int64_t>(itemsize(dtype_of_value(chain_.args, value)));
  }
  /// A result, in the memory that it goes to.
  bool is_made_in_place(int value) const {
    return chain_.layout.result(value) >= 0 && !chain_.streams;
  }

  std::int64_t result_itemsize(int result) const {
    return static_cast<std::int64_t>(
        itemsize(chain_.args.results[static_cast<std::size_t>(result)].out.dtype));
  }
  char* result_at(int result, std::int64_t first) const {
    const Operand& out = chain_.args.results[static_cast<std::size_t>(result)].out;
    return static_cast<char*>(out.data) + first * result_itemsize(result);
  }

  void run_step(const BoundStep& bound, char* out) {
    if (bound.step.kind == ChainStepKind::kConvert)
      return bound.convert(out, values_[bound.step.operands[0]], count_);
    if (bound.step.kind == ChainStepKind::kSelect) return run_select(bound, out);
    if (bound.widens) return run_widened(bound, out);
    const char* operands[2] = {operand(bound, 0), operand(bound, 1)};
    compute(bound, out, operands);
  }

  /// Null where a number stands.
  const char* operand(const BoundStep& bound, int i) const {
    const int value = bound.step.operands[i];
    return value < 0 ? nullptr : values_[value];
  }

  /// From one element to the next.
  std::int64_t step_of(const BoundStep& bound, int i) const {
    const int value = bound.step.operands[i];
    const bool repeats = value < 0 || (value < chain_.operands.input_count &&
                                       chain_.operands.access[value] == InputAccess::kRowNumber);
    return repeats ? 0 : 1;
  }

  void run_select(const BoundStep& bound, char* out) {
    const auto* condition = reinterpret_cast<const std::uint8_t*>(operand(bound, 0));
    const char* left = operand(bound, 1);
    const char* right = operand(bound, 2);
    const void* number = bound.number.bytes;
    bound.select(out, condition, 1, left != nullptr ? left : number, left != nullptr,
                 right != nullptr ? right : number, right != nullptr, count_);
  }

  void run_widened(const BoundStep& bound, char* out) {
    const DType half = bound.step.in_dtype;
    const ConvertKernel widen = chain_.table.convert[index_of(half)][index_of(DType::kFloat32)];
    const ConvertKernel narrow = chain_.table.convert[index_of(DType::kFloat32)][index_of(half)];
    const char* operands[2] = {};
    for (int i = 0; i < 2; ++i) {
      const char* in = operand(bound, i);
      if (in == nullptr) continue;
      widen(wide_slot(i), in, count_);
      operands[i] = wide_slot(i);
    }
    if (bound.step.out_dtype != half) return compute(bound, out, operands);
    compute(bound, wide_slot(2), operands);
    narrow(out, wide_slot(2), count_);
  }

  void compute(const BoundStep& bound, char* out, const char* const* operands) {
    switch (bound.step.kind) {
      case ChainStepKind::kUnary:
        return bound.unary(out, operands[0], count_);
      case ChainStepKind::kClamp:
        return clamp(bound, out, operands[0]);
      default: {
        const void* number = bound.number.bytes;
        bound.binary(out, operands[0] != nullptr ? operands[0] : number, step_of(bound, 0),
                     operands[1] != nullptr ? operands[1] : number, step_of(bound, 1), count_);
      }
    }
  }

  void clamp(const BoundStep& bound, char* out, const char* in) {
    if (bound.step.has_low) {
      bound.binary(out, in, 1, bound.number.bytes, 0, count_);
      in = out;
    }
    if (bound.step.has_high) bound.minimum(out, in, 1, bound.high.bytes, 0, count_);
  }

  const BoundChain& chain_;
  Scratch memory_;
  std::int64_t count_ = 0;
  char* values_[kMaxChainValues] = {};
  char* windows_[kMaxChainValues] = {};  ///< of reduced values, at this tile; else null
};

/// Units [begin, end) of a chain that ends in reductions; writes their results where they are
/// whole.
void reduce_units(const BoundChain& chain, const ChainUnits& units, std::int64_t begin,
                  std::int64_t end, Partial* shared) {
  const ChainArgs& args = chain.args;
  ChainWindows windows(args);
  TileRunner runner(chain);
  const auto width = static_cast<std::int64_t>(args.reductions.size());
  std::vector<Partial> own(static_cast<std::size_t>(
      shared != nullptr ? 0 : std::max<std::int64_t>(1, units.in_window()) * width));
  for (std::int64_t unit = begin; unit < end;) {
    const std::int64_t last = std::min(end, unit + std::max<std::int64_t>(1, units.in_window()));
    Partial* const partials = shared != nullptr ? shared + unit * width : own.data();
    for (std::int64_t u = unit; u < last; ++u) reset_partials(args, partials + (u - unit) * width);
    if (units.in_window() > 0) {
      const std::int64_t first = units.first(unit), size = units.size(unit);
      runner.fill(windows, first, (last - unit) * size);
      for (std::int64_t u = unit; u < last; ++u)
        windows.take((u - unit) * size, size, 0, partials + (u - unit) * width);
    } else {
      const std::int64_t first = units.first(unit), size = units.size(unit);
      for (std::int64_t done = 0; done < size; done += kReduceRun) {
        const std::int64_t count = std::min(kReduceRun, size - done);
        runner.fill(windows, first + done, count);
        windows.take(0, count, done, partials);
      }
    }
    if (shared == nullptr) write_reductions(args, units, partials, unit, last);
    unit = last;
  }
}

void run_reductions(const BoundChain& chain) {
  const ChainArgs& args = chain.args;
  const ChainUnits units(args);
  if (units.pieces() == 1) {
    const std::int64_t grain = std::max<std::int64_t>(1, chain.grain() / args.reduced_count);
    return parallel_for(units.count(), grain, [&](std::int64_t begin, std::int64_t end) {
      reduce_units(chain, units, begin, end, nullptr);
    });
  }
  std::vector<Partial> partials(static_cast<std::size_t>(units.count()) * args.reductions.size());
  parallel_for(units.count(), 1, [&](std::int64_t begin, std::int64_t end) {
    reduce_units(chain, units, begin, end, partials.data());
  });
  write_reductions(args, units, partials.data(), 0, units.rows());
}

bool takes(std::span<const DType>, std::span<const ChainStep>) { return true; }

void run_tiles(const BoundChain& chain, std::int64_t begin, std::int64_t end) {
  TileRunner runner(chain);
  for (std::int64_t first = begin; first < end;) {
    const std::int64_t count = chain.tile_from(first, end - first);
    runner.run(first, count);
    first += count;
  }
}

bool run_chain(DeviceRuntime&, const ChainArgs& args, StreamRef) {
  const BoundChain chain(args, is_streaming(args));
  if (!args.reductions.empty()) {
    run_reductions(chain);
    return true;
  }
  parallel_for(element_count(args.shape), chain.grain(),
               [&](std::int64_t begin, std::int64_t end) { run_tiles(chain, begin, end); });
  return true;
}

/// One thread's blocks of rows: all stages of a block run while it is in the cache.
class BlockRunner {
 public:
  BlockRunner(const ChainRowsArgs& args, std::int64_t block)
      : args_(args), offsets_(args.row_bytes.size()), memory_(nullptr, placed(block)) {}

  void run(std::int64_t first, std::int64_t count) const {
    for (const ChainStage& stage : args_.stages) run_stage(stage, first, count);
  }

 private:
  std::size_t placed(std::int64_t block) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < offsets_.size(); ++i) {
      offsets_[i] = bytes;
      bytes += (args_.row_bytes[i] * block + 63) / 64 * 64;
    }
    return static_cast<std::size_t>(bytes);
  }

  void* at(int place, void* whole, std::int64_t bytes) const {
    if (place < 0) return static_cast<char*>(whole) + bytes;
    return memory_.as<char>() + offsets_[static_cast<std::size_t>(place)];
  }

  void run_stage(const ChainStage& stage, std::int64_t first, std::int64_t count) const {
    ChainArgs args = stage.args;
    const std::int64_t row = element_count(args.shape) / args_.rows;
    args.shape[0] = count;
    Operand inputs[kMaxChainInputs];
    ChainResult results[kMaxChainResults];
    ChainReduction reductions[kMaxChainReductions];
    for (std::size_t i = 0; i < args.inputs.size(); ++i) {
      inputs[i] = args.inputs[i];
      const auto item = static_cast<std::int64_t>(itemsize(inputs[i].dtype));
      inputs[i].data = at(stage.inputs[i], inputs[i].data, first * inputs[i].strides[0] * item);
    }
    bool streams = is_streaming(stage.args);
    for (std::size_t i = 0; i < args.results.size(); ++i) {
      results[i] = args.results[i];
      Operand& out = results[i].out;
      const auto item = static_cast<std::int64_t>(itemsize(out.dtype));
      out.data = at(stage.results[i], out.data, first * row * item);
      streams = streams && stage.results[i] < 0;
    }
    for (std::size_t i = 0; i < args.reductions.size(); ++i) {
      reductions[i] = args.reductions[i];
      const auto item =
          static_cast<std::int64_t>(itemsize(dtype_of_value(args, reductions[i].value)));
      reductions[i].out = at(stage.reductions[i], reductions[i].out, first * item);
    }
    args.inputs = {inputs, args.inputs.size()};
    args.results = {results, args.results.size()};
    args.reductions = {reductions, args.reductions.size()};
    run_here(args, streams);
  }

  static void run_here(const ChainArgs& args, bool streams) {
    const BoundChain chain(args, streams);
    if (args.reductions.empty()) return run_tiles(chain, 0, element_count(args.shape));
    const ChainUnits units(args);
    reduce_units(chain, units, 0, units.count(), nullptr);
  }

  const ChainRowsArgs& args_;
  std::vector<std::int64_t> offsets_;
  Scratch memory_;
};

/// Rows are whole in a block, and are reduced in the order in which the operator does it.
bool run_rows(DeviceRuntime&, const ChainRowsArgs& args, StreamRef) {
  const std::int64_t row = element_count(args.stages[0].args.shape) / args.rows;
  if (row > kBlockElements || row_piece(args.rows, row) != row) return false;
  const std::int64_t block = kBlockElements / row;
  parallel_for(args.rows, block, [&](std::int64_t begin, std::int64_t end) {
    const BlockRunner runner(args, block);
    for (std::int64_t first = begin; first < end; first += block)
      runner.run(first, std::min(block, end - first));
  });
  return true;
}

const ChainRegistration registration(DeviceType::kCpu, {takes, run_chain, true, run_rows});

}  // namespace
}  // namespace cpu_chain
}  // namespace gpukit::cpu
