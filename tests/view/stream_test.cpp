// Streams as a page has them: videos that are drawn here, and network streams that a server in this
// process sends.
// Covers: frames, message, stream, streams, track, running_actions
#include "view/stream/stream.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/io/video.h>
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/files.h"
#include "support/images.h"
#include "support/messages.h"
#include "support/rtsp.h"
#include "support/server.h"
#include "support/waiting.h"
#include "view/client.h"
#include "view/saved_results/saved_file.h"
#include "view/session_fixture.h"
#include "view/view.h"

namespace fovea::view {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Message {
  json facts;
  std::vector<std::string> pictures;

  std::string state() const { return facts["state"]; }
  Image<std::uint8_t> picture(std::size_t index = 0) const {
    return std::get<Image<std::uint8_t>>(
        io::read_image(std::as_bytes(std::span(pictures[index])), "picture").pixels);
  }
};

Message unpacked(const std::string& bytes) {
  std::size_t length = 0;
  for (int i = 0; i < 4; ++i) length = length * 256 + static_cast<unsigned char>(bytes[i]);
  Message message{json::parse(bytes.substr(4, length)), {}};
  std::size_t at = 4 + length;
  for (const json& size : message.facts.value("pictures", json::array())) {
    message.pictures.push_back(bytes.substr(at, size));
    at += size.get<std::size_t>();
  }
  EXPECT_EQ(at, bytes.size());
  return message;
}

// What has come through a WebSocket. Streams may still send for a moment when their page is gone.
struct Mailbox {
  std::mutex mutex{};
  std::condition_variable changed{};
  std::deque<std::string> messages{};
  bool last = false;
};

// A page that has a WebSocket open.
class StreamPage {
 public:
  StreamPage(Session& session, const std::string& input, int frame = 0) : input_(input) {
    listener_ = session.listen(
        {.method = "GET",
         .target = *parse_target("/streams/" + input + "?frame=" + std::to_string(frame))},
        [box = box_](const std::string& bytes, bool last) {
          const std::lock_guard lock(box->mutex);
          box->messages.push_back(bytes);
          box->last = last;
          box->changed.notify_all();
        });
  }
  bool refused() const { return listener_ == nullptr; }
  void say(const std::string& text) { listener_->message(text); }
  void run(json body) {
    body["inputs"] = {input_};
    say(body.dump());
  }
  void close() { listener_.reset(); }

  // The next message. A test that waits for a minute has failed.
  Message next() {
    std::unique_lock lock(box_->mutex);
    if (!box_->changed.wait_for(lock, 60s, [&] { return !box_->messages.empty(); }))
      throw std::runtime_error("no message came");
    Message message = unpacked(box_->messages.front());
    box_->messages.pop_front();
    return message;
  }
  // The next frame, which is on the screen at once.
  Message frame() {
    Message message = next();
    while (message.state() == "opening") message = next();
    if (message.state() == "frame") say("shown");
    return message;
  }
  std::size_t waiting() {
    const std::lock_guard lock(box_->mutex);
    return box_->messages.size();
  }
  bool ended() {
    const std::lock_guard lock(box_->mutex);
    return box_->last;
  }

 private:
  std::string input_;
  std::shared_ptr<Mailbox> box_ = std::make_shared<Mailbox>();
  std::unique_ptr<Listener> listener_{};
};

const json kNoSystem{{"system", ""}};
constexpr int kLong = 1500;  // frames, of a minute: the video does not end while a test waits

class StreamTest : public SessionFixture {
 protected:
  StreamTest() : SessionFixture(make_systems(""), 60) {}
  std::string add(const std::string& path) {
    session_.inputs().add_paths({path});
    return json::parse(session_.inputs().list_json()).back()["id"];
  }
  // A gray video whose frames are as bright as their number.
  std::string add_ramp(int frames) {
    test::save(folder_ / "ramp.y4m", test::y4m_video(64, 48, frames));
    return add(folder_ / "ramp.y4m");
  }
  // A red square on colored noise, two pixels further right in every frame.
  std::string add_square(int frames) {
    Random random(3);
    const auto noise = test::random_image<std::uint8_t>(random, 96, 64, 3);
    io::VideoWriter writer(folder_ / "square.y4m");
    for (int i = 0; i < frames; ++i) {
      Image<std::uint8_t> image = clone(noise.view());
      for (int y = 24; y < 40; ++y)
        for (int x = 0; x < 16; ++x)
          for (int c = 0; c < 3; ++c) image.at(10 + 2 * i + x, y, c) = c == 0 ? 230 : 20;
      writer.write(image);
    }
    writer.finish();
    return add(folder_ / "square.y4m");
  }

