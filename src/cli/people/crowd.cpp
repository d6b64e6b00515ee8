#include "cli/people/crowd.h"

#include <fovea/core/random.h>
#include <fovea/ops/convolve.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fovea::cli {
namespace {

using namespace report;

constexpr double kBoxAspect = 0.41;  // as the detectors' boxes have it

// Clothes as they are seen on streets: most are dark or gray, and several look alike.
constexpr std::array<std::pair<Color, Color>, 12> kClothes{{{{44, 52, 74}, {36, 36, 42}},
                                                            {{150, 52, 46}, {52, 60, 84}},
                                                            {{228, 224, 210}, {74, 66, 58}},
                                                            {{38, 40, 44}, {40, 42, 50}},
                                                            {{58, 96, 66}, {88, 84, 78}},
                                                            {{54, 60, 78}, {60, 74, 112}},
                                                            {{196, 158, 62}, {46, 46, 52}},
                                                            {{120, 120, 124}, {44, 48, 58}},
                                                            {{92, 62, 108}, {38, 38, 44}},
                                                            {{82, 132, 172}, {160, 150, 128}},
                                                            {{104, 72, 50}, {56, 54, 56}},
                                                            {{206, 206, 210}, {58, 66, 92}}}};

Rect<double> box_around(const Walker& walker) {
  const double width = kBoxAspect * walker.height;
  return {walker.x - width / 2, walker.feet - walker.height, width, walker.height};
}

}  // namespace

// Units are the person's height, measured down from the top of the head.
void draw_walker(Canvas image, const Walker& walker) {
  const double h = walker.height, top = walker.feet - h;
  const auto at = [&](double u, double v) { return Point{walker.x + u * h, top + v * h}; };
  const auto limb = [&](Point from, Point to, double width, Color color) {
    draw_line(image, from, to, {.color = color, .thickness = static_cast<float>(width * h)});
  };
  const double step = walker.stride;
  limb(at(-0.03, 0.5), at(-0.04 - step, 0.97), 0.085, walker.trousers);
  limb(at(0.03, 0.5), at(0.04 + step, 0.97), 0.085, walker.trousers);
  limb(at(-0.12, 0.22), at(-0.15 - step / 3, 0.52), 0.06, walker.coat);
  limb(at(0.12, 0.22), at(0.15 + step / 3, 0.52), 0.06, walker.coat);
  const Point coat[] = {at(-0.06, 0.155), at(0.06, 0.155), at(0.145, 0.21),
                        at(0.11, 0.56),   at(-0.11, 0.56), at(-0.145, 0.21)};
  fill_polygon(image, coat, {walker.coat, 1});
  fill_circle(image, at(0, 0.075), 0.068 * h, {{206, 160, 132}, 1});
  fill_circle(image, at(0, 0.055), 0.062 * h, {{60, 44, 36}, 1});
}

Crowd::Crowd(const CrowdOptions& options) : options_(options) {
  const double width = options.size.width, height = options.size.height;
  Random random(options.seed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random.uniform());
  };
  for (int i = 0; i < options.people; ++i) {
    const auto& clothes = kClothes[static_cast<std::size_t>(i) % kClothes.size()];
    Course course{};
    course.feet = between(0.72, 0.97) * height;
    course.height = (0.34 + 0.9 * (course.feet / height - 0.72)) * height;
    course.speed = between(0.012, 0.028) * course.height;
    // Some turn around within the frame, others leave it for a while.
    course.from = between(-0.25, 0.15) * width;
    course.width = between(0.9, 1.25) * width - course.from;
    course.phase = between(0, 2) * course.width;
    course.coat = clothes.first;
    course.trousers = clothes.second;
    courses_.push_back(course);
  }
  std::stable_sort(courses_.begin(), courses_.end(),
                   [](const Course& a, const Course& b) { return a.feet < b.feet; });
  posts_ = {{0.3 * width, 0, 0.06 * width, height}, {0.72 * width, 0, 0.05 * width, height}};

  street_ = Image<std::uint8_t>(options.size.width, options.size.height, 3);
  const Canvas canvas = street_;
  fill_box(canvas, {0, 0, width, height}, {{176, 178, 176}, 1});
  fill_box(canvas, {0, 0.62 * height, width, 0.38 * height}, {{128, 126, 122}, 1});
  for (int i = 0; i < 5; ++i) {
    const Rect<double> window{(0.03 + 0.2 * i) * width, 0.08 * height, 0.12 * width, 0.26 * height};
    fill_box(canvas, window, {{120, 134, 150}, 1});
    draw_box(canvas, window, Stroke{.color = {216, 214, 206}, .thickness = 4});
  }
  draw_line(canvas, {0, 0.62 * height}, {width, 0.62 * height},
            {.color = {96, 96, 96}, .thickness = 3});
}

