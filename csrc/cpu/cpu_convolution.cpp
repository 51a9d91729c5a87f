#include "cpu/cpu_ops.h"

namespace gpukit::cpu {

void CpuOps::convolution(const ConvolutionArgs& args, StreamRef stream) {
  DeviceOps::convolution(args, stream);
}

}  // namespace gpukit::cpu
