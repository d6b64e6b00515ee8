#include <fovea/core/error.h>
#include <fovea/io/models.h>

#include <filesystem>
#include <fstream>

#include "io/model/loaded_from.h"
#include "support/files.h"

namespace fovea::io {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Models, ShippedOnesAreFoundByName) {
  EXPECT_THAT(shipped_models(), Contains("people/channels"));
  EXPECT_THAT(shipped_models("people"), Each(StartsWith("people/")));
  const std::string path = find_model("people/channels");
  EXPECT_TRUE(std::filesystem::is_regular_file(path));
  EXPECT_EQ(find_model("channels", "people"), path);
}

TEST(Models, AFileIsItself) {
  const test::TempFolder folder;
  std::ofstream(folder / "mine.safetensors") << "x";
  EXPECT_EQ(find_model(folder / "mine.safetensors"), folder / "mine.safetensors");
}

// Whoever unpacks an archive must not get another detector by it.
TEST(Models, AFileInTheCurrentFolderTakesNoShippedModelsPlace) {
  const std::filesystem::path before = std::filesystem::current_path();
  const std::string shipped = find_model("people/channels");
  const test::TempFolder folder;
  std::filesystem::create_directory(folder / "people");
  for (const char* name : {"channels", "people/channels", "other", "people/other"})
    test::save(folder / name, "x");
  std::filesystem::current_path(folder.path());
  EXPECT_EQ(find_model("channels", "people"), shipped);
  EXPECT_EQ(find_model("people/channels"), shipped);
  EXPECT_EQ(find_model("people/channels", "people"), shipped);
  for (const char* path : {"./channels", "people/other", "./people/channels"})
    EXPECT_EQ(find_model(path, "people"), path);
  EXPECT_THAT(test::message_of<IoError>([] { find_model("other", "people"); }),
              test::says("other: neither", "the file of that name is ./other"));
  std::filesystem::current_path(before);
}

TEST(Models, AHashIsThatOfTheFile) {
  const test::TempFolder folder;
  test::save(folder / "m.safetensors", "abc");
  EXPECT_EQ(model_hash(folder / "m.safetensors"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  test::save(folder / "m.safetensors", std::string(1'000'000, 'a'));
  EXPECT_EQ(model_hash(folder / "m.safetensors"),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_THROW(model_hash(folder / "none"), IoError);
}

TEST(Models, AreFoundAfterAChangeOfFolder) {
  const void* code = reinterpret_cast<const void*>(&test::load);
  const std::filesystem::path before = std::filesystem::current_path(), file = loaded_from(code);
  EXPECT_TRUE(file.is_absolute()) << file;
  EXPECT_TRUE(std::filesystem::is_regular_file(file)) << file;
  const std::string model = find_model("people/channels");
  const test::TempFolder folder;
  std::filesystem::current_path(folder.path());
  EXPECT_EQ(loaded_from(code), file);
  EXPECT_EQ(find_model("people/channels"), model);
  std::filesystem::current_path(before);
  EXPECT_TRUE(loaded_from(nullptr).empty());
}

TEST(Models, AnUnknownNameListsTheShippedOnes) {
  try {
    find_model("yolo\n", "people");
    FAIL() << "found";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), StartsWith("yolo\\n: neither a model file nor a shipped model"));
    EXPECT_THAT(error.what(),
                test::says("people/cascade", "people/channels", "people/filtered", "people/hog"));
  }
}

}  // namespace
}  // namespace fovea::io
