// What a user's first program looks like: it must build against an installed Fovea and nothing
// else.
#include <fovea/core/system.h>
#include <fovea/ops/gradient.h>

#include <iostream>

int main() {
  fovea::Image<float> image(64, 48), dx(64, 48), dy(64, 48);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) image.at(x, y) = static_cast<float>(x);
  fovea::gradient(image, dx, dy);
  std::cout << "fovea " << fovea::build_info().version << ": slope " << dx.at(10, 10) / 2 << '\n';
  return dx.at(10, 10) == 2 ? 0 : 1;
}
