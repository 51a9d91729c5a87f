// The elementwise operations most programs spend their time in: one kernel each, contiguous
// operands only, every address a multiple of 16. A thread moves one 16-byte vector per operand:
// many threads keep more bytes on their way than long ones.
#include "kernels/element.h"

namespace gpukit {

template <class T>
inline constexpr int kPackCount = 16 / static_cast<int>(sizeof(T));

template <class T>
inline constexpr gk_i64 kHotTile = static_cast<gk_i64>(kElementThreads) * kPackCount<T>;

template <UnaryOp op, class T>
GK_FN void hot_unary(const HotUnaryArgs& args) {
  typedef Pack<T, kPackCount<T>> Vector;
  const T* in = static_cast<const T*>(args.in);
  T* out = static_cast<T*>(args.out);
  const gk_i64 base = tile_base(kHotTile<T>);
  if (base + kHotTile<T> <= args.count) {
    Vector vector = reinterpret_cast<const Vector*>(in + base)[threadIdx.x];
    GK_UNROLL
    for (int e = 0; e < kPackCount<T>; ++e)
      vector.at[e] = gk_down<T>(apply_unary<op>(gk_up(vector.at[e])));
    reinterpret_cast<Vector*>(out + base)[threadIdx.x] = vector;
    return;
  }
  GK_NO_UNROLL
  for (gk_i64 i = base + threadIdx.x; i < args.count; i += kElementThreads) {
    out[i] = gk_down<T>(apply_unary<op>(gk_up(in[i])));
  }
}

template <BinaryOp op, class T>
GK_FN void hot_binary(const HotBinaryArgs& args) {
  typedef Pack<T, kPackCount<T>> Vector;
  const T* left = static_cast<const T*>(args.left);
  const T* right = static_cast<const T*>(args.right);
  T* out = static_cast<T*>(args.out);
  const gk_i64 base = tile_base(kHotTile<T>);
  if (base + kHotTile<T> <= args.count) {
    Vector vector = reinterpret_cast<const Vector*>(left + base)[threadIdx.x];
    const Vector other = reinterpret_cast<const Vector*>(right + base)[threadIdx.x];
    GK_UNROLL
    for (int e = 0; e < kPackCount<T>; ++e)
      vector.at[e] = gk_down<T>(apply_binary<op>(gk_up(vector.at[e]), gk_up(other.at[e])));
    reinterpret_cast<Vector*>(out + base)[threadIdx.x] = vector;
    return;
  }
  GK_NO_UNROLL
  for (gk_i64 i = base + threadIdx.x; i < args.count; i += kElementThreads) {
    out[i] = gk_down<T>(apply_binary<op>(gk_up(left[i]), gk_up(right[i])));
  }
}

#define GK_HOT_UNARY(op, name, suffix, T)                                            \
  GK_KERNEL_BOUNDS(gk_##name##_##suffix, kElementThreads, const HotUnaryArgs args) { \
    hot_unary<UnaryOp::op, T>(args);                                                 \
  }
#define GK_HOT_BINARY(op, name, suffix, T)                                            \
  GK_KERNEL_BOUNDS(gk_##name##_##suffix, kElementThreads, const HotBinaryArgs args) { \
    hot_binary<BinaryOp::op, T>(args);                                                \
  }

#define GK_HOT_KERNELS(suffix, T)             \
  GK_HOT_UNARY(kNeg, neg, suffix, T)          \
  GK_HOT_UNARY(kExp, exp, suffix, T)          \
  GK_HOT_UNARY(kRelu, relu, suffix, T)        \
  GK_HOT_UNARY(kSigmoid, sigmoid, suffix, T)  \
  GK_HOT_UNARY(kTanh, tanh, suffix, T)        \
  GK_HOT_UNARY(kSqrt, sqrt, suffix, T)        \
  GK_HOT_BINARY(kAdd, add, suffix, T)         \
  GK_HOT_BINARY(kSub, sub, suffix, T)         \
  GK_HOT_BINARY(kMul, mul, suffix, T)         \
  GK_HOT_BINARY(kDiv, div, suffix, T)         \
  GK_HOT_BINARY(kMaximum, maximum, suffix, T) \
  GK_HOT_BINARY(kMinimum, minimum, suffix, T)

GK_FOR_HALF_AND_FLOAT(GK_HOT_KERNELS)

}  // namespace gpukit
