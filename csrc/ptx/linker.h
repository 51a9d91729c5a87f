// Several PTX texts into one, as a linker does it: names that one text declares as external are
// those of another, and names of one text alone stay apart.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gpukit::ptx {

struct LinkInput {
  /// Shown in messages: a file's name, or what the caller calls it.
  std::string name;
  std::string text;
};

/// The texts do not fit together; the message names the input and the line.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class LinkedText {
 public:
  /// Throws LinkError; also for an input that is not PTX, or is PTX that gpukit does not run.
  explicit LinkedText(const std::vector<LinkInput>& inputs);

  const std::string& text() const { return text_; }
  /// "a.ptx, line 7" of a line of the linked text.
  std::string location_of(int line) const;

 private:
  struct Start {
    std::string name;
    int line;  ///< of the linked text: the position of the input's first line
  };

  std::string text_;
  std::vector<Start> starts_;
};

/// Whether the text can be parsed; throws LinkError with the input's name and the line.
void check(const LinkInput& input);

}  // namespace gpukit::ptx
