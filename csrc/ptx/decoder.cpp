#include "ptx/decoder.h"

#include <algorithm>
#include <bit>

#include "ptx/ptx_error.h"
#include "ptx/special_registers.h"
#include "ptx/warp.h"

namespace gpukit::ptx {

namespace {

constexpr std::uint32_t kRegisterAlign = 64;
constexpr std::uint32_t kMostFrameBytes = 16u << 20;
constexpr std::uint64_t kMostLocalBytes = 512u << 10;
constexpr std::uint64_t kMostSharedBytes = 256u << 10;
constexpr std::size_t kMostInstructions = 8u << 20;
constexpr std::uint32_t kMostParameterBytes = 32764;

struct BuiltinRow {
  std::string_view name;
  Builtin builtin;
};

constexpr BuiltinRow kBuiltins[] = {
    {"vprintf", Builtin::kVprintf},
    {"malloc", Builtin::kMalloc},
    {"free", Builtin::kFree},
    {"__assertfail", Builtin::kAssertFail},
    {"cudaCGGetIntrinsicHandle", Builtin::kGridHandle},
    {"cudaCGSynchronize", Builtin::kGridSync},
};

Builtin find_builtin(std::string_view name) {
  for (const BuiltinRow& row : kBuiltins) {
    if (row.name == name) return row.builtin;
  }
  return Builtin::kNone;
}

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

unsigned register_bytes(Type type) {
  if (type == Type::kPred) return 0;
  return std::max(2u, bytes_of(type));
}

void invert(Warp& warp, const Instruction& in, Mask) {
  warp.predicate(in.d) = ~warp.predicate(in.a);
}

void read_changing(Warp& warp, const Instruction& in, Mask) {
  read_special(warp, static_cast<Special>(in.immediate), warp.frame + in.d);
}

}  // namespace

Decoder::Decoder(const Module& module, const Addresses& addresses)
    : module_(module), addresses_(addresses) {
  for (std::size_t i = 0; i < module.functions.size(); i++)
    function_numbers_.emplace(module.functions[i].name, static_cast<std::uint32_t>(i));
  for (const Variable& variable : module.variables) {
    if (variable.space == Space::kShared) shared_variables_.emplace(variable.name, &variable);
  }
}

void Decoder::fail(const std::string& what) const {
  throw PtxError(statement_ != nullptr ? statement_->line : function_->line, what);
}

Kernel Decoder::decode(const Function& entry) {
  kernel_ = {};
  kernel_.name = entry.name;
  kernel_.max_threads = entry.max_threads;
  kernel_.exact_threads = entry.exact_threads;
  kernel_.function_of_number.assign(module_.functions.size(), kNowhere);
  reached_ = {&entry};
  for (std::uint32_t i = 0; i < reached_.size(); i++) decode_function(i);
  kernel_.dynamic_shared_start = aligned(kernel_.static_shared_bytes, 16);
  return std::move(kernel_);
}

// ---- functions

void Decoder::decode_function(std::uint32_t index) {
  function_ = reached_[index];
  statement_ = nullptr;
  FunctionCode code;
  code.name = function_->name;
  code.first = static_cast<std::uint32_t>(kernel_.code.size());
  frame_bytes_ = local_bytes_ = 0;
  carry_ = kNowhere;
  constants_.clear();
  constant_list_.clear();
  statement_starts_.clear();
  declare(code);
  for (const Statement& statement : function_->statements) {
    statement_starts_.push_back(static_cast<std::uint32_t>(kernel_.code.size()));
    decode_statement(statement);
  }
  finish_function(code);
  kernel_.functions.push_back(std::move(code));
  kernel_.functions.back().constants = std::move(constant_list_);
}

void Decoder::finish_function(FunctionCode& code) {
  statement_starts_.push_back(static_cast<std::uint32_t>(kernel_.code.size()));
  Instruction end;
  end.flow = function_->is_entry ? Flow::kExit : Flow::kReturn;
  add(end);
  for (std::size_t i = code.first; i < kernel_.code.size(); i++) {
    Instruction& instruction = kernel_.code[i];
    if (instruction.flow == Flow::kBranch) {
      instruction.target = statement_starts_[instruction.target];
    } else if (instruction.flow == Flow::kBranchIndexed) {
      for (std::uint32_t& target : kernel_.lists[instruction.target])
        target = statement_starts_[target];
    }
  }
  code.frame_bytes = frame_bytes_;
  code.local_bytes = local_bytes_;
  if (local_bytes_ > kMostLocalBytes) fail("the function uses too much local memory");
}

void Decoder::declare(FunctionCode& code) {
  scopes_.assign(function_->scopes.size(), {});
  labels_.clear();
  for (const Label& label : function_->labels) labels_.emplace(label.name, &label);
  if (function_->is_entry) {
    declare_kernel_parameters();
  } else {
    declare_parameters(function_->parameters, code.parameters);
    declare_parameters(function_->results, code.results);
  }
  for (const RegisterRange& range : function_->registers) {
    Symbol symbol;
    symbol.kind = range.count != 0 ? Symbol::Kind::kRange : Symbol::Kind::kRegister;
    symbol.place = {range.type, kNowhere, range.vector};
    symbol.count = range.count;
    if (range.vector != 1)
      throw PtxError(range.line, "registers of vector types are not run by gpukit");
    scopes_[static_cast<std::size_t>(range.scope)].insert_or_assign(range.name, symbol);
  }
  for (const Variable& variable : function_->variables) {
    Symbol symbol;
    symbol.kind = Symbol::Kind::kVariable;
    symbol.variable = &variable;
    if (variable.space == Space::kLocal || variable.space == Space::kParam)
      symbol.offset = local_place(variable);
    scopes_[static_cast<std::size_t>(variable.scope)].insert_or_assign(variable.name, symbol);
  }
}

std::uint32_t Decoder::local_place(const Variable& variable) {
  const std::uint64_t place = aligned(local_bytes_, std::max(variable.align, 1u));
  if (place + variable.bytes > kMostLocalBytes)
    throw PtxError(variable.line, "the function uses too much local memory");
  local_bytes_ = static_cast<std::uint32_t>(aligned(place + variable.bytes, 8));
  return static_cast<std::uint32_t>(place);
}

void Decoder::declare_kernel_parameters() {
  std::uint64_t offset = 0;
  for (const Variable& parameter : function_->parameters) {
    offset = aligned(offset, parameter.align);
    if (offset + parameter.bytes > kMostParameterBytes)
      throw PtxError(parameter.line, "the kernel has more than 32764 bytes of parameters");
    Symbol symbol;
    symbol.kind = Symbol::Kind::kKernelParameter;
    symbol.variable = &parameter;
    symbol.offset = static_cast<std::uint32_t>(offset);
    scopes_[0].insert_or_assign(parameter.name, symbol);
    kernel_.parameters.push_back(
        {symbol.offset, static_cast<std::uint32_t>(parameter.bytes), parameter.align});
    offset += parameter.bytes;
  }
  kernel_.parameter_bytes = static_cast<std::uint32_t>(offset);
}

void Decoder::declare_parameters(const std::vector<Variable>& variables,
                                 std::vector<ParameterPlace>& places) {
  for (const Variable& variable : variables) {
    Symbol symbol;
    ParameterPlace place;
    place.bytes = static_cast<std::uint32_t>(variable.bytes);
    if (variable.space == Space::kRegister) {
      place.in_register = true;
      place.register_bytes = register_bytes(variable.type);
      place.offset = allocate(place.register_bytes);
      symbol.place = {variable.type, place.offset, 1};
    } else {
      symbol.kind = Symbol::Kind::kVariable;
      symbol.variable = &variable;
      place.offset = symbol.offset = local_place(variable);
    }
    if (place.in_register && place.register_bytes == 0)
      throw PtxError(variable.line, "a predicate cannot be a parameter");
    places.push_back(place);
    scopes_[0].insert_or_assign(variable.name, symbol);
  }
}

// ---- statements

void Decoder::decode_statement(const Statement& statement) {
  statement_ = &statement;
  instruction_ = {};
  split_opcode();
  const std::string_view name = modifiers_.front();
  const Decode decode = find_decode(name);
  if (decode == nullptr) {
    const char* reason = refused_reason(name);
    fail("the instruction '" + std::string(statement.opcode) + "' " +
         (reason != nullptr ? reason : "is unknown"));
  }
  modifiers_.erase(modifiers_.begin());
  decode(*this);
  if (!modifiers_.empty()) {
    std::string text = "'.";
    text.append(modifiers_.front()).append("' of the instruction '").append(statement.opcode);
    fail(text.append("' is not run by gpukit"));
  }
  if (!statement.guard.empty()) guard();
  if (instruction_.run != nullptr || instruction_.flow != Flow::kPlain) add(instruction_);
}

void Decoder::split_opcode() {
  modifiers_.clear();
  std::string_view rest = statement_->opcode;
  for (;;) {
    const auto dot = rest.find('.');
    modifiers_.push_back(rest.substr(0, dot));
    if (dot == std::string_view::npos) return;
    rest.remove_prefix(dot + 1);
  }
}

void Decoder::guard() {
  instruction_.guard = predicate_named(statement_->guard);
  instruction_.guard_negated = statement_->guard_negated;
}

void Decoder::add(const Instruction& instruction) {
  if (kernel_.code.size() >= kMostInstructions) fail("the kernel has too many instructions");
  kernel_.code.push_back(instruction);
  Place place;
  if (statement_ != nullptr) place = {statement_->line, statement_->file, statement_->source_line};
  kernel_.places.push_back(place);
}

void Decoder::emit(Instruction instruction) { add(instruction); }

const Operand& Decoder::operand(std::size_t i) const {
  if (i >= statement_->operands.size())
    fail("the instruction '" + std::string(statement_->opcode) + "' has too few operands");
  return statement_->operands[i];
}

void Decoder::require_operands(std::size_t fewest, std::size_t most) {
  const std::size_t count = statement_->operands.size();
  if (count < fewest || count > most)
    fail("the instruction '" + std::string(statement_->opcode) + "' has " + std::to_string(count) +
         " operands, not " + std::to_string(fewest));
}

bool Decoder::take(std::string_view modifier) {
  const auto found = std::find(modifiers_.begin(), modifiers_.end(), modifier);
  if (found == modifiers_.end()) return false;
  modifiers_.erase(found);
  return true;
}

std::string_view Decoder::take_one_of(std::initializer_list<std::string_view> modifiers) {
  for (const std::string_view modifier : modifiers) {
    if (take(modifier)) return modifier;
  }
  return {};
}

std::string_view Decoder::take_next() {
  if (modifiers_.empty()) return {};
  const std::string_view next = modifiers_.front();
  modifiers_.erase(modifiers_.begin());
  return next;
}

Type Decoder::take_type() {
  for (auto modifier = modifiers_.begin(); modifier != modifiers_.end(); ++modifier) {
    const Type type = type_named(*modifier);
    if (type == Type::kNone) continue;
    modifiers_.erase(modifier);
    return type;
  }
  fail("the instruction '" + std::string(statement_->opcode) + "' names no type that gpukit runs");
}

// ---- names

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
    symbol.place = range->second.place;
    return &names.insert_or_assign(name, symbol).first->second;
  }
  return nullptr;
}

