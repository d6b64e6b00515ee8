// The correlation filter on a GPU, equal to that of the CPU to the bit: every value is the sum of
// the same terms in the same order. A square takes three launches to become spectra and two more to
// become responses, which are all that comes back; the filter itself never leaves the device.
#include <fovea/core/memory.h>
#include <fovea/core/stream.h>

#include <vector>

#include "core/event.cuh"
#include "core/kept_buffer.cuh"
#include "core/launch.cuh"
#include "core/on_device.cuh"
#include "emd/track/track_cells_math.h"
#include "emd/track/track_filter_engine.h"
#include "emd/track/track_filter_math.h"

namespace fovea::emd::cuda {
namespace {

using fovea::cuda::blocks_for;
using fovea::cuda::check;
using fovea::cuda::check_launch;
using fovea::cuda::Event;
using fovea::cuda::KeptBuffer;
using fovea::cuda::Session;

constexpr int kSide = CellGrid::kSide;
constexpr int kSquares = static_cast<int>(FilterEngine::kMostSeen);
constexpr struct {
  int samples = 256;    // threads of a block that takes samples
  int transform = 512;  // of one that transforms two planes: one per butterfly
  int columns = 8;      // of the response that a block transforms
  int learn = 128;      // frequencies per block
} kTuning;
constexpr int kSampleCount = kSampleStride * kSampleStride;
constexpr int kFineThreads = kFineSide / 2 * kTuning.columns;  // one per butterfly

struct Squares {
  CellSquare at[kSquares];
};

// What a square becomes on the way to its spectra; the buffers hold one after the other.
struct CellBuffers {
  float* samples;   // kSampleCount
  float* votes;     // kCellVotes planes of cells
  float* bright;    // one plane
  float* energies;  // one plane
};

// The turns of a transform; only the first half of them is needed.
struct Turns {
  const float* cosines;
  const float* sines;

  __device__ Complex at(int i, float sign) const { return {cosines[i], sign * sines[i]}; }
};

// Spectra: all real parts, plane by plane, before all imaginary parts.
struct Spectra {
  float* re;
  float* im;

