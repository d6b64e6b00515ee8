# Library, program, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

install(TARGETS fovea fovea_build_flags EXPORT fovea-targets FILE_SET HEADERS)
install(TARGETS fovea_program)
install(EXPORT fovea-targets NAMESPACE fovea:: DESTINATION ${package_dir})

# Manual pages and completions, written by the program itself from its table of commands.
set(words_dir ${CMAKE_BINARY_DIR}/words)
add_custom_command(OUTPUT ${words_dir}/written
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:fovea_program> -DFOLDER=${words_dir}
    -P ${CMAKE_CURRENT_LIST_DIR}/WriteWords.cmake
  DEPENDS fovea_program ${CMAKE_CURRENT_LIST_DIR}/WriteWords.cmake VERBATIM)
if(NOT CMAKE_CROSSCOMPILING)
  add_custom_target(fovea_words ALL DEPENDS ${words_dir}/written)
  install(DIRECTORY ${words_dir}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${words_dir}/completion.bash RENAME fovea
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${words_dir}/completion.zsh RENAME _fovea
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${words_dir}/completion.fish RENAME fovea.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
