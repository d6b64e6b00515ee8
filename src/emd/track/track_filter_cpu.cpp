// The correlation filter on the CPU. Serial, so that results do not depend on threads: a square has
// only 1024 cells.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "emd/track/track_filter_engine.h"
#include "emd/track/track_filter_math.h"

namespace fovea::emd::cpu {
namespace {

constexpr int kSide = CellGrid::kSide;

// What is seen in a square: the spectra of its cells, one plane per channel.
using FilterView = std::vector<ComplexPlane>;

Complex at(const ComplexPlane& plane, std::size_t i) { return {plane.re[i], plane.im[i]}; }
void put(const Complex& value, ComplexPlane& plane, std::size_t i) {
  plane.re[i] = value.re;
  plane.im[i] = value.im;
}

class CpuFilterEngine final : public FilterEngine {
 public:
  explicit CpuFilterEngine(const ComplexPlane& wanted)
      : coarse_(kSide),
        fine_(kFineSide),
        wanted_(wanted),
        products_(CellGrid::kChannels, ComplexPlane(kSide)),
        energy_(CellGrid::kCells, 0) {}

  void push(ImageView<const std::uint8_t> frame, const CellSquare& square) override {
    constexpr int kFiner = kFineSide / kSide;
    constexpr auto kMore = static_cast<float>(kFiner * kFiner);
    const ComplexPlane spectrum = compared(view(frame, square));
    ComplexPlane fine(kFineSide);
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        const std::size_t from = place_in(kSide, y, x);
        const std::size_t to = place_in(kFineSide, fine_frequency(y), fine_frequency(x));
        fine.re[to] = spectrum.re[from] * kMore;
        fine.im[to] = spectrum.im[from] * kMore;
      }
    }
    fine_.inverse(fine);
    responses_ = std::move(fine.re);
  }
  std::span<const float> finish() override { return responses_; }

  void see(ImageView<const std::uint8_t> frame, std::span<const CellSquare> squares) override {
    for (std::size_t i = 0; i < squares.size(); ++i) seen_[i] = view(frame, squares[i]);
  }

  double match(std::size_t seen) override {
    const ComplexPlane spectrum = compared(seen_[seen]);
    double sum = 0;
    for (const float value : spectrum.re) sum += value;
    return sum / CellGrid::kCells;
  }

  void learn(std::size_t seen, double rate) override {
    const LearnShares shares{static_cast<float>(1 - rate), static_cast<float>(rate)};
    for (float& value : energy_) value *= shares.kept;
    for (std::size_t c = 0; c < products_.size(); ++c) {
      const ComplexPlane& plane = seen_[seen][c];
      ComplexPlane& product = products_[c];
      for (std::size_t i = 0; i < energy_.size(); ++i) {
        const Complex value = at(plane, i);
        put(learned_product(at(product, i), value, at(wanted_, i), shares), product, i);
        energy_[i] = learned_energy(energy_[i], value, shares);
      }
    }
  }

 private:
  FilterView view(ImageView<const std::uint8_t> frame, const CellSquare& square) const {
    const std::vector<float> cells = cells_of(frame, square);
    FilterView planes;
    planes.reserve(CellGrid::kChannels);
    for (int i = 0; i < CellGrid::kChannels; ++i) planes.emplace_back(kSide);
    ComplexPlane both(kSide);
    static_assert(CellGrid::kChannels % 2 == 0);
    for (std::size_t i = 0; i < CellGrid::kChannels; i += 2) {
      const float* const plane = cells.data() + i * CellGrid::kCells;
      std::copy_n(plane, CellGrid::kCells, both.re.begin());
      std::copy_n(plane + CellGrid::kCells, CellGrid::kCells, both.im.begin());
      coarse_.forward(both);
      split_spectra(both, kSide, planes[i], planes[i + 1]);
    }
    return planes;
  }

  ComplexPlane compared(const FilterView& planes) const {  // the response's spectrum
    ComplexPlane sum(kSide);
    for (std::size_t c = 0; c < planes.size(); ++c) {
      const ComplexPlane &plane = planes[c], &product = products_[c];
      for (std::size_t i = 0; i < sum.re.size(); ++i)
        put(with_product(at(sum, i), at(product, i), at(plane, i)), sum, i);
    }
    for (std::size_t i = 0; i < sum.re.size(); ++i) put(divided(at(sum, i), energy_[i]), sum, i);
    return sum;
  }

  Fourier coarse_, fine_;
  ComplexPlane wanted_;
  FilterView products_;  // of the wanted response with the target's spectra, one per channel
  std::vector<float> energy_;
  std::array<FilterView, kMostSeen> seen_{};
  std::vector<float> responses_{};
};

}  // namespace

std::unique_ptr<FilterEngine> filter_engine(const ComplexPlane& wanted, const Exec&) {
  return std::make_unique<CpuFilterEngine>(wanted);
}

}  // namespace fovea::emd::cpu
