// Learns what soft, vlad and fisher coding know beside the words: the directions in which samples
// vary most, and the places that words have among them. Fisher fits a mixture of Gaussians by
// expectation and maximization, which begins at the clusters of k-means. All of it runs on the CPU,
// with sums in a fixed order, so that a dictionary is the same for any device and number of
// threads.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/parallel.h"
#include "scenes/words/code_plan.h"
#include "scenes/words/learn.h"
#include "scenes/words/principal.h"
#include "scenes/words/standard.h"

namespace fovea::scenes {
namespace {

constexpr int kCodeSamples = 65536;  // more do not change the few hundred numbers of a word
constexpr int kEmSteps = 10;
constexpr int kEmGrain = 2048;            // samples whose sums are added up at a time
constexpr double kLeastVariance = 0.01;   // of that of all samples
constexpr double kLeastPosterior = 1e-4;  // that takes part in a step

// Sets the projection and returns the projected samples.
Image<float> project(ImageView<const float> samples, int components, const Exec& exec,
                     WordCode& code) {
  const PrincipalAxes axes = principal_axes(samples, exec);
  code.projection = Image<float>(samples.width, components);
  code.shift.clear();
  const double greatest = axes.variances[0];
  for (int j = 0; j < components; ++j) {
    // Directions in which nothing varies but rounding stay short.
    const double variance =
        code.coding == Coding::kFisher
            ? std::max(axes.variances[static_cast<std::size_t>(j)], 1e-6 * greatest)
            : greatest;
    const double scale = variance > 0 ? 1 / std::sqrt(variance) : 0;
    double shift = 0;
    for (int i = 0; i < samples.width; ++i) {
      const double factor = axes.axes.at(i, j) * scale;
      code.projection.at(i, j) = static_cast<float>(factor);
      shift -= factor * axes.mean[static_cast<std::size_t>(i)];
    }
    code.shift.push_back(static_cast<float>(shift));
  }
  Image<float> projected(components, samples.height);
  parallel_for(exec, samples.height, 256, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < end; ++y)
      for (int j = 0; j < components; ++j)
        projected.at(j, y) = static_cast<float>(std::inner_product(
            samples.row(y), samples.row(y) + samples.width, code.projection.row(j),
            double{code.shift[static_cast<std::size_t>(j)]}));
  });
  return projected;
}

// Sums of samples, weighted by how far they belong to each word.
struct Moments {
  Moments(int words, int components)
      : weight(static_cast<std::size_t>(words), 0.0),
        first(static_cast<std::size_t>(words) * static_cast<std::size_t>(components), 0.0),
        second(first.size(), 0.0) {}

  void add(int word, double share, const float* z, int components) {
    weight[static_cast<std::size_t>(word)] += share;
    double* one = first.data() + std::ptrdiff_t{word} * components;
    double* two = second.data() + std::ptrdiff_t{word} * components;
    for (int j = 0; j < components; ++j) {
      one[j] += share * z[j];
      two[j] += share * z[j] * z[j];
    }
  }
  void add(const Moments& other) {
    const auto plus = [](std::vector<double>& to, const std::vector<double>& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    plus(weight, other.weight);
    plus(first, other.first);
    plus(second, other.second);
  }

  std::vector<double> weight, first, second;
};

// Adds up chunks of samples in their order. add(y, moments) adds one sample.
template <class Add>
Moments sum_samples(ImageView<const float> z, int words, const Exec& exec, const Add& add) {
  const int chunks = (z.height + kEmGrain - 1) / kEmGrain;
  std::vector<Moments> parts(static_cast<std::size_t>(chunks), Moments(words, z.width));
  parallel_for(exec, chunks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t c = begin; c < end; ++c) {
      const auto first = static_cast<int>(c) * kEmGrain;
      add(first, std::min(first + kEmGrain, z.height), parts[static_cast<std::size_t>(c)]);
    }
  });
  for (std::size_t c = 1; c < parts.size(); ++c) parts[0].add(parts[c]);
  return std::move(parts[0]);
}

// Posteriors of the samples first to last - 1 of a mixture, added to moments.
void add_posteriors(ImageView<const float> z, const CodePlan& plan, int first, int last,
                    Moments& moments) {
  const LinearMap& map = plan.scores;
  const auto words = static_cast<std::size_t>(map.outputs);
  std::vector<float> scores(words);
  for (int y = first; y < last; ++y) {
    std::ranges::copy(map.bias, scores.begin());
    for (int i = 0; i < map.inputs; ++i) {
      const float number = z.at(i % z.width, y);
      const float input = i < z.width ? number : number * number;
      const float* factors = map.factors.data() + static_cast<std::size_t>(i) * words;
      for (std::size_t k = 0; k < words; ++k) scores[k] += input * factors[k];
    }
    const float best = *std::ranges::max_element(scores);
    double sum = 0;
    for (float& score : scores) {
      score = std::exp(score - best);
      sum += score;
    }
    for (std::size_t k = 0; k < words; ++k) {
      const double share = scores[k] / sum;
      if (share > kLeastPosterior) moments.add(static_cast<int>(k), share, z.row(y), z.width);
    }
  }
}

