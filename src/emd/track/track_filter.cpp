// Ridge regression over all shifts of a square at once (Bolme and others, 2010; Henriques and
// others, 2015), with a linear kernel and one filter per channel whose energies are summed
// (Danelljan and others, 2014).
#include "emd/track/track_filter.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fovea::emd {
namespace {

constexpr float kRidge = 1;              // what keeps the filter from fitting noise
constexpr double kDeviation = 1.0 / 16;  // of the wanted response, in sizes of the target
constexpr double kLeastSquare = 1.25;    // side of the square, in the longer sides of the target

ComplexPlane wanted_response(const Fourier& fourier, double deviation) {
  const int side = fourier.side();
  ComplexPlane plane(side);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const int dx = x < side / 2 ? x : x - side, dy = y < side / 2 ? y : y - side;
      plane.re[place_in(side, y, x)] =
          static_cast<float>(std::exp(-0.5 * (dx * dx + dy * dy) / (deviation * deviation)));
    }
  }
  fourier.forward(plane);
  return plane;
}

}  // namespace

EdgeFilter::EdgeFilter(ImageView<const std::uint8_t> frame, const FilterPlace& place, double width,
                       double height)
    : side_(0), coarse_(CellGrid::kSide), fine_(kFine) {
  const double around = (width + height) / 2;
  side_ = std::max(std::sqrt((width + around) * (height + around)),
                   kLeastSquare * std::max(width, height));
  const double target_cells = std::sqrt(width * height) / side_ * CellGrid::kSide;
  wanted_ = wanted_response(coarse_, kDeviation * target_cells);
  learn(view(frame, place), 1);
}

CellSquare EdgeFilter::square_at(const FilterPlace& place) const {
  return {place.x, place.y, side_ * place.scale};
}

FilterView EdgeFilter::view(ImageView<const std::uint8_t> frame, const FilterPlace& place) const {
  const std::vector<float> cells = cells_of(frame, square_at(place));
  const std::size_t channels = cells.size() / CellGrid::kCells;
  FilterView planes;
  planes.reserve(channels);
  for (std::size_t i = 0; i < channels; ++i) planes.emplace_back(CellGrid::kSide);
  ComplexPlane both(CellGrid::kSide), unused(CellGrid::kSide);
  for (std::size_t i = 0; i < channels; i += 2) {
    const bool paired = i + 1 < channels;
    const float* const plane = cells.data() + i * CellGrid::kCells;
    std::copy_n(plane, CellGrid::kCells, both.re.begin());
    if (paired) std::copy_n(plane + CellGrid::kCells, CellGrid::kCells, both.im.begin());
    else std::fill(both.im.begin(), both.im.end(), 0.0F);
    coarse_.forward(both);
    split_spectra(both, CellGrid::kSide, planes[i], paired ? planes[i + 1] : unused);
  }
  return planes;
}

void EdgeFilter::learn(const FilterView& planes, double rate) {
  const auto fresh = static_cast<float>(rate), kept = static_cast<float>(1 - rate);
  if (products_.empty()) {
    products_.assign(planes.size(), ComplexPlane(CellGrid::kSide));
    energy_.assign(CellGrid::kCells, 0);
  }
  for (float& value : energy_) value *= kept;
  for (std::size_t c = 0; c < planes.size(); ++c) {
    const ComplexPlane& plane = planes[c];
    ComplexPlane& product = products_[c];
    for (std::size_t i = 0; i < energy_.size(); ++i) {
      // The conjugate of the spectrum times the wanted response's.
      const float re = plane.re[i] * wanted_.re[i] + plane.im[i] * wanted_.im[i];
      const float im = plane.re[i] * wanted_.im[i] - plane.im[i] * wanted_.re[i];
      product.re[i] = kept * product.re[i] + fresh * re;
      product.im[i] = kept * product.im[i] + fresh * im;
      energy_[i] += fresh * (plane.re[i] * plane.re[i] + plane.im[i] * plane.im[i]);
    }
  }
}

ComplexPlane EdgeFilter::compared(const FilterView& planes) const {
  ComplexPlane sum(CellGrid::kSide);
  for (std::size_t c = 0; c < planes.size(); ++c) {
    const ComplexPlane &plane = planes[c], &product = products_[c];
    for (std::size_t i = 0; i < sum.re.size(); ++i) {
      sum.re[i] += product.re[i] * plane.re[i] - product.im[i] * plane.im[i];
      sum.im[i] += product.re[i] * plane.im[i] + product.im[i] * plane.re[i];
    }
  }
  for (std::size_t i = 0; i < sum.re.size(); ++i) {
    const float factor = 1 / (energy_[i] + kRidge);
    sum.re[i] *= factor;
    sum.im[i] *= factor;
  }
  return sum;
}

void EdgeFilter::look(ImageView<const std::uint8_t> frame, const FilterPlace& place) {
  constexpr int kSide = CellGrid::kSide;
  constexpr int kFiner = kFine / kSide;
  constexpr auto kMore = static_cast<float>(kFiner * kFiner);
  seen_ = square_at(place);
  const ComplexPlane spectrum = compared(view(frame, place));
  // Zeros between low and high frequencies interpolate the response.
  ComplexPlane fine(kFine);
  const auto far = [](int i) { return i < kSide / 2 ? i : i + kFine - kSide; };
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) {
      const std::size_t from = place_in(kSide, y, x);
      const std::size_t to = place_in(kFine, far(y), far(x));
      fine.re[to] = spectrum.re[from] * kMore;
      fine.im[to] = spectrum.im[from] * kMore;
    }
  }
  fine_.inverse(fine);
  responses_ = std::move(fine.re);
}

double EdgeFilter::match(const FilterView& view) const {
  const ComplexPlane spectrum = compared(view);
  double sum = 0;
  for (const float value : spectrum.re) sum += value;
  return sum / CellGrid::kCells;
}

double EdgeFilter::response(double x, double y) const {
  const double step = seen_.side / kFine;
  const double dx = (x - seen_.x) / step, dy = (y - seen_.y) / step;
  constexpr int kHalf = kFine / 2;
  constexpr double kFarthest = kHalf - 1;
  if (!(std::abs(dx) < kFarthest && std::abs(dy) < kFarthest)) return 0;
  const double left = std::floor(dx), top = std::floor(dy);
  const double across = dx - left, down = dy - top;
  const auto at = [&](int i, int j) {
    const int column = (static_cast<int>(left) + i + kFine) % kFine;
    const int row = (static_cast<int>(top) + j + kFine) % kFine;
    return static_cast<double>(responses_[place_in(kFine, row, column)]);
  };
  return (1 - down) * ((1 - across) * at(0, 0) + across * at(1, 0)) +
         down * ((1 - across) * at(0, 1) + across * at(1, 1));
}

double EdgeFilter::highest() const {
  return *std::max_element(responses_.begin(), responses_.end());
}

}  // namespace fovea::emd
