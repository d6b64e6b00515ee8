// Measures of tracks: CLEAR MOT, identities and HOTA, as TrackEval defines them.
#include <fovea/people/evaluate_tracks.h>

#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/assignment.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace fovea::people {
namespace {

constexpr double kTrackEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kMostly = 0.8, kHardly = 0.2;

std::size_t at_place(int value) { return static_cast<std::size_t>(value); }

// One side of a sequence: identities are numbered from 0, in the order of their ids.
struct TrackSide {
  std::vector<std::vector<int>> ids;             // by frame
  std::vector<std::vector<Rect<double>>> boxes;  // by frame
  std::vector<std::int64_t> lengths;             // boxes of each identity
  std::vector<int> names;                        // ids of identities in the file
  std::int64_t count = 0;
};

void check_track_box(const char* side, const MotBox& box) {
  const Rect<double>& r = box.box;
  const bool sound = std::isfinite(r.x) && std::isfinite(r.y) && std::isfinite(r.width) &&
                     std::isfinite(r.height) && r.width > 0 && r.height > 0;
  if (!sound || box.frame < 0)
    throw InvalidArgument(
        fmt::format("evaluate_tracks: {} box of id {} in frame {} is ({}, {}, {} x {}); expected a "
                    "finite box with an area in a frame from 0 on",
                    side, box.id, box.frame, r.x, r.y, r.width, r.height));
}

// `frames` are the numbers of all frames that have a box on either side, in order. Frames without
// any box count nowhere, so that a file with huge frame numbers takes no memory.
TrackSide side_of(const char* name, std::span<const MotBox> boxes,
                  const std::map<std::int64_t, int>& frames) {
  std::set<int> all;
  for (const MotBox& box : boxes) all.insert(box.id);
  const std::vector<int> ids(all.begin(), all.end());
  TrackSide side;
  side.ids.resize(frames.size());
  side.boxes.resize(frames.size());
  side.lengths.resize(ids.size());
  side.names = ids;
  std::set<std::pair<std::int64_t, int>> seen;
  for (const MotBox& box : boxes) {
    if (!seen.insert({box.frame, box.id}).second)
      throw InvalidArgument(fmt::format("evaluate_tracks: {} boxes have id {} twice in frame {}",
                                        name, box.id, box.frame));
    const auto id = std::lower_bound(ids.begin(), ids.end(), box.id) - ids.begin();
    const std::size_t frame = at_place(frames.at(box.frame));
    side.ids[frame].push_back(static_cast<int>(id));
    side.boxes[frame].push_back(box.box);
    ++side.lengths[static_cast<std::size_t>(id)];
    ++side.count;
  }
  return side;
}

struct TrackSequence {
  TrackSide truth, found;
  std::vector<Image<double>> overlaps;  // by frame: a row per true box, a column per found one
  std::vector<std::int64_t> frames;     // their numbers in the file
};

// Told which boxes CLEAR MOT matches: true boxes of a frame by the columns of found ones, or -1.
class MatchWitness {
 public:
  virtual ~MatchWitness() = default;
  virtual void matched(std::size_t frame, const std::vector<int>& column_of) = 0;
};

Image<double> zero_table(int width, int height) {
  Image<double> image(std::max(1, width), std::max(1, height));
  for (int y = 0; y < image.height(); ++y) std::fill_n(image.row(y), image.width(), 0.0);
  return image;
}

// Matches rows and columns so that the sum of the scores is greatest.
std::vector<int> best_match(const Image<double>& scores, int columns, int rows) {
  Image<double> costs(scores.width(), scores.height());
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x) costs.at(x, y) = -scores.at(x, y);
  ImageView<const double> view = costs.view();
  view.width = columns;
  view.height = rows;
  return assign(view).column_of;
}

// CLEAR MOT over one sequence.
class Clear {
 public:
  Clear(const TrackSequence& sequence, double least, TrackReport& report,
        MatchWitness* witness = nullptr)
      : sequence_(sequence),
        least_(least - kTrackEpsilon),
        report_(report),
        witness_(witness),
        last_(sequence.truth.lengths.size(), -1),
        before_(last_),
        matched_(last_.size(), 0),
        begun_(last_.size(), 0) {}

