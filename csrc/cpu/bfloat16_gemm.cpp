#include "cpu/bfloat16_gemm.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "backend/matmul_size.h"
#include "base/numeric.h"
#include "cpu/scratch.h"
#include "cpu/simd/simd_table.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace bfloat16_gemm_impl {
namespace {

constexpr std::int64_t kPassPairs = 512;  ///< of the depth: what a block needs stays in the caches
constexpr double kBriefWork = 15;         ///< times the shared work; below: less than about 50 us
constexpr std::int64_t kHalfPanel = kTileColumns / 2;
constexpr std::int64_t kPanelWords = kTileColumns * kPassPairs;
/// Rows so far apart fall on each other in the first-level cache.
constexpr std::int64_t kConflictBytes = 4096;
/// Of rows copied for a tile: a pass, and a line that keeps them apart.
constexpr std::int64_t kCopiedRowWords = kPassPairs + 16;

/// [0, count) in parts whose sizes differ by one at most.
struct EvenCut {
  std::int64_t count, parts;
  std::int64_t begin(std::int64_t index) const { return index * count / parts; }
  std::int64_t longest() const { return ceil_div(count, parts); }
};

struct Range {
  std::int64_t begin, end;
  std::int64_t size() const { return end - begin; }
};

/// A part of the result: panels of rows and of columns.
struct Block {
  std::int64_t batch;
  Range rows, columns;
};

// How the result is cut: enough blocks for every thread, as large as the caches like. Columns are
// cut first, since each block packs its part of b.
class BlockGrid {
 public:
  BlockGrid(const MatmulArgs& args, const PairKernels& kernels, int threads)
      : batch_(args.batch),
        rows_{ceil_div(args.m, kernels.rows), 1},
        columns_{ceil_div(args.n, kTileColumns), 1} {
    rows_.parts = ceil_div(rows_.count, kernels.block_rows / kernels.rows);
    columns_.parts = ceil_div(columns_.count, kernels.block_column_panels);
    const std::int64_t wanted = threads < 2 ? 1 : threads * kernels.blocks_per_thread;
    for (EvenCut* cut : {&columns_, &rows_}) {
      while (count() < wanted && cut->parts < cut->count)
        cut->parts = std::min(cut->count, 2 * cut->parts);
    }
  }

  std::int64_t count() const { return batch_ * rows_.parts * columns_.parts; }
  std::int64_t most_columns() const { return columns_.longest(); }
  std::int64_t most_tiles() const { return rows_.longest() * columns_.longest(); }
  Block block(std::int64_t index) const {
    const std::int64_t column = index % columns_.parts, row = index / columns_.parts % rows_.parts;
    return {index / columns_.parts / rows_.parts,
            {rows_.begin(row), rows_.begin(row + 1)},
            {columns_.begin(column), columns_.begin(column + 1)}};
  }

 private:
  std::int64_t batch_;
  EvenCut rows_, columns_;
};

/// What one thread needs besides the operands.
struct WorkArea {
  std::uint32_t* b_panels;  ///< of a block and a pass
  std::uint32_t* a_rows;    ///< of a tile and a pass
  float* tiles;             ///< sums of a block between passes; one tile if there is one pass

  static std::int64_t b_words(const BlockGrid& grid) { return grid.most_columns() * kPanelWords; }
  static std::int64_t row_words(const PairKernels& kernels) {
    return kernels.rows * kCopiedRowWords;
  }
  static std::int64_t tile_elements(const PairKernels& kernels) {
    return kernels.rows * kTileColumns;
  }
};

class Bfloat16Product {
 public:
  Bfloat16Product(const MatmulArgs& args, const PairKernels& kernels)
      : args_(args), kernels_(kernels), rows_{args.m, ceil_div(args.m, kernels.rows)} {}

  bool in_one_pass() const { return args_.k <= 2 * kPassPairs; }

  void multiply(const Block& block, const WorkArea& area) const {
    for (std::int64_t begin = 0; begin < args_.k; begin += 2 * kPassPairs) {
      const Range depth{begin, std::min(args_.k, begin + 2 * kPassPairs)};
      pack_columns(block, depth, area.b_panels);
      float* tile = area.tiles;
      for (std::int64_t i = block.rows.begin; i < block.rows.end; ++i)
        tile = multiply_rows(block, {rows_.begin(i), rows_.begin(i + 1)}, depth, area, tile);
    }
  }

 private:
  Range columns_of(std::int64_t panel) const {
    return {panel * kTileColumns, std::min(args_.n, (panel + 1) * kTileColumns)};
  }
  static std::int64_t width_of(const Range& columns) {
    return columns.size() > kHalfPanel ? kTileColumns : kHalfPanel;
  }

  // Whole panels at once; the last may have half the width.
  void pack_columns(const Block& block, const Range& depth, std::uint32_t* out) const {
    const Range last = columns_of(block.columns.end - 1);
    const bool half = width_of(last) == kHalfPanel;
    const std::int64_t begin = columns_of(block.columns.begin).begin,
                       whole_end = half ? last.begin : last.end;
    if (whole_end > begin)
      pack_panels(block, depth, {begin, whole_end}, {out, kTileColumns, kPanelWords});
    if (half)
      pack_panels(block, depth, last,
                  {out + (block.columns.size() - 1) * kPanelWords, kHalfPanel, kPanelWords});
  }

