# Build switches, and the settings every target shares.

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(_cuda_default ON)
else()
  set(_cuda_default OFF)
endif()
option(GPUKIT_CUDA "Build the CUDA backend, its kernels and the simulated driver" ${_cuda_default})
option(GPUKIT_WERROR "Treat compiler warnings as errors" OFF)
set(
  GPUKIT_CUDA_ROOT
  ""
  CACHE PATH
  "Installed CUDA Toolkit 12.9 to take NVRTC and headers from; empty: the pinned wheels"
)
set(
  GPUKIT_TOOL_PYTHON
  ""
  CACHE FILEPATH
  "Interpreter of the build's own scripts; empty: the one that gpukit is built for"
)
set(
  _archs
  60
  70
  75
  80
  90
  100
  120
)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  # 87 is Jetson Orin, which runs no cubin of another capability. The wheel has no room for eight:
  # 12.x compiles the PTX, for which the drivers of DGX Spark are new enough.
  set(
    _archs
    60
    70
    75
    80
    87
    90
    100
  )
endif()
set(GPUKIT_ARCHS "${_archs}" CACHE STRING "Compute capabilities to compile cubins for")
set(
  GPUKIT_PTX_ARCH
  "100"
  CACHE STRING
  "Virtual architecture of the one PTX image of each kernel file"
)
set(
  GPUKIT_SANITIZE
  ""
  CACHE STRING
  "Sanitizer: empty, address (with undefined), thread or undefined"
)
set_property(
  CACHE GPUKIT_SANITIZE
  PROPERTY STRINGS "" address thread undefined
)

if(GPUKIT_CUDA AND NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(FATAL_ERROR "GPUKIT_CUDA=ON needs Linux; build with GPUKIT_CUDA=OFF here")
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
# With C++20 newer policies look for module imports in every file, which clang cannot do without
# clang-scan-deps.
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
# Defined, so that pybind11 does not try out three kinds of it at each first configuration.
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # As large as GCC's -O2. Loops over elements have -O3 of their own.
  set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # In KiB. GCC frees its memory less often: eight files of bindings compile in 10.0 instead of 10.8 s, and
  # take 754 instead of 597 MB.
  add_compile_options("SHELL:--param ggc-min-heapsize=524288")
endif()

# For zig, whose own memcpy, exp and others would else be linked instead of the C library's.
set(GPUKIT_FORWARD "")
if(GPUKIT_FORWARD_LIBC)
  set(GPUKIT_FORWARD ${PROJECT_SOURCE_DIR}/csrc/base/libc_forward.S)
endif()

if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(GPUKIT_CCACHE ccache)
  if(GPUKIT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${GPUKIT_CCACHE})
  endif()
endif()

# For --gc-sections: what nothing calls is not linked.
add_compile_options(
  $<$<COMPILE_LANGUAGE:C,CXX>:-ffunction-sections>
  $<$<COMPILE_LANGUAGE:C,CXX>:-fdata-sections>
)

# Systems on aarch64 have pages of 4, 16 or 64 KiB: one file is for all of them.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  add_link_options(-Wl,-z,max-page-size=65536)
endif()

# No path of the build machine goes into an installed file.
add_compile_options(
  -ffile-prefix-map=${PROJECT_SOURCE_DIR}=.
  -ffile-prefix-map=${PROJECT_BINARY_DIR}=build
)

if(GPUKIT_CUDA)
  add_compile_definitions(GPUKIT_WITH_CUDA=1)
endif()

set(_sanitize_frame -fno-omit-frame-pointer -g1)
# enum: a caller of the driver's C interface may pass any number, and the simulator has to answer it.
set(
  _sanitize_undefined
  -fsanitize=undefined
  -fno-sanitize=vptr,enum
  -fno-sanitize-recover=undefined
)
if(GPUKIT_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address ${_sanitize_undefined} ${_sanitize_frame})
  add_link_options(-fsanitize=address,undefined)
  add_compile_definitions(GPUKIT_ASAN=1)
elseif(GPUKIT_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread ${_sanitize_frame})
  add_link_options(-fsanitize=thread)
  add_compile_definitions(GPUKIT_TSAN=1)
elseif(GPUKIT_SANITIZE STREQUAL "undefined")
  add_compile_options(${_sanitize_undefined} ${_sanitize_frame})
  add_link_options(-fsanitize=undefined)
elseif(GPUKIT_SANITIZE)
  message(
    FATAL_ERROR
    "GPUKIT_SANITIZE=${GPUKIT_SANITIZE} is not known; use address, thread or undefined"
  )
endif()
