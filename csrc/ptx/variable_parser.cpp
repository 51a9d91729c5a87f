#include "ptx/variable_parser.h"

#include <algorithm>

#include "ptx/operand_parser.h"

namespace gpukit::ptx {

namespace {

using Kind = Token::Kind;

constexpr unsigned kDeepestInitialiser = 8;

bool space_named(std::string_view name, Space& space) {
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

Initial read_initial(TokenReader& reader) {
  Initial initial;
  if (reader.peek().kind == Kind::kName) {
    initial.kind = Initial::Kind::kAddress;
    const bool generic = reader.peek().text == "generic";
    initial.name = reader.take().text;
    if (generic && reader.accept('(')) {
      initial.generic = true;
      initial.name = reader.take_name("a variable");
      reader.expect(')');
    }
    while (reader.peek().is_mark('+') || reader.peek().is_mark('-')) {
      const bool minus = reader.take().is_mark('-');
      const std::uint64_t value = reader.take_integer("an offset");
      initial.value += minus ? ~value + 1 : value;
    }
    return initial;
  }
  const Operand number = read_number(reader);
  initial.kind = number.kind == Operand::Kind::kInteger   ? Initial::Kind::kInteger
                 : number.kind == Operand::Kind::kFloat32 ? Initial::Kind::kFloat32
                                                          : Initial::Kind::kFloat64;
  initial.value = number.value;
  return initial;
}

void read_initialiser(TokenReader& reader, Variable& variable, unsigned depth = 0) {
  if (depth > kDeepestInitialiser) reader.fail("an initialiser is nested too deeply");
  if (reader.accept('{')) {
    if (reader.accept('}')) return;
    do {
      read_initialiser(reader, variable, depth + 1);
    } while (reader.accept(','));
    return reader.expect('}');
  }
  variable.values.push_back(read_initial(reader));
  const std::uint64_t room = variable.bytes / std::max(1u, bytes_of(variable.type));
  if (variable.unsized)
    variable.bytes = variable.values.size() * bytes_of(variable.type);
  else if (variable.values.size() > room)
    reader.fail("'" + std::string(variable.name) + "' has more initial values than elements");
}

}  // namespace

void read_variables(TokenReader& reader, Variable variable, std::vector<Variable>& into) {
  if (reader.peek().kind != Kind::kWord || !space_named(reader.peek().text, variable.space)) {
    if (reader.peek().kind == Kind::kWord)
      reader.fail("the directive ." + std::string(reader.peek().text) + " is not run by gpukit");
    reader.unexpected("a directive");
  }
  reader.take();
  if (reader.peek().is_mark('[')) reader.fail("banks of constants are not run by gpukit");
  const unsigned vector = read_type(reader, variable);
  do {
    Variable one = variable;
    read_declarator(reader, one, vector);
    if (reader.accept('=')) read_initialiser(reader, one);
    into.push_back(std::move(one));
  } while (reader.accept(','));
  reader.expect(';');
}

unsigned read_type(TokenReader& reader, Variable& variable) {
  unsigned vector = 1, align = 0;
  for (;;) {
    if (reader.peek().kind != Kind::kWord) reader.unexpected("a type");
    const Token token = reader.take();
    if (token.text == "align") {
      align = static_cast<unsigned>(reader.take_integer("an alignment", 1u << 20));
      if (align == 0 || (align & (align - 1)) != 0)
        reader.fail("an alignment must be a power of two");
    } else if (token.text == "v2" || token.text == "v4" || token.text == "v8") {
      vector = static_cast<unsigned>(token.text[1] - '0');
    } else if (token.text == "attribute") {
      reader.skip_parentheses();
    } else if (token.text == "ptr") {
      Space ignored;
      if (reader.peek().kind == Kind::kWord && space_named(reader.peek().text, ignored))
        reader.take();
    } else {
      const Type type = type_named(token.text);
      if (type == Type::kNone)
        throw PtxError(token.line,
                       "the type ." + std::string(token.text) + " is not run by gpukit");
      variable.type = type;
      // Behind the type: .param .u64 .ptr .global .align 4 name
      if (reader.peek().is_word("ptr")) {
        while (reader.peek().kind == Kind::kWord) {
          if (reader.take().text == "align") reader.take_integer("an alignment");
        }
      }
      break;
    }
  }
  variable.line = reader.peek().line;
  variable.align = std::max({align, bytes_of(variable.type), 1u});
  if (vector > 1) variable.align = std::max(variable.align, vector * bytes_of(variable.type));
  return vector;
}

void read_declarator(TokenReader& reader, Variable& variable, unsigned vector) {
  variable.line = reader.peek().line;
  variable.name = reader.take_name("the name of a variable");
  if (variable.type == Type::kPred) reader.fail("a predicate is a register, and no variable");
  std::uint64_t count = vector;
  bool first = true;
  while (reader.accept('[')) {
    variable.is_array = true;
    if (first && reader.accept(']')) {
      variable.unsized = true;
      first = false;
      continue;
    }
    first = false;
    const std::uint64_t length = reader.take_integer("the length of an array", kMostVariableBytes);
    reader.expect(']');
    if (length != 0 && count > kMostVariableBytes / length) reader.fail("the array is too large");
    count *= length;
  }
  variable.bytes = variable.unsized ? 0 : count * bytes_of(variable.type);
  if (variable.bytes > kMostVariableBytes) reader.fail("the array is too large");
}

}  // namespace gpukit::ptx
