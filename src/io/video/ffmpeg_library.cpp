#include "io/video/ffmpeg_library.h"

#include <dlfcn.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <string>

namespace fovea::io {
namespace {

// Libraries are never unloaded, because FFmpeg's threads and tables live as long as the process.
void* load(const std::string& name, int version) {
  const std::string file = fmt::format("lib{}.so.{}", name, version);
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw IoError(
        fmt::format("FFmpeg is not installed here ({}): install lib{}{}; y4m and folders of images "
                    "work without it",
                    dlerror(), name, version));
  return library;
}

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw IoError(
        fmt::format("the FFmpeg found here lacks {}: install the version that this build "
                    "was compiled for",
                    name));
}

FfmpegLibrary load_all() {
  FfmpegLibrary all;
  void* library = nullptr;
#define FOVEA_FIND(name) find(library, #name, all.name);
  library = load("avutil", LIBAVUTIL_VERSION_MAJOR);
  FOVEA_AVUTIL(FOVEA_FIND)
  library = load("avcodec", LIBAVCODEC_VERSION_MAJOR);
  FOVEA_AVCODEC(FOVEA_FIND)
  library = load("avformat", LIBAVFORMAT_VERSION_MAJOR);
  FOVEA_AVFORMAT(FOVEA_FIND)
  library = load("swscale", LIBSWSCALE_VERSION_MAJOR);
  FOVEA_SWSCALE(FOVEA_FIND)
#undef FOVEA_FIND
  return all;
}

}  // namespace

const FfmpegLibrary& ffmpeg() {
  static const FfmpegLibrary library = load_all();
  return library;
}

void load_ffmpeg_devices() {
  // Its headers are not needed for one function, and its version is that of libavformat.
  static constexpr int kVersion = LIBAVFORMAT_VERSION_MAJOR;
  static const bool loaded = [] {
    const std::string file = fmt::format("libavdevice.so.{}", kVersion);
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
      throw IoError(
          fmt::format("FFmpeg's devices are not installed here ({}): install "
                      "libavdevice{}",
                      dlerror(), kVersion));
    void (*register_all)() = nullptr;
    find(library, "avdevice_register_all", register_all);
    register_all();
    return true;
  }();
  static_cast<void>(loaded);
}

std::string ffmpeg_reason(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  ffmpeg().av_strerror(error, text, sizeof(text));
  return text;
}

}  // namespace fovea::io
