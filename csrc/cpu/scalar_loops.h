// The plain loops that every operation has, one element at a time through kernels/scalar_ops.h.
#pragma once

#include "cpu/simd/simd_table.h"

namespace gpukit::cpu {

/// Fill their part of the table with loops for each operation and dtype that scalar_ops.h supports.
void add_scalar_unary(SimdTable& table);
void add_scalar_binary(SimdTable& table);
void add_scalar_conversions(SimdTable& table);
void add_scalar_reductions(SimdTable& table);

}  // namespace gpukit::cpu
