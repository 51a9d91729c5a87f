// The kernels that pass values between threads, each with known results. Built under TSan by
// tools/sanitize.sh, where each CUDA thread is a fiber and only barriers and shuffles order them:
// the race detector then knows a missing barrier by its two source lines, whatever the order.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "base/half.h"
#include "check.h"
#include "core/dtype.h"
#include "kernels/op_codes.h"
#include "kernels/training_args.h"
#include "sim/block_executor.h"
#include "sim/device_runtime.h"
#include "sim/kernel_registry.h"

namespace {

using namespace gpukit;
using namespace gpukit::sim;

constexpr auto kInt64 = static_cast<gk_i32>(DType::kInt64);
constexpr auto kInt32 = static_cast<gk_i32>(DType::kInt32);
constexpr auto kFloat32 = static_cast<gk_i32>(DType::kFloat32);

template <class Args>
void launch(const char* name, GridShape grid, unsigned threads, Args args) {
  const KernelEntry* kernel = find_kernel(name);
  CHECK(kernel != nullptr && kernel->param_bytes[0] == sizeof args);
  for (const ThreadOrder order : {ThreadOrder::kForward, ThreadOrder::kRandom}) {
    void* params[] = {&args};
    const LaunchResult result = run_launch({kernel, grid, {threads}, 0, params}, {order, 7});
    if (result.fault != KernelFault::kNone) std::fprintf(stderr, "%s\n", result.message.c_str());
    CHECK(result.fault == KernelFault::kNone);
  }
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; i++) values[i] = static_cast<float>(i * 37 % 101);
  return values;
}

void transpose() {
  constexpr gk_i64 kRows = 45, kColumns = 70;
  const std::vector<float> in = ramp(kRows * kColumns);
  std::vector<float> out(in.size());
  TransposeKernelArgs args{};
  args.out = out.data();
  args.in = in.data();
  args.rows = kRows;
  args.columns = kColumns;
  args.batch = 1;
  args.out_row_stride = kColumns;
  args.in_column_stride = kRows;
  args.column_tiles = 3;
  args.tiles = 6;
  launch("gk_transpose_32", {6}, kElementThreads, args);
  for (gk_i64 r = 0; r < kRows; r++) {
    for (gk_i64 c = 0; c < kColumns; c++) CHECK(out[r * kColumns + c] == in[c * kRows + r]);
  }
}

void cumulative() {
  constexpr gk_i64 kLength = 2500;  // three tiles of one block, the last not full
  std::vector<gk_i64> in(kLength), out(kLength), carry(4);
  for (gk_i64 i = 0; i < kLength; i++) in[i] = i % 13 - 4;
  CumulativeKernelArgs args{};
  args.in = in.data();
  args.out = out.data();
  args.carry = carry.data();
  args.lines = args.inner = args.chunks = 1;
  args.length = args.chunk_length = kLength;
  args.dtype = kInt64;
  launch("gk_cumulative_i64", {1}, kScanThreads, args);
  gk_i64 sum = 0;
  for (gk_i64 i = 0; i < kLength; i++) CHECK(out[i] == (sum += in[i]));

  std::vector<gk_i64> totals(600, 3);
  CumulativeCarryArgs carries{};
  carries.lines = 1;
  carries.chunks = 600;
  for (gk_i64& total : totals) total = 3;
  carries.carry = totals.data();
  const KernelEntry* kernel = find_kernel("gk_cumulative_carry_i64");
  void* params[] = {&carries};
  CHECK(run_launch({kernel, {1}, {kScanThreads}, 0, params}, {}).fault == KernelFault::kNone);
  for (gk_i64 i = 0; i < 600; i++) CHECK(totals[i] == 3 * i);
}

StridedLayout<1> one_dimension(gk_i64 size, gk_i64 stride) {
  StridedLayout<1> layout{};
  layout.rank = 1;
  layout.size[0] = size;
  layout.stride[0][0] = stride;
  return layout;
}

