// The requests of the page, from a dropped file to the explanation of a result.
// Covers: arrivals, system, result, run_body, emd, view
#include "view/session.h"

#include <fovea/core/error.h>
#include <fovea/io/image_memory.h>
#include <gmock/gmock.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/model/crc32.h"
#include "support/files.h"
#include "support/messages.h"
#include "support/waiting.h"
#include "view/page_files.h"
#include "view/saved_results/saved_file.h"
#include "view/session_fixture.h"
#include "view/view.h"

namespace fovea::view {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SessionTest : public SessionFixture {
 protected:
  using SessionFixture::SessionFixture;
};

TEST_F(SessionTest, HasThePageAndItsModules) {
  EXPECT_THAT(get("/").body, StartsWith("<!doctype html>"));
  EXPECT_EQ(get("/page/app.js").type, "text/javascript; charset=utf-8");
  EXPECT_EQ(get("/page/mesh_view.js").type, "text/javascript; charset=utf-8");
  EXPECT_EQ(get("/page/none.js").status, 404);
  EXPECT_EQ(get("/page").status, 404);
  EXPECT_EQ(get("/nothing").status, 404);
  EXPECT_EQ(post("/nothing", "").status, 404);
}

TEST_F(SessionTest, NeedsNothingFromElsewhere) {
  for (const char* name : {"index.html", "style.css", "app.js", "api.js", "box.js", "canvas.js",
                           "solid.js", "why.js"}) {
    ASSERT_NE(find_page_file(name), nullptr) << name;
    const std::string text(find_page_file(name)->text);
    EXPECT_EQ(text.find("https://"), text.npos) << name;
    EXPECT_EQ(text.find("innerHTML"), text.npos) << name;
  }
}

TEST(PageFiles, ShowTheColorsThatLayersHave) {
  const std::string text(find_page_file("why.js")->text);
  for (const report::ColorMap map : {report::ColorMap::kEmber, report::ColorMap::kBalance})
    for (const double end : {0.0, 1.0}) {
      const report::Color color = report::color_at(map, end);
      EXPECT_THAT(text, HasSubstr(fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b)));
    }
}

TEST_F(SessionTest, TellsAllPagesWhatOneHasUploaded) {
  std::vector<std::string> first, second;
  const auto listen = [&](std::vector<std::string>& heard) {
    return session_.listen({.method = "GET", .target = {"/inputs"}},
                           [&heard](const std::string& text, bool) { heard.push_back(text); });
  };
  std::unique_ptr<Listener> gone = listen(first);
  const std::unique_ptr<Listener> stays = listen(second);
  const std::string id = upload(drawn(32, 24));
  gone.reset();
  upload(drawn(32, 24), "b.png");
  const auto counts = [](const std::vector<std::string>& heard) {
    std::vector<int> all;
    for (const std::string& text : heard) all.push_back(json::parse(text)["inputs"]);
    return all;
  };
  EXPECT_THAT(counts(first), testing::ElementsAre(0, 1));
  EXPECT_THAT(counts(second), testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(parsed(get("/inputs"))[0]["id"], id);
  const json rest = parsed(get("/inputs?from=1"));
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0]["name"], "b.png");
}

TEST(ArrivalsTest, CountsOnceItHearsAndTellsProgramsApart) {
  std::vector<json> heard;
  const auto hear = [&](const std::string& text, bool) { heard.push_back(json::parse(text)); };
  Arrivals one, other;
  const auto meanwhile = [&] {
    one.tell(1);
    return std::size_t{1};
  };
  const auto listener = one.listen(meanwhile, hear);
  const auto again = one.listen([] { return std::size_t{1}; }, hear);
  const auto elsewhere = other.listen([] { return std::size_t{0}; }, hear);
  ASSERT_EQ(heard.size(), 4U) << "an input that comes while a page begins to listen is heard";
  EXPECT_EQ(heard[0]["inputs"], 1);
  EXPECT_EQ(heard[1]["program"], heard[2]["program"]);
  EXPECT_NE(heard[2]["program"], heard[3]["program"]);
}

