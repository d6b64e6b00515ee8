// Training and evaluation of fovea.actions: clips, models, folds and streams.
#include "actions_train.h"

#include <fovea/actions/curves.h>
#include <fovea/actions/evaluate.h>
#include <fovea/actions/evaluate_stream.h>
#include <fovea/core/error.h>

#include <fmt/format.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "actions_points.h"
#include "arrays.h"
#include "options.h"
#include "records.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {

using actions::Model;
using actions::PointSet;
using actions::TrainOptions;

TrainOptions train_options(const nb::dict& keywords, bool paper, const char* function) {
  TrainOptions options = paper ? actions::paper_options() : TrainOptions{};
  set_keywords(options, keywords, function);
  options.exec.device = usable_device(options.exec.device);
  return options;
}

namespace {

// To which part of a split a clip belongs.
enum class Part : unsigned char { kTrain, kValidation, kTest };

// Clips with their actions, their subjects and their points.
class Clips {
 public:
  Clips() = default;

  // The clips of a folder or a list, without points.
  void open(const std::string& folder_or_list) {
    nb::gil_scoped_release gil_release;
    corpus_ = actions::read_corpus(folder_or_list);
    points_ = actions::PackedClips(static_cast<int>(corpus_.clips.size()));
  }
  // The clips of KTH's sequence file with their split. With `partial`, clips whose video is missing
  // are left out; returns the names of these videos.
  std::vector<std::string> open_kth(const std::string& sequences, const std::string& folder,
                                    bool partial);
  void set_classes(const std::vector<std::string>& classes) { corpus_.classes = classes; }
  void add_file(const std::string& path, int label, const std::string& subject) {
    corpus_.clips.push_back({.path = path, .label = label, .subject = subject, .scenario = {}});
    points_.add({});
  }
  void add_points(const nb::dict& columns, int label, const std::string& subject) {
    const PointSet points = set_of(columns);
    points_.add(points);
    corpus_.clips.push_back({.path = {}, .label = label, .subject = subject, .scenario = {}});
    kinds_.emplace_back(points.detector, points.votes);
  }

  // Finds the points of all clips that are files. Returns why some could not be read; these clips
  // are left out.
  std::vector<std::string> read(const nb::dict& keywords, bool paper, bool cut_first,
                                nb::handle progress);

  std::vector<std::string> classes() const { return corpus_.classes; }
  std::vector<std::string> subjects() const { return corpus_.subjects(); }
  std::size_t size() const { return corpus_.clips.size(); }
  nb::list clips() const {
    nb::list list;
    for (const actions::Clip& clip : corpus_.clips)
      list.append(nb::make_tuple(clip.path, clip.label, clip.subject, clip.scenario, clip.first,
                                 clip.frames));
    return list;
  }

  nb::tuple train(const nb::dict& keywords, bool paper, nb::handle progress) {
    TrainOptions options = train_options(keywords, paper, "train");
    const nb::dict values = option_values(options);
    const nb::list words = option_words(options, preset(paper));
    options.exec = calls_.watched(options.exec);
    auto model = std::make_shared<const Model>(
        calls_.run(kLongWork, progress, [&] { return actions::train(corpus_, points_, options); }));
    return nb::make_tuple(std::move(model), values, words);
  }

  nb::dict evaluate(const nb::dict& keywords, const nb::dict& plan, nb::handle progress);
  nb::dict evaluate_streams(std::shared_ptr<const Model> model, const nb::dict& keywords,
                            const nb::dict& plan, nb::handle progress);

 private:
  static TrainOptions preset(bool paper) {
    return paper ? actions::paper_options() : TrainOptions{};
  }
  void keep_good(const std::vector<bool>& bad);
  void divide(const std::vector<std::string>& test, const std::vector<std::string>& validation);
  std::vector<actions::Fold> folds() const;

