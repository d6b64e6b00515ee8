// Distances from some nodes on a GPU have the bits of the CPU.
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "ops/path_graphs.h"
#include "ops/shortest_paths/device_layout.h"
#include "ops/shortest_paths/same_bits.h"
#include "ops/shortest_paths/sphere_graph.h"
#include "support/devices.h"
#include "support/messages.h"

namespace fovea {
namespace {

using test::same_bits;
using test::scattered;
using testing::HasSubstr;

// Costs of very different sizes, whose sums are rounded to the same number now and then.
Graph rounded_graph(int nodes, int arcs) {
  Random random(11);
  std::vector<GraphArc> all(static_cast<std::size_t>(arcs));
  for (GraphArc& arc : all) {
    arc.a = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(nodes)));
    arc.b = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(nodes)));
    arc.cost = random.below(2) == 0 ? random.uniform(0, 1e-3F) : random.uniform(9e3F, 1e4F);
  }
  return {nodes, all};
}

std::vector<Graph> searched_graphs() {
  std::vector<Graph> all;
  all.emplace_back(1, std::vector<GraphArc>{});
  all.emplace_back(130, std::vector<GraphArc>{});
  all.push_back(test::grid(23, 17));        // many equal distances
  all.push_back(test::grid(12, 12, 0));     // nothing costs anything
  all.push_back(scattered(600, 590, 2));    // many pieces
  all.push_back(scattered(300, 20000, 4));  // dense
  all.push_back(rounded_graph(400, 1000));
  all.push_back(detail::sphere_graph(3));
  const Graph both = scattered(500, 1500, 5);
  std::vector<GraphArc> arcs;
  for (int a = 0; a < both.nodes(); ++a)
    for (std::size_t i = 0; i < both.degree(a); ++i)
      if (both.neighbors(a)[i] % 3 != 0)
        arcs.push_back({a, both.neighbors(a)[i], both.costs(a)[i]});
  all.push_back(directed_graph(both.nodes(), arcs));
  return all;
}

std::vector<std::int32_t> search_sources(const Graph& graph, int count) {
  std::vector<std::int32_t> sources;
  for (int i = 0; i < count; ++i) sources.push_back(i * 37 % graph.nodes());
  sources.push_back(sources.front());
  return sources;
}

std::span<const float> found_row(const Image<float>& rows, int i) {
  return {rows.row(i), static_cast<std::size_t>(rows.width())};
}

TEST(SearchParity, RowsHaveTheSameBits) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const Graph& graph : searched_graphs())
    for (const float cutoff : {kUnreachable, 3.F, 0.F}) {
      const std::vector<std::int32_t> sources = search_sources(graph, 6);
      PathOptions options{.cutoff = cutoff, .exec = {.device = Device::cpu()}};
      const Image<float> expected = distances_from(graph, sources, options);
      options.exec.device = Device::cuda();
      PathReport report;
      const Image<float> found = distances_from(graph, sources, options, &report);
      EXPECT_EQ(report.storage, PathStorage::kRows);
      for (int i = 0; i < expected.height(); ++i)
        EXPECT_TRUE(same_bits(found_row(found, i), found_row(expected, i)))
            << graph.nodes() << " nodes, source " << i << ", cutoff " << cutoff;
    }
}

TEST(SearchParity, ManySourcesComeInBatches) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Graph graph = scattered(200, 600, 7);
  const std::vector<std::int32_t> sources = search_sources(graph, 40);
  PathOptions options{.exec = {.device = Device::cpu()}};
  const Image<float> expected = distances_from(graph, sources, options);
  options.exec.device = Device::cuda();
  const std::uint64_t bytes =
      detail::search_bytes(detail::size_of(graph)) + 2 * detail::search_row_bytes(200);
  options.memory = bytes + 4 * detail::search_row_bytes(200);  // three at a time
  PathReport report;
  const Image<float> found = distances_from(graph, sources, options, &report);
  EXPECT_EQ(report.device_bytes, options.memory);
  for (int i = 0; i < expected.height(); ++i)
    EXPECT_TRUE(same_bits(found_row(found, i), found_row(expected, i))) << i;
  options.memory = bytes - 1;
  EXPECT_THAT(test::message_of<DeviceError>([&] { distances_from(graph, sources, options); }),
              HasSubstr("needs " + std::to_string(bytes) + " bytes on cuda:0"));
}

TEST(SearchParity, TheNearestSourceIsTheSame) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const Graph& graph : searched_graphs())
    for (const int count : {1, 5, 60})
      for (const float cutoff : {kUnreachable, 3.F}) {
        const std::vector<std::int32_t> sources = search_sources(graph, count);
        PathOptions options{.cutoff = cutoff, .exec = {.device = Device::cpu()}};
        const NearestSource expected = nearest_source(graph, sources, options);
        options.exec.device = Device::cuda();
        const NearestSource found = nearest_source(graph, sources, options);
        SCOPED_TRACE(testing::Message()
                     << graph.nodes() << " nodes, " << count << " sources, cutoff " << cutoff);
        EXPECT_TRUE(same_bits(found.distance, expected.distance));
        EXPECT_EQ(found.source, expected.source);
      }
}

TEST(SearchParity, WithoutSourcesNothingIsReached) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const PathOptions options{.exec = {.device = Device::cuda()}};
  const NearestSource found = nearest_source(test::grid(3, 3), {}, options);
  EXPECT_EQ(found.distance, std::vector<float>(9, kUnreachable));
  EXPECT_EQ(found.source, std::vector<std::int32_t>(9, -1));
  EXPECT_TRUE(nearest_source(Graph(0, {}), {}, options).distance.empty());
  EXPECT_TRUE(distances_from(test::grid(3, 3), {}, options).empty());
}

}  // namespace
}  // namespace fovea
