# FOVEA_CUDA=EMULATED: the CUDA twins compiled for the CPU, so that their tests run without a GPU (CONTRIBUTING.md). To CMake
# the .cu files are C++; the compiler launcher translates them. Only gcc and GNU binutils are known to work.
set(emulator_folder ${CMAKE_CURRENT_LIST_DIR})
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${emulator_folder}/translate.py ${CMAKE_CXX_COMPILER_LAUNCHER})
else()
  set(CMAKE_CXX_COMPILER_LAUNCHER ${emulator_folder}/translate.py)
endif()
file(GLOB_RECURSE translated CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cu ${emulator_folder}/*.cu)
set_source_files_properties(${translated} PROPERTIES
  LANGUAGE CXX SKIP_PRECOMPILE_HEADERS ON OBJECT_DEPENDS ${emulator_folder}/translate.py)

file(GLOB emulator_sources CONFIGURE_DEPENDS ${emulator_folder}/runtime/*.cpp)
add_library(fovea_emulator STATIC ${emulator_sources})
target_include_directories(fovea_emulator PRIVATE ${emulator_folder}/include ${emulator_folder}/runtime)
target_compile_features(fovea_emulator PRIVATE cxx_std_20)
target_link_libraries(fovea_emulator PRIVATE fovea_build_flags)
set_target_properties(fovea_emulator PROPERTIES POSITION_INDEPENDENT_CODE ON)
add_library(CUDA::cudart_static INTERFACE IMPORTED GLOBAL)  # the library links it by this name
target_link_libraries(CUDA::cudart_static INTERFACE fovea_emulator)

if(FOVEA_TESTS)
  find_package(GTest REQUIRED)
  add_executable(test_emulator ${emulator_folder}/emulator_test.cu)
  target_compile_features(test_emulator PRIVATE cxx_std_20)
  target_link_libraries(test_emulator PRIVATE fovea_build_flags fovea_emulator GTest::gtest GTest::gtest_main)
  set_target_properties(test_emulator PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
endif()
