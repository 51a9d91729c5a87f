#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/error.h"
#include "core/layout.h"
#include "cpu/cpu_features.h"
#include "cpu/cpu_ops.h"
#include "cpu/strided_loop.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_elementwise {
namespace {

constexpr std::int64_t kHalfChunk = 512;       ///< half elements that are widened at a time
constexpr std::int64_t kCheapGrain = 1 << 16;  ///< elements worth a thread: about 20 us each
constexpr std::int64_t kDearGrain = 1 << 13;
constexpr std::int64_t kTinyCount =
    1 << 12;  ///< up to here nothing but the loop itself is worth its time

std::int64_t grain_of(UnaryOp op, DType dtype) {
  if (cost_of(op) == Cost::kLight) return kCheapGrain;
  return dtype == DType::kFloat64 ? kDearGrain / 4 : kDearGrain * 2;
}
std::int64_t grain_of(BinaryOp op) {
  return cost_of(op) == Cost::kLight ? kCheapGrain : kDearGrain / 4;
}

// A scalar operand as one element in memory.
struct ScalarElement {
  alignas(kWidestReal) unsigned char bytes[kWidestReal];
  ScalarElement(const Scalar& scalar, DType dtype) {
    visit_real_dtype(dtype, [&]<class T>() {
      const T value = scalar.as<T>();
      std::memcpy(bytes, &value, sizeof value);
    });
  }
};

bool is_streaming(const StridedLoop& loop) {
  if (element_count(loop.shape) * loop.itemsize[0] < streaming_threshold_bytes()) return false;
  return is_contiguous(loop.shape, loop.strides[0]);
}

// Half operands of one chunk widened to float, for any number of inputs.
struct Widened {
  alignas(64) float values[kMaxLoopOperands][kHalfChunk];
};

// The operand of a loop over half operands that is a number: float32, as they are widened to.
struct WideNumber {
  int operand = -1;
  float value = 0;
};

// Runs `compute(pointers, steps, count)` on float chunks of half operands; out is narrowed unless
// it is bool. `number` is a float already.
template <class Compute>
void run_half(StridedLoop& loop, const SimdTable& table, DType dtype, bool narrow_out,
              const Compute& compute, WideNumber number = {}) {
  const ConvertKernel widen = table.convert[index_of(dtype)][index_of(DType::kFloat32)];
  const ConvertKernel narrow = table.convert[index_of(DType::kFloat32)][index_of(dtype)];
  auto body = [&, inputs = loop.operand_count, out_size = loop.itemsize[0],
               item = static_cast<std::int64_t>(itemsize(dtype))](
                  char* const* pointers, const std::int64_t* steps, std::int64_t count) {
    Widened wide;
    char* chunk[kMaxLoopOperands] = {};
    std::int64_t chunk_steps[kMaxLoopOperands] = {};
    std::copy_n(steps, inputs, chunk_steps);
    if (number.operand > 0) {
      chunk[number.operand] = reinterpret_cast<char*>(&number.value);
      chunk_steps[number.operand] = 0;  // the loop may have repeated the value at its position
    }
    for (std::int64_t i = 0; i < count; i += kHalfChunk) {
      const std::int64_t size = std::min(kHalfChunk, count - i);
      for (int k = 1; k < inputs; ++k) {
        if (k == number.operand) continue;
        chunk[k] = reinterpret_cast<char*>(wide.values[k]);
        if (steps[k] != 0 || i == 0)
          widen(wide.values[k], pointers[k] + i * steps[k] * item, steps[k] != 0 ? size : 1);
      }
      char* out = pointers[0] + i * out_size;
      chunk[0] = narrow_out ? reinterpret_cast<char*>(wide.values[0]) : out;
      compute(chunk, chunk_steps, size);
      if (narrow_out) narrow(out, wide.values[0], size);
    }
  };
  run(loop, body);
}

// Copies the first element over the others.
void repeat_first(char* out, int size, std::int64_t count) {
  std::int64_t done = 1;
  while (done < count) {
    const std::int64_t more = std::min(done, count - done);
    std::memcpy(out + done * size, out, static_cast<std::size_t>(more * size));
    done += more;
  }
}

// Short contiguous operands, aligned to their elements: the loop itself is all the work there is.
bool is_tiny(const Shape& shape) {
  return shape.size() == 0 || (shape.size() == 1 && shape[0] <= kTinyCount);
}
std::int64_t tiny_count(const Shape& shape) { return shape.size() == 0 ? 1 : shape[0]; }
std::int64_t tiny_step(const Operand& operand) {
  return operand.strides.size() == 0 ? 1 : operand.strides[0];
}
bool is_aligned(const Operand& operand) {
  return (reinterpret_cast<std::uintptr_t>(operand.data) & (itemsize(operand.dtype) - 1)) == 0;
}

bool is_aligned(const FlatBinaryArgs& args) {
  const auto bits = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address); };
  return ((bits(args.left) | bits(args.right)) & (itemsize(args.dtype) - 1)) == 0 &&
         (bits(args.out) & (itemsize(args.out_dtype) - 1)) == 0;
}