  void run() {
    for (std::size_t t = 0; t < sequence_.overlaps.size(); ++t) frame(t);
    for (std::size_t i = 0; i < matched_.size(); ++i) {
      const double share =
          static_cast<double>(matched_[i]) / static_cast<double>(sequence_.truth.lengths[i]);
      if (share > kMostly) ++report_.mostly_tracked;
      else if (share >= kHardly) ++report_.partly_tracked;
      else ++report_.mostly_lost;
      report_.fragments += std::max<std::int64_t>(0, begun_[i] - 1);
    }
  }

 private:
  void frame(std::size_t t) {
    const std::vector<int>&truth = sequence_.truth.ids[t], &found = sequence_.found.ids[t];
    const int rows = static_cast<int>(truth.size()), columns = static_cast<int>(found.size());
    if (rows == 0 || columns == 0) {
      report_.misses += rows;
      report_.false_positives += columns;
      if (witness_ != nullptr) witness_->matched(t, std::vector<int>(truth.size(), -1));
      return;  // who was found in the frame before is kept in mind, as TrackEval does it
    }
    const Image<double>& overlaps = sequence_.overlaps[t];
    Image<double> scores = zero_table(columns, rows);
    for (int y = 0; y < rows; ++y) {
      for (int x = 0; x < columns; ++x) {
        const double shared = overlaps.at(x, y);
        if (shared < least_) continue;
        const bool same = before_[at_place(truth[at_place(y)])] == found[at_place(x)];
        scores.at(x, y) = shared + (same ? 1000 : 0);
      }
    }
    std::vector<int> match = best_match(scores, columns, rows);
    std::vector<int> now(before_.size(), -1);
    int hits = 0;
    for (int y = 0; y < rows; ++y) {
      int& x = match[at_place(y)];
      if (x >= 0 && !(scores.at(x, y) > kTrackEpsilon)) x = -1;
      if (x < 0) continue;
      const std::size_t person = at_place(truth[at_place(y)]);
      const int track = found[at_place(x)];
      ++hits;
      motp_sum_ += overlaps.at(x, y);
      if (last_[person] >= 0 && last_[person] != track) ++report_.switches;
      if (before_[person] < 0) ++begun_[person];
      ++matched_[person];
      now[person] = last_[person] = track;
    }
    if (witness_ != nullptr) witness_->matched(t, match);
    before_ = std::move(now);
    report_.hits += hits;
    report_.misses += rows - hits;
    report_.false_positives += columns - hits;
    report_.motp = motp_sum_;
  }

  const TrackSequence& sequence_;
  double least_;
  TrackReport& report_;
  MatchWitness* witness_;
  std::vector<int> last_;    // the track of each person when it was last found
  std::vector<int> before_;  // the same in the frame before; -1 where it was not found there
  std::vector<std::int64_t> matched_, begun_;
  double motp_sum_ = 0;
};

// How often a person and a track overlap enough, summed over the pairs of one matching that makes
// this sum greatest.
std::int64_t identity_hits(const TrackSequence& sequence, double least) {
  const int people = static_cast<int>(sequence.truth.lengths.size());
  const int tracks = static_cast<int>(sequence.found.lengths.size());
  if (people == 0 || tracks == 0) return 0;
  Image<double> together = zero_table(tracks, people);
  for (std::size_t t = 0; t < sequence.overlaps.size(); ++t) {
    for (std::size_t y = 0; y < sequence.truth.ids[t].size(); ++y)
      for (std::size_t x = 0; x < sequence.found.ids[t].size(); ++x)
        if (sequence.overlaps[t].at(static_cast<int>(x), static_cast<int>(y)) >= least)
          together.at(sequence.found.ids[t][x], sequence.truth.ids[t][y]) += 1;
  }
  const std::vector<int> match = best_match(together, tracks, people);
  double hits = 0;
  for (int i = 0; i < people; ++i)
    if (match[at_place(i)] >= 0) hits += together.at(match[at_place(i)], i);
  return static_cast<std::int64_t>(hits);
}

// HOTA over one sequence. Pairs that go together over the whole sequence are preferred in every
// frame.
class Hota {
 public:
  Hota(const TrackSequence& sequence, TrackReport& report)
      : sequence_(sequence),
        report_(report),
        people_(static_cast<int>(sequence.truth.lengths.size())),
        tracks_(static_cast<int>(sequence.found.lengths.size())),
        alignment_(zero_table(tracks_, people_)) {
    for (int a = 0; a < kHotaThresholds; ++a) {
      report_.thresholds[at_place(a)].overlap = 0.05 * (a + 1);
      together_.push_back(zero_table(tracks_, people_));
    }
  }

