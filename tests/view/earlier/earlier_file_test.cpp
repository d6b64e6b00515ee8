// Files of earlier results: every format, whole and damaged.
// Covers: earlier_json
#include "view/earlier/earlier_file.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::view {
namespace {

using testing::HasSubstr;

template <class Parse>
std::string refused(Parse parse, const std::string& text) {
  return test::message_of<FormatError>([&] { parse(text, "all.json"); });
}

TEST(EarlierFile, IsKnownByTheEndOfItsName) {
  for (const char* path : {"a.json", "b.CSV", "c.txt", "d.flo", "e.seg", "f.jsonl"})
    EXPECT_TRUE(is_earlier_file(path)) << path;
  for (const char* path : {"a.png", "b.off", "c.mp4", "json"})
    EXPECT_FALSE(is_earlier_file(path)) << path;
  EXPECT_TRUE(names_inputs("a.json"));
  EXPECT_FALSE(names_inputs("a.txt"));
}

TEST(EarlierFile, ReadsCoco) {
  const EarlierFile file = parse_earlier_json(
      R"({"images": [{"id": 7, "file_name": "a.png"}, {"id": 9, "file_name": "v.mp4", "frame": 3}],
          "annotations": [{"image_id": 9, "bbox": [1, 2, 3, 4.5], "score": 0.5, "category_id": 2},
                          {"image_id": 9, "bbox": [5, 6, 7, 8], "category_id": 1}],
          "categories": [{"id": 1, "name": "person"}, {"id": 2, "name": "dog"}]})",
      "all.json");
  ASSERT_EQ(file.items.size(), 2U);
  EXPECT_EQ(file.items[0].input, "a.png");
  EXPECT_TRUE(file.items[0].boxes.empty());
  EXPECT_EQ(file.items[1].frame, 3);
  ASSERT_EQ(file.items[1].boxes.size(), 2U);
  EXPECT_EQ(file.items[1].boxes[0].box, (Rect<double>{1, 2, 3, 4.5}));
  EXPECT_EQ(file.items[1].boxes[0].score, 0.5);
  EXPECT_EQ(file.items[1].boxes[0].label, "dog");
  EXPECT_FALSE(file.items[1].boxes[0].truth);
  EXPECT_TRUE(file.items[1].boxes[1].truth);  // without a score it is an annotation
}

TEST(EarlierFile, ReadsTheResultsOfVerbs) {
  const EarlierFile found = parse_earlier_json(
      R"({"fovea": "1", "command": "people detect", "results": [
          {"input": "a.png", "people": [{"box": [1, 2, 3, 4], "score": 2}]},
          {"input": "v.mp4", "frames": [{"frame": 5, "tracks": [{"id": 3, "box": [1, 2, 3, 4], "score": 1}]}]},
          {"input": "bad.png", "error": "cannot open"}]})",
      "all.json");
  EXPECT_EQ(found.what, "people detect");
  ASSERT_EQ(found.items.size(), 3U);
  EXPECT_EQ(found.items[0].boxes[0].score, 2);
  EXPECT_EQ(found.items[1].frame, 5);
  EXPECT_EQ(found.items[1].boxes[0].label, "3");
  EXPECT_EQ(found.items[2].text, "It failed: cannot open.");

  const EarlierFile places = parse_earlier_json(
      R"({"command": "scenes classify", "classes": ["beach", "forest"],
          "results": [{"input": "a.png", "name": "forest", "scores": [0.25, 0.75]}]})",
      "all.json");
  EXPECT_EQ(places.items[0].text, "The class is forest.");
  EXPECT_EQ(places.items[0].scores.front(), (std::pair<std::string, double>("forest", 0.75)));

  const EarlierFile motion = parse_earlier_json(
      R"({"command": "flow lk", "first": "a.png", "second": "b.png", "output": "a.flo"})",
      "m.json");
  EXPECT_EQ(motion.items[0].input, "a.png");
  EXPECT_EQ(motion.items[0].motion, "a.flo");

  const EarlierFile lines = parse_earlier_lines(
      "{\"input\": \"a.png\", \"people\": []}\n\n{\"input\": \"b.png\", \"people\": []}\n",
      "l.jsonl");
  EXPECT_EQ(lines.items.size(), 2U);
}

