// How many registers a card's compiler would give a kernel, about: from how many values of the text
// are alive at a time.
#include <algorithm>
#include <unordered_map>

#include "base/numeric.h"
#include "ptx/decoder.h"
#include "ptx/register_pressure.h"

namespace gpukit::ptx {

namespace {

constexpr unsigned kFewest = 16;
constexpr unsigned kMost = 255;
constexpr unsigned kOfMultiprocessor = 65536;
// What fits NVRTC's own figures best, over gpukit's kernels: docs/fidelity.md says how well.
constexpr unsigned kShare = 4, kOf = 5, kBeside = 9;

bool has_result(std::string_view opcode, std::string_view whole) {
  if (opcode == "bar" || opcode == "barrier") return whole.find(".red") != std::string_view::npos;
  constexpr std::string_view kNames[] = {"bra", "brx", "nanosleep"};
  return std::find(std::begin(kNames), std::end(kNames), opcode) == std::end(kNames);
}

/// The most that the directives of a kernel leave it.
unsigned most_registers(const Function& entry) {
  unsigned most = kMost;
  if (entry.max_threads != 0) {
    const std::uint64_t threads = align_up<std::uint64_t>(entry.max_threads, kLanes) *
                                  std::max<std::uint64_t>(entry.min_blocks, 1);
    most =
        static_cast<unsigned>(std::min<std::uint64_t>(most, kOfMultiprocessor / threads / 8 * 8));
  }
  if (entry.max_registers != 0) most = std::min(most, entry.max_registers);
  return std::max(most, kFewest);
}

}  // namespace

/// Collects what one function reads and writes, by the slots of its registers.
class ValueCollector {
 public:
  ValueCollector(Decoder& decoder, const Function& function)
      : decoder_(decoder), function_(function) {}

  ValueFlow run() {
    flow_.steps = static_cast<std::uint32_t>(function_.statements.size());
    for (const Statement& statement : function_.statements) count_writes(statement);
    for (std::uint32_t i = 0; i < flow_.steps; i++) add(function_.statements[i], i);
    return std::move(flow_);
  }

 private:
  template <class Visit>
  void each_register(const Operand& operand, Visit visit) {
    if (const RegisterSlot* slot = decoder_.register_of(operand)) {
      if (slot->type != Type::kPred) visit(*slot);
      return;
    }
    for (const Operand& item : operand.items) each_register(item, visit);
  }

  /// How many operands are written, from the first on.
  static std::size_t results_of(const Statement& statement) {
    if (statement.operands.empty()) return 0;
    const std::string_view opcode = statement.opcode.substr(0, statement.opcode.find('.'));
    const Operand::Kind kind = statement.operands.front().kind;
    if (kind == Operand::Kind::kAddress || !has_result(opcode, statement.opcode)) return 0;
    return opcode != "call" || kind == Operand::Kind::kList ? 1 : 0;
  }

  void count_writes(const Statement& statement) {
    decoder_.look_at(statement);
    if (results_of(statement) == 0) return;
    each_register(statement.operands.front(),
                  [&](const RegisterSlot& slot) { writes_[slot.offset]++; });
  }

  /// Copies of one register into another are none in machine code; parameters of a kernel and
  /// numbers lie in constant memory.
  bool costs_nothing(const Statement& statement) {
    const std::string_view opcode = statement.opcode;
    const bool copies = opcode.starts_with("mov.") || opcode.starts_with("cvta.");
    const bool loads = opcode.starts_with("ld.param.") && function_.is_entry;
    if ((!copies && !loads) || statement.operands.size() != 2) return false;
    const RegisterSlot* to = decoder_.register_of(statement.operands[0]);
    if (loads) return read_constant(statement);
    if (to == nullptr || writes_[to->offset] != 1 || to->type == Type::kPred) return false;
    const RegisterSlot* from = decoder_.register_of(statement.operands[1]);
    if (from == nullptr) {
      if (!statement.operands[1].items.empty()) return false;
      number_of_[to->offset] = kNowhere;
      return true;
    }
    const bool known = number_of_.contains(from->offset) && number_of_[from->offset] == kNowhere;
    if (!known &&
        (writes_[from->offset] != 1 || register_bytes(from->type) != register_bytes(to->type)))
      return false;
    number_of_[to->offset] = known ? kNowhere : value_of(*from);
    return true;
  }

  bool read_constant(const Statement& statement) {
    bool all = true;
    each_register(statement.operands[0],
                  [&](const RegisterSlot& slot) { all = all && writes_[slot.offset] == 1; });
    if (!all) return false;
    each_register(statement.operands[0],
                  [&](const RegisterSlot& slot) { number_of_[slot.offset] = kNowhere; });
    return true;
  }

  std::uint32_t value_of(const RegisterSlot& slot) {
    const auto [known, fresh] =
        number_of_.try_emplace(slot.offset, static_cast<std::uint32_t>(flow_.words.size()));
    if (fresh) flow_.words.push_back(bytes_of(slot.type) == 8 ? 2 : 1);
    return known->second;
  }

  void add_event(const RegisterSlot& slot, std::uint32_t step, bool writes, bool guarded) {
    const std::uint32_t value = value_of(slot);
    if (value != kNowhere) flow_.events.push_back({value, step, writes, guarded});
  }

  void add(const Statement& statement, std::uint32_t step) {
    decoder_.look_at(statement);
    if (costs_nothing(statement)) return;
    const bool guarded = !statement.guard.empty();
    const std::size_t results = results_of(statement);
    for (std::size_t i = results; i < statement.operands.size(); i++)
      each_register(statement.operands[i],
                    [&](const RegisterSlot& slot) { add_event(slot, step, false, guarded); });
    if (results != 0)
      each_register(statement.operands.front(),
                    [&](const RegisterSlot& slot) { add_event(slot, step, true, guarded); });
    add_flow(statement, step, guarded);
  }

  void add_flow(const Statement& statement, std::uint32_t step, bool guarded) {
    const std::string_view opcode = decoder_.opcode();
    if (opcode == "bra")
      flow_.flow.push_back({step, guarded, {decoder_.label(statement.operands.at(0).name)}});
    else if (opcode == "brx")
      flow_.flow.push_back({step, guarded, decoder_.labels(statement.operands.at(1).name)});
    else if (opcode == "ret" || opcode == "exit" || opcode == "trap")
      flow_.flow.push_back({step, guarded, {}});
  }

  Decoder& decoder_;
  const Function& function_;
  ValueFlow flow_;
  std::unordered_map<std::uint32_t, unsigned> writes_;
  /// Of the registers by their slots; kNowhere: what has no register.
  std::unordered_map<std::uint32_t, std::uint32_t> number_of_;
};

unsigned Decoder::words_alive(const Function& function) {
  const auto [known, fresh] = words_alive_.try_emplace(&function, 0);
  if (fresh) known->second = most_words_alive(ValueCollector(*this, function).run());
  return known->second;
}

void Decoder::estimate_registers(const Function& entry) {
  const unsigned values = kernel_.words_alive * kShare / kOf + kBeside;
  kernel_.registers = std::min(align_up(std::max(values, kFewest), 8u), most_registers(entry));
}

}  // namespace gpukit::ptx
