// The face of tracking: checks its input, learns palettes, labels frames and passes them to
// targets.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/emd/track.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/placed.h"
#include "emd/track/backend.h"
#include "emd/track/track_math.h"
#include "emd/track/track_palette.h"
#include "emd/track/track_target.h"

namespace fovea::emd {
namespace {

using fovea::detail::Placed;

constexpr const char* kTrackerName = "track";
constexpr double kSurroundRing = 2;  // size of the box whose ring is the surround
constexpr float kGrayChroma = 2;  // in Lab: colors with less are gray, up to errors of video coding
constexpr double kGrayQuantile = 0.9;  // a target is gray if this share of its pixels is

std::string to_text(const Rect<double>& box) {
  return fmt::format("{},{},{},{}", box.x, box.y, box.width, box.height);
}

Rect<int> checked(const Rect<double>& box, const Rect<int>& frame) {
  constexpr double kFarthest = 1e6;
  for (const double value : {box.x, box.y, box.width, box.height}) {
    if (!(std::abs(value) <= kFarthest))
      throw InvalidArgument(fmt::format("target {} is not a box of pixels", to_text(box)));
  }
  const Rect<int> pixels = to_pixels(box);
  const Rect<int> inside = intersect(pixels, frame);
  if (inside.width < kLeastSide || inside.height < kLeastSide)
    throw InvalidArgument(fmt::format(
        "target {} has {}x{} pixels within the frame of {}x{}; at least {}x{} are needed",
        to_text(box), inside.width, inside.height, frame.width, frame.height, kLeastSide,
        kLeastSide));
  if (inside == frame)
    throw InvalidArgument(fmt::format(
        "target {} is the whole frame of {}x{}; it must leave some of it as its surroundings",
        to_text(box), frame.width, frame.height));
  return pixels;
}

bool is_gray(ImageView<const std::uint8_t> image, const Rect<int>& box) {
  if (image.channels == 1) return true;
  std::int64_t colored = 0;
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x)
      colored += chroma_of(lab_at(image, x, y)) > kGrayChroma ? 1 : 0;
  }
  return static_cast<double>(colored) <= (1 - kGrayQuantile) * static_cast<double>(area_of(box));
}

std::vector<double> histogram_of(ImageView<const std::uint8_t> labels, const Rect<int>& box,
                                 int bins) {
  return label_histogram(labels.crop(box.x, box.y, box.width, box.height), bins);
}

// A tracker that starts with a frame works on the device where the frame lies.
TrackOptions on_device_of(ImageView<const std::uint8_t> frame, const TrackOptions& options) {
  TrackOptions there = options;
  there.exec = fovea::detail::resolve_exec(kTrackerName, options.exec, {frame});
  return there;
}

// Targets that share colors and therefore the labels of each frame.
struct Group {
  Palette palette;
  GroundDistance ground;
  Image<std::uint8_t> here{};
  Placed<std::uint8_t> there{};

  // `fetch`: whether the labels are needed in host memory too.
  LabeledFrame label(ImageView<const std::uint8_t> frame, bool fetch, const Exec& exec) {
    if (here.width() != frame.width || here.height() != frame.height)
      here = Image<std::uint8_t>(frame.width, frame.height);
    const auto labels = there.prepare(here, fovea::detail::memory_of(exec.device));
    const auto twin = fovea::detail::on_cuda(exec) ? cuda::label_colors : cpu::label_colors;
    twin(frame, palette.table, labels, exec);
    if (fetch) there.give_back(exec);
    return {here.view(), labels};
  }
};

struct Member {
  Target target;
  std::size_t group;
};

}  // namespace

struct Tracker::Impl {
  TrackOptions options;
  Device asked{};  // before it was resolved
  std::vector<Group> groups{};
  std::vector<Member> members{};
  Rect<int> frame{};  // bounds of all frames, set by the first
  Placed<std::uint8_t>
      brought{};  // the frame, copied to the device of the maps if it was elsewhere

