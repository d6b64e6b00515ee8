#include "cli/program/read_files.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/models.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/people/scene.h"
#include "cli/program/output_paths.h"
#include "cli/program/parser.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using testing::HasSubstr;

class ReadFilesTest : public testing::Test {
 protected:
  // A file, whose folder is made.
  std::string file(const std::string& name, const std::string& bytes = "x") {
    const std::string path = folder_ / name;
    fs::create_directories(fs::path(path).parent_path());
    test::save(path, bytes);
    return path;
  }
  void expect_refused(const std::vector<std::string>& words, const std::string& kept) {
    const std::string before = test::load(kept);
    const Ended ended = run_here(words);
    EXPECT_EQ(ended.status, kUsage) << words[0] << " " << words[1] << ": " << ended.err;
    EXPECT_THAT(ended.err, test::says(kept, "is an input and would be replaced"));
    EXPECT_EQ(test::load(kept), before);
  }

  test::TempFolder folder_;
};

TEST_F(ReadFilesTest, WordsStandForWhatTheyDoAsInputs) {
  for (const char* name : {"a.png", "b.png", "f/c.png", "f/notes.csv", "classes/x/d.jpg", "m/e.hdr",
                           "m/e.img", "lone.dat", "lone.dat.hdr", "not.png"})
    file(name);
  file("list.txt", "b.png\n");
  fs::create_symlink(folder_ / "a.png", folder_ / "link.png");
  ReadFiles read;
  for (const char* word : {"link.png", "f", "classes", "m/e.img", "lone.dat.hdr", "none.png"})
    read.add(folder_ / word);
  read.add("@" + (folder_ / "list.txt"));
  read.add(folder_ / "b*.png");
  read.add("-");
  for (const char* name : {"a.png", "link.png", "f/c.png", "classes/x/d.jpg", "m/e.hdr", "m/e.img",
                           "lone.dat", "lone.dat.hdr", "b.png", "list.txt", "f/../a.png"})
    EXPECT_TRUE(read.has(folder_ / name)) << name;
  for (const char* name : {"not.png", "f/notes.csv", "none.png", "new.png", "f", "f/new.png", ""})
    EXPECT_FALSE(read.has(folder_ / name)) << name;
  EXPECT_TRUE(read.holds(folder_ / "f"));
  EXPECT_TRUE(read.holds(folder_ / "m/"));
  EXPECT_FALSE(read.holds(folder_ / "new"));
}

// Results of an earlier run in a folder of inputs are no inputs, unless they are read as such.
TEST_F(ReadFilesTest, EarlierResultsInAFolderAreNoInputs) {
  for (const char* name : {"f/1.png", "f/2.png", "f/film.mp4", "f/out/1.png", "f/flow.flo"})
    file(name);
  ReadFiles read;
  read.add(folder_ / "f");
  EXPECT_TRUE(read.has(folder_ / "f/2.png"));
  for (const char* name : {"f/film.mp4", "f/out/1.png", "f/flow.flo"})
    EXPECT_FALSE(read.has(folder_ / name)) << name;
}

// Every verb, by the description of its options: whatever names a file to read and a file to write.
TEST_F(ReadFilesTest, NoVerbReplacesWhatItsOptionsName) {
  TextSink out, err;
  Console console({.out = out, .err = err});
  const std::string kept = file("kept.safetensors");
  int checked = 0;
  for (const Command& command : commands()) {
    if (command.request == nullptr || !command.program.empty()) continue;
    const auto texts = [](const OptionField& field) {
      return std::holds_alternative<std::string*>(field.value) ||
             std::holds_alternative<std::vector<std::string>*>(field.value);
    };
    std::vector<std::string> reads{""}, writes;
    const Invocation defaults = default_invocation(command);
    std::vector<OptionField> fields = defaults.own_fields();
    for (const OptionField& field : defaults.common_fields()) fields.push_back(field);
    for (const OptionField& field : fields) {
      const TextUse use = field.traits.use;
      if (!texts(field)) continue;
      if (use == TextUse::kInput || use == TextUse::kModel) reads.push_back(field.name);
      if (use == TextUse::kOutput) writes.push_back(field.name);
    }
    for (const std::string& read : reads)
      for (const std::string& write : writes) {
        if (command.computes == false && read != "") continue;
        Invocation invocation = default_invocation(command);
        std::vector<OptionField> now = invocation.own_fields();
        for (const OptionField& field : invocation.common_fields()) now.push_back(field);
        for (const OptionField& field : now)
          if (texts(field) && (field.name == read || field.name == write)) set_option(field, kept);
        if (read.empty()) invocation.inputs = {kept};
        Context context = context_of(invocation, console);
        EXPECT_THAT(message_of<InvalidArgument>([&] { check_named_outputs(invocation, context); }),
                    test::says(kept, "is an input and would be replaced", "--overwrite"))
            << command.name() << " --" << read << " --" << write;
        context.overwrite = true;
        EXPECT_NO_THROW(check_named_outputs(invocation, context)) << command.name();
        ++checked;
      }
  }
  EXPECT_GT(checked, 150);
}

