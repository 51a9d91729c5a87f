// Decodes the operands of an instruction: registers, constants, addresses and labels.
#include <algorithm>
#include <bit>

#include "base/numeric.h"
#include "ptx/decoder.h"
#include "ptx/special_registers.h"
#include "ptx/warp.h"

namespace gpukit::ptx {

namespace {

constexpr std::uint32_t kRegisterAlign = 64;
constexpr std::uint32_t kMostFrameBytes = 16u << 20;
constexpr std::uint64_t kMostSharedBytes = 256u << 10;

void invert(Warp& warp, const Instruction& in, Mask) {
  warp.predicate(in.d) = ~warp.predicate(in.a);
}

void read_changing(Warp& warp, const Instruction& in, Mask) {
  read_special(warp, static_cast<Special>(in.immediate), warp.frame + in.d);
}

}  // namespace

Decoder::Symbol* Decoder::find_symbol(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') digits--;
  const std::string_view stem = name.substr(0, digits);
  const std::string_view number = name.substr(digits);
  const bool numbered =
      !number.empty() && number.size() < 8 && (number.size() == 1 || number.front() != '0');
  std::uint32_t value = 0;
  for (const char c : number.substr(0, numbered ? number.size() : 0))
    value = value * 10 + static_cast<std::uint32_t>(c - '0');
  for (int scope = statement_ != nullptr ? statement_->scope : 0; scope >= 0;
       scope = function_->scopes[static_cast<std::size_t>(scope)]) {
    Scope& names = scopes_[static_cast<std::size_t>(scope)];
    const auto exact = names.find(name);
    if (exact != names.end() && exact->second.kind != Symbol::Kind::kRange) return &exact->second;
    if (!numbered) continue;
    const auto range = names.find(stem);
    if (range == names.end() || range->second.kind != Symbol::Kind::kRange) continue;
    if (value >= range->second.count) continue;
    Symbol symbol;
    symbol.slot = range->second.slot;
    return &names.insert_or_assign(name, symbol).first->second;
  }
  return nullptr;
}

std::uint32_t Decoder::allocate(unsigned bytes) {
  const std::uint32_t slot = frame_bytes_;
  frame_bytes_ += std::max(bytes * kLanes, kRegisterAlign);
  if (frame_bytes_ > kMostFrameBytes) fail("the function uses too many registers");
  return slot;
}

std::uint32_t Decoder::scratch(unsigned bytes) { return allocate(bytes); }

const RegisterSlot* Decoder::register_of(const Operand& operand) {
  if (operand.kind != Operand::Kind::kName) return nullptr;
  Symbol* symbol = find_symbol(operand.name);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::kRegister) return nullptr;
  if (symbol->slot.offset == kNowhere)
    symbol->slot.offset = allocate(register_bytes(symbol->slot.type));
  return &symbol->slot;
}

bool Decoder::find_special(std::string_view name, std::uint32_t& offset, Type& type) {
  const SpecialRegister* special = find_special_register(name);
  if (special == nullptr) return false;
  type = special->type;
  if (!special->changes) {
    offset =
        add(Constant::Kind::kSpecial, bytes_of(type), static_cast<std::uint64_t>(special->number));
    return true;
  }
  Instruction read;
  read.run = read_changing;
  read.d = offset = allocate(bytes_of(type));
  read.immediate = static_cast<std::int64_t>(special->number);
  emit(read);
  return true;
}

std::uint32_t Decoder::source(const Operand& operand, Type type) {
  if (type == Type::kPred) return predicate(operand);
  if (const RegisterSlot* slot = register_of(operand)) {
    if (register_bytes(slot->type) != register_bytes(type) || operand.negated)
      fail("'" + std::string(operand.name) + "' is a register of ." +
           std::string(name_of(slot->type)) + " where ." + std::string(name_of(type)) + " is due");
    return slot->offset;
  }
  if (operand.kind != Operand::Kind::kName) return literal(operand, type);
  std::uint32_t offset = 0;
  Type found = Type::kNone;
  if (find_special(operand.name, offset, found)) {
    if (bytes_of(found) == bytes_of(type)) return offset;
    fail("'" + std::string(operand.name) + "' has ." + std::string(name_of(found)));
  }
  return variable_source(operand.name, operand.offset, register_bytes(type));
}

