// flow segment: regions of like motion of a pair of images or a field, or along a video.
#include <fovea/core/error.h>
#include <fovea/flow/segment.h>
#include <fovea/io/image_path.h>
#include <fovea/io/inputs.h>
#include <fovea/io/record_io.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/words.h"
#include "operations/flow/images.h"
#include "operations/make_operation.h"
#include "operations/measure.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_flow_segment {
namespace {

struct SegmentRequest {
  std::string truth{};
  std::string image{};
  flow::SegmentPairOptions pair{};
};

void describe(OptionVisitor& visit, SegmentRequest& request) {
  visit.path("truth", request.truth, TextUse::kInput,
             "image of the true labels of a pair, in which 0 is not known: the Rand index and the "
             "covering are reported");
  visit.path("image", request.image, TextUse::kInput,
             "first image of a field that is divided: borders are drawn to its edges, and the "
             "picture over it");
  describe(visit, request.pair);
}

struct Setup {
  SegmentRequest asked{};
  bool field = false;  // a field is divided, whose motion is known
  std::uint64_t max_pixels = 0;
  std::function<io::AnyImage(const std::string& path)> image{};  // reads one
};

// A pair, a field or a step along a video, and its regions.
struct Divided {
  ImagePair pair{};
  io::FlowField field{};
  const Step* step = nullptr;    // null for a pair and a field
  Image<std::uint8_t> shown{};   // what borders are drawn over; empty for a field without an image
  Image<std::uint16_t> truth{};  // empty where it is not given
  flow::MotionSegments segments{};
  flow::SegmentReport agreement{};
  double estimate_seconds = 0, segment_seconds = 0;
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

void describe(FieldVisitor& visit, DividedReport::Video& video) {
  visit("frames", video.frames, "frames that were read");
  visit("dropped", video.dropped, "of a live source: frames that were not looked at");
  visit("divided", video.divided, "frames that were divided");
  visit("mean_regions", video.mean_regions, "regions of a frame on average");
  visit("interrupted", video.interrupted, "whether the run ended before the video did");
}

void describe(FieldVisitor& visit, DividedReport& report) {
  visit.record("DividedMotion", "regions of like motion");
  visit("field", report.field, "the field of motion that was divided");
  visit("first", report.first, "of a pair: the first image");
  visit("second", report.second, "of a pair: the second image");
  visit("input", report.input, "the video, or the first of several images");
  visit("output", report.output, "image or folder of the labels");
  visit("picture", report.picture, "picture or video of the regions");
  visit("table", report.table, "CSV file of the regions");
  visit("width", report.width, "of a pair or field", {.unit = "pixels"});
  visit("height", report.height, "of a pair or field", {.unit = "pixels"});
  visit("segments", report.segments, "of a pair or field", {.flat = true});
  visit("agreement", report.agreement, "with the truth", {.flat = true});
  visit("video", report.video, "of a video", {.flat = true});
  visit("estimate_seconds", report.estimate_seconds, "time of the estimation", {.unit = "seconds"});
  visit("segment_seconds", report.segment_seconds, "time of the division", {.unit = "seconds"});
  visit("peak_memory_bytes", report.peak_memory_bytes, "most memory of the process",
        {.unit = "bytes"});
}

struct Count {
  flow::LabelKeeper labels{};
  Divided still{};  // a pair or a field
  std::int64_t regions = 0;
  DividedReport report{};
};

// Whether the input is a field of motion: a single file of a kind that holds fields and no video.
bool is_field(const std::vector<std::string>& inputs) {
  if (inputs.size() != 1 || inputs[0].find('%') != std::string::npos ||
      std::filesystem::is_directory(inputs[0]))
    return false;
  return io::has_extension(
      inputs[0], {.name = "field", .extensions = {"flo", "pfm", "npy", "tif", "tiff", "png"}});
}

bool is_still(const std::vector<std::string>& inputs) {
  return inputs.size() == 2 || is_field(inputs);
}

void settle(Setup& setup, const Plan& plan) {
  const SegmentRequest& request = setup.asked;
  setup.field = is_field(plan.inputs);
  const bool video = !is_still(plan.inputs);
  if (plan.files.empty() && (video || (request.truth.empty() && !plan.json)))
    throw InvalidArgument(
        "flow segment needs -o OUT, --picture FILE, --table FILE or, for a pair, --truth FILE");
  if (video && !request.truth.empty())
    throw InvalidArgument("--truth holds the labels of a pair of images, but a video was given");
  if (!setup.field && !request.image.empty())
    throw InvalidArgument(
        "--image is the first image of a field that is divided; leave it out, or give a single "
        "field such as a.flo");
  const flow::SegmentPairOptions usual;
  if (setup.field && (request.pair.method != usual.method || request.pair.quality != usual.quality))
    throw InvalidArgument(fmt::format(
        "{}: is a field, whose motion is not estimated; leave out --method and --quality",
        plan.inputs[0]));
}

std::vector<std::string> read_beside(const Setup& setup, const std::string&) {
  std::vector<std::string> files{setup.asked.truth, setup.asked.image};
  std::erase(files, "");
  return files;
}

flow::SegmentPairOptions options_for(const Setup& setup, const Exec& exec) {
  flow::SegmentPairOptions options = setup.asked.pair;
  options.exec = exec;
  options.exec.progress = {};
  return options;
}

void begin(Setup& setup, const Exec& exec, const Plan& plan) {
  setup.asked.pair = options_for(setup, exec);
  setup.max_pixels = plan.max_pixels;
  setup.image = plan.image;
}

flow::Estimator estimator(const Setup& setup, const Exec& exec) {
  return flow::Estimator(estimation_options(options_for(setup, exec)));
}

void require_size(const std::string& path, const io::AnyImage& image, Extent size,
                  const char* what) {
  if (image.width() != size.width || image.height() != size.height)
    throw FormatError(
        fmt::format("{}: is {}x{}, but {} {}x{}; {} one size", path, image.width(), image.height(),
                    what, size.width, size.height,
                    std::string_view(what).starts_with("its") ? "all have" : "both have"));
}

// Labels of an image of integers of one channel.
Image<std::uint16_t> read_labels(const Setup& setup, Extent size) {
  const std::string& path = setup.asked.truth;
  const io::AnyImage image = setup.image(path);
  if (image.channels() != 1)
    throw FormatError(
        fmt::format("{}: has {} channels; an image of labels has 1", path, image.channels()));
  require_size(path, image, size, "its images are");
  Image<std::uint16_t> labels(size.width, size.height);
  std::visit(
      [&]<class T>(const ImageView<const T>& samples) {
        for (int y = 0; y < size.height; ++y) {
          for (int x = 0; x < size.width; ++x) {
            const auto value = static_cast<double>(samples.at(x, y));
            if (!(value >= 0 && value <= 65535))
              throw FormatError(fmt::format(
                  "{}: the label of pixel ({}, {}) is {}; expected 0 to 65535", path, x, y, value));
            labels.at(x, y) = static_cast<std::uint16_t>(value);
          }
        }
      },
      image.view());
  return labels;
}

void read(const Setup& setup, const Source& source, Divided& item) {
  const SegmentRequest& request = setup.asked;
  if (!setup.field) {
    item.pair = read_pair(source);
    item.shown = picture_bytes(item.pair.first);
    if (!request.truth.empty())
      item.truth = read_labels(setup, {item.shown.width(), item.shown.height()});
    return;
  }
  item.field = io::read_flow(source.name, {.max_pixels = setup.max_pixels});
  const Extent size{item.field.width(), item.field.height()};
  if (!request.truth.empty()) item.truth = read_labels(setup, size);
  if (request.image.empty()) return;
  const io::AnyImage image = flow_image(setup.image(request.image));
  require_size(request.image, image, size, "the field is");
  item.shown = picture_bytes(image);
}

void run_still(const Setup& setup, flow::Estimator& estimator, Divided& item) {
  const flow::SegmentOptions options = division_options(setup.asked.pair);
  const double start = steady_seconds();
  double estimated = start;
  if (setup.field) {
    item.segments =
        flow::segment_motion(item.field, item.field.confidence, item.shown.view(), options);
  } else {
    const flow::Flow field = estimate_pair(estimator, item.pair, {});
    estimated = steady_seconds();
    item.segments =
        flow::segment_motion({field.u, field.v}, field.confidence, item.shown.view(), options);
  }
  item.estimate_seconds = estimated - start;
  item.segment_seconds = steady_seconds() - estimated;
  if (!setup.asked.truth.empty())
    item.agreement = flow::evaluate_segments(item.segments.labels, item.truth);
}

void run(const Setup& setup, flow::Estimator& estimator, Divided& item) {
  if (item.step == nullptr) return run_still(setup, estimator, item);
  if (!item.step->before) return;
  const Image<std::uint8_t>& before = item.step->before->pixels();
  const flow::Flow field = estimator.estimate(before, item.step->now->pixels());
  item.segments = flow::segment_motion({field.u, field.v}, field.confidence, before.view(),
                                       division_options(setup.asked.pair));
}

void take(const Setup&, const Step& step, Divided& item) {
  item.step = &step;
  step.now->pixels();
}

// A frame with the field, the estimator and the labels takes 240 bytes per pixel.
std::uint64_t memory(const Setup&, std::uint64_t bytes) { return bytes / 3 * 240; }

Image<std::uint8_t> paint(const Setup&, std::size_t, const Divided& item) {
  const Image<std::uint8_t>& shown =
      item.step != nullptr ? item.step->before->pixels() : item.shown;
  return flow::segments_picture(item.segments.labels.view(), shown.view());
}

void tally(Count& count, Divided& item) {
  count.regions += static_cast<std::int64_t>(item.segments.regions.size());
  if (item.step == nullptr) count.still = std::move(item);
}

double mean_regions(const Count& count, const Ended& ended) {
  return ended.results > 0 ? static_cast<double>(count.regions) / static_cast<double>(ended.results)
                           : 0;
}

RecordRef report(const Setup& setup, Count& count, const Ended& ended) {
  const Plan& plan = ended.plan;
  const auto named = [&](std::string_view output) {
    return plan.writes(output) ? std::optional(plan.files.find(output)->second.front())
                               : std::nullopt;
  };
  DividedReport& report = count.report;
  report = {.output = named("output"), .picture = named("picture"), .table = named("table")};
  (!ended.still ? report.input : setup.field ? report.field : report.first) = plan.inputs[0];
  if (plan.times) report.peak_memory_bytes = peak_memory_bytes();
  if (!ended.still) {
    report.video = {ended.frames, ended.dropped, ended.results, mean_regions(count, ended),
                    !ended.whole};
    return record_ref(report);
  }
  Divided& still = count.still;
  if (!setup.field) report.second = plan.inputs[1];
  report.width = still.segments.labels.width();
  report.height = still.segments.labels.height();
  if (!setup.asked.truth.empty()) report.agreement = still.agreement;
  if (plan.times && !setup.field) report.estimate_seconds = still.estimate_seconds;
  if (plan.times) report.segment_seconds = still.segment_seconds;
  report.segments = std::move(still.segments);
  return record_ref(report);
}

std::string regions_text(const flow::MotionSegments& segments) {
  std::string text = fmt::format("{:>5} {:>5} {:>20} {:>8} {:>8} {:>8} {:>8}\n", "label", "layer",
                                 "box", "share %", "u px", "v px", "residual");
  for (const flow::MotionRegion& region : segments.regions)
    text += fmt::format(
        "{:>5} {:>5} {:>20} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.3f}\n", region.label, region.layer,
        fmt::format("{},{},{},{}", region.box.x, region.box.y, region.box.width, region.box.height),
        100 * region.share, region.u, region.v, region.residual);
  return text;
}

std::string report_text(const Setup& setup, Count& count, const Ended& ended) {
  const bool times = ended.plan.times;
  if (!ended.still)
    return fmt::format("{}: {} of {} divided{}, {:.1f} regions on average{}\n",
                       ended.plan.inputs[0], ended.results, detail::counted(ended.frames, "frame"),
                       dropped_text(ended.dropped), mean_regions(count, ended),
                       time_at_end(times, ended.seconds));
  const Divided& still = count.still;
  const flow::MotionSegments& segments = still.segments;
  const bool compared = !setup.asked.truth.empty();
  std::string text =
      fmt::format("{} of {}{}\n", detail::counted(segments.regions.size(), "region"),
                  detail::counted(segments.layers, "motion"),
                  time_at_end(times, still.estimate_seconds + still.segment_seconds));
  if (!ended.plan.writes("table") || compared) text += regions_text(segments);
  if (compared)
    text += fmt::format("Rand index {:.4f}, adjusted {:.4f}, covering {:.4f}\n",
                        still.agreement.rand_index, still.agreement.adjusted_rand_index,
                        still.agreement.covering);
  return text;
}

// The columns of a region: its frame before, and the terms of its motion behind it.
struct RegionFrame {
  std::int64_t frame = 0;
};
void describe(FieldVisitor& visit, RegionFrame& row) {
  visit("frame", row.frame, "number of the frame, from 0");
}
struct MotionTerms {
  flow::AffineMotion motion{};
};
void describe(FieldVisitor& visit, MotionTerms& row) {
  constexpr std::array kNames{"a0", "a1", "a2", "b0", "b1", "b2"};
  for (std::size_t i = 0; i < kNames.size(); ++i)
    visit(kNames[i], row.motion.terms[i], "a term of the motion");
}

// A table of regions, one per row.
class RegionTable final : public SharedFileOf<flow::MotionSegments> {
 public:
  explicit RegionTable(const std::string& path) : file_(path) {
    const RegionFrame frame;
    const flow::MotionRegion region;
    const MotionTerms terms;
    table_.emplace(file_.sink(), io::TableFormat::kCsv,
                   std::array{record_ref(frame), record_ref(region), record_ref(terms)});
  }
  void commit(const std::string&) override {
    table_->finish();
    file_.commit();
  }

