// A model as a file: the points of its training clips, its prototypes as ranges of them, its
// options by name, and the facts of its training.
#include <fovea/core/error.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "actions/match/features.h"
#include "actions/recognize/model_parts.h"
#include "actions/train/train.h"
#include "io/image/half.h"
#include "io/model/model_reader.h"

namespace fovea::actions {
namespace {

constexpr std::string_view kSchema = "actions.chains";
// Version 2 may have a reject rule, and several points per frame with how they are matched; version
// 3 may have late fusion. Models without them are written in version 1 or 2, so that programs that
// know nothing of them read them.
constexpr int kPlainVersion = 1, kRuleVersion = 2, kVersion = 3;
constexpr std::string_view kFactPrefix = "actions.";
constexpr int kMostNodes = 1000;
constexpr std::int64_t kMostFrames = 1 << 24;
constexpr int kMostSide = 1 << 16;
constexpr int kMostDescriptors = INT32_MAX / kDescriptorSize;
constexpr int kPlaceNumbers = 5;      // x, y, variances in space and time, confidence
constexpr int kClipNumbers = 4;       // width, height, frames, points
constexpr int kPrototypeNumbers = 5;  // label, clip, first, nodes, mirrored
constexpr int kMostWords = 65535;
constexpr int kMappedNumbers = 3;  // of each bin, by the map of the chi-squared kernel

// Options that only models with several points per frame store.
bool is_of_several_points(const OptionField& field) {
  return field.name == "model-points" || field.name == "variant";
}

// Calls a function for everything that is stored by name: each part of a model has its own prefix.
template <class Function>
void for_each_part(Model& model, Function function) {
  function("option.points.", model.points);
  function("option.features.", model.features);
  function("option.cut.", model.cut);
  function("option.match.", model.match);
  function("option.score.", model.score);
}

class RecognizerReader {
 public:
  explicit RecognizerReader(const io::ModelFile& file) : in_(file) {}

  Model read() const;

 private:
  void read_options(Model& model) const;
  Image<float> histograms(const char* tensor, int width) const;
  std::vector<PointSet> clips(int most) const;
  void check_points(const PointSet& clip, std::size_t number, int most) const;
  std::vector<Prototype> prototypes(const Model& model) const;
  RejectRule rule(const Model& model) const;
  LateFusion fusion(const Model& model) const;