std::uint32_t Decoder::literal(const Operand& operand, Type type) {
  const unsigned bytes = register_bytes(type);
  const bool real =
      operand.kind == Operand::Kind::kFloat32 || operand.kind == Operand::Kind::kFloat64;
  if (!real && operand.kind != Operand::Kind::kInteger)
    fail("an operand is not a register or number");
  if (operand.negated) fail("a number cannot be negated by '!'");
  std::uint64_t value = operand.value;
  if (real) {
    if (bytes == 2) fail("a 16-bit operand cannot be a floating-point number");
    value = float_literal(value, operand.kind == Operand::Kind::kFloat32, bytes);
  } else if (type == Type::kF32 || type == Type::kF64) {
    fail("an integer where a floating-point number is expected");
  }
  return constant(bytes, value);
}

std::uint32_t Decoder::constant(unsigned bytes, std::uint64_t value) {
  return add(Constant::Kind::kValue, bytes,
             bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1));
}

std::uint32_t Decoder::parameter_constant(unsigned bytes, std::uint64_t offset) {
  if (offset > kernel_.parameter_bytes || bytes > kernel_.parameter_bytes - offset)
    fail("a parameter is read beyond the end of the parameters");
  return add(Constant::Kind::kParameter, bytes, offset);
}

std::uint32_t Decoder::carry() {
  if (carry_ == kNowhere) carry_ = allocate(0);
  return carry_;
}

std::uint32_t Decoder::add(Constant::Kind kind, unsigned bytes, std::uint64_t value) {
  const auto [known, fresh] = constants_.try_emplace({kind, bytes, value}, 0);
  if (!fresh) return known->second;
  Constant constant;
  constant.kind = kind;
  constant.bytes = static_cast<std::uint8_t>(bytes);
  constant.value = value;
  constant.offset = known->second = allocate(bytes);
  constant_list_.push_back(constant);
  return constant.offset;
}

std::uint32_t Decoder::variable_source(std::string_view name, std::int64_t offset, unsigned bytes) {
  const auto shift = static_cast<std::uint64_t>(offset);
  if (Symbol* symbol = find_symbol(name)) {
    if (symbol->kind == Symbol::Kind::kKernelParameter)
      return constant(bytes, symbol->offset + shift);
    if (symbol->kind != Symbol::Kind::kVariable) fail("'" + std::string(name) + "' has no address");
    const Variable& variable = *symbol->variable;
    if (variable.space == Space::kLocal || variable.space == Space::kParam)
      return add(Constant::Kind::kLocalAddress, bytes, symbol->offset + shift);
    if (variable.space == Space::kShared) return shared_source(variable, shift, bytes);
    // A .global inside of a function has an address as those of the module have.
  }
  const auto shared = shared_variables_.find(name);
  if (shared != shared_variables_.end()) return shared_source(*shared->second, shift, bytes);
  const auto address = addresses_.find(name);
  if (address != addresses_.end()) return constant(bytes, address->second + shift);
  const auto function = function_numbers_.find(name);
  if (function != function_numbers_.end()) {
    function_index(name);
    return constant(bytes, kCodeWindow + function->second);
  }
  fail("'" + std::string(name) + "' is not declared");
}

std::uint32_t Decoder::shared_source(const Variable& variable, std::uint64_t shift,
                                     unsigned bytes) {
  // Dynamic shared memory starts after all static memory, whose size is known only at the end.
  if (variable.unsized || variable.bytes == 0)
    return add(Constant::Kind::kDynamicShared, bytes, shift);
  const auto [known, fresh] = shared_.try_emplace(&variable, 0);
  if (fresh) {
    const std::uint64_t slot = align_up<std::uint64_t>(kernel_.static_shared_bytes, variable.align);
    if (slot + variable.bytes > kMostSharedBytes) fail("the kernel uses too much shared memory");
    kernel_.static_shared_bytes = slot + variable.bytes;
    known->second = slot;
  }
  return constant(bytes, known->second + shift);
}

std::uint32_t Decoder::destination(const Operand& operand, Type type) {
  const unsigned bytes = register_bytes(type);
  if (operand.kind == Operand::Kind::kSink) return scratch(bytes);
  const RegisterSlot* slot = register_of(operand);
  if (slot == nullptr) fail("the destination is no register");
  if (register_bytes(slot->type) != bytes)
    fail("'" + std::string(operand.name) + "' is a register of ." +
         std::string(name_of(slot->type)) + " where ." + std::string(name_of(type)) + " is due");
  return slot->offset;
}

std::uint32_t Decoder::predicate_named(std::string_view name) {
  Operand operand;
  operand.kind = Operand::Kind::kName;
  operand.name = name;
  const RegisterSlot* slot = register_of(operand);
  if (slot == nullptr || slot->type != Type::kPred)
    fail("'" + std::string(name) + "' is no predicate");
  return slot->offset;
}

