// The explanation of a scene in words, and as layers, boxes and tables.
#include <fovea/scenes/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace fovea::scenes {
namespace {

constexpr std::size_t kListedWords = 12;  // that are listed as reasons
constexpr int kRegions = 4;               // of the image in each direction
constexpr int kSmoothing = 32;  // the larger side of the image is so many times the square
                                // over which the first layer is averaged

const char* evidence_name(Evidence evidence) {
  switch (evidence) {
    case Evidence::kLogOdds: return "difference of log odds";
    case Evidence::kMargin: return "difference of margins";
    case Evidence::kLogits: return "difference of logits";
    case Evidence::kVotes: break;
  }
  return "difference of vote shares";
}

std::string word_name(const WordShare& share, bool begins = false) {
  const char* kind =
      share.dictionary == 0 ? (begins ? "Word" : "word") : (begins ? "Color word" : "color word");
  return fmt::format("{} {}", kind, share.word);
}

// A sixteenth of the image.
struct Region {
  Rect<double> place{};
  double value = 0;
};
std::vector<Region> regions_of(const Image<float>& heat) {
  std::vector<Region> regions;
  const int across = std::min(kRegions, heat.width()), down = std::min(kRegions, heat.height());
  for (int row = 0; row < down; ++row)
    for (int column = 0; column < across; ++column) {
      const int left = heat.width() * column / across, right = heat.width() * (column + 1) / across;
      const int top = heat.height() * row / down, bottom = heat.height() * (row + 1) / down;
      Region region{{static_cast<double>(left), static_cast<double>(top),
                     static_cast<double>(right - left), static_cast<double>(bottom - top)}};
      for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) region.value += static_cast<double>(heat.at(x, y));
      regions.push_back(region);
    }
  return regions;
}

// Where in the image a region lies, in words.
std::string where(const Region& region, const Image<float>& heat) {
  const double x = (region.place.x + region.place.width / 2) / heat.width();
  const double y = (region.place.y + region.place.height / 2) / heat.height();
  const char* down = y < 0.25 ? "top" : y < 0.75 ? "middle" : "bottom";
  const char* across = x < 0.25 ? "left" : x < 0.75 ? "center" : "right";
  return fmt::format("{} {}", down, across);
}

// The mean over the square of this size around each pixel, as far as it lies in the image.
Image<float> averaged(const Image<float>& heat, int size) {
  const int width = heat.width(), height = heat.height();
  Image<double> sums(width + 1, height + 1);
  std::fill_n(sums.row(0), width + 1, 0.0);
  for (int y = 0; y < height; ++y) {
    double line = 0;
    sums.at(0, y + 1) = 0;
    for (int x = 0; x < width; ++x) {
      line += static_cast<double>(heat.at(x, y));
      sums.at(x + 1, y + 1) = sums.at(x + 1, y) + line;
    }
  }
  Image<float> result(width, height);
  for (int y = 0; y < height; ++y) {
    const int top = std::max(0, y - size / 2), bottom = std::min(height, y + size / 2 + 1);
    for (int x = 0; x < width; ++x) {
      const int left = std::max(0, x - size / 2), right = std::min(width, x + size / 2 + 1);
      const double sum = (sums.at(right, bottom) - sums.at(left, bottom)) -
                         (sums.at(right, top) - sums.at(left, top));
      result.at(x, y) =
          static_cast<float>(sum / (static_cast<double>(right - left) * (bottom - top)));
    }
  }
  return result;
}

report::Table cell_table(const SceneExplanation& explanation) {
  report::Table table{.caption =
                          "Cells of the spatial pyramid; they and the bias add up to the "
                          "total.",
                      .columns = {{"level"}, {"row"}, {"column"}, {"value"}}};
  for (const CellShare& cell : explanation.cells)
    table.rows.push_back({cell.level, cell.row, cell.column, {cell.value}});
  return table;
}

report::Table class_table(const SceneExplanation& explanation,
                          std::span<const std::string> classes) {
  report::Table table{.caption = "Scores of the classes.", .columns = {{"class"}, {"score"}}};
  std::vector<std::size_t> order(explanation.result.scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return explanation.result.scores[a] > explanation.result.scores[b];
  });
  for (const std::size_t i : order)
    table.rows.push_back({classes[i], {static_cast<double>(explanation.result.scores[i])}});
  return table;
}

const char* spoken(double value) { return value >= 0 ? "for" : "against"; }

