// The step of an LSTM after its products.
#include <algorithm>
#include <cmath>

#include "cpu/cpu_ops.h"
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

}  // namespace gpukit::cpu