TEST_F(SessionTest, TakesResultsThatThePageSends) {
  const std::string id = upload(drawn(40, 30), "a.png");
  const json coco{{"images", {{{"id", 1}, {"file_name", "/photos/a.png"}}}},
                  {"annotations", {{{"image_id", 1}, {"bbox", {1, 2, 10, 20}}, {"score", 0.5}}}}};
  EXPECT_EQ(parsed(post("/inputs?name=found.json", coco.dump()))["about"], id);
  EXPECT_EQ(parsed(get("/earlier"))["files"][0]["name"], "found.json");
  EXPECT_EQ(parsed(get("/earlier/" + id + "?frame=0"))["files"][0]["boxes"].size(), 1U);
  EXPECT_EQ(parsed(get("/inputs")).size(), 1U) << "results are no input";
  EXPECT_THAT(test::message_of<FormatError>([&] { post("/inputs?name=bad.json", "{"); }),
              testing::StartsWith("bad.json: "));
}

TEST_F(SessionTest, MakesAFilmOfFrames) {
  json ids = json::array();
  for (const char* name : {"f1.png", "f2.png", "f3.png"})
    ids.push_back(upload(drawn(96, 160), name));
  const json film = parsed(post("/films", json{{"name", "f"}, {"inputs", ids}}.dump()));
  EXPECT_EQ(film["kind"], "video");
  EXPECT_EQ(film["pictures"], ids);
  EXPECT_EQ(parsed(get("/inputs?from=3"))[0]["pictures"], ids);
  // What takes images works on the picture itself.
  const json result = parsed(
      get(run({{"system", "people"}, {"model", "hog"}, {"inputs", {film["id"]}}, {"frame", 1}})));
  EXPECT_THAT(result["command"].get<std::string>(), testing::HasSubstr("detect f2.png --model"));
  const json pair = parsed(get(run({{"system", "flow"}, {"inputs", {film["id"]}}, {"frame", 1}})));
  EXPECT_THAT(pair["command"].get<std::string>(), testing::HasSubstr(" f2.png f3.png "));
  EXPECT_EQ(parsed(post("/films", json{{"name", "f"}, {"inputs", {ids[0]}}}.dump())),
            json::object());
}

TEST_F(SessionTest, ListsSystemsWithControls) {
  const json extensions = parsed(get("/systems"))["extensions"];
  EXPECT_THAT(extensions, testing::IsSupersetOf({"jpg", "mp4", "off", "hdr"}));
  const json systems = parsed(get("/systems"))["systems"];
  ASSERT_GE(systems.size(), 4U);
  EXPECT_EQ(systems[0]["name"], "people");
  EXPECT_EQ(systems[0]["models"][0], "channels");
  EXPECT_NE(systems[0]["model_texts"]["channels"], "");
  EXPECT_GT(systems[0]["controls"].size(), 5U);
  EXPECT_EQ(systems[1]["images"], 2);
}

TEST_F(SessionTest, TakesUploadsAndShowsThem) {
  const std::string id = upload(drawn(300, 200), "street one.png");
  const json facts = parsed(get("/inputs/" + id));
  EXPECT_EQ(facts["name"], "street one.png");
  EXPECT_EQ(facts["width"], 300);
  EXPECT_EQ(facts["levels"], 2);
  EXPECT_EQ(parsed(get("/inputs")).size(), 1U);
  const Response tile = get("/inputs/" + id + "/tile/0/0/1/0");
  EXPECT_EQ(tile.type, "image/png");
  EXPECT_TRUE(tile.lasting);
  const Response thumbnail = get("/inputs/" + id + "/thumbnail");
  EXPECT_EQ(thumbnail.type, "image/png");
  EXPECT_TRUE(thumbnail.lasting);
  for (const char* path : {"/", "/page/app.js", "/systems", "/inputs"})
    EXPECT_FALSE(get(path).lasting) << path;
  EXPECT_EQ(get("/inputs/" + id + "/tile/0/0/x/0").status, 404);
  EXPECT_EQ(get("/inputs/" + id + "/tile/0/0/0").status, 404);
  EXPECT_THROW(get("/inputs/" + id + "/tile/0/0/9/0"), InvalidArgument);
  EXPECT_THROW(get("/inputs/" + id + "/tile/1/0/0/0"), InvalidArgument) << "an image has one frame";
  EXPECT_EQ(get("/inputs/none").status, 404);
}

