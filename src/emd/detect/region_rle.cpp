// Run lengths in the form of COCO's API: the numbers of pixels outside and inside in turn, along
// columns. From the fourth on a number is written as the difference to the one two before; each is
// written in groups of five bits, the lowest first, with a sixth bit where more follow.
#include <fovea/core/error.h>
#include <fovea/emd/regions.h>

#include <fmt/format.h>

namespace fovea::emd {
namespace {

std::vector<std::int64_t> runs_of(ImageView<const std::uint16_t> labels, const Rect<int>& box,
                                  std::uint16_t number) {
  std::vector<std::int64_t> runs;
  std::int64_t since = 0;  // where the current run begins
  bool inside = false;
  const auto change_at = [&](std::int64_t place) {
    runs.push_back(place - since);
    since = place;
    inside = !inside;
  };
  for (int x = box.x; x < box.right(); ++x) {
    const std::int64_t column = std::int64_t{x} * labels.height;
    // A run goes on into the next column only where it fills this one to its end.
    if (inside && (box.y > 0 || labels.at(x, 0) != number)) change_at(column);
    for (int y = box.y; y < box.bottom(); ++y)
      if ((labels.at(x, y) == number) != inside) change_at(column + y);
    if (inside && box.bottom() < labels.height) change_at(column + box.bottom());
  }
  const std::int64_t end = std::int64_t{labels.width} * labels.height;
  if (inside) change_at(std::int64_t{box.right()} * labels.height);
  if (since < end) runs.push_back(end - since);
  return runs;
}

void append_number(std::int64_t number, std::string& text) {
  for (bool more = true; more;) {
    std::int64_t bits = number & 31;
    number >>= 5;
    more = (bits & 16) != 0 ? number != -1 : number != 0;
    if (more) bits |= 32;
    text += static_cast<char>(bits + 48);
  }
}

}  // namespace

std::string region_rle(const RegionSet& found, std::size_t index) {
  if (index >= found.regions.size())
    throw InvalidArgument(
        fmt::format("there is no region {}; there are {}", index, found.regions.size()));
  const std::vector<std::int64_t> runs =
      runs_of(found.labels, found.regions[index].box, static_cast<std::uint16_t>(index + 1));
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i)
    append_number(i > 2 ? runs[i] - runs[i - 2] : runs[i], text);
  return text;
}

}  // namespace fovea::emd
