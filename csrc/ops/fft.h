// Discrete Fourier transforms along dimensions of a tensor.
#pragma once

#include "tensor/tensor.h"

namespace gpukit::ops {

/// Dimensions counted from 0, each once, and their sizes: input is cut there, or continued with
/// zeros. Of real lines the last one is the one of which half is kept.
struct FftCall {
  Dims dims, sizes;
  double scale = 1;
  bool inverse = false;  ///< exp(+ 2 pi i j k / n)
};

/// Complex, of a complex tensor or of a float32 or float64 one.
Tensor fft(const Tensor& input, const FftCall& call);
/// Of a float32 or float64 tensor: the first n / 2 + 1 numbers. Forward.
Tensor fft_half(const Tensor& input, const FftCall& call);
/// Of the first n / 2 + 1 numbers of a real tensor's transform, that tensor. Inverse.
Tensor fft_from_half(const Tensor& input, const FftCall& call);

}  // namespace gpukit::ops
