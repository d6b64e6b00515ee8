// fovea emd map: for every pixel the distance of its signature to a target's.
#include <fovea/colour_map.h>
#include <fovea/cube_io.h>
#include <fovea/emd/map.h>
#include <fovea/emd/signature.h>
#include <fovea/error.h>
#include <fovea/json_writer.h>
#include <fovea/video.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>

#include "cli/batch.h"
#include "cli/emd.h"
#include "cli/emd_frames.h"
#include "cli/flow.h"
#include "cli/run.h"
#include "core/ordered_pipeline.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

enum class Signature : unsigned char { kLevels, kBands, kContrast };
std::span<const Choice> choices(Signature) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"levels", static_cast<int>(Signature::kLevels)},
       {"bands", static_cast<int>(Signature::kBands)},
       {"contrast", static_cast<int>(Signature::kContrast)}}};
  return kChoices;
}

struct MapRequest {
  std::string target{};
  std::string output{};
  std::string picture{};
  std::string truth{};
  std::string variable{};
  Signature signature = Signature::kLevels;
  int bins = 0;
  int band = -1;
  LevelRange range{};
  int window = 0;
  std::string ground{};
  std::string cache = "256M";
  emd::MapOptions map{};

  bool levels() const { return signature == Signature::kLevels; }
};

void describe(OptionVisitor& visit, MapRequest& request) {
  constexpr double kMost = std::numeric_limits<float>::max();
  visit("output", request.output,
        "map to write, a float TIFF; of several frames one page each, or a folder of them");
  visit("target", request.target,
        "x,y,w,h of the first frame, or an image or cube that shows the target alone");
  visit("picture", request.picture,
        "file for a coloured picture of the map, bright where it is near; of several frames a "
        "video or "
        "a folder");
  visit("truth", request.truth,
        "file (or FILE.mat:NAME) whose pixels other than 0 are the target: tells the area under "
        "the ROC curve "
        "beside "
        "those of spectral angle and sum of differences");
  visit("signature", request.signature,
        "levels of one band in a window, or a spectrum: its bands, or its contrast to the scene");
  visit("bins", request.bins, "of a signature; 0: 11 levels, 16 of a spectrum", 0, 64);
  visit("band", request.band, "that levels are taken from; -1: the only one, or grey of three", -1,
        1e6);
  visit("low", request.range.low, "value where the first level starts", -kMost, kMost);
  visit("high", request.range.high,
        "value where the last level ends; equal to low: 0 to 256 for 8 bits, else the first "
        "frame's range",
        -kMost, kMost);
  visit("window", request.window,
        "pixels across the window around a pixel, odd; 0: 11 for levels, 1 for spectra", 0, 255);
  visit("border", request.map.border,
        "a window of levels beyond the border counts less, or the border again");
  visit("ground", request.ground,
        "l1, l2, squared, threshold:T, circular, discrete or a file of costs; empty: threshold:3 "
        "for levels, a spectrum's own");
  visit("threshold", request.map.threshold,
        "greatest distance that must be exact; greater ones may be lower bounds; 0: all exact", 0,
        kMost);
  visit("cache", request.cache,
        "most memory for distances kept from frame to frame, such as 256M; 0 keeps none");
  visit("variable", request.variable, "which array of a .mat file; empty: the largest");
  describe(visit, request.map.solver);
}

void settle_defaults(MapRequest& request) {
  if (request.output.empty() && request.picture.empty() && request.truth.empty())
    throw InvalidArgument(
        "emd map needs -o OUT.tif, --picture FILE or --truth MAP, something to tell");
  if (request.target.empty())
    throw InvalidArgument("emd map needs --target x,y,w,h or --target FILE");
  if (request.window != 0 && request.window % 2 == 0)
    throw InvalidArgument(
        fmt::format("--window is {}; a window with a middle is odd", request.window));
  if (request.range.high < request.range.low)
    throw InvalidArgument(fmt::format("--high {} lies below --low {}; give them in order",
                                      request.range.high, request.range.low));
  if (request.window == 0) request.window = request.levels() ? 11 : 1;
  if (request.bins == 0) request.bins = request.levels() ? 11 : 16;
  request.map.window = request.levels() ? request.window : 1;
  request.map.cache_bytes = request.cache == "0" ? 0 : parse_bytes("cache", request.cache);
  if (request.map.cache_bytes == 0 && request.cache != "0")
    throw InvalidArgument("--cache is empty; give bytes such as 256M, or 0");
}

