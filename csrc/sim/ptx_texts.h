// gpukit's own kernels as PTX texts in a folder: what `engine=ptx` runs in place of a cubin.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "sim/image_reader.h"

namespace gpukit::sim {

class PtxTexts {
 public:
  explicit PtxTexts(std::string folder) : folder_(std::move(folder)) {}

  /// The text with all kernels of the image; null when the folder has none.
  std::shared_ptr<const std::string> find(const ImageInfo& image);

 private:
  void read_folder();

  const std::string folder_;
  std::once_flag once_;
  std::map<std::string, std::shared_ptr<const std::string>> by_kernel_;
};

}  // namespace gpukit::sim
