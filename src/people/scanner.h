// The interface between the Detector and a kind of model: one scanner per kind and device, which
// scores every window of a plan and keeps its memory between images.
#pragma once
#include <fovea/people/detector.h>

#include <memory>
#include <vector>

namespace fovea::people {

// A window that passed.
struct Hit {
  int level = 0;
  int column = 0;
  int row = 0;
  float score = 0;
  bool operator==(const Hit&) const = default;
};

class StepClock;  // people/steps.h

struct ScanResult {
  std::vector<Hit> hits;  // ordered by level, row and column
  ScanCounts counts;
};

struct ScanRequest {
  ImageView<const std::uint8_t> image;  // 1, 3 or 4 channels, of which the first three are used
  const ScanPlan& plan;
  float threshold;             // least score of a hit; with -infinity every window is a hit
  StepClock* clock = nullptr;  // gets the times of the steps
};

class Scanner {
 public:
  virtual ~Scanner() = default;
  virtual ScanResult scan(const ScanRequest& request, const Exec& exec) = 0;
};

}  // namespace fovea::people

// The model must outlive its scanner.
namespace fovea::people {
std::unique_ptr<Scanner> make_scanner(const Model& model, bool cuda);  // of the model's kind
}
namespace fovea::people::cpu {
std::unique_ptr<Scanner> make_linear_scanner(Kind kind, const LinearModel& model);
std::unique_ptr<Scanner> make_cascade_scanner(const CascadeModel& model);
std::unique_ptr<Scanner> make_channels_scanner(const ChannelsModel& model);
std::unique_ptr<Scanner> make_filtered_scanner(const FilteredModel& model);
}  // namespace fovea::people::cpu

namespace fovea::people::cuda {
std::unique_ptr<Scanner> make_linear_scanner(Kind kind, const LinearModel& model);
std::unique_ptr<Scanner> make_cascade_scanner(const CascadeModel& model);
std::unique_ptr<Scanner> make_channels_scanner(const ChannelsModel& model);
std::unique_ptr<Scanner> make_filtered_scanner(const FilteredModel& model);
}  // namespace fovea::people::cuda
