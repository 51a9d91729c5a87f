// Functions of complex numbers: products in the type of their parts, all others in double.
#include "kernels/complex_math.h"
#include "kernels/storage.h"

namespace gpukit {

inline constexpr int kComplexThreads = 256;

GK_FN gk_i64 complex_element() {
  return static_cast<gk_i64>(blockIdx.x) * kComplexThreads + threadIdx.x;
}

template <class T>
GK_FN Complex<T> complex_at(const void* data, gk_i64 index) {
  return static_cast<const Complex<T>*>(data)[index];
}

template <class T>
GK_FN void complex_product_kernel(const ComplexKernelArgs& args) {
  const gk_i64 i = complex_element();
  if (i >= args.count) return;
  const Complex<T> a = complex_at<T>(args.left, i * args.left_step);
  const Complex<T> b = complex_at<T>(args.right, i * args.right_step);
  static_cast<Complex<T>*>(args.out)[i] = static_cast<ComplexOp>(args.op) == ComplexOp::kMul
                                              ? complex_product(a, b)
                                              : complex_quotient(a, b);
}

GK_FN Complex128 complex_operand(const ComplexKernelArgs& args, const void* data, gk_i64 index) {
  if (data == nullptr) return {0.0, 0.0};
  if (args.wide != 0) return complex_at<double>(data, index);
  const Complex<float> value = complex_at<float>(data, index);
  return {value.re, value.im};
}

#define GK_COMPLEX_PRODUCT(suffix, T)                                                            \
  GK_KERNEL_BOUNDS(gk_complex_product_##suffix, kComplexThreads, const ComplexKernelArgs args) { \
    complex_product_kernel<decltype(T::re)>(args);                                               \
  }
GK_FOR_COMPLEX(GK_COMPLEX_PRODUCT)

GK_KERNEL_BOUNDS(gk_complex_function, kComplexThreads, const ComplexKernelArgs args) {
  const gk_i64 i = complex_element();
  if (i >= args.count) return;
  const Complex128 a = complex_operand(args, args.left, i * args.left_step);
  const Complex128 b = complex_operand(args, args.right, i * args.right_step);
  const Complex128 value = complex_value(static_cast<ComplexOp>(args.op), a, b);
  if (args.wide != 0) {
    static_cast<Complex128*>(args.out)[i] = value;
  } else {
    static_cast<Complex<float>*>(args.out)[i] = {static_cast<float>(value.re),
                                                 static_cast<float>(value.im)};
  }
}

}  // namespace gpukit
