// Joins detections to people. Every frame goes through the same steps:
//   predict   where everyone should be
//   pair      certain detections with people, uncertain ones with people who are left, and the rest
//             with tracks that are not confirmed yet
//   refind    tracks that have just been confirmed with people who are lost
//   begin     tracks for certain detections that are left
#include <fovea/people/track.h>

#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/assignment.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "people/track/appearance.h"
#include "people/track/motion.h"

namespace fovea::people {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// A track that is not confirmed yet ends when it is missed in more frames than this.
constexpr int kMissedBeforeConfirmed = 1;
// A person half of whose box others cover looks like them.
constexpr double kCoveredShare = 0.25;
// A person found again is at most this many times as high as before, or as low.
constexpr double kMostGrowth = 1.7;
// Boxes of people who were missed are enlarged by this share per frame before they are compared,
// because their place is less certain (Yang et al., C-BIoU, 2023).
constexpr double kLooser = 0.02, kLoosest = 0.3;

Rect<double> in_double(const Rect<float>& box) { return {box.x, box.y, box.width, box.height}; }

Rect<double> enlarged(const Rect<double>& box, double share) {
  return {box.x - share * box.width, box.y - share * box.height, (1 + 2 * share) * box.width,
          (1 + 2 * share) * box.height};
}

// Someone who is followed, with or without an id.
struct Follower {
  int id = 0;  // 0 until it is confirmed
  BoxMotion motion{};
  BoxMotion motion_seen{};  // after the last detection
  Rect<double> box_seen{};  // the last detection
  Look look{};
  float score = 0;
  int detection = -1;
  std::int64_t first_frame = 0;
  int hits = 0;
  int missed = 0;
  bool refound = false;
};

struct Sight {
  int index = 0;  // in the caller's list
  Rect<double> box{};
  float score = 0;
  Look look{};
  bool clear = true;  // nobody else covers much of it
  bool taken = false;
};

void check_detections(std::span<const Detection> detections) {
  for (std::size_t i = 0; i < detections.size(); ++i) {
    const Rect<float>& box = detections[i].box;
    const bool sound = std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.area()) &&
                       box.width > 0 && box.height > 0;
    if (!sound || !std::isfinite(detections[i].score))
      throw InvalidArgument(fmt::format(
          "track: detection {} has the box ({}, {}, {} x {}) and the score {}; expected finite "
          "numbers and an area",
          i, box.x, box.y, box.width, box.height, detections[i].score));
  }
}

}  // namespace

std::span<const Choice> choices(TrackMatching) {
  static constexpr Choice kChoices[] = {{"exact", static_cast<int>(TrackMatching::kExact)},
                                        {"greedy", static_cast<int>(TrackMatching::kGreedy)}};
  return kChoices;
}

void describe(OptionVisitor& visit, TrackOptions& options) {
  visit("certain", options.certain,
        "least score of a detection that may begin a track; those below only continue tracks", -1e9,
        1e9, {.absent = "all detections may"});
  visit("overlap", options.overlap,
        "least intersection over union of a certain detection and the box predicted for a person",
        0, 1);
  visit("uncertain-overlap", options.uncertain_overlap, "the same for an uncertain detection", 0,
        1);
  visit("appearance", options.appearance, "compare the colors of people, too",
        {.off_help = "follow people by their motion alone"});
  visit("color-weight", options.color_weight,
        "what the greatest difference of colors costs, where no overlap costs 1", 0, 100);
  visit("color-limit", options.color_limit,
        "detections whose colors differ more, 0 to 1, belong to other people", 0, 1);
  visit("color-adapt", options.color_adapt,
        "share of a person's colors that each new frame replaces", 0, 1);
  visit("confirm", options.confirm, "detections after which a track is a person and gets an id", 1,
        1000);
  visit("keep", options.keep, "frames without a detection after which a person is lost", 0, 100000);
  visit("refind", options.refind,
        "frames for which a lost person can be found again by colors; 0 finds nobody again", 0,
        1000000);
  visit("refind-speed", options.refind_speed,
        "how far a lost person may have gone, in heights of a person per frame", 0, 1000);
  visit("refind-color", options.refind_color,
        "greatest difference of colors, 0 to 1, of a person found again", 0, 1);
  visit("coast", options.coast,
        "frames for which a person who is not detected is still returned where motion predicts it",
        0, 100000);
  visit("matching", options.matching,
        "exact pairs detections and people at the least cost in all; greedy takes the cheapest "
        "pair again and again, for comparison");
}

