#include "cpu/strided_loop.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "core/layout.h"
#include "cpu/simd/simd_table.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace strided_loop {
namespace {

constexpr std::int64_t kTileElements = 1024;
constexpr std::int64_t kTileSide = 32;
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kBandRows = 512;
constexpr std::int64_t kShortRow =
    16;  ///< shorter inner dimensions are packed several rows at a time

bool is_aligned(const char* address, int itemsize) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<unsigned>(itemsize) == 0;
}

template <int kSize>
void copy_elements(char* out, std::int64_t out_step, const char* in, std::int64_t in_step,
                   std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(out + i * out_step * kSize, in + i * in_step * kSize, kSize);
  }
}

using ElementCopy = void (*)(char*, std::int64_t, const char*, std::int64_t, std::int64_t);

ElementCopy element_copy(int itemsize) {
  switch (itemsize) {
    case 1:
      return copy_elements<1>;
    case 2:
      return copy_elements<2>;
    case 4:
      return copy_elements<4>;
    default:
      return copy_elements<8>;
  }
}

// One dimension of the loop, cut out.
struct Axis {
  std::int64_t size = 1;
  std::int64_t stride[kMaxLoopOperands] = {};
};

Axis axis_of(const StridedLoop& loop, int dim) {
  Axis axis;
  axis.size = loop.shape[dim];
  for (int k = 0; k < loop.operand_count; ++k) axis.stride[k] = loop.strides[k][dim];
  return axis;
}

bool runs_along(const Axis& axis, const StridedLoop& loop) {
  for (int k = 0; k < loop.operand_count; ++k) {
    const bool flat = axis.stride[k] == 1 || (k > 0 && axis.stride[k] == 0);
    if (!flat || !is_aligned(loop.data[k], loop.itemsize[k])) return false;
  }
  return true;
}

// Calls visit(offset pointers) for each index of the dimensions up to `rank`.
template <class Visit>
void for_each(const StridedLoop& loop, int rank, const Visit& visit) {
  char* pointers[kMaxLoopOperands];
  std::copy_n(loop.data, kMaxLoopOperands, pointers);
  std::int64_t index[kMaxRank] = {};
  for (;;) {
    visit(pointers);
    int dim = rank - 1;
    for (; dim >= 0; --dim) {
      for (int k = 0; k < loop.operand_count; ++k)
        pointers[k] += loop.strides[k][dim] * loop.itemsize[k];
      if (++index[dim] < loop.shape[dim]) break;
      for (int k = 0; k < loop.operand_count; ++k) {
        pointers[k] -= loop.strides[k][dim] * loop.itemsize[k] * loop.shape[dim];
      }
      index[dim] = 0;
    }
    if (dim < 0) return;
  }
}

void run_rows(const StridedLoop& loop, const Axis& inner, int outer_rank) {
  for_each(loop, outer_rank, [&](char* const* pointers) {
    loop.body(loop.context, pointers, inner.stride, inner.size);
  });
}

// Rows that follow each other in memory but for an operand that is one row for all of them (a bias,
// say) are run several at a time, over copies of that row. A call of the body costs as much as a
// few hundred elements.
struct RepeatedRow {
  /// Of copies; more would not stay in the L1 cache together with what is read and written.
  static constexpr std::int64_t kBytes = 8 << 10;

  std::int64_t rows = 1;  ///< run at a time
  bool repeated[kMaxLoopOperands] = {};
};

RepeatedRow plan_repeated_row(const StridedLoop& loop, const Axis& inner) {
  RepeatedRow plan;
  const int dim = loop.shape.size() - 2;
  if (dim < 0) return plan;
  bool any = false;
  for (int k = 0; k < loop.operand_count; ++k) {
    const std::int64_t step = loop.strides[k][dim];
    const bool goes_on = step == inner.stride[k] * inner.size;
    plan.repeated[k] = k > 0 && step == 0 && inner.stride[k] == 1;
    if (!goes_on && !plan.repeated[k]) return {};
    any = any || plan.repeated[k];
  }
  const int item = *std::max_element(loop.itemsize, loop.itemsize + loop.operand_count);
  // Copies are used four times at least.
  if (any) plan.rows = std::min(RepeatedRow::kBytes / (inner.size * item), loop.shape[dim] / 4);
  return plan;
}

