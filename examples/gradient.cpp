// Draws the strongest edges of an image: gradient IN OUT.png [device]
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/ops/gradient.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>

#include <cstdio>

using namespace fovea;

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s IN OUT.png [auto|cpu|cuda]\n", argv[0]);
    return 2;
  }
  const auto image = io::to_bytes(io::drop_alpha(io::read_image(argv[1])));
  Image<float> magnitude(image.width(), image.height());
  Image<std::uint8_t> bin(image.width(), image.height());
  PolarGradientOptions options{.bins = 8};
  if (argc > 3) options.exec.device = parse_device(argv[3]);
  polar_gradient(image, magnitude, bin, options);

  auto picture = report::apply_color_map(magnitude);
  report::draw_text(picture, {8, 8}, "gradient magnitude",
                    {.size = 16, .background = report::kBlack, .background_alpha = 0.6F});
  io::write_image(argv[2], picture.view());
  std::printf("%s: %d x %d\n", argv[2], picture.width(), picture.height());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "gradient: %s\n", error.what());
  return 1;
}
