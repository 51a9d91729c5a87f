#include "ptx/parser.h"

#include <algorithm>

#include "ptx/lexer.h"
#include "ptx/ptx_error.h"

namespace gpukit::ptx {

namespace {

using Kind = Token::Kind;

constexpr unsigned kDeepestScope = 200;
constexpr unsigned kDeepestOperand = 8;
constexpr std::size_t kMostParameters = 4096;
constexpr std::size_t kMostRegisters = 1u << 20;
constexpr std::uint64_t kMostVariableBytes = std::uint64_t{1} << 32;
constexpr unsigned kMostFiles = 1u << 16;

class Parser {
 public:
  explicit Parser(std::string text) : module_(std::make_unique<Module>()) {
    module_->text = std::move(text);
  }

  std::unique_ptr<Module> run() {
    Lexer lexer(module_->text);
    lexer_ = &lexer;
    while (peek().kind != Kind::kEnd) read_directive();
    if (module_->version == 0 || module_->target == 0)
      fail("the text names no .version or no .target");
    return std::move(module_);
  }

 private:
  // ---- tokens

  const Token& peek() const { return lexer_->peek(); }
  Token take() { return lexer_->take(); }

  [[noreturn]] void fail(const std::string& what) const { throw PtxError(peek().line, what); }

  [[noreturn]] void unexpected(const char* wanted) const {
    if (peek().kind == Kind::kEnd) fail(std::string("the text ends where ") + wanted + " is due");
    fail("'" + std::string(peek().text) + "' stands where " + wanted + " is due");
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
    if (peek().kind != Kind::kName) unexpected(what);
    return take().text;
  }

  std::uint64_t take_integer(const char* what, std::uint64_t most = ~std::uint64_t{0}) {
    if (peek().kind != Kind::kInteger) unexpected(what);
    if (peek().value > most) fail(std::string(what) + " is too large");
    return take().value;
  }

  // ---- the module

  void read_directive() {
    const Token token = peek();
    if (token.kind != Kind::kWord) {
      if (accept(';')) return;
      unexpected("a directive");
    }
    if (token.text == "version") return read_version();
    if (token.text == "target") return read_target();
    if (token.text == "address_size") {
      take();
      if (take_integer("the address size") != 64) fail("only .address_size 64 is run");
      return;
    }
    if (token.text == "file") return read_file();
    if (token.text == "loc") return lexer_->skip_line();
    if (token.text == "section") return skip_section();
    if (token.text == "pragma" || token.text == "alias") return skip_statement();
    read_linked();
  }

  void read_version() {
    take();
    // 8.8 is read as a number.
    if (peek().kind != Kind::kFloat64) unexpected("a version such as 8.8");
    const std::string_view text = take().text;
    const auto dot = text.find('.');
    const auto digit = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '9' ? text[at] - '0' : 0;
    };
    if (dot != 1) fail("the version " + std::string(text) + " is unknown");
    module_->version = digit(0) * 10 + digit(dot + 1);
  }

  void read_target() {
    take();
    do {
      const std::string_view name = take_name("a target such as sm_75");
      if (name.substr(0, 3) != "sm_") continue;
      std::size_t at = 3;
      int number = 0;
      for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && at < 7; at++)
        number = number * 10 + (name[at] - '0');
      if (number == 0) fail("the target " + std::string(name) + " is unknown");
      module_->target = number;
      module_->target_specific = at < name.size();
    } while (accept(','));
  }

  void read_file() {
    take();
    const auto number = take_integer("the number of a file", kMostFiles);
    if (peek().kind != Kind::kString) unexpected("the name of a file");
    if (module_->files.size() <= number) module_->files.resize(number + 1);
    module_->files[number] = take().text;
    while (accept(',')) take_integer("a number");
  }

  void skip_section() {
    take();
    if (peek().kind == Kind::kWord || peek().kind == Kind::kName) take();
    expect('{');
    for (unsigned depth = 1; depth > 0;) {
      const Token token = take();
      if (token.kind == Kind::kEnd) unexpected("'}'");
      if (token.is_mark('{')) depth++;
      if (token.is_mark('}')) depth--;
    }
  }

  void skip_statement() {
    while (!peek().is_mark(';')) {
      if (peek().kind == Kind::kEnd) unexpected("';'");
      take();
    }
    take();
  }

  void read_linked() {
    bool external = false, visible = false;
    for (;;) {
      if (accept_word("extern"))
        external = true;
      else if (accept_word("visible") || accept_word("weak") || accept_word("common"))
        visible = true;
      else
        break;
    }
    if (peek().is_word("entry") || peek().is_word("func")) return read_function();
    Variable variable;
    variable.external = external;
    variable.visible = visible;
    read_variables(variable, module_->variables);
  }

  // ---- variables

