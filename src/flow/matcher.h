// The interface between the face and its methods: one Matcher per method and device, which keeps
// its memory.
#pragma once
#include <fovea/flow/flow.h>

#include <array>
#include <memory>

namespace fovea::flow {

namespace lk {
struct Plan;
}
namespace bm {
struct Settings;
}
struct Witness;  // witness.h

// A field that someone else owns; its planes have the same size and lie in the matcher's kind of
// memory.
struct FlowView {
  ImageView<float> u, v, confidence;
};

// What is computed from one image alone: its pyramid and what is derived from it.
class PreparedFrame {
 public:
  PreparedFrame() = default;
  PreparedFrame(const PreparedFrame&) = delete;
  PreparedFrame& operator=(const PreparedFrame&) = delete;
  virtual ~PreparedFrame() = default;
};

struct MatchRequest {
  const PreparedFrame& first;
  const PreparedFrame& second;
  // Tiles of a large image start from this field of level `start_level` (1 is half the size), in
  // pixels of that level, and only finer levels are estimated. If it is empty, all levels are
  // estimated.
  FlowView start{};
  int start_level = 0;
  // Estimation stops at this level; `out` has its size and its unit.
  int last_level = 0;
  Witness* witness = nullptr;  // gets what was seen at one pixel; on the CPU, and of level 0 alone
};

class Matcher {
 public:
  Matcher() = default;
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;
  virtual ~Matcher() = default;

  // Prepares a gray image, 0 to 255, with its mask (empty: every pixel counts), in the matcher's
  // kind of memory. `reuse` may be a frame that is no longer needed.
  virtual std::unique_ptr<PreparedFrame> prepare(ImageView<const float> gray,
                                                 ImageView<const std::uint8_t> mask,
                                                 std::unique_ptr<PreparedFrame> reuse,
                                                 const Exec& exec) = 0;
  // Prepares the three channels of an image in the same way, where colors are compared.
  virtual std::unique_ptr<PreparedFrame> prepare_color(
      const std::array<ImageView<const float>, 3>& channels, ImageView<const std::uint8_t> mask,
      std::unique_ptr<PreparedFrame> reuse, const Exec& exec);
  virtual void match(const MatchRequest& request, FlowView out, const Exec& exec) = 0;

  // Images that are prepared from now on are this level of a larger image (1: half its size), whose
  // finer levels follow in tiles. A method that treats levels differently counts from there.
  virtual void set_base_level(int) {}
  // Returns the size in pixels of the groups that a level is processed in: tiles begin at its
  // multiples, so that they are divided in the same way as the whole image.
  virtual int grid() const { return 1; }
  // Returns the greatest number of levels of an image; 0: as many as it has.
  virtual int most_levels() const = 0;
  // Returns how many pixels of a level a pixel can depend on, beyond where its flow points. A tile
  // needs such surroundings to give the same result as the whole image.
  virtual int reach(int level) const = 0;
  // Returns the working memory per pixel of the finest level, including two prepared frames, their
  // images and a field.
  virtual std::uint64_t bytes_per_pixel() const = 0;
};

namespace cpu {
// Sets flow and confidence to 0 where the mask, in the field's kind of memory, is 0.
void leave_out(ImageView<const std::uint8_t> mask, const FlowView& field, const Exec& exec);
std::unique_ptr<Matcher> make_lucas_kanade(const lk::Plan& plan);
std::unique_ptr<Matcher> make_block_matching(const bm::Settings& settings);
}  // namespace cpu
namespace cuda {
void leave_out(ImageView<const std::uint8_t> mask, const FlowView& field, const Exec& exec);
std::unique_ptr<Matcher> make_lucas_kanade(const lk::Plan& plan);
std::unique_ptr<Matcher> make_block_matching(const bm::Settings& settings);
}  // namespace cuda

}  // namespace fovea::flow
