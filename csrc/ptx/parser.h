// From a PTX text to a Module.
#pragma once

#include <memory>
#include <string>

#include "ptx/syntax.h"

namespace gpukit::ptx {

/// Throws PtxError with the line for what is not PTX, or is PTX that gpukit does not run.
std::unique_ptr<Module> parse(std::string text);

}  // namespace gpukit::ptx
