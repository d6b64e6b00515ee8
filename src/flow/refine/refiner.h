// Between the matcher that refines and its twins: what is done with the fields of both methods on
// one level.
#pragma once
#include "flow/matcher.h"
#include "flow/refine/refine_plan.h"

namespace fovea::flow {

struct RefineStep {
  const PreparedFrame& first;
  const PreparedFrame& second;
  int level;
  FlowView field;  // refined in place; a confidence is lowered where its vector moved
  FlowView other;  // flow of the other method, or empty
  // Whether pixels that the mask leaves out take the other flow. Blocks have none there, and what
  // windows have is smooth.
  bool other_beyond_mask = false;
};

class Refiner {
 public:
  Refiner() = default;
  Refiner(const Refiner&) = delete;
  Refiner& operator=(const Refiner&) = delete;
  virtual ~Refiner() = default;

  // Prepares `levels` levels of a gray image, 0 to 255, with its mask (empty: every pixel counts).
  struct Source {
    ImageView<const float> gray;
    ImageView<const std::uint8_t> mask;
    int levels;
  };
  virtual std::unique_ptr<PreparedFrame> prepare(const Source& source,
                                                 std::unique_ptr<PreparedFrame> reuse,
                                                 const Exec& exec) = 0;
  // Returns the mean of three channels, which is valid until the next call.
  virtual ImageView<const float> mean(const std::array<ImageView<const float>, 3>& channels,
                                      const Exec& exec) = 0;
  virtual void refine(const RefineStep& step, const Exec& exec) = 0;
  // Images that are prepared from now on are this level of a larger image.
  virtual void set_base_level(int level) = 0;
};

// The method that the options name, the other one, and what refines their fields.
struct RefinedParts {
  std::unique_ptr<Matcher> primary;
  std::unique_ptr<Matcher> other;  // null if only one method is used
  std::unique_ptr<Refiner> refiner;
  bool primary_is_bm = false;
  bool primary_has_colors = true;  // whether it compares colors where there are some
  bool other_has_colors = true;
  Memory memory = Memory::kHost;
  int least_side = 24;                // levels whose shorter side has fewer pixels are not refined
  std::uint64_t bytes_per_pixel = 0;  // of the refinement
};
// A method whose field is fused with that of the other and refined on every level.
std::unique_ptr<Matcher> make_refined(RefinedParts parts);

namespace cpu {
std::unique_ptr<Refiner> make_refiner(const refine::Plan& plan);
}
namespace cuda {
std::unique_ptr<Refiner> make_refiner(const refine::Plan& plan);
}

}  // namespace fovea::flow
