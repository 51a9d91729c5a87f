// The inner loops of the CPU backend as a table of functions, filled once for this processor.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "kernels/op_codes.h"

namespace gpukit::cpu {

inline constexpr int kUnaryOpCount = static_cast<int>(UnaryOp::kCount);
inline constexpr int kBinaryOpCount = static_cast<int>(BinaryOp::kCount);
inline constexpr int kReduceOpCount = static_cast<int>(ReduceOp::kCount);

// Contract of all loops: arrays are contiguous, of any alignment, of `count` >= 1 elements; a step
// is 1, or 0 for an operand that is one value for all. `out` may be an operand exactly (same
// address, step 1) but not overlap it else.

/// out[i] = op(in[i]).
using UnaryKernel = void (*)(void* out, const void* in, std::int64_t count);

/// out[i] = op(left[i * left_step], right[i * right_step]).
using BinaryKernel = void (*)(void* out, const void* left, std::int64_t left_step,
                              const void* right, std::int64_t right_step, std::int64_t count);

/// out[i] = condition[i * step] ? left[i * step] : right[i * step], by element size.
using SelectKernel = void (*)(void* out, const std::uint8_t* condition, std::int64_t condition_step,
                              const void* left, std::int64_t left_step, const void* right,
                              std::int64_t right_step, std::int64_t count);

/// out[i] = in[i], converted.
using ConvertKernel = void (*)(void* out, const void* in, std::int64_t count);

/// What a reduction knows after some of its elements. Which fields count depends on operation and
/// dtype: floating-point values are in `value` (`error` is what summing lost), integers and
/// booleans in `integer`.
struct Partial {
  double value = 0;
  double error = 0;
  std::int64_t integer = 0;
  std::int64_t index = -1;  ///< of the extreme value; -1 before the first element
};

/// Takes in[0 .. count), whose first element has the index `base`, into `partial`.
using ReduceKernel = void (*)(const void* in, std::int64_t count, std::int64_t base,
                              Partial& partial);

/// Contiguous rows of float32. `streaming`: store past the caches where that can be done.
struct RowBlock {
  float* out;
  const float* in;  ///< may be `out`
  std::int64_t rows, columns;
  bool streaming;
};
using SoftmaxKernel = void (*)(const RowBlock& block, bool log);

/// See LayerNormArgs; weight and bias may be null, mean and rstd are null together.
struct LayerNormRows {
  const float *weight, *bias;
  float *mean, *rstd;
  double eps;
};
using LayerNormKernel = void (*)(const RowBlock& block, const LayerNormRows& norm);

/// Adds `rows` of packed a times a packed b panel to c: the core of gpukit's own matrix product
/// (see own_gemm.h).
using GemmKernel = void (*)(std::int64_t depth, const void* a_panel, const void* b_panel, void* c,
                            std::int64_t c_stride, std::int64_t rows, std::int64_t columns);

/// Block sizes of a GemmKernel: a panel has `rows` values a step of depth, b panel `columns`.
struct GemmShape {
  int rows = 0;
  int columns = 0;
};

/// One row after the other, `stride` elements apart: sums[columns] = the rows, each times its
/// factor; or sums[count] = the dot product of each row with x. Factors, x and sums of half types
/// are float.
using VectorKernel = void (*)(void* sums, const void* rows, std::int64_t stride, const void* x,
                              std::int64_t count, std::int64_t columns);

/// A tile of a product of bfloat16, summed in float32; the depth goes in pairs (see
/// bfloat16_gemm.h).
inline constexpr int kMostTileRows = 32, kTileColumns = 32;

/// Rows of bfloat16 in pairs: where the first pair is, how far the rows and the pairs of a row are
/// apart.
struct PairRowsRef {
  const void* data;
  std::int64_t row_bytes, pair_bytes;
};

/// Rows packed in panels of `width`: word p * width + r of a panel holds the elements 2 p and
/// 2 p + 1 of its row r. What is missing is 0.
struct PairPanels {
  void* words;
  std::int64_t width, panel_words;
};

struct PairKernels {
  int rows = 0;        ///< the most rows of a tile
  int depth_step = 2;  ///< elements: rows and panels are zero up to a multiple of it
  /// Of blocks, each of which packs its part of b.
  std::int64_t block_rows = 560, block_column_panels = 4, blocks_per_thread = 4;
  double shared_work = 400'000;  ///< multiply-adds from which two threads beat one
  /// Packs `count` rows, which are `stride` apart, and their `depth` elements, which are
  /// `depth_stride` apart; one of both is 1.
  void (*pack)(const PairPanels& out, const void* in, std::int64_t stride,
               std::int64_t depth_stride, std::int64_t count, std::int64_t depth) = nullptr;
  /// [rows][wide]: tile[rows][kTileColumns] = (first ? 0 : tile) + a * b panel. The panel has
  /// kTileColumns words a pair, or half as many if it is not wide.
  void (*tile[kMostTileRows + 1][2])(std::int64_t pairs, const PairRowsRef& a, const void* b_panel,
                                     float* tile, bool first) = {};
  /// Called by a thread before tiles of `rows`, and after its last. May be null.
  void (*begin)(std::int64_t rows) = nullptr;
  void (*end)() = nullptr;
  /// Where the pairs of a row have to be adjacent: rows that are `depth_stride` apart along the
  /// depth, copied to rows that are `out_words` apart.
  void (*transpose)(std::uint32_t* out, std::int64_t out_words, const std::uint16_t* in,
                    std::int64_t depth_stride, std::int64_t rows, std::int64_t depth) = nullptr;
  /// c = alpha * tile + beta * c, rounded once. With beta == 0, c is not read.
  void (*finish)(void* c, std::int64_t c_stride, const float* tile, std::int64_t rows,
                 std::int64_t columns, float alpha, float beta) = nullptr;
};

/// c = alpha * (a * b + bias) + beta * c, then ReLU if requested: part of a skinny product. `b`
/// lies in rows of whole vectors; c and bias have `columns`.
struct SkinnyBlock {
  std::int64_t rows, columns, depth;
  const void* a;
  std::int64_t a_stride;
  bool a_side_by_side;  ///< a is stored (depth, rows), else (rows, depth)
  const void* b;
  std::int64_t b_stride;
  double alpha, beta;  ///< with beta == 0, c is not read
  void* c;
  std::int64_t c_stride;
  const void* bias;  ///< may be null
  bool relu;
};

/// Does the first rows of a block that has at most `columns` of them; `lanes` is a vector.
struct SkinnyKernel {
  std::int64_t (*run)(const SkinnyBlock& block) = nullptr;  ///< returns how many rows
  std::int64_t columns = 0, lanes = 0;
};

/// Neighbours in a row of a convolution's result: where they are in a tile of `columns` pixels, in
/// the padded planes, and in the result.
struct WindowRun {
  std::int64_t column, source, target, length;
};

/// out[r * out_stride + i] = the sum over p < depth of weights[p * weight_stride + r] *
/// planes[offsets[p] + i], for i < count, r < rows. Reads whole vectors.
struct WindowLine {
  const float* planes;
  const std::int64_t* offsets;
  std::int64_t depth;
  const float* weights;
  std::int64_t weight_stride;
  float* out;
  std::int64_t out_stride, rows, count;
};

/// How many taps a TapSums has.
inline constexpr int kTapsAtOnce = 6;

/// sums[t * sums_stride + c] += the sum over `lines` of `count` pixels of planes[offsets[t] +
/// line_offsets[line] + pixel] * the pixel's row of the gradient, for c < columns, a multiple of
/// the lanes. The gradient has its rows pixel after pixel, line after line.
struct TapSums {
  const float* planes;
  const std::int64_t* offsets;
  const std::int64_t* line_offsets;
  std::int64_t lines, count;
  const float* gradient;
  std::int64_t gradient_stride, columns;
  float* sums;
  std::int64_t sums_stride;
};

struct WindowKernels {
  /// out[p * columns + run.column + i] = planes[offsets[p] + run.source + i]; the runs lie one
  /// after the other. Reads and writes whole vectors.
  void (*gather)(float* out, std::int64_t columns, const float* planes, const std::int64_t* offsets,
                 std::int64_t depth, const WindowRun* runs, std::int64_t count) = nullptr;
  /// out[row * row_stride + run.target + i * step] = tile[row * columns + run.column + i].
  void (*scatter)(float* out, std::int64_t row_stride, std::int64_t step, const float* tile,
                  std::int64_t columns, std::int64_t rows, const WindowRun* runs,
                  std::int64_t count) = nullptr;
  /// out[i] = in[i * step].
  void (*take_every)(float* out, const float* in, std::int64_t step, std::int64_t count) = nullptr;
  void (*line)(const WindowLine& line) = nullptr;
  void (*tap_sums)(const TapSums& call) = nullptr;
  std::int64_t rows = 0;   ///< the most of a WindowLine
  std::int64_t lanes = 0;  ///< of a vector
};

/// A block that fits the caches: out[i * out_stride + j] = in[j * in_stride + i], for i < rows, j <
/// columns.
using TransposeKernel = void (*)(void* out, std::int64_t out_stride, const void* in,
                                 std::int64_t in_stride, std::int64_t rows, std::int64_t columns);

/// One parameter's step (see OptimizerSettings in op_codes.h); arrays of `count` elements.
struct OptimizerStep {
  const OptimizerSettings* settings;
  void* parameter;
  const void* gradient;
  void *first, *second, *largest;  ///< null where the rule has no such state
  double step_size, root_correction;
  bool fresh;  ///< the states are written, not read
};
using OptimizerKernel = void (*)(const OptimizerStep& step, std::int64_t count);

/// What a random loop needs besides its position; see kernels/philox.h.
struct RandomStream {
  std::uint64_t seed, offset;
  float low, span, below_high;  ///< uniform; normal: mean and deviation
};

/// `count` float32 numbers from Philox block `first_block` on, four a block.
using RandomKernel = void (*)(const RandomStream& stream, float* out, std::int64_t first_block,
                              std::int64_t count);

/// A row of windows that are inside of their plane. The tap t of place i lies at first + i * stride
/// + taps[t] of the plane, which is the number of an element.
struct LargestRow {
  const float* in;  ///< the plane
  const std::int64_t* taps;
  std::int64_t tap_count, first, stride, count;
  float* values;
  std::int64_t* numbers;  ///< null: not requested
};

/// Loops of layers, of float32.
struct LayerKernels {
  /// See MaxPoolArgs. Returns false, and writes nothing, where the row is shorter than a vector.
  bool (*largest_row)(const LargestRow& row) = nullptr;
  /// best[i] = in[i * stride] where that is larger, or NaN; numbers[i] = first + i * stride there
  /// (null: not requested).
  void (*larger)(float* best, std::int32_t* numbers, const float* in, std::int64_t stride,
                 std::int32_t first, std::int64_t count) = nullptr;
  /// sum((in - centre)^2)
  double (*squared_distances)(const float* in, float centre, std::int64_t count) = nullptr;
  /// sum(a * (b - centre))
  double (*products)(const float* a, const float* b, float centre, std::int64_t count) = nullptr;
  /// out = (in - centre) * factor + offset
  void (*scale)(float* out, const float* in, float centre, float factor, float offset,
                std::int64_t count) = nullptr;
  /// out = (gradient - mean - (in - centre) * slope) * factor
  void (*normal_gradient)(float* out, const float* gradient, const float* in, float centre,
                          float mean, float slope, float factor, std::int64_t count) = nullptr;
  /// See LstmCellArgs: one row.
  void (*lstm)(const float* gates, const float* cell, float* active, float* next, float* out,
               std::int64_t hidden) = nullptr;
  /// See LstmCellBackwardArgs: one row. `arrays`: active, cell, next, out_gradient, next_gradient.
  void (*lstm_backward)(const float* const (&arrays)[5], float* gates_gradient,
                        float* cell_gradient, std::int64_t hidden) = nullptr;
};

/// Attention, in panels of queries: a vector lane has one query. A panel has as many columns as a
/// SkinnyKernel.
struct AttentionKernels {
  /// scores[key * columns + query] become weights: 2^(score - largest), where `largest` grows to
  /// the largest score, if that is much above it. `sums` grow by the weights after they were scaled
  /// to it, as `rescale` says. Returns false where all of `rescale` is 1.
  bool (*weights)(float* scores, std::int64_t keys, float* largest, float* sums,
                  float* rescale) = nullptr;
  /// Rows of a panel that are `stride` apart, times `factors`, one a column.
  void (*scale)(float* rows, std::int64_t count, std::int64_t stride,
                const float* factors) = nullptr;
  /// scores become weights, 2^(score - log_sums), and slopes weight * (slope - means); rows are
  /// `stride` apart.
  void (*slopes)(float* scores, float* slopes, std::int64_t keys, std::int64_t stride,
                 const float* log_sums, const float* means) = nullptr;
};

/// Null entries: binary and unary of half dtypes are done in float by the caller (nextafter has its
/// own entry); streaming forms exist for a few operations only. All else that scalar_ops.h supports
/// is there.
struct SimdTable {
  const char* level = nullptr;  ///< of the widest file that filled the table: "avx2"
  UnaryKernel unary[kUnaryOpCount][kDTypeCount] = {};
  BinaryKernel binary[kBinaryOpCount][kDTypeCount] = {};
  /// The same results, stored past the caches.
  UnaryKernel unary_streaming[kUnaryOpCount][kDTypeCount] = {};
  BinaryKernel binary_streaming[kBinaryOpCount][kDTypeCount] = {};
  SelectKernel select[9] = {};                           ///< by itemsize: 1, 2, 4, 8
  ConvertKernel convert[kDTypeCount][kDTypeCount] = {};  ///< [in][out]
  ReduceKernel reduce[kReduceOpCount][kDTypeCount] = {};
  SoftmaxKernel softmax = nullptr;
  LayerNormKernel layer_norm = nullptr;
  TransposeKernel transpose[9] = {};  ///< by itemsize
  TransposeKernel transpose_streaming[9] =
      {};  ///< null where there is none; rows of out are aligned to 64 bytes
  void (*copy_streaming)(void* out, const void* in, std::int64_t bytes) = nullptr;
  void (*fill_streaming)(void* out, std::uint64_t pattern, std::int64_t bytes) = nullptr;
  OptimizerKernel optimizer_step[kDTypeCount] = {};  ///< float32 and float64
  /// out[r] = log(sum(exp(in[r])))
  void (*log_sum_exp_rows)(float* out, const float* in, std::int64_t rows,
                           std::int64_t columns) = nullptr;
  /// out[r, c] = exp(in[r, c] - shifts[r]) * factors[r]
  void (*scaled_exp_rows)(float* out, const float* in, std::int64_t rows, std::int64_t columns,
                          const float* shifts, const float* factors) = nullptr;
  RandomKernel random_uniform = nullptr;
  RandomKernel random_normal = nullptr;
  VectorKernel sum_of_rows[kDTypeCount] = {};  ///< of the floating dtypes
  VectorKernel dots_of_rows[kDTypeCount] = {};
  GemmKernel gemm_f32 = nullptr;
  GemmKernel gemm_f64 = nullptr;
  GemmShape gemm_shape_f32, gemm_shape_f64;
  PairKernels bfloat16_pairs;  ///< null where the processor has no dot products of pairs
  SkinnyKernel skinny_f32, skinny_f64;
  WindowKernels windows;
  LayerKernels layers;
  AttentionKernels attention;
};

/// The table of the best level that runs here.
const SimdTable& simd_table();

// What each level adds over the scalar loops; defined once for each level, in files compiled for
// it.
#define GPUKIT_DECLARE_SIMD_LEVEL(level)  \
  namespace level {                       \
  void add_elementwise(SimdTable& table); \
  void add_math(SimdTable& table);        \
  void add_reduce(SimdTable& table);      \
  void add_convert(SimdTable& table);     \
  void add_blocks(SimdTable& table);      \
  void add_random(SimdTable& table);      \
  void add_training(SimdTable& table);    \
  void add_vectors(SimdTable& table);     \
  void add_skinny(SimdTable& table);      \
  void add_windows(SimdTable& table);     \
  void add_layers(SimdTable& table);      \
  }
GPUKIT_DECLARE_SIMD_LEVEL(baseline)
GPUKIT_DECLARE_SIMD_LEVEL(neon)
GPUKIT_DECLARE_SIMD_LEVEL(avx2)
GPUKIT_DECLARE_SIMD_LEVEL(avx512)
#undef GPUKIT_DECLARE_SIMD_LEVEL
namespace avx512bf16 {
void add_bfloat16(SimdTable& table);
}
namespace amx {
void add_bfloat16(SimdTable& table);
}

}  // namespace gpukit::cpu
