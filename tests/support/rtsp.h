// A camera on this machine that speaks RTSP (RFC 2326), for tests of streams. Its frames are
// uncompressed (RFC 4175), so that they arrive as they were sent, in RTP packets on the connection
// itself, or by UDP where it refuses that.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "support/server.h"

namespace fovea::test {

struct RtspCamera {
  int width = 64, height = 48;
  std::string describe_status = "200 OK";
  std::string sdp{};              // what it describes itself by; empty: as it is
  std::string authorization{};    // what a request must have to be answered; empty: nothing
  std::string session = "12345";  // may state after how many seconds it ends: "1;timeout=60"
  bool refuses_tcp = false;       // frames come by UDP alone
};

// How bright a frame is. It tells a frame from its neighbors.
inline int rtsp_brightness(std::int64_t number) { return static_cast<int>(number % 50) * 5; }

// One connection to such a camera, which has 25 frames a second.
class RtspSession {
 public:
  RtspSession(const Connection& to, const RtspCamera& camera) : to_(to), camera_(camera) {}
  ~RtspSession() {
    if (udp_ >= 0) ::close(udp_);
  }
  RtspSession(const RtspSession&) = delete;
  RtspSession& operator=(const RtspSession&) = delete;

  // Answers requests until frames are wanted; false where the other side leaves before.
  bool opened() {
    while (!playing_ && answer_next()) {
    }
    return playing_;
  }
  // Sends a frame, the number of which is also its time; false where it is not wanted any more.
  bool send_frame(int number) {
    while (to_.has_news())
      if (!answer_next()) return false;
    return send_packet(packet(number));
  }
  void send_half_frame(int number) {
    const std::string whole = packet(number);
    to_.send(std::string_view(whole).substr(0, whole.size() / 2));
  }
  // Answers requests and sends nothing else until the other side leaves.
  void stay_silent() {
    while (answer_next()) {
    }
  }
  void pause(std::chrono::milliseconds time) const { to_.pause(time); }

  int keep_alives() const { return keep_alives_; }  // that came while frames were sent
  bool torn_down() const { return torn_down_; }     // the other side has said that it leaves

 private:
  static constexpr std::uint32_t kFirstStamp = 1000000;  // as good as any but 0

  // A request up to its blank line, without the reports on packets that stand between requests.
  std::string next_request() const {
    std::string head;
    while (head.find("\r\n\r\n") == head.npos) {
      const std::string byte = to_.receive(1);
      if (byte.empty()) return {};
      if (!head.empty() || byte != "$") {
        head += byte;
        continue;
      }
      const std::string rest = to_.receive(3);  // channel and length
      if (rest.size() == 3) to_.receive(number_at(rest, 1));
    }
    return head;
  }

  bool answer_next() {
    const std::string request = next_request();
    if (request.empty()) return false;
    const std::string method = request.substr(0, request.find(' '));
    if (!camera_.authorization.empty() &&
        request.find("Authorization: " + camera_.authorization) == request.npos) {
      return answer(request, "401 Unauthorized", "WWW-Authenticate: Basic realm=\"camera\"\r\n");
    }
    if (method == "OPTIONS" || method == "GET_PARAMETER") keep_alives_ += playing_ ? 1 : 0;
    if (method == "OPTIONS") {
      return answer(request, "200 OK",
                    "Public: DESCRIBE, SETUP, PLAY, TEARDOWN, GET_PARAMETER\r\n");
    }
    if (method == "DESCRIBE") {
      const bool found = camera_.describe_status.starts_with("200");
      return answer(request, camera_.describe_status, "Content-Type: application/sdp\r\n",
                    found ? description() : "");
    }
    if (method == "SETUP") return set_up(request);
    if (method == "PLAY") playing_ = true;
    if (method == "TEARDOWN") torn_down_ = true;
    const bool sent = answer(request, "200 OK", "Session: " + camera_.session + "\r\n");
    return sent && !torn_down_;
  }

  bool set_up(const std::string& request) {
    const bool tcp = request.find("RTP/AVP/TCP") != request.npos;
    if (tcp && camera_.refuses_tcp) return answer(request, "461 Unsupported Transport", "");
    std::string transport = "RTP/AVP/TCP;unicast;interleaved=0-1";
    if (!tcp) {
      const std::size_t port = request.find("client_port=");
      if (port == request.npos) return answer(request, "461 Unsupported Transport", "");
      const int theirs = std::stoi(request.substr(port + 12));
      transport = "RTP/AVP/UDP;unicast;client_port=" + std::to_string(theirs) + "-" +
                  std::to_string(theirs + 1) + open_udp(theirs);
    }
    return answer(request, "200 OK",
                  "Transport: " + transport + "\r\nSession: " + camera_.session + "\r\n");
  }

