// fovea.KMeans: clusters of points, and the center that is nearest to each point.
#include <fovea/core/error.h>
#include <fovea/ops/kmeans.h>
#include <fovea/ops/kmeans_stream.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arrays.h"
#include "define.h"
#include "gpu_arrays.h"
#include "renamed.h"
#include "systems.h"

namespace fovea::python {
namespace {

// The options under the names of scikit-learn.
struct ClusterOptions : KmeansOptions {
  ClusterOptions() { clusters = 8; }  // as there
};

constexpr std::array<Renaming, 7> kNames{{{"clusters", "n_clusters"},
                                          {"start", "init"},
                                          {"restarts", "n_init"},
                                          {"max-iterations", "max_iter"},
                                          {"tolerance", "tol"},
                                          {"batch", "batch_size"},
                                          {"seed", "random_state"}}};

template <class Function>
void for_each_keyword(ClusterOptions& options, Function function) {
  for_each_renamed(static_cast<KmeansOptions&>(options), kNames, function);
}

// The distances of so many iterations.
Work work_of(ImageView<const float> points, int centers, double iterations = 1) {
  return {2.0 * points.width * points.height * centers * iterations};
}

nb::dict fit(nb::handle points, const nb::dict& keywords, nb::handle progress) {
  const ClusterOptions options = options_of<ClusterOptions>(keywords, "KMeans");
  const Stream stream(options.exec.device);
  const PointsInput input = points_input(points, "X", &stream);
  Kmeans found = run_once(
      work_of(input.view, options.clusters, 1.0 * options.max_iterations * options.restarts),
      options.exec, progress, [&](Exec exec) {
        exec.stream = stream.get();
        return kmeans(input.view, with_exec<KmeansOptions>(options, exec));
      });
  nb::dict result;
  result["centers"] = to_numpy(std::move(found.centers));
  result["labels"] = to_numpy(found.labels);
  result["counts"] = to_numpy(found.counts);
  result["inertia"] = found.inertia;
  result["converged"] = found.converged;
  result["iterations"] = found.iterations.size();
  result["inertias"] = column_of(found.iterations, &KmeansIteration::inertia);
  return result;
}

class Nearest {
 public:
  Nearest(nb::handle centers, const nb::dict& keywords)
      : centers_(clone(points_input(centers, "cluster_centers_").view)),
        exec_(options_of<ClusterOptions>(keywords, "KMeans").exec),
        nearest_(exec_, [this](const Exec& exec) { return NearestCenter(centers_.view(), exec); }) {
  }

  nb::object find(nb::handle points) {
    const PointsInput input = checked(points, nearest_.stream());
    const auto count = static_cast<std::size_t>(input.view.height);
    Array<std::int32_t> labels =
        nearest_.call(work_of(input.view, centers_.height()), nb::none(), [&](NearestCenter& near) {
          if (input.view.memory != Memory::kCuda) require_finite(input.view, "X");
          const ScopedDevice here(exec_.device);
          Array<std::int32_t> found(count, input.view.memory);
          near.find(input.view, std::span(found.data(), count));
          return found;
        });
    return to_python(std::move(labels), {count}, exec_.device);
  }

  // Throws where find() would throw, for points of the CPU.
  void check(nb::handle points) const { require_finite(checked(points).view, "X"); }

 private:
  PointsInput checked(nb::handle points, const Stream* stream = nullptr) const {
    PointsInput input = points_input(points, "X", stream);
    if (input.view.width != centers_.width())
      throw InvalidArgument(fmt::format("X has {} numbers per point; expected {} as in fit()",
                                        input.view.width, centers_.width()));
    return input;
  }

  Image<float> centers_;
  Exec exec_;
  LazyFace<NearestCenter> nearest_;
};

// Clusters of points that come in batches.
class Batches {
 public:
  Batches(nb::handle centers, nb::handle counts, const nb::dict& keywords)
      : exec_(options_of<ClusterOptions>(keywords, "KMeans").exec),
        stream_(points_input(centers, "cluster_centers_").view, numbers_of(counts), exec_),
        calls_(exec_.device) {}

  // The inertia of the batch before centers moved.
  double push(nb::handle points) {
    const PointsInput input = points_input(points, "X");
    const ImageView<const float> centers = stream_.centers();
    if (input.view.width != centers.width)
      throw InvalidArgument(fmt::format("X has {} numbers per point; expected {} as before",
                                        input.view.width, centers.width));
    return calls_.run(work_of(input.view, centers.height), nb::none(), [&] {
      require_finite(input.view, "X");
      return stream_.push(input.view).inertia;
    });
  }
  nb::object centers() const { return to_numpy(clone(stream_.centers())); }
  nb::object counts() const {
    return to_numpy(std::vector<std::int64_t>(stream_.counts().begin(), stream_.counts().end()));
  }

 private:
  static std::vector<std::int64_t> numbers_of(nb::handle counts) {
    const AnyArray array = dense_array<std::int64_t>(counts, "counts_", {1});
    const auto* first = static_cast<const std::int64_t*>(array.data());
    return {first, first + array.size()};
  }

  Exec exec_;
  KmeansStream stream_;
  Calls calls_;
};

}  // namespace

void bind_kmeans(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("kmeans");
  m.def("fit", &fit);
  m.def("fit_options", &option_table<ClusterOptions>);
  nb::class_<Nearest>(m, "Nearest")
      .def(nb::init<nb::handle, const nb::dict&>())
      .def("find", &Nearest::find)
      .def("check", &Nearest::check);
  nb::class_<Batches>(m, "Batches")
      .def(nb::init<nb::handle, nb::handle, const nb::dict&>())
      .def("push", &Batches::push)
      .def_prop_ro("centers", &Batches::centers)
      .def_prop_ro("counts", &Batches::counts);
}

}  // namespace fovea::python
