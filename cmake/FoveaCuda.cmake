# Decides whether the CUDA twins are built. CMake 3.25 does not know C++20 for nvcc 13, so the flag is passed by hand.
if(FOVEA_CUDA STREQUAL "AUTO")
  find_program(FOVEA_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
  set(FOVEA_CUDA OFF)
  set(FOVEA_CUDA_REASON "nvcc not found")
  if(FOVEA_NVCC)
    set(FOVEA_CUDA ON)
  endif()
elseif(NOT FOVEA_CUDA)
  set(FOVEA_CUDA_REASON "FOVEA_CUDA=OFF")
endif()

if(FOVEA_CUDA STREQUAL "EMULATED")
  include(${CMAKE_CURRENT_LIST_DIR}/../tools/emulator/Emulator.cmake)
elseif(FOVEA_CUDA)
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 90 CACHE STRING "GPU generations to compile for")  # with PTX for later ones
  endif()
  if(FOVEA_NVCC AND NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${FOVEA_NVCC})
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  target_compile_options(fovea_build_flags INTERFACE
    # 554: views of const do not convert to themselves, which is no surprise.
    # --fmad=false: the twins agree to the bit by default; hot loops ask for fmaf by name.
    "$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--fmad=false;--expt-relaxed-constexpr;--extended-lambda;-diag-suppress=554>"
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-ffp-contract=off;-Wno-deprecated-gpu-targets>")
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)  # the program starts on machines without a driver
endif()
