// fovea.scenes: classifiers of places, their models, training and evaluation, and bags of words.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/evaluate.h>
#include <fovea/scenes/explain.h>
#include <fovea/scenes/show.h>
#include <fovea/scenes/train.h>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "arrays.h"
#include "errors.h"
#include "explain.h"
#include "options.h"
#include "records.h"
#include "renamed.h"
#include "run.h"
#include "scenes_images.h"
#include "systems.h"

namespace fovea::python {
namespace {

using scenes::ClassifyOptions;
using scenes::Dictionary;
using scenes::FeatureMaker;
using scenes::Model;
using scenes::Split;
using scenes::TrainOptions;

// What a place of an image costs: filters, or gradients, and the search for its word.
Work work_of(const Dictionary& dictionary, Bytes image) {
  const double search = 2.0 * dictionary.size() * dictionary.words.width();
  return {(2000 + search) * image.width * image.height};
}

// ---- Models and classifiers

nb::dict grid_of(const scenes::DescriptorOptions& descriptor, int width, int height) {
  const std::vector<scenes::PlaceGrid> grids = scenes::place_grids(descriptor, width, height);
  nb::dict first;
  first["left"] = grids[0].left;
  first["top"] = grids[0].top;
  first["step"] = grids[0].step;
  std::int64_t places = 0;
  for (const scenes::PlaceGrid& grid : grids) places += grid.count();
  first["places"] = places;  // of all grids
  return first;
}

class Classifier {
 public:
  Classifier(std::shared_ptr<const Model> model, const nb::dict& keywords)
      : model_(std::move(model)),
        options_(options_of<ClassifyOptions>(keywords, "Classifier")),
        classifier_(
            options_.exec,
            [this](const Exec& exec) { return scenes::Classifier(model_, {.exec = exec}); }),
        maker_(options_.exec, [this](const Exec& exec) {
          scenes::FeatureOptions options{.pyramid = model_->pyramid};
          return FeatureMaker(model_->dictionary, with_exec(options, exec));
        }) {}

  nb::dict classify(nb::handle image) {
    const SceneImage input(image, "image", classifier_.stream());
    const scenes::ClassifyResult result = classifier_.call(
        work(input), nb::none(),
        [&](scenes::Classifier& classifier) { return classifier.classify(input.view()); });
    return dict_of_record(record_ref(result));
  }

  nb::object features(nb::handle image) {
    const SceneImage input(image, "image", maker_.stream());
    return to_numpy(maker_.call(work(input), nb::none(),
                                [&](FeatureMaker& maker) { return maker.make(input.view()); }));
  }

  nb::object word_map(nb::handle image) {
    const SceneImage input(image, "image", maker_.stream());
    return to_numpy(maker_.call(work(input), nb::none(),
                                [&](FeatureMaker& maker) { return maker.words(input.view()); }));
  }

  nb::object contributions(nb::handle features) const {
    const AnyArray histogram = dense_array<float>(features, "features", {1});
    const std::span<const float> bins(static_cast<const float*>(histogram.data()),
                                      histogram.size());
    Image<float> given;
    {
      nb::gil_scoped_release gil_release;
      given = model_->classifier.contributions(bins, {.threads = options_.exec.threads});
    }
    return to_numpy(std::move(given));
  }

  // Classes are labels, or -1.
  nb::tuple why(nb::handle image, int first, int second) {
    const SceneImage input(image);
    scenes::SceneExplanation found;
    {
      nb::gil_scoped_release gil_release;
      scenes::ExplainOptions how{.first = first, .second = second};
      how.exec.threads = options_.exec.threads;
      found = scenes::explain(*model_, input.view(), how);
    }
    return explanation_of(std::move(found), {"cells"});
  }

  nb::tuple evaluate(const nb::list& images, const Labels& labels, bool skip, nb::handle progress) {
    const SceneImages set(images);
    FailedImages failures;
    const auto summary = classifier_.call(kLong, progress, [&](scenes::Classifier& classifier) {
      return scenes::summarize(
          scenes::evaluate(classifier, set, labels, failed_into(failures, skip)), set.count(),
          model_->classes);
    });
    return nb::make_tuple(dict_of_record(record_ref(summary)), failures);
  }

