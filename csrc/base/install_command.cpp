#include "base/install_command.h"

#include <array>
#include <string_view>
#include <utility>

#ifndef GPUKIT_VERSION
#define GPUKIT_VERSION "0.dev0"  // compiled alone, by a test
#endif

namespace gpukit {

namespace {

/// The packages of the extras in pyproject.toml.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kExtraPackages{{
    {"cublas", "nvidia-cublas-cu12"},
    {"dtypes", "ml_dtypes"},
    {"io", "safetensors"},
    {"notebook", "ipython"},
    {"nvrtc", "nvidia-cuda-nvrtc-cu12"},
    {"plot", "matplotlib"},
}};

}  // namespace

std::string install_command(const std::string& extra, std::string version) {
  if (version.empty()) version = GPUKIT_VERSION;
  const bool released = version.find("dev") == std::string::npos;
  if (extra.empty()) return released ? "pip install gpukit" : "pip install .";
  if (released) return "pip install 'gpukit[" + extra + "]'";
  for (const auto& [name, package] : kExtraPackages) {
    if (name == extra) return "pip install " + std::string(package);
  }
  return "pip install '.[" + extra + "]'";
}

}  // namespace gpukit