  static bool space_named(std::string_view name, Space& space) {
    if (name == "global")
      space = Space::kGlobal;
    else if (name == "shared")
      space = Space::kShared;
    else if (name == "local")
      space = Space::kLocal;
    else if (name == "const")
      space = Space::kConst;
    else if (name == "param")
      space = Space::kParam;
    else
      return false;
    return true;
  }

  // .global .align 8 .u32 name[4] = {...}, other;
  void read_variables(Variable variable, std::vector<Variable>& into) {
    if (peek().kind != Kind::kWord || !space_named(peek().text, variable.space)) {
      if (peek().kind == Kind::kWord)
        fail("the directive ." + std::string(peek().text) + " is not run by gpukit");
      unexpected("a directive");
    }
    take();
    if (peek().is_mark('[')) fail("banks of constants are not run by gpukit");
    const unsigned vector = read_type(variable);
    do {
      Variable one = variable;
      read_declarator(one, vector);
      if (accept('=')) read_initialiser(one);
      into.push_back(std::move(one));
    } while (accept(','));
    expect(';');
  }

  /// Alignment, attributes, vector and type; gives the vector's length.
  unsigned read_type(Variable& variable) {
    unsigned vector = 1, align = 0;
    for (;;) {
      if (peek().kind != Kind::kWord) unexpected("a type");
      const Token token = take();
      if (token.text == "align") {
        align = static_cast<unsigned>(take_integer("an alignment", 1u << 20));
        if (align == 0 || (align & (align - 1)) != 0) fail("an alignment must be a power of two");
      } else if (token.text == "v2" || token.text == "v4" || token.text == "v8") {
        vector = static_cast<unsigned>(token.text[1] - '0');
      } else if (token.text == "attribute") {
        skip_parentheses();
      } else if (token.text == "ptr") {
        Space ignored;
        if (peek().kind == Kind::kWord && space_named(peek().text, ignored)) take();
      } else {
        const Type type = type_named(token.text);
        if (type == Type::kNone)
          throw PtxError(token.line,
                         "the type ." + std::string(token.text) + " is not run by gpukit");
        variable.type = type;
        // Behind the type: .param .u64 .ptr .global .align 4 name
        if (peek().is_word("ptr")) {
          while (peek().kind == Kind::kWord) {
            if (take().text == "align") take_integer("an alignment");
          }
        }
        break;
      }
    }
    variable.line = peek().line;
    variable.align = std::max({align, bytes_of(variable.type), 1u});
    if (vector > 1) variable.align = std::max(variable.align, vector * bytes_of(variable.type));
    return vector;
  }

  void skip_parentheses() {
    expect('(');
    while (!accept(')')) {
      if (take().kind == Kind::kEnd) unexpected("')'");
    }
  }

  void read_declarator(Variable& variable, unsigned vector) {
    variable.line = peek().line;
    variable.name = take_name("the name of a variable");
    std::uint64_t count = vector;
    bool first = true;
    while (accept('[')) {
      variable.is_array = true;
      if (first && accept(']')) {
        variable.unsized = true;
        first = false;
        continue;
      }
      first = false;
      const std::uint64_t length = take_integer("the length of an array", kMostVariableBytes);
      expect(']');
      if (length != 0 && count > kMostVariableBytes / length) fail("the array is too large");
      count *= length;
    }
    variable.bytes = variable.unsized ? 0 : count * bytes_of(variable.type);
    if (variable.bytes > kMostVariableBytes) fail("the array is too large");
  }

  void read_initialiser(Variable& variable, unsigned depth = 0) {
    if (depth > kDeepestOperand) fail("an initialiser is nested too deeply");
    if (accept('{')) {
      if (accept('}')) return;
      do {
        read_initialiser(variable, depth + 1);
      } while (accept(','));
      return expect('}');
    }
    variable.values.push_back(read_initial());
    const std::uint64_t room = variable.bytes / std::max(1u, bytes_of(variable.type));
    if (variable.unsized)
      variable.bytes = variable.values.size() * bytes_of(variable.type);
    else if (variable.values.size() > room)
      fail("'" + std::string(variable.name) + "' has more initial values than elements");
  }

  Initial read_initial() {
    Initial initial;
    if (peek().kind == Kind::kName) {
      initial.kind = Initial::Kind::kAddress;
      const bool generic = peek().text == "generic";
      initial.name = take().text;
      if (generic && accept('(')) {
        initial.generic = true;
        initial.name = take_name("a variable");
        expect(')');
      }
      while (peek().is_mark('+') || peek().is_mark('-')) {
        const bool minus = take().is_mark('-');
        const std::uint64_t value = take_integer("an offset");
        initial.value += minus ? ~value + 1 : value;
      }
      return initial;
    }
    const Operand number = read_number();
    initial.kind = number.kind == Operand::Kind::kInteger   ? Initial::Kind::kInteger
                   : number.kind == Operand::Kind::kFloat32 ? Initial::Kind::kFloat32
                                                            : Initial::Kind::kFloat64;
    initial.value = number.value;
    return initial;
  }

