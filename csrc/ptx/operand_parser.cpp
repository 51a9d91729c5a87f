#include "ptx/operand_parser.h"

namespace gpukit::ptx {

namespace {

using Kind = Token::Kind;

constexpr unsigned kDeepestOperand = 8;

Operand read_operand(TokenReader& reader, unsigned depth);

Operand read_items(TokenReader& reader, Operand::Kind kind, char end, unsigned depth) {
  Operand operand;
  operand.kind = kind;
  if (reader.accept(end)) return operand;
  do {
    operand.items.push_back(read_operand(reader, depth + 1));
  } while (reader.accept(','));
  reader.expect(end);
  return operand;
}

const char* end_of(std::string_view text) { return text.data() + text.size(); }

Operand read_named(TokenReader& reader) {
  Operand operand;
  const Token token = reader.take();
  if (token.text != "_") {
    operand.kind = Operand::Kind::kName;
    operand.name = token.text;
    // %tid.x: the whole name, dots and all.
    while (reader.peek().kind == Kind::kWord &&
           reader.peek().text.data() == end_of(operand.name) + 1) {
      const Token part = reader.take();
      operand.name = {operand.name.data(), operand.name.size() + 1 + part.text.size()};
    }
  }
  // mov.u64 %rd1, array[0]: the address of an element, of which no compiler names another.
  if (reader.accept('[')) {
    if (reader.take_integer("the number of an element") != 0)
      reader.fail("elements of arrays by number are not run by gpukit; write the offset in bytes");
    reader.expect(']');
  }
  if (reader.accept('|')) operand.second = reader.take_name("a second destination");
  while (reader.peek().is_mark('+') || reader.peek().is_mark('-')) {
    const bool minus = reader.take().is_mark('-');
    const Operand number = read_number(reader);
    operand.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(operand.offset) +
                                               (minus ? ~number.value + 1 : number.value));
  }
  return operand;
}

Operand read_address(TokenReader& reader, unsigned depth) {
  Operand address;
  address.kind = Operand::Kind::kAddress;
  Operand base = read_operand(reader, depth + 1);
  if (base.kind == Operand::Kind::kInteger) {
    address.offset = static_cast<std::int64_t>(base.value);
  } else {
    address.offset = base.offset;
    base.offset = 0;
    address.items.push_back(std::move(base));
  }
  // Of textures and tensors: kept, so that the instruction is refused by its name.
  while (reader.accept(',')) address.items.push_back(read_operand(reader, depth + 1));
  reader.expect(']');
  return address;
}

Operand read_operand(TokenReader& reader, unsigned depth) {
  if (depth > kDeepestOperand) reader.fail("an operand is nested too deeply");
  if (reader.accept('[')) return read_address(reader, depth);
  if (reader.accept('{')) return read_items(reader, Operand::Kind::kVector, '}', depth);
  if (reader.accept('(')) return read_items(reader, Operand::Kind::kList, ')', depth);
  if (reader.accept('!')) {
    Operand operand = read_operand(reader, depth + 1);
    operand.negated = !operand.negated;
    return operand;
  }
  if (reader.peek().kind == Kind::kName) return read_named(reader);
  return read_number(reader);
}

}  // namespace

Operand read_operand(TokenReader& reader) { return read_operand(reader, 0); }

Operand read_number(TokenReader& reader) {
  const bool inverted = reader.accept('~');
  const bool minus = !inverted && reader.accept('-');
  if (!minus && !inverted) reader.accept('+');
  Operand operand;
  const Token token = reader.peek();
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
      reader.unexpected("an operand");
  }
  reader.take();
  return operand;
}

}  // namespace gpukit::ptx
