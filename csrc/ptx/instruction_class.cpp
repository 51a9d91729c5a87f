#include "ptx/instruction_class.h"

#include <unordered_map>

#include "ptx/types.h"

namespace gpukit::ptx {

namespace {

using Class = InstructionClass;

struct ClassRow {
  Class kind;
  std::string_view names;
};

// What is not here goes by its type.
constexpr ClassRow kClasses[] = {
    {Class::kSpecial, "ex2 lg2 sin cos tanh rcp rsqrt sqrt"},
    {Class::kConversion, "cvt"},
    {Class::kMove, "mov selp slct cvta isspacep mapa getctarank createpolicy"},
    {Class::kMemory, "ld ldu st cp prefetch prefetchu discard applypriority ldmatrix"},
    {Class::kAtomic, "atom red"},
    {Class::kWarp, "shfl vote match redux activemask elect"},
    {Class::kControl, "bra brx call ret exit trap brkpt nanosleep pmevent"},
    {Class::kBarrier, "bar barrier membar fence mbarrier"},
    {Class::kTensor, "mma"},
};

std::string_view next_part(std::string_view& rest, char mark) {
  const auto at = rest.find(mark);
  const std::string_view part = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return part;
}

Class class_of_type(Type type) {
  if (is_half(type)) return Class::kHalf;
  if (type == Type::kF64) return Class::kDouble;
  return type == Type::kF32 ? Class::kFloat : Class::kInteger;
}

}  // namespace

InstructionClass class_of(std::string_view opcode) {
  static const auto* const index = [] {
    auto* const made = new std::unordered_map<std::string_view, Class>;
    for (const ClassRow& row : kClasses) {
      std::string_view names = row.names;
      while (!names.empty()) made->emplace(next_part(names, ' '), row.kind);
    }
    return made;
  }();
  std::string_view rest = opcode;
  const std::string_view name = next_part(rest, '.');
  const auto known = index->find(name);
  if (known != index->end()) return opcode.starts_with("ld.param") ? Class::kMove : known->second;
  // set.lt.u32.f32 compares what stands last.
  Type type = Type::kNone;
  while (!rest.empty()) {
    const Type found = type_named(next_part(rest, '.'));
    if (found != Type::kNone) type = found;
  }
  return class_of_type(type);
}

}  // namespace gpukit::ptx
