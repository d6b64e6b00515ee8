#include "view/views/model_text.h"

#include <fovea/core/error.h>
#include <fovea/io/model_file.h>
#include <fovea/io/models.h>
#include <fovea/people/detector.h>

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <vector>

namespace fovea::view {
namespace {

// The value of a fact with words around it; nothing where a model does not have it.
std::string said(const std::map<std::string, std::string>& facts, const std::string& name,
                 fmt::format_string<const std::string&> words) {
  const auto fact = facts.find(name);
  return fact == facts.end() ? "" : fmt::format(words, fact->second);
}

std::string people_text(const std::string& name) {
  const auto model = people::load_model(name);
  std::string trained = said(model->facts, "samples", ", trained with {}");
  if (trained.empty())
    trained = said(model->facts, "positives", ", trained with {} pictures of people");
  return fmt::format("Kind {}: people of {} pixels and more, by default from a score of {:g} on{}.",
                     to_string(model->kind),
                     std::lround(static_cast<float>(model->window().height) * model->person_height),
                     model->threshold, trained);
}

// Of models that know classes.
std::string classes_text(const std::string& name, const std::string& system) {
  const auto facts = io::ModelFile::read(io::find_model(name, system)).metadata();
  std::vector<std::string> classes;
  for (auto each = facts.find("class.0"); each != facts.end();
       each = facts.find(fmt::format("class.{}", classes.size())))
    classes.push_back(each->second);
  if (classes.empty()) return {};
  return fmt::format("Knows {}{}{}{}.", fmt::join(classes, ", "),
                     said(facts, "scenes.images", "; trained with {} images"),
                     said(facts, "actions.clips", "; trained with {} clips"),
                     said(facts, "actions.subjects", " of {} people"));
}

}  // namespace

std::string model_text(const std::string& name, const std::string& system) {
  try {
    return system == "people" ? people_text(name) : classes_text(name, system);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace fovea::view
