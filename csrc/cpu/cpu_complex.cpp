// Functions of complex numbers.
#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"
#include "kernels/complex_math.h"

namespace gpukit::cpu {
namespace cpu_complex {
namespace {

constexpr std::int64_t kProductGrain = 1 << 14;  ///< elements worth a thread
constexpr std::int64_t kFunctionGrain = 1 << 10;

template <class T>
void multiply_range(const ComplexArgs& args, std::int64_t begin, std::int64_t end) {
  const auto* left = static_cast<const Complex<T>*>(args.left);
  const auto* right = static_cast<const Complex<T>*>(args.right);
  auto* out = static_cast<Complex<T>*>(args.out);
  for (std::int64_t i = begin; i < end; ++i)
    out[i] = complex_product(left[i * args.left_step], right[i * args.right_step]);
}

template <class T>
void divide_range(const ComplexArgs& args, std::int64_t begin, std::int64_t end) {
  const auto* left = static_cast<const Complex<T>*>(args.left);
  const auto* right = static_cast<const Complex<T>*>(args.right);
  auto* out = static_cast<Complex<T>*>(args.out);
  for (std::int64_t i = begin; i < end; ++i)
    out[i] = complex_quotient(left[i * args.left_step], right[i * args.right_step]);
}

template <class T>
Complex128 widened(const void* data, std::int64_t index) {
  if (data == nullptr) return {0.0, 0.0};
  const Complex<T> value = static_cast<const Complex<T>*>(data)[index];
  return {static_cast<double>(value.re), static_cast<double>(value.im)};
}

template <class T>
void function_range(const ComplexArgs& args, std::int64_t begin, std::int64_t end) {
  auto* out = static_cast<Complex<T>*>(args.out);
  for (std::int64_t i = begin; i < end; ++i) {
    const Complex128 value = complex_value(args.op, widened<T>(args.left, i * args.left_step),
                                           widened<T>(args.right, i * args.right_step));
    out[i] = {static_cast<T>(value.re), static_cast<T>(value.im)};
  }
}

template <class T>
void run_range(const ComplexArgs& args, std::int64_t begin, std::int64_t end) {
  if (args.op == ComplexOp::kMul) return multiply_range<T>(args, begin, end);
  if (args.op == ComplexOp::kDiv) return divide_range<T>(args, begin, end);
  function_range<T>(args, begin, end);
}

}  // namespace
}  // namespace cpu_complex

void CpuOps::complex_function(const ComplexArgs& args, StreamRef) {
  const std::int64_t grain =
      is_product(args.op) ? cpu_complex::kProductGrain : cpu_complex::kFunctionGrain;
  parallel_for(args.count, grain, [&](std::int64_t begin, std::int64_t end) {
    if (args.dtype == DType::kComplex128) return cpu_complex::run_range<double>(args, begin, end);
    cpu_complex::run_range<float>(args, begin, end);
  });
}

}  // namespace gpukit::cpu
