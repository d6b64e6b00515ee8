// Any bytes on a WebSocket that follows a job: the server closes it in the end, and takes another.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "view/access/guard.h"
#include "view/client.h"
#include "view/jobs.h"
#include "view/server.h"

namespace {

using namespace fovea;
using namespace fovea::view;

// Each WebSocket follows a job of its own, which lasts until the next one begins.
class Following final : public Service {
 public:
  bool known(const Request&) const override { return false; }
  std::variant<Response, std::size_t> admit(const Request&) override { return std::size_t{0}; }
  Response respond(const Request&) override { return {}; }
  std::unique_ptr<Listener> listen(const Request&, Send send) override {
    return jobs_.listen(jobs_.submit("fuzz", wait_for_stop), std::move(send));
  }

 private:
  static Result wait_for_stop(const Exec& exec) {
    while (!exec.stop.stop_requested()) std::this_thread::sleep_for(std::chrono::microseconds(100));
    return {};
  }
  Jobs jobs_{{}};
};

Server& server() {
  // An input may end its job and then break the protocol, after which the server waits no longer.
  static Server server({.close_seconds = 0.05}, std::make_shared<Following>(),
                       [](const std::string&) {});
  static const bool started = [] {
    server.start();
    return true;
  }();
  static_cast<void>(started);
  return server;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Client client(server().port());
  client.send(client.head("GET", "/jobs/1",
                          "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                          "Sec-WebSocket-Version: 13\r\n"
                          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  if (client.receive("\r\n\r\n").find(" 101 ") == std::string::npos) std::abort();
  client.send({reinterpret_cast<const char*>(data), size});
  client.finish();
  client.receive(random_token());  // which never comes: until the server closes
  if (!client.closed()) std::abort();
  return 0;
}
