#include "ops/max_flow/flow_arrays.h"

#include <gmock/gmock.h>

namespace fovea::detail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

CutNetwork network_of(std::size_t nodes, std::vector<CutEdge> edges) {
  CutNetwork network;
  network.edges = std::move(edges);
  network.from_source.assign(nodes, 0);
  network.to_sink.assign(nodes, 0);
  return network;
}

TEST(FlowArrays, NetworksStandOneBehindTheOther) {
  std::vector<CutNetwork> networks{network_of(2, {{0, 1, 5}}), network_of(1, {}),
                                   network_of(3, {{2, 0, 7}, {0, 1, 8}})};
  networks[0].from_source[1] = 3;
  networks[2].to_sink[0] = 4;
  const std::vector<std::size_t> which{0, 2};
  const FlowArrays arrays = make_flow_arrays(networks, which);
  EXPECT_EQ(arrays.networks(), 2U);
  EXPECT_THAT(arrays.nodes, ElementsAre(0, 2, 5));
  EXPECT_THAT(arrays.first, ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_THAT(arrays.to, ElementsAre(1, 0, 4, 3, 2, 2));
  EXPECT_THAT(arrays.reverse, ElementsAre(1, 0, 5, 4, 3, 2));
  EXPECT_THAT(arrays.residual, ElementsAre(5, 5, 7, 8, 8, 7));
  EXPECT_THAT(arrays.excess, ElementsAre(0, 0, 4, 0, 0)) << "flow enters where the sink is";
  EXPECT_THAT(arrays.room, ElementsAre(0, 3, 0, 0, 0)) << "and leaves to the source";
}

TEST(FlowArrays, LargeNetworksAreSolvedAlone) {
  std::vector<CutNetwork> networks;
  networks.push_back(network_of(10, {}));
  networks.push_back(network_of(1U << 16U, {}));
  networks.push_back(network_of(0, {}));
  networks.push_back(network_of(1U << 15U, {}));
  networks.push_back(network_of(1U << 13U, {}));
  const FlowBatch first{{1}, true}, second{{3}, true}, rest{{0, 4}, false};
  EXPECT_THAT(flow_batches(networks), ElementsAre(first, second, rest));
  EXPECT_THAT(flow_batches({}), IsEmpty());
}

TEST(FlowArrays, ManyNetworksOfAMiddleSizeAreSolvedTogether) {
  std::vector<CutNetwork> networks(3, network_of(1U << 15U, {}));
  EXPECT_THAT(flow_batches(networks), SizeIs(3));
  networks.push_back(networks[0]);
  const FlowBatch all{{0, 1, 2, 3}, false};
  EXPECT_THAT(flow_batches(networks), ElementsAre(all));
}

}  // namespace
}  // namespace fovea::detail
