// LSTMs: the step after its products, and all steps with a weight that is packed once.
#include <algorithm>
#include <cmath>

#include "base/numeric.h"
#include "cpu/ahead.h"
#include "cpu/cpu_ops.h"
#include "cpu/scratch.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_recurrent {
namespace {

constexpr std::int64_t kCellGrain = 1 << 10;  ///< cells worth a thread

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

void step(const SimdTable& table, const float* gates, const float* cell, float* active, float* next,
          float* out, std::int64_t hidden) {
  table.layers.lstm(gates, cell, active, next, out, hidden);
}
void step(const SimdTable&, const double* gates, const double* cell, double* active, double* next,
          double* out, std::int64_t hidden) {
  for (std::int64_t i = 0; i < hidden; ++i) {
    const double in = sigmoid(gates[i]), forget = sigmoid(gates[hidden + i]);
    const double fresh = std::tanh(gates[2 * hidden + i]), shown = sigmoid(gates[3 * hidden + i]);
    next[i] = forget * cell[i] + in * fresh;
    out[i] = shown * std::tanh(next[i]);
    active[i] = in;
    active[hidden + i] = forget;
    active[2 * hidden + i] = fresh;
    active[3 * hidden + i] = shown;
  }
}

void back(const SimdTable& table, const float* const (&arrays)[5], float* gates_gradient,
          float* cell_gradient, std::int64_t hidden) {
  table.layers.lstm_backward(arrays, gates_gradient, cell_gradient, hidden);
}
void back(const SimdTable&, const double* const (&arrays)[5], double* gates_gradient,
          double* cell_gradient, std::int64_t hidden) {
  const auto [active, cell, next, out_gradient, next_gradient] = arrays;
  for (std::int64_t i = 0; i < hidden; ++i) {
    const double in = active[i], forget = active[hidden + i];
    const double fresh = active[2 * hidden + i], shown = active[3 * hidden + i];
    const double bounded = std::tanh(next[i]), g = out_gradient[i];
    const double kept = next_gradient[i] + g * shown * (1 - bounded * bounded);
    const double before = cell[i];
    gates_gradient[i] = kept * fresh * in * (1 - in);
    gates_gradient[hidden + i] = kept * before * forget * (1 - forget);
    gates_gradient[2 * hidden + i] = kept * in * (1 - fresh * fresh);
    gates_gradient[3 * hidden + i] = g * bounded * shown * (1 - shown);
    cell_gradient[i] = kept * forget;
  }
}

template <class Body>
void each_row(std::int64_t rows, std::int64_t hidden, const Body& body) {
  parallel_for(rows, std::max<std::int64_t>(1, kCellGrain / hidden),
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t row = begin; row < end; ++row) body(row * hidden);
               });
}

template <class T>
T* from(const void* data, std::int64_t at) {
  return static_cast<T*>(const_cast<void*>(data)) + at;
}

constexpr std::int64_t kDepth = 256;           ///< of a partial sum
constexpr std::int64_t kNearWeight = 1 << 19;  ///< elements that stay in the second-level cache
constexpr std::int64_t kPackGrain = 1 << 14;   ///< elements worth a thread
constexpr std::int64_t kRowGrain = 1 << 17;    ///< multiply-adds of a sequence worth a thread

const SkinnyKernel& kernel_of(const SimdTable& table, const float*) { return table.skinny_f32; }
const SkinnyKernel& kernel_of(const SimdTable& table, const double*) { return table.skinny_f64; }

/// The recurrent weight in panels of columns, for the products of all steps.
template <class T>
class Panels {
 public:
  /// b (depth, columns) = weight, or its transposed.
  Panels(const SimdTable& table, Workspace* workspace, const T* weight, std::int64_t depth,
         std::int64_t columns, bool transposed)
      : table_(table),
        kernel_(kernel_of(table, weight)),
        depth_(depth),
        columns_(columns),
        width_(kernel_.columns),
        memory_(workspace,
                static_cast<std::size_t>(round_up(columns, width_) * depth) * sizeof(T)) {
    parallel_for(ceil_div(columns, width_),
                 std::max<std::int64_t>(1, kPackGrain / (depth * width_)),
                 [&](std::int64_t begin, std::int64_t end) {
                   for (std::int64_t i = begin; i < end; ++i) pack(weight, i * width_, transposed);
                 });
  }

