// A session without a server, and what a page asks of it.
#pragma once
#include <fmt/format.h>
#include <fovea/core/random.h>
#include <fovea/io/image_memory.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "support/images.h"
#include "view/session.h"

namespace fovea::view {

using nlohmann::json;

// Listens to a job until it has ended.
class JobEnd {
 public:
  JobEnd(Session& session, const std::string& id)
      : listener_(session.listen({.method = "GET", .target = {"/jobs/" + id}},
                                 [this](const std::string& text, bool last) {
                                   const std::lock_guard lock(mutex_);
                                   state_ = text;
                                   ended_ = last;
                                   changed_.notify_all();
                                 })) {}
  // Its last state.
  json wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_; });
    return json::parse(state_);
  }
  void stop() { listener_->message("stop"); }

 private:
  std::mutex mutex_{};
  std::condition_variable changed_{};
  std::string state_{};
  bool ended_ = false;
  std::unique_ptr<Listener> listener_;
};

class SessionFixture : public testing::Test {
 protected:
  // `model` is offered besides those that ship.
  explicit SessionFixture(const std::string& model = {}) : SessionFixture(make_systems(model)) {}
  explicit SessionFixture(Systems systems, double timeout_seconds = 10)
      : session_({.upload_bytes = 1 << 20,
                  .exec = {.device = Device::cpu(), .threads = 1},
                  .timeout_seconds = timeout_seconds},
                 std::move(systems)) {}

  Response get(const std::string& target) {
    return session_.respond({.method = "GET", .target = *parse_target(target)});
  }
  Response post(const std::string& target, const std::string& body) {
    return session_.respond({.method = "POST", .target = *parse_target(target), .body = body});
  }
  json parsed(const Response& response) {
    EXPECT_EQ(response.status, 200) << response.body;
    return json::parse(response.body);
  }
  // Uploads an image and returns its id.
  std::string upload(const Image<std::uint8_t>& image, const std::string& name = "a.png") {
    return parsed(post("/inputs?name=" + name, io::png_bytes(image)))["id"];
  }
  Image<std::uint8_t> drawn(int width, int height, int shift = 0) {
    Random random(5);
    const auto large = test::random_image<std::uint8_t>(random, width / 8 + 4, height / 8 + 4, 3);
    Image<std::uint8_t> image(width, height, 3);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int c = 0; c < 3; ++c) image.at(x, y, c) = large.at((x + shift + 8) / 8, y / 8, c);
    return image;
  }
  // Runs a system and returns the address of its result.
  std::string run(const json& body) {
    const std::string job = parsed(post("/run", body.dump()))["job"];
    const json state = JobEnd(session_, job).wait();
    EXPECT_EQ(state["state"], "done") << state;
    return "/results/" + job;
  }
  // Asks about a place, {"x", "y", "frame"}, or a face, {"face"}, of a result.
  Response ask(const std::string& address, json about, const std::string& client = "page") {
    about["client"] = client;
    return post(address + "/explain", about.dump());
  }
  // The explanation of that.
  json why(const std::string& address, const json& about) {
    const json state = JobEnd(session_, parsed(ask(address, about))["job"]).wait();
    EXPECT_EQ(state["state"], "done") << state;
    return parsed(get(fmt::format("{}/explain?{}", address, query_of(about))));
  }
  static std::string query_of(const json& about) {
    std::string query;
    for (const auto& [name, value] : about.items())
      query += fmt::format("{}{}={}", query.empty() ? "" : "&", name, value.dump());
    return query;
  }

  Session session_;
};

}  // namespace fovea::view
