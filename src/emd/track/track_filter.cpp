// Ridge regression over all shifts of a square at once (Bolme and others, 2010; Henriques and
// others, 2015), with a linear kernel and one filter per channel whose energies are summed
// (Danelljan and others, 2014). The twins do the arithmetic.
#include "emd/track/track_filter.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/dispatch.h"
#include "emd/track/track_filter_math.h"

namespace fovea::emd {
namespace {

constexpr double kDeviation = 1.0 / 16;  // of the wanted response, in sizes of the target
constexpr double kLeastSquare = 1.25;    // side of the square, in the longer sides of the target

ComplexPlane wanted_response(double deviation) {
  constexpr int kSide = CellGrid::kSide;
  ComplexPlane plane(kSide);
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const int dx = x < kSide / 2 ? x : x - kSide, dy = y < kSide / 2 ? y : y - kSide;
      plane.re[place_in(kSide, y, x)] =
          static_cast<float>(std::exp(-0.5 * (dx * dx + dy * dy) / (deviation * deviation)));
    }
  }
  Fourier(kSide).forward(plane);
  return plane;
}

}  // namespace

EdgeFilter::EdgeFilter(ImageView<const std::uint8_t> frame, const FilterPlace& place, double width,
                       double height, const Exec& exec)
    : side_(0) {
  const double around = (width + height) / 2;
  side_ = std::max(std::sqrt((width + around) * (height + around)),
                   kLeastSquare * std::max(width, height));
  const double target_cells = std::sqrt(width * height) / side_ * CellGrid::kSide;
  const auto twin = fovea::detail::on_cuda(exec) ? cuda::filter_engine : cpu::filter_engine;
  engine_ = twin(wanted_response(kDeviation * target_cells), exec);
  see(frame, std::span(&place, 1));
  learn(0, 1);
}

CellSquare EdgeFilter::square_at(const FilterPlace& place) const {
  return {place.x, place.y, side_ * place.scale};
}

void EdgeFilter::start_look(ImageView<const std::uint8_t> frame, const FilterPlace& place) {
  pushed_ = square_at(place);
  engine_->push(frame, pushed_);
}

void EdgeFilter::finish_look() {
  responses_ = engine_->finish();
  seen_ = pushed_;
}

void EdgeFilter::see(ImageView<const std::uint8_t> frame, std::span<const FilterPlace> places) {
  std::array<CellSquare, FilterEngine::kMostSeen> squares{};
  for (std::size_t i = 0; i < places.size(); ++i) squares[i] = square_at(places[i]);
  engine_->see(frame, std::span(squares).first(places.size()));
}

double EdgeFilter::response(double x, double y) const {
  const double step = seen_.side / kFineSide;
  const double dx = (x - seen_.x) / step, dy = (y - seen_.y) / step;
  constexpr int kHalf = kFineSide / 2;
  constexpr double kFarthest = kHalf - 1;
  if (!(std::abs(dx) < kFarthest && std::abs(dy) < kFarthest)) return 0;
  const double left = std::floor(dx), top = std::floor(dy);
  const double across = dx - left, down = dy - top;
  const auto at = [&](int i, int j) {
    const int column = (static_cast<int>(left) + i + kFineSide) % kFineSide;
    const int row = (static_cast<int>(top) + j + kFineSide) % kFineSide;
    return static_cast<double>(responses_[place_in(kFineSide, row, column)]);
  };
  return (1 - down) * ((1 - across) * at(0, 0) + across * at(1, 0)) +
         down * ((1 - across) * at(0, 1) + across * at(1, 1));
}

double EdgeFilter::highest_in(const Rect<double>& box) const {
  constexpr int kFarthest = kFineSide / 2 - 2;
  const double step = seen_.side / kFineSide;
  const auto sample = [&](double at, double middle) {  // may lie beyond the square
    return std::clamp((at - middle) / step, -1.0 * kFineSide, 1.0 * kFineSide);
  };
  const auto first = [&](double at, double middle) {
    return std::max(static_cast<int>(std::ceil(sample(at, middle))), -kFarthest);
  };
  const auto last = [&](double at, double middle) {
    return std::min(static_cast<int>(std::floor(sample(at, middle))), kFarthest);
  };
  // The middle of the box lies between samples.
  double highest = response(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
  const int left = first(box.x, seen_.x), right = last(box.right(), seen_.x);
  const int top = first(box.y, seen_.y), bottom = last(box.bottom(), seen_.y);
  for (int y = top; y <= bottom; ++y) {
    const int row = (y + kFineSide) % kFineSide;
    for (int x = left; x <= right; ++x) {
      const int column = (x + kFineSide) % kFineSide;
      highest =
          std::max(highest, static_cast<double>(responses_[place_in(kFineSide, row, column)]));
    }
  }
  return highest;
}

}  // namespace fovea::emd
