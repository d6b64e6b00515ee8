// CUDA engine of NearestCenter.
#include <algorithm>

#include "ops/kmeans/assign_cuda.cuh"
#include "ops/kmeans/backend.h"
#include "ops/kmeans/nearest_centers.cuh"

namespace fovea::cuda {
namespace {

// Bytes of host points that are on the device at once.
constexpr std::int64_t kUploadBytes = std::int64_t{256} << 20;

class Engine final : public detail::NearestEngine {
 public:
  Engine(ImageView<const float> centers, const Exec& exec) : centers_(prepare(centers, exec)) {}

  void find(ImageView<const float> points, std::span<std::int32_t> labels,
            const Exec& exec) override {
    Session session(exec);
    const int each =
        points.memory == Memory::kCuda
            ? points.height
            : static_cast<int>(std::clamp<std::int64_t>(
                  kUploadBytes / (points.width * std::int64_t{sizeof(float)}), 1, points.height));
    for (int first = 0; first < points.height; first += std::min(each, points.height - first)) {
      const int count = std::min(each, points.height - first);
      OnDevice<const float> in(session, points.crop(0, first, points.width, count));
      OnDevice<std::int32_t> out(session,
                                 packed_view(labels.data() + first, count, 1, 1, points.memory));
      find_points(centers_.view(), {in.image().data, in.image().stride, count, nullptr},
                  out.image().data, session.stream());
      out.fetch();
    }
    session.finish("nearest centers");
  }

 private:
  static DeviceCenters prepare(ImageView<const float> centers, const Exec& exec) {
    Session session(exec);
    DeviceCenters prepared(centers, session.stream());
    session.must_wait();
    session.finish("nearest centers");
    return prepared;
  }

  DeviceCenters centers_;
};

}  // namespace

std::unique_ptr<detail::NearestEngine> make_nearest_engine(ImageView<const float> centers,
                                                           const Exec& exec) {
  return std::make_unique<Engine>(centers, exec);
}

}  // namespace fovea::cuda