Walker Crowd::walker(const Course& course, int number) const {
  const double gone = course.phase + course.speed * number;
  const double along = std::fmod(gone, 2 * course.width);
  const double x = course.from + (along < course.width ? along : 2 * course.width - along);
  const double stride = 0.1 * std::abs(std::sin(5 * gone / course.height));
  return {x, course.feet, course.height, stride, course.coat, course.trousers};
}

Image<std::uint8_t> Crowd::frame(int number) const {
  Image<std::uint8_t> sharp = clone(street_.view());
  for (const Course& course : courses_) draw_walker(sharp, walker(course, number));
  for (const Rect<double>& post : posts_) fill_box(sharp, post, {{92, 88, 82}, 1});
  Image<std::uint8_t> soft(sharp.width(), sharp.height(), 3);
  gaussian_blur(sharp.view(), soft.view(), 0.9, {.exec = {.device = Device::cpu()}});
  Random random(options_.seed, 1 + static_cast<std::uint64_t>(number));
  for (int y = 0; y < soft.height(); ++y)
    for (int i = 0; i < soft.width() * 3; ++i)
      soft.row(y)[i] =
          static_cast<std::uint8_t>(std::clamp(soft.row(y)[i] + 3.0 * random.normal(), 0.0, 255.0));
  return soft;
}

std::vector<people::MotBox> Crowd::truth(int number) const {
  constexpr int kAcross = 12, kDown = 24;
  std::vector<Rect<double>> boxes;
  for (const Course& course : courses_) boxes.push_back(box_around(walker(course, number)));
  const auto covers = [](const Rect<double>& box, double x, double y) {
    return x >= box.x && x < box.right() && y >= box.y && y < box.bottom();
  };
  const Rect<double> all{0, 0, 1.0 * options_.size.width, 1.0 * options_.size.height};
  std::vector<people::MotBox> truth;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Rect<double>& box = boxes[i];
    if (!covers(all, box.x + box.width / 2, box.y + box.height / 2)) continue;
    int seen = 0;
    for (int place = 0; place < kAcross * kDown; ++place) {
      const int row = place / kAcross;
      const double x = box.x + (place % kAcross + 0.5) / kAcross * box.width;
      const double y = box.y + (row + 0.5) / kDown * box.height;
      const auto hides = [&](const Rect<double>& other) { return covers(other, x, y); };
      const bool hidden =
          !covers(all, x, y) || std::any_of(posts_.begin(), posts_.end(), hides) ||
          std::any_of(boxes.begin() + static_cast<std::ptrdiff_t>(i) + 1, boxes.end(), hides);
      seen += hidden ? 0 : 1;
    }
    truth.push_back({.frame = number,
                     .id = static_cast<int>(i) + 1,
                     .box = box,
                     .label = 1,
                     .visibility = static_cast<double>(seen) / (kAcross * kDown)});
  }
  return truth;
}

std::vector<people::MotBox> Crowd::detections(int number) const {
  constexpr double kFalsePerFrame = 0.15, kMissed = 0.06, kError = 0.03;
  Random random(options_.seed + 77, 1 + static_cast<std::uint64_t>(number));
  std::vector<people::MotBox> found;
  for (const people::MotBox& person : truth(number)) {
    const Rect<double>& box = person.box;
    const double chance = static_cast<double>(random.uniform());
    const double height = box.height * (1 + kError * random.normal());
    const double x = box.x + box.width / 2 + kError * box.height * random.normal();
    const double y = box.y + box.height / 2 + kError * box.height * random.normal();
    const double score = std::clamp(person.visibility - 0.1 + 0.08 * random.normal(), 0.0, 1.0);
    const double shown = (person.visibility - 0.4) / 0.3;
    if (chance > std::min(1.0, shown) * (1 - kMissed)) continue;
    found.push_back(
        {.frame = number,
         .box = {x - kBoxAspect * height / 2, y - height / 2, kBoxAspect * height, height},
         .score = score});
  }
  if (static_cast<double>(random.uniform()) < kFalsePerFrame) {
    const double height = options_.size.height * static_cast<double>(random.uniform(0.3F, 0.6F));
    found.push_back({.frame = number,
                     .box = {options_.size.width * static_cast<double>(random.uniform()),
                             options_.size.height - height - 1.0, kBoxAspect * height, height},
                     .score = static_cast<double>(random.uniform(0.2F, 0.7F))});
  }
  return found;
}

}  // namespace fovea::cli
