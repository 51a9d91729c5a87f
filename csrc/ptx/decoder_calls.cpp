// Calls: the function, and where its arguments and results lie.
#include "ptx/decoder.h"

namespace gpukit::ptx {

namespace {

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

Builtin find(std::string_view name) {
  for (const BuiltinRow& row : kBuiltins) {
    if (row.name == name) return row.builtin;
  }
  return Builtin::kNone;
}

}  // namespace

std::uint32_t Decoder::function_index(std::string_view name) {
  const auto found = function_numbers_.find(name);
  if (found == function_numbers_.end()) fail("there is no function '" + std::string(name) + "'");
  const Function& function = module_.functions[found->second];
  if (function.is_entry)
    fail("'" + std::string(name) +
         "' is a kernel, and a kernel cannot start another (dynamic parallelism)");
  if (!function.has_body) {
    if (find(name) != Builtin::kNone) return kNowhere;
    fail("the function '" + std::string(name) + "' is declared and not defined");
  }
  const auto [known, fresh] = kernel_.function_of_number.try_emplace(
      found->second, static_cast<std::uint32_t>(reached_.size()));
  if (fresh) reached_.push_back(&function);
  kernel_.calls_functions = true;
  return known->second;
}

void Decoder::reach_functions_of_initialisers() {
  spend(pointed_functions_.size());
  for (const std::string_view name : pointed_functions_) function_index(name);
}

ParameterSlot Decoder::parameter_slot(const Operand& operand) {
  ParameterSlot slot;
  if (const RegisterSlot* found = register_of(operand)) {
    slot.in_register = true;
    slot.offset = found->offset;
    slot.bytes = slot.register_bytes = register_bytes(found->type);
    return slot;
  }
  if (operand.kind == Operand::Kind::kName) {
    const Symbol* symbol = find_symbol(operand.name);
    if (symbol == nullptr || symbol->kind != Symbol::Kind::kVariable ||
        (symbol->variable->space != Space::kParam && symbol->variable->space != Space::kLocal))
      fail("'" + std::string(operand.name) + "' cannot be handed to a function");
    slot.offset = symbol->offset;
    slot.bytes = static_cast<std::uint32_t>(symbol->variable->bytes);
    return slot;
  }
  if (operand.kind != Operand::Kind::kInteger)
    fail("an argument is no register, variable or number");
  slot.in_register = true;
  slot.bytes = slot.register_bytes = 8;
  slot.offset = constant(8, operand.value);
  return slot;
}

CallSite Decoder::call_site() {
  CallSite site;
  for (const Operand& operand : statement_->operands) spend(operand.items.size());
  std::size_t at = 0;
  if (operand(0).kind == Operand::Kind::kList) {
    for (const Operand& item : operand(at++).items) site.results.push_back(parameter_slot(item));
  }
  const Operand& callee = operand(at++);
  if (callee.kind != Operand::Kind::kName) fail("the function of a call is not a name");
  if (at < operand_count() && operand(at).kind == Operand::Kind::kList) {
    for (const Operand& item : operand(at++).items) site.arguments.push_back(parameter_slot(item));
  }
  if (const RegisterSlot* slot = register_of(callee)) {
    if (bytes_of(slot->type) != 8) fail("the address of a function has 64 bits");
    site.pointer = slot->offset;
    if (!kernel_.calls_pointers) reach_functions_of_initialisers();
    kernel_.calls_functions = kernel_.calls_pointers = true;
    return site;
  }
  site.function = function_index(callee.name);
  if (site.function == kNowhere) site.builtin = find(callee.name);
  return site;
}

}  // namespace gpukit::ptx
