// One product as cuBLAS describes it: which combinations exist, whether its operands do, and how it
// is computed.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/half.h"
#include "sim/cuda_abi.h"
#include "sim/gemm.h"

namespace gpukit::sim::blas {

enum Status : int {
  kSuccess = 0,
  kNotInitialized = 1,
  kInvalidValue = 7,
  kMappingError = 11,
  kExecutionFailed = 13,
  kNotSupported = 15,
};

enum DataType : int {
  kFloat32 = 0,
  kFloat64 = 1,
  kFloat16 = 2,
  kInt8 = 3,
  kInt32 = 10,
  kBFloat16 = 14
};

enum Compute : int {
  k32F = 68,
  k32FPedantic = 69,
  k64F = 70,
  k64FPedantic = 71,
  k32I = 72,
  k32IPedantic = 73,
  k32FFast16F = 74,
  k32FFast16BF = 75,
  k32FFastTF32 = 77,
};

enum Operation : int { kNone = 0, kTranspose = 1, kConjugate = 2 };
enum PointerMode : int { kHostPointers = 0, kDevicePointers = 1 };

// What this library needs of the simulated driver, which the process has loaded already.
struct DriverExports {
  int (*enqueue)(CUstream, int (*)(void*), void (*)(void*), void*, double, double, double,
                 const CUdeviceptr*, int) = nullptr;
  int (*range_ok)(CUdeviceptr, std::size_t) = nullptr;
  CUresult (*current_context)(CUcontext*) = nullptr;
  CUresult (*synchronize)() = nullptr;
  bool complete() const { return enqueue && range_ok && current_context && synchronize; }
};

template <class Function>
void resolve(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

inline DriverExports find_driver() {
  DriverExports exports;
  Dl_info self = {};
  if (dladdr(reinterpret_cast<void*>(&find_driver), &self) == 0) return exports;
  const std::string path = self.dli_fname;
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  void* library = dlopen((folder + "libgpukit_simcuda.so").c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return exports;
  resolve(library, "gpukitSimEnqueue", exports.enqueue);
  resolve(library, "gpukitSimRangeOk", exports.range_ok);
  resolve(library, "cuCtxGetCurrent", exports.current_context);
  resolve(library, "cuCtxSynchronize", exports.synchronize);
  return exports;
}

inline const DriverExports& driver() {
  static const DriverExports exports = find_driver();
  return exports;
}

inline std::size_t bytes_of(int type) {
  switch (type) {
    case kFloat64:
      return 8;
    case kFloat32:
    case kInt32:
      return 4;
    case kFloat16:
    case kBFloat16:
      return 2;
    case kInt8:
      return 1;
    default:
      return 0;
  }
}

// The combinations of GemmEx that exist: alpha and beta have the type of the computation.
inline bool is_supported(int compute, int input, int output) {
  switch (compute) {
    case k32F:
    case k32FPedantic:
    case k32FFastTF32:
    case k32FFast16F:
    case k32FFast16BF:
      if (output == kFloat32)
        return input == kFloat32 || input == kFloat16 || input == kBFloat16 || input == kInt8;
      return output == input && (input == kFloat16 || input == kBFloat16);
    case k64F:
    case k64FPedantic:
      return input == kFloat64 && output == kFloat64;
    case k32I:
    case k32IPedantic:
      return input == kInt8 && output == kInt32;
    default:
      return false;
  }
}

/// One matrix or a batch of them: by stride, or by an array of pointers in device memory.
struct Matrix {
  const void* data;
  int leading;
  long long stride;
  const void* const* pointers;

  const void* of_batch(int index, int type) const {
    if (pointers != nullptr) return pointers[index];
    return static_cast<const char*>(data) +
           static_cast<std::ptrdiff_t>(bytes_of(type)) * stride * index;
  }
};

struct Gemm {
  GemmShape shape;
  int operation_a, operation_b;
  Matrix a, b, c;
  int input, output, compute;
  int batch;
  // By value in host pointer mode: the caller's variables may be gone when the stream gets there.
  double alpha, beta;
  const void* device_alpha;
  const void* device_beta;
};

/// What the virtual clock charges for.
struct Work {
  double bytes, flops, item_bytes;
};

inline Work work_of(const Gemm& gemm) {
  const double m = gemm.shape.m, n = gemm.shape.n, k = gemm.shape.k, batch = gemm.batch;
  const auto input = static_cast<double>(bytes_of(gemm.input));
  const auto output = static_cast<double>(bytes_of(gemm.output));
  return {batch * ((m * k + k * n) * input + m * n * output), 2 * batch * m * n * k, input};
}

inline double read_scalar(const void* from, int compute) {
  if (compute == k64F || compute == k64FPedantic) return *static_cast<const double*>(from);
  if (compute == k32I || compute == k32IPedantic) return *static_cast<const std::int32_t*>(from);
  return *static_cast<const float*>(from);
}

template <class T, class Out>
void store_product(const std::vector<T>& product, const GemmShape& shape, T alpha, T beta, Out* c,
                   int leading) {
  for (int j = 0; j < shape.n; j++) {
    const T* from =
        product.data() + static_cast<std::size_t>(j) * static_cast<std::size_t>(shape.m);
    Out* to = c + static_cast<std::ptrdiff_t>(j) * leading;
    // With beta == 0 the output is not read: a NaN in it must not survive.
    for (int i = 0; i < shape.m; i++) {
      to[i] = static_cast<Out>(beta == T(0) ? alpha * from[i]
                                            : alpha * from[i] + beta * static_cast<T>(to[i]));
    }
  }
}

template <class T, class In, class Out>
void run_one(const Gemm& gemm, int index) {
  const auto operand = [](const void* data, int operation, int leading) {
    return operation == kNone ? GemmOperand{data, 1, leading} : GemmOperand{data, leading, 1};
  };
  const GemmOperand a =
      operand(gemm.a.of_batch(index, gemm.input), gemm.operation_a, gemm.a.leading);
  const GemmOperand b =
      operand(gemm.b.of_batch(index, gemm.input), gemm.operation_b, gemm.b.leading);
  Out* c = static_cast<Out*>(const_cast<void*>(gemm.c.of_batch(index, gemm.output)));
  const std::vector<T> product = gemm_product<T, In>(gemm.shape, a, b);
  store_product<T, Out>(product, gemm.shape, static_cast<T>(gemm.alpha), static_cast<T>(gemm.beta),
                        c, gemm.c.leading);
}

using RunOne = void (*)(const Gemm&, int);

inline RunOne function_for(int input, int output) {
  if (input == kFloat32) return &run_one<float, float, float>;
  if (input == kFloat64) return &run_one<double, double, double>;
  if (input == kFloat16) {
    return output == kFloat16 ? &run_one<float, gpukit::Half, gpukit::Half>
                              : &run_one<float, gpukit::Half, float>;
  }
  if (input == kBFloat16) {
    return output == kBFloat16 ? &run_one<float, gpukit::BFloat16, gpukit::BFloat16>
                               : &run_one<float, gpukit::BFloat16, float>;
  }
  return output == kInt32 ? &run_one<std::int32_t, std::int8_t, std::int32_t>
                          : &run_one<float, std::int8_t, float>;
}

inline bool is_device_range(const void* first, std::size_t bytes) {
  return bytes == 0 || driver().range_ok(reinterpret_cast<CUdeviceptr>(first), bytes) != 0;
}

// Bytes from the first element of a stored matrix to the end of its last.
inline std::size_t extent(int rows, int columns, int leading, int type) {
  if (rows == 0 || columns == 0) return 0;
  return (static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(leading) +
          static_cast<std::size_t>(rows)) *
         bytes_of(type);
}

struct Stored {
  int rows, columns;
};

inline Stored stored_a(const Gemm& gemm) {
  return gemm.operation_a == kNone ? Stored{gemm.shape.m, gemm.shape.k}
                                   : Stored{gemm.shape.k, gemm.shape.m};
}

inline Stored stored_b(const Gemm& gemm) {
  return gemm.operation_b == kNone ? Stored{gemm.shape.k, gemm.shape.n}
                                   : Stored{gemm.shape.n, gemm.shape.k};
}

inline bool matrices_exist(const Gemm& gemm, int index) {
  const Stored a = stored_a(gemm), b = stored_b(gemm);
  return is_device_range(gemm.a.of_batch(index, gemm.input),
                         extent(a.rows, a.columns, gemm.a.leading, gemm.input)) &&
         is_device_range(gemm.b.of_batch(index, gemm.input),
                         extent(b.rows, b.columns, gemm.b.leading, gemm.input)) &&
         is_device_range(gemm.c.of_batch(index, gemm.output),
                         extent(gemm.shape.m, gemm.shape.n, gemm.c.leading, gemm.output));
}

inline int run_gemm(void* argument) {
  auto* const gemm = static_cast<Gemm*>(argument);
  if (gemm->device_alpha != nullptr) {
    gemm->alpha = read_scalar(gemm->device_alpha, gemm->compute);
    gemm->beta = read_scalar(gemm->device_beta, gemm->compute);
  }
  const RunOne run = function_for(gemm->input, gemm->output);
  for (int index = 0; index < gemm->batch; index++) {
    if (!matrices_exist(*gemm, index)) return CUDA_ERROR_ILLEGAL_ADDRESS;
    run(*gemm, index);
  }
  return CUDA_SUCCESS;
}

inline void drop_gemm(void* argument) { delete static_cast<Gemm*>(argument); }

inline bool is_operation(int operation) { return operation >= kNone && operation <= kConjugate; }

inline int check(const Gemm& gemm) {
  const auto [m, n, k] = gemm.shape;
  if (m < 0 || n < 0 || k < 0 || gemm.batch < 0) return kInvalidValue;
  if (!is_operation(gemm.operation_a) || !is_operation(gemm.operation_b)) return kInvalidValue;
  if (!is_supported(gemm.compute, gemm.input, gemm.output)) return kNotSupported;
  if (gemm.a.leading < std::max(1, stored_a(gemm).rows) ||
      gemm.b.leading < std::max(1, stored_b(gemm).rows) || gemm.c.leading < std::max(1, m)) {
    return kInvalidValue;
  }
  const bool bytes = gemm.input == kInt8 && gemm.output == kInt32;
  if (bytes && (gemm.a.leading % 4 != 0 || gemm.b.leading % 4 != 0)) return kNotSupported;
  if (gemm.a.pointers != nullptr) return kSuccess;
  // The guide forbids a stride of zero; a card may accept it for the inputs, but callers must not
  // rely on that.
  if (gemm.batch > 1 && (gemm.a.stride == 0 || gemm.b.stride == 0 || gemm.c.stride == 0))
    return kInvalidValue;
  for (const int index : {0, gemm.batch - 1}) {
    if (gemm.batch > 0 && !matrices_exist(gemm, index)) return kInvalidValue;
  }
  return kSuccess;
}

}  // namespace gpukit::sim::blas
