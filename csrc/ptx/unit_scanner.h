// What a linker needs from one PTX text: its names and their positions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpukit::ptx {

/// Bytes of a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// A function, kernel or variable of the module.
struct Symbol {
  std::string_view name;
  bool is_function = false;
  bool is_entry = false;
  bool has_body = false;
  bool external = false;
  bool visible = false;
  bool weak = false;  ///< .weak and .common: another definition may take its place
  int line = 0;
  /// The whole declaration.
  Span item;
  /// No other name is declared with it.
  bool stands_alone = true;

  bool is_exported() const { return (visible || weak || is_entry) && !external; }
  bool is_defined() const { return !external && (!is_function || has_body); }
  bool is_private() const { return !is_exported() && !external; }
};

struct Mention {
  std::string_view name;
  Span span;
};

/// The number of a file, in .file and .loc.
struct FileNumber {
  std::uint64_t number = 0;
  Span span;
};

struct Unit {
  std::string name;
  std::string_view text;
  int version = 0;
  std::string_view version_text;
  std::string_view target;
  int target_number = 0;
  std::vector<Symbol> symbols;
  std::vector<Mention> mentions;
  std::vector<FileNumber> file_numbers;
  std::uint64_t highest_file = 0;
  /// What one module has once, and debug sections.
  std::vector<Span> left_out;
};

/// Reads a text that can be parsed. The unit refers to `text`. Throws PtxError.
Unit scan_unit(std::string name, std::string_view text);

}  // namespace gpukit::ptx
