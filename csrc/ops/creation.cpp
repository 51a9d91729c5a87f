#include "ops/creation.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/error.h"
#include "base/numeric.h"
#include "ops/complex.h"
#include "ops/dispatch.h"
#include "ops/elementwise.h"
#include "tensor/view.h"

namespace gpukit::ops {

namespace {

void check_number(Scalar value, std::string_view argument) {
  GPUKIT_CHECK(std::isfinite(value.as_double()), ValueError, "arange: ", argument, " is ",
               value.as_double(), ". Pass a finite number.");
}

[[noreturn]] void throw_wrong_direction(Scalar start, Scalar stop, Scalar step) {
  throw ValueError(concat("arange: step ", step.as_double(), " leads away from end: start ",
                          start.as_double(), ", end ", stop.as_double(),
                          ". Change the sign of step."))
      .with_fix(concat("step=", -step.as_double()));
}

/// Whole numbers are counted exactly; a range too long for int64 is refused as too big by the shape
/// check.
std::int64_t count_whole(std::int64_t start, std::int64_t stop, std::int64_t step) {
  const std::uint64_t distance =
      step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
               : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
  const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step)
                                        : std::uint64_t{0} - static_cast<std::uint64_t>(step);
  return static_cast<std::int64_t>(ceil_div(distance, stride));
}

/// A number as the integer that `dtype` makes of it.
Scalar whole_number(Scalar value, DType dtype) {
  if (dtype == DType::kUInt64) return Scalar::unsigned_integer(value.as_uint64());
  return Scalar::integer(value.as_int64());
}

bool whole_less(Scalar a, Scalar b) {
  return a.is_huge() == b.is_huge() ? a.as_int64() < b.as_int64() : b.is_huge();
}

std::int64_t count_steps(Scalar start, Scalar stop, Scalar step, bool whole) {
  const bool rises = whole ? whole_less(start, stop) : stop.as_double() > start.as_double();
  const bool falls = whole ? whole_less(stop, start) : stop.as_double() < start.as_double();
  if (!rises && !falls) return 0;
  if (rises != (step.as_double() > 0)) throw_wrong_direction(start, stop, step);
  if (whole) return count_whole(start.as_int64(), stop.as_int64(), step.as_int64());
  const double count = std::ceil((stop.as_double() - start.as_double()) / step.as_double());
  GPUKIT_CHECK(count < 0x1p62, ValueError, "arange: ", count,
               " elements are too many. Use a larger step.");
  return static_cast<std::int64_t>(count);
}

void run_ramp(const Tensor& out, RampArgs args) {
  if (out.count() == 0) return;
  const Call call(out);
  args.count = out.count();
  args.out = out.data();
  args.dtype = out.dtype();
  call.ops.ramp(args, call.stream);
}

Tensor triangle(const Tensor& input, std::int64_t diagonal, bool upper) {
  const std::string_view op = upper ? "triu" : "tril";
  GPUKIT_CHECK(input.rank() >= 2, ShapeError, op, ": ", describe("X", input),
               "; at least two dimensions are needed. Use X.reshape(1, -1).");
  if (is_complex(input.dtype())) {
    return complex(triangle(real_part(input), diagonal, upper),
                   triangle(imag_part(input), diagonal, upper));
  }
  const Tensor in = contiguous(input);
  Tensor out = empty_on(in.open_device(), in.shape(), in.dtype());
  if (out.count() == 0) return out;
  const Call call(out);
  TriangleArgs args;
  args.upper = upper;
  args.rows = in.size(in.rank() - 2);
  args.columns = in.size(in.rank() - 1);
  args.batch = in.count() / (args.rows * args.columns);
  args.diagonal = diagonal;
  args.out = out.data();
  args.in = in.data();
  args.dtype = in.dtype();
  call.use(in);
  call.ops.triangle(args, call.stream);
  return out;
}

}  // namespace

Tensor full(const Shape& shape, Scalar value, DType dtype, Device device, std::string_view op) {
  Tensor out = empty(shape, dtype, device, op);
  fill_(out, value);
  return out;
}

