// Tiles of products of bfloat16 by the processor's tile registers (AMX): 32 rows by 32 columns of
// sums in four tiles, 32 elements of the depth a step.
#define GPUKIT_SIMD_LEVEL amx
#include "cpu/simd/bfloat16_packing.h"

namespace gpukit::cpu::amx {
namespace {

constexpr int kSide = 16;  ///< rows of a tile, and words of a row
constexpr std::int64_t kSumBytes = kTileColumns * 4;

/// What ldtilecfg reads.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};

  void set(int tile, std::int64_t count) {
    rows[tile] = static_cast<std::uint8_t>(count);
    row_bytes[tile] = count > 0 ? 4 * kSide : 0;
  }
};
static_assert(sizeof(TileShapes) == 64);

// Sums: 0 and 1 of the upper rows, 2 and 3 of the lower ones. 4 and 5: a. 6 and 7: b.
void shape_tiles(std::int64_t rows) {
  const std::int64_t upper = rows < kSide ? rows : kSide;
  TileShapes shapes;
  for (const int tile : {0, 1, 4}) shapes.set(tile, upper);
  for (const int tile : {2, 3, 5}) shapes.set(tile, rows - upper);
  for (const int tile : {6, 7}) shapes.set(tile, kSide);
  // Compilers see only the first bytes as read.
  asm volatile("" : : "r"(&shapes) : "memory");
  _tile_loadconfig(&shapes);
}

void release_tiles() { _tile_release(); }

template <bool kLower, bool kWide>
void tile_product(std::int64_t pairs, const PairRowsRef& a, const void* b_panel, float* tile,
                  bool first) {
  constexpr std::int64_t kPanelBytes = (kWide ? 2 : 1) * kSide * 4;
  const char* upper = static_cast<const char*>(a.data);
  const char* lower = upper + kSide * a.row_bytes;
  const char* b = static_cast<const char*>(b_panel);
  float* lower_sums = tile + kSide * kTileColumns;
  _tile_zero(0);
  if constexpr (kWide) _tile_zero(1);
  if constexpr (kLower) _tile_zero(2);
  if constexpr (kLower && kWide) _tile_zero(3);
  if (!first) {
    _tile_loadd(0, tile, kSumBytes);
    if constexpr (kWide) _tile_loadd(1, tile + kSide, kSumBytes);
    if constexpr (kLower) _tile_loadd(2, lower_sums, kSumBytes);
    if constexpr (kLower && kWide) _tile_loadd(3, lower_sums + kSide, kSumBytes);
  }
  for (std::int64_t p = 0; p < pairs; p += kSide) {
    _tile_loadd(4, upper, a.row_bytes);
    _tile_loadd(6, b, kPanelBytes);
    _tile_dpbf16ps(0, 4, 6);
    if constexpr (kWide) {
      _tile_loadd(7, b + kSide * 4, kPanelBytes);
      _tile_dpbf16ps(1, 4, 7);
    }
    if constexpr (kLower) {
      _tile_loadd(5, lower, a.row_bytes);
      _tile_dpbf16ps(2, 5, 6);
    }
    if constexpr (kLower && kWide) _tile_dpbf16ps(3, 5, 7);
    upper += kSide * 4;
    lower += kSide * 4;
    b += kSide * kPanelBytes;
  }
  _tile_stored(0, tile, kSumBytes);
  if constexpr (kWide) _tile_stored(1, tile + kSide, kSumBytes);
  if constexpr (kLower) _tile_stored(2, lower_sums, kSumBytes);
  if constexpr (kLower && kWide) _tile_stored(3, lower_sums + kSide, kSumBytes);
}

// 16 rows by 16 pairs at a time. Pairs beyond the depth are zero.
void transpose(std::uint32_t* out, std::int64_t out_words, const std::uint16_t* in,
               std::int64_t depth_stride, std::int64_t rows, std::int64_t depth) {
  for (std::int64_t begin = 0; begin < depth; begin += 2 * kSide) {
    for (std::int64_t first = 0; first < rows; first += kSide) {
      __m512i pairs[kSide];
      for (int i = 0; i < kSide; ++i) {
        const std::int64_t p = begin + 2 * i;
        const std::uint16_t* even = in + p * depth_stride + first;
        pairs[i] = p < depth ? neighbours(even, even + depth_stride, rows - first, p + 1 < depth)
                             : _mm512_setzero_si512();
      }
      transpose_in_registers(pairs);
      for (int r = 0; r < kSide && first + r < rows; ++r)
        _mm512_storeu_si512(out + (first + r) * out_words + begin / 2, pairs[r]);
    }
  }
}

}  // namespace

void add_bfloat16(SimdTable& table) {
  table.level = GPUKIT_SIMD_NAME(GPUKIT_SIMD_LEVEL);
  PairKernels& kernels = table.bfloat16_pairs;
  kernels.rows = kMostTileRows;
  kernels.depth_step = 2 * kSide;
  kernels.block_rows = 2048;
  kernels.block_column_panels = 8;
  kernels.blocks_per_thread = 2;
  kernels.shared_work = 3'000'000;
  kernels.begin = shape_tiles;
  kernels.end = release_tiles;
  kernels.transpose = transpose;
  for (int rows = 1; rows <= kMostTileRows; ++rows) {
    const bool lower = rows > kSide;
    kernels.tile[rows][0] = lower ? tile_product<true, false> : tile_product<false, false>;
    kernels.tile[rows][1] = lower ? tile_product<true, true> : tile_product<false, true>;
  }
}

}  // namespace gpukit::cpu::amx
