# What a builder can choose, and the flags that follow from it.
option(BUILD_SHARED_LIBS "Build libfovea as a shared library" OFF)
option(FOVEA_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(FOVEA_BENCH "Build the micro-benchmarks, and the rivals beside which fovea-bench measures" OFF)
option(FOVEA_FUZZ "Build the fuzzers with libFuzzer (needs clang)" OFF)
option(FOVEA_PYTHON "Build the extension module of the Python package; pip and make python do" OFF)
option(FOVEA_UNITY "Compile files in batches: a cold build takes half the time, a changed file a little longer" OFF)
option(FOVEA_WERROR "Treat warnings as errors" OFF)
option(FOVEA_COVERAGE "Instrument for coverage" OFF)
set(FOVEA_CUDA AUTO CACHE STRING "CUDA twins: ON, OFF, AUTO where nvcc is found, or EMULATED on the CPU for tests")
set(FOVEA_VIDEO AUTO CACHE STRING "Video files through FFmpeg: ON, OFF, or AUTO where it is found")
set(FOVEA_WEBP AUTO CACHE STRING "WebP images through libwebp: ON, OFF, or AUTO where it is found")
set(FOVEA_SANITIZE "" CACHE STRING "Sanitizers, such as address,undefined or thread")

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_program(FOVEA_CCACHE ccache)
if(FOVEA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${FOVEA_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${FOVEA_CCACHE})
endif()

# Private flags of everything built here; nothing of it reaches a consumer.
add_library(fovea_build_flags INTERFACE)
target_compile_options(fovea_build_flags INTERFACE
  # A product and a sum round alike on every machine only if none of them is fused behind our back.
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wno-psabi;-ffp-contract=off>"
  # gcc 12 raises these on growing vectors that are fine; the address sanitizer looks for the real thing.
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-stringop-overflow;-Wno-free-nonheap-object>"
  # gcc collects its garbage less often: 6 % less time for 150 MB more memory.
  "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:--param=ggc-min-heapsize=1000000>"
  "$<$<AND:$<BOOL:${FOVEA_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>")
if(FOVEA_CCACHE)
  # What ccache needs to serve precompiled headers.
  target_compile_options(fovea_build_flags INTERFACE "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>")
endif()
if(FOVEA_SANITIZE)
  target_compile_options(fovea_build_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FOVEA_SANITIZE};-fno-sanitize-recover=all;-fno-omit-frame-pointer>")
  target_link_options(fovea_build_flags INTERFACE -fsanitize=${FOVEA_SANITIZE})
  # clang checks products of 128 bits by a function of its own run-time library, which it links to no program by itself.
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} --rtlib=compiler-rt --print-libgcc-file-name
    OUTPUT_VARIABLE builtins OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND EXISTS "${builtins}")
    target_link_libraries(fovea_build_flags INTERFACE ${builtins})
  endif()
endif()
if(FOVEA_COVERAGE)
  target_compile_options(fovea_build_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:--coverage>")
  target_link_options(fovea_build_flags INTERFACE --coverage)
endif()
