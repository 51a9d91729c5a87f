#include "cuda/cuda_compiler.h"

#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/format.h"

namespace gpukit::cuda {

namespace {

/// NVRTC also looks for headers in the source's folder, which would be the working directory.
/// Nothing can be in this folder, since that name is a device's. (--no-source-include would also
/// leave out the folders of headers that include others.)
constexpr std::string_view kFolder = "/dev/null/";

std::string without_folder(std::string text) {
  for (std::size_t at = text.find(kFolder); at != std::string::npos; at = text.find(kFolder, at))
    text.erase(at, kFolder.size());
  return text;
}

/// The newest architecture that the device runs: PTX of an older one is compiled for it, a cubin
/// must be of its major.
int architecture_for(const driver::NvrtcLibrary& library, const SourceCode& source) {
  int best = 0;
  for (const int known : library.architectures()) {
    const bool runs = known <= source.capability &&
                      (!source.machine_code || known / 10 == source.capability / 10);
    if (runs) best = known;
  }
  GPUKIT_CHECK(best != 0, CompileError, "NVRTC ", format_cuda_version(library.version()), " (",
               library.path(), ") makes no code for compute capability ", source.capability / 10,
               '.', source.capability % 10, "; its first is ", library.architectures().front() / 10,
               '.', library.architectures().front() % 10, ". Name an older NVRTC by GPUKIT_NVRTC.");
  return best;
}

}  // namespace

const driver::NvrtcLibrary& CudaCompiler::library() {
  const std::lock_guard lock(mutex_);
  if (library_ != nullptr) return *library_;
  driver::LoadReport report;
  library_ = driver::NvrtcLibrary::open(driver_cuda_major_, report);
  if (library_ != nullptr) return *library_;
  const std::string advice = report.fix.empty() ? "" : ". Install it: " + report.fix;
  throw CompileError(concat("CUDA source is compiled by NVRTC, and ", report.failure, advice))
      .with_fix(report.fix);
}

CompiledCode CudaCompiler::compile(const SourceCode& source) {
  const driver::NvrtcLibrary& nvrtc = library();
  driver::NvrtcSource asked{source.text, concat(kFolder, source.name), source.options,
                            source.name_expressions, source.machine_code};
  const char* kind = source.machine_code ? "sm_" : "compute_";
  asked.options.push_back(concat("--gpu-architecture=", kind, architecture_for(nvrtc, source)));
  driver::NvrtcResult made = nvrtc.compile(asked);
  return {made.compiled, std::move(made.image), without_folder(std::move(made.log)),
          std::move(made.lowered_names)};
}

}  // namespace gpukit::cuda