TEST(EarlierFile, ReadsTables) {
  const EarlierFile boxes = parse_earlier_table(
      "input,frame,time_seconds,x,y,width,height,score,scale\r\n"
      "a.png,,,1,2,3,4,0.5,1\r\na.png,,,5,6,7,8,0.25,1\r\nv.mp4,4,0.1,1,1,1,1,2,1\r\n",
      "all.csv");
  ASSERT_EQ(boxes.items.size(), 2U);
  EXPECT_EQ(boxes.items[0].boxes.size(), 2U);
  EXPECT_EQ(boxes.items[1].frame, 4);

  const EarlierFile tracks = parse_earlier_table(
      "input,frame,time_seconds,id,x,y,width,height,score,missed\nv.mp4,0,0,12,1,2,3,4,0.5,0\n",
      "tracks.csv");
  EXPECT_EQ(tracks.items[0].boxes[0].label, "12");

  const EarlierFile classes =
      parse_earlier_table("file,class,beach,forest\na.png,beach,0.75,0.25\n", "classes.csv");
  EXPECT_EQ(classes.items[0].text, "The class is beach.");
  EXPECT_EQ(classes.items[0].scores.size(), 2U);
}

TEST(EarlierFile, ReadsTracks) {
  const EarlierFile file = parse_earlier_tracks(
      "1,3,11,21,30,40,0.5,-1,-1,-1\n2,3,12,21,30,40,0.75,-1,-1,-1\n", "t.txt");
  ASSERT_EQ(file.items.size(), 2U);
  EXPECT_EQ(file.items[1].frame, 1);
  EXPECT_EQ(file.items[1].boxes[0].label, "3");
  EXPECT_EQ(file.items[0].boxes[0].box, (Rect<double>{10, 20, 30, 40}));
  const EarlierFile detections =
      parse_earlier_tracks("1,-1,11,21,30,40,0.5\n1,-1,12,21,30,40,0.75\n", "det.txt");
  ASSERT_EQ(detections.items.size(), 1U);
  EXPECT_EQ(detections.items[0].boxes.size(), 2U);
  EXPECT_EQ(detections.items[0].boxes[1].label, "");
}

TEST(EarlierFile, SaysWhatIsWrongInOneLine) {
  const auto json = [](const std::string& text) { return refused(parse_earlier_json, text); };
  EXPECT_THAT(json("{"), HasSubstr("all.json: "));
  EXPECT_THAT(json("[]"), HasSubstr("all.json: is a bare array"));
  EXPECT_THAT(json("3"), HasSubstr("is no JSON object"));
  EXPECT_THAT(json(R"({"fovea": "1"})"), HasSubstr("is no result that the view shows"));
  EXPECT_THAT(json(R"({"images": [{"id": 1}]})"), HasSubstr("has no 'file_name'"));
  EXPECT_THAT(json(R"({"images": [{"id": 1, "file_name": "a"}, {"id": 1, "file_name": "b"}]})"),
              HasSubstr("two images have the id 1"));
  EXPECT_THAT(json(R"({"images": [], "annotations": [{"image_id": 4, "bbox": [1, 2, 3, 4]}]})"),
              HasSubstr("image 4, which is not in the file"));
  EXPECT_THAT(json(R"({"images": [{"id": 1, "file_name": "a"}],
                       "annotations": [{"image_id": 1, "bbox": [1, "2", 3, 4]}]})"),
              HasSubstr("'bbox' that has not four numbers"));
  EXPECT_THAT(json(R"({"results": [{"people": []}]})"), HasSubstr("a result has no 'input'"));
  EXPECT_THAT(json(R"({"results": [3]})"), HasSubstr("where a result should be"));
  EXPECT_THAT(json(R"({"results": {}})"), HasSubstr("'results' is no array"));
  EXPECT_THAT(json(R"({"first": "a", "second": "b"})"), HasSubstr("no field of motion beside it"));
  EXPECT_THAT(json(R"({"evaluation": {"mistakes": 3}})"), HasSubstr("'mistakes' that is no array"));
  EXPECT_THAT(refused(parse_earlier_table, "a,b\n1,2\n"), HasSubstr("its first line has neither"));
  EXPECT_THAT(refused(parse_earlier_table, "input,x,y,width,height\na,1,2,3,nan\n"),
              HasSubstr("line 2: height is \"nan\", expected a number"));
  EXPECT_THAT(refused(parse_earlier_tracks, "one two\n"), HasSubstr("all.json"));
  EXPECT_THAT(refused(parse_earlier_lines, "{}\n"), HasSubstr("a result has no 'input'"));
  const test::TempFolder folder;
  test::save(folder / "a.flo", "PIEH");
  test::save(folder / "a.seg", "one\n");
  EXPECT_THROW(read_earlier(folder / "a.flo"), FormatError);
  EXPECT_THROW(read_earlier(folder / "a.seg"), FormatError);
  EXPECT_THAT(test::message_of<IoError>([] { read_earlier("/none.json"); }),
              HasSubstr("/none.json: there is no such file"));
}

}  // namespace
}  // namespace fovea::view
