// What the readers and writers of records share: words of choices, sides of boxes.
#pragma once
#include <fovea/core/record.h>

#include <array>
#include <string>
#include <string_view>

namespace fovea::detail {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang 14 does not deduce it by itself

}  // namespace fovea::detail

namespace fovea::io {

// The word of a choice; empty where its value has none.
std::string_view word_of(const ChoiceRef& choice);
// Sets a choice by its word; false where there is no such word.
bool set_word(const ChoiceRef& choice, std::string_view word);
// "sobel, scharr or centered"
std::string words_of(const ChoiceRef& choice);

// The numbers of a size, a point or a rectangle, and what their columns are called.
inline std::array<int, 2> sides_of(const Extent& size) { return {size.width, size.height}; }
inline void set_sides(Extent& size, const std::array<int, 2>& sides) {
  size = {sides[0], sides[1]};
}
template <class T>
std::array<T, 2> sides_of(const Position<T>& point) {
  return {point.x, point.y};
}
template <class T>
void set_sides(Position<T>& point, const std::array<T, 2>& sides) {
  point = {sides[0], sides[1]};
}
template <class T>
std::array<T, 4> sides_of(const Rect<T>& box) {
  return {box.x, box.y, box.width, box.height};
}
template <class T>
void set_sides(Rect<T>& box, const std::array<T, 4>& sides) {
  box = {sides[0], sides[1], sides[2], sides[3]};
}
inline constexpr std::array<std::string_view, 4> kSideNames{"x", "y", "width", "height"};
template <class Sides>
constexpr std::string_view side_name(std::size_t side) {
  return kSideNames[std::is_same_v<Sides, Extent> ? side + 2 : side];
}

}  // namespace fovea::io
