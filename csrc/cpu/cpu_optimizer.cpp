// One optimizer step of many parameters.
#include <algorithm>

#include "cpu/cpu_ops.h"
#include "cpu/thread_pool.h"

namespace gpukit::cpu {
namespace cpu_optimizer {
namespace {

constexpr std::int64_t kStepGrain = 1 << 14;  ///< elements worth a thread
constexpr std::int64_t kChunk = 1024;         ///< elements of a half type widened at a time

template <class Pointer>
Pointer advanced(Pointer base, std::int64_t bytes) {
  using Byte =
      std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const char, char>;
  return base == nullptr ? base : static_cast<Byte*>(base) + bytes;
}

OptimizerStep step(const OptimizerArgs& args, const OptimizerItem& item, std::int64_t bytes) {
  return {&args.settings,
          advanced(item.parameter, bytes),
          advanced(item.gradient, bytes),
          advanced(item.first, bytes),
          advanced(item.second, bytes),
          advanced(item.largest, bytes),
          item.step_size,
          item.root_correction,
          item.fresh};
}

/// The loops of one dtype, half types through float32 buffers.
class Stepper {
 public:
  Stepper(const SimdTable& table, DType dtype)
      : half_(is_half(dtype)),
        kernel_(table.optimizer_step[index_of(half_ ? DType::kFloat32 : dtype)]),
        widen_(table.convert[index_of(dtype)][index_of(DType::kFloat32)]),
        narrow_(table.convert[index_of(DType::kFloat32)][index_of(dtype)]) {}

  void run(const OptimizerStep& step, std::int64_t count) const {
    half_ ? run_half(step, count) : kernel_(step, count);
  }

 private:
  /// At most kChunk elements.
  void run_half(const OptimizerStep& step, std::int64_t count) const {
    alignas(64) float wide[5][kChunk];
    const void* arrays[5] = {step.parameter, step.gradient, step.first, step.second, step.largest};
    void* places[5] = {};
    for (int a = 0; a < 5; ++a) {
      if (arrays[a] == nullptr) continue;
      places[a] = wide[a];
      if (a < 2 || !step.fresh) widen_(wide[a], arrays[a], count);
    }
    OptimizerStep inner = step;
    inner.parameter = places[0];
    inner.gradient = places[1];
    inner.first = places[2];
    inner.second = places[3];
    inner.largest = places[4];
    kernel_(inner, count);
    for (int a = 0; a < 5; ++a) {
      if (places[a] != nullptr && a != 1) narrow_(const_cast<void*>(arrays[a]), wide[a], count);
    }
  }

  bool half_;
  OptimizerKernel kernel_;
  ConvertKernel widen_, narrow_;
};

}  // namespace
}  // namespace cpu_optimizer

void CpuOps::optimizer_step(const OptimizerArgs& args, StreamRef) {
  const cpu_optimizer::Stepper stepper(table_, args.dtype);
  const auto item_bytes = static_cast<std::int64_t>(itemsize(args.dtype));
  const std::int64_t longest =
      is_half(args.dtype) ? cpu_optimizer::kChunk : cpu_optimizer::kStepGrain;
  for (const OptimizerItem& item : args.items) {
    parallel_for(item.count, cpu_optimizer::kStepGrain, [&](std::int64_t begin, std::int64_t end) {
      for (; begin < end; begin += longest)
        stepper.run(cpu_optimizer::step(args, item, begin * item_bytes),
                    std::min(longest, end - begin));
    });
  }
}

void CpuOps::write_words(const WordsArgs& args, StreamRef) {
  std::copy(args.words.begin(), args.words.end(), static_cast<std::uint64_t*>(args.out));
}

}  // namespace gpukit::cpu
