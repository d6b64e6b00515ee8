// Time per frame against channels, as in the two figures of Shaffer's paper (2011): cold, where
// people walk, each frame has noise of its own and nothing is kept, and warm, where nothing
// changes. The paper's pictures are not available; a drawn street replaces them, and rows name its
// share of distinct histograms. Quantizing is not counted: frames are labels in host memory, and
// maps return to it.
#include "bench/emd/emd_frames.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/emd/map.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "bench/natural_scene.h"
#include "cli/program/image_input.h"

namespace fovea::cli {
namespace {

constexpr int kFrames = 4;

using Frame = Image<std::uint8_t>;
using Frames = std::shared_ptr<const std::vector<Frame>>;

void check_sizes(const std::vector<Extent>& sizes) {
  for (const Extent& size : sizes)
    if (size.width < 16 || size.height < 16)
      throw InvalidArgument(fmt::format("--sizes holds '{}x{}'; expected frames of at least 16x16",
                                        size.width, size.height));
}

// The upper left corner of a picture or a frame, as in the paper.
Frame corner_of(const Frame& frame, Extent size, const std::string& scene) {
  if (frame.width() < size.width || frame.height() < size.height)
    throw InvalidArgument(
        fmt::format("--scene {} is {}x{}, too small for frames of {}x{}; give smaller --sizes",
                    scene, frame.width(), frame.height(), size.width, size.height));
  return clone(frame.view().crop(0, 0, size.width, size.height));
}

// Frames of a drawn street, in which people walk.
std::vector<Frame> drawn_frames(Extent size, int count, const Exec& exec) {
  std::vector<Frame> frames;
  frames.reserve(static_cast<std::size_t>(count));
  const NaturalScene scene(size);
  for (int number = 0; number < count; ++number)
    frames.push_back(io::to_gray(scene.frame({number}, exec).view()));
  return frames;
}

std::vector<Frame> video_frames(const std::string& path, Extent size, int count,
                                const Context& context) {
  std::vector<Frame> frames;
  io::VideoReader reader(path, video_options(context, io::VideoColor::kGray));
  io::Frame frame;
  while (static_cast<int>(frames.size()) < count && reader.next(frame))
    frames.push_back(corner_of(frame.image, size, path));
  if (frames.empty()) throw FormatError(fmt::format("{}: has no frame", path));
  return frames;
}

Frame with_noise(const Frame& scene, double deviation, std::uint64_t seed) {
  Frame noisy(scene.width(), scene.height());
  for (int y = 0; y < scene.height(); ++y) {
    Random random(seed, static_cast<std::uint64_t>(y));
    for (int x = 0; x < scene.width(); ++x) {
      const double value = scene.at(x, y) + deviation * static_cast<double>(random.normal());
      noisy.at(x, y) = static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
    }
  }
  return noisy;
}

// Frames and maps are in host memory, which is pinned for a GPU; up to Mapper::kFramesInFlight are
// processed at a time.
class FrameRun {
 public:
  FrameRun(std::span<const Frame> labels, emd::Mapper mapper, Memory memory)
      : mapper_(std::move(mapper)) {
    for (const Frame& frame : labels) labels_.push_back(clone(frame, memory));
    for (Image<float>& map : maps_)
      map = Image<float>(labels_[0].width(), labels_[0].height(), 1, memory);
  }
  ~FrameRun() { mapper_.finish(); }
  FrameRun(const FrameRun&) = delete;
  FrameRun& operator=(const FrameRun&) = delete;

  void operator()() {
    mapper_.push(labels_[next_ % labels_.size()], maps_[next_ % maps_.size()]);
    ++next_;
  }

