// What the page shows of a cascade: the cost of each of its stages, how much it rejects, and the
// blocks it uses (figures 5-5 and 5-7 of the thesis that the cascade follows).
#include <fovea/report/chart.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/people/eval.h"

namespace fovea::cli {
namespace {

using people::CascadeModel;
using people::CascadeStage;
using people::StageCount;

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole)
                   : std::numeric_limits<double>::quiet_NaN();
}

std::vector<report::Figure> stage_charts(const std::vector<StageCount>& stages) {
  report::BarChart blocks{.title = "Blocks of each stage",
                          .series = {{.name = "blocks"}},
                          .value = {.title = "blocks"},
                          .category_title = "stage"};
  report::LineChart rejected{.title = "Windows rejected so far",
                             .x = {.title = "stage"},
                             .y = {.title = "rejected (share)", .high = 1},
                             .series = {{.name = "rejected", .marker = report::Marker::kDot}}};
  for (std::size_t i = 0; i < stages.size(); ++i) {
    blocks.categories.push_back(std::to_string(i + 1));
    blocks.series[0].values.push_back(stages[i].blocks);
    rejected.series[0].x.push_back(static_cast<double>(i + 1));
    rejected.series[0].y.push_back(1 - share(stages[i].passed, stages.front().reached));
  }
  return {report::Figure::chart(to_svg(blocks), {"The cost of each stage in blocks."}),
          report::Figure::chart(to_svg(rejected),
                                {"Share of the windows that are rejected up to each stage."})};
}

// Draws the blocks of a stage in the window; the greater the weight of a block's vote, the darker
// it is drawn.
Image<std::uint8_t> picture(const CascadeModel& cascade, const CascadeStage& stage) {
  constexpr int kScale = 2;
  Image<std::uint8_t> image(kScale * cascade.window.width, kScale * cascade.window.height, 3);
  report::fill_box(image.view(),
                   {0, 0, static_cast<double>(image.width()), static_cast<double>(image.height())},
                   {.color = {236, 239, 244}});
  float most = 0;
  for (const auto& classifier : stage.classifiers) most = std::max(most, classifier.vote);
  for (std::size_t i = 0; i < stage.classifiers.size(); ++i) {
    const auto& [block, weights, bias, vote] = stage.classifiers[i];
    report::draw_box(
        image.view(),
        Rect<double>{static_cast<double>(kScale * block.x), static_cast<double>(kScale * block.y),
                     static_cast<double>(kScale * block.width),
                     static_cast<double>(kScale * block.height)},
        {.color = report::palette(static_cast<int>(i)),
         .thickness = 2,
         .alpha = most > 0 ? std::clamp(vote / most, 0.25F, 1.F) : 1.F});
  }
  return image;
}

report::Figure block_pictures(const CascadeModel& cascade) {
  constexpr std::size_t kMostStages = 40;
  const std::size_t count = std::min(kMostStages, cascade.stages.size());
  std::vector<Image<std::uint8_t>> pictures;
  std::vector<report::Tile> tiles;
  for (std::size_t i = 0; i < count; ++i) pictures.push_back(picture(cascade, cascade.stages[i]));
  for (std::size_t i = 0; i < count; ++i)
    tiles.push_back({pictures[i], fmt::format("stage {}", i + 1)});
  return report::Figure::picture(report::montage(tiles),
                                 {"The blocks of each stage, drawn in the window."});
}

const CascadeModel* cascade_of(const EvalResult& result) {
  return result.stages.empty() ? nullptr
                               : std::get_if<CascadeModel>(&result.model.model->classifier);
}

}  // namespace

std::optional<report::Table> stages_table(const EvalResult& result) {
  if (cascade_of(result) == nullptr) return {};
  const std::vector<StageCount>& stages = result.stages;
  report::Table table{
      "Stages of " + result.model.label + ".",
      {{"stage"}, {"blocks"}, {"windows that reach it"}, {"passed", "%"}, {"rejected so far", "%"}},
      {}};
  for (std::size_t i = 0; i < stages.size(); ++i)
    table.rows.push_back({static_cast<int>(i + 1),
                          stages[i].blocks,
                          stages[i].reached,
                          {100 * share(stages[i].passed, stages[i].reached), 4},
                          {100 * (1 - share(stages[i].passed, stages.front().reached)), 6}});
  return table;
}

report::EvaluationPictures stages_pictures(const EvalResult& result, const std::string& name) {
  report::EvaluationPictures pictures{
      "Stages of " + result.model.label, {}, {"blocks_" + name, "rejected_" + name}};
  const CascadeModel* cascade = cascade_of(result);
  if (cascade == nullptr) return pictures;
  pictures.figures = stage_charts(result.stages);
  pictures.figures.push_back(block_pictures(*cascade));
  return pictures;
}

}  // namespace fovea::cli
