// Launches of kernels: their arguments are copied at the call, and they run on their stream.
#pragma once

#include "sim/block_executor.h"
#include "sim/cuda_abi.h"

namespace gpukit::sim {

class SimDevice;
class SimStream;

/// `handle`: a function, or a kernel of a library. The arguments come one by one in `params`, or
/// packed in the buffer that `extra` names.
CUresult launch_on(SimDevice& device, SimStream& stream, CUfunction handle, Launch launch,
                   void** params, void** extra, bool cooperative = false);

}  // namespace gpukit::sim
