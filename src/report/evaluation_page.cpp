// Evaluations as pages: charts, tables and sheets of mistakes are drawn here for all systems.
#include <fovea/report/evaluation_page.h>

#include <fovea/io/csv_writer.h>
#include <fovea/io/image_set.h>
#include <fovea/io/inputs.h>
#include <fovea/io/sink.h>
#include <fovea/report/draw.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fovea::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostDots = 24;  // points of a curve that are marked one by one

// Where a curve goes. Points left of an axis that begins somewhere are drawn once, at its edge.
// What a logarithmic axis has no place for is left out.
template <class Value>
Series series_of(const std::string& name, const EvaluationCurve& curve,
                 const EvaluationChart& chart, const Value& value) {
  Series series{.name = name};
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    double x = curve.points[i].x;
    const double y = value(curve.points[i]);
    if (chart.x.low && x < *chart.x.low) {
      if (i + 1 < curve.points.size() && curve.points[i + 1].x < *chart.x.low) continue;
      x = *chart.x.low;
    }
    if ((chart.x.log && !(x > 0)) || (chart.y.log && !(y > 0))) continue;
    series.x.push_back(x);
    series.y.push_back(y);
  }
  return series;
}

// Mistakes of one kind that one curve makes at its threshold.
struct MistakeGroup {
  std::size_t curve = 0;
  std::string kind{};
  std::vector<const Mistake*> worst{};
};

std::vector<MistakeGroup> groups_of(const Evaluation& evaluation, int most) {
  std::vector<MistakeGroup> groups;
  for (const Mistake& mistake : evaluation.mistakes) {
    std::optional<double> chosen;
    if (!evaluation.charts.empty() && mistake.curve < evaluation.charts[0].curves.size())
      chosen = evaluation.charts[0].curves[mistake.curve].chosen;
    if (!is_mistake(mistake, chosen)) continue;
    auto at = std::ranges::find_if(groups, [&](const MistakeGroup& group) {
      return group.curve == mistake.curve && group.kind == mistake.kind;
    });
    if (at == groups.end()) at = groups.insert(at, {mistake.curve, mistake.kind});
    if (std::ssize(at->worst) < most) at->worst.push_back(&mistake);
  }
  std::ranges::stable_sort(groups, {}, &MistakeGroup::curve);
  return groups;
}

bool is_image(const EvaluatedInput& input) {
  return input.files.size() == 1 && io::has_extension(input.files[0], io::image_files());
}

// The place of a mistake with some of what surrounds it, or the whole image where it has none.
Image<std::uint8_t> cut_out(Image<std::uint8_t> image, const std::optional<Rect<double>>& box) {
  if (!box) return image;
  const double margin = 0.25 * box->height;
  const int left = std::clamp(static_cast<int>(box->x - margin), 0, image.width() - 1);
  const int top = std::clamp(static_cast<int>(box->y - margin), 0, image.height() - 1);
  const int right =
      std::clamp(static_cast<int>(box->x + box->width + margin), left + 1, image.width());
  const int bottom =
      std::clamp(static_cast<int>(box->y + box->height + margin), top + 1, image.height());
  Image<std::uint8_t> result = clone(image.view().crop(left, top, right - left, bottom - top));
  draw_box(result.view(), Rect<double>{box->x - left, box->y - top, box->width, box->height},
           {.thickness = std::max(2.F, static_cast<float>(box->height / 80))});
  return result;
}

// What fits below a small picture: the threshold at which the mistake begins or ends, if there is
// one that has a name.
std::string tile_text(const Mistake& mistake, const Evaluation& evaluation) {
  const std::string name = evaluation.charts.empty() ? "" : evaluation.charts[0].threshold;
  const std::optional<double>& at = mistake.up_to ? mistake.up_to : mistake.above;
  return name.empty() || !at ? mistake.text : fmt::format("{} {:.2f}", name, *at);
}

Figure sheet_of(const MistakeGroup& group, const Evaluation& evaluation,
                const EvaluationPageSetup& setup) {
  constexpr int kWidth = 112, kMostHeight = 168;
  std::vector<Image<std::uint8_t>> pictures;
  std::vector<Tile> tiles;
  int height = 1;
  for (const Mistake* mistake : group.worst) {
    const std::string& path = evaluation.inputs[mistake->input].files[0];
    pictures.push_back(
        cut_out(io::to_rgb_bytes(io::read_image(path, {.max_pixels = setup.max_pixels}), path),
                mistake->box));
    const Image<std::uint8_t>& picture = pictures.back();
    height = std::max(height, picture.height() * kWidth / std::max(1, picture.width()));
  }
  for (std::size_t i = 0; i < pictures.size(); ++i)
    tiles.push_back({pictures[i], tile_text(*group.worst[i], evaluation)});
  return Figure::picture(
      montage(tiles, {.columns = 8, .cell = {kWidth, std::min(height, kMostHeight)}}),
      {fmt::format("{}, the worst first.", group.kind)});
}

Table list_of(const MistakeGroup& group, const Evaluation& evaluation) {
  Table table{fmt::format("{}, the worst first.", group.kind), {{"mistake"}, {"input"}}, {}};
  for (const Mistake* mistake : group.worst) {
    const EvaluatedInput& input = evaluation.inputs[mistake->input];
    std::string name;
    for (const std::string& file : input.files)
      name += (name.empty() ? "" : ", ") + fs::path(file).filename().string();
    if (input.frame > 0) name += fmt::format("{}frame {}", name.empty() ? "" : ", ", input.frame);
    table.rows.push_back({mistake->text, name});
  }
  return table;
}

