// Functions that a kernel may call and that no PTX defines.
#pragma once

#include "ptx/kernel.h"
#include "ptx/types.h"

namespace gpukit::ptx {

class Warp;

void call_builtin(Warp& warp, const CallSite& site, Mask mask);

}  // namespace gpukit::ptx
