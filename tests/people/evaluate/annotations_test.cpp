// Covers: annotations_coco, annotations_pascal
#include <fovea/core/error.h>
#include <fovea/people/annotations.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files.h"

namespace fovea::people {
namespace {

using test::as_bytes;
using test::message_of;
using testing::HasSubstr;

std::string pascal(const std::string& origin, const std::string& boxes, int count,
                   const std::string& image = "Test/pos/street.png") {
  return "# PASCAL Annotation Version 1.00\n\nImage filename : \"" + image +
         "\"\nImage size (X x Y x C) : 640 x 480 x 3\nDatabase : \"The Rh\xF4ne one\"\n"
         "Objects with ground truth : " +
         std::to_string(count) + " { \"PASperson\" }\n\n# Top left pixel co-ordinates : " + origin +
         "\n\n# Details for object 1 (\"PASperson\")\n" + boxes;
}

std::string box_line(int object, const std::string& corners,
                     const std::string& label = "PASperson") {
  return "Bounding box for object " + std::to_string(object) + " \"" + label +
         "\" (Xmin, Ymin) - (Xmax, Ymax) : " + corners + "\n";
}

std::vector<AnnotatedImage> parse(std::string_view text, const AnnotationOptions& options = {}) {
  return parse_annotations(as_bytes(text), "hostile", options);
}

const char* const kCoco = R"({
  "images": [{"id": 7, "file_name": "val/a.jpg", "width": 640, "height": 480},
             {"id": 9, "file_name": "val/b.jpg"}],
  "categories": [{"id": 1, "name": "person"}, {"id": 3, "name": "car"}],
  "annotations": [
    {"image_id": 7, "category_id": 1, "bbox": [1.5, 2, 30, 60], "segmentation": [[1, 2, 3]]},
    {"image_id": 7, "category_id": 3, "bbox": [1, 2, 3, 4]},
    {"image_id": 7, "category_id": 1, "bbox": [9, 9, 99, 99], "iscrowd": 1,
     "segmentation": {"counts": [1, 2]}}]})";

TEST(Annotations, PascalTextAsInriaHasIt) {
  const auto images = parse(pascal(
      "(0, 0)", box_line(1, "(250, 151) - (299, 294)") + box_line(2, "(0, 1) - (9, 30)"), 2));
  ASSERT_EQ(images.size(), 1U);
  EXPECT_EQ(images[0].name, "Test/pos/street.png");
  EXPECT_EQ(images[0].width, 640);
  EXPECT_EQ(images[0].height, 480);
  ASSERT_EQ(images[0].people.size(), 2U);
  EXPECT_EQ(images[0].people[0].box, (Rect<float>{250, 151, 50, 144}));
  EXPECT_EQ(images[0].people[1].box, (Rect<float>{0, 1, 10, 30}));
  EXPECT_EQ(images[0].people[0].label, "PASperson");
  EXPECT_FALSE(images[0].people[0].ignore);
}

TEST(Annotations, TheHeaderSaysWhereCountingBegins) {
  const std::string box = box_line(1, "(68, 130) - (159, 405)");
  EXPECT_EQ(parse(pascal("(1, 1)", box, 1))[0].people[0].box, (Rect<float>{67, 129, 92, 276}));
  std::string silent = pascal("(1, 1)", box, 1);
  silent.erase(silent.find("# Top left"), 10);
  EXPECT_EQ(parse(silent)[0].people[0].box, (Rect<float>{67, 129, 92, 276}));
}

TEST(Annotations, WindowsLineEndsAndNoPeopleAreFine) {
  std::string text = pascal("(0, 0)", "", 0);
  std::string windows;
  for (const char letter : text)
    windows += letter == '\n' ? std::string("\r\n") : std::string(1, letter);
  EXPECT_TRUE(parse(windows)[0].people.empty());
  EXPECT_EQ(parse(windows)[0].name, "Test/pos/street.png");
}

TEST(Annotations, OnlyObjectsWithTheLabelArePeople) {
  const std::string text = pascal(
      "(0, 0)",
      box_line(1, "(0, 0) - (9, 9)", "PASpersonWalking") + box_line(2, "(0, 0) - (9, 9)", "PAScar"),
      2);
  EXPECT_EQ(parse(text)[0].people.size(), 1U);
  EXPECT_EQ(parse(text, {.label = "CAR"})[0].people.size(), 1U);
  EXPECT_EQ(parse(text, {.label = ""})[0].people.size(), 2U);
}

TEST(Annotations, Coco) {
  const auto images = parse(kCoco);
  ASSERT_EQ(images.size(), 2U);
  EXPECT_EQ(images[0].name, "val/a.jpg");
  EXPECT_EQ(images[1].width, 0);
  EXPECT_TRUE(images[1].people.empty());
  ASSERT_EQ(images[0].people.size(), 2U);
  EXPECT_EQ(images[0].people[0].box, (Rect<float>{1.5F, 2, 30, 60}));
  EXPECT_FALSE(images[0].people[0].ignore);
  EXPECT_TRUE(images[0].people[1].ignore);
}

