// Multispectral video in real time: how long signatures of spectra take, and whole frames from cube
// to map. Cubes are drawn: each pixel of a street mixes three smooth spectra by its red, green and
// blue, and every sample has noise of its own.
#include "bench/emd/emd_spectra.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/emd/scene.h>

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <future>
#include <memory>
#include <optional>

#include "bench/natural_scene.h"

namespace fovea::cli {
namespace {

using emd::BandFrame;
using Cubes = std::shared_ptr<const std::vector<BandFrame>>;

constexpr int kCubeFrames = 4;
constexpr int kPrepared = 3;    // frames that a GPU prepares while it maps another
constexpr int kGpuFrames = 16;  // of one run on a GPU, from the first upload to the last map
constexpr double kCubeNoise = 0.01;

struct CubeSize {
  int width = 0, height = 0, bands = 0;
};

// Reads WxHxB.
CubeSize cube_size(const std::string& text) {
  std::array<int, 3> numbers{};
  const char* at = text.data();
  const char* const end = at + text.size();
  bool good = true;
  for (std::size_t i = 0; good && i < 3; ++i) {
    const auto [behind, error] = std::from_chars(at, end, numbers[i]);
    const bool last = i == 2;
    good = error == std::errc() && (last ? behind == end : behind != end && *behind == 'x');
    at = behind + (last ? 0 : 1);
  }
  if (!good || numbers[0] < 16 || numbers[1] < 16 || numbers[2] < 1 || numbers[0] > 1 << 15 ||
      numbers[1] > 1 << 15 || numbers[2] > 4096)
    throw InvalidArgument(
        fmt::format("--cubes holds '{}'; expected WIDTHxHEIGHTxBANDS of at least 16x16x1 and at "
                    "most 32768x32768x4096, such as 1920x1080x11",
                    text));
  return {numbers[0], numbers[1], numbers[2]};
}

// How much of red, green and blue a band sees.
std::array<float, 3> seen_by(int band, int bands) {
  const double place = (band + 0.5) / bands;
  std::array<float, 3> weights{};
  for (std::size_t c = 0; c < 3; ++c) {
    const double away = (place - (0.8 - 0.3 * static_cast<double>(c))) / 0.25;
    weights[c] = static_cast<float>(std::exp(-0.5 * away * away));
  }
  return weights;
}

BandFrame spectral_street(const NaturalScene& scene, const CubeSize& size, int number,
                          const Exec& exec) {
  const Image<std::uint8_t> image = scene.frame({number}, exec);
  BandFrame frame{
      Stack<float>(size.width, size.height, size.bands), fmt::format("frame {}", number), 0, {}};
  for (int b = 0; b < size.bands; ++b) {
    const std::array<float, 3> weights = seen_by(b, size.bands);
    Random random(static_cast<std::uint64_t>(number) + 1, static_cast<std::uint64_t>(b));
    for (int y = 0; y < size.height; ++y) {
      float* const to = frame.bands.plane(b).row(y);
      const std::uint8_t* pixel = image.row(y);
      for (int x = 0; x < size.width; ++x, pixel += image.channels()) {
        float sum = 4;
        for (std::size_t c = 0; c < 3; ++c) sum += weights[c] * static_cast<float>(pixel[c]);
        to[x] = std::round(
            16 * sum *
            random.uniform(1 - static_cast<float>(kCubeNoise), 1 + static_cast<float>(kCubeNoise)));
      }
    }
  }
  return frame;
}

Stack<float> copied_bands(const Stack<float>& bands, Memory memory) {
  Stack<float> result(bands.width(), bands.height(), bands.count(), 1, memory);
  copy(bands.view(), result.view());
  return result;
}

// The same values, which are whole, as samples of 16 bits.
Stack<std::uint16_t> short_bands(const Stack<float>& bands, Memory memory) {
  Stack<std::uint16_t> result(bands.width(), bands.height(), bands.count(), 1, memory);
  for (int b = 0; b < bands.count(); ++b)
    for (int y = 0; y < bands.height(); ++y) {
      const float* const from = bands.plane(b).row(y);
      std::uint16_t* const to = result.plane(b).row(y);
      for (int x = 0; x < bands.width(); ++x) to[x] = static_cast<std::uint16_t>(from[x]);
    }
  return result;
}

struct SpectraCase {
  CubeSize size;
  Cubes frames;
  emd::SceneSignature signature;
  int bins;  // that are asked for
  int signature_bins;
  double distinct;     // share of distinct signatures in a frame
  bool fused = false;  // maps hold fused scores
  bool words = false;  // frames have samples of 16 bits