  // ---- functions

  void read_function() {
    Function function;
    function.line = peek().line;
    function.is_entry = take().text == "entry";
    while (accept_word("attribute")) skip_parentheses();
    if (!function.is_entry && peek().is_mark('(')) read_parameters(function.results);
    function.name = take_name("the name of a function");
    if (peek().is_mark('(')) read_parameters(function.parameters);
    read_function_directives(function);
    if (peek().is_mark('{')) {
      function.has_body = true;
      read_body(function);
    } else {
      expect(';');
    }
    add_function(std::move(function));
  }

  void add_function(Function function) {
    for (Function& known : module_->functions) {
      if (known.name != function.name) continue;
      if (known.has_body && function.has_body)
        throw PtxError(function.line, "'" + std::string(function.name) + "' is defined twice");
      if (function.has_body) known = std::move(function);
      return;
    }
    module_->functions.push_back(std::move(function));
  }

  void read_parameters(std::vector<Variable>& parameters) {
    expect('(');
    if (accept(')')) return;
    do {
      Variable parameter;
      parameter.space = Space::kParam;
      if (accept_word("reg"))
        parameter.space = Space::kRegister;
      else if (!accept_word("param"))
        unexpected("a parameter");
      const unsigned vector = read_type(parameter);
      read_declarator(parameter, vector);
      if (parameter.unsized)
        throw PtxError(parameter.line, "functions with a varying number of parameters are not run");
      parameters.push_back(std::move(parameter));
      if (parameters.size() > kMostParameters) fail("a function has too many parameters");
    } while (accept(','));
    expect(')');
  }