 private:
  emd::Mapper mapper_;
  std::vector<Frame> labels_{};
  std::array<Image<float>, emd::Mapper::kFramesInFlight + 1> maps_{};
  std::size_t next_ = 0;
};

struct FrameCase {
  Frames labels;
  int channels;
  std::vector<double> target;
  double distinct;  // share of distinct histograms in a frame
  emd::MapOptions options;
};

// The paper reports the slowest and the fastest of its frame rates; these are their settings.
std::optional<PublishedTime> published(const FrameCase& what, bool cold) {
  const Frame& frame = what.labels->front();
  if (cold && what.channels == 11 && frame.width() == 1920 && frame.height() == 1080)
    return PublishedTime{"Shaffer 2011, C2050", 1 / 9.9};
  if (!cold && what.channels == 2 && frame.width() == 1280 && frame.height() == 720)
    return PublishedTime{"Shaffer 2011, C2050", 1 / 117.1};
  return std::nullopt;
}

BenchCase frame_case(const FrameCase& what, emd::SolvedBy solver, bool cold) {
  const Frame& frame = what.labels->front();
  const double pixels = static_cast<double>(frame.width()) * frame.height();
  return {.name = fmt::format("emd_map_{}_{}", cold ? "cold" : "warm", emd::to_string(solver)),
          .shape = {.width = frame.width(),
                    .height = frame.height(),
                    .bins = what.channels,
                    .distinct = what.distinct},
          .bytes = pixels * (sizeof(std::uint8_t) + sizeof(float)),
          .prepare = [=](Memory memory) -> BenchWork {
            const auto run = std::make_shared<std::unique_ptr<FrameRun>>();
            return [=](const Exec& exec) {
              if (!*run) {
                emd::MapOptions options = what.options;
                if (cold) options.cache_bytes = 0;
                options.exec = exec;
                options.exec.stream = nullptr;  // it belongs to the clock of the first measurement
                // Where nothing changes one frame is enough.
                *run = std::make_unique<FrameRun>(
                    std::span(*what.labels).first(cold ? what.labels->size() : 1),
                    emd::Mapper(what.target, options),
                    memory == Memory::kCuda ? Memory::kPinned : Memory::kHost);
              }
              (**run)();
            };
          },
          .published = published(what, cold)};
}

// The solver that takes most histograms of the first frame on the CPU. Problems that need no pivot
// count for the simplex method that began them.
emd::SolvedBy solver_of(const FrameCase& what, Exec exec) {
  exec.device = Device::cpu();
  emd::MapOptions options = what.options;
  options.exec = exec;
  emd::Mapper mapper(what.target, options);
  mapper.map(what.labels->front());
  emd::SolvedCounts counts = mapper.report().solved_by;
  counts[emd::SolvedBy::kGreedySimplex] += std::exchange(counts[emd::SolvedBy::kGreedyStart], 0);
  const auto most = std::max_element(counts.counts.begin(), counts.counts.end());
  return static_cast<emd::SolvedBy>(most - counts.counts.begin());
}

// The share is counted with a ground distance that is cheap to solve.
double distinct_share(const Frame& labels, const FrameCase& what, const Exec& exec) {
  emd::Mapper mapper(what.target,
                     {.ground = "l1", .cache_bytes = std::uint64_t{1} << 32, .exec = exec});
  mapper.map(labels);
  return static_cast<double>(mapper.report().solved) / static_cast<double>(mapper.report().pixels);
}

}  // namespace

std::span<const Choice> choices(FrameStarts) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"greedy", static_cast<int>(FrameStarts::kGreedy)},
       {"auxiliary", static_cast<int>(FrameStarts::kAuxiliary)},
       {"both", static_cast<int>(FrameStarts::kBoth)}}};
  return kChoices;
}

std::vector<emd::SimplexStart> EmdFrameOptions::starts() const {
  std::vector<emd::SimplexStart> all;
  if (start != FrameStarts::kAuxiliary) all.push_back(emd::SimplexStart::kGreedy);
  if (start != FrameStarts::kGreedy) all.push_back(emd::SimplexStart::kAuxiliary);
  return all;
}

emd::MapOptions EmdFrameOptions::map_options(emd::SimplexStart from) const {
  emd::MapOptions map;
  map.ground = ground;
  map.threshold = threshold;
  map.solver.solver = solver;
  map.solver.start = from;
  return map;
}