TEST(Annotations, AreFoundByTheNameInsideOrTheNameOfTheFile) {
  const test::TempFolder folder;
  test::save(folder / "one.txt",
             pascal("(0, 0)", box_line(1, "(1, 1) - (9, 9)"), 1, "x/inner.png"));
  test::save(folder / "two.txt", pascal("(0, 0)", box_line(1, "(2, 2) - (9, 9)"), 1, "x\\b.bmp"));
  test::save(folder / "coco.json", kCoco);
  const std::vector<std::string> images{"pics/b.jpg", "pics/one.jpg", "inner.ppm"};
  EXPECT_THAT(message_of<FormatError>([&] { annotations_of(images, folder.path()); }),
              HasSubstr("more than one annotation of b"));
  std::filesystem::remove(folder / "coco.json");
  const auto found = annotations_of(images, folder.path());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].people[0].box.x, 2);
  EXPECT_EQ(found[1].people[0].box.x, 1);
  EXPECT_EQ(found[2].people[0].box.x, 1);
  const std::vector<std::string> unknown{"pics/c.jpg"};
  EXPECT_THAT(message_of<IoError>([&] { annotations_of(unknown, folder.path()); }),
              HasSubstr("no annotation of the image pics/c.jpg"));
}

TEST(Annotations, DamageIsOneClearLine) {
  const auto message = [](const std::string& text) {
    return message_of<FormatError>([&] { parse(text); });
  };
  const std::string box = box_line(1, "(0, 0) - (9, 9)");
  EXPECT_THAT(message(""), HasSubstr("hostile: is empty"));
  EXPECT_THAT(message("hello\nworld"), HasSubstr("begins with \"hello\""));
  EXPECT_THAT(message(pascal("(0, 0)", box, 2)), HasSubstr("announces 2 objects, but has 1"));
  EXPECT_THAT(message("# PASCAL Annotation Version 1.00\n"), HasSubstr("truncated"));
  EXPECT_THAT(message(pascal("(0, 0)", box + box, 2)), HasSubstr("this is the second"));
  EXPECT_THAT(message(pascal("(0, 0)", box_line(1, "(9, 9) - (0, 0)"), 1)),
              HasSubstr("make no box"));
  EXPECT_THAT(message(pascal("(0, 0)", box_line(1, "(9, 9) - (1e30, 10)"), 1)),
              HasSubstr("make no box"));
  EXPECT_THAT(message(pascal("(0, 0)", box_line(1, "(nan, 9) - (1, 10)"), 1)),
              HasSubstr("line 11: expected a box"));
  EXPECT_THAT(message(pascal("(zero)", box, 1)), HasSubstr("expected co-ordinates"));
  EXPECT_THAT(message("{\"images\": ["),
              HasSubstr("is not JSON at line 1, column 13, its end; it may be truncated"));
  EXPECT_THAT(message("{\"a\": " + std::string(200000, '[')), HasSubstr("nested more than 100"));
  EXPECT_THAT(message("[1, 2]"), HasSubstr("not an object"));
  EXPECT_THAT(message("{\"images\": []}"), HasSubstr("no list \"annotations\""));
  const std::string image = R"({"images": [{"id": 1, "file_name": "a.png"}], "annotations": [)";
  EXPECT_THAT(message(image + R"({"image_id": 2, "bbox": [1, 2, 3, 4]}]})"),
              HasSubstr("image 2, which is not listed"));
  EXPECT_THAT(message(image + R"({"image_id": 1, "bbox": [1, 2, -3, 4]}]})"),
              HasSubstr("four sensible numbers"));
  EXPECT_THAT(message(image + R"({"image_id": 1, "bbox": [1, 2, 1e99, 4]}]})"),
              HasSubstr("four sensible numbers"));
  EXPECT_THAT(message(image + "7]}"), HasSubstr("annotation 1 of the list has no whole number"));
}

TEST(Annotations, AnyByteChangedIsReadOrRefused) {
  for (std::string text :
       {pascal("(0, 0)", box_line(1, "(1, 2) - (9, 30)"), 1), std::string(kCoco)}) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const char kept = text[at];
      for (const char value : {'\0', '\xff', '9', '-', '"', '\n', '}'}) {
        text[at] = value;
        const std::string message = message_of<FormatError>([&] { parse(text); });
        EXPECT_EQ(message.find('\n'), std::string::npos);
      }
      text[at] = kept;
    }
  }
}

TEST(Annotations, AMissingFileIsNamed) {
  EXPECT_THAT(message_of<IoError>([] { read_annotations("/no/such/file.txt"); }),
              HasSubstr("/no/such/file.txt"));
}

}  // namespace
}  // namespace fovea::people
