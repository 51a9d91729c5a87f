// Shapes and strides: small inline lists of int64, and broadcasting.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace gpukit {

inline constexpr int kMaxRank = 8;

/// Up to kMaxRank int64 values, inline. Copying copies the used part only.
class Dims {
 public:
  Dims() noexcept : values_{}, size_(0) {}
  Dims(std::initializer_list<std::int64_t> values)
      : Dims(std::span(values.begin(), values.size())) {}
  /// Throws ShapeError when there are more than kMaxRank values.
  explicit Dims(std::span<const std::int64_t> values);
  static Dims filled(int size, std::int64_t value) noexcept {
    Dims dims = unset(size);
    for (int i = 0; i < size; ++i) dims.values_[i] = value;
    return dims;
  }
  /// For a caller that sets all `size` values: the others cost nothing.
  static Dims unset(int size) noexcept { return Dims(Unset{}, size); }

  Dims(const Dims& other) noexcept : values_{}, size_(other.size_) { copy_values(other); }
  Dims& operator=(const Dims& other) noexcept {
    size_ = other.size_;
    copy_values(other);
    return *this;
  }

  int size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::int64_t& operator[](int i) noexcept { return values_[i]; }
  std::int64_t operator[](int i) const noexcept { return values_[i]; }
  std::int64_t* begin() noexcept { return values_; }
  std::int64_t* end() noexcept { return values_ + size_; }
  const std::int64_t* begin() const noexcept { return values_; }
  const std::int64_t* end() const noexcept { return values_ + size_; }
  std::int64_t back() const noexcept { return values_[size_ - 1]; }

  /// Throws ShapeError when full.
  void push_back(std::int64_t value) {
    if (size_ == kMaxRank) [[unlikely]]
      throw_full();
    values_[size_++] = value;
  }
  void insert(int position, std::int64_t value);
  void erase(int position) noexcept;
  void resize(int size) noexcept { size_ = size; }

  friend bool operator==(const Dims& a, const Dims& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (int i = 0; i < a.size_; ++i) {
      if (a.values_[i] != b.values_[i]) return false;
    }
    return true;
  }

 private:
  struct Unset {};
  Dims(Unset, int size) noexcept : size_(size) {}

  static void throw_full();

  // Single moves: a loop becomes a call of memmove, and wide loads would wait for narrow stores
  // just made.
  void copy_values(const Dims& other) noexcept {
    switch (size_) {
      case 8:
        values_[7] = other.values_[7];
        [[fallthrough]];
      case 7:
        values_[6] = other.values_[6];
        [[fallthrough]];
      case 6:
        values_[5] = other.values_[5];
        [[fallthrough]];
      case 5:
        values_[4] = other.values_[4];
        [[fallthrough]];
      case 4:
        values_[3] = other.values_[3];
        [[fallthrough]];
      case 3:
        values_[2] = other.values_[2];
        [[fallthrough]];
      case 2:
        values_[1] = other.values_[1];
        [[fallthrough]];
      case 1:
        values_[0] = other.values_[0];
        [[fallthrough]];
      default:
        break;
    }
  }
  static_assert(kMaxRank == 8, "copy_values lists every place");

  std::int64_t values_[kMaxRank];  ///< those from size_ on may be unset
  int size_;
};

using Shape = Dims;
using Strides = Dims;  ///< in elements, not bytes

/// Product of the sizes; 1 for a 0-d shape. The shape was checked when it was made, so this cannot
/// overflow.
inline std::int64_t element_count(const Shape& shape) noexcept {
  std::int64_t count = 1;
  for (std::int64_t size : shape) count *= size;
  return count;
}

/// Throws ValueError for a negative size, and for one "too big": count × itemsize overflows int64.
void check_shape(const Shape& shape, std::size_t itemsize, std::string_view op);

inline Strides contiguous_strides(const Shape& shape) noexcept {
  Strides strides = Strides::unset(shape.size());
  std::int64_t step = 1;
  for (int i = shape.size() - 1; i >= 0; --i) {
    strides[i] = step;
    if (shape[i] > 0) step *= shape[i];
  }
  return strides;
}

/// NumPy's broadcasting. Throws ShapeError that names the operation, both shapes and the sizes that
/// differ.
Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view op);

/// Strides of an operand of `shape` seen as `target` (0 where broadcast). `shape` must broadcast to
/// `target`.
Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target) noexcept;

/// Resolves a negative dimension; throws IndexError naming the valid range.
int normalize_dim(std::int64_t dim, int rank, std::string_view op);

/// "(2, 3)", "(2,)", "()".
std::string to_string(const Shape& shape);

}  // namespace gpukit