  void stop() { classifier_.stop(); }
  const ClassifyOptions& options() const { return options_; }

 private:
  Work work(const SceneImage& image) const { return work_of(model_->dictionary, image.view()); }

  std::shared_ptr<const Model> model_;
  ClassifyOptions options_;
  LazyFace<scenes::Classifier> classifier_;
  LazyFace<FeatureMaker> maker_;
};

nb::object read_image(const std::string& path) {
  return marked_rgb(to_numpy(unlocked([&] { return read_rgb(path); })));
}

// Paints a map of words in the colors of a model's words.
nb::object paint_words(const Model& model, nb::handle words) {
  const ImageInput map = image_input(words, {"words", {io::SampleType::kUint16}, {1}});
  const auto view = map.of<std::uint16_t>();
  for (int y = 0; y < view.height; ++y)
    for (int x = 0; x < view.width; ++x)
      if (view.at(x, y) >= model.dictionary.size())
        throw InvalidArgument(fmt::format("words holds {}, but the model has {} words",
                                          view.at(x, y), model.dictionary.size()));
  return picture_to_numpy(scenes::show_words(view, scenes::word_colors(model.dictionary)));
}

// ---- Training and evaluation

nb::tuple corpus_of(const scenes::Corpus& corpus) {
  return nb::make_tuple(corpus.paths, corpus.labels, corpus.classes);
}

nb::tuple read_corpus(const std::string& input, const std::vector<std::string>& classes) {
  return corpus_of(unlocked([&] { return scenes::read_corpus(input, classes); }));
}

nb::tuple read_classes(const std::string& input, const std::vector<std::string>& classes) {
  return corpus_of(unlocked([&] { return scenes::read_classes(input, classes); }));
}

// Names in the order of people: 2 before 10.
std::vector<std::string> natural_order(std::vector<std::string> names) {
  std::ranges::sort(names, io::natural_less);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

nb::tuple train(const TrainOptions& options, const nb::list& images, const Labels& labels,
                const std::vector<std::string>& classes, bool skip, nb::handle progress) {
  auto [model, failures] = run_over_images(
      images, skip, options.exec, progress, [&](const auto& set, auto failed, const Exec& exec) {
        return std::make_shared<const Model>(
            scenes::train(set, labels, classes, with_exec(options, exec), failed));
      });
  return nb::make_tuple(std::move(model), failures, option_words(options));
}

// The options of fovea scenes eval without a model.
struct EvaluateRequest {
  scenes::SplitOptions split{};
  scenes::EvaluateOptions evaluate{};
  Exec exec{};
};
void describe(OptionVisitor& visit, EvaluateRequest& request) {
  describe(visit, request.split);
  describe(visit, request.evaluate);
}

// Images and their classes, and the splits of a folder or list; train and test are lists or empty.
nb::tuple split_corpus(const std::string& input, const std::string& train, const std::string& test,
                       const nb::dict& keywords) {
  const auto request = options_of<EvaluateRequest>(keywords, "evaluate");
  const scenes::SplitCorpus task =
      train.empty() ? scenes::split_corpus(input, request.split, request.exec.seed)
                    : scenes::given_split(input, train, test);
  nb::list splits;
  for (const Split& split : task.splits) splits.append(nb::make_tuple(split.train, split.test));
  return nb::make_tuple(corpus_of(task.corpus), splits);
}

nb::list random_splits(const Labels& labels, int classes, const nb::dict& keywords) {
  const auto request = options_of<EvaluateRequest>(keywords, "evaluate");
  nb::list splits;
  for (const Split& split : scenes::random_splits(labels, classes, request.split.splits,
                                                  request.split.share, request.exec.seed))
    splits.append(nb::make_tuple(split.train, split.test));
  return splits;
}

nb::tuple evaluate(const EvaluateRequest& request, const nb::list& images, const Labels& labels,
                   const std::vector<std::string>& classes,
                   const std::vector<std::pair<std::vector<int>, std::vector<int>>>& splits,
                   bool skip, nb::handle progress) {
  std::vector<Split> divided;
  for (const auto& [train, test] : splits) divided.push_back({train, test});
  auto [summary, failures] = run_over_images(
      images, skip, request.exec, progress, [&](const auto& set, auto failed, const Exec& exec) {
        return scenes::summarize(
            scenes::evaluate(set, labels, static_cast<int>(classes.size()), divided,
                             with_exec(request.evaluate, exec), failed),
            set.count(), classes);
      });
  return nb::make_tuple(dict_of_record(record_ref(summary)), failures, option_values(request),
                        option_words(request));
}

// ---- Bags of words

// The options of a dictionary and of features. The number of words is called words, as in
// BagOfWords(words=500), and what they are made of words_from.
struct BagOptions {
  scenes::DescriptorOptions descriptor{};
  scenes::DictionaryOptions dictionary{};
  scenes::FeatureOptions features{};
  Exec exec{};
};
void describe(OptionVisitor& visit, BagOptions& options) {
  describe(visit, options.descriptor);
  describe(visit, options.dictionary);
  describe(visit, options.features);
}
constexpr std::array<Renaming, 2> kNames{{{"dictionary", "words"}, {"words", "words_from"}}};

template <class Function>
void for_each_keyword(BagOptions& options, Function function) {
  for_each_renamed(options, kNames, function);
}

// What coding knows beside the words, as arrays, and the words beside others: what an estimator
// keeps and pickles.
nb::dict code_of(const Dictionary& dictionary) {
  const scenes::WordCode& code = dictionary.code;
  nb::dict values;
  values["coding"] = word_of(code.coding);
  values["projection"] = array_or_none(code.projection);
  values["shift"] = to_numpy(code.shift);
  values["means"] = array_or_none(code.means);
  values["variances"] = array_or_none(code.variances);
  values["shares"] = to_numpy(code.shares);
  nb::list beside;
  for (const Dictionary& other : dictionary.beside) {
    nb::dict one;
    one["words"] = to_numpy(clone(other.words));
    one["mean"] = to_numpy(other.mean);
    one["scale"] = to_numpy(other.scale);
    one["code"] = code_of(other);
    beside.append(one);
  }
  values["beside"] = beside;
  return values;
}

// Returns words, mean, scale, how they were learned, and their code.
nb::tuple learn_words(const nb::list& images, const nb::dict& keywords, nb::handle progress) {
  const auto options = options_of<BagOptions>(keywords, "BagOfWords");
  const SceneImages set(images);
  const Dictionary dictionary = run_once(kLong, options.exec, progress, [&](const Exec& exec) {
    return scenes::learn_dictionary(set, options.descriptor, with_exec(options.dictionary, exec));
  });
  return nb::make_tuple(to_numpy(clone(dictionary.words)), to_numpy(dictionary.mean),
                        to_numpy(dictionary.scale), dict_of_record(record_ref(dictionary.learning)),
                        code_of(dictionary));
}

std::vector<float> vector_of(nb::handle values, const char* name) {
  const AnyArray array = dense_array<float>(values, name, {1});
  const auto* first = static_cast<const float*>(array.data());
  return {first, first + array.size()};
}

Image<float> rows_of(nb::handle values, const char* name) {
  return values.is_none() ? Image<float>() : clone(points_input(values, name).view);
}

// The code that code_of() took apart.
scenes::WordCode code_from(const nb::dict& values, scenes::Coding coding) {
  scenes::WordCode code{.coding = coding};
  code.projection = rows_of(values["projection"], "projection");
  code.shift = vector_of(values["shift"], "shift");
  code.means = rows_of(values["means"], "means");
  code.variances = rows_of(values["variances"], "variances");
  code.shares = vector_of(values["shares"], "shares");
  return code;
}

class Bag {
 public:
  // `code` is what code_of() gives, or None for words that are counted.
  Bag(nb::handle words, nb::handle mean, nb::handle scale, nb::handle code,
      const nb::dict& keywords)
      : options_(options_of<BagOptions>(keywords, "BagOfWords")) {
    dictionary_.descriptor = options_.descriptor;
    dictionary_.words = clone(points_input(words, "vocabulary_").view);
    dictionary_.mean = vector_of(mean, "mean_");
    dictionary_.scale = vector_of(scale, "scale_");
    if (code.is_none()) return;
    const auto values = nb::cast<nb::dict>(code);
    const scenes::Coding coding = options_.dictionary.coding;
    dictionary_.code = code_from(values, coding);
    for (const nb::handle one : nb::cast<nb::list>(values["beside"])) {
      const auto other = nb::cast<nb::dict>(one);
      Dictionary colors;
      colors.descriptor.color = scenes::Color::kLab;
      colors.descriptor.step = scenes::kColorStep;
      colors.words = rows_of(other["words"], "words of color");
      colors.mean = vector_of(other["mean"], "mean");
      colors.scale = vector_of(other["scale"], "scale");
      colors.code = code_from(nb::cast<nb::dict>(other["code"]), coding);
      dictionary_.beside.push_back(std::move(colors));
    }
  }

  nb::object transform(const nb::list& images, nb::handle progress) {
    const SceneImages set(images);
    return to_numpy(calls_.run(kLong, progress, [&] {
      const Exec exec = calls_.watched(options_.exec);
      return scenes::make_features(set, dictionary_, with_exec(options_.features, exec)).features;
    }));
  }

 private:
  BagOptions options_;
  Dictionary dictionary_;
  Calls calls_{options_.exec.device};
};

void bind_models(nb::module_& m) {
  define_model<Model>(m, &scenes::load_model)
      .def_ro("classes", &Model::classes)
      .def_ro("pyramid", &Model::pyramid)
      .def_prop_ro("kind", [](const Model& model) { return word_of(model.classifier.kind); })
      .def_prop_ro("bias",
                   [](const Model& model) {
                     std::vector<float> bias =
                         model.classifier.kind == scenes::ClassifierKind::kLogistic
                             ? model.classifier.logistic.bias
                             : model.classifier.svm.bias;
                     bias.resize(model.classes.size());  // neighbors have none
                     return to_numpy(bias);
                   })
      .def_prop_ro("dictionary",
                   [](std::shared_ptr<const Model> model) {
                     const Dictionary* part = &model->dictionary;
                     return std::shared_ptr<const Dictionary>(std::move(model), part);
                   })
      .def("grid", [](const Model& model, int width,
                      int height) { return grid_of(model.dictionary.descriptor, width, height); })
      .def("paint", &paint_words);
  m.def("read_image", &read_image);
  define_face<Classifier>(m, "Classifier")
      .def(nb::init<std::shared_ptr<const Model>, const nb::dict&>())
      .def("classify", &Classifier::classify)
      .def("features", &Classifier::features)
      .def("word_map", &Classifier::word_map)
      .def("contributions", &Classifier::contributions)
      .def("why", &Classifier::why)
      .def("evaluate", &Classifier::evaluate);
  m.def("classify_options", &option_table<ClassifyOptions>);
}

void bind_training(nb::module_& m) {
  m.def("read_corpus", &read_corpus);
  m.def("read_classes", &read_classes);
  m.def("natural_order", &natural_order);
  define(m, "train", &train);
  m.def("evaluate_fields", &fields_of<scenes::EvaluationSummary>);
  m.def("split_corpus", &split_corpus);
  m.def("random_splits", &random_splits);
  define(m, "evaluate", &evaluate);
  m.def("learn_words", &learn_words);
  m.def("bag_options", &option_table<BagOptions>);
  nb::class_<Bag>(m, "Bag")
      .def(nb::init<nb::handle, nb::handle, nb::handle, nb::handle, const nb::dict&>())
      .def("transform", &Bag::transform);
}

}  // namespace

void bind_scenes(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("scenes");
  bind_models(m);
  bind_training(m);
  bind_scenes_stages(m);
}

}  // namespace fovea::python