std::uint32_t Decoder::predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::kInteger) {
    const std::uint64_t bits = (operand.value != 0) != operand.negated ? kAllLanes : 0;
    return add(Constant::Kind::kValue, 4, bits);
  }
  const std::uint32_t slot = predicate_named(operand.name);
  if (!operand.negated) return slot;
  Instruction inverted;
  inverted.run = invert;
  inverted.a = slot;
  inverted.d = allocate(0);
  emit(inverted);
  return inverted.d;
}

void Decoder::address(const Operand& operand, Space space, Instruction& instruction) {
  if (operand.kind != Operand::Kind::kAddress) fail("an address in [ ] is expected");
  if (operand.items.size() > 1) fail("addresses of several parts are not run by gpukit");
  instruction.space = space;
  instruction.immediate = operand.offset;
  if (operand.items.empty()) {
    instruction.a = constant(8, 0);
    return;
  }
  const Operand& base = operand.items.front();
  if (const RegisterSlot* slot = register_of(base)) {
    if (bytes_of(slot->type) == 8) {
      instruction.a = slot->offset;
      return;
    }
    if (bytes_of(slot->type) != 4) fail("an address has 32 or 64 bits");
    // 32-bit addresses, of shared memory for the most part.
    Instruction widen;
    widen.run = [](Warp& warp, const Instruction& in, Mask) {
      for (unsigned i = 0; i < kLanes; i++)
        warp.lanes<std::uint64_t>(in.d)[i] = warp.lanes<std::uint32_t>(in.a)[i];
    };
    widen.a = slot->offset;
    widen.d = allocate(8);
    emit(widen);
    instruction.a = widen.d;
    return;
  }
  if (base.kind != Operand::Kind::kName) fail("an address starts with a register or a variable");
  if (const Symbol* symbol = find_symbol(base.name)) {
    if (symbol->kind == Symbol::Kind::kVariable && space == Space::kParam)
      instruction.space = Space::kLocal;
  }
  instruction.a = variable_source(base.name, 0, 8);
}

bool Decoder::kernel_parameter(const Operand& operand, std::uint64_t& offset) {
  if (operand.kind != Operand::Kind::kAddress || operand.items.size() != 1) return false;
  const Operand& base = operand.items.front();
  if (base.kind != Operand::Kind::kName) return false;
  const Symbol* symbol = find_symbol(base.name);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::kKernelParameter) return false;
  offset = symbol->offset + static_cast<std::uint64_t>(operand.offset);
  return true;
}

std::uint64_t Decoder::integer(std::size_t i) {
  if (operand(i).kind != Operand::Kind::kInteger)
    fail("operand " + std::to_string(i + 1) + " must be a number");
  return operand(i).value;
}

void Decoder::append(std::size_t i, std::size_t count, bool is_destination, Type type,
                     std::vector<std::uint32_t>& offsets) {
  const Operand& vector = operand(i);
  if (vector.kind != Operand::Kind::kVector || vector.items.size() != count)
    fail("operand " + std::to_string(i + 1) + " must have " + std::to_string(count) + " registers");
  for (const Operand& item : vector.items)
    offsets.push_back(is_destination ? destination(item, type) : source(item, type));
}

std::uint32_t Decoder::list(std::vector<std::uint32_t> items) {
  kernel_.lists.push_back(std::move(items));
  return static_cast<std::uint32_t>(kernel_.lists.size() - 1);
}

const Label& Decoder::find_label(std::string_view name) {
  for (int scope = statement_->scope; scope >= 0;
       scope = function_->scopes[static_cast<std::size_t>(scope)]) {
    const auto found = labels_.find({scope, name});
    if (found != labels_.end()) return *found->second;
  }
  fail("there is no label '" + std::string(name) + "'");
}

std::uint32_t Decoder::label(std::string_view name) {
  return static_cast<std::uint32_t>(find_label(name).statement);
}

std::vector<std::uint32_t> Decoder::labels(std::string_view list) {
  const Label& label = find_label(list);
  if (!label.is_list) fail("'" + std::string(list) + "' is not a list of targets");
  spend(label.targets.size());
  std::vector<std::uint32_t> targets;
  for (const std::string_view target : label.targets) targets.push_back(this->label(target));
  return targets;
}

std::uint32_t Decoder::target_list(std::string_view name) {
  const auto [known, fresh] = target_lists_.try_emplace(&find_label(name), 0);
  if (fresh) known->second = list(labels(name));
  return known->second;
}

}  // namespace gpukit::ptx
