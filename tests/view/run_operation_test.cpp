// What the page saves of a result is what the program writes: the bytes of every file and of the
// JSON are compared with those of a run of the program.
// Covers: run_operation, save_result
#include "view/run_operation.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "cli/program/program.h"
#include "io/image/exif.h"
#include "io/model/crc32.h"
#include "support/server.h"
#include "view/save/zip.h"
#include "view/saved_results/saved_file.h"
#include "view/session_fixture.h"

namespace fovea::view {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Two tetrahedra that share an edge.
constexpr const char* kTwo =
    "OFF\n6 8 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n-1 0 0\n0 -1 0\n"
    "3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n3 0 4 5\n3 0 3 4\n3 0 5 3\n3 4 3 5\n";

// The same picture with the note that it is seen upright when it is turned clockwise.
std::string turned(std::string png) {
  constexpr std::size_t kHeaderEnd = 33;
  const auto number = [](std::size_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xffU);
    return bytes;
  };
  const auto exif = io::make_exif(6);
  const std::string chunk = "eXIf" + std::string(exif.begin(), exif.end());
  return png.insert(
      kHeaderEnd, number(exif.size()) + chunk + number(io::crc32(std::as_bytes(std::span(chunk)))));
}

class RunOperation : public SessionFixture {
 protected:
  RunOperation() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_ / "");
  }
  ~RunOperation() override { std::filesystem::current_path(before_); }

  // The id of an input that the program knows by the same name.
  std::string add(const std::string& name) {
    session_.inputs().add_paths({name});
    return session_.inputs().all().back()->id();
  }

  // The program's run with more words, which has to succeed.
  static std::string printed(std::vector<std::string> words, std::vector<std::string> more) {
    words.insert(words.end(), {"--device", "cpu", "--threads", "1"});
    words.insert(words.end(), more.begin(), more.end());
    const cli::Ended ended = cli::run_here(words);
    EXPECT_EQ(ended.status, cli::kDone) << ended.err;
    return ended.out;
  }

  static const operations::Output& output_of(const std::vector<std::string>& words,
                                             const std::string& name) {
    for (const operations::Operation& operation : operations::operations())
      if (operation.words.system == words[0] && operation.words.verb == words[1])
        for (const operations::Output& output : operation.outputs)
          if (output.name == name) return output;
    throw std::logic_error(name);
  }

  // Compares each file that a result lists with what the program writes, and returns their names.
  std::vector<std::string> compare_files(const std::string& address,
                                         const std::vector<std::string>& words) {
    std::vector<std::string> names;
    const json files = parsed(get(address))["files"];
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string file = files[i]["file"], name = files[i]["name"];
      const operations::Output& output = output_of(words, name);
      if (output.list != operations::List::kNo && file.ends_with(".json")) continue;  // has times
      const bool folder = output.share == operations::Share::kOneFolder;
      std::vector<std::string> more{"--" + name, folder ? "." : file, "--overwrite"};
      if (!output.kinds.empty()) {
        const std::string kind = files[i]["help"];  // "the picture wheel"
        more.insert(more.begin() + 1, kind.substr(kind.rfind(' ') + 1));
      }
      printed(words, more);
      std::string expected = test::load(file);
      if (const std::string materials = std::filesystem::path(file).stem().string() + ".mtl";
          file.ends_with(".obj"))
        expected = zip_of({{materials, test::load(materials)}, {file, expected}});
      EXPECT_EQ(get(fmt::format("{}/save/{}", address, i)).body, expected) << file;
      EXPECT_EQ(files[i]["help"].get<std::string>().find("standard output"), std::string::npos)
          << "the page has none";
      names.push_back(file);
    }
    return names;
  }

  test::TempFolder folder_;

 private:
  std::filesystem::path before_;
};