void reduce(gk_i32 by_rows) {
  constexpr gk_i64 kKept = 3, kReduced = 1500;
  const std::vector<float> in = ramp(kKept * kReduced);
  std::vector<float> out(kKept);
  std::vector<float> partial(kKept * 2);
  std::vector<gk_i64> indices(kKept * 2);
  ReduceKernelArgs args{};
  args.in = in.data();
  args.out = out.data();
  args.partial_value = partial.data();
  args.partial_index = indices.data();
  args.kept_count = kKept;
  args.reduced_count = kReduced;
  args.chunk_length = kReduced / 2;
  args.op = static_cast<gk_i32>(ReduceOp::kSum);
  args.in_dtype = args.out_dtype = kFloat32;
  args.width = 1;
  args.chunks = 2;
  args.kept = one_dimension(kKept, kReduced);
  args.reduced = one_dimension(kReduced, 1);
  args.by_rows = by_rows;
  if (by_rows != 0) {
    launch("gk_reduce_f32", {2}, kReduceThreads, args);  // four of the six chunks, and two
  } else {
    launch("gk_reduce_f32", {kKept, 2}, kReduceThreads, args);
  }
  const ReduceFinishArgs finish{partial.data(), indices.data(), out.data(), kKept,
                                kReduced,       args.op,        kFloat32,   2};
  launch("gk_reduce_finish_f32", {kKept}, kReduceThreads, finish);
  for (gk_i64 k = 0; k < kKept; k++) {
    float sum = 0;
    for (gk_i64 i = 0; i < kReduced; i++) sum += in[k * kReduced + i];
    CHECK(out[k] == sum);
  }
}

void softmax(gk_i64 columns, gk_i32 row_threads, gk_i32 held = 0) {
  constexpr gk_i64 kRows = 3;
  const std::vector<float> in = ramp(kRows * columns);
  std::vector<float> out(in.size());
  SoftmaxKernelArgs args{};
  args.out = out.data();
  args.in = in.data();
  args.rows = kRows;
  args.columns = columns;
  args.row_threads = row_threads;
  args.held = held;
  const unsigned threads = row_threads > 32 ? static_cast<unsigned>(row_threads) : 256;
  const auto blocks = static_cast<unsigned>((kRows * row_threads + threads - 1) / threads);
  launch("gk_softmax_f32", {blocks}, threads, args);
  for (gk_i64 row = 0; row < kRows; row++) {
    const float* x = &in[row * columns];
    double sum = 0;
    for (gk_i64 c = 0; c < columns; c++) sum += std::exp(double{x[c]} - 100);
    for (gk_i64 c = 0; c < columns; c++) {
      const double expected = std::exp(double{x[c]} - 100) / sum;
      CHECK(std::abs(out[row * columns + c] - expected) <= 1e-5 * expected + 1e-30);
    }
  }
}

void layer_norm(gk_i64 columns, gk_i32 row_threads, gk_i32 held = 0) {
  constexpr gk_i64 kRows = 3;
  const std::vector<float> in = ramp(kRows * columns);
  std::vector<float> out(in.size()), mean(kRows), rstd(kRows);
  LayerNormKernelArgs args{};
  args.out = out.data();
  args.in = in.data();
  args.mean = mean.data();
  args.rstd = rstd.data();
  args.rows = kRows;
  args.columns = columns;
  args.eps = 1e-5;
  args.row_threads = row_threads;
  args.held = held;
  const unsigned threads = row_threads > 32 ? static_cast<unsigned>(row_threads) : 256;
  const auto blocks = static_cast<unsigned>((kRows * row_threads + threads - 1) / threads);
  launch("gk_layer_norm_f32", {blocks}, threads, args);
  for (gk_i64 row = 0; row < kRows; row++) {
    const float* x = &in[row * columns];
    double sum = 0, squares = 0;
    for (gk_i64 c = 0; c < columns; c++) sum += x[c];
    const double middle = sum / columns;
    for (gk_i64 c = 0; c < columns; c++) squares += (x[c] - middle) * (x[c] - middle);
    const double scale = 1 / std::sqrt(squares / columns + args.eps);
    CHECK(std::abs(mean[row] - middle) < 1e-3);
    CHECK(std::abs(rstd[row] - scale) < 1e-5);
    for (gk_i64 c = 0; c < columns; c++) {
      CHECK(std::abs(out[row * columns + c] - (x[c] - middle) * scale) < 1e-4);
    }
  }
}