  actions::Corpus corpus_;
  actions::PackedClips points_;
  // Of points that were given: what made them, where that is known.
  std::vector<std::pair<std::optional<actions::PointDetector>, std::optional<actions::FlowVotes>>>
      kinds_;
  std::vector<Part> parts_;  // by clip; empty where there is no split
  Calls calls_;
};

std::vector<std::string> Clips::open_kth(const std::string& sequences, const std::string& folder,
                                         bool partial) {
  nb::gil_scoped_release gil_release;
  actions::KthSequences kth = actions::read_kth(sequences, folder, !partial);
  corpus_ = std::move(kth.corpus);
  parts_.assign(corpus_.clips.size(), Part::kTrain);
  for (const std::int32_t clip : kth.validation)
    parts_[static_cast<std::size_t>(clip)] = Part::kValidation;
  for (const std::int32_t clip : kth.test) parts_[static_cast<std::size_t>(clip)] = Part::kTest;
  points_ = actions::PackedClips(static_cast<int>(corpus_.clips.size()));
  std::vector<std::string> missing;
  std::vector<bool> bad(corpus_.clips.size(), false);
  for (std::size_t i = 0; partial && i < bad.size(); ++i) {
    const std::string& path = corpus_.clips[i].path;
    bad[i] = !std::filesystem::exists(path);
    if (!bad[i]) continue;
    std::string name = std::filesystem::path(path).stem().string();
    name = name.substr(0, name.rfind("_uncomp"));
    if (missing.empty() || missing.back() != name) missing.push_back(std::move(name));
  }
  keep_good(bad);
  if (corpus_.clips.empty())
    throw InvalidArgument(fmt::format("{}: none of the videos of {} exists", folder, sequences));
  return missing;
}

std::vector<std::string> Clips::read(const nb::dict& keywords, bool paper, bool cut_first,
                                     nb::handle progress) {
  const TrainOptions train = train_options(keywords, paper, "train");
  for (const auto& [detector, votes] : kinds_)
    if ((detector && *detector != train.points.detector) || (votes && *votes != train.points.votes))
      throw InvalidArgument(
          "some of the points are those of another detector or other votes; expected those of the "
          "options detector and votes, so that clips can be compared");
  std::vector<std::size_t> places;
  std::vector<actions::Clip> files;
  for (std::size_t i = 0; i < corpus_.clips.size(); ++i) {
    if (corpus_.clips[i].path.empty()) continue;
    places.push_back(i);
    files.push_back(corpus_.clips[i]);
  }
  if (files.empty()) return {};
  actions::ClipOptions options;
  options.points = train.points;
  options.cut_first = cut_first;
  options.exec = calls_.watched(train.exec);
  std::vector<std::string> reasons;
  std::vector<bool> bad(corpus_.clips.size(), false);
  actions::PackedClips found = calls_.run(kLongWork, progress, [&] {
    return actions::packed_clip_points(files, options, [&](int clip, const std::string& why) {
      bad[places[static_cast<std::size_t>(clip)]] = true;
      reasons.push_back(why);
    });
  });
  if (places.size() == corpus_.clips.size()) points_ = std::move(found);
  else
    for (std::size_t i = 0; i < places.size(); ++i)
      points_.set(static_cast<int>(places[i]), found.unpacked(static_cast<int>(i)));
  keep_good(bad);
  if (corpus_.clips.empty())
    throw FormatError(fmt::format("none of the clips could be read: {}", reasons.front()));
  return reasons;
}

void Clips::keep_good(const std::vector<bool>& bad) {
  std::size_t kept = 0;
  std::vector<std::int32_t> place(bad.size(), -1);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    if (bad[i]) continue;
    if (kept != i) corpus_.clips[kept] = std::move(corpus_.clips[i]);
    if (!parts_.empty()) parts_[kept] = parts_[i];
    place[i] = static_cast<std::int32_t>(kept++);
  }
  corpus_.clips.resize(kept);
  if (!parts_.empty()) parts_.resize(kept);
  points_.keep(place);
}

