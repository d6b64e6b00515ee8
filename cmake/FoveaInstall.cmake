# Library, program, CMake package (find_package(fovea)) and pkg-config file (fovea.pc).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

install(TARGETS fovea EXPORT fovea-targets FILE_SET HEADERS)
install(TARGETS fovea_program)
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fovea/models FILES_MATCHING PATTERN "*.safetensors")
install(EXPORT fovea-targets NAMESPACE fovea:: DESTINATION ${package_dir})

configure_package_config_file(cmake/fovea-config.cmake.in ${PROJECT_BINARY_DIR}/fovea-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fovea-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fovea-config.cmake ${PROJECT_BINARY_DIR}/fovea-config-version.cmake
  DESTINATION ${package_dir})

# A static library hands its own dependencies on to whoever links it.
list(JOIN FOVEA_PKGCONFIG_REQUIRES " " requires)
set(requires_keyword Requires)
set(private_libraries "")
if(BUILD_SHARED_LIBS)
  set(requires_keyword Requires.private)
elseif(FOVEA_CUDA)
  set(private_libraries "-L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -lpthread")
endif()
configure_file(cmake/fovea.pc.in ${PROJECT_BINARY_DIR}/fovea.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/fovea.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

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