  void run() {
    align();
    for (std::size_t t = 0; t < sequence_.overlaps.size(); ++t) frame(t);
    for (int a = 0; a < kHotaThresholds; ++a) associate(a);
  }

 private:
  void align() {
    for (std::size_t t = 0; t < sequence_.overlaps.size(); ++t) {
      const std::vector<int>&truth = sequence_.truth.ids[t], &found = sequence_.found.ids[t];
      const Image<double>& shared = sequence_.overlaps[t];
      const int rows = static_cast<int>(truth.size()), columns = static_cast<int>(found.size());
      std::vector<double> of_row(truth.size(), 0.0), of_column(found.size(), 0.0);
      for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) {
          of_row[at_place(y)] += shared.at(x, y);
          of_column[at_place(x)] += shared.at(x, y);
        }
      }
      for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) {
          const double all = of_row[at_place(y)] + of_column[at_place(x)] - shared.at(x, y);
          if (all > kTrackEpsilon)
            alignment_.at(found[at_place(x)], truth[at_place(y)]) += shared.at(x, y) / all;
        }
      }
    }
    for (int y = 0; y < people_; ++y) {
      for (int x = 0; x < tracks_; ++x) {
        double& together = alignment_.at(x, y);
        together /= length(x, y) - together;
      }
    }
  }

  // Boxes of a track and of a person together.
  double length(int track, int person) const {
    return static_cast<double>(sequence_.found.lengths[at_place(track)] +
                               sequence_.truth.lengths[at_place(person)]);
  }

  void frame(std::size_t t) {
    const std::vector<int>&truth = sequence_.truth.ids[t], &found = sequence_.found.ids[t];
    const Image<double>& shared = sequence_.overlaps[t];
    const int rows = static_cast<int>(truth.size()), columns = static_cast<int>(found.size());
    std::vector<int> match(truth.size(), -1);
    if (rows > 0 && columns > 0) {
      Image<double> scores = zero_table(columns, rows);
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x)
          scores.at(x, y) = alignment_.at(found[at_place(x)], truth[at_place(y)]) * shared.at(x, y);
      match = best_match(scores, columns, rows);
    }
    for (std::size_t a = 0; a < report_.thresholds.size(); ++a) {
      TrackReport::Threshold& threshold = report_.thresholds[a];
      int hits = 0;
      for (int y = 0; y < rows; ++y) {
        const int x = match[at_place(y)];
        if (x < 0 || !(shared.at(x, y) >= threshold.overlap - kTrackEpsilon)) continue;
        ++hits;
        threshold.loca += shared.at(x, y);
        together_[a].at(found[at_place(x)], truth[at_place(y)]) += 1;
      }
      threshold.hits += hits;
      threshold.misses += rows - hits;
      threshold.false_positives += columns - hits;
    }
  }

  void associate(int a) {
    TrackReport::Threshold& threshold = report_.thresholds[at_place(a)];
    for (int y = 0; y < people_; ++y) {
      for (int x = 0; x < tracks_; ++x) {
        const double both = together_[at_place(a)].at(x, y);
        if (!(both > 0)) continue;
        threshold.assa += both * both / std::max(1.0, length(x, y) - both);
        threshold.assre += both * both / static_cast<double>(sequence_.truth.lengths[at_place(y)]);
        threshold.asspr += both * both / static_cast<double>(sequence_.found.lengths[at_place(x)]);
      }
    }
  }

  const TrackSequence& sequence_;
  TrackReport& report_;
  int people_, tracks_;
  Image<double> alignment_;
  std::vector<Image<double>> together_{};  // by threshold: frames in which a pair is matched
};

double share_of(double part, double all) { return all > 0 ? part / all : 0; }

