// Variational refinement of a level, a pixel at a time: every stage over the whole image, in the
// order of the textbook.
#pragma once
#include <functional>
#include <vector>

#include "flow/lk/lucas_kanade_math.h"
#include "flow/refine/refine_math.h"

namespace fovea::flow::textbook {

// An image whose border repeats.
struct Grid {
  int width = 0, height = 0;
  std::vector<float> values{};
  Grid(int across, int down)
      : width(across), height(down), values(static_cast<std::size_t>(across) * down) {}
  float& at(int x, int y) { return values[static_cast<std::size_t>(y) * width + x]; }
  float near(int x, int y) const {
    return values[static_cast<std::size_t>(lk::clamped(y, height)) * width + lk::clamped(x, width)];
  }
  float across(int x, int y) const {
    return refine::derivative(near(x - 2, y), near(x - 1, y), near(x + 1, y), near(x + 2, y));
  }
  float down(int x, int y) const {
    return refine::derivative(near(x, y - 2), near(x, y - 1), near(x, y + 1), near(x, y + 2));
  }
};

struct Refinement {
  Grid first, second, u, v;
  refine::Work work;
  refine::Energy energy;

  void run() {
    for (int k = 0; k < work.warps; ++k) warp();
  }

 private:
  void each(const std::function<void(int, int)>& body) const {
    for (int y = 0; y < u.height; ++y)
      for (int x = 0; x < u.width; ++x) body(x, y);
  }

  void warp() {
    const Grid u0 = u, v0 = v;
    Grid mean(u.width, u.height), z = mean, valid = mean, dx = mean, dy = mean;
    each([&](int x, int y) {
      const lk::Landing to = lk::landing(x, u.at(x, y), u.width);
      const lk::Landing down = lk::landing(y, v.at(x, y), u.height);
      const refine::Cubic cx = refine::cubic(to.fraction), cy = refine::cubic(down.fraction);
      float c[4];
      for (int k = 0; k < 4; ++k) {
        const auto row = [&](int j) { return second.near(to.index + k - 1, down.index + j); };
        c[k] = refine::weighted(cy, row(-1), row(0), row(1), row(2));
      }
      const float there = refine::weighted(cx, c[0], c[1], c[2], c[3]);
      mean.at(x, y) = (first.at(x, y) + there) * 0.5F;
      z.at(x, y) = there - first.at(x, y);
      valid.at(x, y) = to.inside && down.inside ? 1.0F : 0.0F;
    });
    each([&](int x, int y) {
      dx.at(x, y) = mean.across(x, y);
      dy.at(x, y) = mean.down(x, y);
    });
    for (int k = 0; k < work.fixed; ++k) {
      std::vector<refine::System> systems;
      systems.reserve(u.values.size());
      Grid right(u.width, u.height), below = right;
      each([&](int x, int y) {
        if (x + 1 < u.width)
          right.at(x, y) = refine::between(smooth(x, y), smooth(x + 1, y),
                                           first.at(x + 1, y) - first.at(x, y), energy.edge);
        if (y + 1 < u.height)
          below.at(x, y) = refine::between(smooth(x, y), smooth(x, y + 1),
                                           first.at(x, y + 1) - first.at(x, y), energy.edge);
        systems.push_back(refine::data_system(
            {dx.at(x, y), dy.at(x, y), z.at(x, y), dx.across(x, y), dx.down(x, y), dy.down(x, y),
             z.across(x, y), z.down(x, y)},
            {u0.near(x, y), v0.near(x, y), u.at(x, y) - u0.near(x, y), v.at(x, y) - v0.near(x, y)},
            valid.at(x, y), energy));
      });
      for (int half = 0; half < 2 * work.relaxations; ++half)
        each([&](int x, int y) {
          if ((x + y + half) % 2 == 0)
            relax(systems[static_cast<std::size_t>(y) * u.width + x], right, below, x, y);
        });
      each([&](int x, int y) {
        u.at(x, y) = refine::limited(u.at(x, y), u0.near(x, y));
        v.at(x, y) = refine::limited(v.at(x, y), v0.near(x, y));
      });
    }
  }

  float smooth(int x, int y) const {
    return refine::smoothness(u.near(x + 1, y) - u.near(x, y), u.near(x, y + 1) - u.near(x, y),
                              v.near(x + 1, y) - v.near(x, y), v.near(x, y + 1) - v.near(x, y),
                              energy.alpha);
  }
  void relax(const refine::System& system, Grid& right, Grid& below, int x, int y) {
    const float left = x > 0 ? right.at(x - 1, y) : 0, up = y > 0 ? below.at(x, y - 1) : 0;
    const float around = (left + right.at(x, y)) + (up + below.at(x, y));
    const auto neighbors = [&](const Grid& g) {
      return (left * g.near(x - 1, y) + right.at(x, y) * g.near(x + 1, y)) +
             (up * g.near(x, y - 1) + below.at(x, y) * g.near(x, y + 1));
    };
    const float inverse_u = 1 / (system.a11 + around), inverse_v = 1 / (system.a22 + around);
    u.at(x, y) = refine::relaxed(u.at(x, y), (system.c1 + neighbors(u)) - system.a12 * v.at(x, y),
                                 inverse_u, energy.omega);
    v.at(x, y) = refine::relaxed(v.at(x, y), (system.c2 + neighbors(v)) - system.a12 * u.at(x, y),
                                 inverse_v, energy.omega);
  }
};

}  // namespace fovea::flow::textbook
