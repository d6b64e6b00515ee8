#include "view/save/zip.h"

#include <fovea/core/error.h>

#include <array>
#include <cstdint>

namespace fovea::view {
namespace {

constexpr std::uint16_t kVersion = 20;  // needed to read it: 2.0
constexpr std::uint16_t kNamesInUtf8 = 0x800;
constexpr std::uint32_t kDate = 0x00210000;  // 1 January 1980, so that equal files give equal bytes

std::uint32_t checksum(const std::string& bytes) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit)
        table[i] = (table[i] >> 1) ^ ((table[i] & 1) != 0 ? 0xedb88320U : 0U);
    }
    return table;
  }();
  std::uint32_t sum = 0xffffffffU;
  for (const char byte : bytes)
    sum = kTable[(sum ^ static_cast<std::uint8_t>(byte)) & 0xff] ^ (sum >> 8);
  return ~sum;
}

// Numbers have their low byte first.
void put(std::string& to, std::uint32_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) to += static_cast<char>((number >> (8 * i)) & 0xff);
}

// What the header of a file and its entry in the directory have in common.
void put_facts(std::string& to, const ZipEntry& entry) {
  const auto size = static_cast<std::uint32_t>(entry.bytes.size());
  put(to, kVersion, 2);
  put(to, kNamesInUtf8, 2);
  put(to, 0, 2);  // stored
  put(to, kDate, 4);
  put(to, checksum(entry.bytes), 4);
  put(to, size, 4);
  put(to, size, 4);
  put(to, static_cast<std::uint32_t>(entry.name.size()), 2);
  put(to, 0, 2);
}

}  // namespace

std::string zip_of(const std::vector<ZipEntry>& entries) {
  std::string files, directory;
  for (const ZipEntry& entry : entries) {
    if (files.size() + entry.bytes.size() >= 0xffff0000U)
      throw InvalidArgument("the files have more than 4 GiB together, which no page can save");
    put(directory, 0x02014b50, 4);
    put(directory, kVersion, 2);
    put_facts(directory, entry);
    for (const int bytes : {2, 2, 2, 4}) put(directory, 0, bytes);
    put(directory, static_cast<std::uint32_t>(files.size()), 4);
    directory += entry.name;
    put(files, 0x04034b50, 4);
    put_facts(files, entry);
    files += entry.name + entry.bytes;
  }
  const auto start = static_cast<std::uint32_t>(files.size());
  files += directory;
  put(files, 0x06054b50, 4);
  put(files, 0, 4);
  for (int i = 0; i < 2; ++i) put(files, static_cast<std::uint32_t>(entries.size()), 2);
  put(files, static_cast<std::uint32_t>(directory.size()), 4);
  put(files, start, 4);
  put(files, 0, 2);
  return files;
}

}  // namespace fovea::view