void sort() {
  constexpr gk_i64 kRows = 2, kColumns = 700;
  // Keys that differ in their upper halves, of both signs, some of them equal.
  std::vector<gk_i32> keys(kRows * kColumns);
  for (std::size_t i = 0; i < keys.size(); i++) {
    keys[i] = static_cast<gk_i32>(i * 37 % 101) * 70'001 - 3'000'000;
  }
  std::vector<gk_i32> values(keys.size());
  std::vector<gk_i64> places(keys.size());
  SortKernelArgs args{};
  args.in = keys.data();
  args.values = values.data();
  args.indices = places.data();
  args.rows = kRows;
  args.columns = kColumns;
  args.tiles = args.run = 1;
  args.order = {~0u, 1u << 31, 0, 0};
  args.item_bytes = 4;
  launch("gk_sort_tiles_32", {kRows}, kElementThreads, args);
  for (gk_i64 row = 0; row < kRows; row++) {
    const auto first = keys.begin() + row * kColumns;
    std::vector<gk_i64> order(kColumns);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](gk_i64 a, gk_i64 b) { return first[a] < first[b]; });
    for (gk_i64 i = 0; i < kColumns; i++) {
      CHECK(places[row * kColumns + i] == order[i]);
      CHECK(values[row * kColumns + i] == first[order[i]]);
    }
  }
}

/// One pass by digits: two blocks of two tiles, the last not full, with indices of an earlier pass.
template <class T>
void sort_by_digits(const std::string& bits) {
  constexpr gk_u32 kColumns = 3 * kRadixTile<sizeof(T)> + 700;
  std::vector<T> keys(kColumns), values(kColumns);
  std::vector<gk_u32> before(kColumns), order(kColumns), after(kColumns);
  std::vector<gk_u32> counts(2 * kRadixDigits);
  for (gk_u32 i = 0; i < kColumns; i++) {
    keys[i] = static_cast<T>(i * 37 % 1001) * 64;
    before[i] = kColumns - i;
  }
  RadixKernelArgs args{};
  args.in = keys.data();
  args.in_order = before.data();
  args.values = values.data();
  args.out_order = after.data();
  args.counts = counts.data();
  args.columns = kColumns;
  args.block_tiles = args.blocks = 2;
  args.order = {~T{0}, 0, 0, 0};
  args.item_bytes = sizeof(T);
  args.shift = 8;
  launch(("gk_sort_count_" + bits).c_str(), {2}, kRadixThreads, args);
  const std::vector<gk_u32> counted = counts;
  // The scan works in place, so that each order needs the counts again.
  for (int i = 0; i < 2; i++) {
    counts = counted;
    const KernelEntry* kernel = find_kernel("gk_sort_scan");
    void* params[] = {&args};
    const auto way = i == 0 ? ThreadOrder::kForward : ThreadOrder::kRandom;
    CHECK(run_launch({kernel, {1}, {kRadixScanThreads}, 0, params}, {way, 7}).fault ==
          KernelFault::kNone);
  }
  launch(("gk_sort_move_" + bits).c_str(), {2}, kRadixThreads, args);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](gk_u32 a, gk_u32 b) {
    return (keys[a] >> 8 & 0xff) < (keys[b] >> 8 & 0xff);
  });
  for (gk_u32 i = 0; i < kColumns; i++) {
    CHECK(values[i] == keys[order[i]]);
    CHECK(after[i] == before[order[i]]);
  }
}

/// What the products of the batch should give is in `expected`: one block computes one tile of all.
template <class T>
struct Products {
  Products(gk_i64 m, gk_i64 n, gk_i64 k, gk_i64 batch, const std::vector<T>& a_values,
           const std::vector<T>& b_values)
      : a(a_values), b(b_values), c(batch * m * n), expected(batch * m * n) {
    args.a = {a.data(), k, 1, m * k};
    args.b = {b.data(), n, 1, k * n};
    args.c = c.data();
    args.c_row_stride = n;
    args.c_batch_stride = m * n;
    args.batch = batch;
    args.m = m;
    args.n = n;
    args.k = k;
    args.alpha = {1, 1};
    for (gk_i64 at = 0; at < batch * m * n; at++) {
      const gk_i64 row = at / n, column = at % n, part = row / m;
      for (gk_i64 i = 0; i < k; i++)
        expected[at] +=
            static_cast<float>(a[row * k + i]) * static_cast<float>(b[(part * k + i) * n + column]);
    }
  }

  void run(const char* name, gk_i64 rows, gk_i64 columns, unsigned threads) {
    args.column_tiles = (args.n + columns - 1) / columns;
    const auto tiles = static_cast<unsigned>((args.m + rows - 1) / rows * args.column_tiles);
    launch(name, {tiles}, threads, args);
    for (std::size_t i = 0; i < c.size(); i++) CHECK(static_cast<float>(c[i]) == expected[i]);
  }

  std::vector<T> a, b, c;
  std::vector<float> expected;
  MatmulKernelArgs args{};
};