  /// c (rows, columns) += a (rows, depth) * b, with some of `ahead` after each block.
  void add_product(T* c, const T* a, std::int64_t rows, Ahead& ahead) const {
    SkinnyBlock block{};
    block.a_stride = depth_;
    block.b_stride = width_;
    block.alpha = block.beta = 1;
    block.c_stride = columns_;
    for (std::int64_t j = 0; j < columns_; j += width_) {
      block.columns = std::min(width_, columns_ - j);
      for (std::int64_t p = 0; p < depth_; p += kDepth) {
        block.depth = std::min(kDepth, depth_ - p);
        block.b = memory_.template as<T>() + j * depth_ + p * width_;
        for (std::int64_t i = 0; i < rows;) {
          block.rows = rows - i;
          block.a = a + i * depth_ + p;
          block.c = c + i * columns_ + j;
          i += kernel_.run(block);
          ahead.some();
        }
      }
    }
  }

  /// At least so many blocks has a product.
  std::int64_t blocks(std::int64_t rows) const {
    return ceil_div(columns_, width_) * ceil_div(rows, std::int64_t{12});
  }

 private:
  /// The panel from column j on.
  void pack(const T* weight, std::int64_t j, bool transposed) const {
    const std::int64_t count = std::min(width_, columns_ - j);
    T* out = memory_.template as<T>() + j * depth_;
    if (count < width_) std::fill_n(out, width_ * depth_, T{0});
    for (std::int64_t p = 0; transposed && p < depth_; p += width_)
      table_.transpose[sizeof(T)](out + p * width_, width_, weight + j * depth_ + p, depth_,
                                  std::min(width_, depth_ - p), count);
    for (std::int64_t p = 0; !transposed && p < depth_; ++p)
      std::copy_n(weight + p * columns_ + j, count, out + p * width_);
  }

  const SimdTable& table_;
  const SkinnyKernel& kernel_;
  std::int64_t depth_, columns_, width_;
  Scratch memory_;
};

/// Rows of an LSTM do not see each other: each thread takes some through all steps.
template <class Body>
void for_each_part(const LstmStepsArgs& args, const Body& body) {
  const std::int64_t work = args.steps * args.rows * 4 * args.hidden * args.hidden;
  const std::int64_t parts = std::clamp<std::int64_t>(
      work / kRowGrain, 1, std::min<std::int64_t>(available_threads(), args.rows));
  parallel_pieces(parts, false, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t part = begin; part < end; ++part) {
      const std::int64_t first = args.rows * part / parts;
      body(first, args.rows * (part + 1) / parts - first);
    }
  });
}

/// The gates of a step, where its rows follow each other.
template <class T>
void fetch_gates(Ahead& ahead, const LstmStepsArgs& args, std::int64_t place, std::int64_t first,
                 std::int64_t rows) {
  if (args.gates_row != 4 * args.hidden) return;
  const std::int64_t at = place * args.gates_step + first * args.gates_row;
  ahead.add(from<T>(args.gates, at),
            rows * args.gates_row * static_cast<std::int64_t>(sizeof(T) / sizeof(float)));
}

template <class T>
void all_steps(const SimdTable& table, Workspace* workspace, const LstmStepsArgs& args) {
  const std::int64_t hidden = args.hidden;
  const Panels<T> panels(table, workspace, static_cast<const T*>(args.weight), hidden, 4 * hidden,
                         true);
  for_each_part(args, [&](std::int64_t first, std::int64_t rows) {
    const T* before = from<T>(args.h, first * hidden);
    const T* cell = from<T>(args.c, first * hidden);
    for (std::int64_t i = 0; i < args.steps; ++i) {
      const std::int64_t place = args.place(i), at = place * args.rows + first;
      T* active = from<T>(args.active, (args.keep ? at : first) * 4 * hidden);
      T *next = from<T>(args.cells, at * hidden), *out = from<T>(args.outputs, at * hidden);
      for (std::int64_t r = 0; r < rows; ++r)
        std::copy_n(from<T>(args.gates, place * args.gates_step + (first + r) * args.gates_row),
                    4 * hidden, active + r * 4 * hidden);
      Ahead ahead;
      if (i + 1 < args.steps) fetch_gates<T>(ahead, args, args.place(i + 1), first, rows);
      ahead.begin(panels.blocks(rows));
      panels.add_product(active, before, rows, ahead);
      for (std::int64_t r = 0; r < rows; ++r) {
        T* gates = active + r * 4 * hidden;
        step(table, gates, cell + r * hidden, gates, next + r * hidden, out + r * hidden, hidden);
      }
      before = out;
      cell = next;
    }
  });
}

