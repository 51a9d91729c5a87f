#include "ptx/parser.h"

#include <algorithm>
#include <unordered_map>

#include "ptx/body_parser.h"
#include "ptx/token_reader.h"
#include "ptx/variable_parser.h"

namespace gpukit::ptx {

namespace {

using Kind = Token::Kind;

constexpr std::size_t kMostParameters = 4096;

/// Everything outside function bodies: the module's directives and the function headers.
class Parser {
 public:
  explicit Parser(std::unique_ptr<Module> module)
      : module_(std::move(module)), reader_(module_->text) {}

  std::unique_ptr<Module> run() {
    while (reader_.peek().kind != Kind::kEnd) read_directive();
    if (module_->version == 0 || module_->target == 0)
      reader_.fail("the text names no .version or no .target");
    return std::move(module_);
  }

 private:
  void read_directive() {
    const Token token = reader_.peek();
    if (token.kind != Kind::kWord) {
      if (reader_.accept(';')) return;
      reader_.unexpected("a directive");
    }
    if (token.text == "version") return read_version();
    if (token.text == "target") return read_target();
    if (token.text == "address_size") {
      reader_.take();
      if (reader_.take_integer("the address size") != 64)
        reader_.fail("only .address_size 64 is run");
      return;
    }
    if (token.text == "file") return read_file(reader_, *module_);
    if (token.text == "loc") return reader_.skip_line();
    if (token.text == "section") return skip_section();
    if (token.text == "pragma" || token.text == "alias") return reader_.skip_statement();
    read_linked();
  }

  void read_version() {
    reader_.take();
    // 8.8 is read as a number.
    if (reader_.peek().kind != Kind::kFloat64) reader_.unexpected("a version such as 8.8");
    const std::string_view text = reader_.take().text;
    const auto dot = text.find('.');
    const auto digit = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '9' ? text[at] - '0' : 0;
    };
    if (dot != 1) reader_.fail("the version " + std::string(text) + " is unknown");
    module_->version = digit(0) * 10 + digit(dot + 1);
  }

  void read_target() {
    reader_.take();
    do {
      const std::string_view name = reader_.take_name("a target such as sm_75");
      if (name.substr(0, 3) != "sm_") continue;
      std::size_t at = 3;
      int number = 0;
      for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && at < 7; at++)
        number = number * 10 + (name[at] - '0');
      if (number == 0) reader_.fail("the target " + std::string(name) + " is unknown");
      module_->target = number;
      module_->target_specific = at < name.size();
    } while (reader_.accept(','));
  }

  void skip_section() {
    reader_.take();
    if (reader_.peek().kind == Kind::kWord || reader_.peek().kind == Kind::kName) reader_.take();
    reader_.expect('{');
    for (unsigned depth = 1; depth > 0;) {
      const Token token = reader_.take();
      if (token.kind == Kind::kEnd) reader_.unexpected("'}'");
      if (token.is_mark('{')) depth++;
      if (token.is_mark('}')) depth--;
    }
  }

  void read_linked() {
    bool external = false, visible = false;
    for (;;) {
      if (reader_.accept_word("extern"))
        external = true;
      else if (reader_.accept_word("visible") || reader_.accept_word("weak") ||
               reader_.accept_word("common"))
        visible = true;
      else
        break;
    }
    if (reader_.peek().is_word("entry") || reader_.peek().is_word("func")) return read_function();
    Variable variable;
    variable.external = external;
    variable.visible = visible;
    read_variables(reader_, variable, module_->variables);
  }

  void read_function() {
    Function function;
    function.line = reader_.peek().line;
    function.is_entry = reader_.take().text == "entry";
    while (reader_.accept_word("attribute")) reader_.skip_parentheses();
    if (!function.is_entry && reader_.peek().is_mark('(')) read_parameters(function.results);
    function.name = reader_.take_name("the name of a function");
    if (reader_.peek().is_mark('(')) read_parameters(function.parameters);
    read_directives(function);
    if (reader_.peek().is_mark('{')) {
      function.has_body = true;
      read_body(reader_, *module_, function);
    } else {
      reader_.expect(';');
    }
    add(std::move(function));
  }

  void add(Function function) {
    const auto [known, fresh] =
        function_numbers_.try_emplace(function.name, module_->functions.size());
    if (fresh) return module_->functions.push_back(std::move(function));
    Function& before = module_->functions[known->second];
    if (before.has_body && function.has_body)
      throw PtxError(function.line, "'" + std::string(function.name) + "' is defined twice");
    if (function.has_body) before = std::move(function);
  }

  void read_parameters(std::vector<Variable>& parameters) {
    reader_.expect('(');
    if (reader_.accept(')')) return;
    do {
      Variable parameter;
      parameter.space = Space::kParam;
      if (reader_.accept_word("reg"))
        parameter.space = Space::kRegister;
      else if (!reader_.accept_word("param"))
        reader_.unexpected("a parameter");
      const unsigned vector = read_type(reader_, parameter);
      read_declarator(reader_, parameter, vector);
      if (parameter.unsized)
        throw PtxError(parameter.line, "functions with a varying number of parameters are not run");
      parameters.push_back(std::move(parameter));
      if (parameters.size() > kMostParameters) reader_.fail("a function has too many parameters");
    } while (reader_.accept(','));
    reader_.expect(')');
  }

  void read_directives(Function& function) {
    while (reader_.peek().kind == Kind::kWord) {
      const Token token = reader_.take();
      if (token.text == "maxntid" || token.text == "reqntid") {
        std::uint64_t threads = reader_.take_integer("a number of threads", 1u << 20);
        while (reader_.accept(','))
          threads *= reader_.take_integer("a number of threads", 1u << 10);
        function.max_threads = static_cast<unsigned>(std::min<std::uint64_t>(threads, 1u << 20));
        function.exact_threads = token.text == "reqntid";
      } else if (token.text == "maxnreg") {
        function.max_registers =
            static_cast<unsigned>(reader_.take_integer("a number of registers", 1024));
      } else if (token.text == "minnctapersm" || token.text == "maxnctapersm") {
        const auto blocks = reader_.take_integer("a number of blocks", 1u << 20);
        if (token.text == "minnctapersm") function.min_blocks = static_cast<unsigned>(blocks);
      } else if (token.text == "pragma") {
        reader_.skip_statement();
      } else if (token.text == "noreturn" || token.text == "abi_preserve") {
        if (reader_.peek().kind == Kind::kInteger) reader_.take();
      } else {
        throw PtxError(token.line,
                       "the directive ." + std::string(token.text) + " is not run by gpukit");
      }
    }
  }

  std::unique_ptr<Module> module_;
  TokenReader reader_;
  std::unordered_map<std::string_view, std::size_t> function_numbers_;
};

}  // namespace

std::unique_ptr<Module> parse(std::string text) {
  auto module = std::make_unique<Module>();
  module->text = std::move(text);
  return Parser(std::move(module)).run();
}

}  // namespace gpukit::ptx