template <class T>
void matmul(const char* name, gk_i64 m, gk_i64 k, gk_i64 rows, gk_i64 columns, unsigned threads) {
  constexpr gk_i64 kN = 66, kBatch = 2;
  const std::vector<float> a = ramp(kBatch * m * k), b = ramp(kBatch * k * kN);
  Products<T>(m, kN, k, kBatch, {a.begin(), a.end()}, {b.begin(), b.end()})
      .run(name, rows, columns, threads);
}

/// Lines of 66 are moved element by element, lines of 72 by asynchronous copies.
void matmul_mma() {
  constexpr gk_i64 kM = 72, kBatch = 2;
  const auto small = [](std::size_t count) {
    std::vector<Half> values;
    for (std::size_t i = 0; i < count; i++) values.emplace_back(static_cast<float>(i * 37 % 3));
    return values;
  };
  for (const gk_i64 n : {66, 72}) {
    const gk_i64 k = n == 66 ? 75 : 200;
    Products<Half> products(kM, n, k, kBatch, small(kBatch * kM * k), small(kBatch * k * n));
    products.run("gk_matmul_mma_f16", 64, 64, kMmaThreads);
    products.run("gk_matmul_mma_large_f16", 128, 128, kMmaThreads);
  }
}

void loss() {
  constexpr gk_i64 kRows = 300, kColumns = 40;
  const std::vector<float> logits = ramp(kRows * kColumns);
  std::vector<gk_i64> targets(kRows);
  for (gk_i64 r = 0; r < kRows; r++) targets[r] = r % kColumns;
  std::vector<float> log_sums(kRows), losses(kRows);
  float total = 0, scale = 0;
  CrossEntropyKernelArgs args{};
  args.logits = logits.data();
  args.target = targets.data();
  args.log_sums = log_sums.data();
  args.out = losses.data();
  args.rows = kRows;
  args.columns = kColumns;
  args.ignore_index = -100;
  launch("gk_cross_entropy_f32", {(kRows * 32 + kLossThreads - 1) / kLossThreads}, kLossThreads,
         args);
  launch("gk_loss_total_f32", {1}, kLossThreads,
         LossTotalKernelArgs{args, losses.data(), &total, &scale, 1});
  double sum = 0;
  for (gk_i64 r = 0; r < kRows; r++) {
    double row = 0;
    for (gk_i64 c = 0; c < kColumns; c++) row += std::exp(double{logits[r * kColumns + c]} - 100);
    const double expected = 100 + std::log(row) - logits[r * kColumns + targets[r]];
    CHECK(std::abs(losses[r] - expected) < 1e-3);
    sum += losses[r];
  }
  CHECK(std::abs(total - sum / kRows) < 1e-4);
  CHECK(std::abs(scale - 1.0 / kRows) < 1e-7);
}

struct Family {
  const char* name;
  void (*run)();
};

constexpr Family kFamilies[] = {
    {"copy", transpose},
    {"cumulative", cumulative},
    {"loss", loss},
    {"matmul_mma", matmul_mma},
    {"matmul_thin",
     [] {
       matmul<float>("gk_matmul_thin_f32", 10, 300, 16, kThinColumns<sizeof(float)>, kThinThreads);
     }},
    {"matmul_tiled", [] { matmul<double>("gk_matmul_f64", 70, 45, 64, 64, 256); }},
    {"matmul_wide",
     [] { matmul<float>("gk_matmul_large_f32", 70, 45, kWideRows, kWideColumns, kWideThreads); }},
    {"reduce",
     [] {
       reduce(0);
       reduce(1);
     }},
    {"softmax",
     [] {
       softmax(600, 256);
       softmax(50, 32);
       softmax(600, 64, 1);
       softmax(52, 8, 1);
       layer_norm(600, 256);
       layer_norm(50, 32);
       layer_norm(600, 64, 1);
       layer_norm(52, 8, 1);
     }},
    {"sort",
     [] {
       sort();
       sort_by_digits<gk_u32>("32");
       sort_by_digits<gk_u64>("64");
     }},
};

}  // namespace

// With the name of a kernel file: that family only.
int main(int count, char** words) {
  const std::string wanted = count > 1 ? words[1] : "";
  int ran = 0;
  for (const Family& family : kFamilies) {
    if (!wanted.empty() && wanted != family.name) continue;
    family.run();
    ran++;
  }
  CHECK(ran > 0);
  std::printf("%d families of kernels\n", ran);
  return 0;
}