 private:
  void write(const io::Place& place, const flow::MotionSegments& segments) override {
    const RegionFrame number{place.moment ? place.moment->frame : 0};
    for (const flow::MotionRegion& each : segments.regions) {
      const MotionTerms terms{each.motion};
      table_->row({record_ref(number), record_ref(each), record_ref(terms)});
    }
  }

  io::FileSink file_;
  std::optional<io::RecordTable> table_{};
};

std::vector<OutputOf<Setup, Divided>> outputs() {
  return {
      {.about = {.name = "output",
                 .help = "image of the labels, 1 and on, with 16 bits: .png, .npy or .tif; for a "
                         "video the folder of its images"},
       .write = [](const Setup&, const Divided& item,
                   const std::string& path) { io::write_image(path, item.segments.labels.view()); },
       .check =
           [](const std::string& path) {
             io::require_image_path(path, io::SampleType::kUint16, 1);
           },
       .ending = [](const Setup&) { return std::string("png"); }},
      {.about = {.name = "picture",
                 .help = "picture of the regions in colors over the first image; for a video a "
                         "video or a folder",
                 .dash = Dash::kWriter,
                 .picture = true},
       .check =
           [](const std::string& path) { io::require_image_path(path, io::SampleType::kUint8, 3); },
       .paint = paint},
      {.about = {.name = "table",
                 .help = "CSV file with one row per region",
                 .share = Share::kOneFile,
                 .dash = Dash::kWriter},
       .open = [](const std::string& path) -> std::unique_ptr<SharedFile> {
         return std::make_unique<RegionTable>(path);
       }}};
}

}  // namespace
}  // namespace of_flow_segment

