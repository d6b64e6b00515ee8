#include "cli/program/read_files.h"

#include <fovea/core/error.h>
#include <fovea/io/input_list.h>
#include <fovea/io/inputs.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "cli/program/command.h"
#include "cli/program/parser.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

// Several models may have names, as in --model a=FILE,b=FILE.
std::string without_label(const std::string& word) {
  const auto equals = word.find('=');
  return equals < word.find('/') ? word.substr(equals + 1) : word;
}

NamedFile named_file(const std::string& word, bool model, std::string_view system) {
  NamedFile file{.name = word, .path = word, .model = model};
  if (!model) return file;
  file.name = file.path = without_label(word);
  try {
    file.path = io::find_model(file.path, system);
  } catch (const IoError&) {  // whoever reads it says why
  }
  return file;
}

// What a folder is read for, in the order in which verbs choose: cubes, or else images, videos,
// meshes, or texts such as points and labels.
std::vector<io::InputKind> kinds_in_folders() {
  return {{.name = "cube",
           .extensions = {"hdr", "mat", "img", "dat", "raw", "bin", "bsq", "bil", "bip", "cube"}},
          io::image_files(),
          io::video_files(),
          io::mesh_files(),
          {.name = "text", .extensions = {"txt", "stip", "json", "xml", "seg", "flo", "manifest"}}};
}

// The place of its kind in the list above; -1 for any other file.
int folder_kind_of(const fs::path& file) {
  static const std::vector<io::InputKind> kKinds = kinds_in_folders();
  const std::string name = file.filename().string();
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    if (!name.starts_with('.') && io::has_extension(name, kKinds[i])) return static_cast<int>(i);
  return -1;
}

// The kind that a folder is read for, `result` aside, which may lie in it since an earlier run.
int kind_of_folder(const fs::path& folder, const fs::path& result) {
  int kind = -1;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const int one = entry->path() == result ? -1 : folder_kind_of(entry->path());
    if (one >= 0 && (kind < 0 || one < kind)) kind = one;
  }
  return kind;
}

// The other file of a cube, and the names that it may have.
std::vector<std::string> other_files_of_cube(const std::string& path) {
  const fs::path file(path);
  const std::string stem = fs::path(file).replace_extension().string();
  if (file.extension() != ".hdr") return {stem + ".hdr", path + ".hdr"};
  std::vector<std::string> files{stem};
  for (const char* ending : {".img", ".dat", ".raw", ".bin", ".bsq", ".bil", ".bip", ".cube"})
    files.push_back(stem + ending);
  return files;
}

// Whether results in a folder could have the name of such a file: they are pages, tables, pictures
// and cubes, but no models, videos or texts.
bool is_like_a_result(const fs::path& file) {
  return file.extension() != ".safetensors" && file.extension() != ".txt" &&
         !io::has_extension(file.string(), io::video_files());
}

// The words of an option of texts.
void add_words(const OptionField& field, const Invocation& invocation,
               std::vector<NamedFile>& files) {
  std::vector<std::string> words;
  if (const auto* text = std::get_if<std::string*>(&field.value)) words = {**text};
  if (const auto* texts = std::get_if<std::vector<std::string>*>(&field.value)) words = **texts;
  const bool model = field.traits.use == TextUse::kModel;
  for (const std::string& word : words)
    if (!word.empty()) files.push_back(named_file(word, model, invocation.command->system));
}

}  // namespace

bool names_input_folder(const OptionField& field) {
  return field.traits.use == TextUse::kInput && field.traits.value_name == "DIR";
}

std::vector<NamedFile> named_files(const Invocation& invocation) {
  std::vector<NamedFile> files;
  for (const OptionField& field : invocation.own_fields()) {
    const TextUse use = field.traits.use;
    if ((use == TextUse::kModel || use == TextUse::kInput) && !names_input_folder(field))
      add_words(field, invocation, files);
  }
  return files;
}

NamedFiles::NamedFiles(const Invocation& invocation) : files_(named_files(invocation)) {
  for (const OptionField& field : invocation.own_fields()) {
    const bool perhaps = field.traits.use == TextUse::kText &&
                         field.traits.value_name.find("FILE") != std::string_view::npos;
    if (perhaps || names_input_folder(field)) add_words(field, invocation, files_);
  }
  for (const OptionField& field : invocation.common_fields())
    if (field.traits.use == TextUse::kInput) add_words(field, invocation, files_);
}

