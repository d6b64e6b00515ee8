// Explains one window of a search: finds it among all windows around a place, or by its overlap
// with another, and asks the kind of the model for the shares of its score. Only the rows of
// windows that matter are evaluated, so that this takes less time than a search.
#include <fovea/core/error.h>
#include <fovea/people/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/dispatch.h"
#include "core/placed.h"
#include "people/explain/window_parts.h"
#include "people/search.h"

namespace fovea::people {

WindowHeat::WindowHeat(Extent window)
    : cells_{(window.width + kCell - 1) / kCell, (window.height + kCell - 1) / kCell},
      values_(static_cast<std::size_t>(cells_.width) * cells_.height, 0.0) {}

void WindowHeat::add(const Rect<int>& part, double value) {
  const double share = value / part.area();
  // The number of the part's columns, or rows, in each column or row of cells.
  const auto counts = [](int first, int length, int cells) {
    std::vector<int> count(static_cast<std::size_t>(cells), 0);
    for (int i = first; i < first + length; ++i)
      ++count[static_cast<std::size_t>(std::clamp(i < 0 ? 0 : i / kCell, 0, cells - 1))];
    return count;
  };
  const std::vector<int> across = counts(part.x, part.width, cells_.width),
                         down = counts(part.y, part.height, cells_.height);
  for (int y = 0; y < cells_.height; ++y) {
    if (down[static_cast<std::size_t>(y)] == 0) continue;
    for (int x = 0; x < cells_.width; ++x)
      values_[static_cast<std::size_t>(y) * cells_.width + x] +=
          share * across[static_cast<std::size_t>(x)] * down[static_cast<std::size_t>(y)];
  }
}

Image<float> WindowHeat::image() const {
  Image<float> image(cells_.width, cells_.height);
  for (int y = 0; y < cells_.height; ++y)
    for (int x = 0; x < cells_.width; ++x)
      image.at(x, y) = static_cast<float>(values_[static_cast<std::size_t>(y) * cells_.width + x]);
  return image;
}

namespace {

constexpr const char* kExplainName = "explain";
constexpr float kAllWindows = -std::numeric_limits<float>::infinity();
constexpr double kSamePerson = 0.5;  // overlap of a window with a mode of mean shift

class ExplainedSearch {
 public:
  ExplainedSearch(const Detector& detector, ImageView<const std::uint8_t> image)
      : model_(detector.model()), options_(detector.options()), size_{image.width, image.height} {
    if (image.empty()) throw InvalidArgument("explain: the image is empty");
    exec_ = detail::resolve_host_exec(kExplainName, options_.exec, {image});
    view_ = searched_part(here_.bring(image, Memory::kHost, exec_), options_.region);
    exec_.device = Device::cpu();
    exec_.stream = nullptr;
    plan_ = plan_search(model_, options_, view_, options_.region ? options_.region->y : 0);
  }

  WindowExplanation at(double x, double y) {
    if (!(x >= 0 && y >= 0 && x < size_.width && y < size_.height))
      throw InvalidArgument(
          fmt::format("explain: the place {:g},{:g} lies outside of the image of {}x{}", x, y,
                      size_.width, size_.height));
    const auto covers = [&](const Hit& hit) {
      const Rect<float> box = detection_of(hit, plan_, model_, options_.region).box;
      return box.x <= x && x < box.right() && box.y <= y && y < box.bottom();
    };
    const std::vector<Hit> hits = scores_of(rows_where([&](const Hit& hit) {
      const Rect<float> box = detection_of(hit, plan_, model_, options_.region).box;
      return box.y <= y && y < box.bottom();
    }));
    const Hit* best = nullptr;
    std::vector<const Hit*> of_level(plan_.levels.size(), nullptr);
    for (const Hit& hit : hits) {
      if (!covers(hit)) continue;
      const Hit*& level = of_level[static_cast<std::size_t>(hit.level)];
      if (level == nullptr || hit.score > level->score) level = &hit;
      if (best == nullptr || hit.score > best->score) best = &hit;
    }
    if (best == nullptr)
      throw InvalidArgument(
          fmt::format("explain: no window of the search has its person at {:g},{:g}; raise "
                      "padding, or change region, min-height or max-height",
                      x, y));
    WindowExplanation result = explain(*best);
    for (const Hit* hit : of_level) {
      if (hit == nullptr) continue;
      const Detection person = detection_of(*hit, plan_, model_, options_.region);
      result.levels.push_back({person.box.height, hit->score, person.window});
    }
    return result;
  }

  WindowExplanation like(const Rect<float>& window) {
    using Place = std::array<int, 3>;  // level, row and column; -1 before the first of a row
    std::vector<Place> nearest;        // in ascending order
    float most = 0;
    each_window([&](const Hit& hit) {
      const float common =
          overlap(detection_of(hit, plan_, model_, options_.region).window, window);
      if (common > most) nearest.clear();
      most = std::max(most, common);
      if (common > 0 && common == most) nearest.push_back({hit.level, hit.row, hit.column});
    });
    if (nearest.empty())
      throw InvalidArgument(
          fmt::format("explain: no window of the search overlaps with {:g},{:g},{:g},{:g}",
                      window.x, window.y, window.width, window.height));
    const std::vector<Hit> hits = scores_of(rows_where([&](const Hit& hit) {
      const auto next = std::ranges::lower_bound(nearest, Place{hit.level, hit.row, -1});
      return next != nearest.end() && (*next)[0] == hit.level && (*next)[1] == hit.row;
    }));
    const Hit* best = nullptr;
    for (const Hit& hit : hits)
      if ((best == nullptr || hit.score > best->score) &&
          std::ranges::binary_search(nearest, Place{hit.level, hit.row, hit.column}))
        best = &hit;
    if (best == nullptr) throw ModelError("explain: the model gives no number for this window");
    return explain(*best);
  }