Tensor zeros(const Shape& shape, DType dtype, Device device) {
  return full(shape, Scalar::integer(0), dtype, device, "zeros");
}

Tensor ones(const Shape& shape, DType dtype, Device device) {
  return full(shape, Scalar::integer(1), dtype, device, "ones");
}

Tensor arange(Scalar start, Scalar stop, Scalar step, DType dtype, Device device) {
  check_number(start, "start");
  check_number(stop, "end");
  check_number(step, "step");
  GPUKIT_CHECK(of_kind(kind_of(dtype), false, true, true, false), DTypeError, "arange: dtype ",
               name(dtype), " cannot hold a range. Use int64.");
  const DTypeKind kind = std::max({start.kind(), stop.kind(), step.kind()});
  check_real("arange", kind == DTypeKind::kComplex ? DType::kComplex64 : dtype);
  const bool floating = of_kind(kind, false, false, true, true);
  // As in torch, int64 cuts the fractions off before it counts, and all others after. Integers are
  // counted as integers: above 2^53 a double would miscount.
  const bool whole = !floating || dtype == DType::kInt64;
  const bool no_step = whole ? step.as_int64() == 0 : step.as_double() == 0.0;
  GPUKIT_CHECK(!no_step, ValueError, "arange: step is ", step.as_double(), " (in ", name(dtype),
               " that is 0). Use a step other than 0.");
  const std::int64_t count =
      of_kind(kind_of(dtype), false, whole, false, false)
          ? count_steps(whole_number(start, dtype), whole_number(stop, dtype),
                        Scalar::integer(step.as_int64()), true)
          : count_steps(start, stop, step, whole);
  Tensor out = empty(Shape{count}, dtype, device, "arange");
  RampArgs ramp;
  ramp.start = start.as_double();
  ramp.step = step.as_double();
  ramp.start_int = whole_number(start, dtype).as_int64();
  ramp.step_int = step.as_int64();
  run_ramp(out, ramp);
  return out;
}

Tensor linspace(Scalar start, Scalar stop, std::int64_t steps, DType dtype, Device device) {
  if (is_complex(dtype)) {
    const DType parts = real_dtype(dtype);
    return complex(linspace(start.as_double(), stop.as_double(), steps, parts, device),
                   linspace(start.imaginary(), stop.imaginary(), steps, parts, device));
  }
  check_real("linspace", start.is_complex() || stop.is_complex() ? DType::kComplex64 : dtype);
  return linspace(start.as_double(), stop.as_double(), steps, dtype, device);
}

Tensor linspace(double start, double stop, std::int64_t steps, DType dtype, Device device) {
  GPUKIT_CHECK(steps >= 0, ValueError, "linspace: steps is ", steps, ". Use 0 or more.");
  GPUKIT_CHECK(of_kind(kind_of(dtype), false, true, true, false), DTypeError, "linspace: dtype ",
               name(dtype), " cannot hold a range. Use float32.");
  const DType compute = of_kind(kind_of(dtype), DType::kFloat64, DType::kFloat64, dtype, dtype);
  Tensor out = empty(Shape{steps}, compute, device, "linspace");
  RampArgs ramp;
  ramp.start = start;
  ramp.step = steps > 1 ? (stop - start) / static_cast<double>(steps - 1) : 0.0;
  run_ramp(out, ramp);
  // Rounding must not move the last point.
  if (steps > 1) fill_(select(out, 0, steps - 1), Scalar::floating(stop));
  return cast(out, dtype);
}

Tensor eye(std::int64_t rows, std::int64_t columns, DType dtype, Device device) {
  GPUKIT_CHECK(rows >= 0 && columns >= 0, ValueError, "eye: n is ", rows, ", m is ", columns,
               ". Use 0 or more.");
  Tensor out = full(Shape{rows, columns}, Scalar::integer(0), dtype, device, "eye");
  if (out.count() > 0) fill_(diagonal(out, 0), Scalar::integer(1));
  return out;
}

Tensor tril(const Tensor& input, std::int64_t diagonal) { return triangle(input, diagonal, false); }
Tensor triu(const Tensor& input, std::int64_t diagonal) { return triangle(input, diagonal, true); }

}  // namespace gpukit::ops
