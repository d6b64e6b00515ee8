// Graphs as Python gives them: a matrix with the two nodes of an arc per row, and numbers per arc.
#pragma once
#include <fovea/core/error.h>
#include <fovea/ops/shortest_paths.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "arrays.h"
#include "options.h"

namespace fovea::python {

// Pairs of nodes with a number each.
struct Arcs {
  std::vector<std::pair<std::int32_t, std::int32_t>> ends;
  std::int32_t greatest = -1;  // the greatest node among them
};
inline Arcs arcs_of(nb::handle value) {
  const AnyArray array =
      dense_array_of(value, "arcs", {nb::dtype<std::int64_t>(), nb::dtype<std::int32_t>()}, {2});
  if (array.shape(1) != 2)
    throw InvalidArgument(
        fmt::format("arcs is {}; expected one row of 2 nodes per arc", array_text(value)));
  Arcs arcs;
  arcs.ends.resize(array.shape(0));
  const auto take = [&](const auto* nodes) {
    for (std::size_t i = 0; i < arcs.ends.size(); ++i, nodes += 2) {
      for (const auto node : {nodes[0], nodes[1]})
        if (node < 0 || node >= std::numeric_limits<std::int32_t>::max())
          throw InvalidArgument(
              fmt::format("arc {} has node {}; expected nodes from 0 on", i, std::int64_t{node}));
      arcs.ends[i] = {static_cast<std::int32_t>(nodes[0]), static_cast<std::int32_t>(nodes[1])};
      arcs.greatest = std::max({arcs.greatest, arcs.ends[i].first, arcs.ends[i].second});
    }
  };
  if (array.dtype() == nb::dtype<std::int32_t>())
    take(static_cast<const std::int32_t*>(array.data()));
  else take(static_cast<const std::int64_t*>(array.data()));
  return arcs;
}

template <class T>
std::vector<T> one_per_arc(nb::handle value, const char* name, const Arcs& arcs) {
  std::vector<T> numbers = real_numbers<T>(value, name);
  if (numbers.size() != arcs.ends.size())
    throw InvalidArgument(fmt::format("{} has {} elements for {} arcs; expected one each", name,
                                      numbers.size(), arcs.ends.size()));
  return numbers;
}

struct GraphInput {
  int nodes = 0;
  std::vector<GraphArc> arcs;
};
inline GraphInput graph_input(nb::handle arcs, nb::handle costs, nb::handle nodes) {
  const Arcs given = arcs_of(arcs);
  const std::vector<float> prices = one_per_arc<float>(costs, "costs", given);
  GraphInput input;
  input.nodes = nodes.is_none() ? given.greatest + 1
                                : number_argument<int>(nodes, "nodes", 0,
                                                       std::numeric_limits<std::int32_t>::max());
  input.arcs.reserve(prices.size());
  for (std::size_t i = 0; i < prices.size(); ++i)
    input.arcs.push_back({given.ends[i].first, given.ends[i].second, prices[i]});
  return input;
}

}  // namespace fovea::python
