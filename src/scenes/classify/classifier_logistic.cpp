// Multinomial logistic regression on mapped histograms: minimizes
//   |weights|^2 / 2 + C * (sum over samples of -log(probability of their class)),
// where the bias is free, by L-BFGS (Nocedal 1980) with a line search that satisfies the weak
// conditions of Wolfe. Sums are taken in double precision and in an order that depends on nothing
// but the data.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"

namespace fovea::scenes {
namespace {

constexpr struct {
  int history = 10;  // pairs of steps from which the curvature is estimated
  int most_steps = 2000;
  int most_tries = 40;  // of a line search
  double flat = 1e-6;   // ends where the gradient is this share of the first one
  double armijo = 1e-4, wolfe = 0.9;
  int rows = 16, columns = 32;  // per piece of work
} kLogistic;

using Numbers = std::vector<double>;

double product_of(const Numbers& a, const Numbers& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
double largest_of(const Numbers& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

// Turns values into probabilities and returns log(sum of exp(value)).
double softmax(std::span<double> values) {
  const double most = *std::ranges::max_element(values);
  double sum = 0;
  for (double& value : values) sum += value = std::exp(value - most);
  for (double& value : values) value /= sum;
  return most + std::log(sum);
}

// What is minimized, divided by C and the number of samples. Its parameters are one row of weights
// per number of a sample, one weight per class, and at last the biases. Biases count from the mean
// of the samples, which changes nothing but the number of steps.
class LogisticLoss {
 public:
  LogisticLoss(const LabeledRows& data, double cost, const Exec& exec)
      : data_(data),
        exec_(exec),
        classes_(static_cast<std::size_t>(data.classes)),
        width_(static_cast<std::size_t>(data.rows.width)),
        ridge_(1 / (cost * data.rows.height)),
        mean_(width_, 0.0),
        residuals_(classes_ * data.labels.size()),
        losses_(data.labels.size()) {
    exec_.progress = {};
    for (int y = 0; y < data.rows.height; ++y)
      for (std::size_t x = 0; x < width_; ++x) mean_[x] += data.rows.row(y)[x];
    for (double& mean : mean_) mean /= data.rows.height;
  }

  std::size_t size() const { return (width_ + 1) * classes_; }
  // Returns the loss and writes its gradient.
  double operator()(const Numbers& at, Numbers& gradient);
  // The biases for samples as they are.
  Numbers shifts(const Numbers& at) const;

 private:
  void find_residuals(const Numbers& at);

  const LabeledRows& data_;
  Exec exec_;
  std::size_t classes_, width_;
  double ridge_;
  Numbers mean_;
  Numbers residuals_;  // probability minus truth, one row per sample
  Numbers losses_;
};

Numbers LogisticLoss::shifts(const Numbers& at) const {
  Numbers result(at.end() - static_cast<std::ptrdiff_t>(classes_), at.end());
  for (std::size_t x = 0; x < width_; ++x)
    for (std::size_t c = 0; c < classes_; ++c) result[c] -= mean_[x] * at[x * classes_ + c];
  return result;
}

void LogisticLoss::find_residuals(const Numbers& at) {
  const Numbers shift = shifts(at);
  parallel_for(exec_, data_.rows.height, kLogistic.rows, [&](std::int64_t begin, std::int64_t end) {
    for (auto y = static_cast<std::size_t>(begin); y < static_cast<std::size_t>(end); ++y) {
      double* values = residuals_.data() + y * classes_;
      std::ranges::copy(shift, values);
      const float* row = data_.rows.row(static_cast<int>(y));
      for (std::size_t x = 0; x < width_; ++x) {
        const double number = row[x];
        const double* weights = at.data() + x * classes_;
        for (std::size_t c = 0; c < classes_; ++c) values[c] += number * weights[c];
      }
      const auto label = static_cast<std::size_t>(data_.labels[y]);
      const double value = values[label];
      losses_[y] = softmax({values, classes_}) - value;
      values[label] -= 1;
    }
  });
}

double LogisticLoss::operator()(const Numbers& at, Numbers& gradient) {
  find_residuals(at);
  const auto samples = static_cast<double>(data_.rows.height);
  Numbers sums(classes_, 0.0);
  for (std::size_t i = 0; i < residuals_.size(); ++i) sums[i % classes_] += residuals_[i];
  const auto width = static_cast<std::int64_t>(width_);
  parallel_for(exec_, width, kLogistic.columns, [&](std::int64_t begin, std::int64_t end) {
    const auto first = static_cast<std::size_t>(begin), last = static_cast<std::size_t>(end);
    Numbers mine((last - first) * classes_, 0.0);
    for (int y = 0; y < data_.rows.height; ++y) {
      const float* row = data_.rows.row(y);
      const double* residual = residuals_.data() + static_cast<std::size_t>(y) * classes_;
      for (std::size_t x = first; x < last; ++x) {
        const double number = row[x];
        double* to = mine.data() + (x - first) * classes_;
        for (std::size_t c = 0; c < classes_; ++c) to[c] += number * residual[c];
      }
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::size_t x = first + i / classes_, c = i % classes_, to = first * classes_ + i;
      gradient[to] = (mine[i] - mean_[x] * sums[c]) / samples + ridge_ * at[to];
    }
  });
  for (std::size_t c = 0; c < classes_; ++c) gradient[width_ * classes_ + c] = sums[c] / samples;
  const auto weights_end = at.begin() + static_cast<std::ptrdiff_t>(width_ * classes_);
  const double squares = std::inner_product(at.begin(), weights_end, at.begin(), 0.0);
  return std::accumulate(losses_.begin(), losses_.end(), 0.0) / samples + ridge_ * squares / 2;
}

// A step and the change of the gradient along it.
struct Pair {
  Numbers step, change;
  double scale;  // 1 / (step * change)
};

// The direction of Newton's method with the curvature that the pairs show.
Numbers direction_of(const std::deque<Pair>& pairs, const Numbers& gradient) {
  Numbers result = gradient;
  std::vector<double> factors(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    factors[i] = pairs[i].scale * product_of(pairs[i].step, result);
    for (std::size_t k = 0; k < result.size(); ++k) result[k] -= factors[i] * pairs[i].change[k];
  }
  const double first =
      pairs.empty()
          ? 1 / std::max(1.0, std::sqrt(product_of(gradient, gradient)))
          : 1 / (pairs.back().scale * product_of(pairs.back().change, pairs.back().change));
  for (double& value : result) value *= first;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double factor = factors[i] - pairs[i].scale * product_of(pairs[i].change, result);
    for (std::size_t k = 0; k < result.size(); ++k) result[k] += factor * pairs[i].step[k];
  }
  for (double& value : result) value = -value;
  return result;
}

struct Point {
  Numbers at, gradient;
  double loss = 0;
};

// Finds a step along the direction that lowers the loss and the slope enough, by doubling and
// bisecting. Returns false where rounding leaves nothing to gain.
bool search_line(LogisticLoss& loss, const Point& from, const Numbers& direction, Point& to) {
  const double slope = product_of(from.gradient, direction);
  if (!(slope < 0)) return false;
  double least = 0, most = std::numeric_limits<double>::infinity(), size = 1;
  for (int i = 0; i < kLogistic.most_tries; ++i) {
    for (std::size_t k = 0; k < to.at.size(); ++k) to.at[k] = from.at[k] + size * direction[k];
    to.loss = loss(to.at, to.gradient);
    if (!(to.loss <= from.loss + kLogistic.armijo * size * slope)) most = size;
    else if (product_of(to.gradient, direction) < kLogistic.wolfe * slope) least = size;
    else return true;
    size = std::isfinite(most) ? (least + most) / 2 : 2 * least;
  }
  return to.loss < from.loss;
}

Numbers minimize(LogisticLoss& loss, const Exec& exec) {
  Point now{Numbers(loss.size(), 0.0), Numbers(loss.size())};
  now.loss = loss(now.at, now.gradient);
  const double enough = kLogistic.flat * largest_of(now.gradient);
  Point next = now;
  std::deque<Pair> pairs;
  for (int step = 0; step < kLogistic.most_steps && largest_of(now.gradient) > enough; ++step) {
    throw_if_stopped(exec);
    if (!search_line(loss, now, direction_of(pairs, now.gradient), next)) break;
    Pair pair{next.at, next.gradient, 0};
    for (std::size_t k = 0; k < loss.size(); ++k) {
      pair.step[k] -= now.at[k];
      pair.change[k] -= now.gradient[k];
    }
    const double curvature = product_of(pair.step, pair.change);
    std::swap(now, next);
    if (!(curvature > 0)) continue;
    pair.scale = 1 / curvature;
    pairs.push_back(std::move(pair));
    if (pairs.size() > static_cast<std::size_t>(kLogistic.history)) pairs.pop_front();
  }
  return now.at;
}

}  // namespace

LogisticClasses train_logistic(const LabeledRows& data, const TrainClassifierOptions& options,
                               const Exec& exec) {
  const MappedSamples samples(options.kernel, data.rows, exec);
  const LabeledRows rows{samples.rows(), data.labels, data.classes};
  LogisticLoss loss(rows, options.cost, exec);
  const Numbers found = minimize(loss, exec);
  const Numbers bias = loss.shifts(found);
  LogisticClasses result{
      options.kernel, Image<float>(samples.width(), data.classes), {bias.begin(), bias.end()}};
  std::vector<float> weights(static_cast<std::size_t>(rows.rows.width));
  for (int c = 0; c < data.classes; ++c) {
    for (std::size_t x = 0; x < weights.size(); ++x)
      weights[x] = static_cast<float>(
          found[x * static_cast<std::size_t>(data.classes) + static_cast<std::size_t>(c)]);
    std::ranges::copy(samples.weights(weights), result.weights.row(c));
  }
  return result;
}

void logistic_scores(const LogisticClasses& logistic, ImageView<const double> values,
                     ImageView<float> scores) {
  std::vector<double> row(logistic.bias.size());
  for (int y = 0; y < scores.height; ++y) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = values.row(y)[c] + logistic.bias[c];
    softmax(row);
    std::ranges::transform(row, scores.row(y),
                           [](double share) { return static_cast<float>(share); });
  }
}

}  // namespace fovea::scenes
