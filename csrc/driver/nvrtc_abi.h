// Own declarations of the part of NVRTC's published binary interface that gpukit calls (majors 11,
// 12 and 13). Names and values are those of the library, so that calls read as in its guide.
#pragma once

#include <cstddef>

namespace gpukit::driver {

struct nvrtcProgramPart;
using nvrtcProgram = nvrtcProgramPart*;

enum nvrtcResult : int {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
};

using nvrtcVersion_t = nvrtcResult (*)(int* major, int* minor);
using nvrtcGetErrorString_t = const char* (*)(nvrtcResult result);
using nvrtcGetNumSupportedArchs_t = nvrtcResult (*)(int* count);
using nvrtcGetSupportedArchs_t = nvrtcResult (*)(int* archs);
using nvrtcCreateProgram_t = nvrtcResult (*)(nvrtcProgram* program, const char* source,
                                             const char* name, int header_count,
                                             const char* const* headers,
                                             const char* const* include_names);
using nvrtcDestroyProgram_t = nvrtcResult (*)(nvrtcProgram* program);
using nvrtcCompileProgram_t = nvrtcResult (*)(nvrtcProgram program, int option_count,
                                              const char* const* options);
using nvrtcAddNameExpression_t = nvrtcResult (*)(nvrtcProgram program, const char* expression);
using nvrtcGetLoweredName_t = nvrtcResult (*)(nvrtcProgram program, const char* expression,
                                              const char** lowered);
/// Bytes of a result, the final zero of a text included, and the result itself.
using nvrtcGetSize_t = nvrtcResult (*)(nvrtcProgram program, std::size_t* bytes);
using nvrtcGetBytes_t = nvrtcResult (*)(nvrtcProgram program, char* bytes);

}  // namespace gpukit::driver