  test::TempFolder folder_{};
};

TEST_F(StreamTest, PlaysAVideoFromAFrameToItsEnd) {
  StreamPage page(session_, add_ramp(40), 30);
  EXPECT_EQ(page.next().state(), "opening");
  page.run(kNoSystem);
  int last = 29;
  for (Message message = page.frame(); message.state() == "frame"; message = page.frame()) {
    EXPECT_GT(message.facts["frame"], last);
    last = message.facts["frame"];
    EXPECT_EQ(message.facts["width"], 64);
    EXPECT_NEAR(message.picture().at(20, 20), last, 2) << "the picture is that of its number";
  }
  EXPECT_EQ(last, 39);
  EXPECT_TRUE(page.ended());
}

TEST_F(StreamTest, KeepsThePaceOfTheVideo) {
  StreamPage page(session_, add_ramp(20));
  const auto begin = std::chrono::steady_clock::now();
  page.run(kNoSystem);
  Message message = page.frame();
  while (message.facts["frame"] < 10) message = page.frame();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 0.39s) << "ten frames of 25 a second";
}

TEST_F(StreamTest, ASlowPageLosesFramesAndDoesNotSeeThemLate) {
  StreamPage page(session_, add_ramp(kLong));
  page.run(kNoSystem);
  page.frame();
  Message message = page.next();
  // A film that itself stands still for some time goes on with its next frame.
  int before = 0;
  for (int i = 0; i < 50 && message.facts["frame"] < before + 10; ++i) {
    before = message.facts["frame"];
    std::this_thread::sleep_for(600ms);  // what the page needs for a frame
    EXPECT_EQ(page.waiting(), 0U) << "nothing comes before the last frame is shown";
    page.say("shown");
    message = page.next();
  }
  EXPECT_GE(message.facts["frame"], before + 10);
  EXPECT_GE(message.facts["dropped"], 9);
  EXPECT_GT(message.facts["latency"], 0.5) << "that of the frame before, which was shown late";
  double latency = 1;
  for (int i = 0; i < 200 && latency > 0.5; ++i) {
    page.say("shown");
    latency = page.next().facts["latency"];
  }
  EXPECT_LE(latency, 0.5) << "what follows is not late, where the machine can keep up";
}

TEST_F(StreamTest, PausesAndSteps) {
  StreamPage page(session_, add_ramp(kLong));
  page.run({{"system", "flow"}});
  page.frame();
  page.say("pause");
  Message message = page.frame();
  while (message.facts["kept"] == "") message = page.frame();  // frames that were on their way
  const int paused = message.facts["frame"];
  std::this_thread::sleep_for(200ms);  // five frames of a video that plays
  page.run(kNoSystem);
  EXPECT_EQ(page.frame().facts["frame"], paused) << "the frame that is shown is still the last";
  page.say("step");
  EXPECT_EQ(page.frame().facts["frame"], paused + 1) << "time stands still while paused";
  page.say("play");
  EXPECT_EQ(page.frame().facts["frame"], paused + 2);
}

// The next message that is no frame; some frames may have been on their way.
Message after_frames(StreamPage& page) {
  Message message = page.frame();
  for (int i = 0; i < 5 && message.state() == "frame"; ++i) message = page.frame();
  return message;
}

