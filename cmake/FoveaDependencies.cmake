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
