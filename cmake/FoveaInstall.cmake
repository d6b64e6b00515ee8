# Library, program, CMake package (find_package(fovea)) and pkg-config file (fovea.pc).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

install(TARGETS fovea EXPORT fovea-targets FILE_SET HEADERS)
install(TARGETS fovea_program)
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