// What the first frame and the target say of all frames: signatures and the mapper for them.
class FrameMapper {
 public:
  FrameMapper(const MapRequest& request, const BandFrame& first, const Exec& exec)
      : request_(request), exec_(exec), box_(parse_box("target", request.target)) {
    const BandFrame other = box_ ? BandFrame{} : read_bands(request.target, request.variable);
    const BandFrame& shown = box_ ? first : other;
    if (box_) require_inside("target", *box_, first.bands.width(), first.bands.height());
    const emd::PixelBox whole{0, 0, shown.bands.width(), shown.bands.height()};
    const emd::PixelBox box = box_.value_or(whole);
    const bool wanted = !request.levels() || !request.truth.empty();
    if (wanted && shown.bands.count() == first.bands.count())
      spectrum_ = emd::mean_spectrum(shown.bands, box);
    if (request.levels()) use_levels(first, shown, box);
    else use_spectra(first);
  }

  Image<float> map(const BandFrame& frame) {
    if (!spectra_) return mapper_->map(labels_of(frame));
    if (frame.bands.count() != spectra_->bands())
      throw FormatError(fmt::format("{} has {} bands, the first frame {}", frame.name,
                                    frame.bands.count(), spectra_->bands()));
    return mapper_->map_histograms(spectra_->of(frame.bands));
  }
  const emd::Mapper& mapper() const { return *mapper_; }
  const LevelRange& range() const { return range_; }
  const std::optional<emd::PixelBox>& box() const { return box_; }
  const std::vector<float>& spectrum() const { return spectrum_; }  // empty: of other bands

 private:
  void use_levels(const BandFrame& first, const BandFrame& shown, const emd::PixelBox& box) {
    range_ = level_range(grey_band(first, request_.band), first, request_.range);
    const Image<std::uint8_t> labels = labels_of(shown);
    make_mapper(emd::GroundDistance::named(
                    request_.ground.empty() ? "threshold:3" : request_.ground, request_.bins),
                emd::label_histogram(labels.view().crop(box.x, box.y, box.width, box.height),
                                     request_.bins));
  }
  void use_spectra(const BandFrame& first) {
    if (spectrum_.empty())
      throw FormatError(fmt::format("{}: has other bands than {}, which has {}", request_.target,
                                    first.name, first.bands.count()));
    spectra_.emplace(first.bands,
                     emd::SignatureOptions{.kind = request_.signature == Signature::kBands
                                                       ? emd::SignatureKind::kBands
                                                       : emd::SignatureKind::kContrast,
                                           .bins = request_.bins,
                                           .window = request_.window,
                                           .exec = exec_});
    make_mapper(request_.ground.empty()
                    ? spectra_->ground()
                    : emd::GroundDistance::named(request_.ground, spectra_->bins()),
                spectra_->of(spectrum_));
  }
  void make_mapper(const emd::GroundDistance& ground, const std::vector<double>& target) {
    emd::MapOptions options = request_.map;
    options.exec = exec_;
    mapper_.emplace(ground, target, options);
  }
  Image<std::uint8_t> labels_of(const BandFrame& frame) const {
    const Image<float> band = grey_band(frame, request_.band);
    Image<std::uint8_t> labels(band.width(), band.height());
    quantize(band, labels,
             {.levels = request_.bins, .low = range_.low, .high = range_.high, .exec = exec_});
    return labels;
  }

  const MapRequest& request_;
  Exec exec_;
  std::optional<emd::PixelBox> box_;
  std::vector<float> spectrum_{};
  LevelRange range_{};
  std::optional<emd::SpectralSignature> spectra_{};
  std::optional<emd::Mapper> mapper_{};
};

