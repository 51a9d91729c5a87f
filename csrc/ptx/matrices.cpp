// Products of small matrices that a whole warp holds: mma.sync and ldmatrix.
#include <array>
#include <cstring>

#include "ptx/access.h"
#include "ptx/half_math.h"
#include "ptx/lanes.h"
#include "ptx/matrix_sum.h"
#include "ptx/opcodes.h"

namespace gpukit::ptx {

namespace {

constexpr unsigned kRows = 16;
constexpr unsigned kColumns = 8;
constexpr unsigned kDeepest = 16;

/// The position of element i of a lane's fragment in its matrix.
struct Cell {
  unsigned row, column;
};

// f16 and bf16: two numbers a register.
Cell cell_of_a(unsigned lane, unsigned i) {
  return {lane / 4 + (i & 2) * 4, lane % 4 * 2 + (i & 1) + (i & 4) * 2};
}
Cell cell_of_b(unsigned lane, unsigned i) {
  return {lane % 4 * 2 + (i & 1) + (i & 2) * 4, lane / 4};
}
// tf32: one number a register.
Cell cell_of_single_a(unsigned lane, unsigned i) {
  return {lane / 4 + (i & 1) * 8, lane % 4 + (i & 2) * 2};
}
Cell cell_of_single_b(unsigned lane, unsigned i) { return {lane % 4 + i * 4, lane / 4}; }
Cell cell_of_sum(unsigned lane, unsigned i) {
  return {lane / 4 + (i & 2) * 4, lane % 4 * 2 + (i & 1)};
}

enum class Factor : std::uint8_t { kF16, kBF16, kTF32 };

// Fields of the list in front of the offsets of d, a, b and c.
struct Product {
  Factor factor;
  bool half_sum;
  unsigned depth, a, b, c;
};
constexpr std::size_t kShapeFields = 6;

Product product_of(const std::vector<std::uint32_t>& list) {
  return {static_cast<Factor>(list[0]), list[1] != 0, list[2], list[3], list[4], list[5]};
}

double half_of(std::uint32_t word, unsigned half, Factor factor) {
  const auto bits = static_cast<std::uint16_t>(word >> (16 * half));
  return factor == Factor::kF16 ? widened<F16>(bits) : widened<BF16>(bits);
}

/// The 19 bits that tf32 has.
double tf32_of(std::uint32_t word) { return std::bit_cast<float>(word & 0xffffe000u); }

/// Numbers of a lane's registers, and what cell each is.
template <class Put>
void read_factor(const Warp& warp, const std::uint32_t* offsets, unsigned count, bool is_a,
                 Factor factor, Put put) {
  for (unsigned lane = 0; lane < kLanes; lane++) {
    for (unsigned r = 0; r < count; r++) {
      const std::uint32_t word = warp.lanes<std::uint32_t>(offsets[r])[lane];
      if (factor == Factor::kTF32) {
        put(is_a ? cell_of_single_a(lane, r) : cell_of_single_b(lane, r), tf32_of(word));
        continue;
      }
      for (unsigned half = 0; half < 2; half++) {
        const unsigned i = 2 * r + half;
        put(is_a ? cell_of_a(lane, i) : cell_of_b(lane, i), half_of(word, half, factor));
      }
    }
  }
}

void multiply(Warp& warp, const Instruction& in, Mask) {
  const std::vector<std::uint32_t>& list = warp.kernel().lists[in.target];
  const Product shape = product_of(list);
  const std::uint32_t* d = list.data() + kShapeFields;
  const std::uint32_t* a = d + shape.c;
  const std::uint32_t* b = a + shape.a;
  const std::uint32_t* c = b + shape.b;
  Scaled left[kRows][kDeepest] = {}, right[kColumns][kDeepest] = {};
  const int lowest = shape.factor == Factor::kF16 ? -14 : -126;
  read_factor(warp, a, shape.a, true, shape.factor, [&](Cell cell, double value) {
    left[cell.row][cell.column] = scaled(value, lowest);
  });
  read_factor(warp, b, shape.b, false, shape.factor, [&](Cell cell, double value) {
    right[cell.column][cell.row] = scaled(value, lowest);
  });
  std::uint32_t results[4][kLanes] = {};
  for (unsigned lane = 0; lane < kLanes; lane++) {
    for (unsigned i = 0; i < 4; i++) {
      const Cell cell = cell_of_sum(lane, i);
      const unsigned at = shape.half_sum ? i / 2 : i;
      const std::uint32_t word = warp.lanes<std::uint32_t>(c[at])[lane];
      const float start = shape.half_sum ? static_cast<float>(half_of(word, i & 1, Factor::kF16))
                                         : std::bit_cast<float>(word);
      const double sum = matrix_sum(start, left[cell.row], right[cell.column], shape.depth);
      if (shape.half_sum)
        results[at][lane] |= std::uint32_t{narrowed<F16>(sum)} << (16 * (i & 1));
      else
        results[at][lane] = std::bit_cast<std::uint32_t>(toward_zero(sum));
    }
  }
  for (unsigned at = 0; at < shape.c; at++)
    std::memcpy(warp.lanes<std::uint32_t>(d[at]), results[at], sizeof results[at]);
}

/// All lanes of the warp take part.
void meet(Decoder& decoder) {
  decoder.instruction().e = decoder.constant(4, kAllLanes);
  decoder.instruction().flow = Flow::kWarpSync;
}

void decode_mma(Decoder& decoder) {
  if (!decoder.take("sync")) decoder.fail("mma is mma.sync");
  decoder.take("aligned");
  const std::string_view size =
      decoder.take_one_of({"m16n8k4", "m16n8k8", "m16n8k16", "m16n8k32", "m8n8k16"});
  if (size.empty() || !decoder.take("row") || !decoder.take("col"))
    decoder.fail("'" + std::string(decoder.statement().opcode) + "' is not run by gpukit");
  const Type sum = decoder.take_type(), left = decoder.take_type(), right = decoder.take_type(),
             start = decoder.take_type();
  if (decode_integer_product(decoder, size, sum, left, right, start)) return meet(decoder);
  const unsigned depth = size == "m16n8k16" ? 16 : size == "m16n8k8" ? 8 : 4;
  const bool halves = left == Type::kF16 || left == Type::kBF16;
  const bool sums_fit =
      sum == start && (sum == Type::kF32 || (sum == Type::kF16 && left == Type::kF16));
  const bool size_fits = size != "m16n8k32" && size != "m8n8k16";
  if (left != right || !sums_fit || !size_fits || (!halves && left != Type::kTF32) ||
      (halves ? depth == 4 : depth == 16))
    decoder.fail("mma.sync has no form of these types and sizes that gpukit runs");
  decoder.require_operands(4);
  const unsigned a = halves ? depth / 4 : depth / 2;
  const unsigned b = a / 2, c = sum == Type::kF32 ? 4 : 2;
  const Factor factor = left == Type::kF16    ? Factor::kF16
                        : left == Type::kBF16 ? Factor::kBF16
                                              : Factor::kTF32;
  std::vector<std::uint32_t> list{
      static_cast<std::uint32_t>(factor), sum == Type::kF16, depth, a, b, c};
  const Type sum_type = sum == Type::kF32 ? Type::kF32 : Type::kB32;
  decoder.append(0, c, true, sum_type, list);
  decoder.append(1, a, false, Type::kB32, list);
  decoder.append(2, b, false, Type::kB32, list);
  decoder.append(3, c, false, sum_type, list);
  Instruction& in = decoder.instruction();
  in.target = decoder.list(std::move(list));
  in.run = multiply;
  meet(decoder);
}

/// Lane 8 j + r has the address of row r of matrix j; a lane gets two neighbours of each matrix.
void load(Warp& warp, const Instruction& in, Mask mask) {
  const std::vector<std::uint32_t>& offsets = warp.kernel().lists[in.target];
  const auto count = static_cast<unsigned>(offsets.size());
  const Mask with_rows = count == 4 ? kAllLanes : (Mask{1} << (8 * count)) - 1;
  Pointers rows;
  if ((mask & with_rows) != with_rows)
    raise_fault(FaultKind::kInvalidCode, static_cast<unsigned>(std::countr_zero(mask)),
                "ldmatrix needs all lanes that hold addresses");
  find_pointers(warp, in, with_rows, 16, rows, Access::kRead);
  std::uint16_t values[4][8][8];
  for (unsigned lane = 0; lane < 8 * count; lane++)
    std::memcpy(values[lane / 8][lane % 8], rows.of_lane[lane], 16);
  const bool transposed = in.flags != 0;
  for_each_lane(mask, [&](unsigned lane) {
    for (unsigned m = 0; m < count; m++) {
      const unsigned row = lane / 4, column = lane % 4 * 2;
      const std::uint32_t low = transposed ? values[m][column][row] : values[m][row][column];
      const std::uint32_t high =
          transposed ? values[m][column + 1][row] : values[m][row][column + 1];
      warp.lanes<std::uint32_t>(offsets[m])[lane] = low | high << 16;
    }
  });
}

void decode_ldmatrix(Decoder& decoder) {
  if (!decoder.take("sync")) decoder.fail("ldmatrix is ldmatrix.sync");
  decoder.take("aligned");
  if (!decoder.take("m8n8")) decoder.fail("ldmatrix is of .m8n8");
  const std::string_view number = decoder.take_one_of({"x1", "x2", "x4"});
  const bool transposed = decoder.take("trans");
  const bool shared = decoder.take("shared") || decoder.take("shared::cta");
  if (decoder.take_type() != Type::kB16 || number.empty())
    decoder.fail("ldmatrix is .x1, .x2 or .x4 of .b16");
  decoder.require_operands(2);
  Instruction& in = decoder.instruction();
  decoder.address(decoder.operand(1), shared ? Space::kShared : Space::kGeneric, in);
  std::vector<std::uint32_t> offsets;
  decoder.append(0, static_cast<unsigned>(number[1] - '0'), true, Type::kB32, offsets);
  in.target = decoder.list(std::move(offsets));
  in.flags = transposed ? 1 : 0;
  in.run = load;
  meet(decoder);
}

constexpr OpcodeRow kOpcodes[] = {{"mma", decode_mma}, {"ldmatrix", decode_ldmatrix}};

}  // namespace

template <>
std::span<const OpcodeRow> opcodes<Family::kMatrix>() {
  return kOpcodes;
}

}  // namespace gpukit::ptx
