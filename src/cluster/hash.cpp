#include <fovea/cluster/hash.h>

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace fovea::cluster {
namespace {

constexpr std::uint64_t kPrime1 = 0x9E3779B185EBCA87, kPrime2 = 0xC2B2AE3D27D4EB4F,
                        kPrime3 = 0x165667B19E3779F9, kPrime4 = 0x85EBCA77C2B2AE63,
                        kPrime5 = 0x27D4EB2F165667C5;

template <class Word>
std::uint64_t word_at(const char* from) {
  static_assert(std::endian::native == std::endian::little, "the specification's order of bytes");
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}
std::uint64_t merged(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ round(0, lane)) * kPrime1 + kPrime4;
}
void take_stripe(std::array<std::uint64_t, 4>& lanes, const char* stripe) {
  for (std::size_t i = 0; i < 4; ++i)
    lanes[i] = round(lanes[i], word_at<std::uint64_t>(stripe + 8 * i));
}

}  // namespace

void Hasher::add(std::string_view text) {
  length_ += text.size();
  if (waiting_ > 0) {
    const std::size_t more = std::min(kStripe - waiting_, text.size());
    std::copy_n(text.data(), more, rest_.data() + waiting_);
    waiting_ += more;
    text.remove_prefix(more);
    if (waiting_ < kStripe) return;
    take_stripe(lanes_, rest_.data());
    waiting_ = 0;
  }
  for (; text.size() >= kStripe; text.remove_prefix(kStripe)) take_stripe(lanes_, text.data());
  std::copy_n(text.data(), text.size(), rest_.data());
  waiting_ = text.size();
}

std::uint64_t Hasher::result() const {
  std::uint64_t hash = kPrime5;
  if (length_ >= kStripe) {
    hash = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
           std::rotl(lanes_[3], 18);
    for (const std::uint64_t lane : lanes_) hash = merged(hash, lane);
  }
  hash += length_;
  const char* at = rest_.data();
  const char* const end = at + waiting_;
  for (; end - at >= 8; at += 8)
    hash = std::rotl(hash ^ round(0, word_at<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  if (end - at >= 4) {
    hash = std::rotl(hash ^ (word_at<std::uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at != end; ++at)
    hash = std::rotl(hash ^ (word_at<std::uint8_t>(at) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33U)) * kPrime2;
  hash = (hash ^ (hash >> 29U)) * kPrime3;
  return hash ^ (hash >> 32U);
}

std::uint64_t hash_of(std::string_view text) {
  Hasher hasher;
  hasher.add(text);
  return hasher.result();
}

FileIdentity identity_of_file(const std::string& path) {
  const auto failed = [&] {
    return IoError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw failed();
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  std::array<char, std::size_t{1} << 16U> block;
  Hasher hasher;
  FileIdentity identity;
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    hasher.add({block.data(), count});
    identity.size += count;
  }
  if (std::ferror(file.get()) != 0) throw failed();
  identity.hash = hasher.result();
  return identity;
}

}  // namespace fovea::cluster
