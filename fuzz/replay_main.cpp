// Runs a fuzzer without libFuzzer: over each seed in a folder, and over some thousand mutations of
// them, the same in every run. Usage: replay_NAME FOLDER [MUTATIONS]
#include <fovea/core/random.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> load_seeds(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> seeds;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return seeds;
}

std::size_t place(fovea::Random& random, const Bytes& bytes) {
  return bytes.empty() ? 0 : random.below(static_cast<std::uint32_t>(bytes.size()));
}

// Overwrites up to four bytes with a number that readers stumble over, in either byte order.
void put_number(fovea::Random& random, Bytes& bytes) {
  static constexpr std::uint32_t kNumbers[] = {
      0,      1,       0x7f,       0x80,       0xff,       0x7fff,     0x8000,
      0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x40000000};
  const std::uint32_t number = kNumbers[random.below(std::size(kNumbers))];
  const std::size_t width = std::size_t{1} << random.below(3);
  const bool big = random.below(2) == 1;
  const std::size_t at = place(random, bytes);
  for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<std::uint8_t>(number >> 8 * (big ? width - 1 - i : i));
}

void mutate(fovea::Random& random, Bytes& bytes, const Bytes& other) {
  const auto at = static_cast<std::ptrdiff_t>(place(random, bytes));
  switch (random.below(7)) {
    case 0:
      if (!bytes.empty()) bytes[static_cast<std::size_t>(at)] ^= 1U << random.below(8);
      break;
    case 1:
      if (!bytes.empty())
        bytes[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(random.bits());
      break;
    case 2: bytes.resize(static_cast<std::size_t>(at)); break;
    case 3:
      bytes.insert(bytes.begin() + at, 1 + random.below(8),
                   static_cast<std::uint8_t>(random.bits()));
      break;
    case 4:
      bytes.erase(
          bytes.begin() + at,
          bytes.begin() + std::min<std::ptrdiff_t>(at + 1 + random.below(8), std::ssize(bytes)));
      break;
    case 5: {  // the end of another seed
      const std::size_t from = place(random, other);
      bytes.resize(static_cast<std::size_t>(at));
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      break;
    }
    default: put_number(random, bytes);
  }
}

void run(const Bytes& bytes) {
  const Bytes exact(bytes);  // no spare capacity that would hide a read beyond the end
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s FOLDER [MUTATIONS]\n", argv[0]);
    return 2;
  }
  const std::vector<Bytes> seeds = load_seeds(argv[1]);
  if (seeds.empty()) {
    std::fprintf(stderr, "%s: no seeds in %s\n", argv[0], argv[1]);
    return 1;
  }
  for (const Bytes& seed : seeds) run(seed);
  const int mutations = argc > 2 ? std::atoi(argv[2]) : 4000;
  for (int i = 0; i < mutations; ++i) {
    fovea::Random random(1, static_cast<std::uint64_t>(i));
    Bytes bytes = seeds[static_cast<std::size_t>(i) % seeds.size()];
    const std::uint32_t steps = 1 + random.below(4);
    for (std::uint32_t step = 0; step < steps; ++step)
      mutate(random, bytes, seeds[random.below(static_cast<std::uint32_t>(seeds.size()))]);
    run(bytes);
  }
  std::printf("%zu seeds and %d mutations of them\n", seeds.size(), mutations);
  return 0;
}
