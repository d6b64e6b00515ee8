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
nb::object filters(const DescriptorOptions& options, nb::handle image) {
  const Stream stream(options.exec.device);
  const SceneImage input(image, "image", &stream);
  Image<float> rows = run_once({2000.0 * input.view().width * input.view().height}, options.exec,
                               nb::none(), [&](const Exec& exec) {
                                 return scenes::descriptors(input.view(), with_exec(options, exec));
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

nb::tuple sample(const DrawOptions& options, const nb::list& images, bool skip,
                 nb::handle progress) {
  auto [rows, failures] = run_over_images(
      images, skip, options.exec, progress, [&](const auto& set, auto failed, const Exec& exec) {
        return scenes::draw_samples(set, with_exec(options.descriptor, exec), options.samples,
                                    failed)
            .rows;
      });
  return nb::make_tuple(to_numpy(std::move(rows)), failures);
}

// ---- Dictionaries

SharedDictionary read_dictionary(const std::string& path) {
  nb::gil_scoped_release gil_release;
  return std::make_shared<const Dictionary>(Dictionary::read(path));
}

// From an array of samples, or from a list of images.
nb::tuple learn_dictionary(const LearnOptions& options, nb::handle data, bool skip,
                           nb::handle progress) {
  const auto learned = [&](const auto& from, const Exec& exec, auto... failed) {
    return std::make_shared<const Dictionary>(scenes::learn_dictionary(
        from, options.descriptor, with_exec(options.dictionary, exec), failed...));
  };
  std::pair<SharedDictionary, FailedImages> found;
  if (nb::isinstance<nb::list>(data)) {
    found = run_over_images(
        nb::borrow<nb::list>(data), skip, options.exec, progress,
        [&](const auto& set, auto failed, const Exec& exec) { return learned(set, exec, failed); });
  } else {
    const PointsInput input = points_input(data, "samples");
    found.first = run_once(kLong, options.exec, progress, [&](const Exec& exec) {
      require_finite(input.view, "samples");
      return learned(input.view, exec);
    });
  }
  return nb::make_tuple(std::move(found.first), option_words(options), found.second);
}

// ---- Words and features

nb::object find_words(const ClassifyOptions& options, nb::handle descriptors,
                      const SharedDictionary& dictionary) {
  const PointsInput input = points_input(descriptors, "descriptors");
  return to_numpy(run_once({2.0 * dictionary->size() * input.view.width * input.view.height},
                           options.exec, nb::none(), [&](const Exec& exec) {
                             require_finite(input.view, "descriptors");
                             return scenes::find_words(input.view, *dictionary, exec);
                           }));
}

nb::object word_map(const ClassifyOptions& options, nb::handle image,
                    const SharedDictionary& dictionary) {
  const Stream stream(options.exec.device);
  const SceneImage input(image, "image", &stream);
  return to_numpy(run_once(kLong, options.exec, nb::none(), [&](const Exec& exec) {
    return FeatureMaker(*dictionary, with_exec(FeatureOptions{}, exec)).words(input.view());
  }));
}

nb::object word_histogram(nb::handle map, const SharedDictionary& dictionary, int pyramid) {
  const ImageInput input = image_input(map, {"map", {io::SampleType::kUint16}, {1}});
  return to_numpy(unlocked([&] {
    return scenes::word_histogram(input.of<std::uint16_t>(), dictionary->size(), pyramid);
  }));
}

nb::tuple make_features(const FeatureOptions& options, const nb::list& images,
                        const SharedDictionary& dictionary, bool skip, nb::handle progress) {
  auto [features, failures] = run_over_images(
      images, skip, options.exec, progress, [&](const auto& set, auto failed, const Exec& exec) {
        return scenes::make_features(set, *dictionary, with_exec(options, exec), failed).features;
      });
  return nb::make_tuple(to_numpy(std::move(features)), failures);
}

// ---- Classifiers and tables of labels

nb::tuple train_model(const TrainClassifierOptions& options, const SharedDictionary& dictionary,
                      nb::handle features, const Labels& labels,
                      const std::vector<std::string>& classes, nb::handle progress) {
  const PointsInput input = points_input(features, "features");
  auto model = run_once(kLong, options.exec, progress, [&](const Exec& exec) {
    require_finite(input.view, "features");
    return std::make_shared<const Model>(
        scenes::train_model(*dictionary, input.view, labels, classes, with_exec(options, exec)));
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
      .def_prop_ro("words", [](const Dictionary& d) { return to_numpy(clone(d.words.view())); })
      .def_prop_ro("mean", [](const Dictionary& d) { return to_numpy(d.mean); })
      .def_prop_ro("scale", [](const Dictionary& d) { return to_numpy(d.scale); })
      .def_prop_ro("coding", [](const Dictionary& d) { return word_of(d.code.coding); })
      .def_prop_ro("color_words",
                   [](const Dictionary& d) {
                     return d.beside.empty() ? nb::none()
                                             : to_numpy(clone(d.beside[0].words.view()));
                   })
      .def_prop_ro("descriptor", [](const Dictionary& d) { return own_values(d.descriptor); })
      .def_prop_ro("learning",
                   [](const Dictionary& d) { return dict_of_record(record_ref(d.learning)); })
      .def(
          "save", [](const Dictionary& d, const std::string& path) { d.write(path); },
          nb::call_guard<nb::gil_scoped_release>());
  m.def("read_dictionary", &read_dictionary);
  define(m, "filters", &filters);
  define(m, "sample", &sample);
  define(m, "learn_dictionary", &learn_dictionary);
  define(m, "find_words", &find_words);
  define(m, "word_map", &word_map);
  m.def("word_histogram", &word_histogram);
  define(m, "make_features", &make_features);
  define(m, "train_model", &train_model);
  m.def("read_labels", &read_labels);
  m.def("write_labels", &write_labels, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace fovea::python