TEST_F(ReadFilesTest, VerbsLeaveTheirInputsAlone) {
  for (const char* name : {"fr/000.png", "fr/001.png", "photos/beach/1.png", "photos/wood/1.png"}) {
    file(name);
    write_ramp(folder_ / name, 64);
  }
  const std::string frame = folder_ / "fr/001.png", first = folder_ / "fr/000.png";
  expect_refused({"people", "track", folder_ / "fr", "--mot", frame}, frame);
  expect_refused({"flow", "lk", folder_ / "fr", "-o", frame}, frame);
  const std::string header = folder_ / "c0.hdr", samples = folder_ / "c0.img";
  file("c0.hdr", "ENVI\nsamples = 8\nlines = 8\nbands = 3\ndata type = 1\ninterleave = bsq\n");
  file("c0.img", std::string(192, 'x'));
  expect_refused({"emd", "map", header, "--target", "1,1,3,3", "--csv", samples}, samples);
  const std::string model = folder_ / "m.safetensors";
  fs::copy_file(io::find_model("people/hog"), model);
  expect_refused({"people", "detect", first, "--model", model, "--csv", model}, model);
  expect_refused({"people", "detect", first, "--mask", frame, "-o", frame}, frame);
  const std::string image = folder_ / "photos/beach/1.png";
  expect_refused({"scenes", "features", folder_ / "photos", "--dictionary", "sun8", "-o",
                  folder_ / "f.npy", "--labels", image},
                 image);
  const std::string config = file("c.json", R"({"threshold": 0.5})");
  expect_refused({"people", "detect", first, "--config", config, "--csv", config}, config);
  const std::string list = file("list.txt", "fr/000.png\nfr/001.png\n");
  expect_refused({"people", "detect", "@" + list, "--csv", list}, list);
  expect_refused({"people", "detect", "@" + list, "--csv", frame}, frame);
  expect_refused({"people", "detect", folder_ / "fr/*.png", "--csv", frame}, frame);
}

TEST_F(ReadFilesTest, AFolderOfInputsGetsNoReport) {
  write_ramp(file("images/a.png"), 64);
  const std::string truth = file("images/boxes.json", "[]");
  const Ended ended = run_here({"people", "eval", "--images", folder_ / "images", "--annotations",
                                truth, "-o", folder_ / "images"});
  EXPECT_EQ(ended.status, kUsage) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the folder has the inputs"));
}

TEST_F(ReadFilesTest, OutputsAreNotWrittenTwice) {
  write_ramp(file("a.png"), 64);
  const Ended ended = run_here({"people", "detect", folder_ / "a.png", "--csv", folder_ / "o.x",
                                "--manifest", folder_ / "o.x"});
  EXPECT_EQ(ended.status, kUsage) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("would be written twice"));
}

TEST_F(ReadFilesTest, ResultsRecordTheHashesOfModels) {
  io::write_image(file("a.png"), street(96, 160).view());
  const std::string model = folder_ / "m.safetensors";
  fs::copy_file(io::find_model("people/hog"), model);
  for (const std::string& name : {std::string("hog"), model}) {
    const Ended ended = run_here({"people", "detect", folder_ / "a.png", "--model", name, "--json",
                                  "--coco", folder_ / "c.json"});
    ASSERT_EQ(ended.status, kDone) << ended.err;
    const std::string expected = io::model_hash(model);
    EXPECT_EQ(nlohmann::json::parse(ended.out)["model_hashes"][name], expected);
    EXPECT_THAT(test::load(folder_ / "c.json"), HasSubstr(expected));
  }
  const Ended none =
      run_here({"ops", "blur", folder_ / "a.png", "-o", folder_ / "b.png", "--json"});
  EXPECT_FALSE(nlohmann::json::parse(none.out).contains("model_hashes"));
}

}  // namespace
}  // namespace fovea::cli