  io::ModelReader in_;
};

void RecognizerReader::read_options(Model& model) const {
  for_each_part(model, [&](std::string_view prefix, auto& options) {
    for_each_option(options, [&](const OptionField& field) {
      if (!is_of_several_points(field) ||
          in_.file().metadata().contains(std::string(prefix) + field.name))
        in_.option(prefix, field);
    });
  });
  try {
    check_cut(model.cut);
  } catch (const InvalidArgument& error) {
    in_.unfit(error.what());
  }
  model.scene_points = in_.number("scene_points", 0, kMostNodes);
  if (!(model.features.scale > 0))
    in_.unfit(
        fmt::format("the scale of its features is {}; expected more than 0", model.features.scale));
}

Image<float> RecognizerReader::histograms(const char* tensor, int width) const {
  Image<float> result = in_.rows(tensor, width);
  for (int y = 0; y < result.height(); ++y)
    for (int x = 0; x < width; ++x)
      if (const float value = result.at(x, y); !(value >= 0 && value <= 1))
        in_.unfit(
            fmt::format("{}: descriptor {} has a bin of {}, expected 0 to 1", tensor, y, value));
  return result;
}

void RecognizerReader::check_points(const PointSet& clip, std::size_t number, int most) const {
  if (clip.size.width < 1 || clip.size.width > kMostSide || clip.size.height < 1 ||
      clip.size.height > kMostSide || clip.frames < 0 || clip.frames > kMostFrames)
    in_.unfit(fmt::format("clip {} is {} x {} and has {} frames", number, clip.size.width,
                          clip.size.height, clip.frames));
  if (!(clip.frame_rate > 0 && clip.frame_rate <= 1e6))
    in_.unfit(fmt::format("clip {} has {} frames per second", number, clip.frame_rate));
  std::int32_t last = -1;
  int of_frame = 0;
  for (const SpaceTimePoint& point : clip.points) {
    of_frame = point.frame == last ? of_frame + 1 : 1;
    if (point.frame < last || of_frame > most || point.frame < 0 || point.frame >= clip.frames)
      in_.unfit(
          fmt::format("clip {}: a point in frame {} follows one in {}; the clip has {} frames, "
                      "with at most {} points each",
                      number, point.frame, last, clip.frames, most));
    if (std::abs(point.x) > kMostSide || std::abs(point.y) > kMostSide)
      in_.unfit(fmt::format("clip {} has a point at ({}, {}), which is outside every video", number,
                            point.x, point.y));
    last = point.frame;
  }
}

std::vector<PointSet> RecognizerReader::clips(int most) const {
  const auto sizes = in_.file().tensor<std::int32_t>("clips", {io::kAnySize, kClipNumbers});
  const int count = in_.row_count("clips", 1, kMostDescriptors);
  const auto rates = in_.file().tensor<double>("frame_rates", {count});
  const Image<float> descriptors = histograms("point_descriptors", kDescriptorSize);
  const int points = descriptors.height();
  const auto places = in_.file().tensor<float>("point_places", {points, kPlaceNumbers});
  const auto frames = in_.file().tensor<std::int32_t>("point_frames", {points});
  std::vector<PointSet> result;
  int used = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const auto size = sizes.subspan(i * kClipNumbers, kClipNumbers);
    const int own = size[3];
    if (own < 0 || own > points - used)
      in_.unfit(fmt::format("clip {} has {} points, but only {} are left", i, own, points - used));
    PointSet clip;
    clip.size = {size[0], size[1]};
    clip.frames = size[2];
    clip.frame_rate = rates[i];
    clip.descriptors = Image<float>(kDescriptorSize, own);
    for (int k = 0; k < own; ++k, ++used) {
      const auto place = places.subspan(static_cast<std::size_t>(used) * kPlaceNumbers);
      clip.points.push_back({place[0], place[1], frames[static_cast<std::size_t>(used)], place[2],
                             place[3], place[4]});
      std::copy_n(descriptors.row(used), kDescriptorSize, clip.descriptors.row(k));
    }
    check_points(clip, i, most);
    result.push_back(std::move(clip));
  }
  if (used != points) in_.unfit(fmt::format("has {} points, but its clips have {}", points, used));
  return result;
}

std::vector<Prototype> RecognizerReader::prototypes(const Model& model) const {
  const auto numbers =
      in_.file().tensor<std::int32_t>("prototypes", {io::kAnySize, kPrototypeNumbers});
  const int count = in_.row_count("prototypes", 1, kMostDescriptors);
  const auto reject = in_.file().tensor<float>("reject", {count});
  std::vector<int> frames;  // with points, by clip
  for (const PointSet& clip : model.clips)
    frames.push_back(static_cast<int>(frame_starts(clip).size()) - 1);
  std::vector<Prototype> result;
  for (int i = 0; i < count; ++i) {
    const auto row = numbers.subspan(static_cast<std::size_t>(i) * kPrototypeNumbers);
    const Prototype prototype{row[0], row[1],      row[2],
                              row[3], row[4] != 0, reject[static_cast<std::size_t>(i)]};
    const auto classes = static_cast<std::int32_t>(model.classes.size());
    if (prototype.label < 0 || prototype.label >= classes)
      in_.unfit(fmt::format("prototype {} has class {}, but there are {} classes", i,
                            prototype.label, classes));
    if (prototype.clip < 0 || prototype.clip >= static_cast<int>(model.clips.size()))
      in_.unfit(fmt::format("prototype {} belongs to clip {}, but there are {} clips", i,
                            prototype.clip, model.clips.size()));
    const int points = frames[static_cast<std::size_t>(prototype.clip)];
    if (prototype.nodes < 3 || prototype.nodes > kMostNodes || prototype.first < 0 ||
        prototype.first > points - prototype.nodes)
      in_.unfit(
          fmt::format("prototype {} has {} nodes from {} on, of a clip with points in {} frames", i,
                      prototype.nodes, prototype.first, points));
    if (row[4] < 0 || row[4] > 1)
      in_.unfit(
          fmt::format("prototype {} has the value {} for mirrored; expected 0 or 1", i, row[4]));
    result.push_back(prototype);
  }
  return result;
}

RejectRule RecognizerReader::rule(const Model& model) const {
  const auto numbers = in_.file().tensor<double>("reject_rule", {RejectRule::kFeatures + 1});
  RejectRule rule;
  std::copy_n(numbers.begin(), RejectRule::kFeatures, rule.weights.begin());
  rule.limit = numbers[RejectRule::kFeatures];
  rule.singles = in_.number("reject_rule_singles", 0, 1) != 0;
  if (rule.singles && model.descriptor_labels.empty())
    in_.unfit("its reject rule compares single descriptors, but it has none");
  return rule;
}

LateFusion RecognizerReader::fusion(const Model& model) const {
  const auto numbers = in_.file().tensor<double>("late_fusion", {LateFusion::kParts});
  LateFusion result;
  std::copy_n(numbers.begin(), LateFusion::kParts, result.weights.begin());
  for (const double weight : result.weights)
    if (weight < 0)
      in_.unfit(fmt::format("a weight of its late fusion is {}; expected 0 or more", weight));
  if (model.descriptor_labels.empty())
    in_.unfit("its late fusion compares single descriptors, but it has none");
  result.words = in_.rows("words", kDescriptorSize);
  const int words = result.words.height(), classes = static_cast<int>(model.classes.size());
  if (words < 1 || words > kMostWords)
    in_.unfit(fmt::format("it has {} words; expected 1 to {}", words, kMostWords));
  result.classifier.kind = scenes::ClassifierKind::kSvm;
  result.classifier.classes = classes;
  result.classifier.svm.kernel = scenes::Kernel::kChiSquared;
  result.classifier.svm.weights = in_.rows("word_weights", kMappedNumbers * words);
  if (result.classifier.svm.weights.height() != classes)
    in_.unfit(fmt::format("word_weights has {} rows, but there are {} classes",
                          result.classifier.svm.weights.height(), classes));
  result.classifier.svm.bias = in_.floats("word_bias", classes);
  return result;
}

Model RecognizerReader::read() const {
  in_.version(kSchema, kVersion);
  in_.file().require_finite();
  Model model;
  model.classes = in_.classes();
  read_options(model);
  model.clips = clips(model.cut.points);
  model.prototypes = prototypes(model);
  if (in_.file().has("descriptors")) {
    model.descriptors = histograms("descriptors", kHofSize);
    model.descriptor_labels = in_.labels("descriptor_labels", model.descriptors.height(),
                                         static_cast<int>(model.classes.size()));
  } else if (model.score.fusion > 0) {
    in_.unfit(fmt::format("its fusion is {}, but it has no descriptors", model.score.fusion));
  }
  if (in_.file().has("reject_rule")) model.reject_rule = rule(model);
  if (in_.file().has("late_fusion")) model.late_fusion = fusion(model);
  model.facts = in_.facts(kFactPrefix);
  return model;
}

void append(ImageView<const float> rows, std::vector<io::Half>& halves) {
  for (int y = 0; y < rows.height; ++y)
    for (int x = 0; x < rows.width; ++x) halves.push_back({io::float_to_half(rows.at(x, y))});
}

void add_clips(io::ModelFile& file, const std::vector<PointSet>& clips) {
  std::vector<std::int32_t> sizes, frames;
  std::vector<double> rates;
  std::vector<float> places;
  std::vector<io::Half> descriptors;
  for (const PointSet& clip : clips) {
    sizes.insert(sizes.end(),
                 {clip.size.width, clip.size.height, static_cast<std::int32_t>(clip.frames),
                  static_cast<std::int32_t>(clip.points.size())});
    rates.push_back(clip.frame_rate);
    for (const SpaceTimePoint& point : clip.points) {
      places.insert(places.end(), {point.x, point.y, point.sigma2, point.tau2, point.confidence});
      frames.push_back(point.frame);
    }
    append(clip.descriptors, descriptors);
  }
  file.add("clips", {std::ssize(clips), kClipNumbers}, sizes);
  file.add("frame_rates", {std::ssize(clips)}, rates);
  file.add("point_places", {std::ssize(frames), kPlaceNumbers}, places);
  file.add("point_frames", {std::ssize(frames)}, frames);
  file.add("point_descriptors", {std::ssize(frames), kDescriptorSize}, descriptors);
}

void add_prototypes(io::ModelFile& file, const std::vector<Prototype>& prototypes) {
  std::vector<std::int32_t> numbers;
  std::vector<float> reject;
  for (const Prototype& prototype : prototypes) {
    numbers.insert(numbers.end(), {prototype.label, prototype.clip, prototype.first,
                                   prototype.nodes, prototype.mirrored ? 1 : 0});
    reject.push_back(prototype.reject);
  }
  file.add("prototypes", {std::ssize(prototypes), kPrototypeNumbers}, numbers);
  file.add("reject", {std::ssize(prototypes)}, reject);
}

void add_fusion(io::ModelFile& file, const LateFusion& fusion) {
  file.add("late_fusion", {LateFusion::kParts},
           std::vector<double>(fusion.weights.begin(), fusion.weights.end()));
  io::add_rows(file, "words", fusion.words);
  io::add_rows(file, "word_weights", fusion.classifier.svm.weights);
  io::add_floats(file, "word_bias", fusion.classifier.svm.bias);
}

}  // namespace