TEST_F(StreamTest, ARunThatMakesNoSenseIsRefusedAndFramesGoOn) {
  StreamPage page(session_, add_ramp(kLong));
  for (const char* body : {"{", R"({"system": "scenes", "inputs": []})"}) {
    page.say(body);
    const Message message = after_frames(page);
    ASSERT_EQ(message.state(), "refused");
    EXPECT_FALSE(message.facts["error"].get<std::string>().empty());
    EXPECT_EQ(page.frame().state(), "frame");
  }
  for (const json& body : std::vector<json>{{{"system", "scenes"}},
                                            {{"system", "none"}},
                                            {{"system", "people"}, {"options", {{"ratio", "x"}}}},
                                            {{"system", "people"}, {"model", "/etc/passwd"}},
                                            {{"system", "track"}, {"box", {1, 1, 2, 2}}}}) {
    page.run(body);
    EXPECT_EQ(after_frames(page).state(), "refused") << body;
  }
  EXPECT_EQ(page.frame().state(), "frame");
}

TEST_F(StreamTest, FindsPeopleAndSaysWhyWhenPaused) {
  test::save(folder_ / "v.y4m", test::y4m_video(96, 160, kLong));
  StreamPage page(session_, add(folder_ / "v.y4m"));
  page.run({{"system", "people"}, {"model", "hog"}, {"options", {{"threshold", "-9"}}}});
  Message message = page.frame();
  EXPECT_THAT(message.facts["result"]["summary"].get<std::string>(), HasSubstr("the model hog"));
  EXPECT_EQ(message.facts["result"]["timings"][0]["stage"], "detect");
  EXPECT_EQ(message.facts["system"], "people");
  EXPECT_EQ(message.facts["kept"], "");
  page.say("pause");
  while (message.facts["kept"] == "") message = page.frame();
  const std::string address = "/results/" + message.facts["kept"].get<std::string>();
  const json result = json::parse(get(address).body);
  EXPECT_THAT(result["command"].get<std::string>(),
              AllOf(HasSubstr("--threshold -9"), HasSubstr(" --frames 1 ")));
  EXPECT_TRUE(result["explains"]);
  EXPECT_GT(why(address, {{"x", 48}, {"y", 80}})["layers"].size(), 0U);
  EXPECT_THAT(get(address + "/page.html").body, HasSubstr("People in "));
  // Another option works on the frame that is shown.
  const int shown = message.facts["frame"];
  page.run({{"system", "people"}, {"model", "hog"}, {"options", {{"threshold", "5"}}}});
  message = page.frame();
  EXPECT_EQ(message.facts["frame"], shown);
  EXPECT_NE(message.facts["kept"], "");
}

TEST_F(StreamTest, ShowsMotionAsALayer) {
  StreamPage page(session_, add_ramp(kLong));
  page.run({{"system", "flow"}});
  Message message = page.frame();
  EXPECT_EQ(message.pictures.size(), 1U) << "the first frame has no frame before it";
  message = page.frame();
  ASSERT_EQ(message.pictures.size(), 2U);
  EXPECT_EQ(message.facts["result"]["layers"][0]["name"], "wheel");
  EXPECT_EQ(message.picture(1).width(), 64);
  page.say("pause");
  while (message.facts["kept"] == "") message = page.frame();
  EXPECT_EQ(message.pictures.size(), 1U);
  EXPECT_GT(message.facts["result"]["layers"].size(), 3U) << "loaded as tiles";
  const std::string address = "/results/" + message.facts["kept"].get<std::string>();
  EXPECT_EQ(get(address + "/tile/arrows/0/0/0").type, "image/png");
}

