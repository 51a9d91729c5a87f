#include "sim/ptx_texts.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "sim/loading.h"

namespace gpukit::sim {

void PtxTexts::read_folder() {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    if (entry.path().extension() == ".ptx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    auto text = std::make_shared<std::string>();
    read_image_file(path.string(), *text, nullptr);
    while (!text->empty() && text->back() == '\0') text->pop_back();
    for (const KernelInfo& kernel : read_ptx(text->c_str()).kernels)
      by_kernel_.emplace(kernel.name, text);
  }
}

std::shared_ptr<const std::string> PtxTexts::find(const ImageInfo& image) {
  std::call_once(once_, [this] { read_folder(); });
  std::shared_ptr<const std::string> found;
  for (const KernelInfo& kernel : image.kernels) {
    const auto text = by_kernel_.find(kernel.name);
    if (text == by_kernel_.end() || (found != nullptr && text->second != found)) return nullptr;
    found = text->second;
  }
  return found;
}

}  // namespace gpukit::sim
