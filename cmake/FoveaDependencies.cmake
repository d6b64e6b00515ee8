# Every dependency, found once. An absent required one stops the build with the Debian package to install.
find_package(PkgConfig QUIET)

# Libraries without a CMake package everywhere: found by header and library, so that a plain prefix is enough.
function(fovea_find_library target)
  cmake_parse_arguments(arg "" "HEADER;PACKAGE" "NAMES" ${ARGN})
  string(MAKE_C_IDENTIFIER ${target} id)
  find_path(FOVEA_${id}_INCLUDE ${arg_HEADER})
  find_library(FOVEA_${id}_LIBRARY NAMES ${arg_NAMES})
  if(NOT FOVEA_${id}_INCLUDE OR NOT FOVEA_${id}_LIBRARY)
    message(FATAL_ERROR "${arg_HEADER} or its library is missing: install ${arg_PACKAGE}")
  endif()
  add_library(${target} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${FOVEA_${id}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${FOVEA_${id}_INCLUDE})
endfunction()

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
fovea_find_library(fovea_highway NAMES hwy HEADER hwy/highway.h PACKAGE libhwy-dev)
# SVE hides behind few of today's machines and none of our test machines: code that no test runs is not shipped.
# On x86 every generation from SSE4 on is compiled and chosen at run time.
target_compile_definitions(fovea_highway INTERFACE
  "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128|HWY_SSSE3|HWY_AVX3_DL)")

set(FOVEA_LIBRARIES TBB::tbb fmt::fmt nlohmann_json::nlohmann_json JPEG::JPEG PNG::PNG TIFF::TIFF fovea_highway
  Threads::Threads)

set(FOVEA_VIDEO_REASON "FOVEA_VIDEO=OFF")
if(FOVEA_VIDEO)
  set(FOVEA_VIDEO_REASON "FFmpeg not found: install libavformat-dev libavcodec-dev libavutil-dev libswscale-dev")
  if(PkgConfig_FOUND)
    pkg_check_modules(FFMPEG QUIET IMPORTED_TARGET libavformat libavcodec libavutil libswscale)
  endif()
  if(FFMPEG_FOUND)
    list(APPEND FOVEA_LIBRARIES PkgConfig::FFMPEG)
    set(FOVEA_VIDEO_REASON "")
  elseif(FOVEA_VIDEO STREQUAL "ON")
    message(FATAL_ERROR "FOVEA_VIDEO=ON, but ${FOVEA_VIDEO_REASON}")
  endif()
endif()