// An image, the first band of a cube, or an array of a .mat file as FILE.mat:NAME.
Image<std::uint8_t> read_truth(const std::string& path) {
  const auto mat = path.rfind(".mat:");
  const std::string file = mat == std::string::npos ? path : path.substr(0, mat + 4);
  const std::string variable = mat == std::string::npos ? "" : path.substr(mat + 5);
  const BandFrame frame = read_bands(file, variable);
  const ImageView<const float> band = frame.bands.plane(0);
  Image<std::uint8_t> truth(band.width, band.height);
  for (int y = 0; y < band.height; ++y)
    for (int x = 0; x < band.width; ++x) truth.at(x, y) = band.at(x, y) != 0 ? 1 : 0;
  return truth;
}

// Areas under the ROC curve; the target's own pixels do not count where they are known.
struct Areas {
  double emd = 0;
  std::optional<double> angle{}, differences{};
  std::int64_t positives = 0, negatives = 0;
};
Areas areas_of(ImageView<const float> map, const BandFrame& frame, const std::string& truth_path,
               const FrameMapper& mapper, const Exec& exec) {
  const Image<std::uint8_t> truth = read_truth(truth_path);
  if (truth.width() != map.width || truth.height() != map.height)
    throw InvalidArgument(fmt::format("--truth {} is {}x{}, the map {}x{}", truth_path,
                                      truth.width(), truth.height(), map.width, map.height));
  Image<std::uint8_t> counted(map.width, map.height);
  for (int y = 0; y < map.height; ++y) std::fill_n(counted.row(y), map.width, std::uint8_t{1});
  if (const auto& box = mapper.box())
    for (int y = box->y; y < box->y + box->height; ++y)
      std::fill_n(counted.row(y) + box->x, box->width, std::uint8_t{0});
  const auto roc = [&](ImageView<const float> score) {
    return emd::roc(score, truth, emd::TargetScore::kLow, counted);
  };
  const emd::Roc own = roc(map);
  Areas areas{.emd = own.area, .positives = own.positives, .negatives = own.negatives};
  if (mapper.spectrum().empty()) return areas;
  areas.angle = roc(emd::spectral_angle(frame.bands, mapper.spectrum(), exec)).area;
  areas.differences = roc(emd::sum_of_differences(frame.bands, mapper.spectrum(), exec)).area;
  return areas;
}

// Where maps and pictures of them go.
class MapFiles {
 public:
  MapFiles(const MapRequest& request, bool single, double frame_rate)
      : request_(request), single_(single) {
    if (!request.picture.empty() && !single)
      video_.emplace(request.picture, io::VideoWriteOptions{.frame_rate = frame_rate});
  }

  void add(Image<float> map) {
    if (!request_.picture.empty()) draw(map);
    if (!request_.output.empty()) {
      if (single_) {
        io::write_image(request_.output, map.view());
      } else if (one_file()) {
        pages_.push_back(std::move(map));
      } else {
        if (frames_ == 0) make_folder();
        io::write_image((fs::path(request_.output) / fmt::format("{:06}.tif", frames_)).string(),
                        map.view());
      }
    }
    ++frames_;
  }
  void finish() {
    if (frames_ == 0) return;
    if (video_) video_->finish();
    if (pages_.empty()) return;
    std::vector<io::AnyView> views;
    for (const Image<float>& page : pages_) views.emplace_back(page.view());
    io::write_pages(request_.output, views);
  }
  std::int64_t frames() const { return frames_; }

 private:
  bool one_file() const {
    const std::string extension = fs::path(request_.output).extension().string();
    return extension == ".tif" || extension == ".tiff";
  }
  void make_folder() const {
    std::error_code error;
    fs::create_directories(request_.output, error);
    if (error)
      throw WriteError(
          fmt::format("{}: cannot make the folder: {}", request_.output, error.message()));
  }
  // One range for all frames, the first one's; near is bright.
  void draw(const Image<float>& map) {
    if (!colours_) {
      const report::ValueRange range = report::value_range(map);
      colours_ = report::ColourMapOptions{.automatic = false, .low = range.high, .high = range.low};
    }
    const Image<std::uint8_t> picture = report::apply_colour_map(map, *colours_);
    if (video_) video_->write(picture);
    else io::write_image(request_.picture, picture.view());
  }

