// fovea emd map: computes the distance between the signature of every pixel and that of a target.
#include "cli/emd/map.h"

#include <fovea/core/error.h>
#include <fovea/io/frames.h>

#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>

#include "cli/emd/emd.h"
#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/progress.h"
#include "cli/program/run.h"
#include "operations/emd/targets.h"

namespace fovea::cli {

void describe(OptionVisitor& visit, MapRequest& request) {
  visit.path("output", request.output, TextUse::kOutput,
             "file for the map, .tif, .tiff, .npy or .pfm; several frames become the pages of one "
             "TIFF, or files in a folder");
  visit("target", request.target,
        "box x,y,width,height in the first frame, or an image or cube that shows only the target",
        {.use = TextUse::kInput, .value_name = "X,Y,W,H|FILE"});
  visit.path("picture", request.picture, TextUse::kOutput,
             "file for a colored picture of the map, bright where the distance is small; for "
             "several frames a video or a folder");
  visit.path("truth", request.truth, TextUse::kInput,
             "image, cube or FILE.mat:NAME whose pixels other than 0 are the target; reports the "
             "area under the ROC curve, and those of spectral angle, sum of differences, matched "
             "filter and adaptive cosine estimator (ACE)");
  visit("variable", request.read.variable,
        "name of the array to read from a .mat file; the default is the largest",
        {.value_name = "NAME"});
  visit.path("mask", request.mask, TextUse::kInput,
             "image, cube or FILE.mat:NAME of the frame's size: only its pixels other than 0 are "
             "mapped, and all others get NaN");
  describe(visit, request.map);
  describe(visit, request.regions);
  describe_explain(visit, request.explain,
                   "say which mass moves where between the signature of this pixel of the first "
                   "frame and the target's, instead of making a map",
                   "X,Y");
  describe_explain_picture(visit, request.explain_picture);
}

emd::SceneMapper frame_mapper(const MapRequest& request, const BandFrame& first, const Exec& exec) {
  emd::SceneMapOptions options = request.map;
  options.keep_spectrum = !request.truth.empty();
  options.exec = exec;
  const operations::TargetWord target = operations::parse_target(request.target);
  const auto* box = std::get_if<Rect<double>>(&target);
  emd::SceneMapper mapper =
      box != nullptr
          ? emd::SceneMapper(
                first, operations::box_within(*box, first.bands.width(), first.bands.height()),
                options)
          : emd::SceneMapper(first, emd::read_bands(request.target, request.read), options);
  if (!request.mask.empty()) {
    const Image<std::uint8_t> mask = read_mask(request.mask, request.read);
    if (mask.width() != first.bands.width() || mask.height() != first.bands.height())
      throw InvalidArgument(fmt::format("--mask {} has {}x{} pixels, but {} has {}x{}",
                                        request.mask, mask.width(), mask.height(), first.name,
                                        first.bands.width(), first.bands.height()));
    mapper.set_mask(mask);
  }
  return mapper;
}

namespace {

void check_request(const MapRequest& request, Context& context) {
  check_explain(request.explain, {2}, request.explain_picture);
  const bool maps = !request.output.empty() || !request.picture.empty() || !request.truth.empty() ||
                    request.regions.wanted();
  if (maps && !request.explain.empty())
    throw InvalidArgument(
        "--explain makes no map; leave out -o, --picture, --truth and the options of --detect");
  if (!maps && request.explain.empty())
    throw InvalidArgument(
        "emd map has nothing to do; give -o MAP.tif, --picture FILE, --detect, --truth FILE or "
        "--explain X,Y");
  if (request.target.empty())
    throw InvalidArgument("emd map needs --target x,y,width,height or --target FILE");
  if (request.map.window_side() % 2 == 0)
    throw InvalidArgument(
        fmt::format("--window is {}; expected an odd number of pixels", request.map.window_side()));
  const auto exact = static_cast<double>(request.map.threshold);
  const std::optional<double>& detect = request.regions.options.threshold;
  if (detect && exact > 0 && *detect > exact)
    throw InvalidArgument(
        fmt::format("--detect-threshold {} lies above --threshold {}, up to which distances are "
                    "exact",
                    *detect, exact));
  check_outputs(context,
                {{"-o", request.output},
                 {"--picture", request.picture},
                 {"--coco", request.regions.coco},
                 {"--csv", request.regions.csv},
                 {"--found-mask", request.regions.found_mask},
                 {"--overlay", request.regions.overlay},
                 {"--explain-picture", request.explain_picture}},
                {request.target, request.truth, request.mask});
}

std::vector<std::string> addresses_of(const Context& context) {
  std::vector<std::string> addresses;
  for (const std::string& input : context.inputs) addresses.push_back(context.address_of(input));
  return addresses;
}

}  // namespace

BandFrames map_frames(const MapRequest& request, const Context& context,
                      const io::VideoReadOptions& video) {
  return BandFrames(addresses_of(context), request.map.spectral() || request.map.band, request.read,
                    video);
}

namespace {

// Frames are read, decoded, prepared (labeled, or uploaded to a GPU and made to signatures),
// mapped, compressed and written at the same time. One mapper maps them in order, because frames
// share solved histograms. A pass over ranges of frames begins with the map of the first frame of
// all, which determines thresholds and colors.
class MapRun final : public FramePass {
 public:
  MapRun(const MapRequest& request, Context& context)
      : request_(request),
        context_(context),
        frames_(map_frames(request, context, video_options(context))),
        plan_(frames_.plan(context.exec)),
        files_(request, frames_.facts()),
        regions_(request.regions, frames_.facts()) {
    if (!request.truth.empty() && !frames_.single())
      throw InvalidArgument("--truth is one image and needs one frame, but there are several");
  }