  void check_frame(ImageView<const std::uint8_t> image) {
    if (image.empty() || (image.channels != 1 && image.channels != 3))
      throw InvalidArgument(
          fmt::format("a frame of {}x{} with {} channels; expected gray or RGB pixels", image.width,
                      image.height, image.channels));
    fovea::detail::require_chosen(kTrackerName, options.exec, asked, {image});
    if (frame.empty()) frame = {0, 0, image.width, image.height};
    if (image.width != frame.width || image.height != frame.height)
      throw InvalidArgument(
          fmt::format("a frame of {}x{} follows frames of {}x{}; all must have the same size",
                      image.width, image.height, frame.width, frame.height));
  }

  // Returns the frame on the device of the maps. It is copied there only once.
  ImageView<const std::uint8_t> on_device(ImageView<const std::uint8_t> image,
                                          Placed<std::uint8_t>& there) const {
    return there.bring(image, fovea::detail::memory_of(options.exec.device), options.exec);
  }

  std::size_t add_group(std::span<const LabColor> samples) {
    Palette palette = learn_palette(samples, options.colors, options.exec.seed);
    GroundDistance ground = palette_distance(palette, options.tau);
    groups.push_back({std::move(palette), std::move(ground)});
    return groups.size() - 1;
  }

  int next_id() const { return static_cast<int>(members.size()) + 1; }
  const Target& target(int id) const {
    if (id < 1 || id > static_cast<int>(members.size()))
      throw InvalidArgument(
          fmt::format("there is no target {}; ids are 1 to {}", id, members.size()));
    return members[static_cast<std::size_t>(id - 1)].target;
  }
};

