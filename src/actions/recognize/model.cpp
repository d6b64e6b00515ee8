// A model as a file: the points of its training clips, its prototypes as ranges of them, its
// options by name, and the facts of its training.
#include <fovea/core/error.h>

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

namespace fovea::actions {
namespace {

constexpr std::string_view kSchema = "actions.chains";
constexpr int kVersion = 1;
constexpr std::string_view kFactPrefix = "actions.";
constexpr std::string_view kClassPrefix = "class.";
constexpr std::string_view kOptionPrefix = "option.";
constexpr int kMostClasses = 65535;
constexpr int kMostNodes = 1000;
constexpr std::int64_t kMostFrames = 1 << 24;
constexpr int kMostSide = 1 << 16;
constexpr int kPlaceNumbers = 5;      // x, y, variances in space and time, confidence
constexpr int kClipNumbers = 4;       // width, height, frames, points
constexpr int kPrototypeNumbers = 5;  // label, clip, first, nodes, mirrored

// Everything that is set by name: each part of a model under its own prefix.
template <class Function>
void for_each_part(Model& model, Function function) {
  function("points", model.points);
  function("features", model.features);
  function("cut", model.cut);
  function("match", model.match);
  function("score", model.score);
}

std::string option_key(std::string_view part, const std::string& name) {
  return fmt::format("{}{}.{}", kOptionPrefix, part, name);
}

class Reader {
 public:
  Reader(const io::ModelFile& file, const std::string& name) : file_(file), name_(name) {}

  Model read() const;

 private:
  [[noreturn]] void unfit(const std::string& cause) const {
    throw ModelError(fmt::format("{}: {}", name_, cause));
  }
  void read_options(Model& model) const;
  std::vector<std::string> class_names() const;
  int rows_of(const char* tensor) const;
  Image<float> halves(const char* tensor, int width) const;
  std::vector<PointSet> clips() const;
  void check_points(const PointSet& clip, std::size_t number) const;
  std::vector<Prototype> prototypes(const Model& model) const;

