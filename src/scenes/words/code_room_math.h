// The shared memory of a block that codes places on a GPU, and how many places it takes at a time:
// as many as fit, because scores of all words are kept for each of them.
#pragma once
#include <cstddef>

#include "scenes/words/coding_math.h"

namespace fovea::scenes {

// Floats from one plane of places to the next, for numbers of places and for scores of words.
FOVEA_HD inline constexpr int code_pitch(int places) { return places + 4; }
FOVEA_HD inline constexpr int code_score_pitch(int places) { return places + 1; }

// Where the parts begin, in floats: descriptors, which scores of words replace later, projected
// numbers, masks of words, cells of places.
struct CodeRoom {
  int numbers, masks, cells, end;
  FOVEA_HD std::size_t bytes() const { return static_cast<std::size_t>(end) * sizeof(float); }
};
FOVEA_HD inline CodeRoom code_room(const CodeShape& shape, int inputs, int places) {
  const int descriptors = inputs * code_pitch(places);
  const int scores = shape.words * code_score_pitch(places);
  CodeRoom room{};
  room.numbers = ((descriptors > scores ? descriptors : scores) + 3) / 4 * 4;
  room.masks = room.numbers + shape.components * code_pitch(places);
  room.cells = room.masks + shape.words;
  room.end = room.cells + places;
  return room;
}

// Blocks take 32, 16 or 8 places. More than this is not used where a device has more, so that
// several blocks share a multiprocessor; most GPUs have no more.
constexpr std::size_t kMostCodeBytes = 99 << 10;
constexpr int kMostCodePlaces = 32, kLeastCodePlaces = 8;

// The most places that fit into `bytes` of shared memory; the least number if none fits.
inline int code_places(const CodeShape& shape, int inputs, std::size_t bytes) {
  const std::size_t most = bytes < kMostCodeBytes ? bytes : kMostCodeBytes;
  int places = kMostCodePlaces;
  while (places > kLeastCodePlaces && code_room(shape, inputs, places).bytes() > most) places /= 2;
  return places;
}

}  // namespace fovea::scenes
