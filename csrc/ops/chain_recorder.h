// Operations of one thread as the steps of a chain, recorded while they run on the CPU.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "backend/chain.h"
#include "backend/step_recorder.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// What a tensor holds: the value of an operand or of a step, by number, or one number throughout.
struct RecordedValue {
  int number = -1;  ///< negative for a constant
  DType dtype = DType::kFloat32;
  Scalar constant;

  bool is_constant() const noexcept { return number < 0; }
};

/// Operands and steps in the order in which they came. The operands of a step are their numbers.
struct RecordedEntry {
  bool is_operand = true;
  DType dtype = DType::kFloat32;
  ChainStep step;
};

/// The operands are contiguous tensors of one shape, of at least two elements.
class ChainRecorder final : public StepRecorder {
 public:
  int add_operand(const Tensor& tensor);
  /// Nothing for a tensor that came about in a way that no chain has.
  std::optional<RecordedValue> value_of(const Tensor& tensor) const;
  const std::vector<RecordedEntry>& entries() const noexcept { return entries_; }
  /// All operations were steps.
  bool is_complete() const noexcept { return is_complete_ && operations_ == recorded_; }
  /// Something came about in a way that no chain has.
  void refuse() noexcept { is_complete_ = false; }

  void record(const UnaryArgs& args) override;
  void record(const BinaryArgs& args) override;
  void record(const WhereArgs& args) override;
  void record(const ClampArgs& args) override;
  void record(const CopyArgs& args) override;
  void record(const FillArgs& args) override;
  void count_operation() noexcept override { ++operations_; }

 private:
  using Found = std::optional<RecordedValue>;

  Found value_of(const Operand& operand, const Shape& shape) const;
  static void place_operand(ChainStep& step, int place, const RecordedValue& value);
  void add_step(const ChainStep& step, const Operand& out, const Shape& shape);
  void add_constant(const Operand& out);
  void alias(const Operand& out, const RecordedValue& value);

  std::unordered_map<const void*, RecordedValue> values_;  ///< by the address of the elements
  std::vector<RecordedEntry> entries_;
  std::int64_t count_ = 0;  ///< elements of an operand
  int operations_ = 0, recorded_ = 0;
  bool is_complete_ = true;
};

/// While it lives, the operations of this thread are recorded.
class RecordingScope {
 public:
  explicit RecordingScope(ChainRecorder& recorder) noexcept : before_(step_recorder) {
    step_recorder = &recorder;
  }
  ~RecordingScope() { step_recorder = before_; }
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;

 private:
  StepRecorder* before_;
};

}  // namespace gpukit::ops
