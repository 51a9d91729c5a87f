# The simulated vendor libraries, installed to gpukit/_sim. The simulated driver holds every kernel
# file once more, compiled as C++.

# gpukit_sim_sources(target): how every source of the simulated libraries is compiled.
function(gpukit_sim_sources target)
  gpukit_warnings(${target})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  gpukit_see_cuda_headers(${target})
  target_compile_options(
    ${target}
    PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-strict-aliasing;-ffp-contract=off>
  )
endfunction()

# gpukit_sim_library(name exported-pattern... SOURCES file...): a library that exports only what its
# patterns name, and that no library loaded before it can take symbols from.
function(gpukit_sim_library name)
  cmake_parse_arguments(PARSE_ARGV 1 _sim "" "" "EXPORTS;SOURCES")
  gpukit_sources(_no_demangler sim no_demangler.cpp)
  add_library(${name} SHARED ${_sim_SOURCES} ${_no_demangler} ${GPUKIT_FORWARD})
  gpukit_sim_sources(${name})
  list(JOIN _sim_EXPORTS "; " _exports)
  set(_script ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  file(CONFIGURE OUTPUT ${_script} CONTENT "{ global: @_exports@; local: *; };\n" @ONLY)
  set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS ${_script})
  target_link_options(
    ${name}
    PRIVATE -Wl,-Bsymbolic -Wl,--version-script=${_script} -Wl,--gc-sections -Wl,-z,nodelete
  )
  install(TARGETS ${name} LIBRARY DESTINATION gpukit/_sim)
endfunction()

# gpukit_precompile(target header...): parses headers once for all files of a target, where a unity
# build is asked for but the files cannot be put together. Compiler caches do not keep what is compiled
# so. GCC 12 warns of "'" + std::string (its bug 105651) in more ways where <string> is precompiled.
function(gpukit_precompile target)
  if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
endfunction()

# gpukit_include_first(target header): what every file of the target sees before its own text.
function(gpukit_include_first target header)
  gpukit_precompile(${target} ${header})
  get_target_property(_precompiled ${target} PRECOMPILE_HEADERS)
  if(NOT _precompiled)
    target_compile_options(${target} PRIVATE -include ${header})
    get_target_property(_sources ${target} SOURCES)
    set_source_files_properties(${_sources} PROPERTIES OBJECT_DEPENDS ${header})
  endif()
endfunction()