void run_repeated_rows(const StridedLoop& loop, const Axis& inner, const RepeatedRow& plan) {
  alignas(64) char copies[kMaxLoopOperands][RepeatedRow::kBytes];
  const int dim = loop.shape.size() - 2;
  for_each(loop, dim, [&](char* const* start) {
    char* pointers[kMaxLoopOperands] = {};
    for (int k = 0; k < loop.operand_count; ++k) {
      pointers[k] = plan.repeated[k] ? copies[k] : start[k];
      const std::int64_t bytes = inner.size * loop.itemsize[k];
      for (std::int64_t row = 0; plan.repeated[k] && row < plan.rows; ++row)
        std::memcpy(copies[k] + row * bytes, start[k], static_cast<std::size_t>(bytes));
    }
    for (std::int64_t row = 0; row < loop.shape[dim]; row += plan.rows) {
      const std::int64_t rows = std::min(plan.rows, loop.shape[dim] - row);
      loop.body(loop.context, pointers, inner.stride, rows * inner.size);
      for (int k = 0; k < loop.operand_count; ++k) {
        if (!plan.repeated[k]) pointers[k] += rows * loop.strides[k][dim] * loop.itemsize[k];
      }
    }
  });
}

// The plane of two dimensions that tiles are cut from.
struct Plane {
  Axis inner, outer;
  std::int64_t tile_columns = 1, tile_rows = 1;
};

// A dimension other than `inner` along which an operand is contiguous, else the largest.
int choose_outer(const StridedLoop& loop, int inner) {
  int best = -1;
  for (int dim = 0; dim < loop.shape.size(); ++dim) {
    if (dim == inner) continue;
    for (int k = 0; k < loop.operand_count; ++k) {
      const bool lies_along =
          std::abs(loop.strides[k][dim]) == 1 && std::abs(loop.strides[k][inner]) > 1;
      if (lies_along && loop.shape[dim] >= kShortRow) return dim;
    }
    if (best < 0 || loop.shape[dim] > loop.shape[best]) best = dim;
  }
  return best;
}

int choose_inner(const StridedLoop& loop) {
  const int last = loop.shape.size() - 1;
  if (loop.shape[last] >= kShortRow) return last;
  int best = last;
  for (int dim = 0; dim < last; ++dim) {
    if (loop.shape[dim] > loop.shape[best]) best = dim;
  }
  return best;
}

void remove_dim(StridedLoop& loop, int dim) {
  loop.shape.erase(dim);
  for (int k = 0; k < loop.operand_count; ++k) loop.strides[k].erase(dim);
}

// Takes both dimensions of the plane out of the loop.
Plane cut_plane(StridedLoop& loop) {
  Plane plane;
  const int inner = choose_inner(loop);
  int outer = choose_outer(loop, inner);
  plane.inner = axis_of(loop, inner);
  if (outer >= 0) plane.outer = axis_of(loop, outer);
  remove_dim(loop, inner);
  if (outer >= 0) remove_dim(loop, outer > inner ? outer - 1 : outer);
  const bool both_long = plane.inner.size >= kTileSide && plane.outer.size >= kTileSide;
  plane.tile_columns = both_long ? kTileSide : std::min(plane.inner.size, kTileElements);
  plane.tile_rows =
      std::min(plane.outer.size, std::max<std::int64_t>(1, kTileElements / plane.tile_columns));
  return plane;
}

struct TileBuffers {
  alignas(64) char bytes[kMaxLoopOperands][kTileElements * 8];
};

bool is_constant(const Plane& plane, int operand) {
  return operand > 0 && plane.inner.stride[operand] == 0 && plane.outer.stride[operand] == 0;
}