  void pack_panels(const Block& block, const Range& depth, const Range& columns,
                   const PairPanels& out) const {
    kernels_.pack(out, element(args_.b, block.batch, depth.begin, columns.begin),
                  args_.b.column_stride, args_.k == 1 ? 1 : args_.b.row_stride, columns.size(),
                  depth.size());
    const std::int64_t pairs = ceil_div(depth.size(), 2), missing = padded_pairs(depth) - pairs;
    std::uint32_t* words = static_cast<std::uint32_t*>(out.words) + pairs * out.width;
    for (std::int64_t j = 0; missing > 0 && j < columns.size(); j += out.width)
      words = std::fill_n(words, missing * out.width, 0u) + out.panel_words - missing * out.width;
  }

  std::int64_t padded_pairs(const Range& depth) const {
    return ceil_div(depth.size(), kernels_.depth_step) * kernels_.depth_step / 2;
  }

  // One panel of rows by all of the block's columns; returns the next rows' place for tiles.
  float* multiply_rows(const Block& block, const Range& rows, const Range& depth,
                       const WorkArea& area, float* tile) const {
    const PairRowsRef a = rows_in_pairs(block.batch, rows, depth, area.a_rows);
    const std::uint32_t* b = area.b_panels;
    if (kernels_.begin != nullptr) kernels_.begin(rows.size());
    for (std::int64_t j = block.columns.begin; j < block.columns.end; ++j) {
      const Range columns = columns_of(j);
      const bool wide = width_of(columns) == kTileColumns;
      kernels_.tile[rows.size()][wide](padded_pairs(depth), a, b, tile, depth.begin == 0);
      if (depth.end == args_.k) finish(block.batch, rows, columns, tile);
      b += kPanelWords;
      if (!in_one_pass()) tile += WorkArea::tile_elements(kernels_);
    }
    return tile;
  }

  // Where they lie if that will do, else in `buffer`.
  PairRowsRef rows_in_pairs(std::int64_t batch, const Range& rows, const Range& depth,
                            std::uint32_t* buffer) const {
    const std::uint16_t* a = element(args_.a, batch, rows.begin, depth.begin);
    const std::int64_t stride = args_.a.row_stride * 2;
    if (args_.a.column_stride != 1 && args_.k > 1) {
      if (kernels_.transpose == nullptr) {
        kernels_.pack({buffer, rows.size(), 0}, a, args_.a.row_stride, args_.a.column_stride,
                      rows.size(), depth.size());
        return {buffer, 4, 4 * rows.size()};
      }
      kernels_.transpose(buffer, kCopiedRowWords, a, args_.a.column_stride, rows.size(),
                         depth.size());
      return {buffer, kCopiedRowWords * 4, 4};
    }
    if (depth.size() % kernels_.depth_step == 0 &&
        (stride % kConflictBytes != 0 || rows.size() < 8))
      return {a, stride, 4};
    for (std::int64_t r = 0; r < rows.size(); ++r) {
      std::uint32_t* row = buffer + r * kCopiedRowWords;
      std::fill(row + depth.size() / 2, row + padded_pairs(depth), 0u);
      std::memcpy(row, a + r * args_.a.row_stride, static_cast<std::size_t>(depth.size()) * 2);
    }
    return {buffer, kCopiedRowWords * 4, 4};
  }

  void finish(std::int64_t batch, const Range& rows, const Range& columns,
              const float* tile) const {
    kernels_.finish(element(args_.c, batch, rows.begin, columns.begin), args_.c.row_stride, tile,
                    rows.size(), columns.size(), static_cast<float>(args_.alpha),
                    static_cast<float>(args_.beta));
  }

  static std::uint16_t* element(const MatrixRef& matrix, std::int64_t batch, std::int64_t row,
                                std::int64_t column) {
    return static_cast<std::uint16_t*>(matrix.data) + batch * matrix.batch_stride +
           row * matrix.row_stride + column * matrix.column_stride;
  }

  const MatmulArgs& args_;
  const PairKernels& kernels_;
  EvenCut rows_;
};

}  // namespace
}  // namespace bfloat16_gemm_impl

bool has_bfloat16_gemm() noexcept { return simd_table().bfloat16_pairs.pack != nullptr; }

void bfloat16_gemm(Workspace* workspace, const MatmulArgs& args) {
  using bfloat16_gemm_impl::WorkArea;
  const PairKernels& kernels = simd_table().bfloat16_pairs;
  const double work = size_of(args).multiply_adds();
  const int threads = work < kernels.shared_work ? 1 : available_threads();
  const bfloat16_gemm_impl::BlockGrid grid(args, kernels, threads);
  const bfloat16_gemm_impl::Bfloat16Product product(args, kernels);
  const std::int64_t b_words = WorkArea::b_words(grid);
  const std::int64_t row_words = WorkArea::row_words(kernels);
  const std::int64_t floats =
      (product.in_one_pass() ? 1 : grid.most_tiles()) * WorkArea::tile_elements(kernels);
  const std::int64_t words = b_words + row_words + floats;
  const std::int64_t areas = std::min<std::int64_t>(threads, grid.count());
  const Scratch scratch(workspace, static_cast<std::size_t>(areas * words) * 4);
  std::atomic<std::int64_t> next{0};
  const auto run = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      std::uint32_t* buffer = scratch.as<std::uint32_t>() + i * words;
      const WorkArea area{buffer, buffer + b_words,
                          reinterpret_cast<float*>(buffer + b_words + row_words)};
      for (std::int64_t block; (block = next.fetch_add(1)) < grid.count();)
        product.multiply(grid.block(block), area);
    }
    if (kernels.end != nullptr) kernels.end();
  };
  const bool brief = work < bfloat16_gemm_impl::kBriefWork * kernels.shared_work;
  parallel_pieces(areas, brief, run);
}

}  // namespace gpukit::cpu
