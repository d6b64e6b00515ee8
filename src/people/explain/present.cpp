// A window's explanation in words, with heat over the window and tables of stages, channels and
// sizes.
#include <fovea/core/error.h>
#include <fovea/people/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "people/rejected.h"

namespace fovea::people {
namespace {

constexpr std::size_t kShownReasons = 8;
constexpr int kTreeChannels = 10;

Rect<double> wide(const Rect<float>& box) { return {box.x, box.y, box.width, box.height}; }

bool has_trees(const WindowExplanation& e) { return !e.trees.empty(); }
const char* step_name(const WindowExplanation& e) { return has_trees(e) ? "tree" : "stage"; }

std::string what_happened(const WindowExplanation& e) {
  const double score = e.window.score;
  switch (e.outcome) {
    case Outcome::kPerson:
      return fmt::format(
          "The window counts as a person: its score is {:.3f}, and {:.3f} is enough.", score,
          e.threshold);
    case Outcome::kFused:
      return fmt::format(
          "The score of the window, {:.3f}, is enough ({:.3f}), but a better window with a score "
          "of "
          "{:.3f} shows the same person and was taken instead.",
          score, e.threshold, e.joined.score);
    case Outcome::kBelowThreshold:
      return fmt::format(
          "The window does not count as a person: its score is {:.3f}, and {:.3f} more would be "
          "needed to reach the threshold {:.3f}.",
          score, e.missing, e.threshold);
    case Outcome::kRejected: break;
  }
  if (has_trees(e))
    return fmt::format(
        "The window does not count as a person: tree {} of {} rejected it, because the sum of "
        "votes "
        "was {:.3f} after it, {:.3f} less than the {:.3f} that are required there.",
        e.passed + 1, e.steps, e.sum, e.missing, e.trees.back().rejection);
  return fmt::format(
      "The window does not count as a person: stage {} of {} rejected it, because its sum of votes "
      "was {:.3f}, {:.3f} less than the threshold {:.3f}.",
      e.passed + 1, e.steps, e.sum, e.missing, e.stages.back().threshold);
}

// Where the heat of the window is greatest, in words.
std::string strongest_place(const WindowExplanation& e) {
  const ImageView<const float> heat = e.heat;
  if (heat.empty()) return {};
  constexpr std::array<const char*, 3> kDown = {"head and shoulders", "middle", "legs"};
  std::array<double, 3> thirds{};
  for (int y = 0; y < heat.height; ++y)
    for (int x = 0; x < heat.width; ++x)
      thirds[static_cast<std::size_t>(std::min(2, 3 * y / heat.height))] += heat.at(x, y);
  const auto [least, most] = std::minmax_element(thirds.begin(), thirds.end());
  const auto name = [&](const double* third) {
    return kDown[static_cast<std::size_t>(third - thirds.data())];
  };
  return fmt::format(
      " The third of the window with the {} spoke most for a person ({:+.3f}), and the "
      "one with the {} least ({:+.3f}).",
      name(&*most), *most, name(&*least), *least);
}

void add_blocks(const WindowExplanation& e, report::Explanation& to) {
  to.reasons.reserve(e.blocks.size());
  for (const BlockShare& block : e.blocks)
    to.reasons.push_back(
        {fmt::format("block at {:.0f},{:.0f}", block.place.x, block.place.y), block.value,
         block.stage >= 0
             ? fmt::format("stage {}, {:.0f}x{:.0f} pixels", block.stage + 1, block.place.width,
                           block.place.height)
             : fmt::format("{:.0f}x{:.0f} pixels", block.place.width, block.place.height),
         block.place});
  if (e.base != 0) to.reasons.push_back({"last threshold", -e.base, "subtracted from the sum", {}});
}

std::string test_text(const CellTest& test) {
  return fmt::format("{}{} is {}, {} {}", channel_name(test.channel),
                     test.filter >= 0 ? fmt::format(" (filter {})", test.filter + 1) : "",
                     test.value, test.reached() ? "at least" : "below", test.threshold);
}

Rect<double> around(const std::vector<CellTest>& tests) {
  Rect<double> box = tests.front().place;
  for (const CellTest& test : tests) {
    const Rect<double>& place = test.place;
    const double right = std::max(box.right(), place.right()),
                 bottom = std::max(box.bottom(), place.bottom());
    box.x = std::min(box.x, place.x);
    box.y = std::min(box.y, place.y);
    box.width = right - box.x;
    box.height = bottom - box.y;
  }
  return box;
}

void add_trees(const WindowExplanation& e, report::Explanation& to) {
  to.reasons.reserve(e.trees.size());
  std::array<double, kTreeChannels> channels{};
  std::array<int, kTreeChannels> tests{};
  for (const TreeShare& tree : e.trees) {
    std::string text;
    for (const CellTest& test : tree.tests) {
      text += (text.empty() ? "" : "; ") + test_text(test);
      const auto channel = static_cast<std::size_t>(test.channel);
      channels[channel] += tree.value / static_cast<double>(tree.tests.size());
      ++tests[channel];
    }
    to.reasons.push_back(
        {fmt::format("tree {}", tree.tree + 1), tree.value, std::move(text), around(tree.tests)});
  }
  report::Table table{"What each channel added, where a tree's vote is divided among its tests.",
                      {{"channel", ""}, {"votes", ""}, {"tests", ""}},
                      {}};
  for (int c = 0; c < kTreeChannels; ++c)
    table.rows.push_back({channel_name(c), report::Cell(channels[static_cast<std::size_t>(c)], 3),
                          tests[static_cast<std::size_t>(c)]});
  to.tables.push_back(std::move(table));
}

void add_stages(const WindowExplanation& e, report::Explanation& to) {
  if (e.stages.empty()) return;
  report::Table table{"The stages that the window reached.",
                      {{"stage", ""}, {"votes", ""}, {"sum", ""}, {"threshold", ""}, {"", ""}},
                      {}};
  for (std::size_t i = 0; i < e.stages.size(); ++i) {
    const StageShare& stage = e.stages[i];
    table.rows.push_back({i + 1, report::Cell(stage.value, 4), report::Cell(stage.sum, 4),
                          report::Cell(stage.threshold, 4),
                          stage.passed() ? "passed" : "rejected"});
  }
  to.tables.push_back(std::move(table));
}

// Scores of rejected windows only say how far they came.
report::Cell level_cell(const WindowExplanation& e, float score) {
  if (e.steps == 0) return {score, 3};
  const int passed = has_trees(e) ? trees_passed(e.steps, score) : stages_passed(e.steps, score);
  if (passed == e.steps) return {score, 3};
  return {fmt::format("rejected by {} {}", step_name(e), passed + 1)};
}

// The levels around the best one.
void add_levels(const WindowExplanation& e, report::Explanation& to) {
  if (e.levels.empty()) return;
  constexpr std::ptrdiff_t kAround = 5;
  const auto best =
      std::max_element(e.levels.begin(), e.levels.end(),
                       [](const LevelScore& a, const LevelScore& b) { return a.score < b.score; });
  const std::ptrdiff_t at = best - e.levels.begin(),
                       count = static_cast<std::ptrdiff_t>(e.levels.size()),
                       first = std::max<std::ptrdiff_t>(0, at - kAround),
                       last = std::min(count, at + kAround + 1);
  report::Table table{
      fmt::format("The best window around this place at {} of {} sizes.", last - first, count),
      {{"person", "pixels"}, {"score", ""}},
      {}};
  for (std::ptrdiff_t i = first; i < last; ++i) {
    const LevelScore& level = e.levels[static_cast<std::size_t>(i)];
    table.rows.push_back({std::lround(level.person_height), level_cell(e, level.score)});
  }
  to.tables.push_back(std::move(table));
}

}  // namespace

const char* channel_name(int channel) {
  constexpr std::array<const char*, kTreeChannels> kNames = {"L",
                                                             "u",
                                                             "v",
                                                             "magnitude",
                                                             "orientation 0",
                                                             "orientation 1",
                                                             "orientation 2",
                                                             "orientation 3",
                                                             "orientation 4",
                                                             "orientation 5"};
  if (channel < 0 || channel >= kTreeChannels)
    throw InvalidArgument(
        fmt::format("channel_name: there is no channel {}; expected 0 to 9", channel));
  return kNames[static_cast<std::size_t>(channel)];
}

report::Explanation present(const WindowExplanation& e) {
  report::Explanation to;
  const bool counts = e.outcome == Outcome::kPerson || e.outcome == Outcome::kFused;
  to.title =
      counts ? "Why this window counts as a person" : "Why this window does not count as a person";
  const Rect<float>& box = e.window.box;
  to.summary = fmt::format("A person of {:.0f} pixels at {:.0f},{:.0f} ({} model). ", box.height,
                           box.x, box.y, to_string(e.kind)) +
               what_happened(e);
  if (e.outcome != Outcome::kRejected && e.steps > 0)
    to.summary += fmt::format(" It passed all {} {}s.", e.steps, step_name(e));
  to.summary += strongest_place(e);
  to.total_name = e.outcome == Outcome::kRejected ? "sum" : "score";
  to.total = e.sum - e.base;
  to.place = wide(e.window.window);
  if (has_trees(e)) add_trees(e, to);
  else add_blocks(e, to);
  report::keep_largest(to, kShownReasons);
  add_stages(e, to);
  add_levels(e, to);
  to.layers.push_back({"for and against",
                       "What each part of the window adds to the score: red speaks for a person, "
                       "blue against one.",
                       to.place, e.heat.empty() ? Image<float>{} : clone(e.heat.view()), true});
  const report::Color color = report::palette(counts ? 2 : 1);
  to.shapes.push_back({report::ShapeKind::kBox,
                       {{box.x, box.y}, {box.right(), box.bottom()}},
                       counts ? "person" : "no person",
                       0.5,
                       color});
  return to;
}

}  // namespace fovea::people