// Makes shares from the counts. Before, motp, loca and association hold sums over hits.
void make_shares(TrackReport& report) {
  const auto truth = static_cast<double>(report.truth_boxes);
  const auto found = static_cast<double>(report.found_boxes);
  const auto hits = static_cast<double>(report.hits);
  report.mota =
      share_of(hits - static_cast<double>(report.false_positives + report.switches), truth);
  report.motp = share_of(report.motp, hits);
  report.recall = share_of(hits, truth);
  report.precision = share_of(hits, found);
  const auto id_hits = static_cast<double>(report.id_hits);
  report.idp = share_of(id_hits, found);
  report.idr = share_of(id_hits, truth);
  report.idf1 = share_of(2 * id_hits, truth + found);
  for (TrackReport::Threshold& threshold : report.thresholds) {
    const auto all = static_cast<double>(threshold.hits);
    threshold.deta = share_of(all, truth + static_cast<double>(threshold.false_positives));
    threshold.assa = share_of(threshold.assa, all);
    threshold.assre = share_of(threshold.assre, all);
    threshold.asspr = share_of(threshold.asspr, all);
    threshold.loca = all > 0 ? threshold.loca / all : 1;
    threshold.hota = std::sqrt(threshold.deta * threshold.assa);
    report.hota += threshold.hota / kHotaThresholds;
    report.deta += threshold.deta / kHotaThresholds;
    report.detre += share_of(all, truth) / kHotaThresholds;
    report.detpr += share_of(all, found) / kHotaThresholds;
    report.assa += threshold.assa / kHotaThresholds;
    report.assre += threshold.assre / kHotaThresholds;
    report.asspr += threshold.asspr / kHotaThresholds;
    report.loca += threshold.loca / kHotaThresholds;
  }
}

TrackSequence sequence_of(std::span<const MotBox> truth, std::span<const MotBox> found,
                          const EvaluateTracksOptions& options) {
  check_options(options);
  std::vector<MotBox> counted;
  for (const MotBox& box : truth) {
    check_track_box("the true", box);
    const bool hidden = box.visibility >= 0 && box.visibility < options.least_visibility;
    if (box.score != 0 && !hidden) counted.push_back(box);
  }
  std::map<std::int64_t, int> frames;
  for (const MotBox& box : found) check_track_box("the found", box);
  for (const std::span<const MotBox> side : {std::span<const MotBox>(counted), found})
    for (const MotBox& box : side) frames[box.frame] = 0;
  if (frames.empty())
    throw InvalidArgument("evaluate_tracks: neither side has a box; there is nothing to compare");
  int number = 0;
  for (auto& [frame, position] : frames) position = number++;
  TrackSequence sequence{side_of("true", counted, frames), side_of("found", found, frames), {}, {}};
  sequence.frames.reserve(frames.size());
  for (const auto& each : frames) sequence.frames.push_back(each.first);
  for (std::size_t t = 0; t < frames.size(); ++t) {
    const auto &rows = sequence.truth.boxes[t], &columns = sequence.found.boxes[t];
    Image<double> overlaps =
        zero_table(static_cast<int>(columns.size()), static_cast<int>(rows.size()));
    for (std::size_t y = 0; y < rows.size(); ++y)
      for (std::size_t x = 0; x < columns.size(); ++x)
        overlaps.at(static_cast<int>(x), static_cast<int>(y)) = overlap(rows[y], columns[x]);
    sequence.overlaps.push_back(std::move(overlaps));
  }
  return sequence;
}

// Makes stretches of what goes wrong from frame to frame.
class MistakeCollector final : public MatchWitness {
 public:
  explicit MistakeCollector(const TrackSequence& sequence)
      : sequence_(sequence),
        last_(sequence.truth.lengths.size(), -1),
        switched_(last_.size(), -1),
        missed_(last_.size(), -1),
        alone_(sequence.found.lengths.size(), -1) {}

  void matched(std::size_t t, const std::vector<int>& column_of) override {
    const TrackSide &truth = sequence_.truth, &found = sequence_.found;
    std::vector<bool> used(found.ids[t].size(), false);
    for (std::size_t y = 0; y < column_of.size(); ++y) {
      const std::size_t person = at_place(truth.ids[t][y]);
      if (column_of[y] < 0) {
        go_on(missed_[person], TrackMistakeKind::kMiss, t,
              {truth.names[person], truth.boxes[t][y]});
        continue;
      }
      used[at_place(column_of[y])] = true;
      missed_[person] = -1;
      found_by(person, found.ids[t][at_place(column_of[y])], t, truth.boxes[t][y]);
    }
    for (std::size_t x = 0; x < used.size(); ++x) {
      const std::size_t track = at_place(found.ids[t][x]);
      if (used[x]) alone_[track] = -1;
      else
        go_on(alone_[track], TrackMistakeKind::kFalse, t, {found.names[track], found.boxes[t][x]});
    }
  }

  // Those with most boxes first, and then the earlier ones.
  std::vector<TrackMistake> sorted() {
    std::ranges::stable_sort(mistakes_, [](const TrackMistake& a, const TrackMistake& b) {
      return a.boxes != b.boxes ? a.boxes > b.boxes : a.first_frame < b.first_frame;
    });
    return std::move(mistakes_);
  }

