// CUDA twin of descriptors. Where they go to the host, some lines of a grid are described at a
// time, so that memory on the device stays bounded.
#include <algorithm>

#include "core/on_device.cuh"
#include "scenes/describe/describe.h"
#include "scenes/describe/describer_cuda.cuh"

namespace fovea::scenes::cuda {
namespace {

using fovea::cuda::check;
using fovea::cuda::DeviceBuffer;
using fovea::cuda::OnDevice;
using fovea::cuda::Session;

constexpr std::int64_t kBandBytes = std::int64_t{256} << 20;

class Writer {
 public:
  Writer(Session& session, const DescriptorOptions& options, ImageView<float> out)
      : session_(session), describer_(make_describer({options}, session.stream())), out_(out) {}

  // fill(rows, describer) writes `count` rows, beginning with row `first`, on the device.
  template <class Fill>
  void write(std::int64_t first, std::int64_t count, const Fill& fill) {
    const ImageView<float> rows =
        out_.crop(0, static_cast<int>(first), out_.width, static_cast<int>(count));
    if (out_.memory == Memory::kCuda) {
      fill(rows, *describer_);
      return;
    }
    const auto width = static_cast<std::size_t>(out_.width);
    const DeviceBuffer<float> there(width * static_cast<std::size_t>(count), session_.stream());
    fill(packed_view(there.data(), rows.width, rows.height, 1, Memory::kCuda), *describer_);
    const std::size_t row_bytes = width * sizeof(float);
    check(cudaMemcpy2DAsync(rows.data, static_cast<std::size_t>(rows.stride) * sizeof(float),
                            there.data(), row_bytes, row_bytes, static_cast<std::size_t>(count),
                            cudaMemcpyDeviceToHost, session_.stream()),
          "scenes: fetching descriptors");
  }
  // The number of rows at a time.
  std::int64_t band_rows() const {
    return std::max<std::int64_t>(1, kBandBytes / (std::int64_t{out_.width} * sizeof(float)));
  }
  cudaStream_t stream() const { return session_.stream(); }

 private:
  Session& session_;
  std::unique_ptr<Describer> describer_;
  ImageView<float> out_;
};

// Some lines of a grid at a time; its descriptors begin at row `first`.
void write_all(Writer& writer, const GridEntry& image, const PlaceGrid& grid, std::int64_t first) {
  const auto lines =
      static_cast<int>(std::clamp<std::int64_t>(writer.band_rows() / grid.columns, 1, grid.rows));
  for (int line = 0; line < grid.rows; line += lines) {
    GridEntry entry = image;
    entry.grid = grid;
    entry.grid.top = grid.top + line * grid.step;
    entry.grid.rows = std::min(lines, grid.rows - line);
    writer.write(first + std::int64_t{line} * grid.columns, entry.grid.count(),
                 [&](ImageView<float> rows, Describer& describer) {
                   describer.write({&entry, 1}, rows, writer.stream());
                 });
  }
}

// The places that lie in this grid, whose first place has the number `start`.
std::vector<ListedPlace> listed_places(std::span<const std::int64_t> places, const PlaceGrid& grid,
                                       std::int64_t start) {
  std::vector<ListedPlace> listed;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t number = places[i] - start;
    if (number < 0 || number >= grid.count()) continue;
    listed.push_back({grid.left + static_cast<std::int32_t>(number % grid.columns) * grid.step,
                      grid.top + static_cast<std::int32_t>(number / grid.columns) * grid.step,
                      static_cast<std::int32_t>(i)});
  }
  return listed;
}

void write_listed(Writer& writer, const GridEntry& image, std::span<const PlaceGrid> grids,
                  std::span<const std::int64_t> all) {
  const auto most = static_cast<std::size_t>(writer.band_rows());
  for (std::size_t first = 0; first < all.size(); first += most) {
    const std::span<const std::int64_t> places =
        all.subspan(first, std::min(most, all.size() - first));
    writer.write(static_cast<std::int64_t>(first), static_cast<std::int64_t>(places.size()),
                 [&](ImageView<float> rows, Describer& describer) {
                   std::int64_t start = 0;
                   for (const PlaceGrid& grid : grids) {
                     const auto listed = listed_places(places, grid, start);
                     start += grid.count();
                     if (listed.empty()) continue;
                     DeviceBuffer<ListedPlace> there(listed.size(), writer.stream());
                     there.fill(listed.data());
                     GridEntry entry = image;
                     entry.grid = grid;
                     entry.grid.columns = static_cast<int>(listed.size());
                     entry.grid.rows = 1;
                     entry.listed = there.data();
                     describer.write({&entry, 1}, rows, writer.stream());
                   }
                 });
  }
}

}  // namespace

void descriptors(ImageView<const std::uint8_t> image, const DescriptorOptions& options,
                 std::span<const std::int64_t> places, ImageView<float> out, const Exec& exec) {
  Session session(exec);
  const OnDevice<const std::uint8_t> there(session, image);
  const GridEntry entry{.pixels = there.image().data,
                        .stride = there.image().stride,
                        .width = image.width,
                        .height = image.height,
                        .channels = image.channels,
                        .grid = {},
                        .listed = nullptr,
                        .output = 0,
                        .planes = 0,
                        .margin = 0};
  Writer writer(session, options, out);
  const std::vector<PlaceGrid> grids = place_grids(options, image.width, image.height);
  if (!places.empty()) {
    write_listed(writer, entry, grids, places);
  } else {
    std::int64_t first = 0;
    for (const PlaceGrid& grid : grids) {
      write_all(writer, entry, grid, first);
      first += grid.count();
    }
  }
  session.must_wait();  // the memory of the describer is freed now
  session.finish("scenes: descriptors");
}

}  // namespace fovea::scenes::cuda