struct Tracker::Impl {
  explicit Impl(const TrackOptions& chosen) : options(chosen) {
    check_options(options);
    if (options.appearance) appearance.emplace(options.exec);
  }

  // The steps of a frame.
  std::vector<Sight> sights_of(ImageView<const std::uint8_t> frame,
                               std::span<const Detection> detections);
  void pair_all(std::vector<Sight>& certain, std::vector<Sight>& uncertain);
  void pair(std::span<Follower* const> rows, std::vector<Sight>& sights, double least_overlap,
            bool colors);
  void refind();
  void begin(const std::vector<Sight>& certain);
  void see(Follower& follower, Sight& sight);
  void forget();

  std::vector<double> color_differences(std::span<const Appearance::Pair> pairs) {
    return appearance ? appearance->differences(pairs) : std::vector<double>(pairs.size(), 0.0);
  }
  std::vector<int> solve(ImageView<const double> costs) const {
    return (options.matching == TrackMatching::kExact ? assign(costs) : assign_greedily(costs))
        .column_of;
  }
  template <class Condition>
  std::vector<Follower*> those(Condition condition) {
    std::vector<Follower*> result;
    for (Follower& follower : followers)
      if (condition(follower)) result.push_back(&follower);
    return result;
  }

  TrackOptions options;
  std::optional<Appearance> appearance{};
  std::vector<Follower> followers{};  // in the order in which they began
  Extent size{};                      // of the frames; 0 before the first
  std::int64_t frame_number = 0;
  int identities = 0;
};

std::vector<Sight> Tracker::Impl::sights_of(ImageView<const std::uint8_t> frame,
                                            std::span<const Detection> detections) {
  std::vector<Sight> sights(detections.size());
  std::vector<Rect<float>> boxes;
  boxes.reserve(detections.size());
  for (const Detection& detection : detections) boxes.push_back(detection.box);
  std::vector<Look> looks(boxes.size());
  if (appearance && frame.data != nullptr) looks = appearance->of(frame, boxes);
  for (std::size_t i = 0; i < sights.size(); ++i) {
    sights[i] = {.index = static_cast<int>(i),
                 .box = in_double(boxes[i]),
                 .score = detections[i].score,
                 .look = looks[i]};
  }
  for (Sight& sight : sights) {
    for (const Sight& other : sights) {
      if (&other == &sight) continue;
      if (intersection_area(sight.box, other.box) > kCoveredShare * sight.box.area())
        sight.clear = false;
    }
  }
  return sights;
}

// Pairs followers with sights that are left over.
void Tracker::Impl::pair(std::span<Follower* const> rows, std::vector<Sight>& sights,
                         double least_overlap, bool colors) {
  std::vector<Sight*> columns;
  for (Sight& sight : sights)
    if (!sight.taken) columns.push_back(&sight);
  if (rows.empty() || columns.empty()) return;
  Image<double> costs(static_cast<int>(columns.size()), static_cast<int>(rows.size()));
  std::vector<Appearance::Pair> pairs;
  std::vector<double*> compared;
  for (int y = 0; y < costs.height(); ++y) {
    Follower& follower = *rows[static_cast<std::size_t>(y)];
    const double share = std::min(kLoosest, kLooser * follower.missed);
    const Rect<double> predicted = enlarged(follower.motion.box(), share);
    for (int x = 0; x < costs.width(); ++x) {
      const Sight& sight = *columns[static_cast<std::size_t>(x)];
      const double common = fovea::overlap(predicted, enlarged(sight.box, share));
      double& cost = costs.at(x, y);
      cost = common > 0 && common >= least_overlap ? 1 - common : kNever;
      if (!colors || cost == kNever || !follower.look.known || !sight.look.known) continue;
      pairs.push_back({&follower.look, &sight.look});
      compared.push_back(&cost);
    }
  }
  const std::vector<double> differences = color_differences(pairs);
  for (std::size_t i = 0; i < differences.size(); ++i)
    *compared[i] = differences[i] > options.color_limit
                       ? kNever
                       : *compared[i] + options.color_weight * differences[i];
  const std::vector<int> match = solve(costs);
  for (std::size_t y = 0; y < rows.size(); ++y)
    if (match[y] >= 0) see(*rows[y], *columns[static_cast<std::size_t>(match[y])]);
}