template <class T>
void all_steps_back(const SimdTable& table, Workspace* workspace,
                    const LstmStepsBackwardArgs& args) {
  const LstmStepsArgs& forward = args.forward;
  const std::int64_t hidden = forward.hidden;
  const Panels<T> panels(table, workspace, static_cast<const T*>(forward.weight), 4 * hidden,
                         hidden, false);
  for_each_part(forward, [&](std::int64_t first, std::int64_t rows) {
    const BinaryKernel add =
        table.binary[static_cast<int>(BinaryOp::kAdd)][index_of(forward.dtype)];
    T* by_h = from<T>(args.h_gradient, first * hidden);
    T* by_cell = from<T>(args.c_gradient, first * hidden);
    std::copy_n(from<T>(args.last_gradient, first * hidden), rows * hidden, by_cell);
    std::fill_n(by_h, rows * hidden, T{0});
    for (std::int64_t i = forward.steps - 1; i >= 0; --i) {
      const std::int64_t place = forward.place(i), at = place * forward.rows + first;
      const T* before =
          i > 0 ? from<T>(forward.cells, (forward.place(i - 1) * forward.rows + first) * hidden)
                : from<T>(forward.c, first * hidden);
      T* by_gates = from<T>(args.gates_gradient, at * 4 * hidden);
      for (std::int64_t r = 0; r < rows; ++r) {
        T* total = by_h + r * hidden;
        const T* more =
            from<T>(args.out_gradient, place * args.out_step + (first + r) * args.out_row);
        add(total, total, 1, more, 1, hidden);
        const T* const arrays[5] = {from<T>(forward.active, (at + r) * 4 * hidden),
                                    before + r * hidden, from<T>(forward.cells, (at + r) * hidden),
                                    total, by_cell + r * hidden};
        back(table, arrays, by_gates + r * 4 * hidden, by_cell + r * hidden, hidden);
      }
      std::fill_n(by_h, rows * hidden, T{0});
      Ahead nothing;
      panels.add_product(by_h, by_gates, rows, nothing);
    }
  });
}

}  // namespace
}  // namespace cpu_recurrent

void CpuOps::lstm_cell(const LstmCellArgs& args, StreamRef) {
  using cpu_recurrent::from;
  visit_floating(args.dtype, [&]<class T>() {
    cpu_recurrent::each_row(args.rows, args.hidden, [&](std::int64_t at) {
      cpu_recurrent::step(table_, from<T>(args.gates, 4 * at), from<T>(args.cell, at),
                          from<T>(args.active, 4 * at), from<T>(args.next, at),
                          from<T>(args.out, at), args.hidden);
    });
  });
}

void CpuOps::lstm_cell_backward(const LstmCellBackwardArgs& args, StreamRef) {
  using cpu_recurrent::from;
  visit_floating(args.dtype, [&]<class T>() {
    cpu_recurrent::each_row(args.rows, args.hidden, [&](std::int64_t at) {
      const T* const arrays[5] = {from<T>(args.active, 4 * at), from<T>(args.cell, at),
                                  from<T>(args.next, at), from<T>(args.out_gradient, at),
                                  from<T>(args.next_gradient, at)};
      cpu_recurrent::back(table_, arrays, from<T>(args.gates_gradient, 4 * at),
                          from<T>(args.cell_gradient, at), args.hidden);
    });
  });
}

void CpuOps::lstm_steps(const LstmStepsArgs& args, StreamRef stream) {
  if (4 * args.hidden * args.hidden > cpu_recurrent::kNearWeight)
    return DeviceOps::lstm_steps(args, stream);
  visit_floating(args.dtype,
                 [&]<class T>() { cpu_recurrent::all_steps<T>(table_, workspace_, args); });
}

void CpuOps::lstm_steps_backward(const LstmStepsBackwardArgs& args, StreamRef stream) {
  if (4 * args.forward.hidden * args.forward.hidden > cpu_recurrent::kNearWeight)
    return DeviceOps::lstm_steps_backward(args, stream);
  visit_floating(args.forward.dtype,
                 [&]<class T>() { cpu_recurrent::all_steps_back<T>(table_, workspace_, args); });
}

}  // namespace gpukit::cpu