std::string summary_of(const SceneExplanation& explanation, std::span<const Region> regions) {
  const auto score = [&](int label) {
    return explanation.result.scores[static_cast<std::size_t>(label)];
  };
  const double image = explanation.total - explanation.bias;
  std::string text = fmt::format(
      "The score of {} is {:.3g} and that of {} is {:.3g}. {} {:+.3g}: the image speaks {} "
      "{} with {:+.3g}, and {} {:+.3g}.",
      explanation.first_name, score(explanation.first), explanation.second_name,
      score(explanation.second),
      explanation.evidence == Evidence::kLogOdds
          ? "Before the scores are normalized to a sum of 1, the log odds differ by"
          : fmt::format("The {} is", evidence_name(explanation.evidence)),
      explanation.total, spoken(image), explanation.first_name, image,
      explanation.evidence == Evidence::kVotes ? "votes without a common bin add"
                                               : "the bias, which is the same for all images, adds",
      explanation.bias);
  const auto by_value = [](const auto& a, const auto& b) { return a.value < b.value; };
  const auto [least, most] = std::ranges::minmax_element(explanation.words, by_value);
  if (most != explanation.words.end() && most->value > 0)
    text += fmt::format(" {} speaks most for {} ({:+.3g}; {:.1f} % of the places).",
                        word_name(*most, true), explanation.first_name, most->value,
                        100 * most->places);
  if (least != explanation.words.end() && least->value < 0)
    text += fmt::format(" {} speaks most for {} ({:+.3g}; {:.1f} % of the places).",
                        word_name(*least, true), explanation.second_name, least->value,
                        100 * least->places);
  const auto [low, high] = std::ranges::minmax_element(regions, by_value);
  if (high != regions.end() && high->value > 0)
    text += fmt::format(
        " Of the sixteenths of the image the one at the {} speaks most for {} "
        "({:+.3g})",
        where(*high, explanation.heat), explanation.first_name, high->value);
  if (high != regions.end() && high->value > 0 && low->value < 0)
    text += fmt::format(", and the one at the {} most for {} ({:+.3g}).",
                        where(*low, explanation.heat), explanation.second_name, low->value);
  else if (high != regions.end() && high->value > 0) text += ".";
  return text;
}

}  // namespace

report::Explanation present(const SceneExplanation& explanation) {
  report::Explanation result;
  result.title =
      fmt::format("Why {} rather than {}", explanation.first_name, explanation.second_name);
  const std::vector<Region> regions = regions_of(explanation.heat);
  result.summary = summary_of(explanation, regions);
  result.total_name = evidence_name(explanation.evidence);
  result.total = explanation.total;
  result.place = {0, 0, static_cast<double>(explanation.heat.width()),
                  static_cast<double>(explanation.heat.height())};
  result.reasons.reserve(explanation.words.size());
  for (const WordShare& word : explanation.words)
    if (word.value != 0)
      result.reasons.push_back({.name = word_name(word),
                                .value = word.value,
                                .text = fmt::format("{:.2f} % of the places", 100 * word.places),
                                .place = word.place});
  report::keep_largest(result, kListedWords);
  if (explanation.bias != 0)
    result.reasons.push_back({.name = "bias",
                              .value = explanation.bias,
                              .text = explanation.evidence == Evidence::kVotes
                                          ? "votes of neighbors without a common bin"
                                          : "the same for all images"});
  const int size =
      std::max(1, std::max(explanation.heat.width(), explanation.heat.height()) / kSmoothing) | 1;
  result.layers.push_back(
      {.name = "places",
       .text = fmt::format("For {} (red) and for {} (blue), per pixel, averaged over squares of {} "
                           "pixels.",
                           explanation.first_name, explanation.second_name, size),
       .place = result.place,
       .values = averaged(explanation.heat, size),
       .diverging = true});
  result.layers.push_back({.name = "pixels",
                           .text = "The same without averaging; the sum over all pixels plus the "
                                   "bias is the total.",
                           .place = result.place,
                           .values = clone(explanation.heat),
                           .diverging = true});
  if (!regions.empty()) {
    const auto by_value = [](const Region& a, const Region& b) { return a.value < b.value; };
    const auto [low, high] = std::ranges::minmax_element(regions, by_value);
    for (const Region* region : {&*high, &*low})
      result.shapes.push_back({.kind = report::ShapeKind::kBox,
                               .points = {{region->place.x, region->place.y},
                                          {region->place.right(), region->place.bottom()}},
                               .name = fmt::format("{:+.2g}", region->value),
                               .color = report::palette(region == &*high ? 1 : 0)});
  }
  if (explanation.cells.size() > 1) result.tables.push_back(cell_table(explanation));
  result.tables.push_back(class_table(explanation, explanation.names));
  return result;
}

}  // namespace fovea::scenes
