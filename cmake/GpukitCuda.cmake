# Finds NVRTC 12.9 and the CUDA headers, in the pinned wheels or under GPUKIT_CUDA_ROOT.
#
# Sets GPUKIT_CUDA_INCLUDE_DIR (cuda.h and cudaTypedefs.h for the host code) and
# GPUKIT_COMPILE_KERNELS (the command that compiles one .cu file, without its own arguments), and
# GPUKIT_RUN_TOOL (the interpreter of the build's scripts).

set(_compile_script ${PROJECT_SOURCE_DIR}/tools/compile_kernels.py)
set(GPUKIT_RUN_TOOL ${Python_EXECUTABLE})
if(GPUKIT_TOOL_PYTHON)
  set(GPUKIT_RUN_TOOL ${GPUKIT_TOOL_PYTHON})
endif()
set(GPUKIT_COMPILE_KERNELS ${GPUKIT_RUN_TOOL} ${_compile_script})

if(GPUKIT_CUDA_ROOT)
  set(CUDAToolkit_ROOT ${GPUKIT_CUDA_ROOT})
  find_package(CUDAToolkit 12.9 REQUIRED)
  if(NOT CUDAToolkit_VERSION MATCHES "^12\\.9")
    message(
      FATAL_ERROR
      "GPUKIT_CUDA_ROOT=${GPUKIT_CUDA_ROOT} is CUDA ${CUDAToolkit_VERSION}; gpukit's kernels are built by 12.9"
    )
  endif()
  find_file(
    GPUKIT_NVRTC_LIBRARY
    NAMES libnvrtc.so.12
    HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}
    PATH_SUFFIXES lib64 lib
    REQUIRED
    NO_DEFAULT_PATH
  )
  list(GET CUDAToolkit_INCLUDE_DIRS 0 _cuda_include)
  list(
    APPEND GPUKIT_COMPILE_KERNELS
    --nvrtc
    ${GPUKIT_NVRTC_LIBRARY}
    --cuda-include
    ${_cuda_include}
  )
else()
  execute_process(
    COMMAND ${GPUKIT_COMPILE_KERNELS} --print-include-dir
    OUTPUT_VARIABLE _cuda_include
    OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_VARIABLE _locate_error
    RESULT_VARIABLE _locate_status
  )
  if(NOT _locate_status EQUAL 0)
    message(
      FATAL_ERROR
      "${_locate_error}\nInstall the dependency group `build`, or set GPUKIT_CUDA_ROOT to a CUDA Toolkit 12.9, or build for the CPU alone with GPUKIT_CUDA=OFF."
    )
  endif()
endif()

# The wheels of an isolated build lie in a folder with a new name each time. Copies under a lasting
# name keep the compiler's command lines, and so the objects of the last build, valid.
set(GPUKIT_CUDA_INCLUDE_DIR ${PROJECT_BINARY_DIR}/cuda_include)
foreach(_header cuda.h cudaTypedefs.h)
  file(MAKE_DIRECTORY ${GPUKIT_CUDA_INCLUDE_DIR})
  file(
    COPY_FILE ${_cuda_include}/${_header}
    ${GPUKIT_CUDA_INCLUDE_DIR}/${_header}
    ONLY_IF_DIFFERENT
  )
endforeach()
message(STATUS "gpukit: CUDA headers and NVRTC from ${_cuda_include}")