  std::string kind() const {
    if (fused) return "fused";
    return signature == emd::SceneSignature::kBands ? "bands" : "contrast";
  }
  Rect<int> target() const { return {size.width / 2, size.height / 2, 9, 9}; }
  double pixels() const { return static_cast<double>(size.width) * size.height; }
  RivalShape shape() const {
    return {.width = size.width,
            .height = size.height,
            .channels = size.bands,
            .bins = signature_bins,
            .distinct = distinct};
  }
  emd::SceneMapOptions options(const Exec& exec) const {
    emd::SceneMapOptions all;
    all.signature = signature;
    all.bins = bins;
    if (fused) all.score = emd::SceneScore::kFused;
    all.exec = exec;
    all.exec.stream = nullptr;  // it belongs to the clock of the first measurement
    return all;
  }
  emd::SignatureOptions signature_options(const Exec& exec) const {
    return {.kind = signature == emd::SceneSignature::kBands ? emd::SignatureKind::kBands
                                                             : emd::SignatureKind::kContrast,
            .bins = bins,
            .exec = exec};
  }
};

// Frames in host memory, which is pinned for a GPU, where kPrepared frames go up and become
// signatures while another is mapped, as emd map does it. A run is one frame, or kGpuFrames on a
// GPU: all of their work lies between its begin and its end.
class SpectraRun {
 public:
  SpectraRun(const SpectraCase& what, bool cold, bool ahead, const Exec& exec)
      : mapper_(what.frames->front(), what.target(), options_of(what, cold, exec)),
        ahead_(ahead),
        threads_(exec.threads) {
    const auto frames = std::span(*what.frames).first(cold ? what.frames->size() : 1);
    const Memory memory = ahead ? Memory::kPinned : Memory::kHost;
    frames_.reserve(frames.size());
    for (const BandFrame& frame : frames) {
      frames_.push_back({copied_bands(frame.bands, memory), frame.name, frame.white, {}});
      if (what.words) frames_.back().samples = short_bands(frame.bands, memory);
    }
  }

  void operator()() {
    if (!ahead_) {
      mapper_.prepare(frame(next_), prepared_[0], threads_);
      mapper_.map(prepared_[0], map_);
      ++next_;
      return;
    }
    const std::size_t end = next_ + kGpuFrames;
    for (std::size_t begun = next_; next_ < end; ++next_) {
      for (; begun < end && begun <= next_ + kPrepared; ++begun)
        work_[begun % work_.size()] = std::async(std::launch::async, [this, number = begun] {
          mapper_.prepare(frame(number), prepared_[number % prepared_.size()], 1);
        });
      work_[next_ % work_.size()].get();
      mapper_.map(prepared_[next_ % prepared_.size()], map_);
    }
  }

 private:
  static emd::SceneMapOptions options_of(const SpectraCase& what, bool cold, const Exec& exec) {
    emd::SceneMapOptions options = what.options(exec);
    if (cold) options.cache_bytes = 0;
    return options;
  }
  const BandFrame& frame(std::size_t number) const { return frames_[number % frames_.size()]; }

