// What the files of fovea emd map share: the request, the mapper of its frames, the files that maps
// go to and what is told of them.
#pragma once
#include <fovea/emd/detect.h>
#include <fovea/emd/map.h>
#include <fovea/emd/signature.h>
#include <fovea/io/video.h>
#include <fovea/report/color_map.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/emd/frames.h"
#include "cli/program/command.h"

namespace fovea::cli {

enum class Signature : unsigned char { kLevels, kBands, kContrast };
std::span<const Choice> choices(Signature);

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
  emd::MapOptions map{};

  bool levels() const { return signature == Signature::kLevels; }
};

// What the first frame and the target say of all frames: signatures and the mapper for them.
class FrameMapper {
 public:
  FrameMapper(const MapRequest& request, const BandFrame& first, const Exec& exec);

  Image<float> map(const BandFrame& frame);
  // The same for frames in flight, which a GPU works on while others come and go: at most
  // emd::Mapper::kFramesInFlight. Labels go up once and stay there. A map lasts until as many
  // frames more are submitted.
  bool flies() const;  // whether it is worth while: a GPU, and levels
  void submit(const BandFrame& frame);
  ImageView<const float> collect();

  const emd::Mapper& mapper() const { return *mapper_; }
  const LevelRange& range() const { return range_; }
  const std::optional<emd::PixelBox>& box() const { return box_; }
  const std::vector<float>& spectrum() const { return spectrum_; }  // empty: of other bands

 private:
  void use_levels(const BandFrame& first, const BandFrame& shown, const emd::PixelBox& box);
  void use_spectra(const BandFrame& first);
  void make_mapper(const emd::GroundDistance& ground, const std::vector<double>& target);
  Image<std::uint8_t> labels_of(const BandFrame& frame) const;
  void label(ImageView<const float> band, ImageView<std::uint8_t> labels) const;

  // The memory of a frame in flight, used again by the next of its size.
  struct Flight {
    Image<std::uint8_t> labels{};  // where the mapper works
    Image<float> map{};            // on the host, pinned beside a GPU
  };

  const MapRequest& request_;
  Exec exec_;
  std::array<Flight, emd::Mapper::kFramesInFlight> flights_{};
  std::size_t submitted_ = 0, collected_ = 0;
  std::optional<emd::PixelBox> box_{};
  std::vector<float> spectrum_{};
  LevelRange range_{};
  std::optional<emd::SpectralSignature> spectra_{};
  std::optional<emd::Mapper> mapper_{};
};

// Where maps and pictures of them go.
class MapFiles {
 public:
  MapFiles(const MapRequest& request, bool single, double frame_rate);

  void add(ImageView<const float> map);
  void finish();
  std::int64_t frames() const { return frames_; }

 private:
  bool one_file() const;
  void make_folder() const;
  void draw(ImageView<const float> map);

  const MapRequest& request_;
  bool single_;
  std::optional<io::VideoWriter> video_{};
  std::optional<report::ColorMapOptions> colors_{};
  std::vector<Image<float>> pages_{};
  std::int64_t frames_ = 0;
};

// Areas under the ROC curve; the target's own pixels do not count where they are known.
struct Areas {
  double emd = 0;
  std::optional<double> angle{}, differences{};
  std::int64_t positives = 0, negatives = 0;
};
Areas areas_of(ImageView<const float> map, const BandFrame& frame, const std::string& truth_path,
               const FrameMapper& mapper, const Exec& exec);

// What came of all frames.
struct MapReport {
  int width = 0, height = 0;
  std::vector<double> seconds{};  // a frame
  std::vector<emd::MapStats> stats{};
  std::optional<Areas> areas{};
  bool stopped = false;
};
// `mapper` is null where there was no frame.
void print_report(const MapReport& report, const MapRequest& request, const FrameMapper* mapper,
                  Context& context);

}  // namespace fovea::cli