const std::string& NamedFiles::model_hashes() const {
  std::call_once(once_, [&] {
    std::set<std::string> names;
    for (const NamedFile& file : files_) {
      if (!file.model || !names.insert(file.name).second) continue;
      try {
        hashes_ += fmt::format("{}{}: \"{}\"", hashes_.empty() ? "{" : ", ",
                               detail::json_quote(file.name), io::model_hash(file.path));
      } catch (const IoError&) {  // whoever reads it says why
      }
    }
    if (!hashes_.empty()) hashes_ += '}';
  });
  return hashes_;
}

ReadFiles::ReadFiles(const Context& context) {
  for (const std::string& input : context.inputs) add(input);
  if (!context.named) return;
  for (const NamedFile& file : context.named->all()) add(file.path);
}

void ReadFiles::add(const std::string& word) {
  std::error_code error;
  if (word.empty() || word == "-") return;
  const fs::file_status status = fs::status(word, error);
  if (fs::is_directory(status)) {
    folders_.insert(canonical_folder(word));
  } else if (fs::exists(status)) {
    add_file(word);
    for (const std::string& other : other_files_of_cube(word))
      if (fs::is_regular_file(other, error)) add_file(other);
  } else if (word[0] == '@') {
    add(word.substr(1));
    try {
      for (const std::string& listed : io::read_input_list(word.substr(1))) add(listed);
    } catch (const Error&) {  // whoever reads it says why
    }
  } else if (word.find_first_of("*?[") != word.npos) {
    io::InputKind all{.name = "file", .extensions = {}};
    for (io::InputKind& kind : kinds_in_folders())
      std::ranges::move(kind.extensions, std::back_inserter(all.extensions));
    try {
      for (const std::string& match : io::expand_inputs(std::span(&word, 1), all)) add(match);
    } catch (const Error&) {  // there is none
    }
  }
}

void ReadFiles::add_file(const std::string& path) {
  files_.insert(canonical(path));
  if (is_like_a_result(path)) result_like_.insert(canonical_folder(fs::path(path).parent_path()));
}

bool ReadFiles::has(const std::string& path) {
  std::error_code error;
  if (path.empty() || !fs::is_regular_file(path, error)) return false;
  const fs::path file = canonical(path);
  return files_.contains(file.string()) || std::ranges::any_of(folders_, [&](const auto& folder) {
           return has_member(folder, file);
         });
}

// A run reads the files that lie in a folder. Where it has none, as a folder with one folder per
// class, the run reads the files in those.
bool ReadFiles::has_member(const fs::path& folder, const fs::path& file) const {
  const fs::path parent = file.parent_path();
  if (parent != folder && parent.parent_path() != folder) return false;
  const int kind = folder_kind_of(file);
  if (kind < 0) return false;
  const int own = kind_of_folder(folder, file);  // -1: it has no other file that is read
  if (parent == folder) return own < 0 || own == kind;
  const int inner = kind_of_folder(parent, file);
  return own < 0 && (inner < 0 || inner == kind);
}

bool ReadFiles::holds(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return false;
  const fs::path& place = canonical_folder(folder);
  return folders_.contains(place) || result_like_.contains(place);
}

std::string ReadFiles::canonical(fs::path path) {
  constexpr int kMostLinks = 40;  // as Linux follows
  for (int links = 0; links < kMostLinks; ++links) {
    path = canonical_folder(path.parent_path()) / path.filename();
    std::error_code error;
    const fs::path target = fs::read_symlink(path, error);
    if (error) break;  // it is no link
    path = path.parent_path() / target;
  }
  return path.string();
}

const fs::path& ReadFiles::canonical_folder(const fs::path& path) {
  const auto [place, is_new] = known_folders_.try_emplace(path);
  if (is_new) {
    std::error_code error;
    place->second = fs::weakly_canonical(path.empty() ? fs::path(".") : path, error);
    if (!place->second.has_filename()) place->second = place->second.parent_path();
  }
  return place->second;
}

}  // namespace fovea::cli
