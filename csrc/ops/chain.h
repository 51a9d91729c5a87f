// Chains of elementwise operators as one operation (backend/chain.h): the program, checked once,
// and its run.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "backend/chain.h"
#include "tensor/tensor.h"

namespace gpukit::ops {

/// A reduction of a floating step over its last dimensions, all endings of a chain over the same.
struct ChainEnding {
  int value;
  ReduceOp op;
  int dims = 1;  ///< how many of the last ones
  bool keepdim = false;

  /// Of what it gives, from a value of this shape.
  Shape shape(const Shape& whole) const;
};

/// Compiled code of a program without reductions: the results, to whose shape the inputs broadcast.
/// Nothing where it does not take these inputs.
using ChainCode = std::function<std::optional<std::vector<Tensor>>(std::span<const Tensor> inputs,
                                                                   const Shape& shape)>;

/// Steps over values of known dtypes. Made by its functions, each of which adds one step and throws
/// ValueError or DTypeError for what no device takes as it is: nothing is promoted here.
class ChainProgram {
 public:
  explicit ChainProgram(std::vector<DType> inputs);

  /// A number stands where `operands` has -1.
  void add_unary(UnaryOp op, int operand);
  void add_binary(BinaryOp op, int left, int right, Scalar number);
  void add_select(int condition, int left, int right, Scalar number);
  void add_convert(int operand, DType dtype);
  void add_clamp(int operand, std::optional<Scalar> low, std::optional<Scalar> high);
  /// Any of them, whose dtypes are those of its operands.
  void add_step(const ChainStep& step);
  /// The value of a step is a result of the chain.
  void add_result(int value);
  /// So is what a reduction of it gives. Results come first, then reductions.
  void add_reduction(const ChainEnding& ending);

  /// Runs in place of the device's own loops, which compute what it does not take.
  void set_code(ChainCode code) { code_ = std::move(code); }
  const ChainCode& code() const noexcept { return code_; }

  std::span<const DType> inputs() const noexcept { return inputs_; }
  std::span<const ChainStep> steps() const noexcept { return steps_; }
  std::span<const int> results() const noexcept { return results_; }
  std::span<const ChainEnding> endings() const noexcept { return endings_; }
  DType dtype_of(int value) const;

 private:
  void add(ChainStep step);

  std::vector<DType> inputs_;
  std::vector<ChainStep> steps_;
  std::vector<int> results_;
  std::vector<ChainEnding> endings_;
  ChainCode code_;
};

/// Makes the code of a program; nothing is compiled before it runs.
using ChainCompiler = std::function<ChainCode(const ChainProgram& program)>;

/// The one shape of all steps over inputs of these shapes, or nothing.
std::optional<Shape> common_shape(const ChainProgram& program, std::span<const Shape> inputs);

/// True where operands of `dtype` go to a device as they are.
bool chain_takes(UnaryOp op, DType dtype) noexcept;
bool chain_takes(BinaryOp op, DType dtype) noexcept;

/// The results of one pass over memory. Nothing where that cannot be: the device has no chains, the
/// inputs are of other dtypes or devices, or some step has a smaller shape than the others.
std::optional<std::vector<Tensor>> run_chain(const ChainProgram& program,
                                             std::span<const Tensor> inputs);
/// The same with results of `shape`, to which the inputs broadcast, whatever the shapes of the
/// steps would be.
std::optional<std::vector<Tensor>> run_chain(const ChainProgram& program,
                                             std::span<const Tensor> inputs, const Shape& shape);

}  // namespace gpukit::ops