// Every operand of the tile is packed, the body runs once, the result is unpacked.
void run_tile(const StridedLoop& loop, const Plane& plane, char* const* tile, std::int64_t rows,
              std::int64_t columns, TileBuffers& buffers) {
  char* pointers[kMaxLoopOperands] = {};
  std::int64_t steps[kMaxLoopOperands];
  for (int k = 0; k < loop.operand_count; ++k) {
    const bool one_value = is_constant(plane, k);
    steps[k] = one_value ? 0 : 1;
    pointers[k] = buffers.bytes[k];
    if (k == 0) continue;
    pack_tile(buffers.bytes[k], tile[k], one_value ? 1 : rows, one_value ? 1 : columns,
              plane.outer.stride[k], plane.inner.stride[k], loop.itemsize[k]);
  }
  const bool direct = (rows == 1 || plane.outer.stride[0] == columns) &&
                      plane.inner.stride[0] == 1 && is_aligned(tile[0], loop.itemsize[0]);
  if (direct) pointers[0] = tile[0];
  loop.body(loop.context, pointers, steps, rows * columns);
  if (!direct) {
    unpack_tile(tile[0], buffers.bytes[0], rows, columns, plane.outer.stride[0],
                plane.inner.stride[0], loop.itemsize[0]);
  }
}

void run_plane(const StridedLoop& loop, const Plane& plane, char* const* origin,
               TileBuffers& buffers) {
  for (std::int64_t j = 0; j < plane.outer.size; j += plane.tile_rows) {
    for (std::int64_t i = 0; i < plane.inner.size; i += plane.tile_columns) {
      char* tile[kMaxLoopOperands];
      for (int k = 0; k < loop.operand_count; ++k) {
        tile[k] =
            origin[k] + (j * plane.outer.stride[k] + i * plane.inner.stride[k]) * loop.itemsize[k];
      }
      run_tile(loop, plane, tile, std::min(plane.tile_rows, plane.outer.size - j),
               std::min(plane.tile_columns, plane.inner.size - i), buffers);
    }
  }
}

// A transposed copy: operand 1 is contiguous along the outer dimension, operand 0 along the inner
// one.
bool is_transposition(const StridedLoop& loop, const Plane& plane, char* const* origin) {
  return loop.moves_only && plane.outer.stride[1] == 1 && plane.inner.stride[0] == 1 &&
         std::abs(plane.inner.stride[1]) > 1 && plane.outer.size >= kShortRow &&
         plane.inner.size >= kShortRow && is_aligned(origin[0], loop.itemsize[0]) &&
         is_aligned(origin[1], loop.itemsize[1]);
}

// Bands one cache line wide in the result: the source is read along its rows, each line of the
// result written once.
void transpose_plane(const StridedLoop& loop, const Plane& plane, char* const* origin) {
  const int item = loop.itemsize[0];
  const std::int64_t out_stride = plane.outer.stride[0], in_stride = plane.inner.stride[1];
  const SimdTable& table = simd_table();
  const bool lines = reinterpret_cast<std::uintptr_t>(origin[0]) % kLineBytes == 0 &&
                     out_stride * item % kLineBytes == 0;
  const bool stream = loop.streaming && lines && table.transpose_streaming[item] != nullptr;
  const TransposeKernel kernel = stream ? table.transpose_streaming[item] : table.transpose[item];
  const std::int64_t band = kLineBytes / item;
  for (std::int64_t i = 0; i < plane.inner.size; i += band) {
    for (std::int64_t j = 0; j < plane.outer.size; j += kBandRows) {
      kernel(origin[0] + (j * out_stride + i) * item, out_stride,
             origin[1] + (i * in_stride + j) * item, in_stride,
             std::min(kBandRows, plane.outer.size - j), std::min(band, plane.inner.size - i));
    }
  }
}

void run_planes(StridedLoop loop) {
  const Plane plane = cut_plane(loop);
  TileBuffers buffers;
  for_each(loop, loop.shape.size(), [&](char* const* pointers) {
    if (is_transposition(loop, plane, pointers)) {
      transpose_plane(loop, plane, pointers);
    } else {
      run_plane(loop, plane, pointers, buffers);
    }
  });
}

void run_part(const StridedLoop& loop) {
  const int last = loop.shape.size() - 1;
  const Axis inner = axis_of(loop, last);
  if (!runs_along(inner, loop)) return run_planes(loop);
  const RepeatedRow repeated = plan_repeated_row(loop, inner);
  if (repeated.rows > 1) return run_repeated_rows(loop, inner, repeated);
  if (inner.size >= kShortRow || last == 0) return run_rows(loop, inner, last);
  run_planes(loop);
}

