// Time per frame against channels, as in the two figures of Shaffer's paper (2011): cold, where
// people walk, each frame has noise of its own and nothing is kept, and warm, where nothing
// changes. The paper's pictures are not available; a drawn street replaces them, and rows name its
// share of distinct histograms. Quantizing is not counted: frames are labels in host memory, and
// maps return to it.
#include "cli/bench/emd_frames.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/emd/map.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/bench/natural_scene.h"
#include "cli/program/image_input.h"

namespace fovea::cli {
namespace {

constexpr int kFrames = 4;
constexpr double kThreshold = 3;

using Frame = Image<std::uint8_t>;
using Frames = std::shared_ptr<const std::vector<Frame>>;

void check_sizes(const std::vector<Extent>& sizes) {
  for (const Extent& size : sizes)
    if (size.width < 16 || size.height < 16)
      throw InvalidArgument(fmt::format("--sizes holds '{}x{}'; expected frames of at least 16x16",
                                        size.width, size.height));
}

// Frames of a drawn street, in which people walk; or the upper left corner of a picture, as in the
// paper, again and again.
std::vector<Frame> frames_of(const EmdFrameOptions& options, Extent size, const Context& context) {
  std::vector<Frame> frames;
  if (options.image.empty()) {
    const NaturalScene scene(size);
    for (int number = 0; number < kFrames; ++number)
      frames.push_back(io::to_gray(scene.frame({number}, context.exec).view()));
    return frames;
  }
  const Frame image = io::to_gray(io::to_bytes(read_input(context, options.image)));
  if (image.width() < size.width || image.height() < size.height)
    throw InvalidArgument(fmt::format("--image {} is {}x{}, too small for frames of {}x{}",
                                      options.image, image.width(), image.height(), size.width,
                                      size.height));
  for (int number = 0; number < kFrames; ++number)
    frames.push_back(clone(image.view().crop(0, 0, size.width, size.height)));
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

Frame labels_of(const Frame& gray, int channels) {
  Frame labels(gray.width(), gray.height());
  quantize(gray, labels, {.levels = channels, .exec = {.device = Device::cpu()}});
  return labels;
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
  float threshold;
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

BenchCase frame_case(const FrameCase& what, bool cold) {
  const Frame& frame = what.labels->front();
  const double pixels = static_cast<double>(frame.width()) * frame.height();
  const auto ground = emd::GroundDistance::thresholded(what.channels, kThreshold);
  return {.name = cold ? "emd_map_cold" : "emd_map_warm",
          .shape = {.width = frame.width(),
                    .height = frame.height(),
                    .bins = what.channels,
                    .distinct = what.distinct},
          .bytes = pixels * (sizeof(std::uint8_t) + sizeof(float)),
          .prepare = [=](Memory memory) -> BenchWork {
            const auto run = std::make_shared<std::unique_ptr<FrameRun>>();
            return [=](const Exec& exec) {
              if (!*run) {
                emd::MapOptions options;
                if (cold) options.cache_bytes = 0;
                options.ground = ground;
                options.threshold = what.threshold;
                options.exec = exec;
                options.exec.stream = nullptr;  // it belongs to the clock of the first measurement
                // Where nothing changes one frame is enough.
                *run = std::make_unique<FrameRun>(
                    std::span(*what.labels).first(cold ? kFrames : 1),
                    emd::Mapper(what.target, options),
                    memory == Memory::kCuda ? Memory::kPinned : Memory::kHost);
              }
              (**run)();
            };
          },
          .published = published(what, cold)};
}

// The share is counted with a ground distance that is cheap to solve.
double distinct_share(const Frame& labels, const FrameCase& what, const Exec& exec) {
  emd::Mapper mapper(what.target,
                     {.ground = "l1", .cache_bytes = std::uint64_t{1} << 32, .exec = exec});
  mapper.map(labels);
  return static_cast<double>(mapper.report().solved) / static_cast<double>(mapper.report().pixels);
}

}  // namespace

void describe(OptionVisitor& visit, EmdFrameOptions& options) {
  visit("sizes", options.sizes, "sizes of the frames");
  visit("channels", options.channels, "numbers of bins of the histograms", 2, 64);
  visit.path("image", options.image, TextUse::kInput,
             "image whose upper left corner is the scene, instead of one that is drawn");
  visit("noise", options.noise,
        "standard deviation in gray levels of noise that is added to the frames; 16 makes windows "
        "as varied as fine texture does",
        0, 100);
  visit("threshold", options.threshold,
        "greatest distance that must be exact; 0 makes all distances exact", 0, 1e6);
}

std::vector<BenchCase> emd_frame_cases(const EmdFrameOptions& options, const Context& context) {
  Exec quiet = context.exec;
  quiet.progress = {};
  check_sizes(options.sizes);
  // Another picture, as in the paper.
  const Frame target = io::to_gray(NaturalScene({240, 291}, 2).frame({}, quiet).view());
  std::vector<BenchCase> cases;
  for (const Extent& size : options.sizes) {
    std::vector<Frame> frames = frames_of(options, size, context);
    for (std::size_t i = 0; options.noise > 0 && i < frames.size(); ++i)
      frames[i] = with_noise(frames[i], options.noise, 1 + i);
    for (const int count : options.channels) {
      std::vector<Frame> labels;
      labels.reserve(frames.size());
      for (const Frame& frame : frames) labels.push_back(labels_of(frame, count));
      FrameCase what{std::make_shared<const std::vector<Frame>>(std::move(labels)), count,
                     emd::label_histogram(labels_of(target, count), count), 0, options.threshold};
      what.distinct = distinct_share(what.labels->front(), what, quiet);
      cases.push_back(frame_case(what, true));
      cases.push_back(frame_case(what, false));
    }
  }
  return cases;
}

}  // namespace fovea::cli
