#include "io/text/address.h"

#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "core/words.h"

namespace fovea::io {
namespace {

constexpr std::string_view kCamera = "camera:";
constexpr unsigned kVideo4LinuxMajor = 81;  // Linux' Documentation/admin-guide/devices.txt

constexpr std::array<StreamProtocol, 5> kProtocols{{{"rtsp", "rtsp,rtp,udp,tcp"},
                                                    {"http", "http,tcp"},
                                                    {"https", "https,tls,tcp"},
                                                    {"tcp", "tcp"},
                                                    {"udp", "udp"}}};

bool is_camera_device(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISCHR(facts.st_mode) &&
         major(facts.st_rdev) == kVideo4LinuxMajor;
}

}  // namespace

bool is_address(std::string_view word) { return !protocol_of(word).empty(); }

std::string protocol_of(std::string_view word) {
  const auto colon = word.find("://");
  if (colon == word.npos) return {};
  std::string protocol(word.substr(0, colon));
  for (char& letter : protocol) {
    const auto c = static_cast<unsigned char>(letter);
    if (std::isalnum(c) == 0 && c != '+' && c != '-' && c != '.') return {};
    letter = static_cast<char>(std::tolower(c));
  }
  return protocol;
}

bool is_camera_name(std::string_view word) { return word.starts_with(kCamera); }

std::string camera_device(const std::string& word) {
  if (!is_camera_name(word)) return is_camera_device(word) ? word : "";
  const std::string number = word.substr(kCamera.size());
  const bool valid = !number.empty() && number.size() <= 3 &&
                     std::all_of(number.begin(), number.end(),
                                 [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!valid)
    throw InvalidArgument(
        fmt::format("{}: expected the number of a camera, such as camera:0 for /dev/video0",
                    fovea::detail::shown(word)));
  return fmt::format("/dev/video{}", std::stoi(number));
}

std::span<const StreamProtocol> stream_protocols() { return kProtocols; }

const StreamProtocol* find_protocol(std::string_view name) {
  const auto found = std::find_if(kProtocols.begin(), kProtocols.end(),
                                  [&](const StreamProtocol& one) { return one.name == name; });
  return found == kProtocols.end() ? nullptr : &*found;
}

std::string unknown_protocol(const std::string& word) {
  std::string known;
  for (const StreamProtocol& one : kProtocols)
    known += fmt::format("{}{}://", known.empty() ? "" : " ", one.name);
  return fmt::format("{}: streams of this protocol are not read; expected {}",
                     fovea::detail::shown(source_name(word)), known);
}

bool is_live_source(const std::string& source) {
  return is_camera_name(source) || is_address(source) || is_camera_device(source);
}

// A password may hold any character, so everything before the last @ is hidden, and with it more
// than needed where a path has one.
std::string source_name(const std::string& source) {
  if (!is_address(source)) return source;
  const auto begin = source.find("://") + 3;
  const auto at = source.rfind('@');
  std::string name = source.substr(0, begin);
  const bool user = at != source.npos && at >= begin;
  if (user) name += "***@";
  const std::string rest = source.substr(user ? at + 1 : begin);
  const auto query = rest.find_first_of("?#");
  name += rest.substr(0, query);
  if (query != rest.npos) name += "?***";
  return name;
}

}  // namespace fovea::io
