// What the score of one window of a search is made of, by the kind of its model. Each function
// fills in the shares, the sum and the heat of an explanation.
#pragma once
#include <fovea/people/explain.h>

#include "people/scanner.h"

namespace fovea::people {

// A window of a search of an image in host memory.
struct SearchedWindow {
  ImageView<const std::uint8_t> image;
  const ScanPlan& plan;
  Hit hit;

  const ScanLevel& level() const { return plan.levels[static_cast<std::size_t>(hit.level)]; }
  // Its corner in the padded level.
  int x() const { return plan.origin + hit.column * plan.stride; }
  int y() const { return plan.top(level()) + hit.row * plan.stride; }
  // A part of the window, in pixels of the level, as it lies in the image.
  Rect<double> in_image(const Rect<double>& part) const {
    const ScanLevel& at = level();
    return {(x() - plan.padding + part.x) * at.scale_x, (y() - plan.padding + part.y) * at.scale_y,
            part.width * at.scale_x, part.height * at.scale_y};
  }
};

// Gathers shares of the parts of a window.
class WindowHeat {
 public:
  static constexpr int kCell = 4;  // side of a part in pixels of the level

  explicit WindowHeat(Extent window);
  // Spreads a value evenly over a rectangle in pixels of the window. What lies outside counts at
  // the border.
  void add(const Rect<int>& part, double value);
  Image<float> image() const;

 private:
  Extent cells_;
  std::vector<double> values_;
};

void explain_linear(Kind kind, const LinearModel& model, const SearchedWindow& window,
                    const Exec& exec, WindowExplanation& to);
void explain_cascade(const CascadeModel& model, const SearchedWindow& window, const Exec& exec,
                     WindowExplanation& to);
void explain_channels(const ChannelsModel& model, const SearchedWindow& window, const Exec& exec,
                      WindowExplanation& to);
void explain_filtered(const FilteredModel& model, const SearchedWindow& window, const Exec& exec,
                      WindowExplanation& to);

}  // namespace fovea::people
