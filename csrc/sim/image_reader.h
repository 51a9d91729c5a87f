// What a module image says about itself: its architecture, its kernels and the sizes of their
// parameters. The layout of cubins is not documented; only the simulator relies on it, never the
// product.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "sim/cuda_abi.h"

namespace gpukit::sim {

/// No image is larger, in whatever form it comes.
inline constexpr std::size_t kMostImageBytes = std::size_t{256} << 20;

struct KernelInfo {
  std::string name;
  std::vector<unsigned> param_bytes;
  unsigned registers = 0;
  unsigned static_shared_bytes = 0;
  unsigned local_bytes = 0;
  unsigned const_bytes = 0;
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
  /// Of the directives of a PTX text, counted from 1.
  int version_line = 0;
  int target_line = 0;
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

/// Throws ImageError for what stands in this line of a PTX text, in the words of ptxas.
[[noreturn]] void refuse_ptx(CUresult status, int line, const std::string& what);

/// Whether the image starts as a cubin does. Throws ImageError where nothing can be read.
bool is_cubin(const void* image);
/// The text of an image that is not a cubin: PTX, or the PTX in a fat binary that suits the card.
/// `size`: of the image, if known. Throws ImageError.
std::string ptx_of_image(const void* image, int capability, std::size_t size);
/// Throws ImageError with 200 for a text that does not start as PTX does.
void check_is_ptx(std::string_view text);

/// Both throw ImageError for what they cannot read.
ImageInfo read_cubin(const void* image);
ImageInfo read_ptx(const char* text);

}  // namespace gpukit::sim
