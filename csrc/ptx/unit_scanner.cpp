#include "ptx/unit_scanner.h"

#include <algorithm>
#include <cstdlib>

#include "ptx/lexer.h"
#include "ptx/ptx_error.h"

namespace gpukit::ptx {

namespace {

using Kind = Token::Kind;

class Scanner {
 public:
  explicit Scanner(Unit& unit) : unit_(unit), lexer_(unit.text) {}

  void run() {
    while (lexer_.peek().kind != Kind::kEnd) read_item();
  }

 private:
  void read_item() {
    const std::size_t begin = begin_of(lexer_.peek());
    const std::string_view word = lexer_.peek().kind == Kind::kWord ? lexer_.peek().text : "";
    if (word == "version") {
      take();
      unit_.version_text = take().text;
      unit_.version =
          static_cast<int>(std::atof(std::string(unit_.version_text).c_str()) * 10 + 0.5);
      return skip(begin);
    }
    if (word == "target") return read_target(begin);
    if (word == "address_size") {
      take();
      take();
      return skip(begin);
    }
    if (word == "file") return read_file();
    if (word == "loc") return read_location();
    if (word == "section") return skip_section(begin);
    if (word == "pragma" || word == "alias" || word.empty()) return skip_statement();
    read_symbol(begin);
  }

  void read_target(std::size_t begin) {
    take();
    for (;;) {
      const Token name = take();
      if (name.text.substr(0, 3) == "sm_") {
        unit_.target = name.text;
        unit_.target_number = std::atoi(std::string(name.text.substr(3)).c_str());
      }
      if (!lexer_.peek().is_mark(',')) break;
      take();
    }
    skip(begin);
  }

  void read_file() {
    take();
    read_file_number();
    take();  // the name
    while (lexer_.peek().is_mark(',')) {
      take();
      take();
    }
  }

  // .loc 1 30 5, function_name $name, inlined_at 1 7 3
  void read_location() {
    take();
    read_file_number();
    take();
    take();
    while (lexer_.peek().is_mark(',')) {
      take();
      const bool inlined = take().text == "inlined_at";
      if (inlined) {
        read_file_number();
        take();
        take();
      } else {
        take();  // the label of a name
        if (!lexer_.peek().is_mark('+')) continue;
        take();
        take();
      }
    }
  }

  void read_file_number() {
    const Token token = take();
    if (token.kind != Kind::kInteger) return;
    unit_.file_numbers.push_back({token.value, span_of(token)});
    unit_.highest_file = std::max(unit_.highest_file, token.value);
  }

  void skip_section(std::size_t begin) {
    while (!lexer_.peek().is_mark('{') && lexer_.peek().kind != Kind::kEnd) take();
    skip_braces(false);
    skip(begin);
  }

  void skip_statement() {
    while (!lexer_.peek().is_mark(';') && lexer_.peek().kind != Kind::kEnd) take_mentioned();
    take();
  }

  void read_symbol(std::size_t begin) {
    Symbol symbol;
    while (lexer_.peek().kind == Kind::kWord) {
      const std::string_view word = lexer_.peek().text;
      if (word == "extern")
        symbol.external = true;
      else if (word == "visible")
        symbol.visible = true;
      else if (word == "weak" || word == "common")
        symbol.weak = true;
      else
        break;
      take();
    }
    symbol.is_entry = lexer_.peek().is_word("entry");
    symbol.is_function = symbol.is_entry || lexer_.peek().is_word("func");
    const std::size_t first = unit_.symbols.size();
    if (symbol.is_function)
      read_function(symbol);
    else
      read_variables(symbol);
    for (std::size_t i = first; i < unit_.symbols.size(); i++) {
      unit_.symbols[i].item = {begin, end_};
      unit_.symbols[i].stands_alone = unit_.symbols.size() == first + 1;
    }
  }

  void read_function(Symbol symbol) {
    take();
    while (lexer_.peek().is_word("attribute")) {
      take();
      skip_parentheses();
    }
    if (lexer_.peek().is_mark('(')) skip_parentheses();
    symbol.line = lexer_.peek().line;
    symbol.name = take_mentioned().text;
    while (!lexer_.peek().is_mark('{') && !lexer_.peek().is_mark(';') &&
           lexer_.peek().kind != Kind::kEnd)
      take_mentioned();
    symbol.has_body = lexer_.peek().is_mark('{');
    if (symbol.has_body)
      skip_braces(true);
    else
      take();
    unit_.symbols.push_back(symbol);
  }

  // .global .align 4 .u32 a[2] = {1, 2}, b = generic(a);
  void read_variables(const Symbol& shape) {
    bool name_is_due = true;
    unsigned depth = 0;
    while (lexer_.peek().kind != Kind::kEnd) {
      const Token token = take_mentioned();
      if (token.kind == Kind::kName && name_is_due && depth == 0) {
        Symbol symbol = shape;
        symbol.name = token.text;
        symbol.line = token.line;
        unit_.symbols.push_back(symbol);
        name_is_due = false;
      }
      if (token.is_mark('{') || token.is_mark('(') || token.is_mark('[')) depth++;
      if (token.is_mark('}') || token.is_mark(')') || token.is_mark(']')) depth -= depth > 0;
      if (token.is_mark(',') && depth == 0) name_is_due = true;
      if (token.is_mark(';') && depth == 0) return;
    }
  }

  void skip_parentheses() {
    while (lexer_.peek().kind != Kind::kEnd) {
      if (take_mentioned().is_mark(')')) return;
    }
  }

  void skip_braces(bool is_body) {
    unsigned depth = 0;
    while (lexer_.peek().kind != Kind::kEnd) {
      if (is_body && lexer_.peek().is_word("loc")) {
        read_location();
        continue;
      }
      if (is_body && lexer_.peek().is_word("file")) {
        read_file();
        continue;
      }
      const Token token = is_body ? take_mentioned() : take();
      if (token.is_mark('{')) depth++;
      if (token.is_mark('}') && --depth == 0) return;
    }
  }

  Token take_mentioned() {
    const Token token = take();
    // Registers and opcodes are no names of the module.
    if (token.kind == Kind::kName && token.text.front() != '%' && end_ < unit_.text.size() &&
        unit_.text[end_] != '.')
      unit_.mentions.push_back({token.text, span_of(token)});
    return token;
  }

  Token take() {
    const Token token = lexer_.take();
    end_ = span_of(token).end;
    return token;
  }

  Span span_of(const Token& token) const {
    const std::size_t begin = offset_of(token);
    return {begin, begin + token.text.size() + (token.kind == Kind::kString ? 1 : 0)};
  }

  /// With the dot or the quotation mark, which the token's text lacks.
  std::size_t begin_of(const Token& token) const {
    const bool marked = token.kind == Kind::kWord || token.kind == Kind::kString;
    return offset_of(token) - (marked ? 1 : 0);
  }

  std::size_t offset_of(const Token& token) const {
    if (token.kind == Kind::kEnd) return unit_.text.size();
    return static_cast<std::size_t>(token.text.data() - unit_.text.data());
  }

  void skip(std::size_t begin) { unit_.left_out.push_back({begin, end_}); }

  Unit& unit_;
  Lexer lexer_;
  std::size_t end_ = 0;
};

}  // namespace

Unit scan_unit(std::string name, std::string_view text) {
  Unit unit;
  unit.name = std::move(name);
  unit.text = text;
  Scanner(unit).run();
  return unit;
}

}  // namespace gpukit::ptx
