#include "bench/people/people_track.h"

#include <fovea/core/random.h>
#include <fovea/people/track.h>

#include <cmath>
#include <optional>

namespace fovea::cli {
namespace {

constexpr int kFollowed = 200;
constexpr int kCourseFrames = 64;

// Detections of everyone in each frame of a course that ends where it began.
std::vector<std::vector<people::Detection>> course_of(Extent size) {
  std::vector<std::vector<people::Detection>> frames(kCourseFrames);
  Random random(9);
  for (int person = 0; person < kFollowed; ++person) {
    const float x = random.uniform() * static_cast<float>(size.width);
    const float y = random.uniform() * static_cast<float>(size.height) * 0.8F;
    const float height = random.uniform(60, 120), swing = random.uniform(10, 60);
    for (int i = 0; i < kCourseFrames; ++i) {
      const float turn = 6.2831853F * static_cast<float>(i) / kCourseFrames;
      const Rect<float> box{x + swing * std::sin(turn) + static_cast<float>(random.normal()),
                            y + static_cast<float>(random.normal()), 0.41F * height, height};
      frames[static_cast<std::size_t>(i)].push_back({box, box, random.uniform(), 1});
    }
  }
  return frames;
}

}  // namespace

BenchCase people_track_case(Extent size, const std::shared_ptr<const Image<std::uint8_t>>& image) {
  struct Course {
    std::vector<std::vector<people::Detection>> frames;
    Image<std::uint8_t> pixels;
    std::optional<people::Tracker> tracker{};  // made for the settings of the first call
    std::size_t next = 0;
  };
  return {.name = "people_track_200",
          .shape = {.width = size.width, .height = size.height},
          .bytes = kFollowed * (384.0 + 2 * sizeof(people::Detection)),  // the pixels looked at
          .prepare = [=](Memory memory) -> BenchWork {
            const auto course =
                std::make_shared<Course>(Course{course_of(size), clone(*image, memory)});
            return [=](const Exec& exec) {
              if (!course->tracker) {
                people::TrackOptions options{.certain = 0.3};
                options.exec = exec;
                options.exec.stream = nullptr;  // the clock's stream ends with the measurement
                course->tracker.emplace(options);
              }
              course->tracker->track(course->pixels, course->frames[course->next]);
              course->next = (course->next + 1) % course->frames.size();
            };
          },
          .image = image};
}

}  // namespace fovea::cli
