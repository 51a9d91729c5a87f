// Functions that a kernel may call and that no PTX defines.
#pragma once

#include "ptx/kernel.h"
#include "ptx/types.h"

namespace gpukit::ptx {

class Warp;

/// False when the call waits for other blocks and is to be made again.
bool call_builtin(Warp& warp, const CallSite& site, Mask mask);

}  // namespace gpukit::ptx
