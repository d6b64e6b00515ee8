# Library, program, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)

install(TARGETS fovea fovea_build_flags EXPORT fovea-targets FILE_SET HEADERS)
install(TARGETS fovea_program)
install(EXPORT fovea-targets NAMESPACE fovea:: DESTINATION ${package_dir})
