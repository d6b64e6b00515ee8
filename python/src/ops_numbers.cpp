// fovea.ops over graphs, samples and labels: shortest paths, minimum cuts, linear support vector
// machines, confusion.
#include <fovea/core/error.h>
#include <fovea/ops/assignment.h>
#include <fovea/ops/confusion.h>
#include <fovea/ops/kernel_svm.h>
#include <fovea/ops/linear_svm.h>
#include <fovea/ops/max_flow.h>
#include <fovea/ops/shortest_paths.h>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "arrays.h"
#include "graph_input.h"
#include "ops.h"
#include "records.h"
#include "renamed.h"
#include "systems.h"

namespace fovea::python {
namespace {

// Options of a search, and whether arcs lead one way.
template <class Options>
struct Search : Options {
  bool directed = false;
};
template <class Options>
void describe(OptionVisitor& visit, Search<Options>& options) {
  visit("directed", options.directed,
        "arcs lead from the first of their two nodes to the second, and not back");
  describe(visit, static_cast<Options&>(options));
}

Graph graph_of(const GraphInput& input, bool directed) {
  return directed ? directed_graph(input.nodes, input.arcs) : Graph(input.nodes, input.arcs);
}

float cutoff_of(nb::handle cutoff) {
  return cutoff.is_none()
             ? kUnreachable
             : number_argument<float>(cutoff, "cutoff", 0, std::numeric_limits<float>::max());
}

// What a search from every source costs.
Work search_work(const GraphInput& input, double sources) {
  return {sources * (30.0 * input.nodes + 10.0 * static_cast<double>(input.arcs.size()))};
}

nb::object all_distances_of(Search<PathOptions> options, nb::handle arcs, nb::handle costs,
                            nb::handle nodes, nb::handle cutoff, nb::handle progress) {
  options.cutoff = cutoff_of(cutoff);
  const GraphInput input = graph_input(arcs, costs, nodes);
  const auto count = static_cast<std::size_t>(input.nodes);
  auto square = std::make_unique_for_overwrite<float[]>(
      fovea::detail::byte_count(count, std::max<std::size_t>(count, 1)));
  run_operation(search_work(input, input.nodes), options, progress, [&](const auto& watched) {
    const auto row = [&](int node) {
      return square.get() + static_cast<std::size_t>(node) * count;
    };
    if (options.directed) {
      stream_distances(
          graph_of(input, true),
          [&](const DistanceRows& part) {
            for (int i = 0; i < part.rows.height; ++i)
              std::copy_n(part.rows.row(i), count, row(part.first + i));
          },
          watched);
    } else {
      const DistanceMatrix distances = all_distances(graph_of(input, false), watched);
      for (int node = 0; node < input.nodes; ++node) distances.row(node, {row(node), count});
    }
  });
  return detail::owned_array(std::move(square), {count, count});
}

nb::object distances_from_sources(const Search<ExecOnly>& options, nb::handle arcs,
                                  nb::handle costs, nb::handle sources, nb::handle nodes,
                                  nb::handle cutoff) {
  const PathOptions path{.cutoff = cutoff_of(cutoff), .exec = options.exec};
  const GraphInput input = graph_input(arcs, costs, nodes);
  const std::vector<std::int32_t> from = whole_numbers(sources, "sources");
  if (from.empty())
    return to_numpy(std::vector<float>{}, {0, static_cast<std::size_t>(input.nodes)});
  Image<float> rows =
      run_operation(search_work(input, static_cast<double>(from.size())), path, nb::none(),
                    [&](const PathOptions& watched) {
                      return distances_from(graph_of(input, options.directed), from, watched);
                    });
  return to_numpy(std::move(rows));
}

nb::tuple nearest_of_sources(const Search<ExecOnly>& options, nb::handle arcs, nb::handle costs,
                             nb::handle sources, nb::handle nodes, nb::handle cutoff) {
  const PathOptions path{.cutoff = cutoff_of(cutoff), .exec = options.exec};
  const GraphInput input = graph_input(arcs, costs, nodes);
  const std::vector<std::int32_t> from = whole_numbers(sources, "sources");
  const NearestSource nearest =
      run_operation(search_work(input, 1), path, nb::none(), [&](const PathOptions& watched) {
        return nearest_source(graph_of(input, options.directed), from, watched);
      });
  return nb::make_tuple(to_numpy(nearest.distance), to_numpy(nearest.source));
}

nb::tuple minimum_cut_of(const ExecOnly& options, nb::handle arcs, nb::handle capacities,
                         nb::handle to_source, nb::handle to_sink) {
  const Arcs given = arcs_of(arcs);
  const std::vector<double> limits = one_per_arc<double>(capacities, "capacities", given);
  const std::vector<double> source = real_numbers<double>(to_source, "to_source"),
                            sink = real_numbers<double>(to_sink, "to_sink");
  if (source.size() != sink.size() || source.size() > kAnyInt)
    throw InvalidArgument(
        fmt::format("to_source has {} elements and to_sink {}; expected one per node in both",
                    source.size(), sink.size()));
  std::vector<CutArc> edges(limits.size());
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = {given.ends[i].first, given.ends[i].second, limits[i]};
  const auto must = [](double cost) { return std::min(cost, kMustTie); };  // NaN stays NaN
  std::vector<CutTie> ties;
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source[i] != 0 || sink[i] != 0)
      ties.push_back({static_cast<std::int32_t>(i), must(source[i]), must(sink[i])});
  const Work work{100.0 * static_cast<double>(edges.size() + ties.size())};
  const MinimumCut cut = run_operation(work, options, nb::none(), [&](const ExecOnly& watched) {
    return minimum_cut(static_cast<int>(source.size()), edges, ties, watched.exec);
  });
  auto side = std::make_unique<bool[]>(cut.source_side.size());
  std::copy(cut.source_side.begin(), cut.source_side.end(), side.get());
  return nb::make_tuple(
      detail::owned_array(std::move(side), {source.size()}),
      cut.value >= kMustTie ? std::numeric_limits<double>::infinity() : cut.value);
}

nb::tuple assign_of(nb::handle costs) {
  const AnyArray array = dense_array<double>(costs, "costs", {2});
  if (array.shape(0) > kAnyInt || array.shape(1) > kAnyInt)
    throw InvalidArgument(
        fmt::format("costs is {}; expected fewer rows and columns", array_text(costs)));
  const int height = static_cast<int>(array.shape(0)), width = static_cast<int>(array.shape(1));
  const ImageView<const double> view{static_cast<const double*>(array.data()), width, height, 1,
                                     width};
  Calls calls;
  const Assignment result = calls.run(Work{10.0 * width * height * std::min(width, height)},
                                      nb::none(), [&] { return assign(view); });
  return nb::make_tuple(to_numpy(result.column_of), result.cost);
}

// The options under the names of scikit-learn.
struct SvmOptions : LinearSvmOptions {};
constexpr std::array<Renaming, 4> kSvmNames{
    {{"cost", "C"}, {"tolerance", "tol"}, {"max-passes", "max_iter"}, {"seed", "random_state"}}};
template <class Function>
void for_each_keyword(SvmOptions& options, Function function) {
  for_each_renamed(static_cast<LinearSvmOptions&>(options), kSvmNames, function);
}

struct KernelOptions : KernelSvmOptions {};
constexpr std::array<Renaming, 4> kKernelNames{
    {{"cost", "C"}, {"tolerance", "tol"}, {"max-steps", "max_iter"}, {"seed", "random_state"}}};
template <class Function>
void for_each_keyword(KernelOptions& options, Function function) {
  for_each_renamed(static_cast<KernelSvmOptions&>(options), kKernelNames, function);
}

// One weight per sample, or none at all.
std::vector<float> sample_weights(nb::handle given, int samples) {
  if (given.is_none()) return {};
  std::vector<float> weights = real_numbers<float>(given, "sample_weight");
  if (weights.size() != static_cast<std::size_t>(samples))
    throw InvalidArgument(
        fmt::format("sample_weight has {} elements for {} samples; expected one each",
                    weights.size(), samples));
  return weights;
}

// Trains a machine by train(samples, labels, weights, options). Labels are int8, 1 and -1.
template <class Options, class Train>
nb::dict fit(const Options& options, nb::handle samples, nb::handle labels,
             nb::handle sample_weight, double operations_per_number, Train train) {
  const PointsInput input = points_input(samples, "X");
  const AnyArray signs = dense_array<std::int8_t>(labels, "labels", {1});
  const std::vector<float> weights = sample_weights(sample_weight, input.view.height);
  const double numbers = 1.0 * input.view.width * input.view.height;
  const auto machine = run_operation(
      {operations_per_number * numbers}, options, nb::none(), [&](const Options& watched) {
        require_finite(input.view, "X");
        return train(input.view,
                     std::span(static_cast<const std::int8_t*>(signs.data()), signs.size()),
                     weights, watched);
      });
  return dict_of_record(record_ref(machine));
}

nb::dict fit_svm(nb::handle samples, nb::handle labels, nb::handle sample_weight,
                 const nb::dict& keywords) {
  SvmOptions options;
  set_keywords(options, keywords, "LinearSVM");
  return fit(options, samples, labels, sample_weight, 2.0 * options.max_passes, train_linear_svm);
}

nb::dict fit_kernel_svm(nb::handle samples, nb::handle labels, nb::handle sample_weight,
                        const nb::dict& keywords) {
  KernelOptions options;
  set_keywords(options, keywords, "KernelSVM");
  const auto rows = static_cast<double>(points_input(samples, "X").view.height);
  return fit(options, samples, labels, sample_weight, rows, train_kernel_svm);
}

// The scores of samples by a machine that fit_kernel_svm() has returned.
nb::object kernel_svm_values(const nb::dict& machine, nb::handle samples,
                             const nb::dict& keywords) {
  KernelOptions options;
  set_keywords(options, keywords, "KernelSVM");
  const PointsInput input = points_input(samples, "X"),
                    vectors = points_input(machine["vectors"], "vectors");
  const AnyArray coefficients = dense_array<float>(machine["coefficients"], "coefficients", {1});
  const auto* first = static_cast<const float*>(coefficients.data());
  KernelSvm svm;
  svm.kernel = options.kernel;
  svm.gamma = options.gamma;
  svm.vectors = clone(vectors.view);
  svm.coefficients.assign(first, first + coefficients.size());
  svm.bias = nb::cast<float>(machine["bias"]);
  std::vector<float> scores(static_cast<std::size_t>(input.view.height));
  const double products = 1.0 * input.view.height * vectors.view.height * input.view.width;
  run_operation({products}, options, nb::none(), [&](const KernelOptions& watched) {
    kernel_svm_scores(svm, input.view, scores, watched.exec);
    return 0;
  });
  return to_numpy(scores);
}

// Throws unless these are samples of so many finite numbers.
void check_samples(nb::handle samples, int features) {
  const PointsInput input = points_input(samples, "X");
  if (input.view.width != features)
    throw InvalidArgument(fmt::format("X has {} numbers per sample; expected {} as in fit()",
                                      input.view.width, features));
  require_finite(input.view, "X");
}

nb::object confusion_of(nb::handle truth, nb::handle predicted, nb::handle classes) {
  const std::vector<std::int32_t> labels = whole_numbers(truth, "y_true"),
                                  guesses = whole_numbers(predicted, "y_pred");
  // A matrix of more classes has more than four billion elements.
  constexpr int kMostClasses = 65536;
  int count = 0;
  if (classes.is_none()) {
    for (const auto* all : {&labels, &guesses})
      for (const std::int32_t label : *all)
        count = std::max(count, std::min(label, kMostClasses) + 1);
    if (count > kMostClasses)
      throw InvalidArgument(
          fmt::format("labels are 0 to {} at most; renumber them", kMostClasses - 1));
  } else {
    count = number_argument<int>(classes, "classes", 0, kMostClasses);
  }
  const auto side = static_cast<std::size_t>(count);
  return to_numpy(count_confusion(labels, guesses, count).counts, {side, side});
}

Confusion confusion_input(nb::handle matrix) {
  const AnyArray array = dense_array<std::int64_t>(matrix, "confusion", {2});
  if (array.shape(0) != array.shape(1) || array.shape(0) > kAnyInt)
    throw InvalidArgument(
        fmt::format("confusion is {}; expected a square matrix", array_text(matrix)));
  Confusion confusion;
  confusion.classes = static_cast<int>(array.shape(0));
  const auto* counts = static_cast<const std::int64_t*>(array.data());
  confusion.counts.assign(counts, counts + array.size());
  if (std::any_of(confusion.counts.begin(), confusion.counts.end(), [](auto n) { return n < 0; }))
    throw InvalidArgument("confusion has counts below 0; expected counts of samples");
  return confusion;
}

nb::tuple wilson(nb::handle right, nb::handle all) {
  constexpr double kMost = 1e15;
  const Interval interval = wilson_interval(
      static_cast<std::int64_t>(number_argument<std::uint64_t>(right, "right", 0, kMost)),
      static_cast<std::int64_t>(number_argument<std::uint64_t>(all, "all", 0, kMost)));
  return nb::make_tuple(interval.low, interval.high);
}

}  // namespace

void bind_number_operations(nb::module_& m) {
  define_operation(m, "all_distances", &all_distances_of);
  define_operation(m, "distances_from", &distances_from_sources);
  define_operation(m, "nearest_source", &nearest_of_sources);
  define_operation(m, "minimum_cut", &minimum_cut_of);
  m.def("assign", &assign_of);
  m.def("fit_svm", &fit_svm);
  m.def("fit_svm_options", &option_table<SvmOptions>);
  m.def("fit_kernel_svm", &fit_kernel_svm);
  m.def("fit_kernel_svm_options", &option_table<KernelOptions>);
  m.def("kernel_svm_values", &kernel_svm_values);
  m.def("check_samples", &check_samples);
  m.def("confusion_matrix", &confusion_of);
  m.def("accuracy", [](nb::handle matrix) { return confusion_input(matrix).accuracy(); });
  m.def("recall", [](nb::handle matrix) { return to_numpy(confusion_input(matrix).recall()); });
  m.def("wilson_interval", &wilson);
}

}  // namespace fovea::python
