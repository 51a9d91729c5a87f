#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "sim/checked_memory.h"
#include "sim/fat_binary.h"
#include "sim/image_reader.h"

namespace gpukit::sim {

namespace ptx_reader {
namespace {

[[noreturn]] void damaged(const std::string& what) {
  throw ImageError(CUDA_ERROR_INVALID_PTX, "the PTX cannot be read: " + what);
}

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string without_comments(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); i++) {
    if (text.substr(i, 2) == "//") {
      i = text.find('\n', i);
    } else if (text.substr(i, 2) == "/*") {
      i = text.find("*/", i + 2);
      if (i != std::string_view::npos) i++;
    } else {
      clean += text[i];
      continue;
    }
    if (i == std::string_view::npos) break;
    clean += ' ';
  }
  return clean;
}

/// Words and the marks ( ) [ ] { } , one after another.
class PtxWords {
 public:
  explicit PtxWords(std::string_view text) : rest_(text) {}

  std::string_view next() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    std::size_t length = 0;
    while (length < rest_.size() && !is_space(rest_[length]) && !is_mark(rest_[length])) length++;
    if (length == 0 && !rest_.empty()) length = 1;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

 private:
  static bool is_mark(char c) { return std::strchr("()[]{},;", c) != nullptr; }

  std::string_view rest_;
};

unsigned bytes_of(std::string_view type) {
  const auto digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos) damaged("parameter type " + std::string(type));
  return static_cast<unsigned>(std::atoi(std::string(type.substr(digits)).c_str())) / 8;
}

// After "(": .param .u64 .ptr .align 1 name, .param .align 8 .b8 name[24] ) - the first word with a
// size is the type.
std::vector<unsigned> read_parameters(PtxWords& words) {
  std::vector<unsigned> sizes;
  for (std::string_view word = words.next(); word != ")"; word = words.next()) {
    if (word.empty()) damaged("a parameter list has no end");
    if (word == ".param") {
      sizes.push_back(0);
    } else if (word == ".align") {
      words.next();
    } else if (word == "[") {
      if (sizes.empty()) damaged("a size without a parameter");
      sizes.back() *= static_cast<unsigned>(std::atoi(std::string(words.next()).c_str()));
    } else if (word.front() == '.' && word != ".ptr" && word != ".global" && !sizes.empty() &&
               sizes.back() == 0) {
      sizes.back() = bytes_of(word);
    }
  }
  return sizes;
}

unsigned max_threads(PtxWords words) {
  for (std::string_view word = words.next(); !word.empty() && word != "{" && word != ".entry";
       word = words.next()) {
    if (word != ".maxntid" && word != ".reqntid") continue;
    unsigned threads = static_cast<unsigned>(std::atoi(std::string(words.next()).c_str()));
    while (words.next() == ",")
      threads *= static_cast<unsigned>(std::atoi(std::string(words.next()).c_str()));
    return threads;
  }
  return 0;
}

void read_target(std::string_view word, ImageInfo& info) {
  if (word.substr(0, 3) != "sm_") damaged("target " + std::string(word));
  const std::string digits(word.substr(3));
  info.architecture = std::atoi(digits.c_str());
  info.architecture_specific = std::isalpha(static_cast<unsigned char>(digits.back())) != 0;
}

void read_version(std::string_view word, ImageInfo& info) {
  const auto dot = word.find('.');
  if (dot == std::string_view::npos) damaged("version " + std::string(word));
  info.ptx_version = std::atoi(std::string(word.substr(0, dot)).c_str()) * 10 +
                     std::atoi(std::string(word.substr(dot + 1)).c_str());
}

}  // namespace
}  // namespace ptx_reader

ImageInfo read_ptx(const char* text) {
  const std::string clean = ptx_reader::without_comments(text);
  ImageInfo info;
  info.is_ptx = true;
  ptx_reader::PtxWords words(clean);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == ".version") {
      ptx_reader::read_version(words.next(), info);
    } else if (word == ".target") {
      ptx_reader::read_target(words.next(), info);
    } else if (word == ".entry") {
      KernelInfo kernel;
      kernel.name = words.next();
      ptx_reader::PtxWords after_name = words;
      if (after_name.next() == "(") {
        words = after_name;
        kernel.param_bytes = ptx_reader::read_parameters(words);
      }
      kernel.max_threads = ptx_reader::max_threads(words);
      info.kernels.push_back(std::move(kernel));
    }
  }
  if (info.ptx_version == 0 || info.architecture == 0)
    ptx_reader::damaged("it names no version or no target");
  return info;
}

bool is_cubin(const void* image) {
  unsigned char first = 0;
  if (!copy_checked(&first, image, 1))
    throw ImageError(CUDA_ERROR_INVALID_IMAGE, "the module image is not readable");
  return first == 0x7f;
}

std::string ptx_of_image(const void* image, int capability, std::size_t size) {
  if (is_fat_binary(image)) return ptx_of_fat_binary(image, capability, size);
  auto text = read_text_checked(image, std::min(size, kMostImageBytes));
  if (!text.has_value())
    throw ImageError(CUDA_ERROR_INVALID_IMAGE, "the module image is a text without an end");
  check_is_ptx(*text);
  return std::move(*text);
}

void check_is_ptx(std::string_view text) {
  while (!text.empty() && ptx_reader::is_space(text.front())) text.remove_prefix(1);
  for (const std::string_view start : {"//", "/*", ".version"}) {
    if (text.substr(0, start.size()) == start) return;
  }
  throw ImageError(CUDA_ERROR_INVALID_IMAGE,
                   "the module image is neither a cubin, PTX text nor a fat binary");
}

}  // namespace gpukit::sim
