# gpukit_warnings(target): the warnings of the house; errors where GPUKIT_WERROR is on (CI). A switch that
# leaves out a value is an error in every build: it is how the compiler lists what a new dtype has to decide.

function(gpukit_warnings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Werror=switch>)
  if(GPUKIT_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
endfunction()
