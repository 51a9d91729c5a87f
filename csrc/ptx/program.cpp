#include "ptx/program.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <unordered_set>

#include "base/numeric.h"
#include "ptx/decoder.h"
#include "ptx/ptx_error.h"

namespace gpukit::ptx {

namespace {

bool is_in_device_memory(const Variable& variable) {
  return variable.space == Space::kGlobal || variable.space == Space::kConst;
}

/// Every name that an instruction or an initial value mentions: what no one mentions needs no
/// memory.
class MentionedNames {
 public:
  explicit MentionedNames(const Module& module) {
    for (const Function& function : module.functions) {
      for (const Statement& statement : function.statements) {
        for (const Operand& operand : statement.operands) add(operand);
      }
      for (const Variable& variable : function.variables) add(variable);
    }
    for (const Variable& variable : module.variables) add(variable);
  }
  bool contains(std::string_view name) const { return names_.contains(name); }

 private:
  void add(const Operand& operand) {
    if (operand.kind == Operand::Kind::kName && operand.name.front() != '%')
      names_.insert(operand.name);
    for (const Operand& item : operand.items) add(item);
  }
  void add(const Variable& variable) {
    for (const Initial& initial : variable.values) {
      if (initial.kind == Initial::Kind::kAddress) names_.insert(initial.name);
    }
  }

  std::unordered_set<std::string_view> names_;
};

}  // namespace

Program::Program(std::unique_ptr<Module> module, DeviceMemory& memory)
    : module_(std::move(module)), memory_(memory) {
  for (std::size_t i = 0; i < module_->functions.size(); i++)
    function_numbers_.emplace(module_->functions[i].name, i);
  try {
    allocate_variables();
    Decoder decoder(*module_, addresses_);
    for (const Function& function : module_->functions) {
      if (function.is_entry && function.has_body)
        kernels_.push_back(std::make_shared<const Kernel>(decoder.decode(function)));
    }
    initialise_variables();
  } catch (...) {
    if (block_ != 0) memory_.release(block_);
    throw;
  }
}

Program::~Program() {
  if (block_ != 0) memory_.release(block_);
}

std::shared_ptr<const Kernel> Program::kernel(std::string_view name) const {
  for (const auto& kernel : kernels_) {
    if (kernel->name == name) return kernel;
  }
  return nullptr;
}

const DefinedVariable* Program::variable(std::string_view name) const {
  const auto found = std::find_if(variables_.begin(), variables_.end(),
                                  [&](const auto& variable) { return variable.name == name; });
  return found == variables_.end() ? nullptr : &*found;
}

std::string Program::source_of(const SourceLocation& location) const {
  const auto file = static_cast<std::size_t>(location.file);
  if (location.source_line == 0 || file >= module_->files.size()) return {};
  const std::string_view path = module_->files[file];
  const auto slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + ":" +
         std::to_string(location.source_line);
}

void Program::allocate_variables() {
  const MentionedNames mentioned(*module_);
  std::uint64_t end = 0;
  const auto allocate = [&](const Variable& variable, bool always) {
    if (!is_in_device_memory(variable)) return;
    if (!always && !variable.visible && !mentioned.contains(variable.name)) return;
    if (variable.external)
      throw PtxError(variable.line, "the variable '" + std::string(variable.name) +
                                        "' is declared and not defined");
    end = align_up<std::uint64_t>(end, variable.align);
    if (!addresses_.emplace(variable.name, end).second)
      throw PtxError(variable.line, "'" + std::string(variable.name) + "' is defined twice");
    end += std::max<std::uint64_t>(variable.bytes, 1);
    if (end > kMostVariableBytes) throw PtxError(variable.line, "the variables are too large");
  };
  for (const Variable& variable : module_->variables) allocate(variable, false);
  for (const Function& function : module_->functions) {
    for (const Variable& variable : function.variables) allocate(variable, true);
  }
  if (end == 0) return;
  block_ = memory_.allocate(end);
  if (block_ == 0) throw std::bad_alloc();
  for (auto& [name, address] : addresses_) address += block_;
  std::memset(reinterpret_cast<void*>(block_), 0, end);
  memory_.note_written(block_, end);
}

void Program::initialise_variables() {
  const auto add = [&](const Variable& variable) {
    const auto found = addresses_.find(variable.name);
    if (!is_in_device_memory(variable) || found == addresses_.end()) return;
    initialise(variable, found->second);
    variables_.push_back(
        {std::string(variable.name), found->second, variable.bytes, variable.visible});
  };
  for (const Variable& variable : module_->variables) add(variable);
  for (const Function& function : module_->functions) {
    for (const Variable& variable : function.variables) add(variable);
  }
}

std::uint64_t Program::address_of(const Variable& variable, std::string_view name) const {
  const auto found = addresses_.find(name);
  if (found != addresses_.end()) return found->second;
  const auto function = function_numbers_.find(name);
  if (function != function_numbers_.end()) return kCodeWindow + function->second;
  throw PtxError(variable.line, "'" + std::string(name) + "' is not declared");
}

void Program::initialise(const Variable& variable, std::uint64_t address) {
  const unsigned bytes = bytes_of(variable.type);
  for (const Initial& initial : variable.values) {
    std::uint64_t value = initial.value;
    if (initial.kind == Initial::Kind::kAddress) {
      if (bytes != 8) throw PtxError(variable.line, "an address as initial value needs 64 bits");
      value += address_of(variable, initial.name);
    } else if (initial.kind == Initial::Kind::kFloat64) {
      value = float_literal(value, false, bytes);
    }  // The bits of a float32 are not widened, not even for a double: so does an H200's driver.
    std::memcpy(reinterpret_cast<void*>(address), &value, bytes);
    address += bytes;
  }
}

}  // namespace gpukit::ptx
