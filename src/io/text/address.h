// Words that name a camera or the address of a stream instead of a file.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace fovea::io {

// Whether the word has the form of an address, PROTOCOL://..., of whatever protocol.
bool is_address(std::string_view word);
// Its protocol in small letters: "rtsp". Empty where the word is no address.
std::string protocol_of(std::string_view word);
// Whether the word has the form of a camera's name, camera:..., of whatever number.
bool is_camera_name(std::string_view word);
// "/dev/video0" for camera:0, and a device of Video4Linux for itself; empty for other words. Throws
// InvalidArgument where a camera's name has no number.
std::string camera_device(const std::string& word);

// The protocols of streams that can be read, and what each of them needs of FFmpeg, itself
// included. Whatever a stream refers to beyond that is out of its reach.
struct StreamProtocol {
  std::string_view name;
  std::string_view whitelist;
};
std::span<const StreamProtocol> stream_protocols();
// Null where it cannot be read.
const StreamProtocol* find_protocol(std::string_view name);
// "ftp://host: ...", where the word's protocol is not among them. The word is masked.
std::string unknown_protocol(const std::string& word);

}  // namespace fovea::io
