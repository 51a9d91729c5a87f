// What a tile of a chain copies before its loops run: inputs that loops can read where they lie are
// not copied, and a number of a row is not repeated in memory.
#include "cpu/chain_tile.h"

#include <vector>

#include "check.h"

namespace {

using namespace gpukit;
using cpu::InputAccess;

float memory[1];

Operand operand(Strides strides, DType dtype = DType::kFloat32) { return {memory, dtype, strides}; }

ChainStep step(ChainStepKind kind, int left, int right) {
  ChainStep made;
  made.kind = kind;
  made.operands[0] = left;
  made.operands[1] = right;
  return made;
}

struct Chain {
  Chain(Shape shape, std::vector<Operand> given, std::vector<ChainStep> done)
      : inputs(std::move(given)), steps(std::move(done)), args{shape, inputs, steps, {}} {}

  std::vector<Operand> inputs;
  std::vector<ChainStep> steps;
  ChainArgs args;
};

int slots_of(const Chain& chain) {
  const cpu::ChainOperands operands(chain.args);
  return cpu::TileLayout(chain.args, operands, false).slot_count();
}

void a_number_of_each_row_is_not_copied() {
  const Chain chain({40, 1000}, {operand({1000, 1}), operand({1, 0})},
                    {step(ChainStepKind::kBinary, 0, 1)});
  const cpu::ChainOperands operands(chain.args);
  CHECK(operands.access[0] == InputAccess::kInPlace);
  CHECK(operands.access[1] == InputAccess::kRowNumber);
  CHECK(operands.row == 1000);
  CHECK(slots_of(chain) == 1);  // the step's value
}

void rows_of_a_wider_tensor_are_read_where_they_lie() {
  const Chain chain({40, 1000}, {operand({2000, 1}), operand({0, 1})},
                    {step(ChainStepKind::kBinary, 0, 1)});
  const cpu::ChainOperands operands(chain.args);
  CHECK(operands.access[0] == InputAccess::kInPlace);
  CHECK(operands.access[1] == InputAccess::kInPlace);
  CHECK(operands.row == 1000);
}

void what_no_loop_takes_is_copied() {
  const Chain by_function({40, 1000}, {operand({1000, 1}), operand({1, 0})},
                          {step(ChainStepKind::kUnary, 1, -1), step(ChainStepKind::kBinary, 0, 1)});
  CHECK(cpu::ChainOperands(by_function.args).is_packed(1));
  const Chain halves({40, 1000}, {operand({1, 0}, DType::kFloat16)},
                     {step(ChainStepKind::kBinary, 0, -1)});
  CHECK(cpu::ChainOperands(halves.args).is_packed(0));
  const Chain crosswise({40, 1000}, {operand({1, 40})}, {step(ChainStepKind::kBinary, 0, -1)});
  CHECK(cpu::ChainOperands(crosswise.args).is_packed(0));
  CHECK(cpu::ChainOperands(crosswise.args).row == 0);
}

void tiles_cross_short_rows_and_dense_ones() {
  const Chain rows({4000, 10}, {operand({10, 1}), operand({1, 0})},
                   {step(ChainStepKind::kBinary, 0, 1)});
  CHECK(cpu::ChainOperands(rows.args).row == 0);
  CHECK(cpu::ChainOperands(rows.args).is_packed(1));
  const Chain dense({40, 1000}, {operand({1000, 1})}, {step(ChainStepKind::kBinary, 0, -1)});
  CHECK(cpu::ChainOperands(dense.args).row == 0);
}

void offsets_are_those_of_the_strides() {
  CHECK(cpu::element_offset({3, 5}, {10, 2}, 7) == 14);
  CHECK(cpu::element_offset({3, 5}, {1, 0}, 14) == 2);
}

}  // namespace

int main() {
  a_number_of_each_row_is_not_copied();
  rows_of_a_wider_tensor_are_read_where_they_lie();
  what_no_loop_takes_is_copied();
  tiles_cross_short_rows_and_dense_ones();
  offsets_are_those_of_the_strides();
  return 0;
}