TEST_F(StreamTest, FollowsADrawnBoxAndSaysWhy) {
  StreamPage page(session_, add_square(30));
  page.run({{"system", "track"}, {"box", {10, 24, 16, 16}}});
  Message message = page.frame();
  EXPECT_THAT(message.facts["result"]["summary"].get<std::string>(), HasSubstr("followed"));
  while (message.facts["frame"] < 10) message = page.frame();
  page.say("pause");
  while (message.facts["kept"] == "") message = page.frame();
  const json mark = message.facts["result"]["marks"][0];
  EXPECT_NEAR(mark["box"][0].get<double>(), 10 + 2 * message.facts["frame"].get<int>(), 3);
  EXPECT_NEAR(mark["box"][1].get<double>(), 24, 3);
  const std::string address = "/results/" + message.facts["kept"].get<std::string>();
  const json reasons = why(address, {{"x", 5}, {"y", 5}});
  EXPECT_EQ(reasons["layers"][0]["name"], "score") << "the landscape of scores around the box";
  const std::string saved = get(address + "/result.json").body;
  const json tracks = json::parse(saved)["tracks"];
  EXPECT_EQ(parse_saved_json(saved, "saved.json").items.size(), tracks.size());
  EXPECT_EQ(tracks[0]["box"][0], 10);
  for (std::size_t i = 0; i < tracks.size(); ++i)
    EXPECT_EQ(tracks[i]["frame"], i) << "a video waits, so that none is lost";
  EXPECT_THAT(json::parse(get(address).body)["command"].get<std::string>(),
              HasSubstr("square.y4m --target 10,24,16,16 --frames "));
}

// A film that was played to its end has all that one has that was paused: files, lines, reasons.
TEST_F(StreamTest, TheEndOfAFilmIsAPause) {
  constexpr int kFrames = 6;
  const std::string square = add_square(kFrames);
  test::save(folder_ / "v.y4m", test::y4m_video(96, 160, kFrames));
  const std::string tall = add(folder_ / "v.y4m");
  for (const json& body : std::vector<json>{{{"system", "track"}, {"box", {10, 24, 16, 16}}},
                                            {{"system", "people"}, {"model", "hog"}},
                                            {{"system", "flow"}}}) {
    StreamPage page(session_, body["system"] == "people" ? tall : square);
    page.run(body);
    Message last = page.frame(), message = last;
    while (message.state() == "frame") {
      last = std::move(message);
      message = page.frame();
    }
    EXPECT_EQ(message.state(), "ended");
    EXPECT_EQ(last.facts["frame"], kFrames - 1);
    ASSERT_NE(last.facts["kept"], "") << body;
    const std::string address = "/results/" + last.facts["kept"].get<std::string>();
    const json result = json::parse(get(address).body);
    EXPECT_TRUE(result["explains"]) << body;
    EXPECT_FALSE(result["command"].get<std::string>().empty()) << body;
    if (body["system"] != "track") continue;
    const json tracks = json::parse(get(address + "/result.json").body)["tracks"];
    EXPECT_EQ(tracks.size(), kFrames) << "the last frame is looked at once";
    EXPECT_THAT(result["command"].get<std::string>(), HasSubstr(" --frames 6 "));
  }
}

TEST_F(StreamTest, TheLastFrameIsNotPassedOver) {
  StreamPage page(session_, add_ramp(12));
  page.run(kNoSystem);
  EXPECT_EQ(page.next().state(), "opening");
  EXPECT_EQ(page.next().state(), "frame");
  std::this_thread::sleep_for(600ms);  // in which the film has come to its end
  page.say("shown");
  EXPECT_EQ(page.frame().facts["frame"], 11);
}

TEST_F(StreamTest, ABoxIsThatOfTheFrameWhichThePageShows) {
  StreamPage page(session_, add_square(30));
  page.run({{"system", "track"}});
  Message message = page.frame();
  EXPECT_TRUE(message.facts["result"]["marks"].empty()) << "without a box frames are only shown";
  while (message.facts["frame"] < 5) message = page.frame();
  message = page.next();  // is not shown while the box is drawn
  const int left = 10 + 2 * message.facts["frame"].get<int>();
  std::this_thread::sleep_for(150ms);  // what the user needs for the box
  page.run({{"system", "track"}, {"box", {left, 24, 16, 16}}});
  page.say("shown");
  const int drawn_on = message.facts["frame"];
  message = page.frame();
  EXPECT_EQ(message.facts["frame"], drawn_on + 1);
  EXPECT_NEAR(message.facts["result"]["marks"][0]["box"][0].get<double>(), left + 2, 1.5);
}

