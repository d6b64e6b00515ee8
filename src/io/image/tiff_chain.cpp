#include "io/image/tiff_chain.h"

#include <algorithm>
#include <array>
#include <span>
#include <vector>

namespace fovea::io {
namespace {

constexpr int kMostPages = 1 << 16;
constexpr std::uint64_t kMostEntries = 4096;  // of a directory

// A file's numbers, which are in either order of bytes, and 32 or 64 bits wide (BigTIFF).
class Numbers {
 public:
  explicit Numbers(const Source& source) : source_(source) {
    std::array<std::byte, 4> head{};
    source.read_at(0, head);
    swapped_ = head[0] == std::byte{'M'};
    wide_ = number(2, 2) == 43;
  }

  bool wide() const { return wide_; }
  // 0 beyond the end.
  std::uint64_t number(std::uint64_t at, std::size_t bytes) const {
    std::array<std::byte, 8> raw{};
    if (source_.read_at(at, std::span(raw).first(bytes)) < bytes) return 0;
    if (swapped_) std::reverse(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(bytes));
    std::uint64_t value = 0;
    for (std::size_t i = bytes; i-- > 0;) value = value << 8U | std::to_integer<unsigned>(raw[i]);
    return value;
  }
  std::uint64_t place(std::uint64_t at) const { return number(at, wide_ ? 8 : 4); }

 private:
  const Source& source_;
  bool swapped_ = false, wide_ = false;
};

struct Directory {
  std::uint64_t begin = 0;  // of its entries
  std::uint64_t entries = 0;
  std::uint64_t end = 0;   // where the place of the next one stands
  std::uint64_t next = 0;  // 0: it is the last
};

Directory directory_at(const Numbers& numbers, std::uint64_t at) {
  const std::uint64_t head = numbers.wide() ? 8 : 2, entry = numbers.wide() ? 20 : 12;
  Directory directory{.begin = at + head, .entries = numbers.number(at, head)};
  directory.end = directory.begin + entry * std::min(directory.entries, kMostEntries);
  directory.next = numbers.place(directory.end);
  return directory;
}

// The last element of a directory's tag; 0 where it has none.
std::uint64_t last_of(const Numbers& numbers, const Directory& directory,
                      std::initializer_list<std::uint64_t> tags) {
  const std::uint64_t entry = numbers.wide() ? 20 : 12, wide = numbers.wide() ? 8 : 4;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const std::uint64_t at = directory.begin + i * entry;
    if (std::ranges::find(tags, numbers.number(at, 2)) == tags.end()) continue;
    const std::uint64_t type = numbers.number(at + 2, 2), count = numbers.place(at + 4);
    const std::uint64_t bytes = type == 3 ? 2 : type == 4 ? 4 : type == 16 ? 8 : 0;
    if (bytes == 0 || count == 0 || count > (std::uint64_t{1} << 40U)) return 0;
    const std::uint64_t value = at + 4 + wide;
    const std::uint64_t first = count * bytes <= wide ? value : numbers.place(value);
    return numbers.number(first + (count - 1) * bytes, static_cast<std::size_t>(bytes));
  }
  return 0;
}

}  // namespace

std::optional<std::uint64_t> missing_tiff_page(const Source& source) {
  const Numbers numbers(source);
  std::uint64_t at = numbers.place(numbers.wide() ? 8 : 4);
  Directory last;
  for (int page = 0; at != 0; ++page) {
    if (at >= source.size()) return page > 0 ? std::optional(at) : std::nullopt;
    last = directory_at(numbers, at);
    if (page == kMostPages || last.entries == 0 || last.entries > kMostEntries) return {};
    if (last.end + (numbers.wide() ? 8 : 4) > source.size())
      return page > 0 ? std::optional(last.end) : std::nullopt;
    if (page == 0 && last.next == 0) return {};  // one page, which its decoder looks at
    at = last.next;
  }
  constexpr std::uint64_t kStrips = 273, kStripBytes = 279, kTiles = 324, kTileBytes = 325;
  const std::uint64_t from = last_of(numbers, last, {kStrips, kTiles});
  const std::uint64_t bytes = last_of(numbers, last, {kStripBytes, kTileBytes});
  std::uint64_t end = 0;
  const bool beyond = __builtin_add_overflow(from, bytes, &end) || end > source.size();
  return from > 0 && beyond ? std::optional(from) : std::nullopt;
}

}  // namespace fovea::io