TEST_F(SessionTest, RefusesUploadsThatAreNoInputs) {
  EXPECT_THROW(post("/inputs?name=a.exe", "x"), InvalidArgument);
  EXPECT_THROW(post("/inputs", "x"), InvalidArgument);
  EXPECT_THROW(post("/inputs?name=a.png", "no picture"), FormatError);
  const std::string message =
      test::message_of<FormatError>([&] { post("/inputs?name=torn.png", "no picture"); });
  EXPECT_THAT(message, HasSubstr("torn.png"));
  EXPECT_EQ(message.find(session_.inputs().folder()), message.npos) << message;
  EXPECT_EQ(get("/inputs").body, "[]");
  const std::string id =
      parsed(post("/inputs?name=..%2f..%2fevil.png", io::png_bytes(drawn(20, 20))))["id"];
  const std::string path = session_.inputs().find(id)->path();
  EXPECT_THAT(path, StartsWith(session_.inputs().folder() + "/"));
  EXPECT_EQ(path.find(".."), path.npos);
}

TEST_F(SessionTest, CutsLongNamesBeforeTheirEnd) {
  const std::string id = upload(drawn(20, 20), std::string(300, 'n') + ".png");
  const std::string name = session_.inputs().find(id)->name();
  EXPECT_EQ(name, std::string(116, 'n') + ".png");
}

