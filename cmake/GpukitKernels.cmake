# gpukit_embed_kernels(target [packs of .cu files...]): compiles each .cu by a process of its own,
# so that touching a kernel rebuilds that kernel, and adds all images with their index to `target`.

function(gpukit_embed_kernels target)
  find_package(ZLIB QUIET)
  if(ZLIB_FOUND)
    target_compile_definitions(${target} PRIVATE GPUKIT_WITH_ZLIB=1)
    target_link_libraries(${target} PUBLIC ZLIB::ZLIB)
    set(_compression "zlib")
  else()
    message(STATUS "gpukit: no zlib headers, kernel images are stored uncompressed")
    set(_compression "none")
  endif()

  string(REPLACE ";" "," _archs "${GPUKIT_ARCHS}")
  set(_directory ${CMAKE_CURRENT_BINARY_DIR}/images)
  set(_packs "")
  foreach(_source IN LISTS ARGN)
    cmake_path(GET _source STEM _family)
    set(_pack ${_directory}/${_family}.images)
    add_custom_command(
      OUTPUT ${_pack}
      COMMAND
        ${GPUKIT_COMPILE_KERNELS} --archs ${_archs} --ptx-arch ${GPUKIT_PTX_ARCH} --compression
        ${_compression} --include ${CMAKE_CURRENT_SOURCE_DIR} --depfile ${_pack}.d --output ${_pack}
        ${_source}
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
      ${GPUKIT_PTX_ARCH} --assembly ${_assembly} --index ${_index} ${_packs}
    DEPENDS ${_packs} ${PROJECT_SOURCE_DIR}/tools/embed_images.py
    COMMENT "Embedding kernel images"
    VERBATIM
  )
  set_source_files_properties(${_assembly} PROPERTIES OBJECT_DEPENDS "${_packs}")
  target_sources(${target} PRIVATE ${_assembly} ${_index})
endfunction()
