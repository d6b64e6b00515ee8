// What fovea emd track and its rivals share.
#pragma once
#include <fovea/emd/track.h>
#include <fovea/video.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cli/command.h"

namespace fovea::cli {

struct TrackRequest {
  std::string target{};
  int frame = 0;
  std::string truth{};
  int truth_origin = 1;
  std::string output{};
  std::string video{};
  std::string map_video{};
  bool rivals = false;
  emd::TrackOptions track{};
};

// A target as users name it: a box, or an image file to look for.
using TargetWord = std::variant<emd::TrackBox, std::string>;
// "x,y,width,height" or files, parted by semicolons, as the parser keeps --target.
std::vector<TargetWord> parse_targets(const std::string& text);
// Boxes of each target from the frame on where it starts; as many as there are targets, or none.
std::vector<std::vector<emd::TrackBox>> read_truths(const std::string& text, int origin,
                                                    std::size_t targets);

// One way to follow a target, measured.
struct TrackResult {
  std::string name;
  bool bar = false;  // one of those that ours is held against
  emd::TrackEvaluation errors{};
  double seconds = 0;  // a frame
};

// The same targets followed by others: a box that stays, our search with Bhattacharyya's distance,
// and the trackers in the module of rivals. A list for each target.
std::vector<std::vector<TrackResult>> measure_track_rivals(
    const TrackRequest& request, const std::vector<emd::TrackBox>& starts,
    const std::vector<std::vector<emd::TrackBox>>& truths, Context& context);

}  // namespace fovea::cli