TEST_F(RunOperation, SavesPeopleAsTheProgramWritesThem) {
  io::write_image("a b.png", drawn(96, 160).view());
  const std::string address = run({{"system", "people"},
                                   {"inputs", {add("a b.png")}},
                                   {"model", "hog"},
                                   {"options", {{"ratio", "1.5"}, {"threshold", "-9"}}}});
  const json result = parsed(get(address));
  ASSERT_FALSE(result["marks"].empty());
  EXPECT_EQ(result["facts"][0]["value"], "96 pixels");
  const std::vector<std::string> words{"people",  "detect", "a b.png",     "--model", "hog",
                                       "--ratio", "1.5",    "--threshold", "-9"};
  const std::vector<std::string> names = compare_files(address, words);
  for (const char* name :
       {"a b_people_detect.png", "a b_people_detect_coco.json", "a b_people_detect.csv",
        "a b_people_detect.parquet", "a b.txt", "a b.json"})
    EXPECT_THAT(names, Contains(name));
  const std::string saved = get(address + "/result.json").body;
  EXPECT_EQ(saved, printed(words, {"--json", "--manifest", "m"}));
  EXPECT_EQ(parse_saved_json(saved, "saved.json").items.at(0).boxes.size(), result["marks"].size());
  EXPECT_EQ(result["stem"], "a b_people_detect");
  EXPECT_EQ(get(address + "/save/999").status, 404);
  EXPECT_EQ(get(address + "/save/x").status, 404);
  const Response file = get(address + "/save/1");
  ASSERT_EQ(file.headers.size(), 1U);
  EXPECT_THAT(file.headers[0].second, HasSubstr("filename*=UTF-8''a%20b_people_detect"));
}

TEST_F(RunOperation, SaysWhatTheProgramAdvisesInWordsOfThePage) {
  Image<std::uint8_t> small(96, 160);  // in which nobody is
  for (int y = 0; y < small.height(); ++y)
    for (int x = 0; x < small.width(); ++x) small.at(x, y) = 128;
  const std::string result = run({{"client", "page"},
                                  {"system", "people"},
                                  {"model", "hog"},
                                  {"inputs", {upload(small, "small.png")}}});
  EXPECT_THAT(parsed(get(result))["summary"].get<std::string>(),
              testing::HasSubstr("is only 160 pixels high: the option \"enlarge\" at 2 may find"));
}

TEST_F(RunOperation, SavesAFrameOfAVideoByItsNumber) {
  test::save("v.y4m", test::y4m_video(96, 160, 4));
  const std::string address = run({{"system", "people"},
                                   {"inputs", {add("v.y4m")}},
                                   {"frame", 2},
                                   {"options", {{"threshold", "-20"}}}});
  const std::vector<std::string> words{
      "people", "detect", "v.y4m", "--threshold", "-20", "--first-frame", "2", "--frames", "1"};
  EXPECT_EQ(get(address + "/result.json").body, printed(words, {"--json", "--manifest", "m"}));
  const json files = parsed(get(address))["files"];
  for (std::size_t i = 0; i < files.size(); ++i)
    if (files[i]["name"] == "coco") {
      EXPECT_EQ(files[i]["file"], "v_000002_people_detect_coco.json");
      printed(words, {"--coco", files[i]["file"]});
      EXPECT_EQ(get(fmt::format("{}/save/{}", address, i)).body, test::load(files[i]["file"]));
    }
}

