#include "cli/program/read_files.h"

#include <fovea/core/error.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <set>

#include "cli/program/parser.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

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

}  // namespace

std::vector<NamedFile> named_files(const Invocation& invocation) {
  std::vector<NamedFile> files;
  const auto add = [&](const OptionField& field) {
    const TextUse use = field.traits.use;
    if (use != TextUse::kModel && use != TextUse::kInput) return;
    std::vector<std::string> words;
    if (const auto* text = std::get_if<std::string*>(&field.value)) words = {**text};
    if (const auto* texts = std::get_if<std::vector<std::string>*>(&field.value)) words = **texts;
    for (const std::string& word : words)
      if (!word.empty())
        files.push_back(named_file(word, use == TextUse::kModel, invocation.command->system));
  };
  for (const OptionField& field : invocation.own_fields()) add(field);
  return files;
}

const std::string& ModelHashes::json() const {
  std::call_once(once_, [&] {
    std::set<std::string> names;
    for (const NamedFile& file : files_) {
      if (!file.model || !names.insert(file.name).second) continue;
      try {
        json_ += fmt::format("{}{}: \"{}\"", json_.empty() ? "{" : ", ",
                             detail::json_quote(file.name), io::model_hash(file.path));
      } catch (const IoError&) {  // whoever reads it says why
      }
    }
    if (!json_.empty()) json_ += '}';
  });
  return json_;
}

}  // namespace fovea::cli
