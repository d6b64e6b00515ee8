# Every dependency, found once. An absent required one stops the build with the Debian package to install.
find_package(PkgConfig QUIET)

function(fovea_find_package name package)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} is missing: install ${package}")
  endif()
endfunction()

fovea_find_package(Threads libc6-dev)
fovea_find_package(TBB libtbb-dev)
fovea_find_package(fmt libfmt-dev)
fovea_find_package(nlohmann_json nlohmann-json3-dev)
fovea_find_package(JPEG libjpeg62-turbo-dev)
fovea_find_package(PNG libpng-dev)
fovea_find_package(TIFF libtiff-dev)
fovea_find_package(ZLIB zlib1g-dev)
fovea_find_package(Boost libboost-dev)  # headers only: Boost.Graph, in ops/max_flow
fovea_find_package(hwy libhwy-dev)
fovea_find_package(Eigen3 libeigen3-dev)
# SVE hides behind few of today's machines and none of our test machines: code that no test runs is not shipped.
# On x86 SSE4, AVX2 and AVX-512 are compiled and chosen at run time. SSE4 (x86-64-v2, every processor since 2009) is the
# floor: below it Highway 1.0 has only a scalar stand-in that gcc 12 cannot compile fixed-size vectors for.
set(simd_off HWY_SVE HWY_SVE2 HWY_SVE_256 HWY_SVE2_128 HWY_SSSE3 HWY_AVX3_DL)
set(x86_level x86-64-v2)
if(FOVEA_SANITIZE)  # one instruction set, AVX2, since instrumented SIMD code takes minutes to compile for each
  list(APPEND simd_off HWY_AVX3)
  set(x86_level x86-64-v3)
endif()
list(JOIN simd_off "|" simd_off)
target_compile_definitions(fovea_build_flags INTERFACE HWY_DISABLE_PCLMUL_AES "HWY_DISABLED_TARGETS=(${simd_off})")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  target_compile_options(fovea_build_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-march=${x86_level}>")
endif()

# What only our sources include leaves no trace in an installed package.
set(FOVEA_LIBRARIES TBB::tbb fmt::fmt JPEG::JPEG PNG::PNG TIFF::TIFF ZLIB::ZLIB hwy::hwy Threads::Threads
  $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
set(FOVEA_PKGCONFIG_REQUIRES tbb fmt libjpeg libpng libtiff-4 zlib libhwy)
if(FOVEA_CUDA)
  list(APPEND FOVEA_LIBRARIES $<LINK_ONLY:CUDA::cudart_static>)  # no flag of a .cpp depends on CUDA
endif()

set(FOVEA_VIDEO_REASON "FOVEA_VIDEO=OFF")
if(FOVEA_VIDEO)
  set(FOVEA_VIDEO_REASON "FFmpeg not found: install libavformat-dev libavcodec-dev libavutil-dev libswscale-dev")
  if(PkgConfig_FOUND)
    pkg_check_modules(FFMPEG QUIET libavformat libavcodec libavutil libswscale)
  endif()
  if(FFMPEG_FOUND)
    list(APPEND FOVEA_LIBRARIES ${CMAKE_DL_LIBS})  # FFmpeg itself is loaded when a video is opened
    set(FOVEA_VIDEO_REASON "")
  elseif(FOVEA_VIDEO STREQUAL "ON")
    message(FATAL_ERROR "FOVEA_VIDEO=ON, but ${FOVEA_VIDEO_REASON}")
  endif()
endif()

set(FOVEA_WEBP_REASON "FOVEA_WEBP=OFF")
if(FOVEA_WEBP)
  set(FOVEA_WEBP_REASON "libwebp not found: install libwebp-dev")
  if(PkgConfig_FOUND)
    pkg_check_modules(WEBP QUIET IMPORTED_TARGET libwebp)
  endif()
  if(WEBP_FOUND)
    list(APPEND FOVEA_LIBRARIES PkgConfig::WEBP)
    list(APPEND FOVEA_PKGCONFIG_REQUIRES libwebp)
    set(FOVEA_WEBP_REASON "")
  elseif(FOVEA_WEBP STREQUAL "ON")
    message(FATAL_ERROR "FOVEA_WEBP=ON, but ${FOVEA_WEBP_REASON}")
  endif()
endif()
