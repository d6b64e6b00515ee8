// Files that appear whole or not at all: written under a temporary name beside the target and
// renamed when complete.
#pragma once
#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace fovea::io {

// A file being written. Without commit() nothing is left behind and an older file of that name
// stays as it was. Two writers of one name never mix: each has a temporary file of its own, and the
// last to commit wins.
class OutputFile {
 public:
  // Throws IoError that names the path and the system's reason.
  explicit OutputFile(std::string path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // For libraries that write to a C stream themselves; commit() still finds what they could not
  // write.
  std::FILE* stream() { return file_; }
  // For libraries that open by name.
  const std::string& temporary_path() const { return temporary_; }
  // Flushes to disk and gives the file its name.
  void commit();

 private:
  [[noreturn]] void fail(const char* doing);

  std::string path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
};

}  // namespace fovea::io
