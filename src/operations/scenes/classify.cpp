// scenes classify: finds the class of each image and writes classes and scores as CSV or JSON.
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/explain.h>

#include <fmt/format.h>

#include <algorithm>

#include "core/words.h"
#include "operations/explain.h"
#include "operations/make_operation.h"
#include "operations/scenes/scenes.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_scenes_classify {
namespace {

using scenes::ClassifyResult;

struct ClassifyRequest {
  std::string model = "sun8";
  bool explain = false;
  std::string of{};       // name of a class; empty: the one with the greatest score
  std::string against{};  // empty: the greatest score of the others
  std::string picture{};
};

void describe(OptionVisitor& visit, ClassifyRequest& request) {
  describe_scenes_model(visit, request.model);
  visit("explain", request.explain,
        "say which words and places of one image spoke for its class and against the runner-up");
  visit("explain-class", request.of,
        "with --explain: explain this class instead of the one with the greatest score");
  visit("explain-against", request.against,
        "with --explain: compare with this class instead of the runner-up");
  describe_explain_picture(visit, request.picture);
}

struct Setup {
  ClassifyRequest asked{};
  std::shared_ptr<const scenes::Model> model{};
};

struct Classified {
  Image<std::uint8_t> pixels{};
  ClassifyResult result{};
};

void check(const Setup& setup) {
  const ClassifyRequest& asked = setup.asked;
  check_explain_picture(asked.explain, asked.picture);
  if (!asked.explain && !(asked.of + asked.against).empty())
    throw InvalidArgument("--explain-class and --explain-against need --explain");
}

void begin(Setup& setup, const Exec&, const Plan& plan) {
  const std::string& name = setup.asked.model;
  setup.model = plan.keep<scenes::Model>(name, [&] { return scenes::load_model(name); });
}

void write_row(const Setup&, io::CsvWriter& csv, const io::Place& place, const Classified& item) {
  csv.field(place.input).field(item.result.name);
  for (const float score : item.result.scores) csv.field(score);
  csv.end_row();
}

std::vector<std::string> columns(const Setup& setup) {
  std::vector<std::string> names{"file", "class"};
  names.insert(names.end(), setup.model->classes.begin(), setup.model->classes.end());
  return names;
}

// What stands behind the results of all images.
struct Counts {
  std::size_t images = 0;
  double images_per_second = 0;
};
void describe(FieldVisitor& visit, Counts& counts) {
  visit("images", counts.images, "how many images there were");
  visit("images_per_second", counts.images_per_second, "how fast they were classified",
        {.timing = true});
}
struct AroundResults {
  scenes::ClassNames names{};
  Counts counts{};
};
void describe(FieldVisitor& visit, AroundResults& around) {
  describe(visit, around.names);
  describe(visit, around.counts);
}

double rate_of(const Totals& totals) {
  return static_cast<double>(totals.inputs - totals.failed) / std::max(totals.seconds, 1e-9);
}

std::string note_after_all(const Setup&, const NoCount&, const Totals& totals) {
  const double rate = rate_of(totals);
  return fmt::format("{} in {:.2f} s, {:.{}f} per second{}",
                     detail::counted(totals.inputs - totals.failed, "image"), totals.seconds, rate,
                     rate < 10 ? 1 : 0,
                     totals.failed > 0 ? fmt::format("; {} could not be read", totals.failed) : "");
}

void show(const Setup& setup, const Classified& item, Shown& shown) {
  const std::vector<std::string>& classes = setup.model->classes;
  for (std::size_t i = 0; i < classes.size(); ++i)
    shown.scores.emplace_back(classes[i], item.result.scores[i]);
  std::ranges::stable_sort(shown.scores, std::ranges::greater(),
                           &std::pair<std::string, double>::second);
  shown.summary = fmt::format("The image shows the place '{}', with a score of {:.2f}.",
                              item.result.name, item.result.score);
  shown.facts = {{"size", fmt::format("{}x{}", item.pixels.width(), item.pixels.height())},
                 {"model", setup.asked.model},
                 {"classes", std::to_string(classes.size())}};
}

void compare(const Setup& setup, const Classified&, const Truth& truth, Shown& shown) {
  shown.true_score = truth.place(setup.model->classes);
  if (!shown.true_score.empty())
    shown.summary += fmt::format(" The truth is '{}'.", shown.true_score);
}

int class_number(const char* option, const std::string& name,
                 const std::vector<std::string>& classes) {
  if (name.empty()) return -1;
  const auto at = std::ranges::find(classes, name);
  if (at == classes.end())
    throw InvalidArgument(fmt::format("{} {}: the model has no such class; it has {}", option, name,
                                      fmt::join(classes, ", ")));
  return static_cast<int>(at - classes.begin());
}

Explained explain(const Setup& setup, const std::shared_ptr<const Classified>& item,
                  const Asked& on) {
  const ClassifyRequest& asked = setup.asked;
  const scenes::Model& model = *setup.model;
  scenes::ExplainOptions options{
      .first = class_number("--explain-class", asked.of, model.classes),
      .second = class_number("--explain-against", asked.against, model.classes),
      .exec = on.exec};
  if (options.first >= 0 && options.first == options.second)
    throw InvalidArgument(
        fmt::format("--explain-against {}: this is the class that is explained", asked.against));
  const scenes::SceneExplanation why = scenes::explain(model, item->pixels, options);
  Explained explained{.explanation = present(why)};
  explained.picture = [item](const report::Explanation& shown) {
    return report::draw_explanation(item->pixels, shown, {.whole_image = true});
  };
  explained.members = [name = why.result.name, score = why.result.score](io::JsonWriter& json) {
    json.member("name", name).member("score", score);
  };
  return explained;
}

}  // namespace
}  // namespace of_scenes_classify