void Tracker::Impl::see(Follower& follower, Sight& sight) {
  sight.taken = true;
  if (follower.missed > 1) {
    // The filter is taken along the straight way from the last detection to this one.
    const int steps = follower.missed;
    follower.motion = follower.motion_seen;
    for (int i = 1; i < steps; ++i) {
      follower.motion.predict();
      follower.motion.measure(between(follower.box_seen, sight.box, 1.0 * i / steps));
    }
    follower.motion.predict();
  }
  follower.motion.measure(sight.box);
  follower.motion_seen = follower.motion;
  follower.box_seen = sight.box;
  follower.score = sight.score;
  follower.detection = sight.index;
  follower.missed = 0;
  ++follower.hits;
  if (sight.clear) follower.look.adapt(sight.look, options.color_adapt);
}

void Tracker::Impl::pair_all(std::vector<Sight>& certain, std::vector<Sight>& uncertain) {
  for (Follower& follower : followers) {
    follower.motion.predict();
    if (follower.missed > 0) follower.motion.keep_size();
    ++follower.missed;
    follower.detection = -1;
    follower.refound = false;
  }
  pair(those([&](const Follower& f) { return f.id > 0 && f.missed <= options.keep + 1; }), certain,
       options.overlap, true);
  pair(those([](const Follower& f) { return f.id > 0 && f.missed == 1; }), uncertain,
       options.uncertain_overlap, false);
  pair(those([](const Follower& f) { return f.id == 0; }), certain, options.overlap, true);
}

// Tracks that have just been confirmed take the identity of a person who is lost, or a new one.
void Tracker::Impl::refind() {
  const auto fresh = those(
      [&](const Follower& f) { return f.id == 0 && f.missed == 0 && f.hits >= options.confirm; });
  if (fresh.empty()) return;
  const auto lost = those([&](const Follower& f) {
    return f.id > 0 && f.missed > 0 && options.refind > 0 && f.look.known;
  });
  std::vector<int> match(fresh.size(), -1);
  if (!lost.empty() && appearance) {
    Image<double> costs(static_cast<int>(lost.size()), static_cast<int>(fresh.size()));
    std::vector<Appearance::Pair> pairs;
    std::vector<double*> compared;
    for (int y = 0; y < costs.height(); ++y) {
      const Follower& follower = *fresh[static_cast<std::size_t>(y)];
      for (int x = 0; x < costs.width(); ++x) {
        const Follower& person = *lost[static_cast<std::size_t>(x)];
        const Rect<double>&a = person.box_seen, &b = follower.box_seen;
        const double away = std::hypot(a.x + a.width / 2 - b.x - b.width / 2,
                                       a.y + a.height / 2 - b.y - b.height / 2);
        const double height = std::max(a.height, b.height);
        const bool reachable = away <= height * (1 + options.refind_speed * person.missed) &&
                               height <= kMostGrowth * std::min(a.height, b.height);
        const bool before = frame_number - person.missed < follower.first_frame;
        costs.at(x, y) = kNever;
        if (!reachable || !before || !follower.look.known) continue;
        pairs.push_back({&follower.look, &person.look});
        compared.push_back(&costs.at(x, y));
      }
    }
    const std::vector<double> differences = color_differences(pairs);
    for (std::size_t i = 0; i < differences.size(); ++i)
      *compared[i] = differences[i] > options.refind_color ? kNever : differences[i];
    match = solve(costs);
  }
  for (std::size_t y = 0; y < fresh.size(); ++y) {
    Follower& follower = *fresh[y];
    if (match[y] < 0) {
      follower.id = ++identities;
      continue;
    }
    Follower& person = *lost[static_cast<std::size_t>(match[y])];
    follower.id = std::exchange(person.id, -1);  // which forget() takes away
    follower.first_frame = person.first_frame;
    follower.look.adapt(person.look, 0.5);
    follower.hits += person.hits;
    follower.refound = true;
  }
}

