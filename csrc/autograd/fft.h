// The transforms of ops/fft.h, recorded where a gradient is wanted.
#pragma once

#include "ops/fft.h"

namespace gpukit::autograd {

using ops::FftCall;

Tensor fft(const Tensor& input, const FftCall& call);
Tensor fft_half(const Tensor& input, const FftCall& call);
Tensor fft_from_half(const Tensor& input, const FftCall& call);

}  // namespace gpukit::autograd
