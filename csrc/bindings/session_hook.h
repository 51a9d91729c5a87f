// What has to happen in Python once, before C++ opens a vendor library by itself.
#pragma once

#include "core/device.h"

namespace gpukit::bindings {

/// Before the first use of a CUDA device: starts what GPUKIT_SIMULATE asks for and tells where
/// cuBLAS may lie. Needs the GIL. Throws what Python raises, e.g. for a wrong GPUKIT_SIMULATE.
void prepare_cuda();

/// Before the first matrix product on the CPU: sets the path of the BLAS wheel. Needs the GIL.
void prepare_cpu_blas();

/// True when the CUDA devices of now are simulated ones: a label for people.
bool cuda_is_simulated();

}  // namespace gpukit::bindings