 private:
  struct Who {
    int id;
    Rect<double> box;
  };
  // Adds a frame to a stretch, or begins one. `place` is that of the stretch that is open.
  void go_on(int& place, TrackMistakeKind kind, std::size_t t, const Who& who) {
    if (place < 0) {
      place = static_cast<int>(mistakes_.size());
      mistakes_.push_back(
          {.kind = kind, .id = who.id, .first_frame = sequence_.frames[t], .box = who.box});
    }
    TrackMistake& mistake = mistakes_[at_place(place)];
    mistake.last_frame = sequence_.frames[t];
    ++mistake.boxes;
  }
  void found_by(std::size_t person, int track, std::size_t t, const Rect<double>& box) {
    if (last_[person] >= 0 && last_[person] != track) {
      switched_[person] = static_cast<int>(mistakes_.size());
      mistakes_.push_back({.kind = TrackMistakeKind::kSwitch,
                           .id = sequence_.truth.names[person],
                           .before = sequence_.found.names[at_place(last_[person])],
                           .after = sequence_.found.names[at_place(track)],
                           .first_frame = sequence_.frames[t],
                           .last_frame = sequence_.frames[t],
                           .box = box});
    }
    last_[person] = track;
    if (switched_[person] >= 0) ++mistakes_[at_place(switched_[person])].boxes;
  }

  const TrackSequence& sequence_;
  std::vector<TrackMistake> mistakes_{};
  std::vector<int> last_;                       // the track of each person when last found
  std::vector<int> switched_, missed_, alone_;  // stretches that are open, by identity; -1: none
};

}  // namespace

void describe(OptionVisitor& visit, EvaluateTracksOptions& options) {
  visit("match-overlap", options.match_overlap,
        "intersection over union from which a box has found a person; HOTA has its own thresholds",
        0, 1);
  visit("least-visibility", options.least_visibility,
        "true boxes of which a smaller share can be seen do not count", 0, 1);
}

TrackReport evaluate_tracks(std::span<const MotBox> truth, std::span<const MotBox> found,
                            const EvaluateTracksOptions& options) {
  const TrackSequence sequence = sequence_of(truth, found, options);
  TrackReport report;
  report.frames = sequence.frames.back() + 1;
  report.truth_boxes = sequence.truth.count;
  report.found_boxes = sequence.found.count;
  report.people = static_cast<std::int64_t>(sequence.truth.lengths.size());
  report.tracks = static_cast<std::int64_t>(sequence.found.lengths.size());
  Clear(sequence, options.match_overlap, report).run();
  report.id_hits = identity_hits(sequence, options.match_overlap);
  Hota(sequence, report).run();
  make_shares(report);
  return report;
}

std::vector<TrackMistake> track_mistakes(std::span<const MotBox> truth,
                                         std::span<const MotBox> found,
                                         const EvaluateTracksOptions& options) {
  const TrackSequence sequence = sequence_of(truth, found, options);
  MistakeCollector collector(sequence);
  TrackReport ignored;
  Clear(sequence, options.match_overlap, ignored, &collector).run();
  return collector.sorted();
}

TrackReport combine(std::span<const TrackReport> reports) {
  TrackReport sum;
  for (const TrackReport& report : reports) {
    for (const auto member :
         {&TrackReport::frames, &TrackReport::truth_boxes, &TrackReport::found_boxes,
          &TrackReport::people, &TrackReport::tracks, &TrackReport::hits, &TrackReport::misses,
          &TrackReport::false_positives, &TrackReport::switches, &TrackReport::fragments,
          &TrackReport::mostly_tracked, &TrackReport::partly_tracked, &TrackReport::mostly_lost,
          &TrackReport::id_hits})
      sum.*member += report.*member;
    sum.motp += report.motp * static_cast<double>(report.hits);
    for (std::size_t a = 0; a < sum.thresholds.size(); ++a) {
      TrackReport::Threshold& all = sum.thresholds[a];
      const TrackReport::Threshold& one = report.thresholds[a];
      const auto hits = static_cast<double>(one.hits);
      all.overlap = one.overlap;
      all.hits += one.hits;
      all.misses += one.misses;
      all.false_positives += one.false_positives;
      all.assa += one.assa * hits;
      all.assre += one.assre * hits;
      all.asspr += one.asspr * hits;
      all.loca += one.loca * hits;
    }
  }
  make_shares(sum);
  return sum;
}

}  // namespace fovea::people
