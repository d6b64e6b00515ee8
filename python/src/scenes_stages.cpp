// fovea.scenes one stage at a time: descriptors, samples, dictionaries, words, features and
// classifiers, each of which the program's verb of the same stage reads and writes as well.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/features.h>
#include <fovea/scenes/train.h>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "errors.h"
#include "scenes_images.h"
#include "systems.h"

namespace fovea::python {
namespace {

using scenes::ClassifyOptions;
using scenes::DescriptorOptions;
using scenes::Dictionary;
using scenes::FeatureMaker;
using scenes::FeatureOptions;
using scenes::LabelTable;
using scenes::Model;
using scenes::TrainClassifierOptions;

using SharedDictionary = std::shared_ptr<const Dictionary>;

// The options of fovea scenes sample.
struct DrawOptions {
  DescriptorOptions descriptor{};
  int samples = scenes::DictionaryOptions{}.samples;
  Exec exec{};
};
void describe(OptionVisitor& visit, DrawOptions& options) {
  describe(visit, options.descriptor);
  visit("samples", options.samples, "how many places of each image are drawn at random", 1,
        1 << 20);
}

// The options of fovea scenes dictionary.
struct LearnOptions {
  DescriptorOptions descriptor{};
  scenes::DictionaryOptions dictionary{};
  Exec exec{};
};
void describe(OptionVisitor& visit, LearnOptions& options) {
  describe(visit, options.descriptor);
  describe(visit, options.dictionary);
}

// One row per described place; with filters the result has the shape of the grid.
nb::object filters(nb::handle image, const nb::dict& keywords) {
  const auto options = options_of<DescriptorOptions>(keywords, "filters");
  Calls calls(options.exec.device);
  const Stream stream(options.exec.device);
  const SceneImage input(image, "image", &stream);
  Image<float> rows =
      calls.run({2000.0 * input.view().width * input.view().height}, nb::none(), [&] {
        DescriptorOptions watched = options;
        watched.exec = calls.watched(options.exec);
        return scenes::descriptors(input.view(), watched);
      });
  if (options.words != scenes::WordSource::kFilters) return to_numpy(std::move(rows));
  const scenes::PlaceGrid grid =
      scenes::place_grids(options, input.view().width, input.view().height).front();
  const auto numbers = static_cast<std::size_t>(rows.width());
  auto data =
      std::make_unique_for_overwrite<float[]>(numbers * static_cast<std::size_t>(rows.height()));
  copy(rows.view(), packed_view(data.get(), rows.width(), rows.height()));
  return detail::owned_array(std::move(data), {static_cast<std::size_t>(grid.rows),
                                               static_cast<std::size_t>(grid.columns), numbers});
}

nb::tuple sample(const nb::list& images, const nb::dict& keywords, bool skip, nb::handle progress) {
  const auto options = options_of<DrawOptions>(keywords, "sample");
  const SceneImages set(images);
  Failures failures(skip);
  Calls calls(options.exec.device);
  Image<float> rows = calls.run(kLong, progress, [&] {
    DescriptorOptions watched = options.descriptor;
    watched.exec = calls.watched(options.exec);
    return scenes::draw_samples(set, watched, options.samples, failures.report()).rows;
  });
  return nb::make_tuple(to_numpy(std::move(rows)), failures.list());
}

// ---- Dictionaries

SharedDictionary read_dictionary(const std::string& path) {
  nb::gil_scoped_release others_go_on;
  return std::make_shared<const Dictionary>(Dictionary::read(path));
}

nb::tuple learn_from_samples(nb::handle samples, const nb::dict& keywords, nb::handle progress) {
  const auto options = options_of<LearnOptions>(keywords, "learn_dictionary");
  const PointsInput input = points_input(samples, "samples");
  Calls calls(options.exec.device);
  SharedDictionary dictionary = calls.run(kLong, progress, [&] {
    require_finite(input.view, "samples");
    scenes::DictionaryOptions watched = options.dictionary;
    watched.exec = calls.watched(options.exec);
    return std::make_shared<const Dictionary>(
        scenes::learn_dictionary(input.view, options.descriptor, watched));
  });
  return nb::make_tuple(std::move(dictionary), option_words(options));
}

nb::tuple learn_from_images(const nb::list& images, const nb::dict& keywords, bool skip,
                            nb::handle progress) {
  const auto options = options_of<LearnOptions>(keywords, "learn_dictionary");
  const SceneImages set(images);
  Failures failures(skip);
  Calls calls(options.exec.device);
  SharedDictionary dictionary = calls.run(kLong, progress, [&] {
    scenes::DictionaryOptions watched = options.dictionary;
    watched.exec = calls.watched(options.exec);
    return std::make_shared<const Dictionary>(
        scenes::learn_dictionary(set, options.descriptor, watched, failures.report()));
  });
  return nb::make_tuple(std::move(dictionary), option_words(options), failures.list());
}

// ---- Words and features

nb::object find_words(nb::handle descriptors, const SharedDictionary& dictionary,
                      const nb::dict& keywords) {
  const Exec exec = options_of<ClassifyOptions>(keywords, "find_words").exec;
  const PointsInput input = points_input(descriptors, "descriptors");
  Calls calls(exec.device);
  return to_numpy(
      calls.run({2.0 * dictionary->size() * input.view.width * input.view.height}, nb::none(), [&] {
        require_finite(input.view, "descriptors");
        return scenes::find_words(input.view, *dictionary, calls.watched(exec));
      }));
}

nb::object word_map(nb::handle image, const SharedDictionary& dictionary,
                    const nb::dict& keywords) {
  const Exec exec = options_of<ClassifyOptions>(keywords, "word_map").exec;
  const Stream stream(exec.device);
  const SceneImage input(image, "image", &stream);
  Calls calls(exec.device);
  return to_numpy(calls.run(kLong, nb::none(), [&] {
    FeatureOptions options;
    options.exec = calls.watched(exec);
    return FeatureMaker(*dictionary, options).words(input.view());
  }));
}

nb::object word_histogram(nb::handle map, const SharedDictionary& dictionary, int pyramid) {
  const ImageInput input = image_input(map, {"map", {io::SampleType::kUint16}, {1}});
  return to_numpy(unlocked([&] {
    return scenes::word_histogram(input.of<std::uint16_t>(), dictionary->size(), pyramid);
  }));
}

nb::tuple make_features(const nb::list& images, const SharedDictionary& dictionary,
                        const nb::dict& keywords, bool skip, nb::handle progress) {
  const auto options = options_of<FeatureOptions>(keywords, "make_features");
  const SceneImages set(images);
  Failures failures(skip);
  Calls calls(options.exec.device);
  Image<float> features = calls.run(kLong, progress, [&] {
    FeatureOptions watched = options;
    watched.exec = calls.watched(options.exec);
    return scenes::make_features(set, *dictionary, watched, failures.report()).features;
  });
  return nb::make_tuple(to_numpy(std::move(features)), failures.list());
}

// ---- Classifiers and tables of labels

nb::tuple train_model(const SharedDictionary& dictionary, nb::handle features, const Labels& labels,
                      const std::vector<std::string>& classes, const nb::dict& keywords,
                      nb::handle progress) {
  const auto options = options_of<TrainClassifierOptions>(keywords, "train_model");
  const PointsInput input = points_input(features, "features");
  Calls calls(options.exec.device);
  auto model = calls.run(kLong, progress, [&] {
    require_finite(input.view, "features");
    TrainClassifierOptions watched = options;
    watched.exec = calls.watched(options.exec);
    return std::make_shared<const Model>(
        scenes::train_model(*dictionary, input.view, labels, classes, watched));
  });
  return nb::make_tuple(std::move(model), option_words(options));
}

nb::tuple read_labels(const std::string& path) {
  const LabelTable table = unlocked([&] { return scenes::read_labels(path); });
  return nb::make_tuple(table.files, table.labels, table.classes);
}

void write_labels(const std::string& path, const std::vector<std::string>& files,
                  const Labels& labels, const std::vector<std::string>& classes) {
  scenes::write_labels(path, {files, labels, classes});
}

}  // namespace

void bind_scenes_stages(nb::module_& m) {
  nb::class_<Dictionary>(m, "Dictionary")
      .def_prop_ro("words", [](const Dictionary& d) { return words_of(d); })
      .def_prop_ro("mean", [](const Dictionary& d) { return to_numpy(d.mean); })
      .def_prop_ro("scale", [](const Dictionary& d) { return to_numpy(d.scale); })
      .def_prop_ro("coding", [](const Dictionary& d) { return coding_of(d); })
      .def_prop_ro("color_words", [](const Dictionary& d) { return color_words_of(d); })
      .def_prop_ro("descriptor", [](const Dictionary& d) { return descriptor_of(d); })
      .def_prop_ro("learning", [](const Dictionary& d) { return learning_of(d.learning); })
      .def(
          "save", [](const Dictionary& d, const std::string& path) { d.write(path); },
          nb::call_guard<nb::gil_scoped_release>());
  m.def("read_dictionary", &read_dictionary);
  m.def("filters", &filters, nb::arg("image").none(), nb::arg("options"));
  m.def("filters_options", &option_table<DescriptorOptions>);
  m.def("sample", &sample, nb::arg("images"), nb::arg("options"), nb::arg("skip"),
        nb::arg("progress").none());
  m.def("sample_options", &option_table<DrawOptions>);
  m.def("learn_from_samples", &learn_from_samples, nb::arg("samples").none(), nb::arg("options"),
        nb::arg("progress").none());
  m.def("learn_from_images", &learn_from_images, nb::arg("images"), nb::arg("options"),
        nb::arg("skip"), nb::arg("progress").none());
  m.def("learn_options", &option_table<LearnOptions>);
  m.def("find_words", &find_words, nb::arg("descriptors").none(), nb::arg("dictionary"),
        nb::arg("options"));
  m.def("word_map", &word_map, nb::arg("image").none(), nb::arg("dictionary"), nb::arg("options"));
  m.def("word_histogram", &word_histogram, nb::arg("map").none(), nb::arg("dictionary"),
        nb::arg("pyramid"));
  m.def("make_features", &make_features, nb::arg("images"), nb::arg("dictionary"),
        nb::arg("options"), nb::arg("skip"), nb::arg("progress").none());
  m.def("feature_options", &option_table<FeatureOptions>);
  m.def("train_model", &train_model, nb::arg("dictionary"), nb::arg("features").none(),
        nb::arg("labels"), nb::arg("classes"), nb::arg("options"), nb::arg("progress").none());
  m.def("classifier_options", &option_table<TrainClassifierOptions>);
  m.def("read_labels", &read_labels);
  m.def("write_labels", &write_labels, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace fovea::python
