// FAISS on the same bytes as ours: the exact index's search, and one iteration of its k-means from
// given centers. It multiplies matrices by the system's BLAS: with the reference BLAS it is slow;
// OpenBLAS is what its authors intend.
#include "rivals/faiss.h"

#include <dlfcn.h>
#include <faiss/Clustering.h>
#include <faiss/IndexFlat.h>
#include <omp.h>

#include <memory>
#include <vector>

#include "rivals/ready.h"

namespace {

std::vector<float> numbers(const unsigned char* bytes, int count, int width) {
  return {bytes, bytes + static_cast<std::ptrdiff_t>(count) * width};
}

// Limits the threads of OpenMP and of OpenBLAS.
void limit_threads(int threads) {
  omp_set_num_threads(threads);
  using SetThreads = void (*)(int);
  if (const auto set =
          reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads")))
    set(threads);
}

FoveaRivalWork ready(const rivals::Run& run, int threads) {
  return rivals::ready([=] {
    limit_threads(threads);  // other rivals change the limits too
    run();
  });
}

}  // namespace

FoveaRivalWork fovea_faiss_search(const FoveaRivalShape* shape, int threads) {
  if (shape->pixels == nullptr || shape->second == nullptr) return {};
  const auto points =
      std::make_shared<std::vector<float>>(numbers(shape->pixels, shape->height, shape->width));
  const auto index = std::make_shared<faiss::IndexFlatL2>(shape->width);
  index->add(shape->to_height, numbers(shape->second, shape->to_height, shape->width).data());
  const auto count = static_cast<std::size_t>(shape->height);
  const auto distances = std::make_shared<std::vector<float>>(count);
  const auto labels = std::make_shared<std::vector<faiss::Index::idx_t>>(count);
  return ready(
      [=] {
        index->search(static_cast<faiss::Index::idx_t>(count), points->data(), 1, distances->data(),
                      labels->data());
      },
      threads);
}

FoveaRivalWork fovea_faiss_kmeans(const FoveaRivalShape* shape, int threads) {
  if (shape->pixels == nullptr || shape->second == nullptr) return {};
  const auto points =
      std::make_shared<std::vector<float>>(numbers(shape->pixels, shape->height, shape->width));
  const auto centers = numbers(shape->second, shape->to_height, shape->width);
  const int width = shape->width, height = shape->height, clusters = shape->to_height;
  return ready(
      [=] {
        faiss::ClusteringParameters parameters;
        parameters.niter = 1;
        parameters.max_points_per_centroid = height;  // otherwise it takes a sample
        faiss::Clustering clustering(width, clusters, parameters);
        clustering.centroids = centers;
        faiss::IndexFlatL2 index(width);
        clustering.train(height, points->data(), index);
      },
      threads);
}
