#include "sim/ptx_engine.h"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>

#include "ptx/launch.h"
#include "ptx/parser.h"
#include "ptx/ptx_error.h"
#include "sim/counted_launch.h"
#include "sim/sim_device.h"
#include "sim/sim_log.h"
#include "sim/simulation.h"

namespace gpukit::sim {

namespace ptx_engine {
namespace {

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

CUresult status_of(ptx::FaultKind fault) {
  switch (fault) {
    case ptx::FaultKind::kNone:
      return CUDA_SUCCESS;
    case ptx::FaultKind::kIllegalAddress:
    case ptx::FaultKind::kStackOverflow:  // as an H200 has it, and not 714
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    case ptx::FaultKind::kMisaligned:
      return CUDA_ERROR_MISALIGNED_ADDRESS;
    case ptx::FaultKind::kInvalidSpace:
      return CUDA_ERROR_INVALID_ADDRESS_SPACE;
    case ptx::FaultKind::kAssert:
      return CUDA_ERROR_ASSERT;
    case ptx::FaultKind::kInvalidCode:
      return CUDA_ERROR_INVALID_PC;
    case ptx::FaultKind::kLimit:
      return CUDA_ERROR_LAUNCH_TIMEOUT;
    case ptx::FaultKind::kCancelled:
      return CUDA_ERROR_DEINITIALIZED;
    case ptx::FaultKind::kCheck:
    case ptx::FaultKind::kTrap:
    case ptx::FaultKind::kStuck:
      break;
  }
  return CUDA_ERROR_LAUNCH_FAILED;
}

FaultClass class_of(ptx::FaultKind fault) {
  switch (fault) {
    case ptx::FaultKind::kIllegalAddress:
    case ptx::FaultKind::kMisaligned:
    case ptx::FaultKind::kInvalidSpace:
    case ptx::FaultKind::kInvalidCode:
    case ptx::FaultKind::kStackOverflow:
      return FaultClass::kMemory;
    case ptx::FaultKind::kCheck:
    case ptx::FaultKind::kStuck:
      return FaultClass::kCheck;
    default:
      return FaultClass::kProgram;
  }
}

// On stderr: standard output is the program's.
void report_progress(const ptx::LaunchProgress& progress) {
  std::fprintf(stderr, "gpukit simulator: kernel %s has run for %.3g s: %llu of %llu blocks done\n",
               progress.kernel->name.c_str(), progress.seconds,
               static_cast<unsigned long long>(progress.blocks_done),
               static_cast<unsigned long long>(progress.blocks));
}

/// Device memory of a cooperative launch that the header cooperative_groups.h synchronizes the grid
/// by: 4 bytes that it does not read, and 4 in which it counts the blocks that have arrived.
class GridWorkspace {
 public:
  explicit GridWorkspace(ptx::DeviceMemory* memory)
      : memory_(memory), address_(memory == nullptr ? 0 : memory->allocate(kBytes)) {
    if (address_ == 0) return;
    std::memset(reinterpret_cast<void*>(address_), 0, kBytes);
    memory_->note_written(address_, kBytes);
  }
  ~GridWorkspace() {
    if (address_ != 0) memory_->release(address_);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  std::uint64_t address() const { return address_; }

 private:
  static constexpr std::size_t kBytes = 8;
  ptx::DeviceMemory* memory_;
  std::uint64_t address_;
};

std::uint64_t resident_blocks(const Card& card) {
  return static_cast<std::uint64_t>(card.multiprocessors) *
         static_cast<std::uint64_t>(card.blocks_per_multiprocessor);
}

}  // namespace
}  // namespace ptx_engine

std::shared_ptr<ptx::Program> load_program(SimDevice& device, std::string text) {
  const Simulation::MemoryAccess access(device.simulation());
  try {
    return std::make_shared<ptx::Program>(ptx::parse(std::move(text)), device.kernel_memory());
  } catch (const ptx::PtxError& error) {
    refuse_ptx(CUDA_ERROR_INVALID_PTX, error.line(), error.what());
  }
}

ImageInfo describe_program(const ptx::Program& program) {
  ImageInfo info;
  info.is_ptx = true;
  info.architecture = program.module().target;
  info.architecture_specific = program.module().target_specific;
  info.ptx_version = program.module().version;
  std::uint64_t const_bytes = 0;
  for (const ptx::Variable& variable : program.module().variables) {
    if (variable.space == ptx::Space::kConst) const_bytes += variable.bytes;
  }
  for (const auto& kernel : program.kernels()) {
    KernelInfo entry;
    entry.const_bytes = static_cast<unsigned>(const_bytes);
    entry.name = kernel->name;
    for (const ptx::KernelParameter& parameter : kernel->parameters)
      entry.param_bytes.push_back(parameter.bytes);
    entry.static_shared_bytes = static_cast<unsigned>(kernel->static_shared_bytes);
    entry.registers = kernel->registers;
    entry.local_bytes = kernel->functions.front().local_bytes;
    entry.max_threads = kernel->max_threads;
    info.kernels.push_back(std::move(entry));
  }
  return info;
}

CUresult run_ptx(SimDevice& device, const PtxLaunch& launch) {
  // Atomic operations are whole because one launch runs at a time.
  static std::mutex one_at_a_time;
  Simulation& simulation = device.simulation();
  const Simulation::MemoryAccess access(simulation);
  const Card& card = device.card();
  ptx::LaunchRequest request;
  request.program = launch.program.get();
  request.kernel = launch.kernel.get();
  request.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  request.block = {launch.block.x, launch.block.y, launch.block.z};
  request.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  request.parameters = launch.parameters;
  request.memory = &device.kernel_memory();
  request.multiprocessors = static_cast<unsigned>(card.multiprocessors);
  request.warps_per_multiprocessor = static_cast<unsigned>(card.threads_per_multiprocessor / 32);
  request.resident_blocks = ptx_engine::resident_blocks(card);
  request.limit = simulation.config().instruction_limit;
  request.cancelled = &simulation.ended_flag();
  request.print = ptx_engine::print;
  request.progress = ptx_engine::report_progress;
  request.progress_seconds = simulation.config().progress_seconds;
  request.checks = simulation.config().checks;
  CountedLaunch* const counted = CountingScope::current();
  request.counts = counted != nullptr;
  const ptx_engine::GridWorkspace workspace(launch.cooperative ? request.memory : nullptr);
  if (launch.cooperative && workspace.address() == 0) return CUDA_ERROR_OUT_OF_MEMORY;
  request.grid_workspace = workspace.address();
  ptx::LaunchOutcome outcome;
  {
    const std::lock_guard lock(one_at_a_time);
    outcome = ptx::run(request);
  }
  if (counted != nullptr) counted->counts = outcome.counts;
  if (outcome.fault != ptx::FaultKind::kNone && outcome.fault != ptx::FaultKind::kCancelled)
    report(ptx_engine::class_of(outcome.fault), outcome.message);
  return ptx_engine::status_of(outcome.fault);
}

}  // namespace gpukit::sim
