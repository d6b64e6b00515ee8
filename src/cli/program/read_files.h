// The files that a run reads, found by its inputs and by the descriptions of its options, so that
// no verb can forget one. No result may replace any of them unnoticed.
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fovea {
struct OptionField;
}

namespace fovea::cli {

struct Context;
struct Invocation;

// A model or another file that an option names.
struct NamedFile {
  std::string name{};  // as the user wrote it
  std::string path{};  // of a shipped model too; what is not there has one all the same
  bool model = false;
};
// Those of the verb's own options whose hash manifests keep: not folders of inputs, which are the
// units of a job or would take long to read.
std::vector<NamedFile> named_files(const Invocation& invocation);
// Whether an option names a folder of inputs: it is one of inputs, and help calls its value DIR.
bool names_input_folder(const OptionField& field);

// All files that options name: also folders of inputs, texts that may be a FILE as help has it, and
// what options name that all verbs have, such as --config.
class NamedFiles {
 public:
  explicit NamedFiles(const Invocation& invocation);
  const std::vector<NamedFile>& all() const { return files_; }
  // A JSON object with the SHA-256 of each model's file by its name, which are taken when somebody
  // asks for the first time; empty where there is no model.
  const std::string& model_hashes() const;

 private:
  std::vector<NamedFile> files_{};
  mutable std::once_flag once_{};
  mutable std::string hashes_{};
};

// The files of a run as the disk has them. Words stand for what they do as inputs: a file, a
// folder, a glob or an @list. A cube's header stands for its samples as well, and these for it.
class ReadFiles {
 public:
  ReadFiles() = default;
  // The inputs of a run and what its options name.
  explicit ReadFiles(const Context& context);
  void add(const std::string& word);
  // Whether a path is a file among them.
  bool has(const std::string& path);
  // Whether a folder is one of them, or has files of them with which results could share a name.
  bool holds(const std::string& folder);

 private:
  void add_file(const std::string& path);
  bool has_member(const std::filesystem::path& folder, const std::filesystem::path& file) const;
  // The name of a file behind all links. Folders are looked up once, which is most of the work
  // where many files share them.
  std::string canonical(std::filesystem::path path);
  const std::filesystem::path& canonical_folder(const std::filesystem::path& path);

  std::set<std::string> files_{};                  // by canonical names
  std::set<std::filesystem::path> folders_{};      // of inputs, by canonical names
  std::set<std::filesystem::path> result_like_{};  // folders of files that are as results are
  std::map<std::filesystem::path, std::filesystem::path> known_folders_{};
};

}  // namespace fovea::cli