WideNumber wide_number(const BinaryArgs& args, DType dtype) {
  if (args.scalar_side == ScalarSide::kNone) return {};
  const float value = visit_real_dtype(number_dtype(args.op, dtype), [&]<class T>() {
    return static_cast<float>(args.scalar.as<T>());
  });
  return {args.scalar_side == ScalarSide::kLeft ? 1 : 2, value};
}

[[noreturn]] void refuse(const char* what, int code, DType dtype) {
  throw DTypeError(concat("the CPU has no loop for ", what, " operation ", code, " on ",
                          name(dtype), "; convert the tensor to a floating dtype first"));
}

}  // namespace
}  // namespace cpu_elementwise

CpuOps::CpuOps() : table_(simd_table()) {}

void CpuOps::unary(const UnaryArgs& args, StreamRef) {
  const int op = static_cast<int>(args.op);
  const DType dtype = args.in.dtype;
  const UnaryKernel own = table_.unary[op][index_of(dtype)];
  if (cpu_elementwise::is_tiny(args.shape) && own != nullptr &&
      cpu_elementwise::tiny_step(args.in) == 1 && cpu_elementwise::tiny_step(args.out) == 1 &&
      cpu_elementwise::is_aligned(args.in) && cpu_elementwise::is_aligned(args.out)) {
    return own(args.out.data, args.in.data, cpu_elementwise::tiny_count(args.shape));
  }
  const UnaryKernel kernel =
      own != nullptr ? own : table_.unary[op][index_of(working_dtype(dtype))];
  if (kernel == nullptr) cpu_elementwise::refuse("unary", op, dtype);
  StridedLoop loop;
  loop.shape = args.shape;
  loop.grain = cpu_elementwise::grain_of(args.op, dtype);
  loop.add_operand(args.out.data, args.out.strides, static_cast<int>(itemsize(args.out.dtype)));
  loop.add_operand(args.in.data, args.in.strides, static_cast<int>(itemsize(dtype)));
  const UnaryKernel streaming = table_.unary_streaming[op][index_of(dtype)];
  const bool stream =
      streaming != nullptr && args.out.data != args.in.data && cpu_elementwise::is_streaming(loop);
  const int size = static_cast<int>(gives_bool(args.op) ? 1 : itemsize(working_dtype(dtype)));
  auto body = [chosen = stream ? streaming : kernel, size](
                  char* const* p, const std::int64_t* steps, std::int64_t count) {
    if (steps[1] != 0) return chosen(p[0], p[1], count);
    chosen(p[0], p[1], 1);
    cpu_elementwise::repeat_first(p[0], size, count);
  };
  if (is_half(dtype))
    return cpu_elementwise::run_half(loop, table_, dtype, !gives_bool(args.op), body);
  run(loop, body);
}

// `a + b` of few elements goes no further than here, and takes no stack.
void CpuOps::flat_binary(const FlatBinaryArgs& args, StreamRef stream) {
  const BinaryKernel kernel = table_.binary[static_cast<int>(args.op)][index_of(args.dtype)];
  if (args.count <= cpu_elementwise::kTinyCount && kernel != nullptr &&
      cpu_elementwise::is_aligned(args)) [[likely]]
    return kernel(args.out, args.left, 1, args.right, 1, args.count);
  DeviceOps::flat_binary(args, stream);
}

void CpuOps::binary(const BinaryArgs& args, StreamRef) {
  if (cpu_elementwise::is_tiny(args.shape) && args.scalar_side == ScalarSide::kNone) [[likely]] {
    const BinaryKernel kernel = table_.binary[static_cast<int>(args.op)][index_of(args.left.dtype)];
    const std::int64_t left = cpu_elementwise::tiny_step(args.left),
                       right = cpu_elementwise::tiny_step(args.right);
    const bool flat =
        cpu_elementwise::tiny_step(args.out) == 1 && (left | 1) == 1 && (right | 1) == 1;
    if (flat && kernel != nullptr && cpu_elementwise::is_aligned(args.out) &&
        cpu_elementwise::is_aligned(args.left) && cpu_elementwise::is_aligned(args.right)) {
      return kernel(args.out.data, args.left.data, left, args.right.data, right,
                    cpu_elementwise::tiny_count(args.shape));
    }
  }
  general_binary(args);
}

