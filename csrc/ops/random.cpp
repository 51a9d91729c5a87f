#include "ops/random.h"

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "core/number_range.h"
#include "ops/complex.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "ops/sorting.h"

namespace gpukit::ops {

namespace {

void check_floating(std::string_view op, DType dtype, std::string_view instead) {
  if (is_differentiable(dtype)) return;
  throw DTypeError(concat(op, ": dtype ", name(dtype), " is not a floating type. ", instead))
      .with_fix("dtype='float32'");
}

RandomArgs random_args(RandomOp op) {
  RandomArgs args;
  args.op = op;
  return args;
}

/// The random numbers of a graph: a replay continues from the generator's current state.
class RandomInput final : public ReplayInput {
 public:
  explicit RandomInput(Generator& generator) : generator_(generator) {}
  const Generator& generator() const noexcept { return generator_; }
  /// The index of one more recorded operation.
  std::uint64_t add() noexcept { return count_++; }
  Words next() override {
    const Generator::State state = generator_.next(count_);
    return {state.seed, state.offset};
  }
  const std::uint64_t* words = nullptr;  ///< on the device

 private:
  Generator& generator_;
  std::uint64_t count_ = 0;
};

RandomInput& random_input(CapturedGraph& graph, Generator& generator) {
  for (const auto& input : graph.inputs()) {
    auto* known = dynamic_cast<RandomInput*>(input.get());
    if (known != nullptr && &known->generator() == &generator) return *known;
  }
  auto fresh = std::make_unique<RandomInput>(generator);
  RandomInput& input = *fresh;
  input.words = graph.add(std::move(fresh));
  return input;
}

/// Takes the next numbers of the generator; in a graph each replay does.
void draw(RandomArgs& args, const Tensor& out, Generator& generator) {
  if (out.open_device().capabilities().holds_no_values) return;
  CapturedGraph* graph = capturing_on(out.open_device());
  if (graph == nullptr) {
    const Generator::State state = generator.next(1);
    args.seed = state.seed;
    args.offset = state.offset;
    return;
  }
  GPUKIT_CHECK(&generator == &default_generator(), ValueError,
               "a graph can only hold random numbers of the default generator, which goes on with "
               "each replay. Leave generator= out while capturing.");
  RandomInput& input = random_input(*graph, generator);
  args.state = input.words;
  args.offset = input.add();
}

/// Fills a contiguous tensor.
void run(const Tensor& out, RandomArgs args, Generator& generator) {
  draw(args, out, generator);
  if (out.count() == 0) return;
  const Call call(out);
  // Both parts of a complex number are drawn.
  args.count = is_complex(out.dtype()) ? 2 * out.count() : out.count();
  args.out = out.data();
  args.dtype = real_dtype(out.dtype());
  call.use(out);
  call.ops.random(args, call.stream);
}

/// Fills any tensor. The numbers depend on the row-major index only, not on the strides.
void run_in_place(std::string_view op, const Tensor& target, const RandomArgs& args,
                  Generator& generator) {
  check_target(op, target);
  if (!target.is_contiguous()) {
    const Tensor numbers = empty_on(target.open_device(), target.shape(), target.dtype());
    run(numbers, args, generator);
    return copy_(target, numbers);
  }
  run(target, args, generator);
  target.storage()->bump_version();
}

struct Range {
  std::int64_t lowest, highest;
};

Range range_of_integers(DType dtype) {
  const int bits = static_cast<int>(itemsize(dtype)) * 8;
  // low and high are int64, which bounds uint64 too.
  if (!dtype_info(dtype).is_signed && bits < 64) return {0, (1LL << bits) - 1};
  const std::int64_t highest = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
  if (!dtype_info(dtype).is_signed) return {0, highest};
  return {-highest - 1, highest};
}

/// Whole numbers that a dtype holds exactly.
Range integer_range(DType dtype) {
  switch (kind_of(dtype)) {
    case DTypeKind::kBool:
      return {0, 1};
    case DTypeKind::kInteger:
      return range_of_integers(dtype);
    case DTypeKind::kFloating:
    case DTypeKind::kComplex: {
      const std::int64_t end = std::int64_t{1} << float_format(dtype).precision;
      return {-end, end};
    }
  }
  __builtin_unreachable();
}

void check_integers(std::int64_t low, std::int64_t high, DType dtype) {
  GPUKIT_CHECK(low < high, ValueError, "randint: low is ", low, ", high is ", high,
               "; there is no number in [low, high). Use high > low.");
  const Range range = integer_range(dtype);
  GPUKIT_CHECK(low >= range.lowest && high - 1 <= range.highest, ValueError, "randint: low is ",
               low, ", high is ", high, ", but ", name(dtype), " holds whole numbers from ",
               range.lowest, " to ", range.highest, " only. Use dtype='int64'.");
}

}  // namespace

void Generator::manual_seed(std::uint64_t seed) { set_state({seed, 0}); }

std::uint64_t Generator::initial_seed() const { return state().seed; }

Generator::State Generator::state() const {
  std::lock_guard lock(mutex_);
  return {seed_, offset_};
}

void Generator::set_state(State state) {
  std::lock_guard lock(mutex_);
  seed_ = state.seed;
  offset_ = state.offset;
}

Generator::State Generator::next(std::uint64_t calls) {
  std::lock_guard lock(mutex_);
  return {seed_, std::exchange(offset_, offset_ + calls)};
}

Generator& default_generator() {
  static Generator generator(0x67B5'0C1A'55E5'ED01u);
  return generator;
}

Tensor rand(const Shape& shape, DType dtype, Device device, Generator& generator) {
  check_floating("rand", dtype, "Use randint.");
  Tensor out = empty(shape, dtype, device, "rand");
  run(out, random_args(RandomOp::kUniform), generator);
  return out;
}

Tensor randn(const Shape& shape, DType dtype, Device device, Generator& generator) {
  check_floating("randn", dtype, "Use randint.");
  Tensor out = empty(shape, dtype, device, "randn");
  RandomArgs args = random_args(RandomOp::kNormal);
  if (is_complex(dtype)) args.high = std::numbers::sqrt2 / 2;  // the variance of both parts is 1
  run(out, args, generator);
  return out;
}

Tensor randint(std::int64_t low, std::int64_t high, const Shape& shape, DType dtype, Device device,
               Generator& generator) {
  check_integers(low, high, dtype);
  check_real("randint", dtype);
  const DType drawn = of_kind(kind_of(dtype), DType::kInt64, dtype, DType::kInt64, DType::kInt64);
  Tensor out = empty(shape, drawn, device, "randint");
  RandomArgs args = random_args(RandomOp::kIntegers);
  args.low_int = low;
  args.high_int = high;
  run(out, args, generator);
  return cast(out, dtype);
}

Tensor randperm(std::int64_t n, DType dtype, Device device, Generator& generator) {
  GPUKIT_CHECK(n >= 0, ValueError, "randperm: n is ", n, ". Use 0 or more.");
  GPUKIT_CHECK(n == 0 || n - 1 <= integer_range(dtype).highest, ValueError, "randperm: n is ", n,
               ", but ", name(dtype), " counts to ", integer_range(dtype).highest,
               " only. Use dtype='int64'.");
  // The order of n random numbers. They are drawn alike on every device, and the sort is stable.
  check_real("randperm", dtype);
  const Tensor keys = randint(0, std::numeric_limits<std::int64_t>::max(), Shape{n}, DType::kInt64,
                              device, generator);
  return cast(argsort(keys, 0, false), dtype);
}

void uniform_(const Tensor& target, double low, double high, Generator& generator) {
  check_real("uniform_", target);
  check_floating("uniform_", target.dtype(), "Use X.float() first.");
  GPUKIT_CHECK(std::isfinite(low) && std::isfinite(high) && low <= high, ValueError,
               "uniform_: from is ", low, ", to is ", high, ". Use finite numbers, from <= to.");
  GPUKIT_CHECK(high - low <= float_format(target.dtype()).largest, ValueError, "uniform_: from is ",
               low, ", to is ", high, ", but to - from is beyond ", name(target.dtype()),
               ". Use a smaller range, or a dtype that holds it.");
  if (low == high) return fill_(target, Scalar::floating(low));
  RandomArgs args = random_args(RandomOp::kUniform);
  args.low = low;
  args.high = high;
  run_in_place("uniform_", target, args, generator);
}

void normal_(const Tensor& target, double mean, double deviation, Generator& generator) {
  check_floating("normal_", target.dtype(), "Use X.float() first.");
  GPUKIT_CHECK(deviation >= 0.0, ValueError, "normal_: std is ", deviation, ". Use 0 or more.");
  RandomArgs args = random_args(RandomOp::kNormal);
  args.low = mean;
  args.high = is_complex(target.dtype()) ? deviation * (std::numbers::sqrt2 / 2) : deviation;
  run_in_place("normal_", target, args, generator);
}

}  // namespace gpukit::ops
