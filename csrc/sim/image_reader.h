// What a module image says about itself: its architecture, its kernels and the sizes of their
// parameters. The layout of cubins is not documented; only the simulator relies on it, never the
// product.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "sim/cuda_abi.h"

namespace gpukit::sim {

struct KernelInfo {
  std::string name;
  std::vector<unsigned> param_bytes;
  unsigned registers = 0;
  unsigned static_shared_bytes = 0;
  unsigned local_bytes = 0;
  /// From launch bounds; 0 where there are none.
  unsigned max_threads = 0;
};

struct ImageInfo {
  bool is_ptx = false;
  /// 75 for sm_75.
  int architecture = 0;
  /// For sm_90a and its like: runs on that capability alone.
  bool architecture_specific = false;
  /// 88 for PTX 8.8; 0 for cubins.
  int ptx_version = 0;
  std::vector<KernelInfo> kernels;
};

class ImageError : public std::runtime_error {
 public:
  ImageError(CUresult status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  CUresult status() const { return status_; }

 private:
  CUresult status_;
};

/// Reads the cubin or PTX text at `image`. Throws ImageError with 200 for anything else and for
/// damaged images.
ImageInfo read_image(const void* image);

/// Whether the image starts as a PTX text does. Throws ImageError for what is neither that nor ELF.
bool is_ptx_text(const void* image);
ImageInfo read_cubin(const void* image);
ImageInfo read_ptx(const char* text);

}  // namespace gpukit::sim
