// How to install gpukit and its extras: the only code that knows whether this version is released.
#pragma once

#include <string>

namespace gpukit {

/// "pip install gpukit", or 'gpukit[io]' with an extra. A development version is on no index: then
/// it is a clone's "pip install .", and the package that the extra would bring. An empty `version`
/// is this build's.
std::string install_command(const std::string& extra = {}, std::string version = {});

}  // namespace gpukit