void CpuOps::general_binary(const BinaryArgs& args) {
  if (cpu_elementwise::is_tiny(args.shape) && args.scalar_side == ScalarSide::kRight &&
      !is_half(args.left.dtype)) {
    const BinaryKernel kernel = table_.binary[static_cast<int>(args.op)][index_of(args.left.dtype)];
    const bool flat =
        cpu_elementwise::tiny_step(args.out) == 1 && cpu_elementwise::tiny_step(args.left) == 1;
    if (flat && kernel != nullptr && cpu_elementwise::is_aligned(args.out) &&
        cpu_elementwise::is_aligned(args.left)) {
      const cpu_elementwise::ScalarElement scalar(args.scalar, args.left.dtype);
      return kernel(args.out.data, args.left.data, 1, scalar.bytes, 0,
                    cpu_elementwise::tiny_count(args.shape));
    }
  }
  strided_binary(args);
}

void CpuOps::strided_binary(const BinaryArgs& args) {
  const bool scalar_left = args.scalar_side == ScalarSide::kLeft;
  const bool scalar_right = args.scalar_side == ScalarSide::kRight;
  const DType dtype = scalar_left ? args.right.dtype : args.left.dtype;
  const int op = static_cast<int>(args.op), item = static_cast<int>(itemsize(dtype));
  const BinaryKernel own = table_.binary[op][index_of(dtype)];
  const BinaryKernel kernel =
      own != nullptr ? own : table_.binary[op][index_of(working_dtype(dtype))];
  if (kernel == nullptr) cpu_elementwise::refuse("binary", op, dtype);
  cpu_elementwise::ScalarElement scalar(args.scalar, dtype);
  const Strides no_strides = Strides::filled(args.shape.size(), 0);
  StridedLoop loop;
  loop.shape = args.shape;
  loop.grain = cpu_elementwise::grain_of(args.op);
  loop.add_operand(args.out.data, args.out.strides, static_cast<int>(itemsize(args.out.dtype)));
  loop.add_operand(scalar_left ? scalar.bytes : args.left.data,
                   scalar_left ? no_strides : args.left.strides, item);
  loop.add_operand(scalar_right ? scalar.bytes : args.right.data,
                   scalar_right ? no_strides : args.right.strides, item);
  const bool in_place = loop.data[0] == loop.data[1] || loop.data[0] == loop.data[2];
  const BinaryKernel streaming = table_.binary_streaming[op][index_of(dtype)];
  const bool stream = streaming != nullptr && !in_place && cpu_elementwise::is_streaming(loop);
  auto body = [chosen = stream ? streaming : kernel](char* const* p, const std::int64_t* steps,
                                                     std::int64_t count) {
    chosen(p[0], p[1], steps[1], p[2], steps[2], count);
  };
  if (own == nullptr)
    return cpu_elementwise::run_half(loop, table_, dtype, !gives_bool(args.op), body,
                                     cpu_elementwise::wide_number(args, dtype));
  run(loop, body);
}

void CpuOps::where(const WhereArgs& args, StreamRef) {
  const int item = static_cast<int>(itemsize(args.out.dtype));
  StridedLoop loop;
  loop.shape = args.shape;
  loop.grain = cpu_elementwise::kCheapGrain;
  loop.add_operand(args.out.data, args.out.strides, item);
  loop.add_operand(args.condition.data, args.condition.strides, 1);
  loop.add_operand(args.left.data, args.left.strides, item);
  loop.add_operand(args.right.data, args.right.strides, item);
  auto body = [select = table_.select[item]](char* const* p, const std::int64_t* steps,
                                             std::int64_t count) {
    select(p[0], reinterpret_cast<const std::uint8_t*>(p[1]), steps[1], p[2], steps[2], p[3],
           steps[3], count);
  };
  run(loop, body);
}

// min and max let NaN through on either side, so a NaN in the input stays; the bounds come as
// scalars.
void CpuOps::clamp(const ClampArgs& args, StreamRef stream) {
  if (!args.has_low && !args.has_high) return copy({args.shape, args.out, args.in}, stream);
  const DType dtype = args.in.dtype, working = working_dtype(dtype);
  const BinaryKernel maximum =
      table_.binary[static_cast<int>(BinaryOp::kMaximum)][index_of(working)];
  const BinaryKernel minimum =
      table_.binary[static_cast<int>(BinaryOp::kMinimum)][index_of(working)];
  const cpu_elementwise::ScalarElement low(args.low, working), high(args.high, working);
  const auto compute = [&](char* const* p, const std::int64_t* steps, std::int64_t count) {
    const char* in = p[1];
    std::int64_t step = steps[1];
    if (args.has_low) {
      maximum(p[0], in, step, low.bytes, 0, count);
      in = p[0];
      step = 1;
    }
    if (args.has_high) minimum(p[0], in, step, high.bytes, 0, count);
  };
  StridedLoop loop;
  loop.shape = args.shape;
  loop.grain = cpu_elementwise::kCheapGrain;
  loop.add_operand(args.out.data, args.out.strides, static_cast<int>(itemsize(dtype)));
  loop.add_operand(args.in.data, args.in.strides, static_cast<int>(itemsize(dtype)));
  if (is_half(dtype)) return cpu_elementwise::run_half(loop, table_, dtype, true, compute);
  run(loop, compute);
}

}  // namespace gpukit::cpu
