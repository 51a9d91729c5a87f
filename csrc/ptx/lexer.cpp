#include "ptx/lexer.h"

#include <array>
#include <bit>
#include <charconv>
#include <string>

#include "ptx/ptx_error.h"
#include "ptx/types.h"

namespace gpukit::ptx {

namespace {

constexpr std::array<bool, 256> make_name_table() {
  std::array<bool, 256> table{};
  for (int c = 0; c < 256; c++) {
    table[static_cast<std::size_t>(c)] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                         (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
  }
  return table;
}

constexpr std::array<bool, 256> kNameCharacters = make_name_table();

bool in_name(char c) { return kNameCharacters[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace

Lexer::Lexer(std::string_view text) : text_(text) { read(); }

Token Lexer::take() {
  const Token taken = token_;
  read();
  return taken;
}

void Lexer::skip_space() {
  for (;;) {
    const char c = at(position_);
    if (c == '\n') {
      line_++;
      position_++;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      position_++;
    } else if (c == '/' && at(position_ + 1) == '/') {
      const std::size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
    } else if (c == '/' && at(position_ + 1) == '*') {
      const std::size_t end = text_.find("*/", position_ + 2);
      if (end == std::string_view::npos) throw PtxError(line_, "a comment has no end");
      for (; position_ < end + 2; position_++) line_ += text_[position_] == '\n' ? 1 : 0;
    } else {
      return;
    }
  }
}

void Lexer::accept(Token::Kind kind, std::size_t end, std::size_t skipped) {
  token_.kind = kind;
  token_.text = text_.substr(position_ + skipped, end - position_ - skipped);
  position_ = end;
}

void Lexer::read() {
  skip_space();
  token_ = {};
  token_.line = line_;
  const char c = at(position_);
  if (position_ >= text_.size()) return;
  if (is_digit(c)) return read_number();
  if (c == '"') return read_string();
  const std::size_t word = c == '.' ? 1 : 0;
  std::size_t end = position_ + word;
  while (in_name(at(end))) end++;
  if (end > position_ + word)
    accept(word != 0 ? Token::Kind::kWord : Token::Kind::kName, end, word);
  else
    accept(Token::Kind::kMark, position_ + 1);
  // The language's one predefined number; no name of a program can be this.
  if (token_.kind == Token::Kind::kName && token_.text == "WARP_SZ") {
    token_.kind = Token::Kind::kInteger;
    token_.value = kLanes;
  }
}

void Lexer::read_digits(unsigned base, std::size_t from, std::size_t end) {
  std::uint64_t value = 0;
  if (from == end) throw PtxError(line_, "a number has no digits");
  for (std::size_t i = from; i < end; i++) {
    const int digit = digit_value(text_[i]);
    if (digit >= static_cast<int>(base))
      throw PtxError(
          line_, "'" + std::string(text_.substr(position_, end - position_)) + "' is not a number");
    const std::uint64_t next = value * base + static_cast<unsigned>(digit);
    if (value > (~std::uint64_t{0} - static_cast<unsigned>(digit)) / base)
      throw PtxError(line_, "a number has more than 64 bits");
    value = next;
  }
  token_.value = value;
}

void Lexer::read_number() {
  std::size_t end = position_;
  while (in_name(at(end))) end++;
  const char mark = at(position_) == '0' ? at(position_ + 1) : '\0';
  if ((mark == 'f' || mark == 'F') && end == position_ + 10) {
    read_digits(16, position_ + 2, end);
    return accept(Token::Kind::kFloat32, end);
  }
  if ((mark == 'd' || mark == 'D') && end == position_ + 18) {
    read_digits(16, position_ + 2, end);
    return accept(Token::Kind::kFloat64, end);
  }
  const bool hexadecimal = mark == 'x' || mark == 'X';
  const std::string_view digits = text_.substr(position_, end - position_);
  const bool exponent = !hexadecimal && digits.find_first_of("eE") != std::string_view::npos;
  if (at(end) == '.' || exponent) {
    double value = 0;
    const char* first = text_.data() + position_;
    const auto [stop, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc()) throw PtxError(line_, "a number is out of range");
    token_.value = std::bit_cast<std::uint64_t>(value);
    return accept(Token::Kind::kFloat64, position_ + static_cast<std::size_t>(stop - first));
  }
  std::size_t last = end;
  if (last > position_ && at(last - 1) == 'U') last--;
  if (hexadecimal)
    read_digits(16, position_ + 2, last);
  else if ((mark == 'b' || mark == 'B') && last > position_ + 2)
    read_digits(2, position_ + 2, last);
  else if (is_digit(mark))
    read_digits(8, position_ + 1, last);
  else
    read_digits(10, position_, last);
  accept(Token::Kind::kInteger, end);
}

void Lexer::read_string() {
  const std::size_t end = text_.find_first_of("\"\n", position_ + 1);
  if (end == std::string_view::npos || text_[end] == '\n')
    throw PtxError(line_, "a string has no end");
  accept(Token::Kind::kString, end, 1);
  position_++;
}

std::string_view Lexer::take_opcode() {
  // The current token ends at position_.
  const std::size_t start = position_ - token_.text.size();
  std::size_t end = position_;
  for (;;) {
    if (at(end) == '.' || in_name(at(end)))
      end++;
    else if (at(end) == ':' && at(end + 1) == ':')
      end += 2;
    else
      break;
  }
  position_ = end;
  read();
  return text_.substr(start, end - start);
}

bool Lexer::colon_follows() const {
  std::size_t next = position_;
  while (at(next) == ' ' || at(next) == '\t') next++;
  return at(next) == ':' && at(next + 1) != ':';
}

void Lexer::skip_line() {
  const int line = token_.line;
  while (token_.kind != Token::Kind::kEnd && token_.line == line) read();
}

}  // namespace gpukit::ptx
