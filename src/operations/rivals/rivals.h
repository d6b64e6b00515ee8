// Other libraries on the same inputs, through the module of rivals.
#pragma once
#include <fovea/emd/track.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

struct FoveaRivalTable;

namespace fovea {
class Graph;
namespace io {
struct TriangleMesh;
}
}  // namespace fovea

namespace fovea::operations {

struct RivalShape {
  int width = 0;
  int height = 0;
  int channels = 1;
  int to_width = 0;  // width of the result, where its size differs
  int to_height = 0;
  int taps = 0;         // width of a kernel, where there is one
  double ratio = 0;     // step between the levels of a scan, where there is one
  int bins = 0;         // bins of histograms, where there are some
  double distinct = 0;  // share of histograms that are distinct
  int disparities = 0;  // number of disparities from 0 on, for a stereo pair
};

// Files that a whole program of a rival reads and writes.
struct RivalFiles {
  std::vector<std::string> inputs{};
  std::vector<std::string> outputs{};  // one per input; empty where nothing is written
};

// What rivals work on. Each kind of input is empty where a case does not have it.
struct RivalCase {
  std::string name;  // "gradient_sobel_u8", or the name of a whole verb: "flow", "stereo"
  RivalShape shape;
  std::shared_ptr<const Image<std::uint8_t>> image{};
  std::shared_ptr<const Image<std::uint8_t>> second{};
  std::vector<double> ground{};
  std::shared_ptr<const Graph> graph{};
  std::shared_ptr<const io::TriangleMesh> mesh{};
  RivalFiles files{};
};

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
  std::vector<Work> prepare(const RivalCase& contest, int threads) const;

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

}  // namespace fovea::operations