Chain Model::chain(int prototype) const {
  if (prototype < 0 || prototype >= static_cast<int>(prototypes.size()))
    throw InvalidArgument(
        fmt::format("prototype {}, expected 0 to {}", prototype, prototypes.size() - 1));
  const Prototype& cut_out = prototypes[static_cast<std::size_t>(prototype)];
  return make_chain(clips[static_cast<std::size_t>(cut_out.clip)], cut_out, features);
}

std::vector<Chain> Model::chains() const {
  std::vector<Chain> result;
  for (std::size_t i = 0; i < prototypes.size(); ++i) result.push_back(chain(static_cast<int>(i)));
  return result;
}

Model parse_model(const io::ModelFile& file) { return RecognizerReader(file).read(); }

Model Model::read(const std::string& path) { return parse_model(io::ModelFile::read(path)); }

std::shared_ptr<const Model> load_model(std::string_view name) {
  return std::make_shared<const Model>(Model::read(io::find_model(name, "actions")));
}

void Model::write(const std::string& path) const {
  io::ModelFile file;
  const bool several = cut.points > 1 || cut.variant != Variant::kSingle;
  file.set_schema(kSchema, late_fusion              ? kVersion
                           : several || reject_rule ? kRuleVersion
                                                    : kPlainVersion);
  io::add_classes(file, classes);
  // Options are only read here, but describe() is written for both directions.
  for_each_part(const_cast<Model&>(*this), [&](std::string_view prefix, auto& options) {
    for_each_option(options, [&](const OptionField& field) {
      if (several || !is_of_several_points(field)) io::add_option(file, prefix, field);
    });
  });
  io::add_number(file, "scene_points", scene_points);
  add_clips(file, clips);
  add_prototypes(file, prototypes);
  if (!descriptor_labels.empty()) {
    std::vector<io::Half> halves;
    append(descriptors, halves);
    file.add("descriptors", {descriptors.height(), kHofSize}, halves);
    io::add_labels(file, "descriptor_labels", descriptor_labels);
  }
  if (reject_rule) {
    std::vector<double> numbers(reject_rule->weights.begin(), reject_rule->weights.end());
    numbers.push_back(reject_rule->limit);
    file.add("reject_rule", {std::ssize(numbers)}, numbers);
    io::add_number(file, "reject_rule_singles", reject_rule->singles ? 1 : 0);
  }
  if (late_fusion) add_fusion(file, *late_fusion);
  io::add_facts(file, kFactPrefix, facts);
  file.write(path);
}

}  // namespace fovea::actions
