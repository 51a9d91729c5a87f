# gpukit_image_compression(target variable): "xz" where the static liblzma is there to unpack it and
# Python's lzma to pack it, otherwise "none". The shared one will not do: a wheel must not need it.
function(gpukit_image_compression target variable)
  set(${variable} "none" PARENT_SCOPE)
  find_path(GPUKIT_LZMA_INCLUDE_DIR lzma.h)
  find_library(GPUKIT_LZMA_LIBRARY NAMES liblzma.a)
  execute_process(
    COMMAND ${GPUKIT_RUN_TOOL} -c "import lzma"
    RESULT_VARIABLE _no_python_lzma
    OUTPUT_QUIET
    ERROR_QUIET
  )
  if(GPUKIT_LZMA_INCLUDE_DIR AND GPUKIT_LZMA_LIBRARY AND NOT _no_python_lzma)
    target_compile_definitions(${target} PRIVATE GPUKIT_WITH_LZMA=1 LZMA_API_STATIC)
    target_include_directories(${target} SYSTEM PRIVATE ${GPUKIT_LZMA_INCLUDE_DIR})
    target_link_libraries(${target} PUBLIC ${GPUKIT_LZMA_LIBRARY})
    set(${variable} "xz" PARENT_SCOPE)
  else()
    message(
      STATUS
      "gpukit: no static liblzma with headers, or no lzma in Python: kernel images are stored uncompressed"
    )
  endif()
endfunction()

# gpukit_embed_kernels(target [packs of .cu files...]): compiles each .cu by a process of its own,
# so that touching a kernel rebuilds that kernel, and adds all images with their index to `target`.

function(gpukit_embed_kernels target)
  gpukit_image_compression(${target} _compression)

  string(REPLACE ";" "," _archs "${GPUKIT_ARCHS}")
  set(_directory ${CMAKE_CURRENT_BINARY_DIR}/images)
  set(_packs "")
  foreach(_source IN LISTS ARGN)
    cmake_path(GET _source STEM _family)
    set(_pack ${_directory}/${_family}.images)
    add_custom_command(
      OUTPUT ${_pack}
      COMMAND
        ${GPUKIT_COMPILE_KERNELS} --archs ${_archs} --ptx-arch ${GPUKIT_PTX_ARCH} --include
        ${CMAKE_CURRENT_SOURCE_DIR} --depfile ${_pack}.d --output ${_pack} ${_source}
      DEPENDS ${_source} ${PROJECT_SOURCE_DIR}/tools/compile_kernels.py
      DEPFILE ${_pack}.d
      COMMENT "NVRTC ${_family}.cu"
      VERBATIM
    )
    list(APPEND _packs ${_pack})
  endforeach()

  set(_assembly ${_directory}/kernel_images.S)
  set(_index ${_directory}/kernel_images.cpp)
  add_custom_command(
    OUTPUT ${_assembly} ${_index}
    COMMAND
      ${GPUKIT_RUN_TOOL} ${PROJECT_SOURCE_DIR}/tools/embed_images.py --archs ${_archs} --ptx-arch
      ${GPUKIT_PTX_ARCH} --compression ${_compression} --assembly ${_assembly} --index ${_index}
      ${_packs}
    DEPENDS
      ${_packs}
      ${PROJECT_SOURCE_DIR}/tools/embed_images.py
      ${PROJECT_SOURCE_DIR}/tools/order_images.py
    COMMENT "Embedding kernel images"
    VERBATIM
  )
  set_source_files_properties(${_assembly} PROPERTIES OBJECT_DEPENDS "${_packs}")
  target_sources(${target} PRIVATE ${_assembly} ${_index})
endfunction()
