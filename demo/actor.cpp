// Limbs are thick lines between joints whose angles are periodic functions of time. The room behind
// does not move.
#include "demo/actor.h"

#include <fovea/core/random.h>
#include <fovea/report/draw.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::cli {
namespace {

using namespace report;

// Everything about a person that does not change with time.
struct ActorBody {
  double height;  // pixels
  double pace;    // cycles per second
  double place;   // place of the hips, as a share of the frame's width
  double swing;   // amplitude of the limbs, about 1
  Color shirt, trousers, skin;
};

ActorBody body_of(int person) {
  Random random(21, static_cast<std::uint64_t>(person));
  const auto shade = [&](int low, int high) {
    return static_cast<std::uint8_t>(
        random.uniform(static_cast<float>(low), static_cast<float>(high)));
  };
  return {.height = random.uniform(66, 82),
          .pace = random.uniform(0.85F, 1.2F),
          .place = random.uniform(0.4F, 0.6F),
          .swing = random.uniform(0.85F, 1.15F),
          .shirt = {shade(120, 230), shade(30, 90), shade(30, 110)},
          .trousers = {shade(20, 60), shade(30, 70), shade(60, 120)},
          .skin = {shade(190, 230), shade(150, 185), shade(120, 150)}};
}

// Angles are measured from straight down, and forward is positive. Arrays hold both sides, the
// right one first.
struct Pose {
  double x = 0, lift = 0;  // place of the hips: pixels to the right and up
  double lean = 0;         // angle of the trunk, forward
  double arm[2]{}, elbow[2]{}, thigh[2]{}, shin[2]{};
};

Pose pose_of(Act act, const ActorBody& body, double seconds) {
  const double pace = act == Act::kWave ? 1.5 * body.pace : body.pace;
  const double turn = 2 * std::numbers::pi * pace * seconds;
  const double beat = 0.5 - 0.5 * std::cos(turn);  // goes from 0 to 1 and back
  Pose pose;
  switch (act) {
    case Act::kWalk:
      pose.x = 0.62 * body.height * body.pace * seconds;
      for (int side = 0; side < 2; ++side) {
        const double phase = turn + side * std::numbers::pi;
        pose.thigh[side] = 0.5 * body.swing * std::sin(phase);
        pose.shin[side] = -0.55 * body.swing * std::max(0.0, std::cos(phase));
        pose.arm[side] = -0.45 * body.swing * std::sin(phase);
        pose.elbow[side] = 0.3;
      }
      pose.lift = 0.015 * body.height * std::cos(2 * turn);
      break;
    case Act::kWave:
      for (int side = 0; side < 2; ++side) {
        pose.arm[side] = 0.5 + 2.1 * body.swing * beat;
        pose.elbow[side] = 0.5 * beat;
      }
      break;
    case Act::kJump:
      pose.lift = body.height * (0.16 * body.swing * beat - 0.05 * (1 - beat));
      for (int side = 0; side < 2; ++side) {
        pose.thigh[side] = 0.75 * (1 - beat);
        pose.shin[side] = -1.2 * (1 - beat);
        pose.arm[side] = -0.5 + 1.1 * beat;
        pose.elbow[side] = 0.4;
      }
      break;
    case Act::kBend: {
      const double slow = 0.5 - 0.5 * std::cos(0.55 * turn);
      pose.lean = 1.45 * body.swing * slow;
      for (double& arm : pose.arm) arm = 0.15 + 0.2 * slow;
      break;
    }
  }
  return pose;
}

struct Skeleton {
  Point hips, neck, head;
  Point hand[2], elbow[2], knee[2], foot[2];
};

Point below(Point from, double length, double angle) {
  return {from.x + length * std::sin(angle), from.y + length * std::cos(angle)};
}

Skeleton skeleton_of(const ActorBody& body, const Pose& pose, bool frontal) {
  Skeleton bones;
  const double h = body.height;
  bones.hips = {body.place * kActorWidth + pose.x, 0.9 * kActorHeight - 0.5 * h - pose.lift};
  bones.neck = below(bones.hips, -0.32 * h, -pose.lean);
  bones.head = below(bones.neck, -0.1 * h, -1.1 * pose.lean);
  for (int side = 0; side < 2; ++side) {
    // In a frontal view limbs move outward, in a side view forward.
    const double way = frontal ? (side == 0 ? -1 : 1) : 1;
    const double shoulder = frontal ? 0.1 * h * way : 0, hip = frontal ? 0.05 * h * way : 0;
    const Point top{bones.neck.x + shoulder, bones.neck.y + 0.02 * h};
    bones.elbow[side] = below(top, 0.17 * h, way * pose.arm[side]);
    bones.hand[side] =
        below(bones.elbow[side], 0.17 * h, way * (pose.arm[side] + pose.elbow[side]));
    const Point socket{bones.hips.x + hip, bones.hips.y};
    bones.knee[side] = below(socket, 0.25 * h, frontal ? 0.08 * way : pose.thigh[side]);
    bones.foot[side] = below(bones.knee[side], 0.25 * h,
                             frontal ? 0.08 * way : pose.thigh[side] + pose.shin[side]);
  }
  return bones;
}

void draw_limb(Canvas image, Point a, Point b, Point c, Color color, double thickness) {
  const Point joints[] = {a, b, c};
  draw_polyline(image, joints, {color, static_cast<float>(thickness)});
}

void draw_room(Canvas image) {
  Random random(22);
  for (int y = 0; y < kActorHeight; ++y)
    for (int x = 0; x < kActorWidth; ++x) {
      const bool floor = y > 0.86 * kActorHeight;
      const double base = floor ? 104 + 0.3 * y : 188 - 0.25 * y + 5 * std::sin(0.2 * x);
      const double grain = 3 * random.normal();
      for (int c = 0; c < 3; ++c)
        image.at(x, y, c) = static_cast<std::uint8_t>(
            std::clamp(base + grain + (floor ? -10.0 : 6.0) * c, 0.0, 255.0));
    }
}

}  // namespace