void describe(OptionVisitor& visit, EmdFrameOptions& options) {
  visit("sizes", options.sizes, "sizes of the frames");
  visit("channels", options.channels, "numbers of bins of the histograms", 2, 64);
  visit.path("scene", options.scene, TextUse::kInput,
             "image, video or folder of frames whose upper left corner is the scene, instead of "
             "one that is drawn");
  visit.path("target", options.target, TextUse::kInput,
             "image whose histogram is the target, instead of one that is drawn");
  visit("ground", options.ground.name,
        "cost of moving mass between channels: l1, l2, squared, threshold:T, circular, discrete or "
        "a file of costs",
        {.value_name = "NAME|FILE", .words = emd::ground_words()});
  visit("start", options.start,
        "where the simplex method starts: greedy, or auxiliary as in the paper, or both");
  visit("solver", options.solver,
        "auto uses the closed form of a ground distance that has one; simplex always searches");
  visit("noise", options.noise,
        "standard deviation in gray levels of noise that is added to the frames; 16 makes windows "
        "as varied as fine texture does",
        0, 100);
  visit("threshold", options.threshold,
        "greatest distance that must be exact; 0 makes all distances exact", 0, 1e6);
  visit.path("charts", options.charts, TextUse::kOutput,
             "folder for charts, a page and a table of a video that is mapped frame by frame with "
             "--frames, instead of rows");
  visit("count", options.count, "most frames of the video with --charts", 2, 10000);
}

std::vector<Frame> emd_frames(const EmdFrameOptions& options, Extent size, int count,
                              const Context& context) {
  std::vector<Frame> frames;
  if (options.scene.empty()) {
    frames = drawn_frames(size, count, context.exec_without_progress());
  } else if (io::has_extension(options.scene, io::image_files())) {
    const Frame image = io::to_gray(io::to_bytes(read_input(context, options.scene)));
    frames.push_back(corner_of(image, size, options.scene));
    while (static_cast<int>(frames.size()) < count) frames.push_back(clone(frames.front()));
  } else {
    frames = video_frames(options.scene, size, count, context);
  }
  for (std::size_t i = 0; options.noise > 0 && i < frames.size(); ++i)
    frames[i] = with_noise(frames[i], options.noise, 1 + i);
  return frames;
}

Frame emd_target(const EmdFrameOptions& options, const Context& context) {
  if (!options.target.empty())
    return io::to_gray(io::to_bytes(read_input(context, options.target)));
  // Another picture, as in the paper.
  return io::to_gray(NaturalScene({240, 291}, 2).frame({}, context.exec_without_progress()).view());
}

Frame emd_labels(ImageView<const std::uint8_t> gray, int channels) {
  Frame labels(gray.width, gray.height);
  quantize(gray, labels, {.levels = channels, .exec = {.device = Device::cpu()}});
  return labels;
}

std::vector<BenchCase> emd_frame_cases(const EmdFrameOptions& options, const Context& context) {
  const Exec quiet = context.exec_without_progress();
  check_sizes(options.sizes);
  const Frame target = emd_target(options, context);
  std::vector<BenchCase> cases;
  for (const Extent& size : options.sizes) {
    const std::vector<Frame> frames = emd_frames(options, size, kFrames, context);
    for (const int count : options.channels) {
      std::vector<Frame> labels;
      labels.reserve(frames.size());
      for (const Frame& frame : frames) labels.push_back(emd_labels(frame, count));
      FrameCase what{std::make_shared<const std::vector<Frame>>(std::move(labels)),
                     count,
                     emd::label_histogram(emd_labels(target, count), count),
                     0,
                     {}};
      what.distinct = distinct_share(what.labels->front(), what, quiet);
      std::vector<emd::SolvedBy> solvers;  // a closed form knows no start
      for (const emd::SimplexStart start : options.starts()) {
        what.options = options.map_options(start);
        const emd::SolvedBy solver = solver_of(what, quiet);
        if (std::find(solvers.begin(), solvers.end(), solver) != solvers.end()) continue;
        solvers.push_back(solver);
        cases.push_back(frame_case(what, solver, true));
        cases.push_back(frame_case(what, solver, false));
      }
    }
  }
  return cases;
}

}  // namespace fovea::cli
