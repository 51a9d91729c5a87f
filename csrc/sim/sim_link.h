// A link under way: the PTX that was added, and the text that it becomes.
#pragma once

#include <string>
#include <vector>

#include "ptx/linker.h"
#include "sim/jit_log.h"

namespace gpukit::sim {

class SimDevice;

class SimLink {
 public:
  SimLink(SimDevice& device, const JitLog& log) : device_(&device), log_(log) {}

  SimDevice& device() const { return *device_; }
  JitLog& log() { return log_; }

  CUresult add(CUjitInputType type, const void* data, std::size_t bytes, std::string name);
  CUresult add_file(CUjitInputType type, const std::string& path);
  /// The image is the link's, and lives as long.
  CUresult complete(void** image, std::size_t* bytes);

 private:
  CUresult refuse_size();
  CUresult skip(const std::string& name);
  CUresult add_text(std::string text, std::string name);

  SimDevice* device_;
  JitLog log_;
  std::vector<ptx::LinkInput> inputs_;
  std::size_t total_bytes_ = 0;
  std::string output_;
};

}  // namespace gpukit::sim
