// A drawn person who performs actions: videos for the gallery and for tests, made without any data
// file.
#pragma once
#include <fovea/core/image.h>

#include <array>
#include <cstdint>
#include <vector>

namespace fovea::cli {

enum class Act : unsigned char { kWalk, kWave, kJump, kBend };
inline constexpr std::array<const char*, 4> kActNames{"walk", "wave", "jump", "bend"};

// People differ in size, pace, clothes and place; the same number is always the same person.
struct Actor {
  int person = 0;
  bool leftwards = false;
};

inline constexpr int kActorWidth = 160;
inline constexpr int kActorHeight = 120;

// Draws one frame in RGB; `frame` counts from 0, at 25 frames per second.
Image<std::uint8_t> draw_act(Act act, const Actor& actor, int frame);
std::vector<Image<std::uint8_t>> draw_act_video(Act act, const Actor& actor, int frames);

}  // namespace fovea::cli