  const io::ModelFile& file_;
  const std::string& name_;
};

void Reader::read_options(Model& model) const {
  const auto set = [&](std::string_view part, const OptionField& field) {
    const auto found = file_.metadata().find(option_key(part, field.name));
    if (found == file_.metadata().end())
      unfit(fmt::format("has no value for {} {}; it comes from another version", part, field.name));
    try {
      set_option(field, found->second);
    } catch (const InvalidArgument& error) {
      unfit(fmt::format("{}: {}", part, error.what()));
    }
  };
  for_each_part(model, [&](std::string_view part, auto& options) {
    for_each_option(options, [&](const OptionField& field) { set(part, field); });
  });
  model.scene_points = file_.tensor<std::int32_t>("scene_points", {1})[0];
  if (model.scene_points < 0 || model.scene_points > kMostNodes)
    unfit(fmt::format("{} points per frame; expected 0 to {}", model.scene_points, kMostNodes));
  if (!(model.features.scale > 0))
    unfit(
        fmt::format("the scale of its features is {}; expected more than 0", model.features.scale));
}

std::vector<std::string> Reader::class_names() const {
  std::vector<std::string> names;
  for (int label = 0; label < kMostClasses; ++label) {
    const auto found = file_.metadata().find(fmt::format("{}{}", kClassPrefix, label));
    if (found == file_.metadata().end()) break;
    names.push_back(found->second);
  }
  if (names.size() < 2) unfit(fmt::format("names {} classes, expected two or more", names.size()));
  return names;
}

// The number of rows of a tensor, which is its first side.
int Reader::rows_of(const char* tensor) const {
  const io::Shape& shape = file_.shape(tensor);
  constexpr std::int64_t kMostRows = INT32_MAX / kDescriptorSize;
  if (shape.empty() || shape[0] < 0 || shape[0] > kMostRows)
    unfit(fmt::format("{} has {} rows, expected 0 to {}", tensor, shape.empty() ? 0 : shape[0],
                      kMostRows));
  return static_cast<int>(shape[0]);
}

Image<float> Reader::halves(const char* tensor, int width) const {
  const auto values = file_.tensor<io::Half>(tensor, {io::kAnySize, width});
  Image<float> result(width, rows_of(tensor));
  for (int y = 0; y < result.height(); ++y)
    for (int x = 0; x < width; ++x) {
      const auto at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x);
      const float value = io::half_to_float(values[at].bits);
      if (!(value >= 0 && value <= 1))
        unfit(fmt::format("{}: descriptor {} has a bin of {}, expected 0 to 1", tensor, y, value));
      result.at(x, y) = value;
    }
  return result;
}

void Reader::check_points(const PointSet& clip, std::size_t number) const {
  if (clip.width < 1 || clip.width > kMostSide || clip.height < 1 || clip.height > kMostSide ||
      clip.frames < 0 || clip.frames > kMostFrames)
    unfit(fmt::format("clip {} is {} x {} and has {} frames", number, clip.width, clip.height,
                      clip.frames));
  if (!(clip.frame_rate > 0 && clip.frame_rate <= 1e6))
    unfit(fmt::format("clip {} has {} frames per second", number, clip.frame_rate));
  std::int32_t last = -1;
  for (const SpaceTimePoint& point : clip.points) {
    if (point.frame <= last || point.frame >= clip.frames)
      unfit(fmt::format("clip {}: a point in frame {} follows one in {}; the clip has {} frames",
                        number, point.frame, last, clip.frames));
    if (std::abs(point.x) > kMostSide || std::abs(point.y) > kMostSide)
      unfit(fmt::format("clip {} has a point at ({}, {}), which is outside every video", number,
                        point.x, point.y));
    last = point.frame;
  }
}

std::vector<PointSet> Reader::clips() const {
  const auto sizes = file_.tensor<std::int32_t>("clips", {io::kAnySize, kClipNumbers});
  const auto count = static_cast<std::size_t>(rows_of("clips"));
  const auto rates = file_.tensor<double>("frame_rates", {static_cast<std::int64_t>(count)});
  const Image<float> descriptors = halves("point_descriptors", kDescriptorSize);
  const int points = descriptors.height();
  const auto places = file_.tensor<float>("point_places", {points, kPlaceNumbers});
  const auto frames = file_.tensor<std::int32_t>("point_frames", {points});
  std::vector<PointSet> result;
  int used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto size = sizes.subspan(i * kClipNumbers, kClipNumbers);
    const int own = size[3];
    if (own < 0 || own > points - used)
      unfit(fmt::format("clip {} has {} points, but only {} are left", i, own, points - used));
    PointSet clip;
    clip.width = size[0];
    clip.height = size[1];
    clip.frames = size[2];
    clip.frame_rate = rates[i];
    clip.descriptors = Image<float>(kDescriptorSize, own);
    for (int k = 0; k < own; ++k, ++used) {
      const auto place = places.subspan(static_cast<std::size_t>(used) * kPlaceNumbers);
      clip.points.push_back({place[0], place[1], frames[static_cast<std::size_t>(used)], place[2],
                             place[3], place[4]});
      std::copy_n(descriptors.row(used), kDescriptorSize, clip.descriptors.row(k));
    }
    check_points(clip, i);
    result.push_back(std::move(clip));
  }
  if (used != points) unfit(fmt::format("has {} points, but its clips have {}", points, used));
  return result;
}

