// Chains on a CUDA device: steps become the program of one interpreting kernel, where the kernel
// has a type for all of their values.
#include <algorithm>
#include <array>
#include <optional>

#include "backend/chain.h"
#include "cuda/cuda_layout.h"
#include "cuda/cuda_runtime.h"
#include "kernels/chain_operators.h"

namespace gpukit::cuda {
namespace cuda_chain {
namespace {

static_assert(kChainInputs == kMaxChainInputs && kChainResults == kMaxChainResults);

/// Computed in float32, as its operators are.
bool is_taken(DType dtype) noexcept {
  return dtype == DType::kBool || dtype == DType::kFloat32 || is_half(dtype);
}

/// Of bools, those operators whose answer is the same for 0 and 1 in float32.
bool takes_operator(Domain domain, bool gives_bool, DType dtype) noexcept {
  if (dtype != DType::kBool) return true;
  return gives_bool &&
         takes(domain, [](bool, bool, bool for_floating, bool) { return for_floating; });
}

bool takes_step(const ChainStep& step) noexcept {
  if (!is_taken(step.in_dtype) || !is_taken(step.out_dtype)) return false;
  if (step.kind == ChainStepKind::kUnary) {
    const auto op = static_cast<UnaryOp>(step.op);
    return is_in_chains(op) && takes_operator(domain_of(op), gives_bool(op), step.in_dtype);
  }
  if (step.kind != ChainStepKind::kBinary) return true;
  const auto op = static_cast<BinaryOp>(step.op);
  if (op == BinaryOp::kNextafter && is_half(step.in_dtype)) return false;  // goes by bits
  return is_in_chains(op) && takes_operator(domain_of(op), gives_bool(op), step.in_dtype);
}

bool takes(std::span<const DType> inputs, std::span<const ChainStep> steps) {
  return std::all_of(inputs.begin(), inputs.end(), is_taken) &&
         std::all_of(steps.begin(), steps.end(), takes_step);
}

/// Gives slots to values and writes the program.
class Compiler {
 public:
  Compiler(const ChainArgs& chain, ChainKernelArgs& kernel) : chain_(chain), kernel_(kernel) {
    slots_.fill(-1);
    last_use_.fill(-1);
    const int inputs = static_cast<int>(chain.inputs.size());
    for (std::size_t i = 0; i < chain.steps.size(); ++i) {
      for (const int operand : chain.steps[i].operands) {
        if (operand >= 0) last_use_[index(operand)] = inputs + static_cast<int>(i);
      }
    }
  }

  /// False where slots or codes run out.
  bool compile() {
    int value = static_cast<int>(chain_.inputs.size());
    for (const ChainStep& step : chain_.steps) {
      if (!load_operands(step) || !add(step, value) || !store(value)) return false;
      ++value;
    }
    return true;
  }

 private:
  static std::size_t index(int value) noexcept { return static_cast<std::size_t>(value); }

  bool load_operands(const ChainStep& step) {
    for (const int operand : step.operands) {
      if (operand < 0 || slots_[index(operand)] >= 0) continue;
      ChainKernelStep code{};
      code.code = ChainCode::kLoad;
      code.dtype = static_cast<gk_u8>(chain_.inputs[index(operand)].dtype);
      code.operand[0] = static_cast<gk_u8>(operand);
      if (!assign_slot(operand) || !append(code, operand)) return false;
    }
    return true;
  }

  bool add(const ChainStep& step, int value) {
    ChainKernelStep code{};
    code.op = static_cast<gk_u8>(step.op);
    code.dtype = static_cast<gk_u8>(step.out_dtype);
    for (int place = 0; place < 3; ++place)
      code.operand[place] = slot_or_number(step.operands[place]);
    release(step, value);
    if (!assign_slot(value)) return false;
    switch (step.kind) {
      case ChainStepKind::kUnary:
        code.code = ChainCode::kUnary;
        return append(code, value);
      case ChainStepKind::kBinary: {
        code.code = ChainCode::kBinary;
        const DType dtype = number_dtype(static_cast<BinaryOp>(step.op), step.in_dtype);
        code.number = scalar_value(step.number, dtype).floating;
        return append(code, value);
      }
      case ChainStepKind::kSelect:
        code.code = ChainCode::kSelect;
        std::rotate(code.operand, code.operand + 1, code.operand + 3);  // the condition is last
        code.number = scalar_value(step.number, step.out_dtype).floating;
        return append(code, value);
      case ChainStepKind::kConvert:
        code.code = ChainCode::kConvert;
        return append(code, value);
      case ChainStepKind::kClamp:
        break;
    }
    return clamp(code, step, value);
  }

