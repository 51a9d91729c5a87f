// A PTX text as tokens.
#pragma once

#include <cstdint>
#include <string_view>

namespace gpukit::ptx {

struct Token {
  enum class Kind : std::uint8_t {
    kEnd,
    kName,     ///< letters, digits, _ $ %
    kWord,     ///< .visible: text is "visible"
    kInteger,  ///< value
    kFloat32,  ///< 0f3F800000: value holds the bits
    kFloat64,  ///< 0d… or 1.5: value holds the bits
    kString,   ///< without its quotes
    kMark,     ///< one character
  };
  Kind kind = Kind::kEnd;
  std::string_view text;
  std::uint64_t value = 0;
  int line = 0;

  bool is_mark(char mark) const { return kind == Kind::kMark && text.front() == mark; }
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
};

/// Throws PtxError.
class Lexer {
 public:
  explicit Lexer(std::string_view text);

  const Token& peek() const { return token_; }
  Token take();
  /// The rest of an opcode whose first name is the current token: "add" -> "add.rn.f32".
  std::string_view take_opcode();
  void skip_line();
  /// Whether a single colon directly follows the current token.
  bool colon_follows() const;

 private:
  void read();
  void skip_space();
  void read_number();
  void read_digits(unsigned base, std::size_t from, std::size_t end);
  void read_string();
  char at(std::size_t position) const { return position < text_.size() ? text_[position] : '\0'; }
  void accept(Token::Kind kind, std::size_t end, std::size_t skipped = 0);

  std::string_view text_;
  std::size_t position_ = 0;
  int line_ = 1;
  Token token_;
};

}  // namespace gpukit::ptx
