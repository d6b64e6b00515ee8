// Drawn people. A crowd is a street on which several of them walk to and fro: they cross, hide each
// other, pass behind posts, leave and come back, and everyone's true box is known.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/people/mot.h>
#include <fovea/report/draw.h>

#include <cstdint>
#include <vector>

namespace fovea::cli {

struct Walker {
  double x, feet, height;
  double stride;  // length of a step, as a share of the height
  report::Color coat, trousers;
};
// Draws a person of straight limbs.
void draw_walker(report::Canvas image, const Walker& walker);

struct CrowdOptions {
  Extent size{640, 360};
  int frames = 400;
  int people = 8;
  std::uint64_t seed = 1;
};

class Crowd {
 public:
  explicit Crowd(const CrowdOptions& options);

  // A frame in RGB, with the noise of a camera.
  Image<std::uint8_t> frame(int number) const;
  // Everyone whose middle lies within the frame, with the share of the box that nothing hides.
  std::vector<people::MotBox> truth(int number) const;
  // What a detector might find: true boxes with errors; people who are hidden by half or more are
  // missed, others now and then, and some boxes show nobody. Scores are from 0 to 1 and fall with
  // what is hidden.
  std::vector<people::MotBox> detections(int number) const;

 private:
  struct Course {
    double feet, height;
    double speed;        // pixels per frame
    double from, width;  // the way that is walked to and fro
    double phase;        // pixels along the way at the start
    report::Color coat, trousers;
  };
  Walker walker(const Course& course, int number) const;

  CrowdOptions options_;
  std::vector<Course> courses_{};  // the farthest first; the id of a person is its place from 1
  std::vector<Rect<double>> posts_{};
  Image<std::uint8_t> street_{};
};

}  // namespace fovea::cli