  __device__ Complex at(int channel, int i) const {
    const int place = channel * CellGrid::kCells + i;
    return {re[place], im[place]};
  }
  __device__ void put(const Complex& value, int channel, int i) const {
    const int place = channel * CellGrid::kCells + i;
    re[place] = value.re;
    im[place] = value.im;
  }
  __host__ __device__ Spectra square(int index) const {
    const int from = index * CellGrid::kChannels * CellGrid::kCells;
    return {re + from, im + from};
  }
};

struct FilterState {
  Spectra products;
  Spectra wanted;  // one plane
  float* energy;
};

__device__ float gray_at(const ImageView<const std::uint8_t>& image, int x, int y) {
  x = x < 0 ? 0 : x < image.width ? x : image.width - 1;
  y = y < 0 ? 0 : y < image.height ? y : image.height - 1;
  return gray_of(&image.at(x, y), image.channels);
}

// One thread per sample; a row of blocks per square.
__global__ void sample_kernel(ImageView<const std::uint8_t> frame, Squares squares,
                              CellBuffers out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= kSampleCount) return;
  const CellSquare square = squares.at[blockIdx.y];
  const SampleAxis across = sample_axis(square.x, square.side, frame.width);
  const SampleAxis down = sample_axis(square.y, square.side, frame.height);
  const float weight = 1 / static_cast<float>(across.each * down.each);
  float sum = 0;
  for (int j = 0; j < down.each; ++j) {
    const SampleRead row = sample_read(down, i / kSampleStride - 1, j);
    for (int k = 0; k < across.each; ++k) {
      const SampleRead column = sample_read(across, i % kSampleStride - 1, k);
      const float above[2] = {gray_at(frame, column.first, row.first),
                              gray_at(frame, column.first + 1, row.first)};
      const float below[2] = {gray_at(frame, column.first, row.first + 1),
                              gray_at(frame, column.first + 1, row.first + 1)};
      sum += weight * between(above, below, column.share, row.share);
    }
  }
  out.samples[static_cast<int>(blockIdx.y) * kSampleCount + i] = sum;
}

// One block per row of cells and square, one thread per cell and direction. The votes of a cell
// come from the 8x8 samples around it and are added row by row, as on the CPU.
__global__ void __launch_bounds__(kSide* kCellVotes)
    cell_kernel(CellBuffers buffers, CellTables tables) {
  constexpr int kReach = CellGrid::kCell / 2;          // samples of other cells on each side
  constexpr int kRows = CellGrid::kCell + 2 * kReach;  // of samples that vote here
  __shared__ float lengths[kRows][kSampleSide];
  __shared__ int directions[kRows][kSampleSide];
  __shared__ float votes[kCellVotes][kSide];
  const int square = static_cast<int>(blockIdx.y), cell_row = static_cast<int>(blockIdx.x);
  const float* const samples = buffers.samples + square * kSampleCount;
  const auto sample_at = [&](int x, int y) { return samples[(y + 1) * kSampleStride + x + 1]; };
  const int first = cell_row * CellGrid::kCell - kReach, thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kRows * kSampleSide; i += kSide * kCellVotes) {
    const int x = i % kSampleSide, y = first + i / kSampleSide;
    if (y < 0 || y >= kSampleSide) continue;
    const EdgeVote vote = edge_vote(sample_at(x + 1, y) - sample_at(x - 1, y),
                                    sample_at(x, y + 1) - sample_at(x, y - 1), tables);
    lengths[i / kSampleSide][x] = vote.length;
    directions[i / kSampleSide][x] = vote.direction;
  }
  __syncthreads();
  const int cell = thread % kSide, direction = thread / kSide;
  float sum = 0;
  for (int j = 0; j < kRows; ++j) {
    const int y = first + j;
    if (y < 0 || y >= kSampleSide) continue;
    const CellShare down = cell_share(y);
    for (int i = 0; i < kRows; ++i) {
      const int x = cell * CellGrid::kCell - kReach + i;
      if (x < 0 || x >= kSampleSide || directions[j][x] != direction) continue;
      const CellShare across = cell_share(x);
      sum += across.of(cell - across.first) * down.of(cell_row - down.first) * lengths[j][x];
    }
  }
  const int at = cell_row * kSide + cell;
  votes[direction][cell] = sum;
  buffers.votes[(square * kCellVotes + direction) * CellGrid::kCells + at] = sum;
  __syncthreads();
  if (direction == 0) {
    float energy = 0;
    for (int i = 0; i < CellGrid::kDirections; ++i) {
      const float both = votes[i][cell] + votes[i + CellGrid::kDirections][cell];
      energy += both * both;
    }
    buffers.energies[square * CellGrid::kCells + at] = energy;
  } else if (direction == 1) {
    float bright = 0;
    for (int j = 0; j < CellGrid::kCell; ++j)
      for (int i = 0; i < CellGrid::kCell; ++i)
        bright += kBrightPart *
                  (sample_at(cell * CellGrid::kCell + i, cell_row * CellGrid::kCell + j) - 0.5F);
    buffers.bright[square * CellGrid::kCells + at] = bright;
  }
}

__device__ int reversed_bits(int i, int side) {
  int reversed = 0;
  for (int bit = 1; bit < side; bit *= 2) reversed = 2 * reversed + ((i & bit) != 0 ? 1 : 0);
  return reversed;
}

// Transforms the columns of a plane with `kWidth` of them, whose rows stand in the order of
// reversed bits; one thread per butterfly of a stage. Threads meet at the end.
template <int kLength, int kWidth, int kRowStride>
__device__ void along_columns(Complex (&plane)[kLength][kRowStride], const Turns& turns,
                              float sign) {
  const int x = static_cast<int>(threadIdx.x) % kWidth, i = static_cast<int>(threadIdx.x) / kWidth;
  for (int half = 1; half < kLength; half *= 2) {
    __syncthreads();
    const int k = i % half, row = i / half * 2 * half + k;
    butterfly(plane[row][x], plane[row + half][x], turns.at(k * (kLength / (2 * half)), sign));
  }
  __syncthreads();
}

// One channel of a cell: directed edges, undirected ones, brightness.
__device__ float channel_of(const CellBuffers& buffers, const BlockFactors& factors, int channel,
                            int cell, int square) {
  const float* const votes = buffers.votes + square * kCellVotes * CellGrid::kCells + cell;
  if (channel < kCellVotes) return factors.normalized(votes[channel * CellGrid::kCells]);
  const int direction = channel - kCellVotes;
  if (direction < CellGrid::kDirections)
    return factors.normalized(votes[direction * CellGrid::kCells] +
                              votes[(direction + CellGrid::kDirections) * CellGrid::kCells]);
  return buffers.bright[square * CellGrid::kCells + cell];
}

