#include "people/train/checkpoint.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "support/files.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::AllOf;
using testing::HasSubstr;

struct Task {
  test::TempFolder folder{};
  TrainSettings settings{Kind::kHog, {64, 128}, R"({"cost": 0.1, "hog": {"bins": 9}})", 7};
  TrainSurvey survey{{{{96, 160}}, 0x12U}, {{{100, 150}, {300, 200}}, 0x34U}};

  Checkpoint checkpoint() const { return {folder / "checkpoint", settings, survey}; }
  std::string refusal() const {
    return message_of<InvalidArgument>([&] { checkpoint().read(); });
  }
  static ScanPlan plan(Extent image) {
    return plan_scan(image, {64, 128}, 1, {.ratio = 1.5, .padding = 0});
  }
  std::vector<WindowPlace> places(const io::ModelFile& file) const {
    return checkpoint().places(
        file, [&](int i) { return plan(survey.negatives.sizes[static_cast<std::size_t>(i)]); });
  }
};

io::ModelFile content(float number) {
  io::ModelFile file;
  file.add("number", {1}, std::vector<float>{number});
  return file;
}

TEST(Checkpoint, GivesBackWhatTheSameTrainingWrote) {
  const Task task;
  EXPECT_FALSE(task.checkpoint().read().has_value());
  for (const float number : {3.F, 4.F}) {
    task.checkpoint().write(content(number));
    const auto file = task.checkpoint().read();
    ASSERT_TRUE(file.has_value());
    EXPECT_EQ(file->tensor<float>("number")[0], number);
    EXPECT_EQ(task.folder.files(), 1U);  // nothing half-written beside it
  }
}

TEST(Checkpoint, WithoutAPathNothingIsKept) {
  const Task task;
  const Checkpoint none("", task.settings, task.survey);
  none.write(content(1));
  EXPECT_FALSE(none.read().has_value());
  EXPECT_EQ(task.folder.files(), 0U);
}

TEST(Checkpoint, OtherSettingsAreNamedInOneLine) {
  Task task;
  task.checkpoint().write(content(1));
  const std::string path = task.folder / "checkpoint";
  const TrainSettings settings = task.settings;
  task.settings.options = R"({"cost": 0.1, "hog": {"bins": 12}})";
  EXPECT_THAT(task.refusal(),
              AllOf(HasSubstr(path), HasSubstr("other options (bins 9 then, 12 now)"),
                    HasSubstr("remove the file")));
  task.settings = settings;
  task.settings.seed = 8;
  EXPECT_THAT(task.refusal(), HasSubstr("other options (seed 7 then, 8 now)"));
  task.settings = settings;
  task.settings.window = {48, 96};
  EXPECT_THAT(task.refusal(), HasSubstr("(window \"64x128\" then, \"48x96\" now)"));
  task.settings = settings;
  task.settings.sample_bytes = 5;
  EXPECT_THAT(task.refusal(), HasSubstr("other options"));
  task.settings = settings;
  task.settings.kind = Kind::kChannels;
  EXPECT_THAT(task.refusal(), HasSubstr("another kind (hog then, channels now)"));
  task.settings = settings;
  task.survey.positives.checksum = 0x13U;
  EXPECT_THAT(task.refusal(),
              AllOf(HasSubstr("other images"), HasSubstr("1 positives 00000012, 2 negatives")));
  EXPECT_EQ(task.refusal().find('\n'), std::string::npos);
}

io::ModelFile with_settings(const Task& task, const std::string& settings) {
  io::ModelFile file = content(5);
  file.set_schema("people.checkpoint", 1);
  file.set_metadata("kind", "hog");
  file.set_metadata("settings", settings);
  file.set_metadata("data", data_text(task.survey));
  return file;
}

TEST(Checkpoint, ThoseOfVersion010AreContinued) {
  Task task;
  task.settings.options = R"({"hog": {"bins": 9, "color": true}})";
  const auto old = [](const char* color) {
    return fmt::format(R"({{"kind": "hog", "window": "64x128", "options": {{"hog": {{"bins": 9, )"
                       R"("colour": {}}}}}, "seed": 7}})",
                       color);
  };
  with_settings(task, old("true")).write(task.folder / "checkpoint");
  const auto file = task.checkpoint().read();
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(file->tensor<float>("number")[0], 5);
  with_settings(task, old("false")).write(task.folder / "checkpoint");
  EXPECT_THAT(task.refusal(), HasSubstr("other options (color false then, true now)"));
}

