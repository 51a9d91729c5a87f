#include "ops/chain_rows.h"

#include <cstdint>

#include "base/check.h"
#include "base/error.h"
#include "base/observer.h"
#include "core/layout.h"
#include "ops/dispatch.h"

namespace gpukit::ops {
namespace chain_rows {
namespace {

/// What a stage makes.
struct Value {
  Shape shape;
  DType dtype;
  bool reduced;
  Tensor kept;  ///< else it has a place
  int place = -1;
};

/// The shape of reductions of `whole` that keep their dimensions.
Shape reduced_shape(const Shape& whole, int dims) {
  Shape made = whole;
  for (int i = whole.size() - dims; i < whole.size(); ++i) made[i] = 1;
  return made;
}

/// The arrays that a stage's arguments are spans of.
struct StageArrays {
  Operand operands[kMaxChainInputs];
  ChainResult results[kMaxChainResults];
  ChainReduction reductions[kMaxChainReductions];
  int inputs_at[kMaxChainInputs], results_at[kMaxChainResults], reductions_at[kMaxChainReductions];
};

/// The dimensions before the last `dims` as one.
std::optional<Operand> by_rows(const Operand& in, const Shape& whole, int dims) {
  Operand made{in.data, in.dtype, {}};
  std::int64_t step = 0, expected = 0;
  bool known = false;
  for (int i = whole.size() - dims - 1; i >= 0; --i) {
    if (whole[i] == 1) continue;
    if (known && in.strides[i] != expected) return std::nullopt;
    if (!known) step = in.strides[i];
    known = true;
    expected = in.strides[i] * whole[i];
  }
  made.strides.push_back(step);
  for (int i = whole.size() - dims; i < whole.size(); ++i) made.strides.push_back(in.strides[i]);
  return made;
}

class Rows {
 public:
  Rows(std::span<const RowStage> stages, std::span<const Tensor> inputs)
      : stages_(stages), inputs_(inputs), device_(inputs[0].open_device()) {}

  std::optional<std::vector<Tensor>> run() {
    const ChainRunner runner = chains_of(device_.device().type);
    if (runner.run_rows == nullptr || !find_values(runner)) return std::nullopt;
    if (dims_ == 0 || dims_ >= whole_->size() || element_count(*whole_) == 0) return std::nullopt;
    for (int i = 0; i < whole_->size(); ++i)
      (i < whole_->size() - dims_ ? rows_ : row_) *= (*whole_)[i];
    if (row_ == 1) return std::nullopt;
    rows_shape_.push_back(rows_);
    for (int i = whole_->size() - dims_; i < whole_->size(); ++i)
      rows_shape_.push_back((*whole_)[i]);
    place_values();
    if (!fill_arrays() || !queue(runner)) return std::nullopt;
    std::vector<Tensor> made;
    for (const Value& value : values_) {
      if (value.kept.defined()) made.push_back(value.kept);
    }
    return made;
  }

 private:
  /// Shapes and dtypes; false where the stages have no shape in common.
  bool find_values(const ChainRunner& runner) {
    for (const Tensor& input : inputs_) {
      if (&input.open_device() != &device_) return false;
    }
    for (const RowStage& stage : stages_) {
      std::vector<Shape> shapes;
      for (std::size_t i = 0; i < stage.sources.size(); ++i) {
        const int source = stage.sources[i];
        const DType dtype = source >= 0 ? tensor(source).dtype() : value(source).dtype;
        if (dtype != stage.program.inputs()[i]) return false;
        // A reduced value without its dimensions would broadcast along the rows.
        if (source < 0 && value(source).reduced &&
            !(value(source).shape == reduced_shape(*whole_, dims_)))
          return false;
        shapes.push_back(source >= 0 ? tensor(source).shape() : value(source).shape);
      }
      const std::optional<Shape> shape = common_shape(stage.program, shapes);
      if (!shape) return false;
      if (!whole_) whole_ = shape;
      const bool reduced = !(*whole_ == *shape);
      if (reduced && (dims_ > whole_->size() || !(*shape == reduced_shape(*whole_, dims_))))
        return false;
      if (!runner.takes(stage.program.inputs(), stage.program.steps())) return false;
      if (!add_values(stage, reduced)) return false;
    }
    return true;
  }

  bool add_values(const RowStage& stage, bool reduced) {
    is_reduced_.push_back(reduced);
    if (reduced && !stage.program.endings().empty()) return false;
    for (const int result : stage.program.results())
      values_.push_back({shape_of(reduced), stage.program.dtype_of(result), reduced, {}});
    for (const ChainEnding& each : stage.program.endings()) {
      if (dims_ != 0 && dims_ != each.dims) return false;
      dims_ = each.dims;
      values_.push_back({each.shape(*whole_), stage.program.dtype_of(each.value), true, {}});
    }
    return true;
  }

  void place_values() {
    std::size_t number = 0;
    for (const RowStage& stage : stages_) {
      for (const int kept : stage.kept) {
        Value& value = values_[number++];
        if (kept != 0) {
          value.kept = empty_on(device_, value.shape, value.dtype);
        } else {
          value.place = static_cast<int>(row_bytes_.size());
          const auto item = static_cast<std::int64_t>(itemsize(value.dtype));
          row_bytes_.push_back(item * (value.reduced ? 1 : row_));
        }
      }
    }
  }

