// From a parsed module to kernels that run. Everything that gpukit does not run is refused here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/kernel.h"
#include "ptx/syntax.h"

namespace gpukit::ptx {

/// Where the module's variables lie on the device.
using Addresses = std::unordered_map<std::string_view, std::uint64_t>;

struct RegisterSlot {
  Type type = Type::kNone;
  std::uint32_t offset = 0;
  unsigned vector = 1;
};

/// Decodes one kernel with all functions that it reaches.
class Decoder {
 public:
  Decoder(const Module& module, const Addresses& addresses);

  Kernel decode(const Function& entry);

  // ---- for the families of instructions

  const Statement& statement() const { return *statement_; }
  /// Its name without modifiers.
  std::string_view opcode() const {
    return statement_->opcode.substr(0, statement_->opcode.find('.'));
  }
  const Operand& operand(std::size_t i) const;
  std::size_t operand_count() const { return statement_->operands.size(); }
  void require_operands(std::size_t fewest, std::size_t most);
  void require_operands(std::size_t count) { require_operands(count, count); }

  /// Consumes a modifier of the opcode if it is present.
  bool take(std::string_view modifier);
  /// Consumes the first of these that is present; "" if there is none.
  std::string_view take_one_of(std::initializer_list<std::string_view> modifiers);
  /// Takes the first modifier that is left; "" when none is.
  std::string_view take_next();
  /// Takes the first modifier that is a type. Fails when none is left.
  Type take_type();
  /// The same, for instructions of types of these bytes alone: the code that runs them goes by the
  /// width, and must not meet registers of another one.
  Type take_type_of(std::initializer_list<unsigned> widths);

  /// Where 32 values of that type lie, or the mask of a predicate.
  std::uint32_t source(const Operand& operand, Type type);
  std::uint32_t source(std::size_t i, Type type) { return source(operand(i), type); }
  std::uint32_t destination(const Operand& operand, Type type);
  std::uint32_t destination(std::size_t i, Type type) { return destination(operand(i), type); }
  /// A source predicate; a negated one has a slot of its own, filled by an instruction.
  std::uint32_t predicate(const Operand& operand);
  std::uint32_t predicate(std::size_t i) { return predicate(operand(i)); }
  std::uint32_t predicate_named(std::string_view name);
  /// The register behind an operand, whatever its type; null for anything else.
  const RegisterSlot* register_of(const Operand& operand);
  /// A slot for 32 values that no register of the text has.
  std::uint32_t scratch(unsigned bytes);
  std::uint32_t constant(unsigned bytes, std::uint64_t value);
  /// A value that is read from the kernel's parameters before it starts.
  std::uint32_t parameter_constant(unsigned bytes, std::uint64_t offset);
  /// The mask of the carries.
  std::uint32_t carry();
  /// Base and offset of [address]; the base is a register or constant of 8 bytes.
  void address(const Operand& operand, Space space, Instruction& instruction);
  /// A parameter of the kernel at a fixed offset, or nothing.
  bool kernel_parameter(const Operand& operand, std::uint64_t& offset);
  std::uint64_t integer(std::size_t i);
  /// Appends the registers of an operand that is a vector of `count`.
  void append(std::size_t i, std::size_t count, bool is_destination, Type type,
              std::vector<std::uint32_t>& offsets);
  std::uint32_t list(std::vector<std::uint32_t> items);
  /// The number of the statement after a label.
  std::uint32_t label(std::string_view name);
  /// The list of the statements after the labels of a .branchtargets.
  std::uint32_t target_list(std::string_view name);
  /// The numbers of the statements after the labels of a .branchtargets.
  std::vector<std::uint32_t> labels(std::string_view list);

  Instruction& instruction() { return instruction_; }
  /// Emits an instruction before the current one.
  void emit(Instruction instruction);
  Kernel& kernel() { return kernel_; }
  const Module& module() const { return module_; }
  bool in_entry() const { return function_->is_entry; }
  CallSite call_site();
  std::uint32_t function_index(std::string_view name);
  /// Names mean what they do in this statement of the function at hand.
  void look_at(const Statement& statement) { statement_ = &statement; }