Operation flow_segment() {
  using namespace of_flow_segment;
  return make_operation<Setup, Divided, flow::Estimator, Count>(
      {.words =
           {.system = "flow",
            .verb = "segment",
            .summary = "divide an image or a video into regions of like motion",
            .text = "Estimates the motion of every pixel and divides the image into connected "
                    "regions whose "
                    "motion is affine, u = a0 + a1 x + a2 y and v = b0 + b1 x + b2 y: what moves, "
                    "turns or "
                    "grows as one. Regions of one motion that do not touch share a layer. Pixels "
                    "that only "
                    "the first image shows, and those without texture, go with their neighbors. "
                    "Along a "
                    "video each frame but the last is divided by its motion to the next, and a "
                    "region keeps "
                    "its label while it overlaps itself; of a camera or stream, frames that were "
                    "dropped are "
                    "left out. A single field of motion is divided as it is. The motion may be "
                    "estimated on "
                    "a GPU; the division is done on the CPU.",
            .arguments =
                {{"INPUT",
                  "two images; or a field of motion (.flo, KITTI's .png, .pfm, .npy or .tif); "
                  "or a video, a folder of images, three or more images, - for y4m "
                  "on standard input, camera:N, or the address of a stream",
                  1, kAnyNumber}},
            .examples = {{"fovea flow segment a.png b.png -o labels.png --picture regions.png",
                          "divide the first image"},
                         {"fovea flow segment walk.mp4 --picture regions.mp4 --table regions.csv",
                          "draw and list the regions of every frame"},
                         {"fovea flow segment a.png b.png --layers 2 --table regions.csv",
                          "part what moves from the rest"},
                         {"fovea flow segment ab.flo --image a.png -o labels.png",
                          "divide a field that is there already"}}},
       .input = InputKind::kFrames,
       .alone_on_gpu = true,
       .pairs = "motion",
       .outputs = outputs(),
       .settle = settle,
       .cpu_only = [](const Setup& setup,
                      const Plan&) { return std::string(setup.field ? "fields are divided" : ""); },
       .read_beside = read_beside,
       .begin = begin,
       .worker = estimator,
       .read = read,
       .run = run,
       .is_still = is_still,
       .take = take,
       .follow = [](Count& count, Divided& item) { count.labels.label(item.segments); },
       .report = report,
       .report_text = report_text,
       .memory = memory,
       .result = [](const Divided& item) { return record_ref(item.segments); },
       .tally = tally},
      sample_record<DividedReport>);
}

}  // namespace fovea::operations