  Shape shape_of(bool reduced) const { return reduced ? reduced_shape(*whole_, dims_) : *whole_; }

  /// Over all rows.
  Operand operand_of(const Value& value) const {
    Operand made{value.kept.defined() ? value.kept.data() : nullptr, value.dtype, {}};
    made.strides = contiguous_strides(rows_shape_);
    if (value.reduced) {
      made.strides = Strides::filled(rows_shape_.size(), 0);
      made.strides[0] = 1;
    }
    return made;
  }

  bool fill_arrays() {
    arrays_.resize(stages_.size());
    std::size_t number = 0;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      StageArrays& arrays = arrays_[s];
      if (!fill_inputs(arrays, stages_[s], shape_of(is_reduced_[s]))) return false;
      std::size_t i = 0;
      for (const int result : stages_[s].program.results()) {
        const Value& made = values_[number++];
        arrays.results[i] = {result, operand_of(made)};
        arrays.results_at[i++] = made.place;
      }
      i = 0;
      for (const ChainEnding& each : stages_[s].program.endings()) {
        const Value& made = values_[number++];
        arrays.reductions[i] = {each.value, each.op, operand_of(made).data};
        arrays.reductions_at[i++] = made.place;
      }
    }
    return true;
  }

  bool fill_inputs(StageArrays& arrays, const RowStage& stage, const Shape& shape) const {
    std::size_t i = 0;
    for (const int source : stage.sources) {
      const auto in = source >= 0 ? by_rows(operand(tensor(source), shape), shape, dims_)
                                  : std::optional(operand_of(value(source)));
      if (!in) return false;
      arrays.operands[i] = *in;
      arrays.inputs_at[i++] = source >= 0 ? -1 : value(source).place;
    }
    return true;
  }

  bool queue(const ChainRunner& runner) {
    const StreamRef stream = stream_of(device_);
    for (const Tensor& input : inputs_) note_use(input, stream);
    std::vector<ChainStage> queued;
    for (std::size_t s = 0; s < stages_.size(); ++s) {
      const StageArrays& arrays = arrays_[s];
      const ChainProgram& program = stages_[s].program;
      const std::size_t read = program.inputs().size(), results = program.results().size(),
                        reductions = program.endings().size();
      const Shape shape = is_reduced_[s] ? reduced_shape(rows_shape_, dims_) : rows_shape_;
      queued.push_back({{shape,
                         {arrays.operands, read},
                         program.steps(),
                         {arrays.results, results},
                         {arrays.reductions, reductions},
                         reductions == 0 ? 1 : row_},
                        {arrays.inputs_at, read},
                        {arrays.results_at, results},
                        {arrays.reductions_at, reductions}});
    }
    return runner.run_rows(device_.runtime(), {queued, row_bytes_, rows_}, stream);
  }

  const Tensor& tensor(int source) const { return inputs_[static_cast<std::size_t>(source)]; }
  const Value& value(int source) const { return values_[static_cast<std::size_t>(-1 - source)]; }

  std::span<const RowStage> stages_;
  std::span<const Tensor> inputs_;
  OpenDevice& device_;
  std::optional<Shape> whole_;
  Shape rows_shape_;
  int dims_ = 0;  ///< that are reduced
  std::int64_t rows_ = 1, row_ = 1;
  std::vector<Value> values_;
  std::vector<bool> is_reduced_;         ///< of the stages: over the shape of reductions
  std::vector<std::int64_t> row_bytes_;  ///< of each place
  std::vector<StageArrays> arrays_;
};

void check(std::span<const RowStage> stages, std::span<const Tensor> inputs) {
  GPUKIT_CHECK(!stages.empty() && !inputs.empty(), ValueError, "ChainRows: there is nothing to do");
  int values = 0;
  for (const RowStage& stage : stages) {
    const ChainProgram& program = stage.program;
    GPUKIT_CHECK(stage.sources.size() == program.inputs().size(), ValueError,
                 "ChainRows: a stage has ", program.inputs().size(), " inputs, got ",
                 stage.sources.size(), " sources");
    for (const int source : stage.sources)
      GPUKIT_CHECK(source < static_cast<int>(inputs.size()) && -1 - source < values, IndexError,
                   "ChainRows: there is no source ", source);
    const std::size_t made = program.results().size() + program.endings().size();
    GPUKIT_CHECK(stage.kept.size() == made && made > 0 && !program.steps().empty(), ValueError,
                 "ChainRows: a stage makes ", made, " values, got ", stage.kept.size());
    values += static_cast<int>(made);
  }
}

}  // namespace
}  // namespace chain_rows

std::optional<std::vector<Tensor>> run_chain_rows(std::span<const RowStage> stages,
                                                  std::span<const Tensor> inputs) {
  chain_rows::check(stages, inputs);
  inputs[0].open_device().runtime();  // throws once its session is over
  return chain_rows::Rows(stages, inputs).run();
}

}  // namespace gpukit::ops