std::uint32_t Decoder::allocate(unsigned bytes) {
  const std::uint32_t place = frame_bytes_;
  frame_bytes_ += std::max(bytes * kLanes, kRegisterAlign);
  if (frame_bytes_ > kMostFrameBytes) fail("the function uses too many registers");
  return place;
}

std::uint32_t Decoder::scratch(unsigned bytes) { return allocate(bytes); }

const RegisterPlace* Decoder::register_of(const Operand& operand) {
  if (operand.kind != Operand::Kind::kName) return nullptr;
  Symbol* symbol = find_symbol(operand.name);
  if (symbol == nullptr || symbol->kind != Symbol::Kind::kRegister) return nullptr;
  if (symbol->place.offset == kNowhere)
    symbol->place.offset = allocate(register_bytes(symbol->place.type));
  return &symbol->place;
}

bool Decoder::find_special(std::string_view name, std::uint32_t& offset, Type& type) {
  const SpecialRegister* special = find_special_register(name);
  if (special == nullptr) return false;
  type = special->type;
  if (!special->changes) {
    offset = add_constant(Constant::Kind::kSpecial, bytes_of(type),
                          static_cast<std::uint64_t>(special->number));
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
  if (const RegisterPlace* place = register_of(operand)) {
    if (register_bytes(place->type) != register_bytes(type) || operand.negated)
      fail("'" + std::string(operand.name) + "' is a register of ." +
           std::string(name_of(place->type)) + " where ." + std::string(name_of(type)) + " is due");
    return place->offset;
  }
  if (operand.kind != Operand::Kind::kName) return literal(operand, type);
  std::uint32_t offset = 0;
  Type found = Type::kNone;
  if (find_special(operand.name, offset, found)) {
    if (bytes_of(found) == bytes_of(type)) return offset;
    fail("'" + std::string(operand.name) + "' has ." + std::string(name_of(found)));
  }
  return variable_source(operand.name, operand.offset, std::max(2u, bytes_of(type)));
}

std::uint32_t Decoder::literal(const Operand& operand, Type type) {
  const unsigned bytes = std::max(2u, bytes_of(type));
  const bool real =
      operand.kind == Operand::Kind::kFloat32 || operand.kind == Operand::Kind::kFloat64;
  if (!real && operand.kind != Operand::Kind::kInteger) fail("an operand is no register or number");
  if (operand.negated) fail("a number cannot be negated by '!'");
  std::uint64_t value = operand.value;
  if (real) {
    const bool single = operand.kind == Operand::Kind::kFloat32;
    if (bytes == 8 && single)
      value = std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
    else if (bytes == 4 && !single)
      value = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(value)));
    else if (bytes == 2)
      fail("a 16-bit operand cannot be a floating-point number");
  } else if (type == Type::kF32 || type == Type::kF64) {
    fail("a whole number stands where a floating-point number is due");
  }
  return constant(bytes, value);
}

