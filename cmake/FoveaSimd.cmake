# The instruction sets that SIMD sources (*_cpu.cpp) are compiled for, once for each; the best one is chosen at run time.
set(FOVEA_SIMD ALL CACHE STRING "Instruction sets of SIMD code: ALL, or NATIVE for the best one of this machine alone")
set_property(CACHE FOVEA_SIMD PROPERTY STRINGS ALL NATIVE)
if(NOT FOVEA_SIMD MATCHES "^(ALL|NATIVE)$")
  message(FATAL_ERROR "FOVEA_SIMD is '${FOVEA_SIMD}'; expected ALL or NATIVE")
endif()

# SVE hides behind few of today's machines and none of our test machines: code that no test runs is not shipped.
# On x86 SSE4, AVX2 and AVX-512 are compiled. SSE4 (x86-64-v2, every processor since 2009) is the floor: below it Highway
# 1.0 has only a scalar stand-in that gcc 12 cannot compile fixed-size vectors for.
set(simd_off HWY_SVE HWY_SVE2 HWY_SVE_256 HWY_SVE2_128 HWY_SSSE3 HWY_AVX3_DL)
set(x86_level x86-64-v2)
if(FOVEA_SANITIZE)  # one instruction set, AVX2: instrumented SIMD code takes minutes to compile for each
  list(APPEND simd_off HWY_AVX3)
  set(x86_level x86-64-v3)
endif()
list(JOIN simd_off "|" simd_off)
target_compile_definitions(fovea_build_flags INTERFACE HWY_DISABLE_PCLMUL_AES "HWY_DISABLED_TARGETS=(${simd_off})")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  target_compile_options(fovea_build_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-march=${x86_level}>")
  if(FOVEA_SIMD STREQUAL "NATIVE" AND NOT CMAKE_CROSSCOMPILING)
    file(WRITE ${CMAKE_BINARY_DIR}/best_simd.cpp [[
#include <cstdio>
int main() {
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  std::puts(avx512 ? "HWY_AVX3" : avx2 ? "HWY_AVX2" : "HWY_SSE4");
}
]])
    try_run(FOVEA_SIMD_RAN FOVEA_SIMD_COMPILED ${CMAKE_BINARY_DIR} ${CMAKE_BINARY_DIR}/best_simd.cpp
      RUN_OUTPUT_VARIABLE best)
    if(FOVEA_SIMD_COMPILED AND FOVEA_SIMD_RAN EQUAL 0 AND best)  # empty where an earlier run counts still
      string(STRIP "${best}" best)
      set(FOVEA_SIMD_BEST ${best} CACHE INTERNAL "The best instruction set of this machine")
    endif()
  endif()
endif()

# One instruction set alone needs no second reading of a source: its files can be batched. Nothing is to choose on arm64,
# which has one instruction set, and in sanitized builds.
if(FOVEA_SIMD STREQUAL "NATIVE" AND FOVEA_SIMD_BEST AND NOT FOVEA_SANITIZE)
  set(FOVEA_SIMD_IN_BATCHES ON)
endif()

function(fovea_simd target)
  if(FOVEA_SIMD_IN_BATCHES)
    target_compile_definitions(${target} PRIVATE HWY_BASELINE_TARGETS=${FOVEA_SIMD_BEST} HWY_COMPILE_ONLY_STATIC)
  endif()
  if(FOVEA_SANITIZE)  # at -O0 every intrinsic is a call
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "_cpu\\.cpp$")
    set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()