// The mixture that fits the moments best. Words that have lost all samples stay as they are.
void take_moments(const Moments& moments, std::span<const double> spread, WordCode& code) {
  const int words = code.means.height(), components = code.means.width();
  const double all = std::accumulate(moments.weight.begin(), moments.weight.end(), 0.0);
  for (int k = 0; k < words; ++k) {
    const double weight = moments.weight[static_cast<std::size_t>(k)];
    // One sample more per word keeps shares above 0.
    code.shares[static_cast<std::size_t>(k)] = static_cast<float>((weight + 1) / (all + words));
    if (!(weight > 1e-3)) continue;
    for (int j = 0; j < components; ++j) {
      const auto at = static_cast<std::size_t>(k) * static_cast<std::size_t>(components) +
                      static_cast<std::size_t>(j);
      const double mean = moments.first[at] / weight;
      const double variance = moments.second[at] / weight - mean * mean;
      code.means.at(j, k) = static_cast<float>(mean);
      code.variances.at(j, k) =
          static_cast<float>(std::max(variance, spread[static_cast<std::size_t>(j)]));
    }
  }
}

// The mean square deviation of samples from the means of their words, per number.
double pooled_variance(const Moments& moments) {
  const std::size_t components = moments.first.size() / moments.weight.size();
  double squares = 0, all = 0;
  for (std::size_t k = 0; k < moments.weight.size(); ++k) {
    all += moments.weight[k];
    for (std::size_t i = k * components; i < (k + 1) * components; ++i)
      if (moments.weight[k] > 0)
        squares += moments.second[i] - moments.first[i] * moments.first[i] / moments.weight[k];
  }
  return std::max(squares / (all * static_cast<double>(components)), 1e-6);
}

}  // namespace

std::vector<std::int64_t> code_samples(std::int64_t count, const DictionaryOptions& options) {
  if (options.coding == Coding::kHard) return {};
  std::vector<std::int64_t> chosen(
      static_cast<std::size_t>(std::min<std::int64_t>(count, kCodeSamples)));
  const auto size = static_cast<std::int64_t>(chosen.size());
  for (std::int64_t i = 0; i < size; ++i) chosen[static_cast<std::size_t>(i)] = i * count / size;
  return chosen;
}

void learn_code(ImageView<const float> samples, const DictionaryOptions& options,
                Dictionary& dictionary) {
  const std::vector<std::int64_t> chosen = code_samples(samples.height, options);
  if (chosen.empty()) return;
  Image<float> points(samples.width, static_cast<int>(chosen.size()));
  for (int y = 0; y < points.height(); ++y)
    std::copy_n(samples.row(static_cast<int>(chosen[static_cast<std::size_t>(y)])), samples.width,
                points.row(y));
  standardize(dictionary, points);
  learn_code_from(points, options, dictionary);
}

void learn_code_from(ImageView<const float> points, const DictionaryOptions& options,
                     Dictionary& dictionary) {
  Exec exec = options.exec;
  exec.progress = {};
  exec.device = Device::cpu();
  exec.stream = nullptr;
  WordCode& code = dictionary.code;
  code.coding = options.coding;
  const int components = std::min(options.components, points.width), words = dictionary.size();
  const Image<float> z = project(points, components, exec, code);

  const std::vector<std::int32_t> labels =
      NearestCenter(dictionary.words.view(), exec).find(points);
  Moments moments = sum_samples(z, words, exec, [&](int first, int last, Moments& sums) {
    for (int y = first; y < last; ++y)
      sums.add(labels[static_cast<std::size_t>(y)], 1, z.row(y), components);
  });
  std::vector<double> spread(static_cast<std::size_t>(components), 1e-4);
  for (int j = 0; j < components; ++j) {
    double squares = 0;  // the mean is 0
    for (int k = 0; k < words; ++k)
      squares += moments.second[static_cast<std::size_t>(k) * static_cast<std::size_t>(components) +
                                static_cast<std::size_t>(j)];
    double& least = spread[static_cast<std::size_t>(j)];
    least = std::max(least, kLeastVariance * squares / z.height());
  }
  code.means = Image<float>(components, words);
  code.variances = Image<float>(components, words);
  code.shares.assign(static_cast<std::size_t>(words), 1.0F / static_cast<float>(words));
  for (int k = 0; k < words; ++k) {  // where no sample belongs to a word
    for (int j = 0; j < components; ++j)
      code.means.at(j, k) = static_cast<float>(std::inner_product(
          dictionary.words.row(k), dictionary.words.row(k) + points.width, code.projection.row(j),
          double{code.shift[static_cast<std::size_t>(j)]}));
    std::fill_n(code.variances.row(k), components, 1.0F);
  }
  take_moments(moments, spread, code);
  if (options.coding == Coding::kFisher) {
    for (int step = 0; step < kEmSteps; ++step) {
      throw_if_stopped(options.exec);
      const CodePlan plan = code_plan(code, words);
      moments = sum_samples(z, words, exec, [&](int first, int last, Moments& sums) {
        add_posteriors(z, plan, first, last, sums);
      });
      take_moments(moments, spread, code);
    }
    return;
  }
  if (options.coding == Coding::kVlad) {
    code.variances = {};
    code.shares.clear();
    return;
  }
  const auto variance = static_cast<float>(pooled_variance(moments));
  for (int k = 0; k < words; ++k) std::fill_n(code.variances.row(k), components, variance);
  code.shares.assign(static_cast<std::size_t>(words), 1.0F / static_cast<float>(words));
}

}  // namespace fovea::scenes
