// Merges the answers of parts: sums are added, and lists are joined in the order of the parts.
#include <fovea/cluster/hash.h>
#include <fovea/core/error.h>
#include <fovea/scenes/parts.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "scenes/parts/ranges.h"

namespace fovea::scenes {
namespace {

std::uint64_t joint_hash(std::span<const RoundAnswer> parts) {
  cluster::Hasher hasher;
  for (const RoundAnswer& part : parts)
    hasher.add({reinterpret_cast<const char*>(&part.samples), sizeof part.samples});
  return hasher.result();
}

void add_wholes(std::span<const RoundAnswer> parts, std::vector<std::int64_t>& sums) {
  sums.assign(parts.front().wholes.size(), 0);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (parts[p].wholes.size() != sums.size())
      throw InvalidArgument(fmt::format("part {} answers with {} sums, but part 0 with {}", p,
                                        parts[p].wholes.size(), sums.size()));
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += parts[p].wholes[i];
  }
}

Image<float> joined_rows(std::span<const RoundAnswer> parts) {
  int width = 0, height = 0;
  for (const RoundAnswer& part : parts) {
    if (part.rows.empty()) continue;
    if (width != 0 && part.rows.width() != width)
      throw InvalidArgument(
          fmt::format("parts have samples of {} and of {} numbers", width, part.rows.width()));
    width = part.rows.width();
    height += part.rows.height();
  }
  Image<float> rows(width, height);
  int next = 0;
  for (const RoundAnswer& part : parts)
    for (int y = 0; y < part.rows.height(); ++y)
      std::copy_n(part.rows.row(y), width, rows.row(next++));
  return rows;
}

Image<float> joint_ranges(std::span<const RoundAnswer> parts) {
  NumberRanges joint;
  for (const RoundAnswer& part : parts)
    joint.add(ranges_in(part.rows, part.wholes.size() == 1 ? part.wholes[0] : -1));
  return range_rows(joint);
}

}  // namespace

RoundAnswer merge_answers(const RoundRequest& request, std::vector<RoundAnswer>&& parts) {
  if (parts.empty()) throw InvalidArgument("merge_answers: there is no part");
  for (std::size_t p = 1; p < parts.size(); ++p)
    if (parts[p].job != parts[0].job)
      throw InvalidArgument(
          fmt::format("parts 0 and {} are samples of different jobs; give the shards of one", p));
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (!is_asked(request, {static_cast<int>(p), parts[p].job}, parts[p].samples))
      throw InvalidArgument(
          fmt::format("part {} answers from other samples than those that are learned from", p));
  RoundAnswer merged{.job = parts[0].job, .samples = joint_hash(parts)};
  const bool sums = request.kind == RoundKind::kSums || request.kind == RoundKind::kSquares ||
                    request.kind == RoundKind::kAssign;
  if (sums) {
    add_wholes(parts, merged.wholes);
    return merged;
  }
  for (const RoundAnswer& part : parts)
    merged.wholes.insert(merged.wholes.end(), part.wholes.begin(), part.wholes.end());
  merged.rows = request.kind == RoundKind::kRanges ? joint_ranges(parts) : joined_rows(parts);
  return merged;
}

}  // namespace fovea::scenes
