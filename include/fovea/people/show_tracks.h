#pragma once
#include <fovea/core/image.h>
#include <fovea/people/track.h>

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace fovea::people {

// Draws people with identities on the frames of a video: boxes and ids in a color of their own, and
// the way that each person's feet have gone.
class FOVEA_API TrackPainter {
 public:
  // `trail` is how many frames a way goes back; 0 draws none.
  explicit TrackPainter(int trail = 50) : trail_(trail) {}

  // Draws on the next frame, which is gray or RGB and lies in host memory. A person who is only
  // predicted is drawn faintly. Ways are kept for people who are hidden for a while.
  void draw(ImageView<std::uint8_t> frame, std::span<const Track> tracks);

 private:
  struct Step {
    std::int64_t frame;
    double x, y;
  };
  int trail_;
  std::int64_t frame_ = 0;
  std::map<int, std::vector<Step>> ways_{};  // by id
};

}  // namespace fovea::people