// One block per pair of channels and square.
__global__ void __launch_bounds__(kTuning.transform)
    spectrum_kernel(CellBuffers buffers, CellTables tables, Turns turns, Spectra out) {
  __shared__ Complex plane[kSide][kSide + 1];
  const int pair = static_cast<int>(blockIdx.x), square = static_cast<int>(blockIdx.y);
  const int thread = static_cast<int>(threadIdx.x);
  const float* const energies = buffers.energies + square * CellGrid::kCells;
  for (int i = thread; i < CellGrid::kCells; i += kTuning.transform) {
    const int x = i % kSide, y = i / kSide;
    const BlockFactors factors = block_factors(energies, x, y);
    const float fall = tables.fall[y] * tables.fall[x];
    plane[reversed_bits(y, kSide)][x] = {
        channel_of(buffers, factors, 2 * pair, i, square) * fall,
        channel_of(buffers, factors, 2 * pair + 1, i, square) * fall};
  }
  along_columns<kSide, kSide>(plane, turns, -1);
  // Each thread keeps its values while the plane is transposed.
  Complex kept[CellGrid::kCells / kTuning.transform];
  for (int k = 0; k < CellGrid::kCells / kTuning.transform; ++k) {
    const int i = thread + k * kTuning.transform;
    kept[k] = plane[i / kSide][i % kSide];
  }
  __syncthreads();
  for (int k = 0; k < CellGrid::kCells / kTuning.transform; ++k) {
    const int i = thread + k * kTuning.transform;
    plane[reversed_bits(i % kSide, kSide)][i / kSide] = kept[k];
  }
  along_columns<kSide, kSide>(plane, turns, -1);
  const Spectra mine = out.square(square);
  for (int i = thread; i < CellGrid::kCells; i += kTuning.transform) {
    const int x = i % kSide, y = i / kSide;
    const SplitPair split =
        split_pair(plane[y][x], plane[(kSide - y) % kSide][(kSide - x) % kSide]);
    mine.put(split.first, 2 * pair, i);
    mine.put(split.second, 2 * pair + 1, i);
  }
}

__device__ Complex compared(const FilterState& filter, const Spectra& seen, int i) {
  Complex sum{};
  for (int c = 0; c < CellGrid::kChannels; ++c)
    sum = with_product(sum, filter.products.at(c, i), seen.at(c, i));
  return divided(sum, filter.energy[i]);
}

// The frequency of the coarse grid at a place of the fine one, or -1 where there is none.
__device__ int coarse_frequency(int i) {
  if (i < kSide / 2) return i;
  return i < kFineSide - kSide / 2 ? -1 : i - (kFineSide - kSide);
}

struct FineShared {
  Complex plane[kFineSide][kTuning.columns + 1];
};

// The first pass of the response's inverse transform, written transposed: one block per kColumns
// columns of the spectrum, most of which are zero.
__global__ void __launch_bounds__(kFineThreads)
    first_pass_kernel(FilterState filter, Spectra seen, Turns turns, Complex* out) {
  constexpr int kFiner = kFineSide / kSide;
  constexpr float kMore = kFiner * kFiner;
  __shared__ FineShared shared;
  const int left = static_cast<int>(blockIdx.x) * kTuning.columns;
  for (int i = static_cast<int>(threadIdx.x); i < kFineSide * kTuning.columns; i += kFineThreads) {
    const int x = coarse_frequency(left + i % kTuning.columns);
    const int y = coarse_frequency(i / kTuning.columns);
    Complex value{};
    if (x >= 0 && y >= 0) {
      value = compared(filter, seen, y * kSide + x);
      value = {value.re * kMore, value.im * kMore};
    }
    shared.plane[reversed_bits(i / kTuning.columns, kFineSide)][i % kTuning.columns] = value;
  }
  along_columns<kFineSide, kTuning.columns>(shared.plane, turns, 1);
  for (int i = static_cast<int>(threadIdx.x); i < kFineSide * kTuning.columns; i += kFineThreads)
    out[(left + i / kFineSide) * kFineSide + i % kFineSide] =
        shared.plane[i % kFineSide][i / kFineSide];
}