  bool clamp(ChainKernelStep code, const ChainStep& step, int value) {
    code.operand[1] = kChainNumber;
    if (step.has_low) {
      code.code = ChainCode::kClampLow;
      code.number = scalar_value(step.number, step.in_dtype).floating;
      if (!append(code, value)) return false;
      code.operand[0] = static_cast<gk_u8>(slots_[index(value)]);
    }
    if (!step.has_high) return true;
    code.code = ChainCode::kClampHigh;
    code.number = scalar_value(step.high, step.in_dtype).floating;
    return append(code, value);
  }

  bool store(int value) {
    for (std::size_t i = 0; i < chain_.results.size(); ++i) {
      if (chain_.results[i].value != value) continue;
      ChainKernelStep code{};
      code.code = ChainCode::kStore;
      code.dtype = static_cast<gk_u8>(chain_.results[i].out.dtype);
      code.operand[0] = static_cast<gk_u8>(slots_[index(value)]);
      code.operand[1] = static_cast<gk_u8>(i);
      if (!append(code, value)) return false;
    }
    if (last_use_[index(value)] < 0) is_used_[index(slots_[index(value)])] = false;
    return true;
  }

  bool append(ChainKernelStep code, int value) {
    if (kernel_.codes == kChainCodes) return false;
    code.out = static_cast<gk_u8>(slots_[index(value)]);
    kernel_.code[kernel_.codes++] = code;
    return true;
  }

  gk_u8 slot_or_number(int value) const {
    return value < 0 ? kChainNumber : static_cast<gk_u8>(slots_[index(value)]);
  }

  bool assign_slot(int value) {
    for (int slot = 0; slot < kChainSlots; ++slot) {
      if (is_used_[index(slot)]) continue;
      is_used_[index(slot)] = true;
      slots_[index(value)] = slot;
      return true;
    }
    return false;
  }

  /// A step reads its operands before it writes: it may write where they stood.
  void release(const ChainStep& step, int value) {
    for (const int operand : step.operands) {
      if (operand >= 0 && last_use_[index(operand)] == value)
        is_used_[index(slots_[index(operand)])] = false;
    }
  }

  const ChainArgs& chain_;
  ChainKernelArgs& kernel_;
  std::array<int, kMaxChainValues> slots_, last_use_;
  std::array<bool, kChainSlots> is_used_{};
};

/// Where inputs and results lie. False where 31 bits cannot index them.
bool place_operands(const ChainArgs& args, ChainKernelArgs& kernel) {
  Shape shape = args.shape;
  Strides out = contiguous_strides(shape);
  std::array<Strides, kChainInputs> inputs;
  std::array<Strides*, kChainInputs + 1> merged;
  merged[0] = &out;
  for (std::size_t i = 0; i < args.inputs.size(); ++i) {
    inputs[i] = args.inputs[i].strides;
    merged[i + 1] = &inputs[i];
  }
  merge_dims(shape, std::span(merged.data(), args.inputs.size() + 1));
  std::array<const Strides*, kChainInputs> strides;
  strides.fill(&out);
  bool aligned = true;
  for (std::size_t i = 0; i < args.inputs.size(); ++i) {
    const bool dense = is_contiguous(shape, inputs[i]);
    kernel.input[i] = {args.inputs[i].data, dense ? 1 : 0};
    aligned = aligned && (!dense || is_vector_aligned(args.inputs[i].data));
    strides[i] = &inputs[i];
  }
  for (std::size_t i = 0; i < args.results.size(); ++i) {
    kernel.result[i] = args.results[i].out.data;
    aligned = aligned && is_vector_aligned(kernel.result[i]);
  }
  kernel.count = element_count(args.shape);
  kernel.aligned = aligned ? 1 : 0;
  kernel.layout = make_layout<kChainInputs>(shape, strides);
  return kernel.layout.wide == 0;
}

bool run_chain(DeviceRuntime& runtime, const ChainArgs& args, StreamRef stream) {
  auto& device = static_cast<CudaRuntime&>(runtime);
  ContextScope scope(device.context());
  ChainKernelArgs kernel{};
  if (!place_operands(args, kernel) || !Compiler(args, kernel).compile()) return false;
  device.launcher().launch<KernelGroup::kChain>(
      variant_of(DType::kFloat32), blocks_for(kernel.count, kElementTile, kElementThreads), kernel,
      stream);
  return true;
}

const ChainRegistration registration(DeviceType::kCuda, {takes, run_chain});

}  // namespace
}  // namespace cuda_chain
}  // namespace gpukit::cuda
