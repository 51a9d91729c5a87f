# gpukit_warnings(target): the warnings of the house; errors where GPUKIT_WERROR is on (CI).

function(gpukit_warnings target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra>)
  if(GPUKIT_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
endfunction()
