// CUDA twin of spectral signatures: one thread per pixel, one block per piece of a row. A thread's
// sums lie in shared memory, beside those of its neighbors, so that nothing conflicts, and its
// masses leave together with those of the whole block.
#include "core/on_device.cuh"
#include "emd/detect/backend.h"

namespace fovea::emd::cuda {
namespace {

using fovea::cuda::DeviceBuffer;
using fovea::cuda::OnDevice;
using fovea::cuda::Session;

constexpr struct {
  int threads = 64;  // pixels per block: few, because each may have 64 sums
} kTuning;

// Where the parts of a block's shared memory begin, in doubles.
struct Layout {
  int work, line, tables, masses, total;

  explicit Layout(const detail::SignatureParams& p) {
    const int sums = p.groups * kTuning.threads;
    work = sums;
    line = work + (p.contrast ? sums : 0);
    tables = line + (p.radius > 0 ? kTuning.threads + 2 * p.radius : 0);
    masses = tables + (p.contrast ? p.groups * (p.groups + 2) : 0);
    const int bytes = p.bins() * kTuning.threads * static_cast<int>(sizeof(std::uint16_t));
    total = masses + (bytes + 7) / 8;
  }
  std::size_t bytes() const { return static_cast<std::size_t>(total) * sizeof(double); }
};

struct SignatureLaunch {
  StackView<const float> bands;
  detail::SignatureParams params;  // its tables follow each other: dark, mean, white
  ImageView<std::uint16_t> out;
  Layout layout;
};

__device__ int clamped(int i, int count) { return i < 0 ? 0 : i >= count ? count - 1 : i; }

// The mean of a band over the window of this thread's pixel, as the CPU sums it: down the columns
// first, then along the row.
__device__ double window_mean(const SignatureLaunch& job, int band, int first, int y,
                              double* line) {
  const int radius = job.params.radius, side = 2 * radius + 1;
  const ImageView<const float> plane = job.bands.plane(band);
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kTuning.threads + 2 * radius;
       i += kTuning.threads) {
    const int x = clamped(first + i - radius, plane.width);
    double sum = 0;
    for (int dy = -radius; dy <= radius; ++dy)
      sum += static_cast<double>(plane.at(x, clamped(y + dy, plane.height)));
    line[i] = sum;
  }
  __syncthreads();
  double sum = 0;
  for (int dx = 0; dx < side; ++dx) sum += line[threadIdx.x + dx];
  return detail::counted(sum, job.params.scale());
}

__global__ void __launch_bounds__(kTuning.threads)
    signature_kernel(const __grid_constant__ SignatureLaunch job) {
  extern __shared__ double shared[];
  detail::SignatureParams p = job.params;
  const int first = static_cast<int>(blockIdx.x) * kTuning.threads, y = fovea::cuda::block_row();
  if (y >= job.bands.height) return;
  const int count = min(kTuning.threads, job.bands.width - first);
  const int me = static_cast<int>(threadIdx.x), x = min(first + me, job.bands.width - 1);
  if (p.contrast) {
    double* const tables = shared + job.layout.tables;
    for (int i = me; i < p.groups * (p.groups + 2); i += kTuning.threads) tables[i] = p.dark[i];
    p.dark = tables;
    p.mean = tables + p.groups;
    p.white = tables + 2 * p.groups;
  }
  double* const sums = shared + me;
  for (int g = 0; g < p.groups; ++g) {
    double sum = 0;
    const int last = p.first_band(g + 1);
    for (int b = p.first_band(g); b < last; ++b)
      sum += p.radius > 0 ? window_mean(job, b, first, y, shared + job.layout.line)
                          : detail::counted(static_cast<double>(job.bands.plane(b).at(x, y)), 1);
    sums[g * kTuning.threads] = sum;
  }
  __syncthreads();
  const int bins = p.bins();
  auto* const masses = reinterpret_cast<std::uint16_t*>(shared + job.layout.masses);
  detail::sign_pixel(p, sums, shared + job.layout.work + me, kTuning.threads,
                     [&](int bin, double mass) {
                       masses[me * bins + bin] = static_cast<std::uint16_t>(static_cast<int>(mass));
                     });
  __syncthreads();
  std::uint16_t* const to = &job.out.at(first, y);
  for (int i = me; i < count * bins; i += kTuning.threads) to[i] = masses[i];
}

}  // namespace

void signatures(StackView<const float> bands, const detail::SignatureParams& params,
                ImageView<std::uint16_t> out, const Exec& exec) {
  constexpr const char* kName = "SpectralSignature";
  Session session(exec);
  OnDevice<const float> source(session, bands);
  OnDevice<std::uint16_t> result(session, out);
  const auto n = static_cast<std::size_t>(params.groups);
  std::vector<double> tables;
  if (params.contrast) {
    tables.reserve(n * (n + 2));
    tables.insert(tables.end(), params.dark, params.dark + n);
    tables.insert(tables.end(), params.mean, params.mean + n);
    tables.insert(tables.end(), params.white, params.white + n * n);
  }
  DeviceBuffer<double> there(tables.size(), session.stream());
  if (!tables.empty()) there.fill(tables.data());
  SignatureLaunch job{source.stack(), params, result.image(), Layout(params)};
  job.params.dark = there.data();
  fovea::cuda::allow_shared(signature_kernel, job.layout.bytes(), kName);
  const dim3 grid = fovea::cuda::tall_grid(fovea::cuda::blocks_for(bands.width, kTuning.threads),
                                           static_cast<unsigned>(bands.height));
  signature_kernel<<<grid, kTuning.threads, job.layout.bytes(), session.stream()>>>(job);
  fovea::cuda::check_launch(kName);
  result.fetch();
  session.finish(kName);
}

}  // namespace fovea::emd::cuda
