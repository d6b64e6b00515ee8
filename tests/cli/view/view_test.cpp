// The verb fovea view: its words, its first line and its end.
// Covers: view, browser
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "cli/program/program.h"
#include "support/waiting.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

TEST(View, PrintsItsAddressAndEndsWithASignal) {
  const test::TempFolder folder;
  write_ramp(folder / "a.png");
  const std::string out = folder / "out";
  Process process(program({"view", folder / "a.png", "--no-open"}), out);
  std::string line;
  test::eventually([&] {
    line = std::filesystem::exists(out) ? test::load(out) : "";
    return line.find('\n') != line.npos;
  });
  EXPECT_THAT(line, MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/#[0-9a-f]+\n"));
  process.send(SIGTERM);
  EXPECT_EQ(process.wait().status, kDone);
}

TEST(View, AsksForASecretBeforeOtherMachinesConnect) {
  const Ended ended = run_here({"view", "--host", "0.0.0.0"}, fired());
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("--token-file"));
}

TEST(View, TakesOriginsThatMayEmbedItsPage) {
  EXPECT_EQ(run_here({"view", "--no-open", "--allow-embedding", "http://localhost:8888",
                      "--allow-embedding", "https://hub.example,http://desk"},
                     fired())
                .status,
            kDone);
  for (const char* text : {"localhost:8888", "http://localhost:8888/lab", "*"}) {
    const Ended ended = run_here({"view", "--no-open", "--allow-embedding", text}, fired());
    EXPECT_EQ(ended.status, kUsage) << text;
    EXPECT_THAT(ended.err, HasSubstr(std::string("--allow-embedding ") + text));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

// A variable of the environment, as long as this lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~Variable() {
    if (before_) setenv(name_, before_->c_str(), 1);
    else unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_{};
};

TEST(View, SaysHowItIsReachedWhereTheUserHasComeBySsh) {
  const Variable connection("SSH_CONNECTION", "10.0.0.3 51234 10.0.0.7 22"), user("USER", "ann");
  const Ended ended = run_here({"view", "--no-open"}, fired());
  const std::string port = ended.out.substr(17, ended.out.find('/', 17) - 17);
  EXPECT_THAT(ended.err, HasSubstr("ssh -L " + port + ":localhost:" + port + " ann@10.0.0.7\n"));
  EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  EXPECT_EQ(run_here({"view", "--no-open", "--quiet"}, fired()).err, "");
  const Variable none("SSH_CONNECTION", "");
  EXPECT_EQ(run_here({"view", "--no-open"}, fired()).err, "");
}

TEST(View, NamesInputsThatItCannotShow) {
  EXPECT_EQ(run_here({"view", "/no/such.png"}, fired()).status, kBadInput);
  const test::TempFolder folder;
  test::save(folder / "a.doc", "text");
  const Ended unknown = run_here({"view", folder / "a.doc"}, fired());
  EXPECT_EQ(unknown.status, kUsage);
  EXPECT_THAT(unknown.err, HasSubstr("a.doc"));
  test::save(folder / "a.txt", "text");
  const Ended no_tracks = run_here({"view", folder / "a.txt"}, fired());
  EXPECT_EQ(no_tracks.status, kBadInput);
  EXPECT_THAT(no_tracks.err, HasSubstr("a.txt"));
}

TEST(View, NamesATruthThatIsNotThere) {
  const Ended ended = run_here({"view", "--truth", "/no/such"}, fired());
  EXPECT_EQ(ended.status, kBadInput);
  EXPECT_THAT(ended.err, HasSubstr("/no/such"));
}

TEST(View, RefusesADamagedTruthAtTheStart) {
  const test::TempFolder folder;
  test::save(folder / "gt.txt", "1,7,9,17,40,x\n");
  test::save(folder / "clips.txt", "walk.y4m wave\nrun.y4m jump ann 9-2\n");
  test::save(folder / "all.json",
             R"({"images": [{"id": 1, "file_name": "a.mp4", "frame": -2}], "annotations": []})");
  for (const char* name : {"gt.txt", "clips.txt", "all.json"}) {
    const Ended ended = run_here({"view", "--no-open", "--truth", folder / name}, fired());
    EXPECT_EQ(ended.status, kBadInput) << name;
    EXPECT_THAT(ended.err, HasSubstr(name));
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

TEST(View, EndsAtOnceWhereItIsStopped) {
  const Ended ended = run_here({"view", "--no-open"}, fired());
  EXPECT_EQ(ended.status, kDone);
  EXPECT_THAT(ended.out, HasSubstr("http://127.0.0.1:"));
}

}  // namespace
}  // namespace fovea::cli
