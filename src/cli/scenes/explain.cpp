// fovea scenes classify --explain: which words and places spoke for a class.
#include <fovea/core/error.h>
#include <fovea/scenes/explain.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/program/batch.h"
#include "cli/program/explain.h"
#include "cli/scenes/scenes.h"

namespace fovea::cli {
namespace {

int class_number(const char* option, const std::string& name,
                 const std::vector<std::string>& classes) {
  if (name.empty()) return -1;
  const auto at = std::ranges::find(classes, name);
  if (at == classes.end())
    throw InvalidArgument(fmt::format("{} {}: the model has no such class; it has {}", option, name,
                                      fmt::join(classes, ", ")));
  return static_cast<int>(at - classes.begin());
}

}  // namespace

void describe(OptionVisitor& visit, ExplainScene& request) {
  visit("explain", request.explain,
        "say which words and places of one image spoke for its class and against the runner-up");
  visit("explain-class", request.of,
        "with --explain: explain this class instead of the one with the greatest score");
  visit("explain-against", request.against,
        "with --explain: compare with this class instead of the runner-up");
  describe_explain_picture(visit, request.picture);
}

int explain_scene(const ExplainScene& request, const std::string& model,
                  const std::vector<std::string>& paths, Context& context) {
  if (paths.size() != 1)
    throw InvalidArgument(
        fmt::format("--explain explains one image, but there are {} inputs", paths.size()));
  check_outputs(context, {{"--explain-picture", request.picture}}, paths);
  const auto known = scenes::load_model(model);
  scenes::ExplainOptions options;
  options.first = class_number("--explain-class", request.of, known->classes);
  options.second = class_number("--explain-against", request.against, known->classes);
  if (options.first >= 0 && options.first == options.second)
    throw InvalidArgument(
        fmt::format("--explain-against {}: this is the class that is explained", request.against));
  options.exec = context.exec_without_progress();
  const Image<std::uint8_t> image = InputImages(context, paths).read(0);
  const scenes::SceneExplanation why = explain(*known, image, options);
  return print_explanation(context, present(why),
                           {.picture = request.picture,
                            .image = image,
                            .drawing = {.whole_image = true},
                            .members = [&](io::JsonWriter& json) {
                              json.member("input", paths[0]).member("name", why.result.name);
                              json.member("score", why.result.score);
                            }});
}

}  // namespace fovea::cli
