// A file that only one process at a time can hold, and that says which one does.
#pragma once
#include <string>

namespace fovea::cluster::detail {

class FileLock {
 public:
  // Makes the file and holds it. Throws IoError that names the owner, and for how long it has been
  // one, where another process holds it. The system frees what a process that died has held.
  FileLock(std::string path, const std::string& guarded);
  ~FileLock();  // removes the file
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace fovea::cluster::detail
