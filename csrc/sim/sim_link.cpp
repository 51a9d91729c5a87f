#include "sim/sim_link.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "sim/checked_memory.h"
#include "sim/fat_binary.h"
#include "sim/image_reader.h"
#include "sim/loading.h"
#include "sim/simulation.h"

namespace gpukit::sim {

namespace sim_link {
namespace {

const char* name_of(CUjitInputType type) {
  switch (static_cast<int>(type)) {
    case CU_JIT_INPUT_CUBIN:
      return "a cubin";
    case CU_JIT_INPUT_OBJECT:
      return "an object file";
    case CU_JIT_INPUT_LIBRARY:
      return "a library of object files";
    default:
      return "NVVM's intermediate form";
  }
}

std::string file_name(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return path.substr(slash == std::string::npos ? 0 : slash + 1);
}

/// The device runtime's library, which is added for the barrier of the grid: the executor has that
/// one itself.
bool is_runtime(const std::string& path) { return file_name(path) == "libcudadevrt.a"; }

/// The line number of a PtxError in load_program's message: "ptx input, line 7; error: ...".
std::string with_own_line(const std::string& what, const ptx::LinkedText& linked) {
  constexpr std::string_view kBefore = "ptx input, line ";
  if (what.substr(0, kBefore.size()) != kBefore) return what;
  const auto end = what.find(';');
  const int line = std::atoi(what.c_str() + kBefore.size());
  return linked.location_of(line) + (end == std::string::npos ? "" : what.substr(end));
}

}  // namespace
}  // namespace sim_link

CUresult SimLink::add(CUjitInputType type, const void* data, std::size_t bytes, std::string name) {
  if (type == CU_JIT_INPUT_LIBRARY && sim_link::is_runtime(name)) return skip(name);
  if (data == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (name.empty()) name = "input " + std::to_string(inputs_.size() + 1);
  if (type == CU_JIT_INPUT_FATBINARY) {
    try {
      return add_text(ptx_of_fat_binary(data, device_->capability(), bytes), std::move(name));
    } catch (const ImageError& error) {
      return refuse_image(error.status(), name + ": " + error.what(), &log_);
    }
  }
  if (type != CU_JIT_INPUT_PTX)
    return refuse_image(CUDA_ERROR_NO_BINARY_FOR_GPU,
                        name + " is " + sim_link::name_of(type) +
                            ", which the simulator does not link: pass PTX, or a fat binary "
                            "with PTX inside",
                        &log_);
  if (bytes > kMostImageBytes - total_bytes_) return refuse_size();
  if (!can_read(data, bytes))
    return refuse_image(CUDA_ERROR_INVALID_IMAGE, name + " is shorter than its size says", &log_);
  std::string text(bytes, '\0');
  copy_checked(text.data(), data, bytes);
  text.resize(std::min(text.find('\0'), bytes));
  return add_text(std::move(text), std::move(name));
}

CUresult SimLink::refuse_size() {
  return refuse_image(CUDA_ERROR_INVALID_IMAGE, "more than 256 MiB are linked", &log_);
}

CUresult SimLink::skip(const std::string& name) {
  log_.note(name + " is not read: the barrier of the grid is the executor's own");
  return CUDA_SUCCESS;
}

CUresult SimLink::add_file(CUjitInputType type, const std::string& path) {
  if (type == CU_JIT_INPUT_LIBRARY && sim_link::is_runtime(path)) return skip(path);
  std::string content;
  const CUresult status = read_image_file(path, content, &log_);
  if (status != CUDA_SUCCESS) return status;
  return add(type, content.data(), content.size(), sim_link::file_name(path));
}

CUresult SimLink::add_text(std::string text, std::string name) {
  if (text.size() > kMostImageBytes - total_bytes_) return refuse_size();  // of a fat binary, too
  ptx::LinkInput input{std::move(name), std::move(text)};
  try {
    ptx::check(input);
  } catch (const ptx::LinkError& error) {
    return refuse_image(CUDA_ERROR_INVALID_PTX, error.what(), &log_);
  }
  total_bytes_ += input.text.size();
  inputs_.push_back(std::move(input));
  return CUDA_SUCCESS;
}

CUresult SimLink::complete(void** image, std::size_t* bytes) {
  if (image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  try {
    const ptx::LinkedText linked(inputs_);
    try {
      // What no input defines, or what the executor does not run, is reported now, with its line.
      load_text(*device_, device_->simulation().driver_version(), linked.text());
    } catch (const ImageError& error) {
      return refuse_image(error.status(), sim_link::with_own_line(error.what(), linked), &log_);
    }
    output_ = linked.text();
  } catch (const ptx::LinkError& error) {
    return refuse_image(CUDA_ERROR_INVALID_PTX, error.what(), &log_);
  }
  log_.stop_clock();
  *image = output_.data();
  if (bytes != nullptr) *bytes = output_.size() + 1;
  return CUDA_SUCCESS;
}

}  // namespace gpukit::sim
