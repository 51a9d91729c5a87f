// Discrete Fourier transforms: torch.fft's functions, which gpukit.fft shows, and those of windows
// of a signal.
#include <cmath>

#include "autograd/elementwise.h"
#include "autograd/fft.h"
#include "base/check.h"
#include "base/error.h"
#include "bindings/composed_row.h"
#include "bindings/row_texts.h"
#include "bindings/signature.h"
#include "bindings/work.h"
#include "ops/promotion.h"

namespace gpukit::bindings {

namespace bind_fft {
namespace {

enum class Form {
  kComplex,
  kHalf,           ///< rfft: real input, half of the result
  kFromHalf,       ///< irfft
  kHermitian,      ///< hfft: irfft of the conjugate numbers, forward
  kHermitianHalf,  ///< ihfft: the conjugate numbers of rfft, inverse
};

struct Kind {
  Form form;
  bool inverse;
  int dims;  ///< 1, 2 or 0 for any number

  bool real_input() const { return form == Form::kHalf || form == Form::kHermitianHalf; }
  bool real_result() const { return form == Form::kFromHalf || form == Form::kHermitian; }
};

/// "fft.rfft" for fft_rfft.
std::string shown_name(const Arguments& a) { return "fft." + std::string(a.op().substr(4)); }

double scale_of(const Arguments& a, const std::string& op, bool inverse, double count) {
  const std::string norm = a.given(3) ? to_text({op, "norm"}, a[3]) : "backward";
  if (norm == "ortho") return 1 / std::sqrt(count);
  GPUKIT_CHECK(norm == "forward" || norm == "backward", ValueError, op,
               ": norm must be 'forward', 'backward' or 'ortho', got '", norm, "'");
  return inverse == (norm == "backward") ? 1 / count : 1;
}

/// Input in a dtype that is transformed.
Tensor computable(const std::string& op, const Tensor& input, Kind kind) {
  const bool whole = !is_floating(input.dtype()) && !is_complex(input.dtype());
  const DType dtype = whole ? ops::default_floating() : input.dtype();
  GPUKIT_CHECK(!is_half(dtype), DTypeError, op, ": input is ", name(dtype),
               "; Fourier transforms are computed in float32 and float64. Convert with .float().");
  GPUKIT_CHECK(!kind.real_input() || !is_complex(dtype), DTypeError, op, ": input is ", name(dtype),
               "; it must be real. Use fft.fft, or x.real.");
  // Transforms of real lines along several dimensions are complex ones from the start, as in torch.
  const bool widened = kind.form == Form::kComplex && kind.dims != 1;
  return autograd::cast(input, kind.real_result() || widened ? complex_dtype(dtype) : dtype);
}

/// Which dimensions are transformed, counted from 0.
Dims dims_of(const Arguments& a, const std::string& op, const Tensor& input, Kind kind,
             const std::optional<Dims>& sizes) {
  Dims dims;
  if (kind.dims == 1) {
    dims.push_back(a.integer(2, -1));
  } else if (a.given(2)) {
    dims = a.dims(2);
  } else if (kind.dims == 2) {
    dims = Dims{-2, -1};
  } else {
    const int count = sizes ? sizes->size() : input.rank();
    GPUKIT_CHECK(count <= input.rank(), ValueError, op, ": s has ", count, " sizes, but input is ",
                 to_string(input.shape()), "; give at most one size for each dimension");
    for (int i = input.rank() - count; i < input.rank(); ++i) dims.push_back(i);
  }
  GPUKIT_CHECK(dims.empty() || input.rank() > 0, IndexError, op,
               ": input has no dimension to transform; use x.reshape(1)");
  for (int i = 0; i < dims.size(); ++i) {
    dims[i] = normalize_dim(dims[i], input.rank(), op);
    for (int j = 0; j < i; ++j)
      GPUKIT_CHECK(dims[i] != dims[j], ValueError, op, ": dim names dimension ", dims[i],
                   " twice; give each one once");
  }
  return dims;
}

/// How many numbers are transformed along each of the dimensions.
Dims sizes_of(const std::string& op, const Tensor& input, Kind kind, const Dims& dims,
              const std::optional<Dims>& given) {
  const char* const argument = kind.dims == 1 ? "n" : "s";
  GPUKIT_CHECK(!given || given->size() == dims.size(), ValueError, op, ": s and dim have ",
               given ? given->size() : 0, " and ", dims.size(),
               " items; give one size for each dimension");
  Dims sizes = dims;
  for (int i = 0; i < dims.size(); ++i) {
    const std::int64_t own = input.size(static_cast<int>(dims[i]));
    const bool half = kind.real_result() && i == dims.size() - 1;
    const bool asked = given && (kind.dims == 1 || (*given)[i] != -1);
    sizes[i] = asked ? (*given)[i] : half ? 2 * (own - 1) : own;
    GPUKIT_CHECK(sizes[i] >= 1, ValueError, op, ": there are ", sizes[i],
                 " numbers to transform along dimension ", dims[i], "; give ", argument,
                 ", 1 or more");
  }
  return sizes;
}

Tensor computed(Kind kind, const Tensor& input, ops::FftCall call) {
  switch (kind.form) {
    case Form::kComplex:
      return autograd::fft(input, call);
    case Form::kHalf:
      return autograd::fft_half(input, call);
    case Form::kFromHalf:
      return autograd::fft_from_half(input, call);
    case Form::kHermitian:
      call.inverse = true;
      return autograd::fft_from_half(autograd::conj(input), call);
    case Form::kHermitianHalf:
      call.inverse = false;
      return autograd::conj(autograd::fft_half(input, call));
  }
  __builtin_unreachable();
}

PyObject* transform(const Arguments& a, Kind kind) {
  const std::string op = shown_name(a);
  const Tensor& input = a.tensor(0);
  std::optional<Dims> given = a.optional_dims(1);
  if (kind.dims == 1 && given) given = Dims{a.integer(1)};
  const Dims dims = dims_of(a, op, input, kind, given);
  GPUKIT_CHECK(!dims.empty() || kind.form == Form::kComplex, ValueError, op,
               ": there is no dimension to transform; give dim");
  ops::FftCall call{dims, sizes_of(op, input, kind, dims, given)};
  double count = 1;
  for (const std::int64_t size : call.sizes) count *= static_cast<double>(size);
  call.scale = scale_of(a, op, kind.inverse, count);
  call.inverse = kind.inverse;
  const std::int64_t most = std::max(input.count(), saturated(count));
  return wrap(run(a.gil().releases(input, most),
                  [&] { return computed(kind, computable(op, input, kind), call); }));
}

template <Form form, bool inverse, int dims>
PyObject* transformed(const Arguments& a) {
  return transform(a, {form, inverse, dims});
}

#define GPUKIT_FFT_INPUT \
  "input: one dimension or more; any dtype but the half types, which are a DTypeError.\n"
#define GPUKIT_FFT_REAL "input: one dimension or more; real, but none of the half types.\n"
#define GPUKIT_FFT_NORM                                                                        \
  "norm: 'backward' (the default: only inverse transforms are divided, by n), 'forward' (the " \
  "others are) or 'ortho' (each by the square root of n).\n"
#define GPUKIT_FFT_N \
  "n: how many numbers of each line are transformed; it is cut there, or continued with zeros.\n"
#define GPUKIT_FFT_S                                                                         \
  "s: sizes, one for each of dim; -1 is input's own. Input is cut there, or continued with " \
  "zeros.\n"
#define GPUKIT_FFT_DIMS \
  "dim: dimensions, each once; by default the last ones that s has sizes for, or all.\n"
#define GPUKIT_FFT_TWO "dim: two dimensions.\n"
#define GPUKIT_FFT_OUT_N \
  "n: the size of the result along dim; by default 2 * (m - 1) for m numbers.\n"
#define GPUKIT_FFT_OUT_S \
  "s: the sizes of the result along dim; the last one is by default 2 * (m - 1) for m numbers.\n"
#define GPUKIT_FFT_RAISES                                                                       \
  "ValueError: n or a size is below 1, or norm is another text.\nDTypeError: input's dtype is " \
  "not transformed.\n" GPUKIT_RAISES_DIM
#define GPUKIT_FFT_COMPLEX "complex64, or complex128 for float64 and complex128."
#define GPUKIT_FFT_PART "float32, or float64 for float64 and complex128."

constexpr FunctionRow row(FunctionRow said) {
  said.cost = cost::kFunction;
  said.docs.raises = GPUKIT_FFT_RAISES;
  said.where = kFunction | kInner;
  said.out = Out::kCopied;
  return said;
}

#define GPUKIT_FFT_ONE "(input, n: int | None = None, dim=-1, norm: str | None = None)"
#define GPUKIT_FFT_2D                                                                             \
  "(input, s: int | Sequence[int] | None = None, dim: int | Sequence[int] = (-2, -1), norm: str " \
  "| None = None)"
#define GPUKIT_FFT_ND                                                                            \
  "(input, s: int | Sequence[int] | None = None, dim: int | Sequence[int] | None = None, norm: " \
  "str | None = None)"

// clang-format off
constexpr Docs kSpectrum = {
    .parameters = "input: a signal or a batch of them; of istft, complex, (…, frequencies, frames).\nn_fft: the length of a transform.\n"
                  "hop_length: from one window to the next; None is n_fft / 4.\nwin_length: the length of the window; None is n_fft.\n"
                  "window: such as hann_window's; None is ones.\ncenter: windows lie around their place, the signal is padded.\n"
                  "pad_mode: 'reflect', 'constant', 'replicate' or 'circular'.\nnormalized: divide by the root of n_fft.\n"
                  "onesided: frequencies from 0 on alone; None: of a real signal.\n"
                  "return_complex: complex numbers; False: real and imaginary parts as a last dimension.\nlength: of the signal.\n",
    .returns = "(…, frequencies, frames), or of istft the signal.",
    .raises = "ShapeError: the sizes do not fit.\nDTypeError: a dtype is another one.\nValueError: return_complex is missing, or a number is out of range.\n"};
constexpr FunctionRow kFourierRows[] = {
  row({.signature = "fft_fft" GPUKIT_FFT_ONE, .call = transformed<Form::kComplex, false, 1>,
   .doc = "The discrete Fourier transform along one dimension.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_N GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.fft(gpukit.tensor([1.0, 2.0, 3.0, 4.0]))\n" "tensor([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])"}),
  row({.signature = "fft_ifft" GPUKIT_FFT_ONE, .call = transformed<Form::kComplex, true, 1>,
   .doc = "The inverse of fft.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_N GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.ifft(gpukit.fft.fft(gpukit.tensor([1.0, 2.0]))).real\n" "tensor([1., 2.])"}),
  row({.signature = "fft_fft2" GPUKIT_FFT_2D, .call = transformed<Form::kComplex, false, 2>,
   .doc = "The Fourier transform along two dimensions.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_S GPUKIT_FFT_TWO GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.fft2(gpukit.ones(2, 2)).real\n" "tensor([[4., 0.],\n" "        [0., 0.]])"}),
  row({.signature = "fft_ifft2" GPUKIT_FFT_2D, .call = transformed<Form::kComplex, true, 2>,
   .doc = "The inverse of fft2.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_S GPUKIT_FFT_TWO GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.ifft2(gpukit.ones(2, 2)).real\n" "tensor([[1., 0.],\n" "        [0., 0.]])"}),
  row({.signature = "fft_fftn" GPUKIT_FFT_ND, .call = transformed<Form::kComplex, false, 0>,
   .doc = "The Fourier transform along several dimensions.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_S GPUKIT_FFT_DIMS GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.fftn(gpukit.ones(2, 2)).real\n" "tensor([[4., 0.],\n" "        [0., 0.]])"}),
  row({.signature = "fft_ifftn" GPUKIT_FFT_ND, .call = transformed<Form::kComplex, true, 0>,
   .doc = "The inverse of fftn.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_S GPUKIT_FFT_DIMS GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.ifftn(gpukit.ones(2, 2)).real\n" "tensor([[1., 0.],\n" "        [0., 0.]])"}),
  row({.signature = "fft_rfft" GPUKIT_FFT_ONE, .call = transformed<Form::kHalf, false, 1>,
   .doc = "The first n // 2 + 1 numbers of the Fourier transform of real lines; the others are their conjugates.",
   .docs = {.parameters = GPUKIT_FFT_REAL GPUKIT_FFT_N GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.rfft(gpukit.tensor([1.0, 2.0, 3.0, 4.0]))\n" "tensor([10.+0.j, -2.+2.j, -2.+0.j])"}),
  row({.signature = "fft_irfft" GPUKIT_FFT_ONE, .call = transformed<Form::kFromHalf, true, 1>,
   .doc = "The inverse of rfft: real lines.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_OUT_N GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_PART},
   .example = ">>> gpukit.fft.irfft(gpukit.tensor([2.0, 0.0]))\n" "tensor([1., 1.])"}),
  row({.signature = "fft_rfft2" GPUKIT_FFT_2D, .call = transformed<Form::kHalf, false, 2>,
   .doc = "rfft along the last of two dimensions, fft along the other.",
   .docs = {.parameters = GPUKIT_FFT_REAL GPUKIT_FFT_S GPUKIT_FFT_TWO GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.rfft2(gpukit.ones(2, 2)).shape\n" "(2, 2)"}),
  row({.signature = "fft_irfft2" GPUKIT_FFT_2D, .call = transformed<Form::kFromHalf, true, 2>,
   .doc = "The inverse of rfft2.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_OUT_S GPUKIT_FFT_TWO GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_PART},
   .example = ">>> gpukit.fft.irfft2(gpukit.fft.rfft2(gpukit.ones(2, 2)))\n" "tensor([[1., 1.],\n" "        [1., 1.]])"}),
  row({.signature = "fft_rfftn" GPUKIT_FFT_ND, .call = transformed<Form::kHalf, false, 0>,
   .doc = "rfft along the last of several dimensions, fft along the others.",
   .docs = {.parameters = GPUKIT_FFT_REAL GPUKIT_FFT_S GPUKIT_FFT_DIMS GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.rfftn(gpukit.ones(2, 3, 4)).shape\n" "(2, 3, 3)"}),
  row({.signature = "fft_irfftn" GPUKIT_FFT_ND, .call = transformed<Form::kFromHalf, true, 0>,
   .doc = "The inverse of rfftn.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_OUT_S GPUKIT_FFT_DIMS GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_PART},
   .example = ">>> gpukit.fft.irfftn(gpukit.ones(2, 3)).shape\n" "(2, 4)"}),
  row({.signature = "fft_hfft" GPUKIT_FFT_ONE, .call = transformed<Form::kHermitian, false, 1>,
   .doc = "The Fourier transform of lines whose second half is the conjugate of the first, which is given: real lines.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_OUT_N GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_PART},
   .example = ">>> gpukit.fft.hfft(gpukit.tensor([1.0, 1.0]))\n" "tensor([2., 0.])"}),
  row({.signature = "fft_ihfft" GPUKIT_FFT_ONE, .call = transformed<Form::kHermitianHalf, true, 1>,
   .doc = "The inverse of hfft: the first half of lines.",
   .docs = {.parameters = GPUKIT_FFT_REAL GPUKIT_FFT_N GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.ihfft(gpukit.tensor([2.0, 0.0])).real\n" "tensor([1., 1.])"}),
  row({.signature = "fft_hfft2" GPUKIT_FFT_2D, .call = transformed<Form::kHermitian, false, 2>,
   .doc = "hfft along the last of two dimensions, fft along the other.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_OUT_S GPUKIT_FFT_TWO GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_PART},
   .example = ">>> gpukit.fft.hfft2(gpukit.ones(2, 2)).shape\n" "(2, 2)"}),
  row({.signature = "fft_ihfft2" GPUKIT_FFT_2D, .call = transformed<Form::kHermitianHalf, true, 2>,
   .doc = "The inverse of hfft2.",
   .docs = {.parameters = GPUKIT_FFT_REAL GPUKIT_FFT_S GPUKIT_FFT_TWO GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.ihfft2(gpukit.ones(2, 2)).shape\n" "(2, 2)"}),
  row({.signature = "fft_hfftn" GPUKIT_FFT_ND, .call = transformed<Form::kHermitian, false, 0>,
   .doc = "hfft along the last of several dimensions, fft along the others.",
   .docs = {.parameters = GPUKIT_FFT_INPUT GPUKIT_FFT_OUT_S GPUKIT_FFT_DIMS GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_PART},
   .example = ">>> gpukit.fft.hfftn(gpukit.ones(2, 3)).shape\n" "(2, 4)"}),
  row({.signature = "fft_ihfftn" GPUKIT_FFT_ND, .call = transformed<Form::kHermitianHalf, true, 0>,
   .doc = "The inverse of hfftn.",
   .docs = {.parameters = GPUKIT_FFT_REAL GPUKIT_FFT_S GPUKIT_FFT_DIMS GPUKIT_FFT_NORM, .returns = GPUKIT_FFT_COMPLEX},
   .example = ">>> gpukit.fft.ihfftn(gpukit.ones(2, 4)).shape\n" "(2, 3)"}),
  composed_row({.signature = "stft(input, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None, center=True, pad_mode: str = 'reflect', normalized=False, onesided: bool | None = None, return_complex: bool | None = None)",
   .doc = "Fourier transforms of overlapping windows of a signal.",
   .docs = kSpectrum,
   .example = ">>> gpukit.stft(gpukit.ones(8), 4, return_complex=True).shape\n" "(3, 9)"}),
  composed_row({.signature = "istft(input, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None, center=True, normalized=False, onesided: bool | None = None, length: int | None = None, return_complex=False)",
   .doc = "The signal of which stft gives these transforms.",
   .docs = kSpectrum,
   .example = ">>> x = gpukit.ones(8)\n" ">>> gpukit.istft(gpukit.stft(x, 4, return_complex=True), 4)\n" "tensor([1., 1., 1., 1., 1., 1., 1., 1.])"}),
};
// clang-format on

}  // namespace
}  // namespace bind_fft

template <>
FunctionTable& functions<Family::kFourier>() {
  return function_table<bind_fft::kFourierRows>();
}

}  // namespace gpukit::bindings
