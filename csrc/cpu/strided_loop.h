// Runs a loop over contiguous arrays on operands of any strides: by rows where the memory allows,
// through small packed tiles where it does not, and on several threads where that pays.
#pragma once

#include <cstdint>

#include "core/shape.h"

namespace gpukit::cpu {

inline constexpr int kMaxLoopOperands = 4;

/// `count` elements of each operand. Inputs are contiguous, or one value where their step is 0; the
/// output (operand 0) is contiguous. All pointers are aligned to their elements.
using LoopBody = void (*)(void* context, char* const* pointers, const std::int64_t* steps,
                          std::int64_t count);

/// Operand 0 is written, the others are read. Strides count elements; an output may be an input
/// exactly.
struct StridedLoop {
  Shape shape;
  int operand_count = 0;
  char* data[kMaxLoopOperands] = {};
  Strides strides[kMaxLoopOperands];
  int itemsize[kMaxLoopOperands] = {};
  LoopBody body = nullptr;
  void* context = nullptr;
  bool moves_only = false;       ///< the body copies operand 1 to operand 0, nothing else
  bool streaming = false;        ///< and does so past the caches where it can
  std::int64_t grain = 1 << 15;  ///< elements that are worth a thread

  void add_operand(void* address, const Strides& operand_strides, int size) {
    data[operand_count] = static_cast<char*>(address);
    strides[operand_count] = operand_strides;
    itemsize[operand_count++] = size;
  }
};

void run(StridedLoop& loop);

/// The same with a callable `body(pointers, steps, count)`.
template <class Body>
void run(StridedLoop& loop, const Body& body) {
  loop.context = const_cast<void*>(static_cast<const void*>(&body));
  loop.body = [](void* context, char* const* pointers, const std::int64_t* steps,
                 std::int64_t count) {
    (*static_cast<const Body*>(context))(pointers, steps, count);
  };
  run(loop);
}

/// Copies in[j * in_j + i * in_i] to out[j * columns + i], for j < rows, i < columns: the one place
/// that reads memory across its grain. Strides count elements of 1, 2, 4 or 8 bytes.
void pack_tile(char* out, const char* in, std::int64_t rows, std::int64_t columns,
               std::int64_t in_row_stride, std::int64_t in_column_stride, int itemsize);

/// The inverse: out[j * out_j + i * out_i] = in[j * columns + i].
void unpack_tile(char* out, const char* in, std::int64_t rows, std::int64_t columns,
                 std::int64_t out_row_stride, std::int64_t out_column_stride, int itemsize);

}  // namespace gpukit::cpu
