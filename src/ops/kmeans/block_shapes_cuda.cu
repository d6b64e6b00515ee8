#include <array>

#include "ops/kmeans/assign_cuda.cuh"
#include "ops/kmeans/block_shapes.h"
#include "ops/kmeans/nearest_centers.cuh"

namespace fovea::cuda {
namespace {

constexpr int kShapeSteps = 2;  // 32 numbers

template <int kWarps, int kTiles>
using Shaped = NearestShape<kShapeSteps, kWarps, kTiles>;

using FindBy = void (*)(const CentersView&, const PointRows&, std::int32_t*, cudaStream_t);
struct Variant {
  BlockShape shape;
  FindBy find;
};
template <int kWarps, int kTiles>
constexpr Variant variant(bool used = false) {
  using Shape = Shaped<kWarps, kTiles>;
  return {{Shape::kThreads, Shape::kPoints, 1, used}, find_by<Shape>};
}

constexpr std::array<Variant, 7> kVariants{variant<1, 2>(), variant<2, 2>(), variant<4, 1>(),
                                           variant<4, 2>(), variant<8, 1>(), variant<8, 2>(true),
                                           variant<16, 2>()};

class ShapedEngine final : public detail::NearestEngine {
 public:
  ShapedEngine(ImageView<const float> centers, const Exec& exec, std::size_t shape)
      : centers_(prepare(centers, exec)), find_(kVariants.at(shape).find) {}

  void find(ImageView<const float> points, std::span<std::int32_t> labels,
            const Exec& exec) override {
    Session session(exec);
    OnDevice<const float> in(session, points);
    OnDevice<std::int32_t> out(session,
                               packed_view(labels.data(), points.height, 1, 1, points.memory));
    find_(centers_.view(), {in.image().data, in.image().stride, points.height, nullptr},
          out.image().data, session.stream());
    out.fetch();
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
  FindBy find_;
};

}  // namespace

std::span<const BlockShape> nearest_shapes() {
  static const std::array<BlockShape, kVariants.size()> kShapes = [] {
    std::array<BlockShape, kVariants.size()> shapes{};
    for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i] = kVariants[i].shape;
    return shapes;
  }();
  return kShapes;
}

std::unique_ptr<detail::NearestEngine> make_shaped_engine(ImageView<const float> centers,
                                                          const Exec& exec, std::size_t shape) {
  return std::make_unique<ShapedEngine>(centers, exec, shape);
}

}  // namespace fovea::cuda
