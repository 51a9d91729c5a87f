// Whether a call releases the GIL. Taking it back costs up to a 5 ms switch interval beside a busy
// thread, so work of under about 50 us on the CPU, and a launch that cannot wait, keep it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>

#include "bindings/gil.h"
#include "bindings/row_cost.h"
#include "core/product_size.h"
#include "kernels/op_codes.h"
#include "tensor/tensor.h"

namespace gpukit::bindings {

inline constexpr double kShortWorkNs = 50'000;

/// Where a row has run in this session of a kind of devices. Its first launch on a device, with a
/// dtype, loads kernels. A copy has run nowhere.
class FirstUses {
 public:
  constexpr FirstUses() noexcept = default;
  constexpr FirstUses(const FirstUses&) noexcept {}
  FirstUses& operator=(const FirstUses&) = delete;

  /// True the first time; always true for a device of a high index.
  bool take(Device device, DType dtype) noexcept;

 private:
  static constexpr int kDevices = 16;
  using DTypes = std::uint16_t;
  static_assert(kDTypeCount <= std::numeric_limits<DTypes>::digits);

  std::atomic<unsigned> session_{0};
  std::array<std::atomic<DTypes>, kDevices> ran_{};
};

/// The rule of one row, from its cost and whether it may wait for a device.
class GilRule {
 public:
  constexpr explicit GilRule(RowCost cost, bool waits = false) noexcept
      : longest_kept_(elements_in_short_work(cost.ns)), waits_(waits) {}

  /// For work over `elements` on the tensor's device, which makes `made` new ones.
  [[gnu::always_inline]] bool releases(const Tensor& tensor, std::int64_t elements,
                                       std::int64_t made) const {
    OpenDevice& device = tensor.open_device();
    if (device.shares_memory_with_host()) [[likely]]
      return elements > longest_kept_;
    return waits_ || launch_may_wait(device, tensor.dtype(), made);
  }
  bool releases(const Tensor& tensor, std::int64_t elements) const {
    return releases(tensor, elements, elements);
  }
  bool releases(const Tensor& tensor) const { return releases(tensor, tensor.count()); }
  /// For a call that launches only, of a row that may wait otherwise.
  bool releases_for_launch(const Tensor& tensor, std::int64_t elements) const {
    OpenDevice& device = tensor.open_device();
    if (device.shares_memory_with_host()) return elements > longest_kept_;
    return launch_may_wait(device, tensor.dtype(), elements);
  }
  /// For new elements on a device that the call may have to open.
  bool releases_on(Device device, std::int64_t elements) const noexcept {
    return device.is_accelerator() || elements > longest_kept_;
  }

  /// The most elements for which a call on the CPU keeps the GIL.
  std::int64_t longest_kept() const noexcept { return longest_kept_; }

 private:
  static constexpr std::int64_t elements_in_short_work(double ns) noexcept {
    if (ns == 0) return std::numeric_limits<std::int64_t>::max();
    if (ns == cost::kAlways.ns) return -1;
    return static_cast<std::int64_t>(kShortWorkNs / ns);
  }
  /// It may wait for memory from the driver, for a kernel that is not loaded, or behind a full
  /// queue.
  bool launch_may_wait(OpenDevice& device, DType dtype, std::int64_t made) const;

  std::int64_t longest_kept_;
  bool waits_;
  mutable FirstUses first_uses_;
};

namespace detail {

template <class Op>
constexpr auto elementwise_rules() {
  return []<std::size_t... Code>(std::index_sequence<Code...>) {
    return std::array{GilRule(cost::of(static_cast<Op>(Code)))...};
  }(std::make_index_sequence<static_cast<std::size_t>(Op::kCount)>());
}
inline constinit auto unary_rules = elementwise_rules<UnaryOp>();
inline constinit auto binary_rules = elementwise_rules<BinaryOp>();

}  // namespace detail

/// Of all forms of an operator of elementwise.def.
inline const GilRule& gil_rule(UnaryOp op) noexcept {
  return detail::unary_rules[static_cast<std::size_t>(op)];
}
inline const GilRule& gil_rule(BinaryOp op) noexcept {
  return detail::binary_rules[static_cast<std::size_t>(op)];
}
/// Of all matrix products, which run the same kernels. Their elements are multiply-adds.
inline constinit GilRule product_rule{cost::kProduct};
inline bool releases_gil(const ProductSize& size, const Tensor& operand) {
  return product_rule.releases(operand, saturated(size.multiply_adds()), saturated(size.results()));
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
  return saturated(count);
}

/// For an operator of two tensors, of which one may be a CPU number.
[[gnu::always_inline]] inline bool releases_gil(BinaryOp op, const Tensor& left,
                                                const Tensor& right) {
  return gil_rule(op).releases(left.rank() == 0 ? right : left, broadcast_count(left, right));
}

}  // namespace gpukit::bindings
