# Compiles a target's sources in batches, which halves the time of a cold build: the headers of a batch are read once and
# what they instantiate is compiled once. A batch holds neighbors of one floor: files of one room (folder), and of the rooms
# beside it where they are few. Not batched are files that Highway compiles once for each of several instruction sets
# (*_cpu.cpp), stand-ins that come and go with an option, and what compiled_alone.txt names.
set(FOVEA_UNITY_BATCH 14)  # more saves little and makes a change of one file slow

# One file's constants are no warning for the locals of another, and to gcc a batched file looks like a header.
set(FOVEA_UNITY_PRAGMAS [[
#pragma GCC diagnostic ignored "-Wshadow"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wsubobject-linkage"
#endif]])

# The floor of a room: src/ops of src/ops/resize, src/cli/emd of itself, bench of bench/emd, with the mark of SIMD code.
function(fovea_floor room result)
  string(REGEX MATCH "\\|cpu$" mark "${room}")
  string(REGEX MATCH "^(bench|[^/|]+(/cli/[^/|]+|/[^/|]+)?)" floor "${room}")
  set(${result} "${floor}${mark}" PARENT_SCOPE)
endfunction()

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
    if(relative MATCHES "_cpu\\.cpp$")
      string(APPEND room "|cpu")  # SIMD code has batches of its own
    endif()
    list(APPEND rooms ${room})
    list(APPEND "in_${room}" ${source})
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  list(SORT rooms)
  foreach(room ${rooms})
    fovea_floor(${room} floor)
    list(LENGTH "in_${room}" count)
    if(NOT DEFINED "filled_${floor}")
      set("batch_${floor}" 0)
      set("filled_${floor}" 0)
    elseif("${filled_${floor}}" GREATER 0)
      math(EXPR sum "${filled_${floor}} + ${count}")
      if(sum GREATER FOVEA_UNITY_BATCH)
        math(EXPR "batch_${floor}" "${batch_${floor}} + 1")
        set("filled_${floor}" 0)
      endif()
    endif()
    foreach(source ${in_${room}})
      if("${filled_${floor}}" EQUAL FOVEA_UNITY_BATCH)
        math(EXPR "batch_${floor}" "${batch_${floor}} + 1")
        set("filled_${floor}" 0)
      endif()
      math(EXPR "filled_${floor}" "${filled_${floor}} + 1")
      string(MAKE_C_IDENTIFIER "${target}_${floor}_${batch_${floor}}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "${FOVEA_UNITY_PRAGMAS}")
endfunction()