void Tracker::Impl::begin(const std::vector<Sight>& certain) {
  for (const Sight& sight : certain) {
    if (sight.taken) continue;
    Follower follower{.motion = BoxMotion(sight.box),
                      .motion_seen = BoxMotion(sight.box),
                      .box_seen = sight.box,
                      .look = sight.look,
                      .score = sight.score,
                      .detection = sight.index,
                      .first_frame = frame_number,
                      .hits = 1};
    followers.push_back(follower);
  }
}

void Tracker::Impl::forget() {
  const int longest = appearance ? std::max(options.keep, options.refind) : options.keep;
  std::erase_if(followers, [&](const Follower& follower) {
    return follower.id < 0 ||
           follower.missed > (follower.id > 0 ? longest : kMissedBeforeConfirmed);
  });
}

Tracker::Tracker(const TrackOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;
Tracker::~Tracker() = default;

std::vector<Track> Tracker::track(ImageView<const std::uint8_t> frame,
                                  std::span<const Detection> detections) {
  check_detections(detections);
  if (frame.data != nullptr) {
    if (frame.channels != 1 && frame.channels != 3 && frame.channels != 4)
      throw InvalidArgument(
          fmt::format("track: the frame has {} channels; expected 1 (gray), 3 (RGB) or 4 (RGBA)",
                      frame.channels));
    const Extent size{frame.width, frame.height};
    if (impl_->size != Extent{} && impl_->size != size)
      throw InvalidArgument(fmt::format("track: the frame is {}x{}, but those before were {}x{}",
                                        size.width, size.height, impl_->size.width,
                                        impl_->size.height));
  }
  Impl& impl = *impl_;
  std::vector<Sight> certain = impl.sights_of(frame, detections), uncertain;
  if (frame.data != nullptr) impl.size = {frame.width, frame.height};
  const auto split = std::stable_partition(certain.begin(), certain.end(), [&](const Sight& sight) {
    return !impl.options.certain || sight.score >= *impl.options.certain;
  });
  uncertain.assign(split, certain.end());
  certain.erase(split, certain.end());
  impl.pair_all(certain, uncertain);
  impl.begin(certain);
  impl.refind();
  impl.forget();
  ++impl.frame_number;
  std::vector<Track> seen;
  for (const Track& track : people())
    if (track.missed <= impl.options.coast) seen.push_back(track);
  return seen;
}

std::vector<Track> Tracker::track(std::span<const Detection> detections) {
  return track({}, detections);
}

std::vector<Track> Tracker::people() const {
  std::vector<Track> tracks;
  for (const Follower& follower : impl_->followers) {
    if (follower.id <= 0) continue;
    const Rect<double> box = follower.motion.box();
    tracks.push_back({.id = follower.id,
                      .box = {static_cast<float>(box.x), static_cast<float>(box.y),
                              static_cast<float>(box.width), static_cast<float>(box.height)},
                      .score = follower.score,
                      .detection = follower.detection,
                      .age = static_cast<int>(impl_->frame_number - follower.first_frame - 1),
                      .missed = follower.missed,
                      .velocity_x = static_cast<float>(follower.motion.velocity_x()),
                      .velocity_y = static_cast<float>(follower.motion.velocity_y()),
                      .refound = follower.refound});
  }
  std::sort(tracks.begin(), tracks.end(),
            [](const Track& a, const Track& b) { return a.id < b.id; });
  return tracks;
}

std::int64_t Tracker::frames() const { return impl_->frame_number; }
int Tracker::identities() const { return impl_->identities; }
const TrackOptions& Tracker::options() const { return impl_->options; }

}  // namespace fovea::people