  void read_function_directives(Function& function) {
    while (peek().kind == Kind::kWord) {
      const Token token = take();
      if (token.text == "maxntid" || token.text == "reqntid") {
        std::uint64_t threads = take_integer("a number of threads", 1u << 20);
        while (accept(',')) threads *= take_integer("a number of threads", 1u << 10);
        function.max_threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, 1u << 20));
        function.exact_threads = token.text == "reqntid";
      } else if (token.text == "maxnreg") {
        function.max_registers = static_cast<unsigned>(take_integer("a number of registers", 1024));
      } else if (token.text == "minnctapersm" || token.text == "maxnctapersm") {
        take_integer("a number of blocks");
      } else if (token.text == "pragma") {
        skip_statement();
      } else if (token.text == "noreturn" || token.text == "abi_preserve") {
        if (peek().kind == Kind::kInteger) take();
      } else {
        throw PtxError(token.line,
                       "the directive ." + std::string(token.text) + " is not run by gpukit");
      }
    }
  }

  // ---- bodies

  void read_body(Function& function) {
    expect('{');
    std::vector<int> open{0};
    file_ = source_line_ = 0;
    while (!open.empty()) {
      const int scope = open.back();
      if (accept('{')) {
        if (open.size() > kDeepestScope) fail("blocks are nested too deeply");
        function.scopes.push_back(scope);
        open.push_back(static_cast<int>(function.scopes.size()) - 1);
      } else if (accept('}')) {
        open.pop_back();
      } else if (peek().kind == Kind::kWord) {
        read_body_directive(function, scope);
      } else if (peek().kind == Kind::kName && lexer_->colon_follows()) {
        read_label(function, scope);
      } else if (peek().kind == Kind::kEnd) {
        unexpected("'}'");
      } else if (!accept(';')) {
        read_statement(function, scope);
      }
    }
  }

  void read_label(Function& function, int scope) {
    Label label;
    label.name = take().text;
    label.statement = function.statements.size();
    label.scope = scope;
    expect(':');
    if (peek().is_word("branchtargets") || peek().is_word("calltargets")) {
      take();
      label.is_list = true;
      do {
        label.targets.push_back(take_name("a target"));
      } while (accept(','));
      expect(';');
    } else if (peek().is_word("callprototype")) {
      label.is_list = true;
      skip_statement();
    }
    function.labels.push_back(std::move(label));
  }

  void read_body_directive(Function& function, int scope) {
    const std::string_view word = peek().text;
    if (word == "loc") {
      take();
      file_ = static_cast<int>(take_integer("the number of a file", kMostFiles));
      source_line_ = static_cast<int>(take_integer("a line", 1u << 30));
      take_integer("a column");
      return skip_location_rest();
    }
    if (word == "reg") return read_registers(function, scope);
    if (word == "pragma") return skip_statement();
    if (word == "file") return read_file();
    Variable variable;
    variable.scope = scope;
    while (accept_word("extern")) variable.external = true;
    read_variables(variable, function.variables);
  }

  // , function_name $name, inlined_at 1 30 2
  void skip_location_rest() {
    while (accept(',')) {
      take();
      while (peek().kind == Kind::kInteger || peek().is_mark('+') ||
             (peek().kind == Kind::kName && peek().text.front() == '$' && !lexer_->colon_follows()))
        take();
    }
  }

  void read_registers(Function& function, int scope) {
    take();
    Variable shape;
    const unsigned vector = read_type(shape);
    do {
      RegisterRange range;
      range.type = shape.type;
      range.vector = vector;
      range.scope = scope;
      range.line = peek().line;
      range.name = take_name("the name of a register");
      if (accept('<')) {
        range.count = static_cast<unsigned>(take_integer("a number of registers", kMostRegisters));
        expect('>');
        if (range.count == 0) fail("a range of no registers");
      }
      function.registers.push_back(range);
    } while (accept(','));
    expect(';');
  }

  void read_statement(Function& function, int scope) {
    Statement statement;
    statement.scope = scope;
    statement.line = peek().line;
    statement.file = file_;
    statement.source_line = source_line_;
    if (accept('@')) {
      statement.guard_negated = accept('!');
      statement.guard = take_name("a predicate");
    }
    if (peek().kind != Kind::kName) unexpected("an instruction");
    statement.opcode = lexer_->take_opcode();
    while (!accept(';')) {
      if (!statement.operands.empty()) expect(',');
      statement.operands.push_back(read_operand(0));
    }
    function.statements.push_back(std::move(statement));
  }

  // ---- operands

  Operand read_operand(unsigned depth) {
    if (depth > kDeepestOperand) fail("an operand is nested too deeply");
    if (accept('[')) return read_address(depth);
    if (accept('{')) return read_items(Operand::Kind::kVector, '}', depth);
    if (accept('(')) return read_items(Operand::Kind::kList, ')', depth);
    if (accept('!')) {
      Operand operand = read_operand(depth + 1);
      operand.negated = !operand.negated;
      return operand;
    }
    if (peek().kind == Kind::kName) return read_named();
    return read_number();
  }

  Operand read_items(Operand::Kind kind, char end, unsigned depth) {
    Operand operand;
    operand.kind = kind;
    if (accept(end)) return operand;
    do {
      operand.items.push_back(read_operand(depth + 1));
    } while (accept(','));
    expect(end);
    return operand;
  }

  Operand read_named() {
    Operand operand;
    const Token token = take();
    if (token.text != "_") {
      operand.kind = Operand::Kind::kName;
      operand.name = token.text;
      // %tid.x: the whole name, dots and all.
      while (peek().kind == Kind::kWord && peek().text.data() == end_of(operand.name) + 1) {
        const Token part = take();
        operand.name = {operand.name.data(), operand.name.size() + 1 + part.text.size()};
      }
    }
    if (accept('|')) operand.second = take_name("a second destination");
    while (peek().is_mark('+') || peek().is_mark('-')) {
      const bool minus = take().is_mark('-');
      const Operand number = read_number();
      operand.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.offset) +
                                                 (minus ? ~number.value + 1 : number.value));
    }
    return operand;
  }

  static const char* end_of(std::string_view text) { return text.data() + text.size(); }

  Operand read_address(unsigned depth) {
    Operand address;
    address.kind = Operand::Kind::kAddress;
    Operand base = read_operand(depth + 1);
    if (base.kind == Operand::Kind::kInteger) {
      address.offset = static_cast<std::int64_t>(base.value);
    } else {
      address.offset = base.offset;
      base.offset = 0;
      address.items.push_back(std::move(base));
    }
    if (accept(',')) fail("texture and multi-part addresses are not run by gpukit");
    expect(']');
    return address;
  }

  Operand read_number() {
    const bool inverted = accept('~');
    const bool minus = !inverted && accept('-');
    if (!minus && !inverted) accept('+');
    Operand operand;
    const Token token = peek();
    switch (token.kind) {
      case Kind::kInteger:
        operand.kind = Operand::Kind::kInteger;
        operand.value = minus ? ~token.value + 1 : inverted ? ~token.value : token.value;
        break;
      case Kind::kFloat32:
        operand.kind = Operand::Kind::kFloat32;
        operand.value = token.value ^ (minus ? std::uint64_t{1} << 31 : 0);
        break;
      case Kind::kFloat64:
        operand.kind = Operand::Kind::kFloat64;
        operand.value = token.value ^ (minus ? std::uint64_t{1} << 63 : 0);
        break;
      default:
        unexpected("an operand");
    }
    take();
    return operand;
  }

  std::unique_ptr<Module> module_;
  Lexer* lexer_ = nullptr;
  int file_ = 0;
  int source_line_ = 0;
};

}  // namespace

std::unique_ptr<Module> parse(std::string text) { return Parser(std::move(text)).run(); }

}  // namespace gpukit::ptx