__global__ void __launch_bounds__(kFineThreads)
    second_pass_kernel(const Complex* in, Turns turns, float* responses) {
  constexpr float kScale = 1.0F / (static_cast<float>(kFineSide) * static_cast<float>(kFineSide));
  __shared__ FineShared shared;
  const int left = static_cast<int>(blockIdx.x) * kTuning.columns;
  for (int i = static_cast<int>(threadIdx.x); i < kFineSide * kTuning.columns; i += kFineThreads) {
    const int x = i % kTuning.columns, y = i / kTuning.columns;
    shared.plane[reversed_bits(y, kFineSide)][x] = in[y * kFineSide + left + x];
  }
  along_columns<kFineSide, kTuning.columns>(shared.plane, turns, 1);
  for (int i = static_cast<int>(threadIdx.x); i < kFineSide * kTuning.columns; i += kFineThreads) {
    const int x = i % kTuning.columns, y = i / kTuning.columns;
    responses[y * kFineSide + left + x] = shared.plane[y][x].re * kScale;
  }
}

// One block per square. The sum is made by one thread in the CPU's order.
__global__ void __launch_bounds__(CellGrid::kCells)
    match_kernel(FilterState filter, Spectra seen, double* matches) {
  __shared__ float values[CellGrid::kCells];
  const int i = static_cast<int>(threadIdx.x);
  values[i] = compared(filter, seen.square(static_cast<int>(blockIdx.x)), i).re;
  __syncthreads();
  if (i != 0) return;
  double sum = 0;
  for (const float value : values) sum += value;
  matches[blockIdx.x] = sum / CellGrid::kCells;
}

__global__ void learn_kernel(FilterState filter, Spectra seen, LearnShares shares) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= CellGrid::kCells) return;
  const Complex wanted = filter.wanted.at(0, i);
  float energy = filter.energy[i] * shares.kept;
  for (int c = 0; c < CellGrid::kChannels; ++c) {
    const Complex value = seen.at(c, i);
    filter.products.put(learned_product(filter.products.at(c, i), value, wanted, shares), c, i);
    energy = learned_energy(energy, value, shares);
  }
  filter.energy[i] = energy;
}

class CudaFilterEngine final : public FilterEngine {
 public:
  CudaFilterEngine(const ComplexPlane& wanted, const Exec& exec)
      : exec_(exec),
        own_stream_(exec.stream == nullptr ? Stream(exec.device) : Stream()),
        tables_(cell_tables()) {
    if (exec_.stream == nullptr) exec_.stream = own_stream_.get();
    Session session(exec_);
    constexpr std::size_t kPlane = CellGrid::kCells, kView = CellGrid::kChannels * kPlane;
    filter_.products = planes(products_, kView);
    filter_.wanted = {wanted_re_.fill(wanted.re, stream()), wanted_im_.fill(wanted.im, stream())};
    filter_.energy = energy_.reserve(kPlane);
    looked_ = planes(looked_at_, kView);
    seen_ = planes(seen_at_, kSquares * kView);
    cells_ = {samples_.reserve(std::size_t{kSquares} * kSampleCount),
              votes_.reserve(kSquares * kCellVotes * kPlane), bright_.reserve(kSquares * kPlane),
              energies_.reserve(kSquares * kPlane)};
    coarse_ = turns(coarse_turns_, kSide);
    fine_ = turns(fine_turns_, kFineSide);
    passed_.reserve(std::size_t{kFineSide} * kFineSide);
    responses_.reserve(std::size_t{kFineSide} * kFineSide);
    matches_.reserve(kSquares);
    check(cudaMemsetAsync(products_.data(), 0, products_.size() * sizeof(float), stream()), kName);
    check(cudaMemsetAsync(energy_.data(), 0, energy_.size() * sizeof(float), stream()), kName);
  }
  ~CudaFilterEngine() override { cudaStreamSynchronize(stream()); }

