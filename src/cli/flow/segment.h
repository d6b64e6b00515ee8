// What fovea flow segment shares between a pair of images and a video.
#pragma once
#include <fovea/flow/flow.h>
#include <fovea/flow/segment.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/json_writer.h>

#include <memory>
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
  std::unique_ptr<io::FileSink> file_{};
  std::unique_ptr<io::CsvWriter> csv_{};
};

// Regions along a video, a folder or a list of images, as estimate_video() has fields.
int segment_video(const SegmentRequest& request, Context& context);

}  // namespace fovea::cli
