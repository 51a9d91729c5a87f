// Whether a call should drop the GIL. Dropping it costs up to a 5 ms switch interval beside a busy
// thread, so work of under about 50 us on the CPU, and a launch that cannot wait, keep it.
#pragma once

#include <cstdint>

#include "bindings/gil.h"
#include "kernels/op_codes.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

inline constexpr double kShortWorkNs = 50'000;

/// Nanoseconds one element costs on one core, about.
namespace cost {
inline constexpr double kCopy = 0.4;
inline constexpr double kArithmetic = 0.4;
inline constexpr double kFunction = 3.0;
inline constexpr double kReduce = 0.4;
inline constexpr double kRandom = 3.0;
inline constexpr double kSort = 80.0;
inline constexpr double kGather = 2.0;
inline constexpr double kMultiplyAdd = 0.05;

template <class Op>
constexpr double of(Op op) {
  return cost_of(op) == Cost::kLight ? kArithmetic : kFunction;
}
}  // namespace cost

/// A launch on a CUDA device may wait: for memory from the driver, for a first image, or behind a
/// long queue. `site` tells operations apart.
bool launch_may_wait(OpenDevice& device, std::size_t result_bytes, std::uintptr_t site);

/// Work of `elements` on a tensor's device.
inline bool is_long(const Tensor& tensor, std::int64_t elements, double ns_each,
                    std::uintptr_t site) {
  OpenDevice& device = tensor.open_device();
  if (device.shares_memory_with_host()) [[likely]]
    return static_cast<double>(elements) * ns_each > kShortWorkNs;
  return launch_may_wait(device, static_cast<std::size_t>(elements) * itemsize(tensor.dtype()),
                         site * 16 + static_cast<std::uintptr_t>(tensor.dtype()));
}

/// Work that makes something new on a device named by the caller.
inline bool is_long_on(Device device, std::int64_t elements, double ns_each) {
  return device.is_accelerator() || static_cast<double>(elements) * ns_each > kShortWorkNs;
}

/// Elements of the broadcast result of two shapes, without checking that they fit.
inline std::int64_t broadcast_count(const Tensor& a, const Tensor& b) {
  if (b.count() == 1 || a.shape() == b.shape()) return a.count();
  if (a.count() == 1) return b.count();
  double count = 1;  // not int64: sizes that do not fit together may overflow
  const int rank = a.rank() > b.rank() ? a.rank() : b.rank();
  for (int i = 1; i <= rank; ++i) {
    const std::int64_t left = i <= a.rank() ? a.size(a.rank() - i) : 1;
    const std::int64_t right = i <= b.rank() ? b.size(b.rank() - i) : 1;
    count *= static_cast<double>(left > right ? left : right);
  }
  return count < 1e18 ? static_cast<std::int64_t>(count) : std::int64_t{1} << 60;
}

/// A number for an operation's code in one family, different from those of other families.
template <class Code>
constexpr std::uintptr_t site_of(int family, Code code) {
  return static_cast<std::uintptr_t>(family) * 256 + static_cast<std::uintptr_t>(code);
}

enum Family : int {
  kUnaryFamily = 1,
  kBinaryFamily,
  kScalarFamily,
  kReduceFamily,
  kCopyFamily,
  kFillFamily,
  kMatmulFamily,
  kOtherFamily
};

}  // namespace gpukit::bindings