TEST_F(StreamTest, RecognizesActionsWithoutLosingFrames) {
  StreamPage page(session_, add_ramp(10));
  EXPECT_EQ(page.next().state(), "opening");
  page.run({{"system", "actions"}});
  const Message message = page.next();
  std::this_thread::sleep_for(300ms);  // what the page needs for a frame
  page.say("shown");
  EXPECT_EQ(page.frame().facts["frame"], 1) << "the video waits";
  EXPECT_THAT(message.facts["result"]["summary"].get<std::string>(), HasSubstr("No action"));
  EXPECT_TRUE(message.facts["result"]["events"].is_array());
  Message last = page.frame();
  while (last.state() == "frame") last = page.frame();
  EXPECT_EQ(last.state(), "ended");
  EXPECT_TRUE(last.facts["events"].is_array());
}

TEST_F(StreamTest, ImagesDoNotPlay) {
  test::save(folder_ / "a.pgm", "P5 2 2 255\n1234");
  EXPECT_TRUE(StreamPage(session_, add(folder_ / "a.pgm")).refused());
  EXPECT_TRUE(StreamPage(session_, "none").refused());
}

TEST_F(StreamTest, AreLimitedInNumber) {
  const std::string id = add_ramp(60);
  std::list<StreamPage> pages;
  for (int i = 0; i < 8; ++i) pages.emplace_back(session_, id);
  {
    StreamPage ninth(session_, id);
    const Message message = ninth.next();
    EXPECT_EQ(message.state(), "failed");
    EXPECT_THAT(message.facts["error"].get<std::string>(), HasSubstr("8 streams are open"));
    EXPECT_TRUE(ninth.ended());
  }
  pages.clear();
  // Once the others have seen that their pages are gone.
  EXPECT_TRUE(
      test::eventually([&] { return StreamPage(session_, id).next().state() == "opening"; }));
}

class LiveStreamTest : public StreamTest {
 protected:
  void SetUp() override {
    if (!io::video_feature().usable) GTEST_SKIP() << io::video_feature().detail;
  }
  // Sends frames without end as http, and notes when the other side has gone.
  void send_live(const test::Connection& to) {
    to.request();
    to.send(test::http_answer("", "video/x-yuv", false) + test::y4m_header(64, 48));
    for (int i = 0; to.send(test::y4m_frame(64, 48, i % 200)); ++i) to.pause(5ms);
    ++left_;
  }
  // The id of an input of another session.
  static std::string add_to(Session& session, const std::string& source) {
    session.inputs().add_paths({source});
    return json::parse(session.inputs().list_json()).back()["id"];
  }
  std::atomic<int> left_ = 0;
};

TEST_F(LiveStreamTest, OpensAStreamWhenItIsWatchedAndClosesItWhenNobodyDoes) {
  const test::Server server([this](const test::Connection& to) { send_live(to); });
  const std::string id = add(server.http("/live"));
  EXPECT_EQ(json::parse(get("/inputs/" + id).body)["kind"], "live");
  EXPECT_EQ(server.connections(), 0) << "nobody watches yet";
  StreamPage page(session_, id), second(session_, id);
  page.run(kNoSystem);
  second.run(kNoSystem);
  const Message first = page.frame();
  ASSERT_EQ(first.state(), "frame") << first.facts;
  EXPECT_EQ(second.frame().state(), "frame");
  EXPECT_GT(page.frame().facts["frame"], first.facts["frame"]);
  EXPECT_EQ(server.connections(), 1) << "both watch the same";
  page.close();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(second.frame().state(), "frame") << "it still watches";
  EXPECT_EQ(left_, 0);
  second.close();
  EXPECT_TRUE(test::eventually([&] { return left_ > 0; }));
}

