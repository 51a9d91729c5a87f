// Discrete Fourier transforms, pass by pass through global memory: Stockham's algorithm with
// radices up to 13, and what Bluestein's convolution needs around it for other sizes. Every factor
// is read from a table of roots that the first launch makes.
#include "kernels/complex_math.h"
#include "kernels/storage.h"

// Called, so that the module has it once.
#if defined(__CUDACC__)
#define GK_ONE_COPY static __device__ __noinline__
#else
#define GK_ONE_COPY static inline
#endif

namespace gpukit {

template <class T>
GK_FN Complex<T> swapped(Complex<T> z, gk_i32 swap) {
  return swap != 0 ? Complex<T>{z.im, z.re} : z;
}

/// exp(-2 pi i k / n), of the angle of an eighth of k / n: it is reduced to an eighth of a turn in
/// whole numbers, where short series give both parts.
GK_ONE_COPY Complex128 root_of(gk_i64 k, gk_i64 n, double unit) {
  gk_i64 angle = 8 * k;
  const bool lower = angle > 4 * n;
  if (lower) angle = 8 * n - angle;
  const bool left = angle > 2 * n;
  if (left) angle = 4 * n - angle;
  const bool steep = angle > n;
  if (steep) angle = 2 * n - angle;
  const double x = static_cast<double>(angle) * unit, y = -x * x;
  double c = 1, s = 1;
  GK_UNROLL
  for (int i = 18; i > 0; i -= 2) {
    c = 1 + y * c * (1.0 / (i * (i - 1)));
    s = 1 + y * s * (1.0 / (i * (i + 1)));
  }
  s *= x;
  const double re = steep ? s : c, im = steep ? c : s;
  return {left ? -re : re, lower ? im : -im};
}

GK_ONE_COPY gk_i64 line_start(const FftKernelArgs& args, gk_i64 line) {
  gk_i64 start = 0;
  GK_NO_UNROLL
  for (gk_i32 d = 0; d < args.rank; ++d) {
    const gk_i64 rest = line / args.lines[d];
    start += (line - rest * args.lines[d]) * args.strides[d];
    line = rest;
  }
  return start;
}

/// Number j of the chirp exp(-pi i j j / n).
template <class T>
GK_FN Complex<T> chirp_at(const FftKernelArgs& args, gk_i64 j) {
  return static_cast<const Complex<T>*>(args.table)[j];
}

template <class T>
GK_FN void fft_load(const FftKernelArgs& args, gk_u32 i) {
  const gk_u32 places = static_cast<gk_u32>(args.places);
  const gk_u32 line = i / places;
  const gk_i64 j = i - line * places;
  Complex<T> value = {0, 0};
  const bool mirrored = args.half != 0 && 2 * j > args.size;
  const gk_i64 from = mirrored ? args.size - j : j;
  if (j < args.size && from < args.read) {
    const gk_i64 at = line_start(args, args.first_line + line) + from * args.step;
    if (args.real != 0) {
      value.re = static_cast<const T*>(args.in)[at];
    } else {
      value = static_cast<const Complex<T>*>(args.in)[at];
      if (mirrored) value.im = -value.im;
      if (args.half != 0 && (from == 0 || 2 * from == args.size)) value.im = 0;
    }
    value = swapped(value, args.inverse);
    if (args.chirp != 0) value = complex_product(value, chirp_at<T>(args, j));
  }
  static_cast<Complex<T>*>(args.out)[i] = value;
}

template <class T>
GK_FN void fft_store(const FftKernelArgs& args, gk_u32 i) {
  const gk_u32 written = static_cast<gk_u32>(args.written);
  const gk_i64 line = i / written, j = i - static_cast<gk_u32>(line) * written;
  Complex<T> value = static_cast<const Complex<T>*>(args.in)[line * args.places + j];
  if (args.chirp != 0) value = complex_product(swapped(value, 1), chirp_at<T>(args, j));
  value = swapped(value, args.inverse);
  const T scale = static_cast<T>(args.scale);
  const gk_i64 at = line_start(args, args.first_line + line) + j * args.step;
  if (args.real != 0) {
    static_cast<T*>(args.out)[at] = value.re * scale;
  } else {
    static_cast<Complex<T>*>(args.out)[at] = {value.re * scale, value.im * scale};
  }
}

/// Numbers p + k * groups of a line become numbers radix * p + k, `stride` at a time.
template <class T>
GK_FN void fft_pass(const FftKernelArgs& args, gk_u32 i) {
  const gk_u32 stride = static_cast<gk_u32>(args.stride);
  const gk_u32 each = stride * static_cast<gk_u32>(args.groups);
  const gk_i64 line = i / each;
  const gk_u32 rest = i - static_cast<gk_u32>(line) * each;
  const gk_i64 p = rest / stride, q = rest % stride;
  const Complex<T>* in =
      static_cast<const Complex<T>*>(args.in) + line * args.places + q + args.stride * p;
  Complex<T>* out =
      static_cast<Complex<T>*>(args.out) + line * args.places + q + args.stride * args.radix * p;
  const Complex<T>* table = static_cast<const Complex<T>*>(args.table);
  const gk_i64 apart = args.stride * args.groups;
  const gk_i64 turn = apart;  // from a root of the radix to the next
  const gk_i64 step = args.stride * p;
  if (args.radix == 4) {
    const Complex<T> a = in[0], b = in[apart], c = in[2 * apart], d = in[3 * apart];
    const Complex<T> s = {a.re + c.re, a.im + c.im}, t = {a.re - c.re, a.im - c.im};
    const Complex<T> u = {b.re + d.re, b.im + d.im}, v = {b.im - d.im, d.re - b.re};
    out[0] = {s.re + u.re, s.im + u.im};
    out[args.stride] = complex_product({t.re + v.re, t.im + v.im}, table[step]);
    out[2 * args.stride] = complex_product({s.re - u.re, s.im - u.im}, table[2 * step]);
    out[3 * args.stride] = complex_product({t.re - v.re, t.im - v.im}, table[3 * step]);
    return;
  }
  GK_NO_UNROLL
  for (gk_i32 k = 0; k < args.radix; ++k) {
    Complex<T> sum = in[0];
    GK_NO_UNROLL
    for (gk_i32 j = 1; j < args.radix; ++j) {
      const Complex<T> term = complex_product(in[j * apart], table[j * k % args.radix * turn]);
      sum.re += term.re;
      sum.im += term.im;
    }
    out[k * args.stride] = k == 0 ? sum : complex_product(sum, table[step * k]);
  }
}

template <class T>
GK_FN void fft_step(const FftKernelArgs& args) {
  const gk_u32 i = blockIdx.x * kElementThreads + threadIdx.x;
  if (i >= args.count) return;
  Complex<T>* out = static_cast<Complex<T>*>(args.out);
  switch (static_cast<FftStep>(args.op)) {
    case FftStep::kRoots: {  // those of the chirp go by squares
      const gk_i64 k = args.chirp != 0 ? static_cast<gk_i64>(i) * i % (2 * args.size) : i;
      const Complex128 root = root_of(k, args.chirp != 0 ? 2 * args.size : args.count, args.scale);
      out[i] = {static_cast<T>(root.re), static_cast<T>(root.im)};
      return;
    }
    case FftStep::kChirp: {  // the conjugate chirp on both sides of 0, and zeros between
      const gk_i64 j = i < args.size ? i : args.places - i;
      Complex<T> value = {0, 0};
      if (j < args.size) value = chirp_at<T>(args, j);
      const T scale = static_cast<T>(args.scale);
      out[i] = {value.re * scale, -value.im * scale};
      return;
    }
    case FftStep::kLoad:
      return fft_load<T>(args, i);
    case FftStep::kPass:
      return fft_pass<T>(args, i);
    case FftStep::kProduct:  // times the chirp's transform, and exchanged: the way back
      out[i] = swapped(complex_product(out[i], static_cast<const Complex<T>*>(
                                                   args.in)[i % static_cast<gk_u32>(args.places)]),
                       1);
      return;
    case FftStep::kStore:
      return fft_store<T>(args, i);
  }
}

#define GK_FFT(suffix, T)                                                        \
  GK_KERNEL_BOUNDS(gk_fft_##suffix, kElementThreads, const FftKernelArgs args) { \
    fft_step<decltype(T::re)>(args);                                             \
  }
GK_FOR_COMPLEX(GK_FFT)

}  // namespace gpukit