std::uint32_t Decoder::constant(unsigned bytes, std::uint64_t value) {
  return add_constant(Constant::Kind::kValue, bytes,
                      bytes == 8 ? value : value & ((std::uint64_t{1} << (8 * bytes)) - 1));
}

std::uint32_t Decoder::parameter_constant(unsigned bytes, std::uint64_t offset) {
  if (offset > kernel_.parameter_bytes || bytes > kernel_.parameter_bytes - offset)
    fail("a parameter is read beyond the end of the parameters");
  return add_constant(Constant::Kind::kParameter, bytes, offset);
}

std::uint32_t Decoder::carry() {
  if (carry_ == kNowhere) carry_ = allocate(0);
  return carry_;
}

std::uint32_t Decoder::add_constant(Constant::Kind kind, unsigned bytes, std::uint64_t value) {
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
      return add_constant(Constant::Kind::kLocalAddress, bytes, symbol->offset + shift);
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
  // Dynamic shared memory starts behind all that is static, which is known at the end only.
  if (variable.unsized || variable.bytes == 0)
    return add_constant(Constant::Kind::kDynamicShared, bytes, shift);
  const auto [known, fresh] = shared_.try_emplace(&variable, 0);
  if (fresh) {
    const std::uint64_t place = aligned(kernel_.static_shared_bytes, variable.align);
    if (place + variable.bytes > kMostSharedBytes) fail("the kernel uses too much shared memory");
    kernel_.static_shared_bytes = place + variable.bytes;
    known->second = place;
  }
  return constant(bytes, known->second + shift);
}