  const MapRequest& request_;
  bool single_;
  std::optional<io::VideoWriter> video_{};
  std::optional<report::ColourMapOptions> colours_{};
  std::vector<Image<float>> pages_{};
  std::int64_t frames_ = 0;
};

void write_stats(io::JsonWriter& json, const emd::MapStats& stats) {
  json.begin_object().member("pixels", stats.pixels).member("cached", stats.cached);
  json.member("duplicate", stats.duplicate).member("skipped", stats.skipped);
  json.member("solved", stats.solved).member("pivots", stats.pivots);
  json.member("unproved", stats.unproved).member("cache_resets", stats.resets);
  json.member("cache_entries", stats.entries).member("cache_bytes", stats.cache_bytes);
  json.member("hit_rate", stats.hit_rate());
  json.end_object();
}

// Frames go through one after another: read, mapped and written beside each other.
class MapRun {
 public:
  MapRun(const MapRequest& request, Context& context)
      : request_(request),
        context_(context),
        frames_(context.inputs, !request.levels() || request.band >= 0, request.variable),
        files_(request, frames_.single(), frames_.frame_rate()) {
    if (!request.truth.empty() && !frames_.single())
      throw InvalidArgument("--truth is one image; it goes with one frame");
  }

  int run() {
    std::array<Nothing, 1> states{};  // one: frames share what is known
    const int in_flight = context_.exec.threads == 1 ? 1 : 3;
    OrderedPipeline<Step, Nothing> steps(
        states, in_flight,
        {.read = [&](Step& step) { return frames_.next(step.frame); },
         .work = [&](Nothing&, Step& step) { work(step); },
         .write = [&](Step& step) { write(step); }});
    bool stopped = false;
    try {
      steps.run(context_.exec);
    } catch (const Cancelled&) {
      stopped = true;
    } catch (...) {  // what was mapped before is kept
      files_.finish();
      throw;
    }
    files_.finish();
    context_.console.end_progress();
    if (files_.frames() == 0 && !stopped)
      throw FormatError(fmt::format("{}: has no frame", context_.inputs[0]));
    print(stopped);
    if (stopped) throw Cancelled("stopped as asked");
    return kDone;
  }

 private:
  struct Nothing {};
  struct Step {
    BandFrame frame{};
    Image<float> map{};
    emd::MapStats stats{};
    double seconds = 0;
    std::optional<Areas> areas{};
  };

  void work(Step& step) {
    Exec exec = context_.exec;
    exec.progress = {};
    if (!mapper_) mapper_.emplace(request_, step.frame, exec);
    const double start = steady_seconds();
    step.map = mapper_->map(step.frame);
    step.seconds = steady_seconds() - start;
    step.stats = mapper_->mapper().stats();
    if (!request_.truth.empty())
      step.areas = areas_of(step.map, step.frame, request_.truth, *mapper_, exec);
  }
  void write(Step& step) {
    width_ = step.map.width();
    height_ = step.map.height();
    files_.add(std::move(step.map));
    seconds_.push_back(step.seconds);
    stats_.push_back(step.stats);
    total_ += step.stats;
    areas_ = step.areas;
    if (context_.exec.progress)
      context_.exec.progress({"frames", static_cast<double>(files_.frames()),
                              static_cast<double>(frames_.expected_frames())});
  }

