#include "cli/program/spelling.h"

#include <fmt/format.h>

#include <algorithm>

namespace fovea::cli {

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the table suffice: a swap looks two rows back.
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int changed = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestTypo = 64;  // no option is longer; the table is quadratic
  if (word.empty() || word.size() > kLongestTypo) return {};
  std::string nearest;
  int least = std::max(1, static_cast<int>(word.size() + 1) / 3);  // one edit per three letters
  for (const std::string& candidate : known) {
    const bool begun = word.size() >= 3 && candidate.rfind(word, 0) == 0;
    const int distance = begun ? 0 : edit_distance(word, candidate);
    const bool all_changed = distance >= static_cast<int>(std::max(word.size(), candidate.size()));
    if (all_changed || distance > least || (distance == least && !nearest.empty())) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? std::string(otherwise) : fmt::format("; did you mean {}?", nearest);
}

}  // namespace fovea::cli
