#pragma once
#include <fovea/core/stream.h>
#include <fovea/emd/map.h>
#include <fovea/emd/signature.h>
#include <fovea/io/cube_io.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// From images and cubes to maps of distances: what a pixel's signature is, and where its levels
// begin and end, follows from the first frame and the options.
namespace fovea::emd {

// The samples of a frame in host memory, where they have 16 bits; else empty.
using ShortBands = std::variant<Stack<std::uint16_t>, Stack<std::int16_t>>;

// A frame as bands of floats, with the values that its samples have, in host or device memory.
struct BandFrame {
  Stack<float> bands{};
  std::string name{};  // name of the file, or number of a video's frame, for messages
  double white = 0;    // 255 for samples of 8 bits, else 0: the data has the range
  // 16-bit samples as they were read, for GPUs, or nothing; clear them if you change `bands`. A GPU
  // gets them instead of `bands`, which takes half the time, and widens them: maps are the same.
  ShortBands samples{};
};
// Reads one image, cube or folder of bands.
FOVEA_API BandFrame read_bands(const std::string& path, const io::CubeReadOptions& options = {});
// Takes an image, one channel per band; the frame lies where the image does. On a GPU the work is
// done in the order of exec.stream.
FOVEA_API BandFrame bands_of(const io::AnyView& image, std::string name, const Exec& exec = {});

// One band of a frame in host memory. Without `band` it is the only band, or the brightness of
// three (BT.601). Throws an InvalidArgument that names the frame where there is no such band.
FOVEA_API Image<float> gray_band(const BandFrame& frame, std::optional<int> band);

// Where levels begin and end: the user's range where its ends differ, or else 0 to 256 for samples
// of 8 bits, or else the least and the greatest finite value of the band.
struct LevelRange {
  float low = 0;
  float high = 0;
};
FOVEA_API LevelRange level_range(ImageView<const float> band, const BandFrame& frame,
                                 const std::array<double, 2>& asked);

// What is compared: levels of one band in a window, spectra as SignatureKind turns them into
// histograms, or colors in a window. Colors are learned in Lab from the target and the first frame,
// as the tracker learns them (see track.h).
enum class SceneSignature : unsigned char { kLevels, kBands, kContrast, kColors };
FOVEA_API std::span<const Choice> choices(SceneSignature);

// What a map holds where spectra are compared.
//   distance  The Earth Mover's Distance.
//   fused     How much of the first frame resembles the target at least as much as the pixel does,
//             0 to 1, by three scores together: the Earth Mover's Distance, the spectral angle, and
//             the angle between the contrasts of up to 31 groups of bands to the scene. Each has a
//             share, and the logarithm of the map is the weighted root mean square of their
//             logarithms (weights 3, 1 and 3). Take it to find a target in a cube whose targets are
//             not known.
enum class SceneScore : unsigned char { kDistance, kFused };
FOVEA_API std::span<const Choice> choices(SceneScore);

struct SceneMapOptions {
  SceneSignature signature = SceneSignature::kLevels;
  std::optional<int> bins{};  // of a signature; absent: 11 for levels, 16 for spectra and colors.
                              // There are fewer colors where samples have fewer
  std::optional<int> band{};  // that levels are taken from; absent: see gray_band()
  std::array<double, 2> range{};  // of levels, or of the samples of colors from black to white;
                                  // equal ends: see level_range()
  std::optional<int> window{};    // side in pixels, odd; absent: 11 for levels and colors, 1 for
                                  // spectra
  double tau = 25;                // Lab distance beyond which colors are equally different
  WindowBorder border = WindowBorder::kRepeat;  // as in MapOptions, and so are the next four
  Ground ground{""};  // an empty name takes threshold:3 for levels, SpectralSignature::ground()
                      // for spectra, and min(|Lab difference|, tau) in thousandths of tau for
                      // colors
  float threshold = 0;
  std::uint64_t cache_bytes = MapOptions{}.cache_bytes;
  SolverOptions solver = normalizing();
  std::optional<Rect<int>> roi{};  // region of interest: pixels outside get NaN and are not mapped
  bool changed_only = false;       // in a video, pixels whose windows have the labels of the frame
                              // before keep their distance without being looked up. Maps are the
                              // same. For levels and colors
  SceneScore score = SceneScore::kDistance;  // kFused needs spectra, a window of 1 and no threshold
  bool keep_spectrum = false;  // keeps the target's mean spectrum for levels too, to compare with
                               // detect.h. It is no option of users
  Exec exec{};

  bool levels() const { return signature == SceneSignature::kLevels; }
  bool colors() const { return signature == SceneSignature::kColors; }
  bool spectral() const { return !levels() && !colors(); }
  int bin_count() const { return bins.value_or(levels() ? 11 : 16); }
  int window_side() const { return window.value_or(spectral() ? 1 : 11); }
};
FOVEA_API void describe(OptionVisitor& visit, SceneMapOptions& options);

// What of a frame is compared, made by SceneMapper::prepare(): labels, or signatures of spectra, in
// the memory of the device that maps them. It keeps its memory from frame to frame.
struct PreparedFrame {
  Image<std::uint8_t> labels{};    // the level or color of every pixel
  Image<std::uint16_t> spectra{};  // the signature of every pixel of `part`, one channel per bin
  Image<float> angles{};           // where scores are fused: distances by spectral angle and by
                                   // contrast of every pixel of `part`
  Rect<int> part{};                // of the frame
  Extent size{};                   // of the frame
  Memory memory{};                 // of the frame
  Stack<float> bands{};            // a copy of the part on the GPU, where the frame lies elsewhere
  ShortBands samples{};            // the same before it is widened, where samples have 16 bits
  Stream stream{};                 // on which a GPU prepares it
};

// Maps frames; the first frame and the target determine levels or spectra for all of them. A frame
// in host memory goes to a GPU once, as labels or as bands, and its map comes back; the map of a
// frame on a GPU stays there. Maps are the same everywhere. One object serves one thread at a time,
// but several may prepare frames.
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

  // Maps only pixels where `mask` is not 0, within the region of interest where there is one; all
  // others get NaN. It is copied; one without pixels maps all again. Throws InvalidArgument where
  // no pixel remains. Frames of another size than the mask's are refused.
  void set_mask(ImageView<const std::uint8_t> mask);

  // Makes labels or signatures of a frame, with so many threads of the CPU (0: all). Several
  // threads may do so at the same time, each for a frame of its own, so that decoding, uploads and
  // signatures of some frames overlap the map of another. On a GPU a frame in its memory is awaited
  // in the order of exec.stream. Throws FormatError for a frame with other bands than the first.
  void prepare(const BandFrame& frame, PreparedFrame& prepared, int threads = 0) const;
  // The map of a prepared frame, into the memory of `map` where that fits. It lies where the frame
  // does; beside a GPU, host memory is pinned.
  void map(const PreparedFrame& frame, Image<float>& map);
  // Both in one.
  Image<float> map(const BandFrame& frame);

  // Makes the mapper again with other settings, as is needed after a stop. It forgets known
  // distances; what was learned from the first frame and the target stays.
  void renew(const Exec& exec);

  const Mapper& mapper() const;
  const LevelRange& range() const;
  const std::optional<Rect<int>>& box() const;
  Extent target_size() const;  // of the target's box or image
  // The target's mean spectrum; empty where the target has other bands, or for levels without
  // keep_spectrum.
  const std::vector<float>& spectrum() const;
  const SceneMapOptions& options() const;  // with the ground distance that was taken

 private:
  friend struct SceneInsides;  // for explanations
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::emd
