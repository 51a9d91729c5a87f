#include "ptx/decoder.h"

#include <algorithm>

#include "base/numeric.h"
#include "ptx/ptx_error.h"

namespace gpukit::ptx {

namespace {

constexpr std::uint64_t kMostLocalBytes = 512u << 10;
// Of all kernels of a text: declarations, statements and instructions.
constexpr std::size_t kMostSteps = 4u << 20;
constexpr std::uint32_t kMostParameterBytes = 32764;

}  // namespace

Decoder::Decoder(const Module& module, const Addresses& addresses)
    : module_(module), addresses_(addresses) {
  for (std::size_t i = 0; i < module.functions.size(); i++)
    function_numbers_.emplace(module.functions[i].name, static_cast<std::uint32_t>(i));
  for (const Variable& variable : module.variables) {
    if (variable.space == Space::kShared) shared_variables_.emplace(variable.name, &variable);
    add_pointed_functions(variable);
  }
  for (const Function& function : module.functions) {
    for (const Variable& variable : function.variables) add_pointed_functions(variable);
  }
}

void Decoder::add_pointed_functions(const Variable& variable) {
  for (const Initial& initial : variable.values) {
    if (initial.kind == Initial::Kind::kAddress && function_numbers_.contains(initial.name))
      pointed_functions_.push_back(initial.name);
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
  shared_.clear();
  reached_ = {&entry};
  for (std::uint32_t i = 0; i < reached_.size(); i++) decode_function(i);
  estimate_registers(entry);
  kernel_.dynamic_shared_start = align_up<std::uint64_t>(kernel_.static_shared_bytes, 16);
  return std::move(kernel_);
}

// ---- functions

void Decoder::decode_function(std::uint32_t index) {
  function_ = reached_[index];
  statement_ = nullptr;
  spend(1 + function_->statements.size() + function_->registers.size() +
        function_->variables.size() + function_->labels.size() + function_->scopes.size());
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
    decode(statement);
  }
  kernel_.words_alive = std::max(kernel_.words_alive, words_alive(*function_));
  finish(code);
  kernel_.functions.push_back(std::move(code));
  kernel_.functions.back().constants = std::move(constant_list_);
}

void Decoder::finish(FunctionCode& code) {
  statement_starts_.push_back(static_cast<std::uint32_t>(kernel_.code.size()));
  Instruction end;
  end.flow = function_->is_entry ? Flow::kExit : Flow::kReturn;
  add(end);
  for (std::size_t i = code.first; i < kernel_.code.size(); i++) {
    Instruction& instruction = kernel_.code[i];
    if (instruction.flow == Flow::kBranch)
      instruction.target = statement_starts_[instruction.target];
  }
  for (const auto& [label, number] : target_lists_) {
    for (std::uint32_t& target : kernel_.lists[number]) target = statement_starts_[target];
  }
  code.frame_bytes = frame_bytes_;
  code.local_bytes = local_bytes_;
  if (local_bytes_ > kMostLocalBytes) fail("the function uses too much local memory");
}

void Decoder::declare(FunctionCode& code) {
  scopes_.assign(function_->scopes.size(), {});
  labels_.clear();
  target_lists_.clear();
  for (const Label& label : function_->labels) {
    if (!labels_.try_emplace({label.scope, label.name}, &label).second)
      throw PtxError(label.line, "the label '" + std::string(label.name) + "' is defined twice");
  }
  if (function_->is_entry) {
    declare_kernel_parameters();
  } else {
    declare_parameters(function_->parameters, code.parameters);
    declare_parameters(function_->results, code.results);
  }
  for (const RegisterRange& range : function_->registers) {
    Symbol symbol;
    symbol.kind = range.count != 0 ? Symbol::Kind::kRange : Symbol::Kind::kRegister;
    symbol.slot = {range.type, kNowhere, range.vector};
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
      symbol.offset = local_slot(variable);
    scopes_[static_cast<std::size_t>(variable.scope)].insert_or_assign(variable.name, symbol);
  }
}

std::uint32_t Decoder::local_slot(const Variable& variable) {
  const std::uint64_t slot = align_up<std::uint64_t>(local_bytes_, std::max(variable.align, 1u));
  if (slot + variable.bytes > kMostLocalBytes)
    throw PtxError(variable.line, "the function uses too much local memory");
  local_bytes_ = static_cast<std::uint32_t>(align_up<std::uint64_t>(slot + variable.bytes, 8));
  return static_cast<std::uint32_t>(slot);
}

void Decoder::declare_kernel_parameters() {
  std::uint64_t offset = 0;
  for (const Variable& parameter : function_->parameters) {
    offset = align_up<std::uint64_t>(offset, parameter.align);
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
                                 std::vector<ParameterSlot>& slots) {
  for (const Variable& variable : variables) {
    Symbol symbol;
    ParameterSlot slot;
    slot.bytes = static_cast<std::uint32_t>(variable.bytes);
    if (variable.space == Space::kRegister) {
      if (variable.is_array || variable.bytes != bytes_of(variable.type))
        throw PtxError(variable.line, "an array cannot be a parameter in registers");
      slot.in_register = true;
      slot.register_bytes = register_bytes(variable.type);
      slot.offset = allocate(slot.register_bytes);
      symbol.slot = {variable.type, slot.offset, 1};
    } else {
      symbol.kind = Symbol::Kind::kVariable;
      symbol.variable = &variable;
      slot.offset = symbol.offset = local_slot(variable);
    }
    if (slot.in_register && slot.register_bytes == 0)
      throw PtxError(variable.line, "a predicate cannot be a parameter");
    slots.push_back(slot);
    scopes_[0].insert_or_assign(variable.name, symbol);
  }
}

// ---- statements

void Decoder::decode(const Statement& statement) {
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
  if (instruction_.run == nullptr && instruction_.flow == Flow::kPlain) return;
  add(instruction_);
  kernel_.classes.back() = class_of(statement.opcode);
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
  spend(1);
  kernel_.code.push_back(instruction);
  SourceLocation location;
  if (statement_ != nullptr)
    location = {statement_->line, statement_->file, statement_->source_line};
  kernel_.locations.push_back(location);
  kernel_.classes.push_back(InstructionClass::kNone);
}

void Decoder::spend(std::size_t steps) {
  spent_ += steps;
  if (spent_ > kMostSteps) fail("the kernels have too many instructions");
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

Type Decoder::take_type_of(std::initializer_list<unsigned> widths) {
  const Type type = take_type();
  if (std::find(widths.begin(), widths.end(), bytes_of(type)) == widths.end())
    fail("the type ." + std::string(name_of(type)) + " is none of this instruction");
  return type;
}

}  // namespace gpukit::ptx