Operation scenes_classify() {
  using namespace of_scenes_classify;
  return make_operation<Setup, Classified, scenes::Classifier>(
      {.words =
           {.system = "scenes",
            .verb = "classify",
            .summary = "find which kind of place each image shows",
            .text =
                "Says which kind of place an image shows, by the visual words in it. Prints one "
                "line per image: its file, its class and one score per class. Scores lie "
                "between 0 and 1 and add up to 1. With --json it prints one object. Images are "
                "decoded while others are classified. An image that cannot be read is named and "
                "left out (exit status 5). --explain says instead why one image has its class. "
                "When Ctrl-C is pressed, the results so far are kept.",
            .arguments = {scene_images()},
            .examples = {{"fovea scenes classify photo.jpg",
                          "classify one image with the shipped model sun8"},
                         {"fovea scenes classify photos --model places.safetensors -o classes.csv",
                          "classify every image of a folder with your own model"},
                         {"fovea scenes classify photo.jpg --explain --explain-picture why.png",
                          "say which words and places spoke for the class"}}},
       .on_page = {.title = "Places",
                   .hint = "Click the picture to see which places spoke for it, and which "
                           "against."},
       .input = InputKind::kImage,
       .finite_pixels = true,
       .outputs = {{.about = {.name = "output",
                              .help = "file for the results, .csv or .json; without it they are "
                                      "printed",
                              .share = Share::kOneFile,
                              .endings = {".csv", ".json"},
                              .what = "the list of results",
                              .list = List::kRows,
                              .after = "model"}}},
       .check_inputs = refuse_models,
       .check = check,
       .begin = begin,
       .worker = [](const Setup& setup,
                    const Exec& exec) { return scenes::Classifier(setup.model, {.exec = exec}); },
       .read = [](const Setup&, const Source& source,
                  Classified& item) { item.pixels = scene_pixels(source); },
       .run = [](const Setup&, scenes::Classifier& classifier,
                 Classified& item) { item.result = classifier.classify(item.pixels); },
       .memory = [](const Setup&, std::uint64_t bytes) { return 64 * bytes; },  // descriptors
       .result = [](const Classified& item) { return record_ref(item.result); },
       .controls = [](OptionVisitor&, Setup&) {},  // the model decides everything
       .show = show,
       .compare = compare,
       .held_bytes =
           [](const Classified& item) {
             return static_cast<std::size_t>(item.pixels.stride()) *
                    static_cast<std::size_t>(item.pixels.height());
           },
       .note_after_all = note_after_all,
       .columns = columns,
       .write_row = write_row,
       .members_before =
           [](const Setup& setup) {
             return io::record_members(record_ref(scenes::ClassNames{setup.model->classes}));
           },
       .members_after =
           [](const Totals& totals) {
             return io::record_members(record_ref(Counts{totals.inputs, rate_of(totals)}),
                                       {.times = totals.times});
           },
       .sample_beside = sample_record<AroundResults>,
       .explains = [](const Setup& setup) { return setup.asked.explain; },
       .explain_picture = [](const Setup& setup) { return setup.asked.picture; },
       .explain = explain},
      sample_record<ClassifyResult>);
}

}  // namespace fovea::operations
