// Which numbers a dtype can hold: checked before a number is written into a tensor.
#pragma once

#include <string>

#include "core/scalar.h"

namespace gpukit {

/// torch's rule: true when `number` can be written as `dtype` without overflow. Fractions may be
/// cut off and floating numbers rounded; a negative integer wraps around once in an unsigned dtype;
/// bool takes all.
bool fits(Scalar number, DType dtype) noexcept;

/// Bits of precision, the exponent of the smallest subnormal number and the largest number; zeros
/// for a dtype that is not floating.
struct FloatFormat {
  int precision, smallest_exponent;
  double largest;
};
FloatFormat float_format(DType dtype) noexcept;

/// "-128 to 127".
std::string range_text(DType dtype);

}  // namespace gpukit
