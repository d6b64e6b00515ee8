# Makes a source of the files in a folder, such as scripts of a page, and sets `result` to its path. `header` declares its
# function find_page_file() in `namespace`.
function(fovea_page_files result folder header namespace)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*)
  string(REPLACE "/" "_" name ${folder})
  set(source ${CMAKE_BINARY_DIR}/${name}_files.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_SOURCE_DIR}/${folder} -DOUTPUT=${source} -DHEADER=${header}
      -DNAMESPACE=${namespace} -P ${CMAKE_SOURCE_DIR}/cmake/WritePageFiles.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/WritePageFiles.cmake VERBATIM)
  set(${result} ${source} PARENT_SCOPE)
endfunction()