Image<std::uint8_t> draw_act(Act act, const Actor& actor, int frame) {
  const ActorBody body = body_of(actor.person);
  ActorBody placed = body;
  if (act == Act::kWalk) placed.place = 0.12;
  const Pose pose = pose_of(act, placed, frame / 25.0);
  const Skeleton bones = skeleton_of(placed, pose, act == Act::kWave);
  Image<std::uint8_t> image(kActorWidth, kActorHeight, 3);
  const Canvas canvas = image.view();
  draw_room(canvas);
  const auto at = [&](Point p) { return actor.leftwards ? Point{kActorWidth - p.x, p.y} : p; };
  const double thick = 0.075 * body.height;
  for (int side = 1; side >= 0; --side)
    draw_limb(canvas, at(bones.hips), at(bones.knee[side]), at(bones.foot[side]), body.trousers,
              thick);
  draw_limb(canvas, at(bones.neck), at(bones.elbow[1]), at(bones.hand[1]), body.shirt,
            0.85 * thick);
  fill_circle(canvas, at(bones.hand[1]), 0.55 * thick, {body.skin, 1});
  draw_line(canvas, at(bones.hips), at(bones.neck),
            {body.shirt, static_cast<float>(0.16 * body.height)});
  draw_limb(canvas, at(bones.neck), at(bones.elbow[0]), at(bones.hand[0]), body.shirt,
            0.85 * thick);
  fill_circle(canvas, at(bones.hand[0]), 0.55 * thick, {body.skin, 1});
  fill_circle(canvas, at(bones.head), 0.075 * body.height, {body.skin, 1});
  return image;
}

std::vector<Image<std::uint8_t>> draw_act_video(Act act, const Actor& actor, int frames) {
  std::vector<Image<std::uint8_t>> video;
  video.reserve(static_cast<std::size_t>(frames));
  for (int frame = 0; frame < frames; ++frame) video.push_back(draw_act(act, actor, frame));
  return video;
}

}  // namespace fovea::cli
