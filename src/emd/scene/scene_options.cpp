// The options of maps of scenes.
#include <fovea/core/options.h>
#include <fovea/emd/scene.h>

#include <array>
#include <limits>

namespace fovea::emd {

std::span<const Choice> choices(SceneSignature) {
  static constexpr std::array<Choice, 4> kChoices{
      {{"levels", static_cast<int>(SceneSignature::kLevels)},
       {"bands", static_cast<int>(SceneSignature::kBands)},
       {"contrast", static_cast<int>(SceneSignature::kContrast)},
       {"colors", static_cast<int>(SceneSignature::kColors)}}};
  return kChoices;
}

std::span<const Choice> choices(SceneScore) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"distance", static_cast<int>(SceneScore::kDistance)},
       {"fused", static_cast<int>(SceneScore::kFused)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, SceneMapOptions& options) {
  constexpr double kMost = std::numeric_limits<float>::max();
  visit("signature", options.signature,
        "what is compared: levels of one band or learned colors in a window, or each pixel's "
        "spectrum, by its bands or by its contrast to the scene");
  visit("bins", options.bins,
        "number of bins of a signature: levels, colors or parts of a spectrum", 1, 64,
        {.absent = "11 for levels, 16 for spectra and colors"});
  visit("band", options.band, "band that levels are taken from, counted from 0", 0, 1e6,
        {.absent = "the only band, or the brightness of three"});
  visit(
      "range", options.range,
      "values where the first level begins and the last one ends, or black and white for colors; "
      "where both are equal, 0 to 256 for samples of 8 bits and else the range of the first frame",
      -kMost, kMost);
  visit("window", options.window, "side in pixels, odd, of the window around each pixel", 1, 255,
        {.absent = "11 for levels and colors, 1 for spectra"});
  visit("tau", options.tau, "Lab distance beyond which colors are equally different", 1, 1000);
  visit("border", options.border,
        "what a window of levels or colors counts beyond the border: clip counts nothing, repeat "
        "counts the "
        "border's pixels again");
  visit("ground", options.ground.name,
        "cost of moving mass between bins: l1, l2 (euclidean), squared (sqeuclidean), threshold:T, "
        "circular, discrete or a file of costs; the default is threshold:3 for levels, the Lab "
        "distance up to tau for colors, and depends on the spectra otherwise",
        {.value_name = "NAME|FILE", .words = ground_words()});
  visit("threshold", options.threshold,
        "greatest distance that must be exact; greater ones may be lower bounds; 0 makes all exact",
        0, kMost);
  visit.bytes("cache-bytes", options.cache_bytes,
              "most memory for distances that are kept from frame to frame; 0 keeps none");
  visit("roi", options.roi,
        "region of interest x,y,width,height: only its pixels are mapped, and all others get NaN");
  visit("changed-only", options.changed_only,
        "in a video, look up only pixels whose windows changed since the frame before; pays for "
        "cameras that stand still in light without noise");
  visit("score", options.score,
        "what a map of spectra holds: the distance; or fused, the share of the first frame that "
        "resembles the target as much, by distance, spectral angle and contrast together. Take "
        "fused to find a target in a cube, and distance where the value itself, a window or a "
        "threshold matters");
  describe(visit, options.solver);
}

}  // namespace fovea::emd
