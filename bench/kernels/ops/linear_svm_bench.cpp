// Training of a block's classifier, of which a cascade needs tens of thousands: 36 features, 7000
// samples, one core. It is compared with liblinear where that is installed, on the same data and
// tolerance.
#include <benchmark/benchmark.h>
#include <fovea/core/random.h>
#include <fovea/ops/linear_svm.h>

#include <algorithm>
#include <cmath>
#ifdef FOVEA_LIBLINEAR
#include <linear.h>
#endif

namespace fovea {
namespace {

constexpr int kSamples = 7000, kFeatures = 36;

struct Data {
  Image<float> samples{kFeatures, kSamples};
  std::vector<std::int8_t> labels;
};

// Samples like the numbers of a block: none negative, with length 1, in two classes that overlap.
Data blocks() {
  Random random(1);
  Data data;
  for (int i = 0; i < kSamples; ++i) {
    const bool person = i % 3 == 0;
    data.labels.push_back(person ? 1 : -1);
    float length = 0;
    for (int k = 0; k < kFeatures; ++k) {
      const float mean = person && k % 9 < 3 ? 1.2F : 0.9F;
      data.samples.at(k, i) = std::max(0.F, mean + 0.6F * random.normal());
      length += data.samples.at(k, i) * data.samples.at(k, i);
    }
    for (int k = 0; k < kFeatures; ++k) data.samples.at(k, i) /= std::sqrt(length);
  }
  return data;
}

// The argument is C in hundredths.
void linear_svm(benchmark::State& state) {
  const Data data = blocks();
  const LinearSvmOptions options{.cost = static_cast<double>(state.range(0)) / 100};
  for (auto _ : state)
    benchmark::DoNotOptimize(train_linear_svm(data.samples, data.labels, {}, options).bias);
}
BENCHMARK(linear_svm)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);

#ifdef FOVEA_LIBLINEAR
// liblinear gets a bias feature of 10, which is close to a free bias.
void liblinear_svm(benchmark::State& state) {
  const Data data = blocks();
  set_print_string_function([](const char*) {});
  std::vector<double> labels(data.labels.begin(), data.labels.end());
  std::vector<feature_node> nodes;
  std::vector<feature_node*> rows;
  nodes.reserve(static_cast<std::size_t>(kSamples) * (kFeatures + 2));
  for (int i = 0; i < kSamples; ++i) {
    rows.push_back(nodes.data() + nodes.size());
    for (int k = 0; k < kFeatures; ++k) nodes.push_back({k + 1, data.samples.at(k, i)});
    nodes.push_back({kFeatures + 1, 10});
    nodes.push_back({-1, 0});
  }
  const problem task{kSamples, kFeatures + 1, labels.data(), rows.data(), 10};
  parameter settings{};
  settings.solver_type = L2R_L1LOSS_SVC_DUAL;
  settings.eps = LinearSvmOptions{}.tolerance;
  settings.C = static_cast<double>(state.range(0)) / 100;
  for (auto _ : state) {
    model* solved = train(&task, &settings);
    benchmark::DoNotOptimize(solved->w[0]);
    free_and_destroy_model(&solved);
  }
}
BENCHMARK(liblinear_svm)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond);
#endif

}  // namespace
}  // namespace fovea
