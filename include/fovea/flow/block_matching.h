#pragma once
#include <fovea/options.h>

#include <span>

namespace fovea::flow {

// How alike two blocks are: sum of absolute or squared differences, normalised cross correlation.
enum class BlockCost : unsigned char { kSad, kSsd, kNcc };
FOVEA_API std::span<const Choice> choices(BlockCost);

struct BlockMatchingOptions {
  BlockCost cost = BlockCost::kNcc;
};
FOVEA_API void describe(OptionVisitor& visit, BlockMatchingOptions& options);

}  // namespace fovea::flow
