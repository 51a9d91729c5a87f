// Loaded images and the kernels in them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/block_executor.h"
#include "sim/counted_launch.h"
#include "sim/image_reader.h"
#include "sim/ptx_engine.h"

namespace gpukit::sim {

class SimDevice;
struct KernelEntry;

/// A kernel of a loaded image, joined with its implementation: its host build, or
/// its PTX.
class SimFunction {
 public:
  /// One of `host_build` and `program` may be null; the program is preferred.
  SimFunction(SimDevice& device, KernelInfo info, const KernelEntry* host_build,
              std::shared_ptr<const ptx::Program> program, const ImageInfo& image);

  SimDevice& device() const { return device_; }
  const KernelInfo& info() const { return info_; }
  const KernelEntry* host_build() const { return host_build_; }
  /// The kernel as PTX, when it is run as such.
  const std::shared_ptr<const ptx::Kernel>& ptx() const { return ptx_; }
  const std::shared_ptr<const ptx::Program>& program() const { return program_; }

  CUresult attribute(CUfunction_attribute attribute, int& value) const;
  CUresult set_attribute(CUfunction_attribute attribute, int value);
  /// Blocks of that shape that fit on one multiprocessor at a time.
  int active_blocks(int threads, std::size_t dynamic_shared_bytes) const;
  Occupancy occupancy(int threads, std::size_t dynamic_shared_bytes) const;
  /// What the driver says to a launch of that shape before it queues anything.
  CUresult check_shape(const GridShape& grid, const GridShape& block,
                       std::size_t dynamic_shared_bytes) const;
  /// Of a block: what the kernel was compiled for.
  int max_threads() const;
  /// ... and what the registers of a multiprocessor are enough for.
  int most_threads() const;
  /// Of a parameter, as a packed buffer of arguments has it.
  std::size_t alignment_of(std::size_t index) const;
  CUresult parameter(std::size_t index, std::size_t* offset, std::size_t* bytes) const;

 private:
  int registers_per_thread() const;
  /// As a card hands them out: to whole warps, eight a thread at a time.
  int registers_per_block(int threads) const;

  SimDevice& device_;
  const KernelInfo info_;
  const KernelEntry* const host_build_;
  const std::shared_ptr<const ptx::Program> program_;
  const std::shared_ptr<const ptx::Kernel> ptx_;
  const int architecture_;
  const int ptx_version_;
  std::atomic<int> max_dynamic_shared_;
  std::atomic<int> carveout_ = -1;
};

class SimModule {
 public:
  SimModule(SimDevice& device, ImageInfo image, std::shared_ptr<ptx::Program> program)
      : device_(device), image_(std::move(image)), program_(std::move(program)) {}

  SimDevice& device() const { return device_; }
  bool device_is(const SimDevice& other) const { return &device_ == &other; }
  const ImageInfo& image() const { return image_; }
  const KernelInfo* kernel(const std::string& name) const;
  /// Null where the host build runs the kernels.
  const std::shared_ptr<ptx::Program>& program() const { return program_; }

  /// Handles already given out, by kernel name; guarded by the caller.
  std::map<std::string, CUfunction> functions;

 private:
  SimDevice& device_;
  const ImageInfo image_;
  const std::shared_ptr<ptx::Program> program_;
};

/// Reads an image for a device. Throws ImageError with the status a driver of `driver_version`
/// would give.
std::shared_ptr<SimModule> load_module(SimDevice& device, int driver_version, const void* image,
                                       std::size_t size);
/// The same for a PTX text.
std::shared_ptr<SimModule> load_text(SimDevice& device, int driver_version,
                                     const std::string& text);

/// The newest PTX a driver understands: 88 for PTX 8.8.
int newest_ptx_version(int driver_version);

}  // namespace gpukit::sim
