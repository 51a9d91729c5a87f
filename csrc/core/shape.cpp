#include "core/shape.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "base/check.h"
#include "base/error.h"

namespace gpukit {

namespace shape {
namespace {

void check_rank(std::size_t rank) {
  GPUKIT_CHECK(rank <= static_cast<std::size_t>(kMaxRank), ShapeError, "a tensor has at most ",
               kMaxRank, " dimensions; ", rank, " were asked for");
}

[[noreturn]] void throw_not_broadcastable(const Shape& a, const Shape& b, int dim,
                                          std::string_view op) {
  const auto size_at = [dim](const Shape& shape) { return shape[shape.size() + dim]; };
  throw ShapeError(concat(op, ": X is ", to_string(a), ", Y is ", to_string(b), "; sizes ",
                          size_at(a), " and ", size_at(b), " differ in dimension ", dim,
                          " (they must be equal, or one of them 1)"));
}

}  // namespace
}  // namespace shape

Dims::Dims(std::span<const std::int64_t> values)
    : values_{}, size_(static_cast<int>(values.size())) {
  shape::check_rank(values.size());
  std::copy(values.begin(), values.end(), values_);
}

void Dims::throw_full() { shape::check_rank(static_cast<std::size_t>(kMaxRank) + 1); }

void Dims::insert(int position, std::int64_t value) {
  shape::check_rank(static_cast<std::size_t>(size_) + 1);
  std::copy_backward(values_ + position, values_ + size_, values_ + size_ + 1);
  values_[position] = value;
  ++size_;
}

void Dims::erase(int position) noexcept {
  std::copy(values_ + position + 1, values_ + size_, values_ + position);
  --size_;
}

void check_shape(const Shape& shape, std::size_t itemsize, std::string_view op) {
  // Sizes of 0 count as 1 here: the strides must be countable even where there are no elements.
  std::int64_t bytes = static_cast<std::int64_t>(itemsize);
  for (std::int64_t size : shape) {
    GPUKIT_CHECK(size >= 0, ValueError, op, ": size must be 0 or larger, got ", size, " in ",
                 to_string(shape));
    const bool overflow = __builtin_mul_overflow(bytes, std::max<std::int64_t>(size, 1), &bytes);
    GPUKIT_CHECK(!overflow, ValueError, op, ": ", to_string(shape), " of ", itemsize,
                 " bytes each is too big: its bytes do not fit 63 bits");
  }
}

Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view op) {
  if (a == b) return a;
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  for (int back = 1; back <= shorter.size(); ++back) {
    const std::int64_t left = longer[longer.size() - back];
    const std::int64_t right = shorter[shorter.size() - back];
    if (left != right && left != 1 && right != 1) shape::throw_not_broadcastable(a, b, -back, op);
    out[out.size() - back] = left == 1 ? right : left;
  }
  return out;
}

Strides broadcast_strides(const Shape& shape, const Strides& strides,
                          const Shape& target) noexcept {
  Strides out = Strides::filled(target.size(), 0);
  for (int back = 1; back <= shape.size(); ++back) {
    const int dim = shape.size() - back;
    if (shape[dim] != 1) out[target.size() - back] = strides[dim];
  }
  return out;
}

int normalize_dim(std::int64_t dim, int rank, std::string_view op) {
  const int range = std::max(rank, 1);  // a 0-d tensor takes 0 and -1, as in torch
  GPUKIT_CHECK(dim >= -range && dim < range, IndexError, op, ": dim ", dim,
               " is out of range; a tensor of ", rank, " dimensions has dim ", -range, " to ",
               range - 1);
  return static_cast<int>(dim < 0 ? dim + range : dim);
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (int i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  text += shape.size() == 1 ? ",)" : ")";
  return text;
}

}  // namespace gpukit
