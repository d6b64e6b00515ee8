// Times of other libraries: measured through the module of rivals, or read from a file.
#pragma once
#include <fovea/emd/track.h>

#include <functional>
#include <string>
#include <vector>

#include "cli/bench/bench.h"

struct FoveaRivalTable;

namespace fovea::cli {

// The module fovea_rivals.so, found beside the program or in ../lib/fovea. Once loaded it stays
// loaded, because its libraries may have threads of their own.
class Rivals {
 public:
  Rivals();

  // Returns a name such as "OpenCV 4.6.0", or empty where the module cannot be used.
  std::string source_name() const;
  // Why the module cannot be used; empty where it can.
  const std::string& absence() const { return absence_; }

  struct Work {
    std::string rival;  // "cv::spatialGradient"
    std::function<void()> work;
    std::function<const float*()> result;  // result of the last run; may be empty
  };
  // One per rival that supports the case, in the order of the module.
  std::vector<Work> prepare(const BenchCase& bench_case, int threads) const;

  // A tracker that has seen a target's box in its first frame; next() returns the target's place.
  struct TrackWork {
    std::string rival;  // "CamShift hue"
    std::function<Rect<double>(ImageView<const std::uint8_t> frame)> next;
  };
  std::vector<TrackWork> begin_tracks(ImageView<const std::uint8_t> frame,
                                      const Rect<double>& box) const;

 private:
  const FoveaRivalTable* table_ = nullptr;
  std::string absence_;
};

// Adds times from another program's file to our rows. The file holds a list of objects, or an
// object with a list "rows", each with name, size, device, rival and seconds. Where a row already
// has a rival, the faster one is kept. Returns how many rows were matched; throws IoError or
// FormatError.
int merge_rivals(const std::string& path, std::vector<BenchRow>& rows);

}  // namespace fovea::cli