TEST_F(LiveStreamTest, ASilentSourceIsToldOnceAndCanBeTriedAgain) {
  std::atomic<bool> silent = true;
  const test::Server server([&](const test::Connection& to) {
    if (silent) to.stay_silent();
    else send_live(to);
  });
  Session impatient({.timeout_seconds = 2});
  const std::string id = add_to(impatient, server.http("/live?key=hidden"));
  StreamPage page(impatient, id);
  page.run(kNoSystem);
  const Message message = page.frame();
  EXPECT_EQ(message.state(), "failed");
  EXPECT_THAT(message.facts["error"].get<std::string>(),
              AllOf(HasSubstr("nothing came for 2 s"), Not(HasSubstr("hidden"))));
  EXPECT_TRUE(page.ended());
  silent = false;
  StreamPage again(impatient, id);
  again.run(kNoSystem);
  EXPECT_EQ(again.frame().state(), "frame");
}

TEST_F(LiveStreamTest, LeavingDoesNotWaitForASilentSource) {
  const test::Server server([](const test::Connection& to) { to.stay_silent(); });
  for (const std::string& source : {server.http("/live"), server.rtsp("/door")}) {
    Session patient({.timeout_seconds = 600});
    const int before = server.connections();
    StreamPage page(patient, add_to(patient, source));
    page.run(kNoSystem);
    ASSERT_TRUE(test::eventually([&] { return server.connections() > before; }));
    const auto left = std::chrono::steady_clock::now();
    page.close();
    patient.stop_jobs();
    EXPECT_LT(std::chrono::steady_clock::now() - left, 100s) << source;
  }
}

