#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "ptx/ptx_error.h"
#include "sim/checked_memory.h"
#include "sim/fat_binary.h"
#include "sim/image_reader.h"

namespace gpukit::sim {

namespace ptx_reader {
namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

/// Words and the marks ( ) [ ] { } , ; one after another, without comments.
class PtxWords {
 public:
  explicit PtxWords(std::string_view text) : rest_(text) {}

  std::string_view next() {
    while (skip_space() || skip_comment()) {
    }
    std::size_t length = 0;
    while (length < rest_.size() && !ends_word(rest_.substr(length))) length++;
    if (length == 0 && !rest_.empty()) length = 1;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }

  /// Refuses the text for what stands in the line of the last word.
  [[noreturn]] void refuse(const std::string& what) const {
    refuse_ptx(CUDA_ERROR_INVALID_PTX, line_, what);
  }
  /// Of the last word, counted from 1.
  int line() const { return line_; }

 private:
  static bool ends_word(std::string_view rest) {
    return is_space(rest.front()) || std::strchr("()[]{},;", rest.front()) != nullptr ||
           rest.substr(0, 2) == "//" || rest.substr(0, 2) == "/*";
  }

  bool skip_space() {
    std::size_t length = 0;
    while (length < rest_.size() && is_space(rest_[length])) length++;
    return skip(length);
  }

  bool skip_comment() {
    if (rest_.substr(0, 2) == "//") return skip(rest_.find('\n'));
    if (rest_.substr(0, 2) != "/*") return false;
    const auto end = rest_.find("*/", 2);
    return skip(end == std::string_view::npos ? end : end + 2);
  }

  bool skip(std::size_t length) {
    const std::string_view skipped = rest_.substr(0, length);
    line_ += static_cast<int>(std::count(skipped.begin(), skipped.end(), '\n'));
    rest_.remove_prefix(skipped.size());
    return !skipped.empty();
  }

  std::string_view rest_;
  int line_ = 1;
};

unsigned bytes_of(const PtxWords& words, std::string_view type) {
  const auto digits = type.find_first_of("0123456789");
  if (digits == std::string_view::npos) words.refuse(quoted(type) + " is no type of a parameter");
  return static_cast<unsigned>(std::atoi(std::string(type.substr(digits)).c_str())) / 8;
}

// After "(": .param .u64 .ptr .align 1 name, .param .align 8 .b8 name[24] ) - the first word with a
// size is the type.
std::vector<unsigned> read_parameters(PtxWords& words) {
  std::vector<unsigned> sizes;
  for (std::string_view word = words.next(); word != ")"; word = words.next()) {
    if (word.empty()) words.refuse("a list of parameters has no end");
    if (word == ".param") {
      sizes.push_back(0);
    } else if (word == ".align") {
      words.next();
    } else if (word == "[") {
      if (sizes.empty()) words.refuse("a size without a parameter");
      sizes.back() *= static_cast<unsigned>(std::atoi(std::string(words.next()).c_str()));
    } else if (word.front() == '.' && word != ".ptr" && word != ".global" && !sizes.empty() &&
               sizes.back() == 0) {
      sizes.back() = bytes_of(words, word);
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

void read_target(PtxWords& words, ImageInfo& info) {
  const std::string_view word = words.next();
  if (word.substr(0, 3) != "sm_" || word.size() == 3) words.refuse(quoted(word) + " is no target");
  const std::string digits(word.substr(3));
  info.architecture = std::atoi(digits.c_str());
  info.architecture_specific = std::isalpha(static_cast<unsigned char>(digits.back())) != 0;
  info.target_line = words.line();
}

void read_version(PtxWords& words, ImageInfo& info) {
  const std::string_view word = words.next();
  const auto dot = word.find('.');
  if (dot == std::string_view::npos) words.refuse(quoted(word) + " is no version");
  info.ptx_version = std::atoi(std::string(word.substr(0, dot)).c_str()) * 10 +
                     std::atoi(std::string(word.substr(dot + 1)).c_str());
  info.version_line = words.line();
}

}  // namespace
}  // namespace ptx_reader

void refuse_ptx(CUresult status, int line, const std::string& what) {
  throw ImageError(status,
                   "ptx input, line " + std::to_string(line) + "; error: " + ptx::printable(what));
}

ImageInfo read_ptx(const char* text) {
  ImageInfo info;
  info.is_ptx = true;
  ptx_reader::PtxWords words(text);
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == ".version") {
      ptx_reader::read_version(words, info);
    } else if (word == ".target") {
      ptx_reader::read_target(words, info);
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
  if (info.ptx_version == 0) words.refuse("the text names no .version");
  if (info.architecture == 0) words.refuse("the text names no .target");
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