void add_mistakes(Page& page, const Evaluation& evaluation, const EvaluationPageSetup& setup) {
  if (setup.sheet < 1) return;
  const std::vector<MistakeGroup> groups = groups_of(evaluation, setup.sheet);
  if (groups.empty()) return;
  page.section("Mistakes");
  const bool several = !evaluation.charts.empty() && evaluation.charts[0].curves.size() > 1;
  std::optional<std::size_t> curve;
  for (const MistakeGroup& group : groups) {
    if (several && curve != group.curve)
      page.subsection(evaluation.charts[0].curves[group.curve].name);
    curve = group.curve;
    if (std::ranges::all_of(group.worst, [&](const Mistake* mistake) {
          return is_image(evaluation.inputs[mistake->input]);
        }))
      page.figure(sheet_of(group, evaluation, setup));
    else page.table(list_of(group, evaluation));
  }
}

void write_whole(const fs::path& path, const std::string& text) {
  io::FileSink file(path.string());
  file.write(text);
  file.commit();
}

void write_confusion(const fs::path& path, const Evaluation& evaluation) {
  io::FileSink file(path.string());
  std::vector<std::string> header{"true class"};
  header.insert(header.end(), evaluation.classes.begin(), evaluation.classes.end());
  io::CsvWriter csv(file.sink(), header);
  auto count = evaluation.confusion.begin();
  for (const std::string& truth : evaluation.classes) {
    csv.field(truth);
    for (std::size_t i = 0; i < evaluation.classes.size(); ++i) csv.field(*count++);
    csv.end_row();
  }
  file.commit();
}

}  // namespace

std::string to_svg(const EvaluationChart& chart) {
  LineChart drawn{.title = chart.title,
                  .x = chart.x,
                  .y = chart.y,
                  .references = chart.references,
                  .width = 720,
                  .height = 440};
  for (const EvaluationCurve& curve : chart.curves) {
    const std::string name =
        curve.summary.empty() ? curve.name : fmt::format("{} {}", curve.name, curve.summary);
    drawn.series.push_back(
        series_of(name, curve, chart, [](const EvaluationPoint& point) { return point.y; }));
    if (curve.points.size() <= kMostDots) drawn.series.back().marker = Marker::kDot;
    for (int line = 0; line < chart.lines; ++line) {
      const auto at = static_cast<std::size_t>(line);
      drawn.series.push_back(
          series_of(chart.figures[at], curve, chart,
                    [&](const EvaluationPoint& point) { return point.figures[at]; }));
      drawn.series.back().dashed = true;
    }
  }
  return to_svg(drawn);
}

std::string confusion_svg(const Evaluation& evaluation) {
  const auto classes = static_cast<int>(evaluation.classes.size());
  return to_svg(MatrixChart{.title = "Confusion",
                            .values = {evaluation.confusion.begin(), evaluation.confusion.end()},
                            .rows = classes,
                            .columns = classes,
                            .row_labels = evaluation.classes,
                            .column_labels = evaluation.classes,
                            .row_title = "true class",
                            .column_title = "predicted class",
                            .value_title = "share of the true class",
                            .normalize_rows = true,
                            .width = 720});
}

Page evaluation_page(const Evaluation& evaluation, const EvaluationPageSetup& setup) {
  Page page(evaluation.title, evaluation.summary);
  if (!evaluation.facts.empty()) page.facts(evaluation.facts);
  for (const EvaluationChart& chart : evaluation.charts)
    page.section(chart.title).figure(Figure::chart(to_svg(chart), {chart.caption}));
  if (!evaluation.tables.empty()) page.section("Numbers");
  for (const Table& table : evaluation.tables) page.table(table);
  if (!evaluation.classes.empty())
    page.section("Confusion")
        .figure(Figure::chart(confusion_svg(evaluation),
                              {"Rows are true classes, columns are predicted classes."}));
  add_mistakes(page, evaluation, setup);
  for (const EvaluationPictures& pictures : setup.pictures) {
    if (pictures.figures.empty()) continue;
    page.section(pictures.title);
    for (const Figure& figure : pictures.figures) page.figure(figure);
  }
  for (const auto& [text, file] : setup.links) page.link(text, file);
  return page.provenance(setup.provenance);
}

void write_evaluation_page(const std::string& folder, const Evaluation& evaluation,
                           const EvaluationPageSetup& setup) {
  const fs::path to(folder);
  for (const EvaluationChart& chart : evaluation.charts)
    if (!chart.file.empty()) write_whole(to / (chart.file + ".svg"), to_svg(chart));
  for (const EvaluationPictures& pictures : setup.pictures)
    for (std::size_t i = 0; i < std::min(pictures.files.size(), pictures.figures.size()); ++i)
      write_whole(to / (pictures.files[i] + ".svg"), pictures.figures[i].content());
  if (!evaluation.classes.empty()) {
    write_whole(to / "confusion.svg", confusion_svg(evaluation));
    write_confusion(to / "confusion.csv", evaluation);
  }
  evaluation_page(evaluation, setup).write((to / "index.html").string());
}

}  // namespace fovea::report