// As a camera, whose reader also takes a moment to close it.
TEST_F(LiveStreamTest, ASourceThatCanBeOpenedOnceIsOpenedAgain) {
  std::mutex mutex;
  const test::Connection* taken = nullptr;
  int refused = 0;
  const test::Server server([&](const test::Connection& to) {
    to.request();
    {
      const std::lock_guard lock(mutex);
      if (taken != nullptr && !taken->is_left()) {
        ++refused;
        to.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
        return;
      }
      taken = &to;
    }
    to.send(test::http_answer("", "video/x-yuv", false) + test::y4m_video(64, 48, 1));
    to.stay_silent();
    const std::lock_guard lock(mutex);
    if (taken == &to) taken = nullptr;
  });
  const std::string id = add(server.http("/live"));
  for (int i = 0; i < 10; ++i) {  // while the feed before is still there, closes, and has closed
    StreamPage page(session_, id);
    page.run(kNoSystem);
    const Message message = page.frame();
    EXPECT_EQ(message.state(), "frame") << message.facts;
    page.close();
    std::this_thread::sleep_for(i * 10ms);  // different moments, none of which may matter
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(refused, 0);
}

TEST_F(LiveStreamTest, ShowsAnRtspCameraUntilItIsLeft) {
  const test::Server server(test::rtsp_camera({}, [&](test::RtspSession& session) {
    for (int i = 0; session.send_frame(i); ++i) session.pause(5ms);
    ++left_;
  }));
  StreamPage page(session_, add(server.rtsp("/door")));
  page.run(kNoSystem);
  std::int64_t last = -1;
  for (int i = 0; i < 10; ++i) {
    const Message message = page.frame();
    ASSERT_EQ(message.state(), "frame") << message.facts;
    EXPECT_GT(message.facts["frame"], last);
    last = message.facts["frame"];
    EXPECT_NEAR(message.picture().at(20, 20), test::rtsp_brightness(last), 3);
    EXPECT_NEAR(message.facts["seconds"].get<double>(), static_cast<double>(last) / 25, 1e-6);
  }
  page.close();
  EXPECT_TRUE(test::eventually([&] { return left_ > 0; }));
}

TEST_F(LiveStreamTest, AnRtspCameraThatFailsIsToldOnce) {
  const auto told = [](const test::Server& server) {
    Session impatient({.timeout_seconds = 2});
    StreamPage page(
        impatient,
        add_to(impatient, "rtsp://me:secret@127.0.0.1:" + std::to_string(server.port()) + "/door"));
    page.run(kNoSystem);
    Message message = page.frame();
    while (message.state() == "frame") message = page.frame();
    EXPECT_TRUE(page.ended());
    EXPECT_THAT(message.facts.dump(), Not(HasSubstr("secret")));
    return message.facts.value("error", message.state());
  };
  EXPECT_THAT(told(test::Server(test::rtsp_camera({.describe_status = "404 Not Found"}, {}))),
              HasSubstr("/door: cannot open: Server returned 404"));
  EXPECT_THAT(told(test::Server(test::rtsp_camera({.authorization = "Basic other"}, {}))),
              HasSubstr("/door: cannot open: Server returned 401"));
  EXPECT_THAT(told(test::Server(test::rtsp_camera({},
                                                  [](test::RtspSession& session) {
                                                    for (int i = 0; i < 30; ++i)
                                                      session.send_frame(i);
                                                    session.stay_silent();
                                                  }))),
              HasSubstr("/door: frame 30: nothing came for 2 s"));
  EXPECT_EQ(told(test::Server(test::rtsp_camera({},
                                                [](test::RtspSession& session) {
                                                  for (int i = 0; i < 30; ++i)
                                                    session.send_frame(i);
                                                  session.send_half_frame(30);
                                                }))),
            "ended");
}

TEST_F(LiveStreamTest, WhatCannotBeOpenedSaysWhy) {
  StreamPage page(session_, add("camera:99"));
  page.run(kNoSystem);
  EXPECT_THAT(page.frame().facts["error"].get<std::string>(),
              HasSubstr("there is no camera /dev/video99"));
}

TEST_F(LiveStreamTest, EndsWhenItsSocketCloses) {
  const test::Server server([this](const test::Connection& to) { send_live(to); });
  const std::string token(64, 'd');
  const View view({.inputs = {server.http("/live")}, .token = token}, [](const std::string&) {});
  std::string answer = Client(view.port()).ask("POST", "/session", "", token);
  const std::size_t from = answer.find("Set-Cookie: ") + 12;
  const std::string cookie =
      "Cookie: " + answer.substr(from, answer.find(';', from) - from) + "\r\n";
  answer = Client(view.port()).ask("GET", "/inputs", cookie);
  const std::string id = json::parse(answer.substr(answer.find("\r\n\r\n") + 4))[0]["id"];
  const std::string upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  Client stranger(view.port());
  stranger.send(stranger.head("GET", "/streams/" + id, upgrade));
  EXPECT_THAT(stranger.receive(), testing::StartsWith("HTTP/1.1 401 "));
  {
    Client client(view.port());
    client.send(client.head("GET", "/streams/" + id, cookie + upgrade));
    EXPECT_THAT(client.receive("opening"), testing::StartsWith("HTTP/1.1 101 "));
    const std::string run = R"({"system": "", "inputs": [")" + id + "\"]}";
    client.send(std::string{'\x81', static_cast<char>(0x80 | run.size()), 0, 0, 0, 0} + run);
    EXPECT_THAT(client.receive("\"state\":\"frame\""), HasSubstr("\x82"));
  }
  EXPECT_TRUE(test::eventually([&] { return left_ > 0; }));
}

TEST_F(LiveStreamTest, ThePageCannotNameASource) {
  for (const char* name : {"camera:0", "rtsp:host.mp4x", "http:%2f%2fhost%2flive"})
    EXPECT_THROW(session_.respond({.method = "POST",
                                   .target = *parse_target(std::string("/inputs?name=") + name),
                                   .body = "x"}),
                 InvalidArgument)
        << name;
}

}  // namespace
}  // namespace fovea::view