  MapRun(const MapRequest& request, Context& context, const MapRange& range)
      : request_(request),
        context_(context),
        range_(range),
        frames_(map_frames(request, context, pass_options(context, range.frames))),
        plan_(frames_.plan(context.exec)),
        files_(request, range.facts, FrameResults::kApart),
        regions_(request.regions, range.facts, FrameResults::kApart),
        next_(range.frames.first) {}

  int run() {
    const double start = steady_seconds();
    const io::FrameRun run = pass();
    files_.finish();
    regions_.finish(provenance_json(context_));
    context_.console.end_progress();
    if (frames_.video() != nullptr) note_reading(context_, context_.inputs[0], *frames_.video());
    if (report_.frames == 0) {
      run.rethrow();
      throw FormatError(fmt::format("{}: has no frame", context_.inputs[0]));
    }
    const double seconds = steady_seconds() - start;
    report_.interrupted = !run.whole();
    if (frames_.video() != nullptr) report_.dropped = frames_.video()->dropped();
    report_.mapper = facts_of(*mapper_);
    print_report(report_, request_, context_, seconds);
    run.rethrow();
    return kDone;
  }

  io::FrameRun pass() override {
    if (range_ && range_->frames.first > 0) learn_from_first();
    std::array<Nothing, 1> workers{};
    return io::run_frames<Step, Nothing>(
        workers,
        {.read = [&](Step& step) { return read(step); },
         .bytes = [&](const Step& step) { return frames_.frame_bytes(step.stored); },
         .prepare = [&](Step& step) { prepare(step); },
         .work = [&](Nothing&, Step& step) { work(step); },
         .complete = [&](Step& step) { complete(step); },
         .write = [&](Step& step) { write(step); }},
        {.in_flight = plan_.in_flight,
         .threads = plan_.runners,
         .memory_bytes = context_.memory_bytes,
         .most_bytes = context_.most_bytes,
         .expected = frames_.expected_frames(),
         .exec = context_.exec});
  }

  UnitResult collect() override {
    if (mapped_.frames.empty()) return {};
    MappedRange mapped = std::exchange(mapped_, {});
    mapped.size = report_.size;
    mapped.rate = range_->facts.rate;
    mapped.expected = range_->facts.expected;
    mapped.mapper = facts_of(*mapper_);
    return {.shared = io::pack_record(record_ref(mapped)),
            .files = std::exchange(files_of_range_, {})};
  }

