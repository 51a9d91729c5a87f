// Chains: elementwise steps over operands of one shape, which a device may do in one pass over
// memory. A device without them has none registered; its caller does the operators one by one.
#pragma once

#include <cstdint>
#include <span>

#include "backend/device_runtime.h"
#include "backend/op_args.h"
#include "backend/stream_types.h"
#include "core/device.h"

namespace gpukit {

inline constexpr int kMaxChainSteps = 48;
inline constexpr int kMaxChainInputs = 8;
inline constexpr int kMaxChainResults = 4;
inline constexpr int kMaxChainReductions = 4;
inline constexpr int kMaxChainValues = kMaxChainInputs + kMaxChainSteps;

enum class ChainStepKind : std::uint8_t { kUnary, kBinary, kSelect, kConvert, kClamp };

/// One step. Values are numbered: the inputs, then the result of each step. `operands` are numbers
/// of earlier values; -1 where there is none, or where `number` stands.
struct ChainStep {
  ChainStepKind kind = ChainStepKind::kUnary;
  int op = 0;                        ///< of UnaryOp or BinaryOp
  DType in_dtype = DType::kFloat32;  ///< of the operands; of select, of its two choices
  DType out_dtype = DType::kFloat32;
  int operands[3] = {-1, -1, -1};
  Scalar number;  ///< of binary and select; of clamp the lower bound
  Scalar high;    ///< of clamp
  bool has_low = false, has_high = false;
};

/// Where a step's value goes: contiguous over the shape.
struct ChainResult {
  int value;
  Operand out;
};

/// A step's floating value, reduced over the last dimensions to `out`, which is contiguous over the
/// others and of the value's dtype. Sums, means, extremes and norms.
struct ChainReduction {
  int value;
  ReduceOp op;
  void* out;
};

/// The inputs have strides over `shape`, 0 where they are broadcast. At least one element.
struct ChainArgs {
  Shape shape;
  std::span<const Operand> inputs;
  std::span<const ChainStep> steps;
  std::span<const ChainResult> results;
  std::span<const ChainReduction> reductions = {};
  std::int64_t reduced_count = 1;  ///< elements of the last dimensions that are reduced
};

/// One of several chains over the same rows, the first dimension of each shape. What has a place
/// lies in memory of a block of rows and has no address; the places of the others are -1.
struct ChainStage {
  ChainArgs args;
  std::span<const int> inputs, results, reductions;  ///< places
};

/// Chains of which later ones read what earlier ones have made of the same rows.
struct ChainRowsArgs {
  std::span<const ChainStage> stages;
  std::span<const std::int64_t> row_bytes;  ///< of each place
  std::int64_t rows = 1;
};

/// How devices of a kind run chains.
struct ChainRunner {
  /// Whether they have loops for these values; what they do not take is done step by step.
  bool (*takes)(std::span<const DType> inputs, std::span<const ChainStep> steps) = nullptr;
  /// Queues the chain; its values are those of the steps as operations of their own, bit for bit.
  /// False, with nothing queued, where it is too long or too large.
  bool (*run)(DeviceRuntime& runtime, const ChainArgs& args, StreamRef stream) = nullptr;
  /// Whether `run` takes reductions.
  bool reduces = false;
  /// Queues stages, block by block of rows; as `run` does one of them. Null where there is no such.
  bool (*run_rows)(DeviceRuntime& runtime, const ChainRowsArgs& args, StreamRef stream) = nullptr;
};

/// At namespace scope in a backend's folder: its devices run chains.
struct ChainRegistration {
  ChainRegistration(DeviceType type, ChainRunner runner);
};

/// Without functions where devices of the kind have no chains.
ChainRunner chains_of(DeviceType type) noexcept;

}  // namespace gpukit
