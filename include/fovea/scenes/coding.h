#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <span>
#include <vector>

namespace fovea::scenes {

// How the places of an image become features. Hard counts the word that each place is nearest to.
// Soft shares a place among the words that are near (van Gemert et al., TPAMI 2010). Vlad sums up
// how places differ from their words (Jegou et al., CVPR 2010), and fisher how they would change a
// mixture of Gaussians, one per word (Perronnin, Sanchez and Mensink, ECCV 2010).
enum class Coding : unsigned char { kHard, kSoft, kVlad, kFisher };
FOVEA_API std::span<const Choice> choices(Coding);

inline constexpr int kMostCodedWords = 1024;  // of soft, vlad and fisher
inline constexpr int kMostComponents = 128;   // that a descriptor is projected to

// What soft, vlad and fisher know beside the words. A standardized descriptor x is projected to
// z = projection x + shift, a few numbers along the directions in which descriptors vary most.
// Their mean is 0. With fisher the deviation of each is 1; otherwise that of the first is.
struct WordCode {
  Coding coding = Coding::kHard;
  Image<float> projection{};    // one row per number of z; everything is empty with hard
  std::vector<float> shift{};   // one per number of z
  Image<float> means{};         // one row per word: the mean of its z
  Image<float> variances{};     // soft, fisher: one row per word; with soft all are equal
  std::vector<float> shares{};  // soft, fisher: the share of the places that each word has

  int components() const { return means.width(); }
  // How many numbers a cell of the pyramid has with so many words.
  FOVEA_API int length(int words) const;
};
FOVEA_API WordCode clone(const WordCode& code);

}  // namespace fovea::scenes
