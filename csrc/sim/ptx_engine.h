// The second engine of launches: PTX, run by the interpreter of csrc/ptx.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "ptx/program.h"
#include "sim/block_executor.h"
#include "sim/image_reader.h"

namespace gpukit::sim {

class SimDevice;

/// Parses and decodes a text for a device. Throws ImageError.
std::shared_ptr<ptx::Program> load_program(SimDevice& device, std::string text);

/// What the driver says of the kernels of a program.
ImageInfo describe_program(const ptx::Program& program);

struct PtxLaunch {
  std::shared_ptr<const ptx::Program> program;
  std::shared_ptr<const ptx::Kernel> kernel;
  GridShape grid;
  GridShape block;
  std::size_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;
  bool cooperative = false;
};

/// Runs a launch to its end; reports what went wrong.
CUresult run_ptx(SimDevice& device, const PtxLaunch& launch);

}  // namespace gpukit::sim
