# Compiles a target's sources in batches, which halves the time of a cold build: the headers of a batch are read once.
# A batch holds neighbors of one folder, so that a new file moves no other folder's batches and two files meet in one
# translation unit only if they stand in one room. Not batched are files that Highway compiles once for each of several
# instruction sets (*_cpu.cpp), stand-ins that come and go with an option, and what compiled_alone.txt names.
set(FOVEA_UNITY_BATCH 10)  # more saves little and makes a change of one file slow

# One file's constants are no warning for the locals of another, and to gcc a batched file looks like a header.
set(FOVEA_UNITY_PRAGMAS [[
#pragma GCC diagnostic ignored "-Wshadow"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif]])

function(fovea_unity target)
  if(NOT FOVEA_UNITY)
    return()
  endif()
  file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/compiled_alone.txt alone REGEX "\\.cpp$")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/compiled_alone.txt)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(never "/no_[a-z]+\\.cpp$|/(video_ffmpeg|ffmpeg_[a-z]+|webp_libwebp)\\.cpp$")
  if(NOT FOVEA_SIMD_IN_BATCHES)
    string(APPEND never "|_cpu\\.cpp$")
  endif()
  set(rooms "")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE absolute)
    cmake_path(RELATIVE_PATH absolute BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE relative)
    if(relative MATCHES "${never}" OR relative IN_LIST alone)
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    cmake_path(GET relative PARENT_PATH room)
    string(MAKE_C_IDENTIFIER ${room} room)
    if(relative MATCHES "_cpu\\.cpp$")
      string(APPEND room "_cpu")
    endif()
    if(NOT room IN_LIST rooms)
      list(APPEND rooms ${room})
      set(count_${room} 0)
    endif()
    math(EXPR batch "${count_${room}} / ${FOVEA_UNITY_BATCH}")
    math(EXPR count_${room} "${count_${room}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${room}_${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "${FOVEA_UNITY_PRAGMAS}")
endfunction()
