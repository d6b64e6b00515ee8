// A session without a server, and what a page asks of it.
#pragma once
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

class SessionFixture : public testing::Test {
 protected:
  // `model` is offered besides those that ship.
  explicit SessionFixture(const std::string& model = {})
      : session_({.upload_bytes = 1 << 20,
                  .exec = {.device = Device::cpu(), .threads = 1},
                  .model = model}) {}

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
  // The last state of a job.
  json ended(const std::string& job) {
    std::mutex mutex;
    std::condition_variable changed;
    std::string state;
    bool ended = false;
    const auto listener = session_.listen({.method = "GET", .target = {"/jobs/" + job}},
                                          [&](const std::string& text, bool last) {
                                            const std::lock_guard lock(mutex);
                                            state = text;
                                            ended = last;
                                            changed.notify_all();
                                          });
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ended; });
    return json::parse(state);
  }
  // Runs a system and returns the address of its result.
  std::string run(const json& body) {
    const std::string job = parsed(post("/run", body.dump()))["job"];
    const json state = ended(job);
    EXPECT_EQ(state["state"], "done") << state;
    return "/results/" + job;
  }

  Session session_;
};

}  // namespace fovea::view
