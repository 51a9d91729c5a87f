#include "ptx/body_parser.h"

#include "ptx/operand_parser.h"
#include "ptx/variable_parser.h"

namespace gpukit::ptx {

namespace {

using Kind = Token::Kind;

constexpr unsigned kDeepestScope = 200;
constexpr std::size_t kMostRegisters = 1u << 20;
constexpr unsigned kMostFiles = 1u << 16;

class BodyParser {
 public:
  BodyParser(TokenReader& reader, Module& module, Function& function)
      : reader_(reader), module_(module), function_(function) {}

  void run() {
    reader_.expect('{');
    std::vector<int> open{0};
    while (!open.empty()) {
      const int scope = open.back();
      if (reader_.accept('{')) {
        if (open.size() > kDeepestScope) reader_.fail("blocks are nested too deeply");
        function_.scopes.push_back(scope);
        open.push_back(static_cast<int>(function_.scopes.size()) - 1);
      } else if (reader_.accept('}')) {
        open.pop_back();
      } else if (reader_.peek().kind == Kind::kWord) {
        read_body_directive(scope);
      } else if (reader_.peek().kind == Kind::kName && reader_.colon_follows()) {
        read_label(scope);
      } else if (reader_.peek().kind == Kind::kEnd) {
        reader_.unexpected("'}'");
      } else if (!reader_.accept(';')) {
        read_statement(scope);
      }
    }
  }

 private:
  void read_label(int scope) {
    Label label;
    label.name = reader_.take().text;
    label.statement = function_.statements.size();
    label.scope = scope;
    label.line = reader_.peek().line;
    reader_.expect(':');
    if (reader_.peek().is_word("branchtargets") || reader_.peek().is_word("calltargets")) {
      reader_.take();
      label.is_list = true;
      do {
        label.targets.push_back(reader_.take_name("a target"));
      } while (reader_.accept(','));
      reader_.expect(';');
    } else if (reader_.peek().is_word("callprototype")) {
      label.is_list = true;
      reader_.skip_statement();
    }
    function_.labels.push_back(std::move(label));
  }

  void read_body_directive(int scope) {
    const std::string_view word = reader_.peek().text;
    if (word == "loc") {
      reader_.take();
      file_ = static_cast<int>(reader_.take_integer("the number of a file", kMostFiles));
      source_line_ = static_cast<int>(reader_.take_integer("a line", 1u << 30));
      reader_.take_integer("a column");
      return skip_location_rest();
    }
    if (word == "reg") return read_registers(scope);
    if (word == "pragma") return reader_.skip_statement();
    if (word == "file") return read_file(reader_, module_);
    Variable variable;
    variable.scope = scope;
    while (reader_.accept_word("extern")) variable.external = true;
    read_variables(reader_, variable, function_.variables);
  }

  // , function_name $name, inlined_at 1 30 2
  void skip_location_rest() {
    while (reader_.accept(',')) {
      reader_.take();
      while (reader_.peek().kind == Kind::kInteger || reader_.peek().is_mark('+') ||
             (reader_.peek().kind == Kind::kName && reader_.peek().text.front() == '$' &&
              !reader_.colon_follows()))
        reader_.take();
    }
  }

  void read_registers(int scope) {
    reader_.take();
    Variable shape;
    const unsigned vector = read_type(reader_, shape);
    do {
      RegisterRange range;
      range.type = shape.type;
      range.vector = vector;
      range.scope = scope;
      range.line = reader_.peek().line;
      range.name = reader_.take_name("the name of a register");
      if (reader_.accept('<')) {
        range.count =
            static_cast<unsigned>(reader_.take_integer("a number of registers", kMostRegisters));
        reader_.expect('>');
        if (range.count == 0) reader_.fail("a range of no registers");
      }
      function_.registers.push_back(range);
    } while (reader_.accept(','));
    reader_.expect(';');
  }

  void read_statement(int scope) {
    Statement statement;
    statement.scope = scope;
    statement.line = reader_.peek().line;
    statement.file = file_;
    statement.source_line = source_line_;
    if (reader_.accept('@')) {
      statement.guard_negated = reader_.accept('!');
      statement.guard = reader_.take_name("a predicate");
    }
    if (reader_.peek().kind != Kind::kName) reader_.unexpected("an instruction");
    statement.opcode = reader_.take_opcode();
    while (!reader_.accept(';')) {
      if (!statement.operands.empty()) reader_.expect(',');
      statement.operands.push_back(read_operand(reader_));
    }
    function_.statements.push_back(std::move(statement));
  }

  TokenReader& reader_;
  Module& module_;
  Function& function_;
  // Of the last .loc.
  int file_ = 0;
  int source_line_ = 0;
};

}  // namespace

void read_body(TokenReader& reader, Module& module, Function& function) {
  BodyParser(reader, module, function).run();
}

void read_file(TokenReader& reader, Module& module) {
  reader.take();
  const auto number = reader.take_integer("the number of a file", kMostFiles);
  if (reader.peek().kind != Token::Kind::kString) reader.unexpected("the name of a file");
  if (module.files.size() <= number) module.files.resize(number + 1);
  module.files[number] = reader.take().text;
  while (reader.accept(',')) reader.take_integer("a number");
}

}  // namespace gpukit::ptx