// Divides clips by their subjects.
void Clips::divide(const std::vector<std::string>& test,
                   const std::vector<std::string>& validation) {
  const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const std::vector<std::string> known = corpus_.subjects();
  const auto check = [&](const char* option, const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (!is_in(known, name))
        throw InvalidArgument(fmt::format("{}: there is no subject {}; expected some of {}", option,
                                          name, fmt::join(known, ", ")));
  };
  check("test_subjects", test);
  check("validation_subjects", validation);
  for (const std::string& name : validation)
    if (is_in(test, name))
      throw InvalidArgument(
          fmt::format("validation_subjects: {} is also tested; give each subject one part", name));
  if (test.empty()) {
    if (validation.empty()) return;
    throw InvalidArgument("validation_subjects needs test_subjects: they are parts of a split");
  }
  parts_.clear();
  parts_.reserve(corpus_.clips.size());
  for (const actions::Clip& clip : corpus_.clips)
    parts_.push_back(is_in(test, clip.subject)         ? Part::kTest
                     : is_in(validation, clip.subject) ? Part::kValidation
                                                       : Part::kTrain);
}

// Each subject left out in turn, or one split.
std::vector<actions::Fold> Clips::folds() const {
  if (parts_.empty()) return actions::leave_one_subject_out(corpus_);
  actions::Fold fold{"split", {}, {}, {}};
  for (std::size_t i = 0; i < parts_.size(); ++i)
    (parts_[i] == Part::kTest    ? fold.test
     : parts_[i] == Part::kTrain ? fold.train
                                 : fold.validation)
        .push_back(static_cast<std::int32_t>(i));
  if (fold.train.empty() || fold.test.empty())
    throw InvalidArgument(fmt::format(
        "the split has {} clips to train on, {} to choose by and {} to test with; it needs some to "
        "train on and to test with",
        fold.train.size(), fold.validation.size(), fold.test.size()));
  return {fold};
}

// The options of an evaluation: whether simpler methods take part, which curves are made, and those
// of the training.
struct EvaluateKeywords {
  actions::EvaluateOptions evaluate{};
  actions::CurveOptions curves{};
  TrainOptions train{};
  Exec exec{};
};
void describe(OptionVisitor& visit, EvaluateKeywords& options) {
  describe(visit, options.evaluate);
  describe(visit, options.curves);
  describe(visit, options.train);
}

std::vector<std::string> names_in(const nb::dict& plan, const char* name) {
  return nb::cast<std::vector<std::string>>(plan[name]);
}

nb::dict Clips::evaluate(const nb::dict& keywords, const nb::dict& plan, nb::handle progress) {
  const bool paper = nb::cast<bool>(plan["paper"]);
  const bool choose = nb::cast<bool>(plan["choose"]) && !paper;
  const bool unknown = nb::cast<bool>(plan["unknown"]);
  EvaluateKeywords options, usual;
  options.train = usual.train = preset(paper);
  set_keywords(options, keywords, "evaluate");
  actions::check_cut(options.train.cut);
  options.exec.device = usable_device(options.exec.device);
  nb::dict all;
  all["options"] = option_values(options);
  all["words"] = option_words(options, usual);
  divide(names_in(plan, "test_subjects"), names_in(plan, "validation_subjects"));
  const std::vector<actions::Fold> parts = folds();
  all["folds"] = parts.size();
  options.evaluate.exec = calls_.watched(options.exec);
  actions::UnknownReport rejected;
  std::vector<actions::CurvePoint> windows, subjects;
  const actions::EvaluateReport report = calls_.run(kLongWork, progress, [&] {
    const std::vector<actions::Recipe> given{{paper ? "paper" : "given", options.train}};
    actions::EvaluateReport found = actions::evaluate(
        corpus_, points_, parts, choose ? actions::default_recipes(options.train) : given,
        options.evaluate);
    windows = actions::window_curve(corpus_, points_, parts, options.curves.windows, options.train,
                                    options.evaluate.exec);
    if (options.curves.draws > 0)
      subjects = actions::subject_curve(corpus_, points_, parts, options.curves.draws,
                                        options.train, options.evaluate.exec);
    if (unknown)
      rejected = actions::evaluate_unknown(corpus_, points_, options.train, options.evaluate.exec);
    return found;
  });
  nb::list methods, recipes;
  for (const actions::MethodReport* method : {&report.matching, &report.fused})
    if (method->tested > 0) methods.append(dict_of_record(record_ref(*method)));
  for (const actions::MethodReport& method : report.baselines)
    methods.append(dict_of_record(record_ref(method)));
  for (const actions::MethodReport& method : report.recipes)
    recipes.append(dict_of_record(record_ref(method)));
  all["methods"] = methods;
  all["recipes"] = recipes;
  all["chosen"] = report.chosen;
  all["fused_chosen"] = report.fused_chosen;
  all["window_curve"] = object_of_list(std::move(windows));
  all["subject_curve"] = object_of_list(std::move(subjects));
  all["unknown"] = nb::none();
  if (unknown) all["unknown"] = dict_of_record(record_ref(rejected));
  return all;
}

