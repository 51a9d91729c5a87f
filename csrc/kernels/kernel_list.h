// All kernels: one row per group. A kernel's name is gk_<prefix>_<suffix>, its image is that of
// <family>.cu, and its only parameter is the argument struct by value.
#pragma once

#include "kernels/training_args.h"

namespace gpukit {

/// What follows the prefix in a kernel's name, and so what its variants are.
enum class KernelSuffixes : int {
  kDTypes,     ///< b8 u8 i8 u16 … f32 f64, by DType number (no group has all)
  kComputed,   ///< i32 i64 f32 f64: the type that a dtype is computed in
  kWidened,    ///< i64 f32 f64: the type that it is summed in
  kItemSizes,  ///< 8 16 32 64 128: bits of an item, by log2 of its bytes
  kFixed,      ///< nothing: the prefix is the whole name
};

// X(group, family, prefix, suffixes, argument struct)
#define GPUKIT_KERNEL_GROUPS(X)                                                           \
  X(kAdd, hot, add, kDTypes, HotBinaryArgs)                                               \
  X(kSub, hot, sub, kDTypes, HotBinaryArgs)                                               \
  X(kMul, hot, mul, kDTypes, HotBinaryArgs)                                               \
  X(kDiv, hot, div, kDTypes, HotBinaryArgs)                                               \
  X(kMaximum, hot, maximum, kDTypes, HotBinaryArgs)                                       \
  X(kMinimum, hot, minimum, kDTypes, HotBinaryArgs)                                       \
  X(kNeg, hot, neg, kDTypes, HotUnaryArgs)                                                \
  X(kExp, hot, exp, kDTypes, HotUnaryArgs)                                                \
  X(kRelu, hot, relu, kDTypes, HotUnaryArgs)                                              \
  X(kSigmoid, hot, sigmoid, kDTypes, HotUnaryArgs)                                        \
  X(kTanh, hot, tanh, kDTypes, HotUnaryArgs)                                              \
  X(kSqrt, hot, sqrt, kDTypes, HotUnaryArgs)                                              \
  X(kUnary, unary, unary, kComputed, UnaryKernelArgs)                                     \
  X(kBinary, binary, binary, kComputed, BinaryKernelArgs)                                 \
  X(kChain, chain, chain, kDTypes, ChainKernelArgs)                                       \
  X(kComplexProduct, complex, complex_product, kDTypes, ComplexKernelArgs)                \
  X(kComplexFunction, complex, complex_function, kFixed, ComplexKernelArgs)               \
  X(kFft, fft, fft, kDTypes, FftKernelArgs)                                               \
  X(kWhere, select, where, kItemSizes, WhereKernelArgs)                                   \
  X(kClamp, select, clamp, kComputed, ClampKernelArgs)                                    \
  X(kTriangle, select, triangle, kItemSizes, TriangleKernelArgs)                          \
  X(kFill, fill, fill, kItemSizes, FillKernelArgs)                                        \
  X(kRamp, fill, ramp, kWidened, RampKernelArgs)                                          \
  X(kWords, fill, words, kFixed, WordsKernelArgs)                                         \
  X(kCast, copy, cast, kWidened, CopyKernelArgs)                                          \
  X(kCopy, copy, copy, kItemSizes, CopyKernelArgs)                                        \
  X(kTranspose, copy, transpose, kItemSizes, TransposeKernelArgs)                         \
  X(kReduce, reduce, reduce, kDTypes, ReduceKernelArgs)                                   \
  X(kReduceFinish, reduce, reduce_finish, kWidened, ReduceFinishArgs)                     \
  X(kCumulative, cumulative, cumulative, kWidened, CumulativeKernelArgs)                  \
  X(kCumulativeCarry, cumulative, cumulative_carry, kWidened, CumulativeCarryArgs)        \
  X(kSoftmax, softmax, softmax, kDTypes, SoftmaxKernelArgs)                               \
  X(kLayerNorm, softmax, layer_norm, kDTypes, LayerNormKernelArgs)                        \
  X(kUniform, random, uniform, kDTypes, RandomKernelArgs)                                 \
  X(kNormal, random, normal, kDTypes, RandomKernelArgs)                                   \
  X(kIntegers, random, integers, kItemSizes, RandomKernelArgs)                            \
  X(kGather, gather, gather, kItemSizes, GatherKernelArgs)                                \
  X(kLinearIndex, gather, linear_index, kFixed, LinearIndexKernelArgs)                    \
  X(kScatter, scatter, scatter, kItemSizes, ScatterKernelArgs)                            \
  X(kScatterAdd, scatter, scatter_add, kComputed, ScatterKernelArgs)                      \
  X(kScatterJoin, scatter, scatter_join, kComputed, ScatterKernelArgs)                    \
  X(kSortTiles, sort, sort_tiles, kItemSizes, SortKernelArgs)                             \
  X(kSortMerge, sort, sort_merge, kItemSizes, SortKernelArgs)                             \
  X(kSortCount, sort, sort_count, kItemSizes, RadixKernelArgs)                            \
  X(kSortScan, sort, sort_scan, kFixed, RadixKernelArgs)                                  \
  X(kSortMove, sort, sort_move, kItemSizes, RadixKernelArgs)                              \
  X(kMatmul, matmul_tiled, matmul, kDTypes, MatmulKernelArgs)                             \
  X(kMatmulLarge, matmul_wide, matmul_large, kDTypes, MatmulKernelArgs)                   \
  X(kMatmulThin, matmul_thin, matmul_thin, kDTypes, MatmulKernelArgs)                     \
  X(kMatmulFinish, matmul_thin, matmul_finish, kDTypes, MatmulKernelArgs)                 \
  X(kMatmulMma, matmul_mma, matmul_mma, kDTypes, MatmulKernelArgs)                        \
  X(kMatmulMmaLarge, matmul_mma, matmul_mma_large, kDTypes, MatmulKernelArgs)             \
  X(kOptimizer, optimizer, optimizer, kDTypes, OptimizerKernelArgs)                       \
  X(kCrossEntropy, loss, cross_entropy, kDTypes, CrossEntropyKernelArgs)                  \
  X(kCrossEntropyBackward, loss, cross_entropy_backward, kDTypes, CrossEntropyKernelArgs) \
  X(kLossTotal, loss, loss_total, kDTypes, LossTotalKernelArgs)

enum class KernelGroup : int {
#define GPUKIT_ROW(group, family, prefix, suffixes, args) group,
  GPUKIT_KERNEL_GROUPS(GPUKIT_ROW)
#undef GPUKIT_ROW
      kCount
};

/// Largest number of kernels in a group: one for each dtype.
inline constexpr int kKernelVariants = 0
#define GK_DTYPE(...) +1
#include "base/dtypes.def"
    ;

template <KernelGroup group>
struct KernelArgsOf;
#define GPUKIT_ROW(group, family, prefix, suffixes, args) \
  template <>                                             \
  struct KernelArgsOf<KernelGroup::group> {               \
    typedef args type;                                    \
    static_assert(sizeof(args) <= 4096);                  \
  };
GPUKIT_KERNEL_GROUPS(GPUKIT_ROW)
#undef GPUKIT_ROW

template <KernelGroup group>
using kernel_args_t = typename KernelArgsOf<group>::type;

}  // namespace gpukit