  void push(ImageView<const std::uint8_t> frame, const CellSquare& square) override {
    Session session(exec_);
    make_spectra(frame, std::span(&square, 1), looked_);
    constexpr unsigned kBlocks = kFineSide / kTuning.columns;
    first_pass_kernel<<<kBlocks, kFineThreads, 0, stream()>>>(filter_, looked_, fine_,
                                                              passed_.data());
    check_launch(kName);
    second_pass_kernel<<<kBlocks, kFineThreads, 0, stream()>>>(passed_.data(), fine_,
                                                               responses_.data());
    check_launch(kName);
    fetch(responses_.data(), host_responses_);
    answered_.record(stream());
  }
  std::span<const float> finish() override {
    answered_.wait(kName);
    return {host_responses_.data(), host_responses_.size()};
  }

  void see(ImageView<const std::uint8_t> frame, std::span<const CellSquare> squares) override {
    Session session(exec_);
    make_spectra(frame, squares, seen_);
    match_kernel<<<static_cast<unsigned>(squares.size()), CellGrid::kCells, 0, stream()>>>(
        filter_, seen_, matches_.data());
    check_launch(kName);
    fetch(matches_.data(), host_matches_);
    check(cudaStreamSynchronize(stream()), kName);
  }
  double match(std::size_t seen) override { return host_matches_[seen]; }

  void learn(std::size_t seen, double rate) override {
    Session session(exec_);
    const LearnShares shares{static_cast<float>(1 - rate), static_cast<float>(rate)};
    learn_kernel<<<blocks_for(CellGrid::kCells, kTuning.learn), kTuning.learn, 0, stream()>>>(
        filter_, seen_.square(static_cast<int>(seen)), shares);
    check_launch(kName);
  }

 private:
  static constexpr const char* kName = "the filter of a track";

  cudaStream_t stream() const { return static_cast<cudaStream_t>(exec_.stream); }

  Spectra planes(KeptBuffer<float>& buffer, std::size_t values) const {
    float* const data = buffer.reserve(2 * values);
    return {data, data + values};
  }
  Turns turns(KeptBuffer<float>& buffer, int side) const {
    const Fourier fourier(side);
    std::vector<float> both = fourier.cosines();
    both.insert(both.end(), fourier.sines().begin(), fourier.sines().end());
    const float* const data = buffer.fill(both, stream());
    return {data, data + side};
  }
  template <class T>
  void fetch(const T* from, Array<T>& to) const {
    check(cudaMemcpyAsync(to.data(), from, to.size() * sizeof(T), cudaMemcpyDeviceToHost, stream()),
          kName);
  }

  void make_spectra(ImageView<const std::uint8_t> frame, std::span<const CellSquare> squares,
                    const Spectra& out) {
    Squares all{};
    for (std::size_t i = 0; i < squares.size(); ++i) all.at[i] = squares[i];
    const auto count = static_cast<unsigned>(squares.size());
    sample_kernel<<<dim3(blocks_for(kSampleCount, kTuning.samples), count), kTuning.samples, 0,
                    stream()>>>(frame, all, cells_);
    check_launch(kName);
    cell_kernel<<<dim3(kSide, count), kSide * kCellVotes, 0, stream()>>>(cells_, tables_);
    check_launch(kName);
    spectrum_kernel<<<dim3(CellGrid::kChannels / 2, count), kTuning.transform, 0, stream()>>>(
        cells_, tables_, coarse_, out);
    check_launch(kName);
  }

  Exec exec_;
  Stream own_stream_;
  CellTables tables_;
  KeptBuffer<float> products_{}, wanted_re_{}, wanted_im_{}, energy_{}, looked_at_{}, seen_at_{};
  KeptBuffer<float> samples_{}, votes_{}, bright_{}, energies_{}, coarse_turns_{}, fine_turns_{};
  KeptBuffer<Complex> passed_{};
  KeptBuffer<float> responses_{};
  KeptBuffer<double> matches_{};
  FilterState filter_{};
  Spectra looked_{}, seen_{};
  CellBuffers cells_{};
  Turns coarse_{}, fine_{};
  Array<float> host_responses_{std::size_t{kFineSide} * kFineSide, Memory::kPinned};
  Array<double> host_matches_{kSquares, Memory::kPinned};
  Event answered_{};
};

}  // namespace

std::unique_ptr<FilterEngine> filter_engine(const ComplexPlane& wanted, const Exec& exec) {
  return std::make_unique<CudaFilterEngine>(wanted, exec);
}

}  // namespace fovea::emd::cuda