std::span<const Choice> choices(TrackSearch) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"exhaustive", static_cast<int>(TrackSearch::kExhaustive)},
       {"meanshift", static_cast<int>(TrackSearch::kMeanShift)}}};
  return kChoices;
}
std::span<const Choice> choices(TrackDistance) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"emd", static_cast<int>(TrackDistance::kEmd)},
       {"bhattacharyya", static_cast<int>(TrackDistance::kBhattacharyya)}}};
  return kChoices;
}
std::span<const Choice> choices(TrackParts) {
  static constexpr std::array<Choice, 3> kChoices{{{"auto", static_cast<int>(TrackParts::kAuto)},
                                                   {"off", static_cast<int>(TrackParts::kOff)},
                                                   {"on", static_cast<int>(TrackParts::kOn)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, TrackOptions& options) {
  visit("colors", options.colors,
        "number of colors that are learned in the first frame, the bins of signatures", 2, 64);
  visit("window", options.window,
        "side in pixels, odd, of the window that a pixel of the map describes", 1, 15);
  visit("tau", options.tau, "Lab distance beyond which colors are equally different", 1, 1000);
  visit("distance", options.distance,
        "distance between windows and signatures; bhattacharyya is for comparison and runs on the "
        "CPU");
  visit("search", options.search,
        "exhaustive takes the best place within reach; meanshift climbs from the last place");
  visit("reach", options.reach,
        "longest step between frames, in square roots of the target's area; at least 10 pixels",
        0.05, 10);
  visit("motion", options.motion,
        "how much a step as long as the square root of the target's area lowers the score; this "
        "grows with the square of the step",
        0, 100);
  visit("ring", options.ring,
        "size, relative to the target, of the box whose ring must look unlike it", 1, 4);
  visit("layout", options.layout,
        "how much it matters where in the box the likelihood was in the first frame; with 0 it "
        "only has to be inside",
        0, 1);
  visit("parts", options.parts,
        "whether the target's six parts are compared too; auto does so where it is gray or hardly "
        "stands out; search meanshift compares none");
  visit("part-weight", options.part_weight,
        "weight of the parts' mean distance against the map's score", 0, 10);
  visit("scale", options.scale, "let boxes grow and shrink by up to 5 % per frame");
  visit("adapt", options.adapt,
        "share of the target's signature that each new frame replaces; 0 never changes it", 0, 1);
  visit("redetect", options.redetect, "search the whole frame for a lost target",
        {.off_help = "leave a lost target where it was last seen instead of searching the frame"});
  visit("lost-below", options.lost_below,
        "share of the first frame's score below which a frame is doubtful", 0, 1);
  visit("lost-frames", options.lost_frames,
        "doubtful frames in a row after which a target counts as lost", 1, 100000);
  visit("found-above", options.found_above,
        "share of the first frame's score from which a lost target counts as found", 0, 1);
  visit("whole-map", options.whole_map, "map whole frames, not only what lies within reach");
  visit.bytes("cache-bytes", options.cache_bytes,
              "most memory for distances that each target keeps from frame to frame; 0 keeps none");
}

Tracker::Tracker(const TrackOptions& options) : impl_(std::make_unique<Impl>()) {
  check_options(options);
  if (options.window % 2 == 0)
    throw InvalidArgument(fmt::format("window is {}; expected an odd number", options.window));
  if (options.parts == TrackParts::kOn && options.search == TrackSearch::kMeanShift)
    throw InvalidArgument(
        "parts is on, but search meanshift compares no parts; use search exhaustive, or parts auto "
        "or off");
  impl_->options = options;
  impl_->asked = options.exec.device;
  impl_->options.exec = fovea::detail::resolve_exec(kTrackerName, options.exec, {});
}
Tracker::Tracker(ImageView<const std::uint8_t> frame, const Rect<double>& box,
                 const TrackOptions& options)
    : Tracker(frame, std::span(&box, 1), options) {}
Tracker::Tracker(ImageView<const std::uint8_t> frame, std::span<const Rect<double>> boxes,
                 const TrackOptions& options)
    : Tracker(on_device_of(frame, options)) {
  impl_->asked = options.exec.device;
  add(frame, boxes);
}
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;
Tracker::~Tracker() = default;

std::vector<Track> Tracker::add(ImageView<const std::uint8_t> frame,
                                std::span<const Rect<double>> boxes) {
  Impl& state = *impl_;
  if (boxes.empty()) return {};
  state.check_frame(frame);
  std::vector<Rect<int>> pixels;
  for (const Rect<double>& box : boxes) pixels.push_back(checked(box, state.frame));
  Placed<std::uint8_t> fetched, brought;
  const auto host = fetched.bring(frame, Memory::kHost, state.options.exec);

  Random random(state.options.exec.seed, 1);
  std::vector<LabColor> samples;
  const auto each = std::max(kPaletteSamples / static_cast<int>(boxes.size()), 4);
  for (const Rect<int>& box : pixels) {
    const Rect<int> around{box.x - box.width, box.y - box.height / 2, 3 * box.width,
                           2 * box.height};
    add_color_samples({host, intersect(box, state.frame), host, intersect(around, state.frame)},
                      each, random, samples);
  }
  const std::size_t index = state.add_group(samples);
  Group& group = state.groups[index];
  const fovea::cuda::ScopedDevice here(state.options.exec.device);
  const LabeledFrame labels =
      group.label(state.on_device(frame, brought), true, state.options.exec);

  std::vector<Track> tracks;
  for (const Rect<int>& box : pixels) {
    const Rect<int> inside = intersect(box, state.frame);
    Signatures signatures;
    signatures.target = histogram_of(labels.here, inside, group.palette.size());
    signatures.surround = histogram_of(
        labels.here, intersect(grown(box, kSurroundRing), state.frame), group.palette.size());
    double left = 0;
    for (std::size_t i = 0; i < signatures.surround.size(); ++i)
      left += signatures.surround[i] -= signatures.target[i];
    if (!(left > 0))
      signatures.surround = histogram_of(labels.here, state.frame, group.palette.size());
    Target target(state.next_id(), group.ground, std::move(signatures), state.options);
    target.begin(labels, box, is_gray(host, inside));
    tracks.push_back(target.track());
    state.members.push_back({std::move(target), index});
  }
  return tracks;
}

Track Tracker::add_example(ImageView<const std::uint8_t> frame,
                           ImageView<const std::uint8_t> example) {
  Impl& state = *impl_;
  state.check_frame(frame);
  if (example.channels != 1 && example.channels != 3)
    throw InvalidArgument(
        fmt::format("an example of {} channels; expected gray or RGB pixels", example.channels));
  const bool small = example.width < kLeastSide || example.height < kLeastSide;
  if (small || example.width > 2 * frame.width || example.height > 2 * frame.height)
    throw InvalidArgument(fmt::format(
        "an example of {}x{} pixels in frames of {}x{}; expected at least {}x{} and no "
        "more than twice the frame's size",
        example.width, example.height, frame.width, frame.height, kLeastSide, kLeastSide));
  fovea::detail::require_chosen(kTrackerName, state.options.exec, state.asked, {example});
  Placed<std::uint8_t> frame_here, example_here, frame_there, example_there;
  const auto host = frame_here.bring(frame, Memory::kHost, state.options.exec);
  const auto shown = example_here.bring(example, Memory::kHost, state.options.exec);
  Random random(state.options.exec.seed, 1);
  std::vector<LabColor> samples;
  add_color_samples({shown, whole({shown.width, shown.height}), host, state.frame}, kPaletteSamples,
                    random, samples);
  const std::size_t index = state.add_group(samples);
  Group& group = state.groups[index];
  const fovea::cuda::ScopedDevice here(state.options.exec.device);
  Group scratch{group.palette, group.ground};
  const LabeledFrame pattern =
      scratch.label(state.on_device(example, example_there), true, state.options.exec);
  const LabeledFrame labels =
      group.label(state.on_device(frame, frame_there), true, state.options.exec);
  Signatures signatures{label_histogram(pattern.here, group.palette.size()),
                        label_histogram(labels.here, group.palette.size())};
  Target target(state.next_id(), group.ground, std::move(signatures), state.options);
  target.begin_anywhere(labels, pattern, is_gray(shown, {0, 0, shown.width, shown.height}));
  const Track track = target.track();
  state.members.push_back({std::move(target), index});
  return track;
}

std::vector<Track> Tracker::track(ImageView<const std::uint8_t> frame) {
  Impl& state = *impl_;
  state.check_frame(frame);
  const fovea::cuda::ScopedDevice here(state.options.exec.device);
  const auto pixels = state.on_device(frame, state.brought);
  std::vector<char> fetch(state.groups.size(), 0);
  for (const Member& member : state.members)
    fetch[member.group] = fetch[member.group] != 0 || member.target.looks_at_labels() ? 1 : 0;
  std::vector<LabeledFrame> labels;
  for (std::size_t i = 0; i < state.groups.size(); ++i)
    labels.push_back(state.groups[i].label(pixels, fetch[i] != 0, state.options.exec));
  std::vector<Track> tracks;
  // All maps are started before the first one is waited for.
  for (Member& member : state.members) {
    throw_if_stopped(state.options.exec);
    member.target.prepare(labels[member.group]);
  }
  for (Member& member : state.members) {
    throw_if_stopped(state.options.exec);
    member.target.next(labels[member.group]);
    tracks.push_back(member.target.track());
  }
  return tracks;
}

std::vector<Track> Tracker::tracks() const {
  std::vector<Track> tracks;
  for (const Member& member : impl_->members) tracks.push_back(member.target.track());
  return tracks;
}

int Tracker::targets() const { return static_cast<int>(impl_->members.size()); }
bool Tracker::uses_parts(int id) const { return impl_->target(id).uses_parts(); }

Image<float> Tracker::likelihood(int id) const {
  const LikelihoodMap& map = impl_->target(id).map();
  Image<float> image(impl_->frame.width, impl_->frame.height);
  for (int y = 0; y < image.height(); ++y) std::fill_n(image.row(y), image.width(), 0.0F);
  for (int y = 0; y < map.region.height; ++y) {
    for (int x = 0; x < map.region.width; ++x)
      image.at(map.region.x + x, map.region.y + y) =
          static_cast<float>(map.values.at(x, y)) / kSureLikelihood;
  }
  return image;
}

MapReport Tracker::report() const {
  MapReport report;
  std::int64_t entries = 0;
  std::uint64_t bytes = 0;
  for (const Member& member : impl_->members) {
    report += member.target.report();
    entries += report.entries;
    bytes += report.cache_bytes;
  }
  report.entries = entries;
  report.cache_bytes = bytes;
  return report;
}

const TrackOptions& Tracker::options() const { return impl_->options; }

}  // namespace fovea::emd
