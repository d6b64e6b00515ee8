// Covers: backend, signature_cpu, signature_cuda, signature_learn
#include <fovea/core/random.h>
#include <fovea/core/stream.h>
#include <fovea/emd/signature.h>

#include <cmath>
#include <limits>

#include "reference/spectral_signature.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::emd {
namespace {

// Smooth spectra of a few materials in changing light, with noise and some missing values.
Stack<float> cube_of_materials(int width, int height, int bands, std::uint64_t seed) {
  Random random(seed);
  Stack<float> cube(width, height, bands);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const auto material = static_cast<float>(1 + (x / 5 + y / 3) % 3);
      const float light = random.uniform(20, 400);
      for (int b = 0; b < bands; ++b)
        cube.plane(b).at(x, y) =
            light * (1.2F + std::sin(material * 0.11F * static_cast<float>(b))) +
            random.uniform(-30, 30);
    }
  cube.plane(bands / 2).at(width / 2, height / 2) = std::numeric_limits<float>::quiet_NaN();
  cube.plane(0).at(width - 1, 0) = std::numeric_limits<float>::infinity();
  return cube;
}

std::vector<SignatureOptions> signature_settings() {
  return {{.kind = SignatureKind::kBands, .bins = 16},
          {.kind = SignatureKind::kBands, .bins = 64, .mass = 0},
          {.kind = SignatureKind::kBands, .bins = 5, .window = 3, .mass = 999},
          {.bins = 16},
          {.bins = 3},
          {.bins = 63, .power = 2},
          {.bins = 16, .window = 5, .power = 1.3},
          {.bins = 11, .window = 1, .mass = 65535, .floor = 1e-6, .power = 0.25, .plain = 0}};
}

class SpectralSignatures : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(SpectralSignatures);

// The signature of a spectrum alone is computed by plain code, number by number.
TEST_P(SpectralSignatures, EqualThoseOfSingleSpectraToTheBit) {
  const int width = 300, height = 3, bands = 70;
  const Stack<float> cube = cube_of_materials(width, height, bands, 1);
  for (SignatureOptions options : signature_settings()) {
    if (options.window > 1) continue;
    options.exec = {.device = device(), .threads = 2};
    const SpectralSignature signature(cube, options);
    const Image<std::uint16_t> image = signature.of(cube);
    std::vector<float> spectrum(bands);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        for (int b = 0; b < bands; ++b)
          spectrum[static_cast<std::size_t>(b)] = cube.plane(b).at(x, y);
        const std::vector<double> one = signature.of(spectrum);
        for (int i = 0; i < signature.bins(); ++i)
          ASSERT_EQ(image.at(x, y, i), one[static_cast<std::size_t>(i)])
              << options.bins << ' ' << x << ' ' << y << ' ' << i;
      }
  }
}

TEST_P(SpectralSignatures, FollowTheTextbook) {
  const Stack<float> cube = cube_of_materials(40, 21, 33, 2);
  for (SignatureOptions options : signature_settings()) {
    if (options.kind != SignatureKind::kContrast) continue;
    options.exec = {.device = device()};
    const Image<std::uint16_t> image = SpectralSignature(cube, options).of(cube);
    const std::vector<reference::Spectrum> expected = reference::contrasts(cube, options);
    for (int y = 0; y < 21; ++y)
      for (int x = 0; x < 40; ++x) {
        const reference::Spectrum& one = expected[static_cast<std::size_t>(40 * y + x)];
        double total = 0;
        for (const double mass : one) total += mass;
        for (int i = 0; i < image.channels(); ++i) {
          const double mass =
              one.empty() ? 0 : options.mass * one[static_cast<std::size_t>(i)] / total;
          ASSERT_NEAR(image.at(x, y, i), mass, 1.001) << x << ' ' << y << ' ' << i;
        }
      }
  }
}

TEST_P(SpectralSignatures, AreTheSameEverywhere) {
  const Stack<float> scene = cube_of_materials(67, 34, 12, 3),
                     cube = cube_of_materials(259, 20, 12, 4);
  for (SignatureOptions options : signature_settings()) {
    options.exec = {.device = Device::cpu(), .threads = 1};
    const SpectralSignature one(scene, options);
    options.exec = {.device = device(), .threads = 3};
    const SpectralSignature many(scene, options);
    EXPECT_TRUE(test::images_equal(one.of(cube), many.of(cube))) << options.bins;
  }
}

TEST(SpectralSignatureParity, StaysWhereTheCubeLies) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Stack<float> cube = cube_of_materials(131, 40, 12, 5);
  Stack<float> there(131, 40, 12, 1, Memory::kCuda);
  copy(cube.view(), there.view());
  for (const SignatureOptions& options : signature_settings()) {
    const SpectralSignature signature(cube, options), learned_there(there, options);
    const Image<std::uint16_t> expected = [&] {
      Image<std::uint16_t> made(131, 40, signature.bins());
      signature.of(cube, made, {.device = Device::cpu()});
      return made;
    }();
    const Image<std::uint16_t> found = learned_there.of(there);
    EXPECT_EQ(found.view().memory, Memory::kCuda);
    EXPECT_TRUE(test::images_equal(clone(found), expected));
    // A part of it, on a stream.
    const Stream stream(Device::cuda());
    Image<std::uint16_t> part(50, 20, signature.bins(), Memory::kCuda);
    StackView<const float> corner = there;
    corner.width = 50;
    corner.height = 20;
    signature.of(corner, part, {.device = Device::cuda(), .stream = stream.get()});
    stream.synchronize();
    if (options.window > 1) continue;
    EXPECT_TRUE(test::images_equal(clone(part), clone(expected.view().crop(0, 0, 50, 20))));
  }
}

}  // namespace
}  // namespace fovea::emd
