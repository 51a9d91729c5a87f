// The tokens of a text, with what every part of the parser asks of them.
#pragma once

#include <string>

#include "ptx/lexer.h"
#include "ptx/ptx_error.h"

namespace gpukit::ptx {

class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : lexer_(text) {}

  const Token& peek() const { return lexer_.peek(); }
  Token take() { return lexer_.take(); }
  std::string_view take_opcode() { return lexer_.take_opcode(); }
  bool colon_follows() const { return lexer_.colon_follows(); }
  void skip_line() { lexer_.skip_line(); }

  [[noreturn]] void fail(const std::string& what) const { throw PtxError(peek().line, what); }

  [[noreturn]] void unexpected(const char* wanted) const {
    if (peek().kind == Token::Kind::kEnd)
      fail(std::string("the text ends where ") + wanted + " is due");
    fail("'" + std::string(peek().text) + "' where " + wanted + " is expected");
  }

  bool accept(char mark) {
    if (!peek().is_mark(mark)) return false;
    take();
    return true;
  }

  void expect(char mark) {
    const char wanted[] = {'\'', mark, '\'', '\0'};
    if (!accept(mark)) unexpected(wanted);
  }

  bool accept_word(std::string_view word) {
    if (!peek().is_word(word)) return false;
    take();
    return true;
  }

  std::string_view take_name(const char* what) {
    if (peek().kind != Token::Kind::kName) unexpected(what);
    return take().text;
  }

  std::uint64_t take_integer(const char* what, std::uint64_t most = ~std::uint64_t{0}) {
    if (peek().kind != Token::Kind::kInteger) unexpected(what);
    if (peek().value > most) fail(std::string(what) + " is too large");
    return take().value;
  }

  void skip_parentheses() {
    expect('(');
    while (!accept(')')) {
      if (take().kind == Token::Kind::kEnd) unexpected("')'");
    }
  }

  void skip_statement() {
    while (!peek().is_mark(';')) {
      if (peek().kind == Token::Kind::kEnd) unexpected("';'");
      take();
    }
    take();
  }

 private:
  Lexer lexer_;
};

}  // namespace gpukit::ptx