  // Prepares to send to a port of this machine. Returns from where, as a transport says it.
  std::string open_udp(int port) {
    udp_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    if (udp_ < 0 || ::bind(udp_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::getsockname(udp_, reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("no UDP on this machine");
    const int ours = ntohs(address.sin_port);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    if (::connect(udp_, reinterpret_cast<sockaddr*>(&address), size) != 0)
      throw std::runtime_error("no UDP on this machine");
    return ";server_port=" + std::to_string(ours) + "-" + std::to_string(ours + 1);
  }

  bool answer(const std::string& request, const std::string& status, const std::string& headers,
              const std::string& body = "") const {
    const std::size_t from = request.find("CSeq: ");
    const std::string number =
        from == request.npos ? "0" : request.substr(from + 6, request.find('\r', from) - from - 6);
    const std::string length = std::to_string(body.size());
    return to_.send("RTSP/1.0 " + status + "\r\nCSeq: " + number + "\r\n" + headers +
                    (body.empty() ? "" : "Content-Length: " + length + "\r\n") + "\r\n" + body);
  }

  std::string description() const {
    if (!camera_.sdp.empty()) return camera_.sdp;
    return "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=camera\r\nc=IN IP4 0.0.0.0\r\nt=0 0\r\n"
           "m=video 0 RTP/AVP 96\r\na=rtpmap:96 raw/90000\r\n"
           "a=fmtp:96 sampling=YCbCr-4:2:2; width=" +
           std::to_string(camera_.width) + "; height=" + std::to_string(camera_.height) +
           "; depth=8; colorimetry=BT601-5; exactframerate=25\r\na=control:track0\r\n";
  }

  // Answers first what was asked meanwhile.
  bool send_packet(const std::string& bytes) const {
    if (udp_ < 0) return to_.send(bytes);
    const std::string_view datagram = std::string_view(bytes).substr(4);
    ::send(udp_, datagram.data(), datagram.size(), MSG_NOSIGNAL);  // may be lost
    return !to_.ended();
  }

  // A frame as one RTP packet, with the mark by which it stands between answers (RFC 2326, 10.12).
  // FFmpeg 5.1 never frees a frame of several packets that is cut between two of them. Luma has the
  // range of 16 to 235.
  std::string packet(int number) {
    std::string rtp{'\x80', static_cast<char>(96 + 0x80)};  // the frame's last packet
    put(rtp, 2, sequence_++ & 0xffff);
    put(rtp, 4, kFirstStamp + static_cast<std::uint32_t>(number) * (90000 / 25));
    put(rtp, 4, 1);  // the source
    put(rtp, 2, 0);  // higher bits of the sequence number
    for (int line = 0; line < camera_.height; ++line) {
      put(rtp, 2, static_cast<std::uint32_t>(2 * camera_.width));
      put(rtp, 2, static_cast<std::uint32_t>(line));
      put(rtp, 2, line + 1 < camera_.height ? 0x8000 : 0);  // whether a line follows; first pixel
    }
    const auto luma = static_cast<char>(16 + (rtsp_brightness(number) * 219 + 127) / 255);
    for (int i = 0; i < camera_.width * camera_.height; ++i) rtp += {'\x80', luma};
    std::string whole = "$";
    put(whole, 1, 0);  // channel
    put(whole, 2, static_cast<std::uint32_t>(rtp.size()));
    return whole + rtp;
  }

  static void put(std::string& to, int bytes, std::uint32_t number) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
      to += static_cast<char>(number >> shift & 0xff);
  }
  static std::size_t number_at(const std::string& bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]) * 256U + static_cast<unsigned char>(bytes[at + 1]);
  }

  const Connection& to_;
  const RtspCamera& camera_;
  int udp_ = -1;
  std::uint32_t sequence_ = 0;
  bool playing_ = false, torn_down_ = false;
  int keep_alives_ = 0;
};

// What a server does to a connection: it is that camera, and sends as told once frames are wanted.
inline std::function<void(const Connection&)> rtsp_camera(const RtspCamera& camera,
                                                          std::function<void(RtspSession&)> play) {
  return [camera, play = std::move(play)](const Connection& to) {
    RtspSession session(to, camera);
    if (session.opened()) play(session);
  };
}

}  // namespace fovea::test