 private:
  struct Nothing {};
  struct Step {
    std::int64_t number = 0;        // of the step
    std::int64_t frame_number = 0;  // in the source, which may be live and drop frames
    StoredBands stored{};
    BandFrame frame{};
    emd::PreparedFrame prepared{};
    Image<float> map{};
    emd::MapReport stats{};
    double seconds = 0;  // in the mapper, including signatures of spectra
    MapFiles::Encoded encoded{};
    FoundRegions regions{};
  };

  // The first frame is decoded here, because the mapper that labels all frames needs it.
  bool read(Step& step) {
    if (!frames_.fetch(step.stored)) return false;
    step.number = next_++;
    step.frame_number = frames_.number_of(step.stored);
    if (mapper_) return true;
    frames_.decode(step.stored, step.frame);
    mapper_.emplace(frame_mapper(request_, step.frame, context_.exec_without_progress()));
    return true;
  }
  // What the first frame of all determines, for a pass that does not begin with it.
  void learn_from_first() {
    BandFrames frames = map_frames(request_, context_, pass_options(context_, {0, 1}));
    Step step;
    if (!frames.next(step.frame)) return;
    mapper_.emplace(frame_mapper(request_, step.frame, context_.exec_without_progress()));
    mapper_->prepare(step.frame, step.prepared, context_.exec.threads);
    mapper_->map(step.prepared, step.map);
    begin(step.map);
  }
  void begin(ImageView<const float> first) {
    files_.begin(first);
    if (request_.regions.wanted()) regions_.begin(first, *mapper_, request_.map);
  }
  void prepare(Step& step) {
    if (step.number > 0) frames_.decode(step.stored, step.frame);
    const double start = steady_seconds();
    mapper_->prepare(step.frame, step.prepared, plan_.in_flight > 1 ? 1 : context_.exec.threads);
    step.seconds = request_.map.spectral() ? steady_seconds() - start : 0;
  }
  void work(Step& step) {
    const double start = steady_seconds();
    mapper_->map(step.prepared, step.map);
    step.seconds += steady_seconds() - start;
    step.stats = mapper_->mapper().report();
    if (step.number == 0) begin(step.map);
  }
  void complete(Step& step) {
    step.encoded = files_.encode(step.map, step.frame_number);
    if (request_.regions.wanted())
      step.regions = regions_.find(step.map, step.frame, step.frame_number);
  }
  void write(Step& step) {
    const ImageView<const float> map = step.map;
    if (range_) range_->units.reach(step.frame_number);
    if (!request_.truth.empty())
      report_.areas =
          areas_of(map, step.frame, request_, *mapper_, context_.exec_without_progress());
    report_.size = {map.width, map.height};
    files_.add(map, step.encoded);
    if (range_) {
      for (const std::string& file : {step.encoded.file, step.encoded.picture_file,
                                      step.regions.mask_file, step.regions.overlay_file})
        if (!file.empty()) files_of_range_.push_back(file);
      mapped_.frames.push_back(step.frame_number);
    }
    if (request_.regions.wanted()) regions_.add(step.regions);
    if (range_) {
      if (request_.regions.wanted()) mapped_.regions.push_back(kept_of(std::move(step.regions)));
      return;
    }
    ++report_.frames;
    if (!report_.stats) report_.stats.emplace();
    *report_.stats += step.stats;
    if (!report_.frame_stats) report_.frame_stats.emplace();
    if (request_.regions.wanted())
      report_.add_regions(step.frame_number, std::move(step.regions.found));
    else report_.frame_stats->push_back({.frame = step.frame_number});
    report_.frame_stats->back().stats = step.stats;
    if (reports_times(context_)) report_.frame_stats->back().seconds = step.seconds;
  }
  // All but what was drawn, which is large.
  static FoundRegions kept_of(FoundRegions&& regions) {
    regions.found.labels = {};
    regions.overlay = {};
    return std::move(regions);
  }

