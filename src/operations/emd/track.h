// What the files of emd track share: the request, frames with the targets in them, what follows
// them, what is known of all frames together, and the rivals that tracks are compared with.
#pragma once
#include <fovea/emd/explain.h>
#include <fovea/emd/track_result.h>
#include <fovea/report/evaluation.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "operations/emd/targets.h"
#include "operations/emd/track_frames.h"
#include "operations/explain.h"
#include "operations/operation.h"

namespace fovea::operations::of_emd_track {

using Boxes = std::vector<Rect<double>>;

struct TrackRequest {
  std::vector<std::string> targets{};
  int frame = 0;
  std::vector<std::string> truths{};
  std::optional<int> truth_origin{};
  std::string bands{};     // as parse_band_choice() reads them; empty: all bands, or colors
  std::string header{};    // of raw cubes
  std::string variable{};  // of .mat files
  bool rivals = false;
  emd::TrackOptions track{};
  ExplainNumbers explain{};  // frame, or frame and id
  std::string explain_picture{};

  int explained_frame() const { return explain.empty() ? -1 : static_cast<int>(explain[0]); }
  int explained_id() const { return explain.size() < 2 ? 1 : static_cast<int>(explain[1]); }
};

void describe(OptionVisitor& visit, TrackRequest& request);

struct Setup {
  TrackRequest asked{};
  Plan plan{};
  std::vector<TargetWord> targets{};
  std::vector<Boxes> truths{};  // one per target, or none
};

// The targets in a frame.
struct TrackedFrame {
  std::vector<emd::Track> tracks{};
};
void describe(FieldVisitor& visit, TrackedFrame& found);

// A tracker that others are compared with, which finds a target in each frame after the first.
struct Contestant {
  std::string name;
  bool bar = false;  // whether it is one of the plain trackers that ours must beat
  std::function<Rect<double>(ImageView<const std::uint8_t>)> next{};
  Boxes boxes{};
  double seconds = 0;
};
// For a target with this box in its first frame: a box that does not move, our search with the
// Bhattacharyya distance, and the trackers in the module of rivals.
std::vector<Contestant> contestants_of(const Setup& setup, ImageView<const std::uint8_t> frame,
                                       const Rect<double>& box, const Exec& exec);

// Follows the targets, from frame to frame.
struct Follower {
  emd::Tracker tracker;
  BandPicture picture{};
  Extent size{};
  int bands = 0;                                    // 0 where frames have colors of 8 bits
  int followed = 0;                                 // frames after the first
  std::vector<std::vector<Contestant>> contests{};  // one list per target, with --rivals
};

// A frame while it is worked on.
struct Followed {
  std::shared_ptr<Frame> frame{};
  const emd::BandFrame* bands = nullptr;  // null where it has colors
  std::int64_t number = 0;
  bool asks = false;                            // why will be asked
  std::pair<std::string, std::int64_t> file{};  // that it stands in, and its number there
  TrackedFrame found{};
  double seconds = 0;             // in the tracker; 0 of the first frame
  Image<std::uint8_t> picture{};  // of bands, where one is drawn
  Image<std::uint8_t> map{};      // of the likelihood, where it is drawn
  std::optional<emd::TrackExplanation> why{};
  const Setup* setup = nullptr;
  const Follower* follower = nullptr;

  ImageView<const std::uint8_t> image() const {
    return bands != nullptr ? picture.view() : frame->pixels().view();
  }
};

// All frames together.
struct Count {
  const Setup* setup = nullptr;
  const Follower* follower = nullptr;
  std::int64_t frames = 0;
  std::vector<Boxes> boxes{};  // of each target, where there is truth
  std::vector<std::pair<std::string, std::int64_t>> files{};  // of each frame, where there is truth
  std::int64_t lost = 0;                                      // targets times frames
  double seconds = 0;                                         // in the tracker
  emd::TrackResult result{};
};
RecordRef report(const Setup& setup, Count& count, const Ended& ended);
std::string report_text(const Setup& setup, Count& count, const Ended& ended);
// What fovea view shows of targets whose true boxes are known: the share of the frames above each
// overlap, and the frames with the least.
report::Evaluation track_evaluation(const Count& count);

}  // namespace fovea::operations::of_emd_track