  emd::SceneMapper mapper_;
  bool ahead_;
  int threads_;
  std::vector<BandFrame> frames_{};
  std::array<emd::PreparedFrame, kPrepared + 1> prepared_{};
  Image<float> map_{};
  std::size_t next_ = 0;
  std::array<std::future<void>, kPrepared + 1> work_{};  // awaited before the rest is destroyed
};

// The only frame rates that the paper gives for 11 channels.
std::optional<PublishedTime> published_rate(const SpectraCase& what, bool cold) {
  if (what.size.width != 1920 || what.size.height != 1080 || what.size.bands != 11 || !cold)
    return std::nullopt;
  return PublishedTime{"Shaffer 2011, C2050", 1 / 9.9};
}

BenchCase map_case(const SpectraCase& what, bool cold) {
  const double sample = what.words ? sizeof(std::uint16_t) : sizeof(float);
  return {.name = fmt::format("emd_spectra_{}_{}{}", what.kind(), cold ? "cold" : "warm",
                              what.words ? "_16bit" : ""),
          .shape = what.shape(),
          .bytes = what.pixels() * (what.size.bands * sample + sizeof(float)),
          .prepare = [=](Memory memory) -> BenchWork {
            const auto run = std::make_shared<std::unique_ptr<SpectraRun>>();
            return [=](const Exec& exec) {
              if (!*run)
                *run = std::make_unique<SpectraRun>(what, cold, memory == Memory::kCuda, exec);
              (**run)();
            };
          },
          .published = published_rate(what, cold),
          .frames_on_gpu = kGpuFrames};
}

// The signatures of a cube that stays in the memory of the device.
struct SignatureRun {
  emd::SpectralSignature signature;
  Stack<float> bands;
  Image<std::uint16_t> out;
};

BenchCase signature_case(const SpectraCase& what) {
  return {.name = "emd_signature_" + what.kind(),
          .shape = what.shape(),
          .bytes = what.pixels() *
                   (what.size.bands * sizeof(float) + what.signature_bins * sizeof(std::uint16_t)),
          .prepare = [=](Memory memory) -> BenchWork {
            const auto run = std::make_shared<std::unique_ptr<SignatureRun>>();
            return [=](const Exec& exec) {
              if (!*run) {
                const BandFrame& frame = what.frames->front();
                *run = std::make_unique<SignatureRun>(SignatureRun{
                    emd::SpectralSignature(frame.bands,
                                           what.signature_options({.device = Device::cpu()})),
                    copied_bands(frame.bands, memory),
                    {what.size.width, what.size.height, what.signature_bins, memory}});
              }
              (*run)->signature.of((*run)->bands, (*run)->out, exec);
            };
          }};
}

// The share is counted with a ground distance that is cheap to solve.
void count_signatures(SpectraCase& what, const Exec& exec) {
  const BandFrame& frame = what.frames->front();
  Exec here = exec;
  here.device = Device::cpu();
  const emd::SpectralSignature signature(frame.bands, what.signature_options(here));
  what.signature_bins = signature.bins();
  emd::Mapper mapper(std::vector<double>(static_cast<std::size_t>(signature.bins()), 1),
                     {.ground = "l1", .cache_bytes = std::uint64_t{1} << 32, .exec = here});
  mapper.map_histograms(signature.of(frame.bands));
  what.distinct = static_cast<double>(mapper.report().solved) / what.pixels();
}

}  // namespace

void describe(OptionVisitor& visit, EmdSpectraOptions& options) {
  visit("cubes", options.cubes, "width, height and bands of the frames with --spectra",
        {.value_name = "WxHxB"});
  visit("spectra-bins", options.spectra_bins, "bins of the signatures with --spectra", 3, 64);
}

std::vector<BenchCase> emd_spectra_cases(const EmdSpectraOptions& options, const Context& context) {
  const Exec quiet = context.exec_without_progress();
  std::vector<CubeSize> sizes;
  sizes.reserve(options.cubes.size());
  for (const std::string& text : options.cubes) sizes.push_back(cube_size(text));
  std::vector<BenchCase> cases;
  for (const CubeSize& size : sizes) {
    const NaturalScene scene({size.width, size.height});
    std::vector<BandFrame> drawn;
    drawn.reserve(kCubeFrames);
    for (int number = 0; number < kCubeFrames; ++number)
      drawn.push_back(spectral_street(scene, size, number, quiet));
    const auto frames = std::make_shared<const std::vector<BandFrame>>(std::move(drawn));
    for (const auto signature : {emd::SceneSignature::kBands, emd::SceneSignature::kContrast}) {
      SpectraCase what{size, frames, signature, options.spectra_bins, 0, 0};
      count_signatures(what, quiet);
      cases.push_back(signature_case(what));
      cases.push_back(map_case(what, true));
      cases.push_back(map_case(what, false));
      what.words = true;
      cases.push_back(map_case(what, true));
      what.words = false;
      what.fused = signature == emd::SceneSignature::kContrast;
      if (!what.fused) continue;
      cases.push_back(map_case(what, true));
      cases.push_back(map_case(what, false));
    }
  }
  return cases;
}

}  // namespace fovea::cli