// The options of an evaluation of streams, as the program has them.
struct StreamKeywords {
  actions::StreamEvaluateOptions evaluate{};
  TrainOptions train{};
  Exec exec{};
};
void describe(OptionVisitor& visit, StreamKeywords& options) {
  describe(visit, options.evaluate);
  describe(visit, options.train);
}

// With a model, of all subjects or of some; without one, each subject is left out in turn and a
// model is trained on the others, whose points must have been read.
nb::dict Clips::evaluate_streams(std::shared_ptr<const Model> model, const nb::dict& keywords,
                                 const nb::dict& plan, nb::handle progress) {
  StreamKeywords options;
  set_keywords(options, keywords, "evaluate_stream");
  if (options.evaluate.rejects.empty() || options.evaluate.overlaps.empty())
    throw InvalidArgument("rejects and overlaps need one number or more each");
  for (const actions::Clip& clip : corpus_.clips)
    if (clip.path.empty())
      throw InvalidArgument(
          "some clips are no files; streams are joined from videos, so give their paths");
  options.exec.device = usable_device(options.exec.device);
  const actions::ModelStreams which{.unknown = names_in(plan, "unknown"),
                                    .subjects = names_in(plan, "subjects")};
  nb::dict values = option_values(options);
  nb::list words = option_words(options);
  options.evaluate.exec = calls_.watched(options.exec);
  options.evaluate.joined.seed = options.exec.seed;
  const std::vector<std::string> classes =
      model ? model->classes : actions::known_classes(corpus_, which.unknown);
  const actions::StreamReport report = calls_.run(kLongWork, progress, [&] {
    return model ? actions::evaluate_model_streams(model, corpus_, which, options.evaluate)
                 : actions::evaluate_streams(corpus_, points_, which.unknown, options.train,
                                             options.evaluate);
  });
  nb::dict all = dict_of_record(record_ref(report));
  all["classes"] = classes;
  all["options"] = values;
  all["words"] = words;
  return all;
}

}  // namespace

void bind_actions_training(nb::module_& m) {
  nb::class_<Clips>(m, "Clips")
      .def(nb::init<>())
      .def("open", &Clips::open)
      .def("open_kth", &Clips::open_kth)
      .def("set_classes", &Clips::set_classes)
      .def("add_file", &Clips::add_file)
      .def("add_points", &Clips::add_points)
      .def("read", &Clips::read)
      .def("train", &Clips::train)
      .def("evaluate", &Clips::evaluate)
      .def("evaluate_streams", &Clips::evaluate_streams, nb::arg("model").none(),
           nb::arg("options"), nb::arg("plan"), nb::arg("progress").none())
      .def_prop_ro("classes", &Clips::classes)
      .def_prop_ro("subjects", &Clips::subjects)
      .def_prop_ro("clips", &Clips::clips)
      .def("__len__", &Clips::size);
  m.def("method_fields", &fields_of<actions::MethodReport>);
  m.def("unknown_fields", &fields_of<actions::UnknownReport>);
  m.def("train_options", &option_table<TrainOptions>);
  m.def("evaluate_options", &option_table<EvaluateKeywords>);
  m.def("stream_options", &option_table<StreamKeywords>);
}

}  // namespace fovea::python