// A picture of few bytes must not take gigabytes, though the command line may name it.
TEST_F(SessionTest, UploadsHaveSmallerLimits) {
  std::string png = io::png_bytes(drawn(20, 20));
  constexpr std::size_t kHeader = 12, kWidth = 16, kChecksum = 29;
  png.replace(kWidth, 8, std::string("\0\0\x40\0\0\0\x20\0", 8));  // 16384x8192
  const std::uint32_t crc = io::crc32(test::as_bytes(png).subspan(kHeader, kChecksum - kHeader));
  for (std::size_t i = 0; i < 4; ++i)
    png[kChecksum + i] = static_cast<char>(crc >> (24 - 8 * i) & 0xffU);
  png.append(600'000, '\0');  // so that the file is long enough for as many pixels
  EXPECT_THAT(test::message_of<FormatError>([&] { session_.inputs().add_upload("a.png", png); }),
              test::says("a.png", "16384x8192", "67108864 allowed"));
}

TEST_F(SessionTest, RemovesUploadsAtTheEnd) {
  std::string folder;
  {
    Session session({});
    folder = session.inputs().folder();
    session.inputs().add_upload("a.png", io::png_bytes(drawn(20, 20)));
    EXPECT_TRUE(std::filesystem::exists(folder));
    const auto rights = std::filesystem::status(folder).permissions();
    EXPECT_EQ(rights & std::filesystem::perms::others_all, std::filesystem::perms::none);
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(SessionTest, FindsPeopleAndSaysWhy) {
  const std::string id = upload(drawn(96, 160));
  const std::string address = run({{"system", "people"},
                                   {"inputs", {id}},
                                   {"model", "hog"},
                                   {"options", {{"ratio", "1.5"}, {"threshold", "-9"}}}});
  const json result = parsed(get(address));
  EXPECT_EQ(result["width"], 96);
  EXPECT_THAT(result["command"].get<std::string>(),
              HasSubstr("fovea people detect a.png --model hog --threshold -9 --ratio 1.5"));
  EXPECT_THAT(result["python"].get<std::string>(),
              HasSubstr("fovea.people.detect(\"a.png\", model=\"hog\", threshold=-9, ratio=1.5)"));
  EXPECT_TRUE(result["marks"].is_array());
  EXPECT_EQ(parsed(get(address + "/result.json"))["command"], "people detect");
  EXPECT_EQ(get(address + "/explain?x=48&y=80").status, 404) << "nobody has asked yet";
  const json reasons = why(address, {{"x", 48}, {"y", 80}});
  EXPECT_GT(reasons["summary"].get<std::string>().size(), 10U);
  ASSERT_GT(reasons["layers"].size(), 0U);
  EXPECT_EQ(get(address + "/heat/0?x=48&y=80").type, "image/png");
  EXPECT_EQ(get(address + "/heat/99?x=48&y=80").status, 404);
  for (const double x : {1e300, -1.0, 96.0})
    EXPECT_EQ(ask(address, {{"x", x}, {"y", 80}}).status, 404) << x;
  for (const char* body : {"", "[]", "{}", R"({"x": "1", "y": 1})", R"({"x": 1e999, "y": 1})"})
    EXPECT_THROW(post(address + "/explain", body), FormatError) << body;
  EXPECT_EQ(ask("/results/none", {{"x", 1}, {"y", 1}}).status, 404);
  EXPECT_EQ(get(address + "/nothing?x=48&y=80").status, 404);
  EXPECT_EQ(get(address + "/explain").status, 404);
  const Response page = get(address + "/page.html?x=48&y=80");
  EXPECT_THAT(page.body, HasSubstr("fovea people detect"));
  EXPECT_EQ(page.body.find("<script"), page.body.npos);
}

TEST_F(SessionTest, SavesPagesWithoutFoldersOfThisMachine) {
  const test::TempFolder folder;
  std::vector<std::string> ids;
  for (const char* name : {"one.png", "two.png"}) {
    io::write_image(folder / name, drawn(96, 160).view());
    session_.inputs().add_paths({folder / name});
    ids.push_back(session_.inputs().all().back()->id());
  }
  for (const char* system : {"people", "flow"}) {
    const std::string address = run({{"system", system}, {"inputs", ids}});
    EXPECT_THAT(parsed(get(address))["command"].get<std::string>(), HasSubstr(folder.path()))
        << "here the line has to find its inputs";
    const std::string page = get(address + "/page.html").body;
    EXPECT_EQ(page.find(folder.path()), page.npos) << system;
    EXPECT_THAT(page, HasSubstr(" in one.png"));
  }
}

TEST_F(SessionTest, EstimatesMotionAndSaysWhy) {
  const std::string first = upload(drawn(64, 48)), second = upload(drawn(64, 48, 2));
  const std::string address =
      run({{"system", "flow"}, {"inputs", {first, second}}, {"options", {{"lk-radius", "3"}}}});
  const json result = parsed(get(address));
  EXPECT_EQ(result["layers"][0]["name"], "wheel");
  EXPECT_THAT(result["summary"].get<std::string>(), HasSubstr("from a.png to a.png"));
  EXPECT_THAT(result["command"].get<std::string>(),
              HasSubstr("fovea flow lk a.png a.png --quality fast --radius 3 -o a_flow_lk.flo"));
  EXPECT_EQ(result["python"],
            "fovea.flow.estimate(\"a.png\", \"a.png\", quality=\"fast\", lk_radius=3)");
  EXPECT_EQ(get(address + "/tile/wheel/0/0/0").type, "image/png");
  EXPECT_EQ(get(address + "/tile/none/0/0/0").status, 404);
  EXPECT_THAT(get(address + "/page.html").body, HasSubstr("Confidence"));
  const SavedFile opened = parse_saved_json(get(address + "/result.json").body, "saved.json");
  EXPECT_EQ(opened.what, "flow lk");
  EXPECT_EQ(opened.items.at(0).input, "a.png");
  EXPECT_THAT(opened.items[0].text, HasSubstr("pixels on average"));
  EXPECT_TRUE(why(address, {{"x", 20}, {"y", 20}})["title"].is_string());
}

TEST_F(SessionTest, MapsColorsOfABoxAndSaysWhy) {
  const std::string id = upload(drawn(64, 48));
  const std::string address = run({{"system", "emd"}, {"inputs", {id}}, {"box", {8, 8, 16, 16}}});
  const json result = parsed(get(address));
  EXPECT_EQ(result["layers"][0]["name"], "map");
  EXPECT_THAT(result["command"].get<std::string>(),
              HasSubstr("--target 8,8,16,16 --signature colors"));
  const std::string saved = get(address + "/result.json").body;
  EXPECT_EQ(json::parse(saved)["stats"]["pixels"], 64 * 48);
  EXPECT_EQ(parse_saved_json(saved, "saved.json").items.at(0).input, "a.png");
  EXPECT_TRUE(why(address, {{"x", 20}, {"y", 20}})["tables"].is_array());
}

TEST_F(SessionTest, NamesPlacesAndSaysWhy) {
  const std::string id = upload(drawn(96, 96));
  const std::string address = run({{"system", "scenes"}, {"inputs", {id}}});
  const json result = parsed(get(address));
  ASSERT_GT(result["scores"].size(), 1U);
  EXPECT_GE(result["scores"][0]["value"], result["scores"][1]["value"]);
  const SavedFile saved = parse_saved_json(get(address + "/result.json").body, "saved.json");
  EXPECT_EQ(saved.what, "scenes classify");
  ASSERT_EQ(saved.items.size(), 1U);
  EXPECT_EQ(saved.items[0].input, "a.png");
  ASSERT_EQ(saved.items[0].scores.size(), result["scores"].size());
  EXPECT_EQ(saved.items[0].scores[0].first, result["scores"][0]["name"].get<std::string>());
  const json reasons = why(address, {{"x", 1}, {"y", 1}})["reasons"];
  const auto word =
      std::ranges::find_if(reasons, [](const json& reason) { return reason.contains("box"); });
  ASSERT_NE(word, reasons.end()) << "a word is shown by a part of the picture";
  const Response patch = get(fmt::format(
      "{}/patch/{}", address, fmt::join((*word)["box"].get<std::vector<double>>(), ",")));
  EXPECT_EQ(patch.type, "image/png");
  EXPECT_TRUE(patch.lasting);
  for (const char* box : {"", "1,2,3", "1,2,3,x", "1,1,0,0", "-9,-9,5,5", "96,96,4,4", "nan,0,1,1"})
    EXPECT_EQ(get(fmt::format("{}/patch/{}", address, box)).status, 404) << box;
  const std::string plain = get(address + "/page.html").body,
                    explained = get(address + "/page.html?x=1&y=1").body;
  const std::string name = (*word)["name"];
  EXPECT_EQ(plain.find("<figcaption>" + name), plain.npos);
  EXPECT_NE(explained.find(name + ": "), explained.npos);
  EXPECT_EQ(get(address + "/explain?x=40&y=40").status, 404) << "it is not kept";
  EXPECT_GT(get(address + "/page.html?x=40&y=40").body.size(), plain.size())
      << "an explanation that is not kept any more is made again for the page";
}

TEST_F(SessionTest, DividesMeshesAndSaysWhy) {
  // Two tetrahedra that share an edge.
  const std::string off =
      "OFF\n6 8 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0 -1 0\n"
      "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n3 0 4 5\n3 0 3 4\n3 0 5 3\n3 4 3 5\n";
  const std::string id = parsed(post("/inputs?name=two.off", off))["id"];
  EXPECT_EQ(parsed(get("/inputs/" + id))["kind"], "mesh");
  EXPECT_GT(parsed(get("/inputs/" + id + "/shape.json"))["corners"].get<std::string>().size(), 8U);
  EXPECT_EQ(get("/inputs/" + id + "/thumbnail").type, "image/png");
  const std::string address =
      run({{"system", "mesh"}, {"inputs", {id}}, {"options", {{"parts", "2"}}}});
  const json result = parsed(get(address));
  EXPECT_THAT(result["summary"].get<std::string>(), HasSubstr("8 faces has 2 parts"));
  EXPECT_EQ(parsed(get(address + "/parts.json"))["levels"].size(), 1U);
  EXPECT_EQ(result["surfaces"][0]["name"], "membership");
  const SavedFile saved = parse_saved_json(get(address + "/result.json").body, "saved.json");
  EXPECT_EQ(saved.what, "mesh segment");
  ASSERT_EQ(saved.items.size(), 1U);
  EXPECT_EQ(saved.items[0].input, "two.off");
  EXPECT_EQ(saved.items[0].labels.size(), 8U);
  EXPECT_EQ(get(address + "/surface/membership").body.size(), 8 * 3U);
  EXPECT_EQ(get(address + "/surface/none").status, 404);
  const json face = why(address, {{"face", 3}});
  EXPECT_THAT(face["title"].get<std::string>(), StartsWith("Why face 3 belongs to part"));
  EXPECT_EQ(get(address + "/faces/0?face=3").body.size(), 8 * 3U);
  EXPECT_EQ(get(address + "/faces/9?face=3").status, 404);
  EXPECT_EQ(why(address, {{"face", -1}})["title"], "Why the mesh has 2 parts");
  EXPECT_EQ(ask(address, {{"x", 1}, {"y", 1}}).status, 404);
  const json refused = JobEnd(session_, parsed(ask(address, {{"face", 8}}))["job"]).wait();
  EXPECT_EQ(refused["state"], "failed");
  const std::string page = get(address + "/page.html?face=3").body;
  EXPECT_THAT(page, HasSubstr("class=\"stage\""));
  EXPECT_THAT(page, HasSubstr("Face 3 belongs to part"));
}

TEST_F(SessionTest, RefusesRunsThatMakeNoSense) {
  const std::string id = upload(drawn(32, 32));
  const std::string start = R"({"system": "people", "inputs": [")" + id + "\"]";
  for (const std::string& body : std::vector<std::string>{
           "", "[]", "{", "{}", R"({"system": "people", "inputs": []})",
           R"({"system": "people", "inputs": ["/etc/passwd"]})", start + R"(, "frame": 1e99})",
           start + R"(, "box": [1, 2]})", start + R"(, "box": ["a", 1, 1, 1]})",
           start + R"(, "options": 5})", start + R"(, "options": {"ratio": 5}})",
           start + R"(, "client": 5})", start + ", \"model\": \"" + std::string(9999, 'x') + "\"}"})
    EXPECT_THROW(post("/run", body), Error) << body.substr(0, 80);
  EXPECT_EQ(post("/run", R"({"system": "none", "inputs": [")" + id + "\"]}").status, 404);
}

TEST_F(SessionTest, AdmitsBodiesByTheirPath) {
  const auto bytes = [&](const std::string& method, const std::string& path) {
    const std::string host = "localhost";
    return session_.admit(
        {.method = method, .target = {path}, .host = host, .origin = "http://localhost"});
  };
  EXPECT_EQ(std::get<std::size_t>(bytes("GET", "/")), 0U);
  EXPECT_EQ(std::get<std::size_t>(bytes("POST", "/session")), 256U);
  EXPECT_EQ(std::get<Response>(bytes("POST", "/inputs")).status, 401);
}

// Explains until somebody stops it, and works so on all frames but the first.
class SlowView final : public SystemView {
 public:
  SlowView() : SystemView({.name = "slow", .title = "Slow", .text = "Has no end."}) {}
  Result run(const Run& run, const Exec& run_exec) override {
    if (run.frame > 0) test::wait_for_stop(run_exec.stop);
    throw_if_stopped(run_exec);
    Result result{.image = run.inputs.front()->frame(0), .size = {64, 48}};
    result.explain = [](report::Point, const Exec& exec) -> report::Explanation {
      test::wait_for_stop(exec.stop);
      throw_if_stopped(exec);
      return {};
    };
    return result;
  }
};

class SlowSessionTest : public SessionTest {
 protected:
  SlowSessionTest() : SessionTest(slow_systems()) {}
  static Systems slow_systems() {
    Systems systems;
    systems.push_back(std::make_unique<SlowView>());
    return systems;
  }
};

TEST_F(SlowSessionTest, AnswersWhileAnExplanationGoesOn) {
  const std::string id = upload(drawn(64, 48));
  const std::string address = run({{"system", "slow"}, {"inputs", {id}}});
  JobEnd first(session_, parsed(ask(address, {{"x", 1}, {"y", 1}}, "one"))["job"]);
  JobEnd second(session_, parsed(ask(address, {{"x", 2}, {"y", 2}}, "two"))["job"]);
  EXPECT_EQ(get("/inputs/" + id + "/tile/0/0/0/0").type, "image/png");
  EXPECT_EQ(get(address + "/explain?x=1&y=1").status, 404);
  EXPECT_NE(run({{"system", "slow"}, {"inputs", {id}}}), address) << "runs do not wait either";
  first.stop();
  EXPECT_EQ(first.wait()["state"], "stopped");
  JobEnd newest(session_, parsed(ask(address, {{"x", 3}, {"y", 3}}, "two"))["job"]);
  EXPECT_EQ(second.wait()["state"], "stopped") << "a page asks one question at a time";
  newest.stop();
  EXPECT_EQ(newest.wait()["state"], "stopped");
}

TEST_F(SlowSessionTest, AnswersOtherPagesAndAReloadWhileARunGoesOn) {
  const std::string id = upload(drawn(64, 48));
  const auto body = [&](const char* client, int frame) {
    return json{{"client", client}, {"system", "slow"}, {"inputs", {id}}, {"frame", frame}};
  };
  JobEnd endless(session_, parsed(post("/run", body("one", 1).dump()))["job"]);
  run(body("two", 0));
  for (const std::string& path :
       std::vector<std::string>{"/", "/systems", "/inputs", "/inputs/" + id})
    EXPECT_EQ(get(path).status, 200) << path;
  run(body("one", 0));
  EXPECT_EQ(endless.wait()["state"], "stopped") << "a page that is loaded again is the same page";
}

TEST(TokenFile, MustBeSecretAndLong) {
  const test::TempFolder folder;
  const std::string path = folder / "token";
  test::save(path, std::string(40, 't') + "\nmore\n");
  EXPECT_THAT(test::message_of([&] { read_token_file(path); }), HasSubstr("chmod 600"));
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_EQ(read_token_file(path), std::string(40, 't'));
  std::filesystem::remove(path);
  test::save(path, "short\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  EXPECT_THAT(test::message_of([&] { read_token_file(path); }), HasSubstr("5 characters"));
  EXPECT_THROW(read_token_file(folder / "none"), IoError);
}

TEST(View, KnowsTheNameItListensAt) {
  const View view({.host = "localhost", .token = std::string(40, 't')}, [](const std::string&) {});
  EXPECT_THAT(view.address(), StartsWith("http://localhost:"));
  EXPECT_THROW(View({.host = "no.such.host.invalid"}, {}), IoError);
}

TEST(View, ListensAndNamesItsAddress) {
  const test::TempFolder folder;
  EXPECT_THROW(View({.inputs = {folder / "none.png"}}, {}), IoError);
  const View view({}, [](const std::string&) {});
  EXPECT_THAT(view.address(), StartsWith("http://127.0.0.1:" + std::to_string(view.port()) + "/#"));
  EXPECT_EQ(view.address().size() - view.address().find('#'), 65U);
}

}  // namespace
}  // namespace fovea::view