TEST(Checkpoint, OptionsThatCameLaterMayBeAbsentWhereTheyChangeNothing) {
  Task task;
  task.settings.options = R"({"trees": 64})";
  task.checkpoint().write(content(5));
  task.settings.options = R"({"trees": 64, "kept-weight": 1, "jitter": 0})";
  EXPECT_TRUE(task.checkpoint().read().has_value());
  task.settings.options = R"({"trees": 64, "jitter-pixels": 1, "jitter-ratio": 1.05,
                              "jitter-resample": false, "final-rounds": 1, "shrinkage": 1})";
  EXPECT_TRUE(task.checkpoint().read().has_value());
  task.settings.options = R"({"trees": 64, "kept-weight": 1, "jitter": 2})";
  EXPECT_THAT(task.refusal(), HasSubstr("other options"));
}

TEST(Checkpoint, HostileSettingsAreRefused) {
  const Task task;
  const auto refusal = [&](const std::string& settings) {
    with_settings(task, settings).write(task.folder / "checkpoint");
    return message_of<FormatError>([&] { task.checkpoint().read(); });
  };
  EXPECT_THAT(refusal(std::string(200000, '[')),
              AllOf(HasSubstr(task.folder / "checkpoint"), HasSubstr("nested more than 100 deep")));
  EXPECT_THAT(refusal("{"), HasSubstr("is not JSON"));
  with_settings(task, "7").write(task.folder / "checkpoint");
  EXPECT_THAT(task.refusal(), HasSubstr("other options"));
  io::ModelFile none = content(1);
  none.set_schema("people.checkpoint", 1);
  none.write(task.folder / "checkpoint");
  EXPECT_THAT(message_of<ModelError>([&] { task.checkpoint().read(); }), HasSubstr("has no kind"));
}

TEST(Checkpoint, WhatIsNoCheckpointIsRefused) {
  const Task task;
  const std::string path = task.folder / "checkpoint";
  test::save(path, "no checkpoint");
  EXPECT_THROW(task.checkpoint().read(), FormatError);
  io::ModelFile model = content(1);
  model.set_schema("people.hog", 1);
  model.write(path);
  EXPECT_THROW(task.checkpoint().read(), ModelError);
  task.checkpoint().write(content(std::numeric_limits<float>::infinity()));
  EXPECT_THROW(task.checkpoint().read(), ModelError);
  EXPECT_THAT(message_of<ModelError>([&] { task.checkpoint().damaged("round 9 of 4"); }),
              path + ": round 9 of 4; remove the file");
}

TEST(Checkpoint, PlacesLieInTheImages) {
  const Task task;
  const std::vector<WindowPlace> places{{1, 0, 29, 9}, {0, 0, 4, 2}, {1, 1, 0, 0}};
  io::ModelFile file;
  Checkpoint::add_places(file, places);
  EXPECT_EQ(task.places(file), places);
  for (const WindowPlace& wrong :
       {WindowPlace{2, 0, 0, 0}, WindowPlace{-1, 0, 0, 0}, WindowPlace{0, 1, 0, 0},
        WindowPlace{0, -1, 0, 0}, WindowPlace{0, 0, 5, 0}, WindowPlace{0, 0, 0, 3},
        WindowPlace{1, 0, -1, 0}, WindowPlace{1, 0, 0, -1}}) {
    Checkpoint::add_places(file, {places[0], wrong});
    EXPECT_THAT(message_of<ModelError>([&] { task.places(file); }),
                HasSubstr("window 1 lies outside of the images"));
  }
}

TEST(Checkpoint, SettingsAndDataAreFactsOfAModel) {
  const Task task;
  EXPECT_EQ(settings_json(task.settings),
            R"({"kind": "hog", "window": "64x128", "options": {"cost": 0.1, "hog": {"bins": 9}}, )"
            R"("seed": 7})");
  EXPECT_EQ(data_text(task.survey), "1 positives 00000012, 2 negatives 00000034");
}

}  // namespace
}  // namespace fovea::people