TEST_F(RunOperation, SavesMeshesAsTheProgramWritesThem) {
  test::save("two.off", kTwo);
  const std::string id = add("two.off");
  for (const char* division : {"k-way", "hierarchical"}) {
    const std::string address = run({{"system", "mesh"},
                                     {"inputs", {id}},
                                     {"options", {{"parts", "2"}, {"division", division}}}});
    const std::vector<std::string> names = compare_files(
        address, {"mesh", "segment", "two.off", "--parts", "2", "--division", division});
    for (const char* name : {"two_mesh_segment.ply", "two_mesh_segment.obj", "two_mesh_segment.seg",
                             "two_mesh_segment_picture.png", "two_mesh_segment_page.html",
                             "two_mesh_segment_memberships.npy"})
      EXPECT_THAT(names, Contains(name));
    EXPECT_EQ(std::ranges::count(names, "two_mesh_segment_page.htm"), 0);
    const bool tree = std::string_view(division) == "hierarchical";
    EXPECT_EQ(std::ranges::count(names, "two_mesh_segment_tree.json"), tree ? 1 : 0);
    // The page's JSON has the labels as well, so that it opens again.
    json saved = json::parse(get(address + "/result.json").body);
    EXPECT_EQ(saved["results"][0]["labels"].size(), 8U);
    saved["results"][0].erase("labels");
    json of_program = json::parse(printed(
        {"mesh", "segment", "two.off", "--parts", "2", "--division", division, "--seg", "x.seg"},
        {"--json", "--manifest", std::string("m.") + division}));
    of_program["results"][0].erase("seg");
    of_program["options"]["seg"] = "";
    EXPECT_EQ(saved, of_program);
  }
}

TEST_F(RunOperation, SavesMotionAsTheProgramWritesIt) {
  io::write_image("a.png", drawn(64, 48).view());
  io::write_image("b.png", drawn(64, 48, 2).view());
  const json inputs{add("a.png"), add("b.png")};
  for (const char* verb : {"lk", "bm"}) {
    const std::string option = std::string(verb) == "lk" ? "radius" : "block",
                      control = verb + ("-" + option);
    const std::string address = run(
        {{"system", "flow"}, {"inputs", inputs}, {"options", {{"method", verb}, {control, "5"}}}});
    const std::vector<std::string> words{"flow",      verb,   "a.png",       "b.png",
                                         "--quality", "fast", "--" + option, "5"};
    const std::string stem = std::string("a_flow_") + verb;
    EXPECT_EQ(compare_files(address, words),
              (std::vector<std::string>{stem + ".flo", stem + "_wheel.png", stem + "_arrows.png",
                                        stem + "_warp.png", stem + "_confidence.png"}));
    const json result = parsed(get(address));
    EXPECT_EQ(result["command"],
              fmt::format("fovea flow {} a.png b.png --quality fast --{} 5 -o {}.flo", verb, option,
                          stem));
    EXPECT_EQ(result["python"],
              fmt::format("fovea.flow.estimate(\"a.png\", \"b.png\", {}quality=\"fast\", {}_{}=5)",
                          std::string(verb) == "bm" ? "method=\"bm\", " : "", verb, option));
    // The program's run has a file, which the page's JSON does not know.
    json saved = json::parse(get(address + "/result.json").body);
    json of_program = json::parse(printed(words, {"-o", "motion.flo", "--overwrite", "--json"}));
    EXPECT_EQ(saved["first"], "a.png");
    for (const char* time :
         {"output", "seconds", "estimate_seconds", "working_memory_bytes", "peak_memory_bytes"})
      of_program.erase(time);
    EXPECT_EQ(saved, of_program);
  }
}

// Layers lie over the picture, which is upright.
TEST_F(RunOperation, EstimatesMotionBetweenUprightImages) {
  test::save("a.png", turned(io::png_bytes(drawn(64, 48))));
  test::save("b.png", turned(io::png_bytes(drawn(64, 48, 2))));
  const json result =
      parsed(get(run({{"system", "flow"}, {"inputs", {add("a.png"), add("b.png")}}})));
  EXPECT_EQ(result["width"], 48);
  EXPECT_EQ(result["layers"][0]["width"], 48);
  EXPECT_EQ(result["layers"][0]["height"], 64);
}

