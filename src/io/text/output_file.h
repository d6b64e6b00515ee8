// Files that appear whole or not at all: they are written under a temporary name beside the target
// and renamed when complete.
#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace fovea::io {

// A file being written. Without commit() nothing is left behind and an older file of that name
// stays as it was. Two writers of one name never mix: each has a temporary file of its own, and the
// last to commit wins. A replaced file keeps its permissions; symbolic links are followed. A
// device, a pipe and an open descriptor (/dev/stdout, /dev/fd/3) are written to directly, never
// replaced.
class OutputFile {
 public:
  // Throws a WriteError that names the path and the system's reason.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // For libraries that write to a C stream themselves and may read back what they wrote. commit()
  // still reports their failed writes.
  std::FILE* stream() { return file_; }
  // For libraries that open a file by its name.
  const std::string& writing_path() const { return temporary_.empty() ? target_ : temporary_; }
  const std::string& path() const { return path_; }
  // Flushes to disk and gives the file its name.
  void commit();
  // Throws the WriteError for errno: "PATH: cannot write: No space left on device".
  [[noreturn]] void fail(const char* doing) const;

 private:
  std::string path_;
  std::string target_;     // path_ with symbolic links followed
  std::string temporary_;  // empty where the target is not a plain file
  std::FILE* file_ = nullptr;
};

}  // namespace fovea::io
