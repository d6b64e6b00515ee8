// Where http answers lead, and whether a stream may follow: FFmpeg follows any redirect, so that a
// server anywhere could have services of the user's own machine asked.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fovea::io {

// How near an address is. What is nearer trusts those who can reach it more.
enum class NetworkScope : unsigned char { kPublic, kPrivateNetwork, kThisMachine };

// The host of an address, without user and port: "camera.example", "::1".
std::string host_of(std::string_view url);
// Of the nearest address that a host's name stands for; public where it stands for none.
NetworkScope scope_of(const std::string& host);
// Throws IoError where the target of a redirect has another protocol, or is nearer than the address
// that the user gave.
void require_follows(const std::string& given, const std::string& target);

// Asks a server by http, without FFmpeg, where an address leads; nothing where the answer is no
// redirect, or none comes before `over` says that it is enough.
std::optional<std::string> redirect_of(const std::string& url, const std::function<bool()>& over);
// The address that the value of a Location header stands for.
std::string resolved_location(const std::string& url, std::string_view location);

}  // namespace fovea::io
