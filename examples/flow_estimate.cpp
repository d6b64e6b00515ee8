// Flow between two images, as a .flo file and in colors: flow_estimate FIRST SECOND OUT.flo OUT.png
#include <fovea/core/error.h>
#include <fovea/flow.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <cstdio>

using namespace fovea;

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s FIRST SECOND OUT.flo OUT.png\n", argv[0]);
    return 2;
  }
  const auto first = io::to_bytes(io::drop_alpha(io::read_image(argv[1])));
  const auto second = io::to_bytes(io::drop_alpha(io::read_image(argv[2])));

  flow::Estimator estimator({.quality = flow::Quality::kBest});
  const flow::Flow flow = estimator.estimate(first, second);

  io::write_flow(argv[3], {flow.u, flow.v});
  io::write_image(argv[4], flow::wheel_picture({flow.u, flow.v}));
  std::printf("%s: %d x %d\n", argv[3], flow.u.width(), flow.u.height());
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "flow_estimate: %s\n", error.what());
  return 1;
}