std::uint32_t Decoder::destination(const Operand& operand, Type type) {
  const unsigned bytes = register_bytes(type);
  if (operand.kind == Operand::Kind::kSink) return scratch(bytes);
  const RegisterPlace* place = register_of(operand);
  if (place == nullptr) fail("the destination is no register");
  if (register_bytes(place->type) != bytes)
    fail("'" + std::string(operand.name) + "' is a register of ." +
         std::string(name_of(place->type)) + " where ." + std::string(name_of(type)) + " is due");
  return place->offset;
}

std::uint32_t Decoder::predicate_named(std::string_view name) {
  Operand operand;
  operand.kind = Operand::Kind::kName;
  operand.name = name;
  const RegisterPlace* place = register_of(operand);
  if (place == nullptr || place->type != Type::kPred)
    fail("'" + std::string(name) + "' is no predicate");
  return place->offset;
}

std::uint32_t Decoder::predicate(const Operand& operand) {
  if (operand.kind == Operand::Kind::kInteger) {
    const std::uint64_t bits = (operand.value != 0) != operand.negated ? kAllLanes : 0;
    return add_constant(Constant::Kind::kValue, 4, bits);
  }
  const std::uint32_t place = predicate_named(operand.name);
  if (!operand.negated) return place;
  Instruction inverted;
  inverted.run = invert;
  inverted.a = place;
  inverted.d = allocate(0);
  emit(inverted);
  return inverted.d;
}