function(gpukit_add_simulator)
  gpukit_sources(_driver_sources sim *.cpp)
  list(
    FILTER _driver_sources
    EXCLUDE
    REGEX
      "/(bridge_exports|cublas_exports|nccl_exports|nccl_processes|nvml_exports|nvml_links|nvml_state|no_demangler)\\.cpp$"
  )
  if(NOT _driver_sources)
    message(STATUS "gpukit: csrc/sim has no sources")
    return()
  endif()

  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(_processor aarch64)
  else()
    set(_processor x86_64)
  endif()
  gpukit_sources(_fiber_sources sim fiber_${_processor}.S)
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE CXX)
  add_library(gpukit_sim_kernels OBJECT ${ARGN})
  gpukit_sim_sources(gpukit_sim_kernels)
  # The dialect comes from here, so that no kernel file names the simulator.
  target_compile_options(gpukit_sim_kernels PRIVATE -Wno-unknown-pragmas)
  set(_dialect ${CMAKE_CURRENT_SOURCE_DIR}/sim/device_runtime.h)
  gpukit_include_first(gpukit_sim_kernels ${_dialect})
  # Kernel files have helpers of the same names.
  set_target_properties(gpukit_sim_kernels PROPERTIES UNITY_BUILD OFF)

  gpukit_sources(_ptx_sources ptx *.cpp)
  add_library(gpukit_ptx OBJECT ${_ptx_sources})
  gpukit_sim_sources(gpukit_ptx)
  # Loops over the lanes of a warp become vector code. GCC 12 warns of "'" + std::string (its bug
  # 105651).
  target_compile_options(
    gpukit_ptx
    PRIVATE
      $<$<CONFIG:Release>:-O3;-fno-math-errno;-fno-trapping-math>
      $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  )
  # What reads texts is large, and is not where kernels spend their time.
  gpukit_sources(
    _texts
    ptx
    body_parser.cpp
    builtins.cpp
    decoder.cpp
    decoder_calls.cpp
    decoder_operands.cpp
    decoder_registers.cpp
    instruction_class.cpp
    launch.cpp
    lexer.cpp
    linker.cpp
    mbarrier.cpp
    opcodes.cpp
    operand_parser.cpp
    parser.cpp
    program.cpp
    register_pressure.cpp
    types.cpp
    unit_scanner.cpp
    variable_parser.cpp
    video.cpp
  )
  gpukit_part(gpukit_ptx_texts gpukit_ptx OPTIONS $<$<CONFIG:Release>:-Os> SOURCES ${_texts})
  # Their loops over 32 lanes become vector code with -O2, too.
  gpukit_sources(
    _lanes
    ptx
    atomics.cpp
    bits.cpp
    checks.cpp
    compare.cpp
    dot_products.cpp
    floats.cpp
    halves.cpp
    integer.cpp
    memory.cpp
  )
  gpukit_part(gpukit_ptx_lanes gpukit_ptx OPTIONS $<$<CONFIG:Release>:-O2> SOURCES ${_lanes})
  foreach(_target gpukit_ptx gpukit_ptx_texts gpukit_ptx_lanes)
    # Each family of instructions has its own table and helpers of the same names.
    set_target_properties(${_target} PROPERTIES UNITY_BUILD OFF)
    gpukit_precompile(
      ${_target}
      <algorithm>
      <array>
      <atomic>
      <chrono>
      <cmath>
      <functional>
      <map>
      <memory>
      <string>
      <unordered_map>
      <unordered_set>
      <vector>
    )
  endforeach()
  # What the vendor's functions do here is large, and is not where kernels spend their time.
  set(_entry_sources ${_driver_sources})
  list(FILTER _entry_sources INCLUDE REGEX "/(exports_|sim_)[a-z_]+\\.cpp$")
  list(REMOVE_ITEM _driver_sources ${_entry_sources})
  # Its functions have other types than those of cuda.h, which all others see.
  gpukit_sources(_driver_names sim driver_names.cpp)
  set_source_files_properties(${_driver_names} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(gpukit_sim_entries OBJECT ${_entry_sources})
  gpukit_sim_sources(gpukit_sim_entries)
  gpukit_compile_small(gpukit_sim_entries)

  if(GPUKIT_SANITIZE STREQUAL "thread")
    # They switch between TSan's fibers; their own frames must not be on the shadow stacks.
    gpukit_sources(
      _executor_sources
      sim
      block_executor.cpp
      fiber.cpp
      memory_fault.cpp
      shared_memory.cpp
      warp.cpp
    )
    set_source_files_properties(
      ${_executor_sources}
      PROPERTIES COMPILE_OPTIONS "-fno-sanitize=thread"
    )
  endif()

  find_package(Threads REQUIRED)
  gpukit_sim_library(
    gpukit_simcuda
    EXPORTS "cu*" "gpukitSim*"
    SOURCES ${_driver_sources} ${_fiber_sources}
  )
  target_link_libraries(
    gpukit_simcuda
    PRIVATE
      gpukit_sim_entries
      gpukit_sim_kernels
      gpukit_ptx
      gpukit_ptx_texts
      gpukit_ptx_lanes
      gpukit_base
      Threads::Threads
      ${CMAKE_DL_LIBS}
  )

  gpukit_sources(_cublas_sources sim cublas_exports.cpp)
  gpukit_sim_library(gpukit_simcublas EXPORTS "cublas*" SOURCES ${_cublas_sources})
  target_link_libraries(gpukit_simcublas PRIVATE ${CMAKE_DL_LIBS})

  gpukit_sources(_nccl_sources sim nccl_exports.cpp nccl_processes.cpp)
  gpukit_sim_library(gpukit_simnccl EXPORTS "nccl*" "gpukitSimNccl*" SOURCES ${_nccl_sources})
  gpukit_compile_small(gpukit_simnccl)
  target_link_libraries(gpukit_simnccl PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

  gpukit_sources(_bridge_sources sim bridge_exports.cpp)
  gpukit_sim_library(gpukit_simbridge EXPORTS "cu*" "gpukitSim*" SOURCES ${_bridge_sources})
  gpukit_compile_small(gpukit_simbridge)
  target_link_libraries(gpukit_simbridge PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

  gpukit_sources(_nvml_sources sim nvml_*.cpp card_table.cpp)
  gpukit_sim_library(gpukit_simnvml EXPORTS "nvml*" "gpukitSimNvml*" SOURCES ${_nvml_sources})
  gpukit_compile_small(gpukit_simnvml)
  target_link_libraries(gpukit_simnvml PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endfunction()
