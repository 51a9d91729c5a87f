#include "backend/device_ops.h"

#include "backend/composed_layer.h"
#include "backend/linalg_args.h"
#include "backend/op_names.h"
#include "base/check.h"
#include "base/error.h"

namespace gpukit {

void DeviceOps::throw_not_supported(std::string_view op) const {
  const std::string where = to_string(device());
  throw NotSupportedError(concat(op, ": ", where,
                                 " does not have this operator. Use the CPU for it, "
                                 "as x.cpu(), and bring the result back with .to('",
                                 where, "')"))
      .with_fix("x.cpu()")
      .with_detail("device", where)
      .with_detail("operator", std::string(op));
}

// All of these are defined here and in composed_*.cpp, not in the header: a compiler would guess
// that the one it sees is the one called, and give every caller its stack.

void DeviceOps::complex_function(const ComplexArgs&, StreamRef) {
  throw_not_supported("arithmetic on complex numbers");
}
void DeviceOps::where(const WhereArgs&, StreamRef) { throw_not_supported("where"); }
void DeviceOps::ramp(const RampArgs&, StreamRef) { throw_not_supported("arange"); }
void DeviceOps::cumulative(const CumulativeArgs& args, StreamRef) {
  throw_not_supported(args.product ? "cumprod" : "cumsum");
}
void DeviceOps::attention(const AttentionArgs&, StreamRef) { throw_not_supported("attention"); }
void DeviceOps::attention_backward(const AttentionBackwardArgs&, StreamRef) {
  throw_not_supported("attention");
}
void DeviceOps::random(const RandomArgs&, StreamRef) { throw_not_supported("random numbers"); }
void DeviceOps::linear_index(const LinearIndexArgs&, StreamRef) {
  throw_not_supported("indexing by a tensor");
}
void DeviceOps::gather(const GatherArgs&, StreamRef) { throw_not_supported("gather"); }
void DeviceOps::scatter(const ScatterArgs&, StreamRef) { throw_not_supported("scatter"); }
void DeviceOps::sort(const SortArgs&, StreamRef) { throw_not_supported("sort"); }
void DeviceOps::linalg(const LinalgArgs& args, StreamRef) {
  throw_not_supported(name_of(args.routine));
}
void DeviceOps::fft(const FftArgs&, StreamRef) { throw_not_supported("a Fourier transform"); }
void DeviceOps::write_words(const WordsArgs&, StreamRef) { throw_not_supported("graph capture"); }

void DeviceOps::flat_binary(const FlatBinaryArgs& args, StreamRef stream) {
  const auto operand = [](void* data, DType dtype) {
    return Operand{data, dtype, Strides::filled(1, 1)};
  };
  binary({.op = args.op,
          .shape = Shape::filled(1, args.count),
          .out = operand(args.out, args.out_dtype),
          .left = operand(args.left, args.dtype),
          .right = operand(args.right, args.dtype),
          .scalar = {}},
         stream);
}

void DeviceOps::matmul(const MatmulArgs& args, StreamRef stream) {
  if (args.bias != nullptr) return composed_layer(*this, args, stream);
  if (args.row_sums != nullptr) return composed_row_sums(*this, args, stream);
  throw_not_supported("matmul");
}

}  // namespace gpukit