  void print(bool stopped) {
    if (!context_.json) {
      print_line();
      return;
    }
    std::string text;
    io::JsonWriter json(io::string_sink(text));
    begin_emd_result(json, context_);
    json.member("input", context_.inputs[0]);
    if (!request_.output.empty()) json.member("output", request_.output);
    if (!request_.picture.empty()) json.member("picture", request_.picture);
    json.member("width", width_).member("height", height_);
    json.member("frames", files_.frames()).member("interrupted", stopped);
    if (mapper_) {
      json.key("target").begin_array();
      for (const std::uint16_t mass : mapper_->mapper().target())
        json.value(static_cast<int>(mass));
      json.end_array();
      if (request_.levels())
        json.member("low", mapper_->range().low).member("high", mapper_->range().high);
      write_ground(json, mapper_->mapper().ground());
    }
    if (areas_) write_areas(json, *areas_);
    json.key("stats");
    write_stats(json, total_);
    json.key("frame_stats").begin_array();
    for (std::size_t i = 0; i < stats_.size(); ++i) {
      json.begin_object().member("seconds", seconds_[i]).key("stats");
      write_stats(json, stats_[i]);
      json.end_object();
    }
    json.end_array().end_object().finish();
    context_.console.print(text);
  }
  static void write_areas(io::JsonWriter& json, const Areas& areas) {
    json.member("positives", areas.positives).member("negatives", areas.negatives);
    json.key("roc_auc").begin_object().member("emd", areas.emd);
    if (areas.angle) json.member("spectral_angle", *areas.angle);
    if (areas.differences) json.member("sad", *areas.differences);
    json.end_object();
  }
  void print_line() {
    double seconds = 0;
    for (const double one : seconds_) seconds += one;
    std::string line = fmt::format(
        "{}: {} of {}x{}, {:.1f} % of pixels known or alike, {} distances solved, {:.3g} s\n",
        request_.output.empty() ? context_.inputs[0] : request_.output,
        files_.frames() == 1 ? "1 frame" : fmt::format("{} frames", files_.frames()), width_,
        height_, 100 * total_.hit_rate(), total_.solved, seconds);
    if (areas_) {
      line += fmt::format("area under the ROC curve: {:.4f}", areas_->emd);
      if (areas_->angle)
        line += fmt::format(", spectral angle {:.4f}, sum of differences {:.4f}", *areas_->angle,
                            *areas_->differences);
      line += '\n';
    }
    context_.console.print(line);
  }

  const MapRequest& request_;
  Context& context_;
  BandFrames frames_;
  MapFiles files_;
  std::optional<FrameMapper> mapper_{};
  int width_ = 0, height_ = 0;
  std::vector<double> seconds_{};
  std::vector<emd::MapStats> stats_{};
  emd::MapStats total_{};
  std::optional<Areas> areas_{};
};

int run_map(MapRequest& request, Context& context) {
  settle_defaults(request);
  settle_device(context);
  return MapRun(request, context).run();
}

}  // namespace

Command emd_map_command() {
  return {
      .system = "emd",
      .verb = "map",
      .summary = "for every pixel the exact Earth Mover's Distance of its signature to a target's",
      .text =
          "The signature of a pixel is the histogram of a window around it, over levels of one "
          "band, or the pixel's own spectrum: its bands, or its contrast to the scene. Distances "
          "known from earlier frames and from equal histograms of the frame are looked up, the "
          "others are solved; what is known never changes the map. With --threshold most distances "
          "above it are proved to be so instead of being solved. Spectra are learnt from the first "
          "frame.",
      .arguments = {{"INPUT",
                     "an image or cube (ENVI, .mat, TIFF, a folder of bands with --band or a "
                     "spectral signature); or several frames: images, a folder of them, a video, "
                     "or - for y4m on standard input",
                     1, kAnyNumber}},
      .examples = {{"fovea emd map a.png --target 120,80,24,24 -o map.tif --picture map.png",
                    "11 levels of grey in windows of 11x11"},
                   {"fovea emd map traffic.mp4 --target car.png --threshold 0.5 -o maps/",
                    "a video, exact up to a distance of 0.5"},
                   {"fovea emd map c.hdr --signature contrast --target 40,62,3,3 --truth t.png",
                    "spectra of a cube, measured beside spectral angle and SAD"}},
      .request = make_request<MapRequest, run_map>};
}

}  // namespace fovea::cli