  [[noreturn]] void fail(const std::string& what) const;

 private:
  struct Symbol {
    enum class Kind : std::uint8_t { kRegister, kRange, kVariable, kKernelParameter };
    Kind kind = Kind::kRegister;
    RegisterSlot slot;                   ///< of a register; its offset is kNowhere until it is used
    unsigned count = 0;                  ///< of a range
    const Variable* variable = nullptr;  ///< of variables and parameters
    std::uint32_t offset = 0;            ///< in local memory, or of a kernel's parameter
  };
  using Scope = std::unordered_map<std::string_view, Symbol>;

  void decode_function(std::uint32_t index);
  void declare(FunctionCode& code);
  void declare_parameters(const std::vector<Variable>& variables,
                          std::vector<ParameterSlot>& slots);
  void declare_kernel_parameters();
  void decode(const Statement& statement);
  void split_opcode();
  void guard();
  void finish(FunctionCode& code);
  void add_pointed_functions(const Variable& variable);
  void reach_functions_of_initialisers();
  /// Registers that the values of the function at hand need at a time.
  unsigned words_alive(const Function& function);
  void estimate_registers(const Function& entry);
  const Label& find_label(std::string_view name);
  /// Counts work towards the limit of a text. Kernels decode their functions again, so
  /// that a text of n lines may ask for n² steps.
  void spend(std::size_t steps);
  Symbol* find_symbol(std::string_view name);
  bool find_special(std::string_view name, std::uint32_t& offset, Type& type);
  std::uint32_t variable_source(std::string_view name, std::int64_t offset, unsigned bytes);
  std::uint32_t literal(const Operand& operand, Type type);
  std::uint32_t shared_source(const Variable& variable, std::uint64_t shift, unsigned bytes);
  std::uint32_t local_slot(const Variable& variable);
  std::uint32_t allocate(unsigned bytes);
  std::uint32_t add(Constant::Kind kind, unsigned bytes, std::uint64_t value);
  ParameterSlot parameter_slot(const Operand& operand);
  void add(const Instruction& instruction);

  const Module& module_;
  const Addresses& addresses_;
  Kernel kernel_;
  std::unordered_map<std::string_view, std::uint32_t> function_numbers_;
  std::unordered_map<std::string_view, const Variable*> shared_variables_;
  std::vector<const Function*> reached_;
  std::unordered_map<const Variable*, std::uint64_t> shared_;
  /// Functions whose addresses are in the module's initial values.
  std::vector<std::string_view> pointed_functions_;
  std::size_t spent_ = 0;
  /// Each kernel that calls a function decodes it again.
  std::unordered_map<const Function*, unsigned> words_alive_;

  // Of the function at hand.
  const Function* function_ = nullptr;
  const Statement* statement_ = nullptr;
  std::vector<Scope> scopes_;
  std::map<std::pair<int, std::string_view>, const Label*> labels_;  ///< by scope and name
  std::unordered_map<const Label*, std::uint32_t> target_lists_;
  std::map<std::tuple<Constant::Kind, unsigned, std::uint64_t>, std::uint32_t> constants_;
  std::vector<Constant> constant_list_;
  std::vector<std::uint32_t> statement_starts_;
  std::uint32_t frame_bytes_ = 0;
  std::uint32_t local_bytes_ = 0;
  std::uint32_t carry_ = kNowhere;

  // Of the statement at hand.
  std::vector<std::string_view> modifiers_;
  Instruction instruction_;
};

/// Decodes the statement at hand into its instruction.
using Decode = void (*)(Decoder&);

/// By the name of an opcode; null for one that is unknown.
Decode find_decode(std::string_view opcode);
/// Why a known opcode is not run, such as "textures are not run"; null for any other.
const char* refused_reason(std::string_view opcode);

}  // namespace gpukit::ptx
