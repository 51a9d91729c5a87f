# gpukit_add_simd(target): adds cpu/simd/*.cpp. The end of a file's name says which instruction set it
# is compiled for; cpu_features chooses between them at run time.

function(gpukit_add_simd target)
  gpukit_sources(_simd_sources cpu simd/*.cpp)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(FILTER _simd_sources EXCLUDE REGEX "_neon\\.cpp$")
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    # Every such processor has NEON: there is no level below it.
    list(FILTER _simd_sources EXCLUDE REGEX "_(avx2|avx512|avx512bf16|amx|baseline)\\.cpp$")
  else()
    list(FILTER _simd_sources EXCLUDE REGEX "_(avx2|avx512|avx512bf16|amx|neon)\\.cpp$")
  endif()
  if(_simd_sources AND NOT TARGET ${target})
    message(FATAL_ERROR "csrc/cpu/simd has sources, but csrc/cpu has none")
  endif()
  if(NOT TARGET ${target})
    return()
  endif()
  target_sources(${target} PRIVATE ${_simd_sources})
  # Never -ffast-math: a library linked with it switches denormals off for the whole process.
  target_compile_options(
    ${target}
    PRIVATE -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast
  )

  set(_baseline "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    # For processors without AVX2. Unrolled loops would be a third of their size.
    set(_baseline $<$<CONFIG:Release>:-Os>)
  endif()
  set(_avx2 -mavx2 -mfma -mf16c)
  set(
    _avx512
    -mavx512f
    -mavx512bw
    -mavx512vl
    -mavx512dq
    ${_avx2}
  )
  set(_avx512bf16 -mavx512bf16 ${_avx512})
  set(_amx -mamx-tile -mamx-bf16 ${_avx512bf16})
  foreach(
    _level
    avx2
    avx512
    avx512bf16
    amx
    baseline
  )
    set(_names ${_simd_sources})
    list(FILTER _names INCLUDE REGEX "_${_level}\\.cpp$")
    list(TRANSFORM _names REPLACE "^.*/(simd/[a-z0-9_]+)\\.cpp$" "\\1")
    if(_names)
      gpukit_layer_part(cpu ${_level} OPTIONS ${_${_level}} SOURCES ${_names})
    endif()
  endforeach()
  # What they compute is spent in the loops of simd/, in sorting or in memory.
  gpukit_layer_part(
    cpu
    calls
    OPTIONS $<$<CONFIG:Release>:-O2>
    SOURCES
      blas_library
      cpu_chain
      cpu_convolution
      cpu_copy
      cpu_fft
      cpu_loss
      cpu_matmul
      cpu_memory
      cpu_pooling
      cpu_reduce
      cpu_sort
      fft_plan
      lapack_library
      reduce_plan
      simd_table
      skinny_gemm
  )
  # Rows, strided tensors and pairs of dtypes: vector code, without the copies of loops that -O3 makes.
  gpukit_layer_part(
    cpu
    rows
    OPTIONS
      $<$<CONFIG:Release>:-O2>
      $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-fvect-cost-model=dynamic>
    SOURCES cpu_batch_norm cpu_norm cpu_rows scalar_binary scalar_convert scalar_unary
  )
  # Their time is spent in LAPACK and in functions of double.
  gpukit_layer_part(cpu doubles OPTIONS $<$<CONFIG:Release>:-Os> SOURCES cpu_complex cpu_linalg)
endfunction()
