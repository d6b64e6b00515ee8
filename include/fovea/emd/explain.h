#pragma once
#include <fovea/emd/map.h>
#include <fovea/emd/scene.h>
#include <fovea/emd/track.h>
#include <fovea/report/explanation.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

// Why a pixel of a map has its distance, and why a tracked target is where it is. Maps are
// explained on the host, whatever the device: the CPU and a GPU give the same distances to the bit,
// but may find different flows of that cost.
namespace fovea::emd {

// Mass that moves from a bin of the pixel's histogram to a bin of the target's.
struct BinMove {
  int from = 0;
  int to = 0;
  double mass = 0;   // a share of the whole mass for MassPolicy::kNormalize, else as counted
  double cost = 0;   // of one unit of mass
  double value = 0;  // what this adds to the distance
};

// What a bin stands for.
struct BinLook {
  std::string name{};  // such as "92 to 115" or "color 3"
  std::optional<report::Color> color{};
};

struct MapExplanation {
  int x = 0;
  int y = 0;
  Rect<int> window{};   // the pixels that were counted, clipped to the image
  double distance = 0;  // what the map holds, before it is rounded to float
  Status status = Status::kOptimal;
  SolvedBy solved_by = SolvedBy::kNothing;
  MassPolicy mass = MassPolicy::kNormalize;
  std::vector<double> histogram{};  // of the pixel, as counted
  std::vector<double> target{};     // as the mapper has it
  // Moves that have mass, the most expensive first, then those that cost nothing. Their values and
  // `surplus` add up to the distance.
  std::vector<BinMove> moves{};
  double surplus = 0;               // what MassPolicy::kPenalty charges for unequal masses
  std::vector<double> cost_from{};  // per bin of the pixel: the values of its moves together
  std::vector<double> cost_to{};    // per bin of the target
  std::vector<BinLook> bins{};      // of the histograms; empty where it is not known
  std::vector<BinLook> target_bins{};
  // The map of a scene whose scores are fused: the share of the first frame that resembles the
  // target at least as much, made of the shares of three distances.
  struct Fused {
    double score = 0;
    double spectral_angle = 0;  // in radians
    double contrast_angle = 0;
  };
  std::optional<Fused> fused{};
  // What each pixel of the window adds to the distance, by its bin; empty for spectra. A border
  // pixel that is counted several times has the sum.
  Image<float> heat{};
  Extent image{};  // size of the labels
};

// Explains the distance of pixel (x, y) of a map of these labels, or of these masses, which lie in
// host memory. A pixel outside is an InvalidArgument.
FOVEA_API MapExplanation explain(const Mapper& mapper, ImageView<const std::uint8_t> labels, int x,
                                 int y);
FOVEA_API MapExplanation explain_histograms(const Mapper& mapper,
                                            ImageView<const std::uint16_t> masses, int x, int y);
// The same for a frame of a scene, in host memory; bins have names and colors then.
FOVEA_API MapExplanation explain(const SceneMapper& mapper, const BandFrame& frame, int x, int y);

FOVEA_API void describe(FieldVisitor& visit, MapExplanation& why);
FOVEA_API report::Explanation present(const MapExplanation& explanation);
// A picture of the moves: the pixel's histogram on the left, the target's on the right, and between
// them bands as thick as the mass that moves and as bright as its cost.
FOVEA_API Image<std::uint8_t> draw_moves(const MapExplanation& explanation, int width = 640);

// Scores of the places of a target's box within reach, on a grid: the value in column i and row j
// belongs to the box whose upper left corner is moved by left + i * step and top + j * step pixels.
// Where there is no filter, or parts are not compared, those images are empty.
struct ScoreLandscape {
  int left = 0;
  int top = 0;
  int step = 1;
  Image<float> total{};   // color - motion - parts - filter; NaN where a place is out of the frame
  Image<float> color{};   // likelihood inside less that in the ring around, as Track::score
  Image<float> motion{};  // cost of the step
  Image<float> parts{};   // cost of the parts' distances
  Image<float> filter{};  // cost of the filter's response, 0 where it is 1
};

// What the score of a place is made of: total = color - motion - parts - filter.
struct PlaceShares {
  Rect<double> box{};
  double total = 0;
  double color = 0;
  double motion = 0;
  double parts = 0;
  double filter = 0;
  std::optional<double> response{};  // of the filter, 1 for the target as it was learned
};

struct TrackExplanation {
  Track track{};                     // where the target is now
  Rect<double> from{};               // where it was in the frame before
  int reach = 0;                     // pixels that were searched in each direction
  PlaceShares place{};               // the best place within reach
  PlaceShares stayed{};              // the place of the frame before
  double first_score = 0;            // color of the first frame, with which scores are compared
  bool doubtful = false;             // the color of the best place is too low
  int doubtful_frames = 0;           // in a row
  bool searched_everywhere = false;  // the target counts as lost, and the whole frame was searched
  ScoreLandscape landscape{};
  Image<float> likelihood{};  // that pixels belong to the target, of the part that was mapped
  Rect<int> mapped{};         // that part
  Extent image{};             // size of the frame
};

FOVEA_API void describe(FieldVisitor& visit, TrackExplanation& why);
FOVEA_API report::Explanation present(const TrackExplanation& explanation);

}  // namespace fovea::emd
