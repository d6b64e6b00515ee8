#pragma once
#include <fovea/emd/map.h>
#include <fovea/emd/signature.h>
#include <fovea/io/cube_io.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// From images and cubes to maps of distances: what a pixel's signature is, and where its levels
// begin and end, follows from the first frame and the options.
namespace fovea::emd {

// A frame as bands of floats, with the values that its samples have.
struct BandFrame {
  Stack<float> bands{};
  std::string name{};  // name of the file, or number of a video's frame, for messages
  double white = 0;    // 255 for samples of 8 bits, else 0: the data has the range
};
// Reads one image, cube or folder of bands.
FOVEA_API BandFrame read_bands(const std::string& path, const io::CubeReadOptions& options = {});
// Takes an image in host memory, one channel per band.
FOVEA_API BandFrame bands_of(const io::AnyView& image, std::string name);

// One band of a frame. Without `band` it is the only band, or the brightness of three (BT.601).
// Throws an InvalidArgument that names the frame where there is no such band.
FOVEA_API Image<float> gray_band(const BandFrame& frame, std::optional<int> band);

// Where levels begin and end: the user's range where its ends differ, or else 0 to 256 for samples
// of 8 bits, or else the least and the greatest finite value of the band.
struct LevelRange {
  float low = 0;
  float high = 0;
};
FOVEA_API LevelRange level_range(ImageView<const float> band, const BandFrame& frame,
                                 const std::array<double, 2>& asked);

// What is compared: levels of one band in a window, or spectra as SignatureKind turns them into
// histograms.
enum class SceneSignature : unsigned char { kLevels, kBands, kContrast };
FOVEA_API std::span<const Choice> choices(SceneSignature);

struct SceneMapOptions {
  SceneSignature signature = SceneSignature::kLevels;
  std::optional<int> bins{};      // of a signature; absent: 11 for levels, 16 for spectra
  std::optional<int> band{};      // that levels are taken from; absent: see gray_band()
  std::array<double, 2> range{};  // equal ends: see level_range()
  std::optional<int> window{};    // side in pixels, odd; absent: 11 for levels, 1 for spectra
  WindowBorder border = WindowBorder::kRepeat;  // as in MapOptions, and so are the next four
  Ground ground{""};  // an empty name takes threshold:3 for levels, and SpectralSignature::ground()
                      // for spectra
  float threshold = 0;
  std::uint64_t cache_bytes = MapOptions{}.cache_bytes;
  SolverOptions solver = normalizing();
  bool keep_spectrum = false;  // keeps the target's mean spectrum for levels too, to compare with
                               // detect.h. It is no option of users
  Exec exec{};

  bool levels() const { return signature == SceneSignature::kLevels; }
  int bin_count() const { return bins.value_or(levels() ? 11 : 16); }
  int window_side() const { return window.value_or(levels() ? 11 : 1); }
};
FOVEA_API void describe(OptionVisitor& visit, SceneMapOptions& options);

// Maps frames; the first frame and the target determine levels or spectra for all of them. The
// result lies in host memory. One object serves one thread at a time, but several may label frames.
class FOVEA_API SceneMapper {
 public:
  // The target is a box of the first frame, or all of another image or cube. Throws InvalidArgument
  // for a box that does not lie in the frame, and FormatError for a target without the bands of the
  // frame where spectra are compared.
  SceneMapper(const BandFrame& first, const Rect<int>& box, const SceneMapOptions& options = {});
  SceneMapper(const BandFrame& first, const BandFrame& target, const SceneMapOptions& options = {});
  SceneMapper(SceneMapper&&) noexcept;
  SceneMapper& operator=(SceneMapper&&) noexcept;
  ~SceneMapper();

  // The level of every pixel; nothing where spectra are compared.
  Image<std::uint8_t> labels_of(const BandFrame& frame, int threads) const;
  // The map of a frame with these labels, into the memory of `map` where that fits.
  void map(const BandFrame& frame, ImageView<const std::uint8_t> labels, Image<float>& map);
  // Both in one.
  Image<float> map(const BandFrame& frame);

  // Makes the mapper again with other settings, as is needed after a stop. It forgets known
  // distances; what was learned from the first frame and the target stays.
  void renew(const Exec& exec);

  const Mapper& mapper() const;
  const LevelRange& range() const;
  const std::optional<Rect<int>>& box() const;
  // The target's mean spectrum; empty where the target has other bands, or for levels without
  // keep_spectrum.
  const std::vector<float>& spectrum() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::emd
