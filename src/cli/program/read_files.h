// The files that a run reads beside its inputs, found by the descriptions of its options, so that
// no verb can forget one.
#pragma once
#include <mutex>
#include <string>
#include <vector>

namespace fovea::cli {

struct Invocation;

// A model or another file that an option names.
struct NamedFile {
  std::string name{};  // as the user wrote it
  std::string path{};  // of a shipped model too; what is not there has one all the same
  bool model = false;
};
std::vector<NamedFile> named_files(const Invocation& invocation);

// The hashes of the models among them, which are taken when somebody asks for the first time.
class ModelHashes {
 public:
  explicit ModelHashes(std::vector<NamedFile> files) : files_(std::move(files)) {}
  // A JSON object with the SHA-256 of each model's file by its name; empty where there is no model.
  const std::string& json() const;

 private:
  std::vector<NamedFile> files_;
  mutable std::once_flag once_{};
  mutable std::string json_{};
};

}  // namespace fovea::cli
