// Reaches a port of this machine's loopback device from another machine.
#pragma once
#include <string>
#include <string_view>

namespace fovea::cli {

// The line by which those who have come to this machine by ssh reach a port of it from where they
// have come from. `connection` is the value of SSH_CONNECTION: the client's address and port, and
// those of this machine, by spaces. Empty where it says no address of this machine; without a user
// where that is empty.
std::string tunnel_line(int port, std::string_view connection, const std::string& user);

}  // namespace fovea::cli
