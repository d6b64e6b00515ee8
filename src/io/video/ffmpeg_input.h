// What FFmpeg reads from: a file, the address of a stream, or a camera. A file reaches files only,
// a stream only what its protocol needs, and both end a wait when they are told to.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

#include "io/video/ffmpeg_library.h"
#include "io/video/video_source.h"

namespace fovea::io {

// FFmpeg logs to stderr, where its lines would disturb a progress bar, and has one log level for
// the whole process. A log callback of ours would replace one that the surrounding program has set.
// So only the level is lowered when a file is opened, and only where it is still FFmpeg's default.
// The reasons of failed calls go into our messages instead.
void silence_ffmpeg_log();

// The protocol is written out, so that a path such as "concat:..." is only a path.
std::string file_url(const std::string& path);

class FfmpegDictionary {
 public:
  ~FfmpegDictionary() { ffmpeg().av_dict_free(&entries_); }
  FfmpegDictionary() = default;
  FfmpegDictionary(const FfmpegDictionary&) = delete;
  FfmpegDictionary& operator=(const FfmpegDictionary&) = delete;
  void set(const char* key, const std::string& value) {
    ffmpeg().av_dict_set(&entries_, key, value.c_str(), 0);
  }
  AVDictionary** get() { return &entries_; }

 private:
  AVDictionary* entries_ = nullptr;
};

class FfmpegInput {
 public:
  // Opens the source and finds its streams. Throws FormatError or IoError that names it.
  FfmpegInput(const std::string& source, const VideoReadOptions& options);
  ~FfmpegInput();
  FfmpegInput(const FfmpegInput&) = delete;
  FfmpegInput& operator=(const FfmpegInput&) = delete;

  // The name in messages, without passwords.
  const std::string& name() const { return name_; }
  AVFormatContext* container() const { return container_.get(); }
  // Whether it is no file: a camera or any stream.
  bool remote() const { return kind_ != Kind::kFile; }
  // Whether it sets the pace: a camera, or a stream that does not state its length.
  bool live() const { return remote() && !stated_length_; }
  // Whether a file ends before the place where it says that it does.
  bool cut_off() const { return cut_off_; }

  // As av_read_frame() does, but waits for a camera's next frame.
  int read(AVPacket& packet);
  // What a negative result of read() means. Throws Cancelled where a stop was requested.
  std::string fault_of(int error) const;

 private:
  enum class Kind : unsigned char { kFile, kStream, kCamera };

  static int is_over(void* input);
  void start_waiting();
  void leave();
  void open_file();
  void open_stream();
  void open_camera();
  void open_bytes(const std::string& url, const std::string& protocols);
  int try_bytes(const std::string& url, const std::string& protocols);
  int follow(std::string url, const std::string& protocols);
  void require_own_place();
  const AVInputFormat* probe() const;
  // Opens container_, of `format` where that is known.
  int open_container(const std::string& url, const AVInputFormat* format,
                     FfmpegDictionary& options);
  void find_streams();
  [[noreturn]] void throw_camera(int error) const;
  [[noreturn]] void throw_unopened(int error) const;

  Kind kind_ = Kind::kFile;
  std::string source_, name_, device_;
  const VideoReadOptions& options_;
  bool stated_length_ = false;
  bool cut_off_ = false;
  bool silent_ = false;  // the wait took too long
  bool leaves_ = false;  // nothing more is read
  std::chrono::steady_clock::time_point deadline_{};
  AVIOContext* bytes_ = nullptr;  // of a stream; the container does not own it
  FfmpegOwned<AVFormatContext> container_;
};

}  // namespace fovea::io
