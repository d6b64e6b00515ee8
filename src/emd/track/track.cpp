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
#include "core/words.h"
#include "emd/track/track_group.h"
#include "emd/track/track_math.h"

namespace fovea::emd {
namespace {

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

// Whether the target has no colors: one channel, bands instead of colors, or hardly any chroma.
bool lacks_colors(const TrackPixels& pixels, const Rect<int>& box) {
  if (pixels.channels() == 1 || pixels.has_bands) return true;
  std::int64_t colored = 0;
  for (int y = box.y; y < box.y + box.height; ++y) {
    for (int x = box.x; x < box.x + box.width; ++x)
      colored += chroma_of(lab_at(pixels.colors, x, y)) > kGrayChroma ? 1 : 0;
  }
  return static_cast<double>(colored) <= (1 - kGrayQuantile) * static_cast<double>(area_of(box));
}

std::vector<double> histogram_of(ImageView<const std::uint8_t> labels, const Rect<int>& box,
                                 int bins) {
  return label_histogram(labels.crop(box.x, box.y, box.width, box.height), bins);
}

// The least box around both; an empty one does not count.
Rect<int> covering(const Rect<int>& a, const Rect<int>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

double mass_of(const std::vector<double>& histogram) {
  double mass = 0;
  for (const double count : histogram) mass += count;
  return mass;
}

// A tracker that starts with a frame works on the device where the frame lies.
TrackOptions on_device_of(const fovea::detail::Placement& frame, const TrackOptions& options) {
  TrackOptions there = options;
  there.exec = fovea::detail::resolve_exec(kTrackerName, options.exec, {frame});
  return there;
}

std::string kind_text(const TrackPixels& pixels) {
  return pixels.has_bands ? fovea::detail::counted(pixels.bands.count, "band")
                          : std::string("colors of 8 bits");
}

void set_pixels(const TrackPixels& there, const TrackPixels& host, LabeledFrame& frame) {
  if (there.has_bands) return;
  frame.pixels = there.colors;
  frame.host_pixels = host.colors;
}

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
  Rect<int> frame{};       // bounds of all frames, set by the first
  bool has_bands = false;  // of frames, as the two next are
  int channels = 0;
  PlacedPixels brought{};  // the frame, copied to the device of the maps if it was elsewhere
  PlacedPixels fetched{};  // the frame in host memory, where a target needs it there

  void check_pixels(const char* name, const TrackPixels& pixels) const {
    const bool empty = pixels.width <= 0 || pixels.height <= 0;
    if (pixels.has_bands) {
      if (empty || pixels.bands.count < 1 || pixels.bands.channels != 1)
        throw InvalidArgument(fmt::format(
            "{} of {}x{} with {} bands of {} channels; expected at least one pixel and band, with "
            "one channel per band",
            name, pixels.width, pixels.height, pixels.bands.count, pixels.bands.channels));
      if (options.spectra == TrackSpectra::kShape && pixels.bands.count < 2)
        throw InvalidArgument(fmt::format(
            "spectra is shape, but {} has one band, which has no shape; use spectra values", name));
      if (options.filter == TrackFilter::kOn)
        throw InvalidArgument(fmt::format(
            "filter is on, but {} has bands, which have no filter; use filter auto or off", name));
    } else if (empty || (pixels.colors.channels != 1 && pixels.colors.channels != 3)) {
      throw InvalidArgument(fmt::format(
          "{} of {}x{} with {} channels; expected gray or RGB pixels, or bands of floats "
          "(StackView<const float>)",
          name, pixels.width, pixels.height, pixels.colors.channels));
    }
  }

  void check_frame(const TrackPixels& pixels) {
    check_pixels("a frame", pixels);
    fovea::detail::require_chosen(kTrackerName, options.exec, asked, {pixels.placement()});
    if (frame.empty()) {
      frame = pixels.bounds();
      has_bands = pixels.has_bands;
      channels = pixels.channels();
    }
    if (pixels.width != frame.width || pixels.height != frame.height)
      throw InvalidArgument(
          fmt::format("a frame of {}x{} follows frames of {}x{}; all must have the same size",
                      pixels.width, pixels.height, frame.width, frame.height));
    require_kind("a frame", pixels);
  }

  // Gray and RGB frames may take turns, because both have colors; bands may not change.
  void require_kind(const char* name, const TrackPixels& pixels) const {
    if (pixels.has_bands == has_bands && (!has_bands || pixels.bands.count == channels)) return;
    throw InvalidArgument(fmt::format(
        "{} has {}, but the first frame has {}; all must have the same", name, kind_text(pixels),
        has_bands ? fovea::detail::counted(channels, "band") : std::string("colors of 8 bits")));
  }

  // Returns the frame on the device of the maps. Colors are copied there only once for all groups;
  // of bands each group takes the part that it needs.
  TrackPixels on_device(const TrackPixels& pixels, PlacedPixels& there) const {
    if (pixels.has_bands) return pixels;
    return there.bring(pixels, fovea::detail::memory_of(options.exec.device), options.exec);
  }

  std::vector<Track> add(const TrackPixels& frame, std::span<const Rect<double>> boxes);
  Track add_example(const TrackPixels& frame, const TrackPixels& example);
  // Explains target `id` where `why` is not null.
  std::vector<Track> track(const TrackPixels& frame, int id = 0, TrackExplanation* why = nullptr);
  TrackExplanation explain(const TrackPixels& frame, int id);
  void require_votes(const Signatures& signatures, const std::string& name) const;

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

std::span<const Choice> choices(TrackFilter) {
  static constexpr std::array<Choice, 3> kChoices{{{"auto", static_cast<int>(TrackFilter::kAuto)},
                                                   {"off", static_cast<int>(TrackFilter::kOff)},
                                                   {"on", static_cast<int>(TrackFilter::kOn)}}};
  return kChoices;
}
std::span<const Choice> choices(TrackSpectra) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"auto", static_cast<int>(TrackSpectra::kAuto)},
       {"values", static_cast<int>(TrackSpectra::kValues)},
       {"shape", static_cast<int>(TrackSpectra::kShape)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, TrackOptions& options) {
  visit("colors", options.colors,
        "number of colors that are learned in the first frame, the bins of signatures", 2, 64);
  visit("window", options.window,
        "side in pixels, odd, of the window that a pixel of the map describes", 1, 15);
  visit("tau", options.tau,
        "distance beyond which colors are equally different: in Lab, or in standard deviations of "
        "the first frame's spectra",
        0.01, 1000, {.absent = "50 in Lab, the mean distance of two colors of spectra"});
  visit("spectra", options.spectra,
        "what is compared of frames with bands: their values, or the shape of each spectrum, which "
        "the brightness of the light does not change; auto is shape from four bands on");
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
        "whether the target's six parts are compared too; auto does so in cubes, and where it is "
        "gray or hardly stands out; search meanshift compares none");
  visit("part-weight", options.part_weight,
        "weight of the parts' mean distance against the map's score", 0, 10);
  visit("filter", options.filter,
        "whether a correlation filter of edges, learned from frame to frame, helps to find the "
        "target; off uses the first frame's colors alone, and so does auto for a target without "
        "texture; cubes and search meanshift have none");
  visit("filter-weight", options.filter_weight,
        "weight of the filter's response against the map's score", 0, 100);
  visit("filter-rate", options.filter_rate,
        "share of the filter that each sure frame replaces; 0 keeps the first frame's", 0, 1);
  visit("filter-scale", options.filter_scale,
        "let boxes grow and shrink by up to 3 % per frame where the filter says so",
        {.off_help = "keep the size of boxes, whatever the filter says"});
  visit("scale", options.scale,
        "let boxes grow and shrink by up to 5 % per frame where the map, not the filter, says so");
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
  if (options.filter == TrackFilter::kOn && options.search == TrackSearch::kMeanShift)
    throw InvalidArgument(
        "filter is on, but search meanshift has no filter; use search exhaustive, or filter auto "
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
Tracker::Tracker(StackView<const float> bands, const Rect<double>& box, const TrackOptions& options)
    : Tracker(bands, std::span(&box, 1), options) {}
Tracker::Tracker(StackView<const float> bands, std::span<const Rect<double>> boxes,
                 const TrackOptions& options)
    : Tracker(on_device_of(bands, options)) {
  impl_->asked = options.exec.device;
  add(bands, boxes);
}
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;
Tracker::~Tracker() = default;

std::vector<Track> Tracker::add(ImageView<const std::uint8_t> frame,
                                std::span<const Rect<double>> boxes) {
  return impl_->add(frame, boxes);
}
std::vector<Track> Tracker::add(StackView<const float> bands, std::span<const Rect<double>> boxes) {
  return impl_->add(bands, boxes);
}
Track Tracker::add_example(ImageView<const std::uint8_t> frame,
                           ImageView<const std::uint8_t> example) {
  return impl_->add_example(frame, example);
}
Track Tracker::add_example(StackView<const float> bands, StackView<const float> example) {
  return impl_->add_example(bands, example);
}
std::vector<Track> Tracker::track(ImageView<const std::uint8_t> frame) {
  return impl_->track(frame);
}
std::vector<Track> Tracker::track(StackView<const float> bands) { return impl_->track(bands); }
TrackExplanation Tracker::explain(ImageView<const std::uint8_t> frame, int id) {
  return impl_->explain(frame, id);
}
TrackExplanation Tracker::explain(StackView<const float> bands, int id) {
  return impl_->explain(bands, id);
}

// A target whose pixels no band measured cannot be followed.
void Tracker::Impl::require_votes(const Signatures& signatures, const std::string& name) const {
  if (mass_of(signatures.target) > 0 && mass_of(signatures.surround) > 0) return;
  throw InvalidArgument(
      fmt::format("{}: all samples of {} are NaN or infinite; expected numbers in some pixels",
                  name, mass_of(signatures.target) > 0 ? "the surroundings" : "the target"));
}

std::vector<Track> Tracker::Impl::add(const TrackPixels& image,
                                      std::span<const Rect<double>> boxes) {
  if (boxes.empty()) return {};
  check_frame(image);
  std::vector<Rect<int>> pixels;
  for (const Rect<double>& box : boxes) pixels.push_back(checked(box, frame));
  PlacedPixels nearby, there;
  const TrackPixels host = nearby.bring(image, Memory::kHost, options.exec);

  std::vector<GroupSource> sources;
  sources.reserve(pixels.size());
  for (const Rect<int>& box : pixels) {
    const Rect<int> around{box.x - box.width, box.y - box.height / 2, 3 * box.width,
                           2 * box.height};
    sources.push_back({host, intersect(box, frame), host, intersect(around, frame)});
  }
  Group group(sources, options);
  const fovea::cuda::ScopedDevice here(options.exec.device);
  const TrackPixels placed = on_device(image, there);
  LabeledFrame labels = group.label(placed, frame, true, options.exec);
  set_pixels(placed, host, labels);

  std::vector<Track> tracks;
  std::vector<Target> targets;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const Rect<int>& box = pixels[i];
    const Rect<int> inside = intersect(box, frame);
    Signatures signatures;
    signatures.target = histogram_of(labels.here, inside, group.colors());
    signatures.surround =
        histogram_of(labels.here, intersect(grown(box, kSurroundRing), frame), group.colors());
    double left = 0;
    for (std::size_t k = 0; k < signatures.surround.size(); ++k)
      left += signatures.surround[k] -= signatures.target[k];
    if (!(left > 0)) signatures.surround = histogram_of(labels.here, frame, group.colors());
    require_votes(signatures, "target " + to_text(boxes[i]));
    Target target(next_id() + static_cast<int>(i), group.ground(), std::move(signatures), options);
    target.begin(labels, box, lacks_colors(host, inside));
    tracks.push_back(target.track());
    targets.push_back(std::move(target));
  }
  groups.push_back(std::move(group));
  for (Target& target : targets) members.push_back({std::move(target), groups.size() - 1});
  return tracks;
}

Track Tracker::Impl::add_example(const TrackPixels& image, const TrackPixels& example) {
  check_frame(image);
  check_pixels("an example", example);
  require_kind("an example", example);
  const bool small = example.width < kLeastSide || example.height < kLeastSide;
  if (small || example.width > 2 * frame.width || example.height > 2 * frame.height)
    throw InvalidArgument(fmt::format(
        "an example of {}x{} pixels in frames of {}x{}; expected at least {}x{} and no "
        "more than twice the frame's size",
        example.width, example.height, frame.width, frame.height, kLeastSide, kLeastSide));
  fovea::detail::require_chosen(kTrackerName, options.exec, asked, {example.placement()});
  PlacedPixels frame_here, example_here, frame_there, example_there;
  const TrackPixels host = frame_here.bring(image, Memory::kHost, options.exec);
  const TrackPixels shown = example_here.bring(example, Memory::kHost, options.exec);
  Group group({{shown, shown.bounds(), host, frame}}, options);
  const fovea::cuda::ScopedDevice here(options.exec.device);
  Group scratch = group.with_same_palette();
  const LabeledFrame pattern =
      scratch.label(on_device(example, example_there), example.bounds(), true, options.exec);
  const TrackPixels placed = on_device(image, frame_there);
  LabeledFrame labels = group.label(placed, frame, true, options.exec);
  set_pixels(placed, host, labels);
  Signatures signatures{label_histogram(pattern.here, group.colors()),
                        label_histogram(labels.here, group.colors())};
  require_votes(signatures, "an example");
  Target target(next_id(), group.ground(), std::move(signatures), options);
  target.begin_anywhere(labels, pattern, lacks_colors(shown, shown.bounds()));
  const Track track = target.track();
  groups.push_back(std::move(group));
  members.push_back({std::move(target), groups.size() - 1});
  return track;
}

TrackExplanation Tracker::Impl::explain(const TrackPixels& image, int id) {
  target(id);  // throws where there is none
  TrackExplanation why;
  track(image, id, &why);
  why.track = target(id).track();
  why.image = {frame.width, frame.height};
  return why;
}

std::vector<Track> Tracker::Impl::track(const TrackPixels& image, int id, TrackExplanation* why) {
  check_frame(image);
  const fovea::cuda::ScopedDevice here(options.exec.device);
  const TrackPixels pixels = on_device(image, brought);
  std::vector<char> fetch(groups.size(), 0);
  std::vector<Rect<int>> parts(groups.size());
  for (const Member& member : members) {
    fetch[member.group] = fetch[member.group] != 0 || member.target.looks_at_labels() ? 1 : 0;
    parts[member.group] = covering(parts[member.group], member.target.reads(frame));
  }
  const bool needs_host =
      !image.has_bands && std::any_of(members.begin(), members.end(), [](const Member& member) {
        return member.target.needs_host_pixels();
      });
  const TrackPixels host = needs_host ? fetched.bring(image, Memory::kHost, options.exec)
                                      : TrackPixels(ImageView<const std::uint8_t>{});
  std::vector<LabeledFrame> labels;
  for (std::size_t i = 0; i < groups.size(); ++i)
    labels.push_back(groups[i].label(pixels, parts[i], fetch[i] != 0, options.exec));
  for (LabeledFrame& labeled : labels) set_pixels(pixels, host, labeled);
  std::vector<Track> tracks;
  // All maps are started before the first one is waited for.
  for (Member& member : members) {
    throw_if_stopped(options.exec);
    member.target.prepare(labels[member.group]);
  }
  for (Member& member : members) {
    throw_if_stopped(options.exec);
    const bool asked_for = why != nullptr && member.target.track().id == id;
    member.target.next(labels[member.group], asked_for ? why : nullptr);
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