 private:
  template <class Visit>
  void each_window(Visit visit) const {
    for (int l = 0; l < static_cast<int>(plan_.levels.size()); ++l) {
      const ScanLevel& level = plan_.levels[static_cast<std::size_t>(l)];
      for (int row = 0; row < level.rows; ++row)
        for (int column = 0; column < level.columns; ++column) visit(Hit{l, column, row, 0});
    }
  }

  // The plan with those rows of windows alone that are wanted, which are consecutive, and at least
  // one row per level: what a level is made from depends on the other levels.
  template <class Wanted>
  ScanPlan rows_where(Wanted wanted) const {
    ScanPlan rows = plan_;
    for (int l = 0; l < static_cast<int>(plan_.levels.size()); ++l) {
      ScanLevel& level = rows.levels[static_cast<std::size_t>(l)];
      int first = 0, last = 0;
      for (int row = 0; row < level.rows; ++row) {
        if (!wanted(Hit{l, 0, row, 0})) continue;
        if (last == 0) first = row;
        last = row + 1;
      }
      level.first_row += first;
      level.rows = std::max(1, last - first);
    }
    return rows;
  }

  // The scores of all windows of some rows; hits are those of the whole plan.
  std::vector<Hit> scores_of(const ScanPlan& rows) {
    ScanResult result = scanner().scan({view_, rows, kAllWindows, nullptr}, exec_);
    for (Hit& hit : result.hits) {
      const auto l = static_cast<std::size_t>(hit.level);
      hit.row += rows.levels[l].first_row - plan_.levels[l].first_row;
    }
    return std::move(result.hits);
  }

  Scanner& scanner() {
    if (!scanner_) scanner_ = make_scanner(model_, false);
    return *scanner_;
  }

  WindowExplanation explain(const Hit& hit) {
    WindowExplanation to;
    to.kind = model_.kind;
    to.window = detection_of(hit, plan_, model_, options_.region);
    to.level = hit.level;
    to.column = hit.column;
    to.row = hit.row;
    to.threshold = least_score(model_, options_);
    to.image = size_;
    const SearchedWindow window{view_, plan_, hit};
    if (const auto* cascade = std::get_if<CascadeModel>(&model_.classifier))
      explain_cascade(*cascade, window, exec_, to);
    else if (const auto* channels = std::get_if<ChannelsModel>(&model_.classifier))
      explain_channels(*channels, window, exec_, to);
    else if (const auto* filtered = std::get_if<FilteredModel>(&model_.classifier))
      explain_filtered(*filtered, window, exec_, to);
    else explain_linear(model_.kind, std::get<LinearModel>(model_.classifier), window, exec_, to);
    move_to_image(to);
    decide(to);
    return to;
  }

  // Places are those of the searched part until here.
  void move_to_image(WindowExplanation& to) const {
    if (!options_.region) return;
    const auto move = [&](Rect<double>& place) {
      place.x += options_.region->x;
      place.y += options_.region->y;
    };
    for (BlockShare& block : to.blocks) move(block.place);
    for (TreeShare& tree : to.trees)
      for (CellTest& test : tree.tests) move(test.place);
  }

  void decide(WindowExplanation& to) {
    if (to.passed < to.steps) {
      to.outcome = Outcome::kRejected;
      to.missing = to.trees.empty() ? to.stages.back().threshold - to.sum
                                    : to.trees.back().rejection - to.sum;
      return;
    }
    const auto threshold = static_cast<float>(to.threshold);
    if (!(to.window.score >= threshold)) {
      to.outcome = Outcome::kBelowThreshold;
      to.missing = to.threshold - static_cast<double>(to.window.score);
      return;
    }
    std::vector<Detection> found;
    for (const Hit& hit : scanner().scan({view_, plan_, threshold, nullptr}, exec_).hits)
      found.push_back(detection_of(hit, plan_, model_, options_.region));
    ScanCounts counts;
    const std::vector<Detection> people = fuse_windows(found, model_, options_, counts);
    const bool modes = options_.fuse.method == FuseMethod::kMeanShift;
    to.outcome = Outcome::kFused;
    float most = -1;
    for (const Detection& person : people) {
      const float common = overlap(person.window, to.window.window);
      if (common > most) {
        most = common;
        to.joined = person;
      }
      if (person.window == to.window.window || (modes && common >= kSamePerson)) {
        to.outcome = Outcome::kPerson;
        to.joined = {};
        return;
      }
    }
  }

  const Model& model_;
  DetectOptions options_;
  Extent size_;
  detail::Placed<std::uint8_t> here_{};
  Exec exec_{};
  ImageView<const std::uint8_t> view_{};
  ScanPlan plan_{};
  std::unique_ptr<Scanner> scanner_{};
};

}  // namespace

WindowExplanation explain(const Detector& detector, ImageView<const std::uint8_t> image, double x,
                          double y) {
  return ExplainedSearch(detector, image).at(x, y);
}

WindowExplanation explain(const Detector& detector, ImageView<const std::uint8_t> image,
                          const Rect<float>& window) {
  return ExplainedSearch(detector, image).like(window);
}

}  // namespace fovea::people