  const MapRequest& request_;
  Context& context_;
  std::optional<MapRange> range_{};  // nothing for a run over all frames
  BandFrames frames_;
  io::FrameWorkers plan_;
  MapFiles files_;
  RegionFiles regions_;
  std::int64_t next_ = 0;
  std::optional<emd::SceneMapper> mapper_{};
  MapReport report_{};
  std::vector<std::string> files_of_range_{};
  MappedRange mapped_{};  // of the range that is being worked on
};

int run_map(MapRequest& request, Context& context) {
  check_request(request, context);
  resolve_device(context);
  request.read.max_pixels = context.max_pixels;
  request.read.most_bytes = context.most_bytes;
  if (!request.explain.empty()) return explain_map(request, context);
  if (context.unit_frames == 0) return MapRun(request, context).run();
  return map_in_ranges(request, context, [&](const MapRange& range) {
    return std::make_unique<MapRun>(request, context, range);
  });
}

}  // namespace

Command emd_map_command() {
  return {
      .system = "emd",
      .verb = "map",
      .summary = "map the exact Earth Mover's Distance of every pixel's signature to a target's",
      .text =
          "The signature of a pixel is the histogram of a window around it over levels of one "
          "band or over colors that are learned from the target and the first frame, or the "
          "pixel's own spectrum: its bands, or its contrast to the scene. A histogram "
          "that has occurred before, in this frame or in an earlier one, is looked up, and every "
          "other one is solved; the map is the same as if all were solved. With --threshold, most "
          "distances above it are not solved: a bound proves that they lie above it. Contrast is "
          "learned from the first frame. Values that are NaN or infinite stand for missing "
          "measurements: a window of levels does not count them, and a spectrum with one gets the "
          "greatest distance. With --score fused, a map of spectra holds the share of the first "
          "frame that resembles the target as much as the pixel does, by the distance, the "
          "spectral angle and the angle between contrasts together. With --detect, regions are "
          "found where distances are small. In a "
          "video "
          "the first frame chooses the threshold for all frames. When a video breaks off or Ctrl-C "
          "is pressed, the maps made so far "
          "are kept.",
      .arguments = {{"INPUT",
                     "image or cube (ENVI, .mat, TIFF, or a folder of bands with --band or a "
                     "spectral signature); or several frames: images or cubes, a folder of images "
                     "or of cubes (.hdr, .mat), a video, - for y4m on standard input, camera:N, or "
                     "the address of a stream",
                     1, kAnyNumber}},
      .examples = {{"fovea emd map a.png --target 120,80,24,24 -o map.tif --picture map.png",
                    "compare 11 levels of gray in windows of 11x11 pixels"},
                   {"fovea emd map traffic.mp4 --target car.png --threshold 0.5 -o maps/",
                    "map a video, exactly up to a distance of 0.5"},
                   {"fovea emd map a.png --target 120,80,24,24 --signature colors --coco f.json",
                    "find regions with the target's colors"},
                   {"fovea emd map a.png --target 120,80,24,24 --signature colors --explain 9,40",
                    "say which colors of a pixel's window would have to change, and how far"},
                   {"fovea emd map cubes/ --signature contrast --target 40,62,3,3 -o maps/",
                    "map a multispectral video: one cube (.hdr or .mat) per frame"},
                   {"fovea emd map c.hdr --signature contrast --target 40,62,3,3 --truth t.png",
                    "map spectra of a cube and compare the map with spectral angle and others"},
                   {"fovea emd map c.mat --signature bands --score fused --target 9,9,3,3 -o m.tif",
                    "find a target by distance, spectral angle and contrast together"}},
      .request = make_request<MapRequest, run_map>,
      .result = {sample_record<MapReport>},
      .reads_images = true,
      .reads_videos = true,
      .takes_first_frame = true,
      .batches = true,
      .shards = true,
      .repeats_per_input = true,
      .inputs_form_sequence = true,
      .ranges_are_units = true,
      .shared_files = {"csv", "coco"}};
}

}  // namespace fovea::cli
