// The private folder of what a page uploads. It goes with the process, and what a killed one has
// left goes when the next one begins.
#pragma once
#include <string>

namespace fovea::view {

class UploadFolder {
 public:
  // Removes folders in `place` that no process holds any more. Throws WriteError where none can be
  // made there.
  explicit UploadFolder(const std::string& place);
  ~UploadFolder();
  UploadFolder(const UploadFolder&) = delete;
  UploadFolder& operator=(const UploadFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_{};
  int held_ = -1;  // the folder itself, which is locked as long as the process lives
};

}  // namespace fovea::view
