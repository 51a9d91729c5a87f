// Argument structs of the kernels: filled on the host, passed by value, never modified on the
// device. No pointers to host memory, no C++ library types; every struct stays under the 4 KB that
// all drivers accept.
#pragma once

#include "kernels/op_codes.h"
#include "kernels/portable.h"

namespace gpukit {

inline constexpr int kKernelMaxRank = 8;
inline constexpr int kElementsPerThread = 4;  ///< of the operation-switch kernels
inline constexpr int kElementThreads = 256;
inline constexpr int kElementTile = kElementsPerThread * kElementThreads;

/// Division of n < 2^31 by a number that the host knows: (umulhi(n, multiplier) + n) >> shift.
struct MagicDivisor {
  gk_u32 divisor, multiplier, shift;
};

/// The layout of some operands' elements. Dimension 0 varies fastest (the reverse of a Shape).
/// `wide`: the count or an offset does not fit 31 bits. Reductions then count in 64 bits;
/// elementwise kernels never get such a layout, the host splits the call.
template <int kOperands>
struct StridedLayout {
  gk_i32 rank;
  gk_i32 wide;
  gk_i64 size[kKernelMaxRank];
  MagicDivisor magic[kKernelMaxRank];
  gk_i64 stride[kOperands][kKernelMaxRank];  ///< elements
};

/// A number in both readings; the kernel takes the one of its dtype. Already rounded to the dtype.
struct ScalarValue {
  double floating;
  gk_i64 integer;
};

/// Contiguous complex elements; an operand with step 0 is one value for all.
struct ComplexKernelArgs {
  void* out;
  const void* left;
  const void* right;  ///< null for functions of one operand
  gk_i64 count;
  gk_i64 left_step, right_step;
  gk_i32 op;    ///< ComplexOp
  gk_i32 wide;  ///< complex128, not complex64; the products have a kernel for each
};

/// What a launch of a Fourier transform does. `places` is the size of what is transformed: `size`,
/// or more for a convolution with a chirp.
enum class FftStep : gk_i32 {
  kRoots,    ///< out[k] = exp(-2 pi i k / count), or the chirp; scale: an eighth of their angle
  kChirp,    ///< out = the conjugate chirp around 0, times scale
  kLoad,     ///< out = lines of in, `places` each, continued with zeros
  kPass,     ///< a pass of Stockham's algorithm
  kProduct,  ///< out *= in, a line; parts exchanged
  kStore,    ///< lines of out = the first `written` numbers of in's, times scale
};

struct FftKernelArgs {
  const void* in;
  void* out;
  const void* table;  ///< for a pass the roots of `places`, else the chirp
  gk_i64 count;       ///< threads that have work
  gk_i64 size, places, read, written;
  gk_i64 groups, stride;    ///< of a pass
  gk_i64 first_line, step;  ///< step: between neighbours of a line, in elements
  double scale;
  gk_i32 op;  ///< FftStep
  gk_i32 radix;
  gk_i32 inverse, chirp;
  gk_i32 real;  ///< the lines have no imaginary parts
  gk_i32 half;  ///< in has the first size / 2 + 1 numbers
  gk_i32 rank;
  gk_i64 lines[kKernelMaxRank], strides[kKernelMaxRank];  ///< where lines begin; 0 varies fastest
};

struct HotUnaryArgs {
  void* out;
  const void* in;
  gk_i64 count;
};

struct HotBinaryArgs {
  void* out;
  const void* left;
  const void* right;
  gk_i64 count;
};

/// contiguous != 0: addresses are multiples of 16 and `layout` is not read. So it is below too.
struct UnaryKernelArgs {
  void* out;
  const void* in;
  gk_i64 count;
  gk_i32 op;     ///< UnaryOp
  gk_i32 dtype;  ///< of `in`, and of `out` unless the operation gives bool
  gk_i32 contiguous;
  StridedLayout<2> layout;  ///< out, in
};

struct BinaryKernelArgs {
  void* out;
  const void* left;
  const void* right;
  gk_i64 count;
  gk_i32 op;           ///< BinaryOp
  gk_i32 dtype;        ///< of the operands, and of `out` unless the operation gives bool
  gk_i32 scalar_side;  ///< 0 none, 1 left, 2 right; that operand is not read
  gk_i32 contiguous;
  ScalarValue scalar;
  StridedLayout<3> layout;  ///< out, left, right
};

struct WhereKernelArgs {
  void* out;
  const void* condition;
  const void* left;
  const void* right;
  gk_i64 count;
  gk_i32 contiguous;
  StridedLayout<4> layout;  ///< out, condition, left, right
};

struct ClampKernelArgs {
  void* out;
  const void* in;
  gk_i64 count;
  gk_i32 dtype;
  gk_i32 has_low, has_high;
  gk_i32 contiguous;
  gk_i64 order_mask;  ///< the top bit for uint64, else 0
  ScalarValue low, high;
  StridedLayout<2> layout;  ///< out, in
};

// Chains: a program that every thread runs for its elements. Values stand in slots, which are
// registers.
inline constexpr int kChainSlots = 12;
inline constexpr int kChainInputs = 8, kChainResults = 4;
inline constexpr int kChainCodes = 96;
inline constexpr gk_u8 kChainNumber = 255;  ///< of an operand: the step's number

enum class ChainCode : gk_u8 {
  kLoad,       ///< input operand[0]
  kStore,      ///< to result operand[1]
  kUnary,      ///< UnaryOp `op`
  kBinary,     ///< BinaryOp `op`
  kSelect,     ///< operand[2] != 0 ? operand[0] : operand[1]
  kClampLow,   ///< NaN stays
  kClampHigh,  ///< the same
  kConvert,    ///< only rounded
};

/// slot[out] = the operation on slots, rounded to `dtype` (of a load or a store: what lies there).
struct ChainKernelStep {
  ChainCode code;
  gk_u8 op, dtype, out;
  gk_u8 operand[4];
  double number;
};

struct ChainKernelInput {
  const void* data;
  gk_i64 dense;  ///< as the results lie, else by `layout`
};

struct ChainKernelArgs {
  ChainKernelInput input[kChainInputs];
  void* result[kChainResults];  ///< contiguous
  gk_i64 count;
  gk_i32 codes;
  gk_i32 aligned;  ///< addresses of dense inputs and of results are multiples of 16
  ChainKernelStep code[kChainCodes];
  StridedLayout<kChainInputs> layout;
};

inline constexpr int kMostWords = 32;

/// Numbers for the kernels of a graph. One block of kMostWords threads.
struct WordsKernelArgs {
  gk_u64* out;
  gk_i64 count;
  gk_u64 word[kMostWords];
};

struct FillKernelArgs {
  void* out;
  gk_u64 bits;  ///< the value's bytes, in the low end
  gk_i64 count;
  gk_i32 contiguous;
  StridedLayout<1> layout;
};

/// Copy of items as they are, or with conversion between dtypes (DType numbers).
struct CopyKernelArgs {
  void* out;
  const void* in;
  gk_i64 count;
  gk_i32 in_dtype, out_dtype;
  gk_i32 contiguous;
  StridedLayout<2> layout;  ///< out, in
};

/// out[b, r, c] = in[b, r, c] where out runs along c and in along r.
struct TransposeKernelArgs {
  void* out;
  const void* in;
  gk_i64 rows, columns, batch;
  gk_i64 out_row_stride, in_column_stride;  ///< elements; the other two are 1
  gk_i64 out_batch_stride, in_batch_stride;
  gk_i64 column_tiles, tiles;  ///< tiles of one matrix: row tiles x column tiles
};

struct RampKernelArgs {
  void* out;
  gk_i64 count;
  double start, step;
  gk_i64 start_int, step_int;
  gk_i32 dtype;
};

struct TriangleKernelArgs {
  void* out;
  const void* in;
  gk_i64 count;  ///< batch x rows x columns
  gk_i64 rows, columns, diagonal;
  gk_i32 upper;
};

inline constexpr int kReduceThreads = 256;

/// Stage one: a block of 256 threads is `width` kept elements times 256 / width threads that share
/// one reduction. along_kept: neighbouring threads take neighbouring kept elements (columns), else
/// neighbouring reduced ones (rows). Each chunk (blockIdx.y; of by_rows the chunks of all rows are
/// numbered together) covers `chunk_length` reduced
/// elements. With one chunk the result goes to `out`, otherwise accumulators go to partial_value /
/// partial_index as [kept][chunks].
struct ReduceKernelArgs {
  const void* in;
  void* out;
  void* partial_value;  ///< float, double or int64
  gk_i64* partial_index;
  gk_i64 kept_count, reduced_count, chunk_length;
  gk_i32 op;  ///< ReduceOp
  gk_i32 in_dtype, out_dtype;
  gk_i32 width;
  gk_i32 along_kept;
  gk_i32 chunks;
  gk_i32 by_rows;     ///< a row's threads have four lanes each; a block has four times the rows
  gk_i64 order_mask;  ///< the top bit for extremes of uint64, else 0
  StridedLayout<1> kept, reduced;
};

/// Stage two: one block per kept element folds its chunks in a fixed order.
struct ReduceFinishArgs {
  const void* partial_value;
  const gk_i64* partial_index;
  void* out;
  gk_i64 kept_count, reduced_count;
  gk_i32 op;
  gk_i32 out_dtype;
  gk_i32 chunks;
  gk_i64 order_mask;
};

inline constexpr int kScanThreads = 256;

/// A scan of `lines` lines, each split into `chunks`. Element t of line (o, i) is at (o * length +
/// t) * inner + i. per_thread: one thread scans one chunk of one line; else a block does, and inner
/// == 1. `carry` is [lines][chunks] of the accumulator type (int64, float or double).
struct CumulativeKernelArgs {
  const void* in;
  void* out;
  void* carry;
  gk_i64 lines, length, inner, chunk_length;
  gk_i32 chunks;
  gk_i32 per_thread;
  gk_i32 dtype;
  gk_i32 totals_only;  ///< writes the chunk totals to carry, no output
  gk_i32 use_carry;    ///< starts each chunk with its carry
  gk_i32 product;
};

/// Makes chunk totals exclusive prefixes, in place, one block per line.
struct CumulativeCarryArgs {
  void* carry;
  gk_i64 lines;
  gk_i32 chunks;
  gk_i32 product;
};

/// Elements of a row that a thread holds in registers, by the type that they are computed in.
inline constexpr int kHeldFloats = 16, kHeldDoubles = 4;
inline constexpr int kMostRowThreads = 1024;

struct SoftmaxKernelArgs {
  void* out;
  const void* in;
  gk_i64 rows, columns;
  gk_i32 row_threads;  ///< a power of two; of more than a warp all threads of the block
  gk_i32 held;         ///< the registers of row_threads threads hold a row
  gk_i32 log;
};

struct LayerNormKernelArgs {
  void* out;
  const void *in, *weight, *bias;  ///< weight and bias may be null
  void *mean, *rstd;               ///< null together
  gk_i64 rows, columns;
  double eps;
  gk_i32 row_threads, held;  ///< as for softmax
};

struct RandomKernelArgs {
  void* out;
  gk_i64 count;
  gk_u64 seed, offset;
  double low, span, below_high;  ///< uniform; normal: mean = low, deviation = span
  gk_i64 low_int;
  gk_u64 span_int;
  const gk_u64* state;  ///< of a graph: seed and offset increment; null elsewhere
};

/// The first index out of range that a kernel of this device found. In host memory that the device
/// reaches; the host clears it.
struct IndexRecord {
  gk_u32 claimed;   ///< a thread is filling it
  gk_u32 complete;  ///< the rest may be read
  gk_i32 operation, dim;
  gk_i64 index, size, position;
};

/// Where a kernel reports to; no record: it does not.
struct IndexReportRef {
  IndexRecord* record;
  gk_i32 operation;
  gk_i32 dim;
};

/// out[p] = the row-major index that the parts name together, plus coordinate_step for each
/// coordinate of p; kNoIndex where an index is out of range.
struct LinearIndexKernelArgs {
  gk_i64* out;
  gk_i64 count;
  gk_i32 parts;
  const gk_i64* index[kKernelMaxRank];
  gk_i64 extent[kKernelMaxRank];
  gk_i64 step[kKernelMaxRank];  ///< by which the index grows with this index
  gk_i32 dim[kKernelMaxRank];
  gk_i32 from_end;  ///< negative indices count from the end, else they are out of range
  gk_i64 coordinate_step[kKernelMaxRank];
  IndexReportRef report;
  StridedLayout<kKernelMaxRank> layout;
};

struct GatherKernelArgs {
  void* out;
  const void* in;
  const gk_i64* index;
  IndexReportRef report;
  gk_i64 total;  ///< outer x count x inner
  gk_i64 extent, inner, count;
  gk_i32 wide;
  MagicDivisor inner_magic, count_magic;
};

/// Entries of a sorted index that one thread adds up at most.
inline constexpr int kScatterChunk = 256;

/// As GatherKernelArgs, the other way: in is (outer, entries, inner), out (outer, extent, inner).
/// Those that add read entry e of `index` with row order[e] of in (null: row e). `sums` has
/// 2 x outer x chunks x inner numbers, or is null where there is one chunk.
struct ScatterKernelArgs {
  void* out;
  const void* in;
  const gk_i64 *index, *order;
  void* sums;
  IndexReportRef report;
  gk_i64 total;    ///< outer x count x inner
  gk_i64 entries;  ///< of the index
  gk_i64 outer, extent, inner;
  gk_i64 count;  ///< the entries; chunks where sums are joined
  gk_i32 dtype;  ///< read by the adding kernels only
  gk_i32 wide;
  MagicDivisor inner_magic, count_magic;
};

/// How the bits of an item become an unsigned number in the order of the values.
struct SortOrderRef {
  gk_u64 all;       ///< all bits of an item
  gk_u64 sign;      ///< its top bit; 0 for unsigned dtypes
  gk_u64 infinity;  ///< of floating dtypes, else 0
  gk_u64 inverted;  ///< `all` if descending, else 0
};

/// One pass of a sort by merging over (rows, columns). `tiles` of kElementTile elements a row. The
/// first pass reads `in` only and makes sorted tiles; a later one merges pairs of runs of `run`
/// elements. values or indices may be null.
struct SortKernelArgs {
  const void* in;
  const gk_i64* in_indices;
  void* values;
  gk_i64* indices;
  gk_i64 rows, columns, tiles, run;
  SortOrderRef order;
  gk_i32 item_bytes;
};

inline constexpr int kRadixThreads = 512;
/// Items of a block at a time, of at most that many bytes.
template <int kBytes>
inline constexpr int kRadixTile = kBytes > 4 ? 2048 : 4096;
inline constexpr int kRadixDigits = 256;
inline constexpr int kRadixScanThreads = 1024;

/// One pass of a sort by digits of 8 bits. `blocks` blocks share a row, each with `block_tiles`
/// neighbouring tiles. `counts` is [row][block][digit]: how many items have the digit, and after
/// the scan where the first of them goes. in_order: the items' indices in the row; null at first.
/// values, out_order and indices may be null.
struct RadixKernelArgs {
  const void* in;
  const gk_u32* in_order;
  void* values;
  gk_u32* out_order;
  gk_i64* indices;
  gk_u32* counts;
  gk_i64 columns, block_tiles;
  SortOrderRef order;
  gk_i32 blocks;
  gk_i32 item_bytes;
  gk_i32 shift;  ///< of the digit
};

/// Threads of a block of matmul_mma.cu, for tiles of 64 and of 128 rows and columns.
inline constexpr int kMmaThreads = 128;
/// Threads of a block of matmul_wide.cu, and the rows and columns of its tile.
inline constexpr int kWideThreads = 128, kWideRows = 64, kWideColumns = 128;
/// Threads of a block of matmul_thin.cu, the most rows of its thin operand, and the columns of its
/// tile for items of so many bytes.
inline constexpr int kThinThreads = 128, kThinRows = 16;
template <int kBytes>
inline constexpr int kThinColumns = 256 / kBytes;
inline constexpr int kFinishThreads = 256;

struct MatrixKernelRef {
  const void* data;
  gk_i64 row_stride, column_stride, batch_stride;
};

/// With `splits` above 1 a block sums `split_depth` inner elements, a multiple of 64, and c has the
/// sums of all parts as float or double: those of part s of product p at s * batch + p.
/// matmul_finish adds them: a is then c of the other kernels.
struct MatmulKernelArgs {
  MatrixKernelRef a, b;
  void* c;
  const void* bias;  ///< of each column, or null
  gk_i64 c_row_stride, c_batch_stride;
  gk_i64 batch, m, n, k;
  gk_i64 column_tiles;
  gk_i64 split_depth;
  ScalarValue alpha, beta;
  gk_i32 splits;
  gk_i32 dtype;
  gk_i32 relu;
  /// matmul_thin: all of this is of the transposed product, but c. matmul_finish: the sums are.
  gk_i32 transposed;
};

}  // namespace gpukit
