// Discrete Fourier transforms, pass by pass through global memory: Stockham's algorithm with
// radices up to 13, and what Bluestein's convolution needs around it for other sizes. Every factor
// is read from a table of roots that the first launch makes.
#include "kernels/complex_math.h"
#include "kernels/storage.h"

namespace gpukit {

template <class T>
GK_FN Complex<T> swapped(Complex<T> z, gk_i32 swap) {
  return swap != 0 ? Complex<T>{z.im, z.re} : z;
}

/// exp(-2 pi i k / n): the angle is reduced to an eighth of a turn in whole numbers.
template <class T>
GK_FN Complex<T> root_of(gk_i64 k, gk_i64 n) {
  const gk_i64 turn = 8 * n;
  gk_i64 angle = 8 * k;
  const bool lower = angle > turn / 2;
  if (lower) angle = turn - angle;
  const bool left = angle > turn / 4;
  if (left) angle = turn / 2 - angle;
  const bool steep = angle > turn / 8;
  if (steep) angle = turn / 4 - angle;
  const double radians = 2 * kComplexPi * static_cast<double>(angle) / static_cast<double>(turn);
  const T c = static_cast<T>(gk_cos(radians)), s = static_cast<T>(gk_sin(radians));
  const T re = steep ? s : c, im = steep ? c : s;
  return {left ? -re : re, lower ? im : -im};
}

GK_FN gk_i64 line_start(const FftKernelArgs& args, gk_i64 line) {
  gk_i64 start = 0;
  GK_NO_UNROLL
  for (gk_i32 d = 0; d < args.rank; ++d) {
    const gk_i64 rest = line / args.lines[d];
    start += (line - rest * args.lines[d]) * args.strides[d];
    line = rest;
  }
  return start;
}

/// Number j of the chirp exp(-pi i j j / n), of a table of 2 n roots.
template <class T>
GK_FN Complex<T> chirp_at(const FftKernelArgs& args, gk_i64 j) {
  return static_cast<const Complex<T>*>(args.table)[j * j % (2 * args.size)];
}

template <class T>
GK_FN void fft_load(const FftKernelArgs& args, gk_i64 i) {
  const gk_i64 line = i / args.places, j = i - line * args.places;
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
GK_FN void fft_store(const FftKernelArgs& args, gk_i64 i) {
  const gk_i64 line = i / args.written, j = i - line * args.written;
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
GK_FN void fft_pass(const FftKernelArgs& args, gk_i64 i) {
  const gk_i64 each = args.places / args.radix;
  const gk_i64 line = i / each, rest = i - line * each;
  const gk_i64 p = rest / args.stride, q = rest - p * args.stride;
  const Complex<T>* in =
      static_cast<const Complex<T>*>(args.in) + line * args.places + q + args.stride * p;
  Complex<T>* out =
      static_cast<Complex<T>*>(args.out) + line * args.places + q + args.stride * args.radix * p;
  const Complex<T>* table = static_cast<const Complex<T>*>(args.table);
  const gk_i64 apart = args.stride * args.groups;
  const gk_i64 turn = args.table_size / args.radix;  // a root of the radix
  const gk_i64 step = args.table_size / (args.groups * args.radix) * p;
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
  const gk_i64 i = static_cast<gk_i64>(blockIdx.x) * kElementThreads + threadIdx.x;
  if (i >= args.count) return;
  Complex<T>* out = static_cast<Complex<T>*>(args.out);
  switch (static_cast<FftStep>(args.op)) {
    case FftStep::kRoots:
      out[i] = root_of<T>(i, args.count);
      return;
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
      out[i] = swapped(
          complex_product(out[i], static_cast<const Complex<T>*>(args.in)[i % args.places]), 1);
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
