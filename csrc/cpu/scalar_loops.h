// The plain loops that every operation has, one element at a time through kernels/scalar_ops.h.
#pragma once

#include "core/dtype.h"
#include "cpu/simd/simd_table.h"

namespace gpukit::cpu {

/// Unsigned integers use the loops of the signed ones wherever they have no loop: there
/// the bits are the same (sign_matters). uint8 has all loops.
constexpr bool shares_signed_loops(DType dtype) noexcept {
  return is_integer(dtype) && !dtype_info(dtype).is_signed && itemsize(dtype) > 1;
}
template <class T>
inline constexpr bool is_wide_unsigned = shares_signed_loops(DTypeOf<T>::value);

/// Fill their part of the table with loops for each operation and dtype that scalar_ops.h supports.
void add_scalar_unary(SimdTable& table);
void add_scalar_binary(SimdTable& table);
void add_scalar_conversions(SimdTable& table);
void add_scalar_reductions(SimdTable& table);

}  // namespace gpukit::cpu