TEST_F(RunOperation, NamesImagesThatAreNoPair) {
  const std::string first = upload(drawn(64, 48), "one.png");
  const json body = {{"system", "flow"}, {"inputs", {first, upload(drawn(48, 48), "two.png")}}};
  const json state = JobEnd(session_, parsed(post("/run", body.dump()))["job"]).wait();
  EXPECT_EQ(state["state"], "failed");
  EXPECT_EQ(state["error"], "one.png is 64x48, but two.png is 48x48; a pair has one size");
  const json alone = {{"system", "flow"}, {"inputs", {first}}};
  EXPECT_THAT(JobEnd(session_, parsed(post("/run", alone.dump()))["job"]).wait()["error"].dump(),
              HasSubstr("2 images are needed"));
  const json other = {
      {"system", "flow"}, {"inputs", {first, first}}, {"options", {{"method", "hs"}}}};
  EXPECT_THAT(JobEnd(session_, parsed(post("/run", other.dump()))["job"]).wait()["error"].dump(),
              HasSubstr("hs"));
}

TEST_F(RunOperation, EstimatesMotionBetweenFramesOfAVideo) {
  test::save("v.y4m", test::y4m_video(64, 48, 5));
  const std::string address = run({{"system", "flow"}, {"inputs", {add("v.y4m")}}, {"frame", 2}});
  const json result = parsed(get(address));
  EXPECT_THAT(result["summary"].get<std::string>(), HasSubstr("from frame 2 to frame 3"));
  EXPECT_EQ(result["command"],
            "fovea flow lk v.y4m --quality fast --first-frame 2 --frames 2 -o v_000002_flow_lk");
  printed({"flow", "lk", "v.y4m", "--quality", "fast", "--first-frame", "2", "--frames", "2"},
          {"-o", "v_000002_flow_lk"});
  EXPECT_EQ(get(address + "/save/0").body, test::load("v_000002_flow_lk/000002.flo"));
  const json saved = json::parse(get(address + "/result.json").body);
  EXPECT_EQ(saved["input"], "v.y4m");
  EXPECT_EQ(saved["first_frame"], 2);
  EXPECT_EQ(saved["options"]["frames"], 2);
}

TEST_F(RunOperation, SavesPlacesAsTheProgramWritesThem) {
  io::write_image("a.png", drawn(96, 96).view());
  const std::string address = run({{"system", "scenes"}, {"inputs", {add("a.png")}}});
  const std::vector<std::string> words{"scenes", "classify", "a.png", "--model", "sun8"};
  EXPECT_THAT(compare_files(address, words), Contains("a_scenes_classify.csv"));
  const std::string saved = get(address + "/result.json").body;
  EXPECT_EQ(saved, printed(words, {"--json", "--manifest", "m"}));
  EXPECT_EQ(get(address + "/save/1").body, saved);
  const json result = parsed(get(address));
  EXPECT_EQ(result["command"], "fovea scenes classify a.png --model sun8 --json");
  EXPECT_EQ(result["python"], "fovea.scenes.classify(\"a.png\", model=\"sun8\")");
  EXPECT_EQ(result["facts"][2]["value"], std::to_string(result["scores"].size()));
  test::save("v.y4m", test::y4m_video(96, 96, 2));
  const json frame =
      parsed(get(run({{"system", "scenes"}, {"inputs", {add("v.y4m")}}, {"frame", 1}})));
  EXPECT_THAT(frame["command"].get<std::string>(),
              HasSubstr("python3 -c 'import fovea; print(fovea.scenes.classify(next("));
}

TEST_F(RunOperation, RefusesWhatTheProgramRefuses) {
  test::save("two.off", kTwo);
  const json body = {
      {"system", "mesh"}, {"inputs", {add("two.off")}}, {"options", {{"parts", "99"}}}};
  const json state = JobEnd(session_, parsed(post("/run", body.dump()))["job"]).wait();
  EXPECT_EQ(state["state"], "failed");
  EXPECT_THAT(state["error"].get<std::string>(), HasSubstr("99"));
}

}  // namespace
}  // namespace fovea::view
