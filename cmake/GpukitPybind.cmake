# pybind11, its headers under a lasting name. In an isolated build they lie in a folder with a new name each
# time, which would make every binding compile again when nothing has changed.

find_package(pybind11 3.0 CONFIG REQUIRED)

set(_kept ${PROJECT_BINARY_DIR}/pybind11_include)
file(GLOB_RECURSE _headers RELATIVE ${pybind11_INCLUDE_DIR} ${pybind11_INCLUDE_DIR}/pybind11/*.h)
foreach(_header IN LISTS _headers)
  cmake_path(GET _header PARENT_PATH _folder)
  file(MAKE_DIRECTORY ${_kept}/${_folder})
  file(COPY_FILE ${pybind11_INCLUDE_DIR}/${_header} ${_kept}/${_header} ONLY_IF_DIFFERENT)
endforeach()
set_target_properties(
  pybind11::pybind11_headers
  PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${_kept} INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${_kept}
)