void Decoder::address(const Operand& operand, Space space, Instruction& instruction) {
  if (operand.kind != Operand::Kind::kAddress) fail("an address in [ ] is due");
  instruction.space = space;
  instruction.immediate = operand.offset;
  if (operand.items.empty()) {
    instruction.a = constant(8, 0);
    return;
  }
  const Operand& base = operand.items.front();
  if (const RegisterPlace* place = register_of(base)) {
    if (bytes_of(place->type) == 8) {
      instruction.a = place->offset;
      return;
    }
    if (bytes_of(place->type) != 4) fail("an address has 32 or 64 bits");
    // 32-bit addresses, of shared memory for the most part.
    Instruction widen;
    widen.run = [](Warp& warp, const Instruction& in, Mask) {
      for (unsigned i = 0; i < kLanes; i++)
        warp.lanes<std::uint64_t>(in.d)[i] = warp.lanes<std::uint32_t>(in.a)[i];
    };
    widen.a = place->offset;
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
  if (operand.kind != Operand::Kind::kAddress || operand.items.empty()) return false;
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

std::uint32_t Decoder::list(std::vector<std::uint32_t> items) {
  kernel_.lists.push_back(std::move(items));
  return static_cast<std::uint32_t>(kernel_.lists.size() - 1);
}

const Label& Decoder::find_label(std::string_view name) {
  for (int scope = statement_->scope; scope >= 0;
       scope = function_->scopes[static_cast<std::size_t>(scope)]) {
    const auto [first, last] = labels_.equal_range(name);
    for (auto label = first; label != last; ++label) {
      if (label->second->scope == scope) return *label->second;
    }
  }
  fail("there is no label '" + std::string(name) + "'");
}

std::uint32_t Decoder::label(std::string_view name) {
  return static_cast<std::uint32_t>(find_label(name).statement);
}

// ---- calls

std::uint32_t Decoder::function_index(std::string_view name) {
  const auto found = function_numbers_.find(name);
  if (found == function_numbers_.end()) fail("there is no function '" + std::string(name) + "'");
  const Function& function = module_.functions[found->second];
  if (function.is_entry) fail("'" + std::string(name) + "' is a kernel and cannot be called");
  if (!function.has_body) {
    if (find_builtin(name) != Builtin::kNone) return kNowhere;
    fail("the function '" + std::string(name) + "' is declared and not defined");
  }
  std::uint32_t& index = kernel_.function_of_number[found->second];
  if (index == kNowhere) {
    index = static_cast<std::uint32_t>(reached_.size());
    reached_.push_back(&function);
  }
  kernel_.calls_functions = true;
  return index;
}

void Decoder::reach_functions_of_initialisers() {
  for (const Variable& variable : module_.variables) {
    for (const Initial& initial : variable.values) {
      if (initial.kind == Initial::Kind::kAddress && function_numbers_.contains(initial.name))
        function_index(initial.name);
    }
  }
}

ParameterPlace Decoder::parameter_place(const Operand& operand) {
  ParameterPlace place;
  if (const RegisterPlace* found = register_of(operand)) {
    place.in_register = true;
    place.offset = found->offset;
    place.bytes = place.register_bytes = register_bytes(found->type);
    return place;
  }
  if (operand.kind == Operand::Kind::kName) {
    const Symbol* symbol = find_symbol(operand.name);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::kVariable)
      fail("'" + std::string(operand.name) + "' cannot be handed to a function");
    place.offset = symbol->offset;
    place.bytes = static_cast<std::uint32_t>(symbol->variable->bytes);
    return place;
  }
  if (operand.kind != Operand::Kind::kInteger)
    fail("an argument is no register, variable or number");
  place.in_register = true;
  place.bytes = place.register_bytes = 8;
  place.offset = constant(8, operand.value);
  return place;
}

CallSite Decoder::call_site() {
  CallSite site;
  std::size_t at = 0;
  if (operand(0).kind == Operand::Kind::kList) {
    for (const Operand& item : operand(at++).items) site.results.push_back(parameter_place(item));
  }
  const Operand& callee = operand(at++);
  if (callee.kind != Operand::Kind::kName) fail("the function of a call is no name");
  if (at < operand_count() && operand(at).kind == Operand::Kind::kList) {
    for (const Operand& item : operand(at++).items) site.arguments.push_back(parameter_place(item));
  }
  if (const RegisterPlace* place = register_of(callee)) {
    if (bytes_of(place->type) != 8) fail("the address of a function has 64 bits");
    site.pointer = place->offset;
    kernel_.calls_functions = true;
    reach_functions_of_initialisers();
    return site;
  }
  site.function = function_index(callee.name);
  if (site.function == kNowhere) site.builtin = find_builtin(callee.name);
  return site;
}

}  // namespace gpukit::ptx
