// What fovea flow segment shares between a pair of images and a video.
#pragma once
#include <fovea/flow/flow.h>
#include <fovea/flow/segment.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>

#include <optional>
#include <string>

#include "cli/flow/flow.h"

namespace fovea::cli {

struct SegmentRequest {
  std::string output{};
  std::string picture{};
  std::string table{};
  std::string truth{};
  std::string image{};
  flow::SegmentPairOptions pair{};
};
void describe(OptionVisitor& visit, SegmentRequest& request);

// A table of regions, one per row, while it is written.
class RegionTable {
 public:
  // Writes nothing where the path is empty.
  explicit RegionTable(const std::string& path);
  void add(std::int64_t frame, const flow::MotionSegments& segments);
  void finish();

 private:
  std::optional<io::FileSink> file_{};
  std::optional<io::RecordTable> table_{};
};

// What is printed: of a pair or a field its regions, of a video how many there are.
struct DividedReport {
  struct Video {
    std::int64_t frames = 0, dropped = 0, divided = 0;
    double mean_regions = 0;
    bool interrupted = false;
  };
  std::optional<std::string> field{}, first{}, second{}, input{}, output{}, picture{}, table{};
  std::optional<int> width{}, height{};
  std::optional<flow::MotionSegments> segments{};
  std::optional<flow::SegmentReport> agreement{};  // with the truth
  std::optional<Video> video{};
  std::optional<double> estimate_seconds{}, segment_seconds{};
  std::optional<std::uint64_t> peak_memory_bytes{};
};
void describe(FieldVisitor& visit, DividedReport& report);
// With the files that a request names.
DividedReport divided_report(const SegmentRequest& request);

// Regions along a video, a folder or a list of images, as estimate_video() has fields.
int segment_video(const SegmentRequest& request, Context& context);

}  // namespace fovea::cli
