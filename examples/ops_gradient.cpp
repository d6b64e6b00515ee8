// Writes the gradient of an image in colors: ops_gradient IN OUT.png [auto|cpu|cuda]
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/ops/gradient.h>
#include <fovea/report/color_map.h>

#include <cstdio>

using namespace fovea;

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s IN OUT.png [auto|cpu|cuda]\n", argv[0]);
    return 2;
  }
  const auto image = io::to_bytes(io::drop_alpha(io::read_image(argv[1])));
  Image<float> magnitude(image.width(), image.height());
  Image<std::uint8_t> bin(image.width(), image.height());  // orientation, 8 bins over 180 degrees
  PolarGradientOptions options{.bins = 8};
  if (argc > 3) options.exec.device = parse_device(argv[3]);
  polar_gradient(image, magnitude, bin, options);
  io::write_image(argv[2], report::apply_color_map(magnitude).view());
  std::printf("%s: %d x %d\n", argv[2], image.width(), image.height());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "ops_gradient: %s\n", error.what());
  return 1;
}