std::vector<Prototype> Reader::prototypes(const Model& model) const {
  const auto numbers = file_.tensor<std::int32_t>("prototypes", {io::kAnySize, kPrototypeNumbers});
  const int count = rows_of("prototypes");
  const auto reject = file_.tensor<float>("reject", {count});
  if (count == 0) unfit("has no prototypes");
  std::vector<Prototype> result;
  for (int i = 0; i < count; ++i) {
    const auto row = numbers.subspan(static_cast<std::size_t>(i) * kPrototypeNumbers);
    const Prototype prototype{row[0], row[1],      row[2],
                              row[3], row[4] != 0, reject[static_cast<std::size_t>(i)]};
    const auto classes = static_cast<std::int32_t>(model.classes.size());
    if (prototype.label < 0 || prototype.label >= classes)
      unfit(fmt::format("prototype {} has class {}, but there are {} classes", i, prototype.label,
                        classes));
    if (prototype.clip < 0 || prototype.clip >= static_cast<int>(model.clips.size()))
      unfit(fmt::format("prototype {} belongs to clip {}, but there are {} clips", i,
                        prototype.clip, model.clips.size()));
    const auto points =
        static_cast<int>(model.clips[static_cast<std::size_t>(prototype.clip)].points.size());
    if (prototype.nodes < 3 || prototype.nodes > kMostNodes || prototype.first < 0 ||
        prototype.first > points - prototype.nodes)
      unfit(fmt::format("prototype {} has {} nodes from {} on, of a clip with {} points", i,
                        prototype.nodes, prototype.first, points));
    if (row[4] < 0 || row[4] > 1)
      unfit(fmt::format("prototype {} has the value {} for mirrored; expected 0 or 1", i, row[4]));
    result.push_back(prototype);
  }
  return result;
}

Model Reader::read() const {
  file_.require_schema(kSchema, kVersion);
  file_.require_finite();
  Model model;
  model.classes = class_names();
  read_options(model);
  model.clips = clips();
  model.prototypes = prototypes(model);
  if (file_.has("descriptors")) {
    model.descriptors = halves("descriptors", kHofSize);
    const auto labels =
        file_.tensor<std::int32_t>("descriptor_labels", {model.descriptors.height()});
    for (const std::int32_t label : labels)
      if (label < 0 || static_cast<std::size_t>(label) >= model.classes.size())
        unfit(fmt::format("a descriptor has class {}, but there are {} classes", label,
                          model.classes.size()));
    model.descriptor_labels.assign(labels.begin(), labels.end());
  } else if (model.score.fusion > 0) {
    unfit(fmt::format("its fusion is {}, but it has no descriptors", model.score.fusion));
  }
  for (const auto& [key, value] : file_.metadata())
    if (key.starts_with(kFactPrefix)) model.facts[key.substr(kFactPrefix.size())] = value;
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
    sizes.insert(sizes.end(), {clip.width, clip.height, static_cast<std::int32_t>(clip.frames),
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

Model parse_model(const io::ModelFile& file, const std::string& name) {
  return Reader(file, name).read();
}

Model Model::read(const std::string& path) { return parse_model(io::ModelFile::read(path), path); }

void Model::write(const std::string& path) const {
  io::ModelFile file;
  file.set_schema(kSchema, kVersion);
  for (std::size_t i = 0; i < classes.size(); ++i)
    file.set_metadata(fmt::format("{}{}", kClassPrefix, i), classes[i]);
  // Options are only looked at here, but describe() is written for both directions.
  for_each_part(const_cast<Model&>(*this), [&](std::string_view part, auto& options) {
    for_each_option(options, [&](const OptionField& field) {
      file.set_metadata(option_key(part, field.name), option_text(field));
    });
  });
  file.add("scene_points", {1}, std::vector<std::int32_t>{scene_points});
  add_clips(file, clips);
  add_prototypes(file, prototypes);
  if (!descriptor_labels.empty()) {
    std::vector<io::Half> halves;
    append(descriptors, halves);
    file.add("descriptors", {descriptors.height(), kHofSize}, halves);
    file.add("descriptor_labels", {std::ssize(descriptor_labels)}, descriptor_labels);
  }
  for (const auto& [key, value] : facts) file.set_metadata(std::string(kFactPrefix) + key, value);
  file.write(path);
}

}  // namespace fovea::actions