int longest_dim(const Shape& shape) {
  int longest = 0;
  for (int dim = 1; dim < shape.size(); ++dim) {
    if (shape[dim] > shape[longest]) longest = dim;
  }
  return longest;
}

// The outermost dimension that gives every thread something, else the longest.
int split(const Shape& shape, std::int64_t pieces) {
  return shape[0] >= 4 * pieces ? 0 : longest_dim(shape);
}

// The fewest indices of a dimension that are whole cache lines of the result: a thread's part that
// begins inside a line makes every vector cross two.
std::int64_t whole_lines(const StridedLoop& loop, int dim) {
  const std::int64_t bytes = std::abs(loop.strides[0][dim]) * loop.itemsize[0];
  std::int64_t unit = 1;
  while (unit < kLineBytes && unit * bytes % kLineBytes != 0) unit *= 2;
  return unit <= loop.shape[dim] / 16 ? unit : 1;
}

}  // namespace
}  // namespace strided_loop

void pack_tile(char* out, const char* in, std::int64_t rows, std::int64_t columns,
               std::int64_t in_row_stride, std::int64_t in_column_stride, int itemsize) {
  if (in_row_stride == 1 && in_column_stride != 1 && rows > 1 && columns > 1 &&
      strided_loop::is_aligned(in, itemsize)) {
    simd_table().transpose[itemsize](out, columns, in, in_column_stride, rows, columns);
    return;
  }
  const strided_loop::ElementCopy copy = strided_loop::element_copy(itemsize);
  const std::int64_t row_bytes = columns * itemsize;
  for (std::int64_t j = 0; j < rows; ++j) {
    const char* row = in + j * in_row_stride * itemsize;
    if (in_column_stride == 1) {
      std::memcpy(out + j * row_bytes, row, static_cast<std::size_t>(row_bytes));
    } else {
      copy(out + j * row_bytes, 1, row, in_column_stride, columns);
    }
  }
}

void unpack_tile(char* out, const char* in, std::int64_t rows, std::int64_t columns,
                 std::int64_t out_row_stride, std::int64_t out_column_stride, int itemsize) {
  const strided_loop::ElementCopy copy = strided_loop::element_copy(itemsize);
  const std::int64_t row_bytes = columns * itemsize;
  for (std::int64_t j = 0; j < rows; ++j) {
    char* row = out + j * out_row_stride * itemsize;
    if (out_column_stride == 1) {
      std::memcpy(row, in + j * row_bytes, static_cast<std::size_t>(row_bytes));
    } else {
      copy(row, out_column_stride, in + j * row_bytes, 1, columns);
    }
  }
}

void run(StridedLoop& loop) {
  Strides* lists[kMaxLoopOperands];
  for (int k = 0; k < loop.operand_count; ++k) lists[k] = &loop.strides[k];
  merge_dims(loop.shape,
             std::span<Strides* const>(lists, static_cast<std::size_t>(loop.operand_count)));
  const std::int64_t count = element_count(loop.shape);
  if (count <= loop.grain) return strided_loop::run_part(loop);
  const int dim = strided_loop::split(loop.shape, get_num_threads());
  const std::int64_t unit = strided_loop::whole_lines(loop, dim);
  const std::int64_t per_unit = std::max<std::int64_t>(1, count / loop.shape[dim] * unit);
  parallel_for((loop.shape[dim] + unit - 1) / unit,
               std::max<std::int64_t>(1, loop.grain / per_unit),
               [&](std::int64_t first, std::int64_t last) {
                 const std::int64_t begin = first * unit;
                 StridedLoop part = loop;
                 part.shape[dim] = std::min(last * unit, loop.shape[dim]) - begin;
                 for (int k = 0; k < part.operand_count; ++k) {
                   part.data[k] += begin * part.strides[k][dim] * part.itemsize[k];
                 }
                 strided_loop::run_part(part);
               });
}

}  // namespace gpukit::cpu
