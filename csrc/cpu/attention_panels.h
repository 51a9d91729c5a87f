// What both passes of attention have in common: blocks of keys against panels of queries, and units
// of work for the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "base/numeric.h"
#include "cpu/ahead.h"
#include "cpu/cpu_ops.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu::cpu_attention {

inline constexpr std::int64_t kKeys =
    128;  ///< of a block: its scores stay in the first-level cache
inline constexpr float kLeast = -std::numeric_limits<float>::infinity();
inline constexpr double kLog2E = 1.4426950408889634;  // scores are exponents of 2

/// c = a * b + (add ? c : 0) in blocks of the kernel; b and c are one panel wide.
struct PanelProduct {
  const float* a;
  std::int64_t a_stride;
  bool a_side_by_side;
  const float* b;
  std::int64_t b_stride;
  float* c;
  std::int64_t c_stride;
  std::int64_t rows, columns, depth;
  bool add;
};

/// `after_tile` is called between the blocks.
template <class AfterTile>
void multiply(const SkinnyKernel& kernel, const PanelProduct& of, const AfterTile& after_tile) {
  SkinnyBlock block{};
  block.columns = of.columns;
  block.depth = of.depth;
  block.a_stride = of.a_stride;
  block.a_side_by_side = of.a_side_by_side;
  block.b = of.b;
  block.b_stride = of.b_stride;
  block.alpha = 1;
  block.beta = of.add ? 1 : 0;
  block.c_stride = of.c_stride;
  for (std::int64_t i = 0; i < of.rows;) {
    block.rows = of.rows - i;
    block.a = of.a + (of.a_side_by_side ? i : i * of.a_stride);
    block.c = of.c + i * of.c_stride;
    i += kernel.run(block);
    after_tile();
  }
}
inline void multiply(const SkinnyKernel& kernel, const PanelProduct& of) {
  multiply(kernel, of, [] {});
}

inline const float* row_of(const void* array, std::int64_t row, std::int64_t size) {
  return static_cast<const float*>(array) + row * size;
}

/// Sizes of a call, and what its threads have in common.
struct Call {
  Call(const SimdTable& of, const AttentionArgs& given, std::int64_t group_panels)
      : table(of),
        args(given),
        panel(of.skinny_f32.columns),
        panels(std::min(group_panels, ceil_div(given.length, panel))),
        width(panels * panel),
        groups(ceil_div(given.length, width)) {}

  /// The keys that the queries before `end` see.
  std::int64_t seen(std::int64_t end) const {
    return args.causal ? std::min(args.keys, end) : args.keys;
  }
  /// in (rows, columns) to out (columns, rows).
  void transpose(float* out, std::int64_t out_stride, const float* in, std::int64_t in_stride,
                 std::int64_t rows, std::int64_t columns) const {
    table.transpose[sizeof(float)](out, out_stride, in, in_stride, columns, rows);
  }
  /// Scores of keys that come after their query are -inf. The block's first key and the panel's
  /// first query are `key` and `query`.
  void apply_causal_mask(float* scores, std::int64_t stride, std::int64_t key, std::int64_t keys,
                         std::int64_t query) const {
    if (!args.causal) return;
    for (std::int64_t i = std::max<std::int64_t>(0, query + 1 - key); i < keys; ++i)
      std::fill_n(scores + i * stride, std::min(key + i - query, panel), kLeast);
  }

  const SimdTable& table;
  const AttentionArgs& args;
  std::int64_t panel, panels, width, groups;
};

/// Runs body(unit, memory) for all units on the threads; `floats` of memory for each of them.
template <class Body>
void for_each_unit(Workspace* workspace, std::int64_t units, std::int64_t floats,
                   const Body& body) {
  const std::int64_t slots = std::min<std::int64_t>(units, available_threads());
  const std::int64_t step = round_up(floats, std::int64_t{16});
  const Scratch memory(workspace, static_cast<std::size_t>(slots * step) * sizeof(float));
  std::atomic<std::int64_t> next{0};
  parallel_pieces(slots, false, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t slot = begin; slot < end; ++slot) {
      for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < units;)
        body(i, memory.as<float>() + slot * step);
    }
  });
}

/// Queries of a product, from `first` on.
struct Group {
  std::int64_t product, first;
};

}  // namespace gpukit::cpu::cpu_attention
