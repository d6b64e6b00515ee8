// Files of earlier results: every format, whole and damaged.
// Covers: saved_json, saved_labels
#include "view/saved_results/saved_file.h"

#include <fovea/core/error.h>
#include <fovea/io/parquet_writer.h>
#include <gmock/gmock.h>

#include "support/files.h"

namespace fovea::view {
namespace {

using testing::HasSubstr;

template <class Parse>
std::string refused(Parse parse, const std::string& text) {
  return test::message_of<FormatError>([&] { parse(text, "all.json"); });
}

TEST(SavedFile, IsKnownByTheEndOfItsName) {
  for (const char* path : {"a.json", "b.CSV", "c.txt", "d.flo", "e.seg", "f.jsonl", "g.parquet"})
    EXPECT_TRUE(is_saved_file(path)) << path;
  for (const char* path : {"a.png", "b.off", "c.mp4", "json"})
    EXPECT_FALSE(is_saved_file(path)) << path;
  EXPECT_TRUE(names_inputs({.items = {{.input = "a.png"}}, .events = {{.input = "v.mp4"}}}));
  EXPECT_FALSE(names_inputs({.items = {{.input = "a.png"}, {}}}));
  EXPECT_FALSE(names_inputs({.events = {{}}}));
}

TEST(SavedFile, ReadsCoco) {
  const SavedFile file = parse_saved_json(
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

TEST(SavedFile, ReadsTheResultsOfVerbs) {
  const SavedFile found = parse_saved_json(
      R"({"fovea": "1", "command": "people detect", "results": [
          {"input": "a.png", "people": [{"box": [1, 2, 3, 4], "score": 2, "confidence": 0.75}]},
          {"input": "v.mp4", "frames": [{"frame": 5, "tracks": [{"id": 3, "box": [1, 2, 3, 4], "score": 1}]}]},
          {"input": "bad.png", "error": "cannot open"}]})",
      "all.json");
  EXPECT_EQ(found.what, "people detect");
  ASSERT_EQ(found.items.size(), 3U);
  EXPECT_EQ(found.items[0].boxes[0].score, 2);
  EXPECT_EQ(found.items[0].boxes[0].confidence, 0.75);
  EXPECT_EQ(found.items[1].frame, 5);
  EXPECT_EQ(found.items[1].boxes[0].label, "3");
  EXPECT_EQ(found.items[2].text, "It failed: cannot open.");

  const SavedFile places = parse_saved_json(
      R"({"command": "scenes classify", "classes": ["beach", "forest"],
          "results": [{"input": "a.png", "name": "forest", "scores": [0.25, 0.75]}]})",
      "all.json");
  EXPECT_EQ(places.items[0].text, "The class is forest.");
  EXPECT_EQ(places.items[0].scores.front(), (std::pair<std::string, double>("forest", 0.75)));

  const SavedFile motion = parse_saved_json(
      R"({"command": "flow lk", "first": "a.png", "second": "b.png", "output": "a.flo"})",
      "m.json");
  EXPECT_EQ(motion.items[0].input, "a.png");
  EXPECT_EQ(motion.items[0].motion, "a.flo");

  const SavedFile lines = parse_saved_lines(
      "{\"input\": \"a.png\", \"people\": []}\n\n{\"input\": \"b.png\", \"people\": []}\n",
      "l.jsonl");
  EXPECT_EQ(lines.items.size(), 2U);
}

TEST(SavedFile, ReadsTables) {
  const SavedFile boxes = parse_saved_table(
      "input,frame,time_seconds,x,y,width,height,score,scale\r\n"
      "a.png,,,1,2,3,4,0.5,1\r\na.png,,,5,6,7,8,0.25,1\r\nv.mp4,4,0.1,1,1,1,1,2,1\r\n",
      "all.csv");
  ASSERT_EQ(boxes.items.size(), 2U);
  EXPECT_EQ(boxes.items[0].boxes.size(), 2U);
  EXPECT_EQ(boxes.items[1].frame, 4);

  const SavedFile tracks = parse_saved_table(
      "input,frame,time_seconds,id,x,y,width,height,score,missed\nv.mp4,0,0,12,1,2,3,4,0.5,0\n",
      "tracks.csv");
  EXPECT_EQ(tracks.items[0].boxes[0].label, "12");

  const SavedFile classes =
      parse_saved_table("file,class,beach,forest\na.png,beach,0.75,0.25\n", "classes.csv");
  EXPECT_EQ(classes.items[0].text, "The class is beach.");
  EXPECT_EQ(classes.items[0].scores.size(), 2U);
}

TEST(SavedFile, ReadsParquet) {
  std::string bytes;
  io::ParquetWriter table(io::string_sink(bytes), {{"input", io::ParquetType::kText},
                                                   {"frame", io::ParquetType::kInt64, true},
                                                   {"x", io::ParquetType::kFloat},
                                                   {"y", io::ParquetType::kFloat},
                                                   {"width", io::ParquetType::kFloat},
                                                   {"height", io::ParquetType::kFloat},
                                                   {"score", io::ParquetType::kDouble}});
  table.field("a.png").empty().field(1.F).field(2.F).field(3.F).field(4.5F).field(0.5).end_row();
  table.row("v.mp4", 6, 1.F, 2.F, 3.F, 4.F, 2.0);
  table.finish();
  const SavedFile file = parse_saved_parquet(bytes, "all.parquet");
  ASSERT_EQ(file.items.size(), 2U);
  EXPECT_EQ(file.items[0].boxes[0].box, (Rect<double>{1, 2, 3, 4.5}));
  EXPECT_EQ(file.items[1].frame, 6);
  EXPECT_EQ(file.items[1].boxes[0].score, 2);
  EXPECT_THAT(refused(parse_saved_parquet, bytes.substr(0, bytes.size() - 9)),
              HasSubstr("all.json: is damaged, or is no Parquet file"));
}

TEST(SavedFile, ReadsYolo) {
  EXPECT_TRUE(is_yolo_text("\n0 0.5 0.5 0.25 1\n"));
  EXPECT_TRUE(is_yolo_text("3 0.5 0.5 0.25 1 0.75\r\n"));
  for (const char* other : {"", "1 2 10 20 30 40", "1,2,10,20,30,40", "0 0.5 0.5 0.25", "0 x 1 1 1",
                            "0.5 0.5 0.5 0.25 1", "-1 0.5 0.5 0.25 1", "0 0.5 0.5 nan 1",
                            "0 0.5 0.5 1e999 1", "0 0.1 0.1 0.9 0.1 0.9 0.9"})
    EXPECT_FALSE(is_yolo_text(other)) << other;
  const SavedItem item = parse_yolo("0 0.5 0.5 0.5 0.25\n\n1 0.25 0.5 0.5 1 0.75\n2 0 0 0 0\n",
                                    "labels/a_1.txt", {"person", "dog"});
  EXPECT_EQ(item.stem, "a_1");
  EXPECT_TRUE(item.relative);
  ASSERT_EQ(item.boxes.size(), 3U);
  EXPECT_EQ(item.boxes[0].box, (Rect<double>{0.25, 0.375, 0.5, 0.25}));
  EXPECT_EQ(item.boxes[0].label, "person");
  EXPECT_FALSE(item.boxes[0].score);
  EXPECT_EQ(item.boxes[1].score, 0.75);
  EXPECT_EQ(item.boxes[2].label, "class 2");
  EXPECT_THAT(
      test::message_of<FormatError>([] { parse_yolo("0 0.5 0.5 0.5 0.25\n0 0.5 0.5\n", "a.txt"); }),
      HasSubstr("a.txt: line 2: \"0 0.5 0.5\", expected YOLO's class"));
}

TEST(SavedFile, ReadsFoldersOfLabels) {
  const test::TempFolder folder;
  const auto save = [&](const std::string& name, const std::string& text) {
    test::save(folder / name, text);
  };
  EXPECT_FALSE(is_saved_folder(folder.path()));  // it is empty
  save("classes.txt", "person\ndog\n");
  save("a.txt", "1 0.5 0.5 0.5 0.25\n");
  save("b.txt", "");
  save("walk.txt", "1,3,11,21,30,40,0.5,-1,-1,-1\n");
  EXPECT_TRUE(is_saved_folder(folder.path()));
  const SavedFile labels = read_saved(folder.path());
  ASSERT_EQ(labels.items.size(), 3U);
  EXPECT_EQ(labels.items[0].boxes[0].label, "dog");
  EXPECT_EQ(labels.items[1].stem, "b");
  EXPECT_EQ(labels.items[2].stem, "walk");
  EXPECT_FALSE(labels.items[2].relative);
  save("c.json", R"({"evaluation": {}})");
  EXPECT_THAT(test::message_of<FormatError>([&] { read_saved(folder.path()); }),
              HasSubstr("c.json: is no file of labels"));
  save("c.png", "");
  EXPECT_FALSE(is_saved_folder(folder.path()));  // with inputs it is one of them
}

TEST(SavedFile, ReadsLabelme) {
  const SavedFile file = parse_saved_json(
      R"({"version": "5.0.0", "imagePath": "../walk_000012.png", "shapes": [
          {"label": "person", "points": [[1, 2], [4, 8]], "shape_type": "rectangle", "score": 0.5},
          {"label": "dog", "points": [[5, 5], [9, 3], [7, 9]], "shape_type": "polygon"},
          {"label": "spot", "points": [[5, 5]]}]})",
      "a.json");
  EXPECT_EQ(file.what, "labelme");
  ASSERT_EQ(file.items.size(), 1U);
  EXPECT_EQ(file.items[0].input, "../walk_000012.png");
  EXPECT_EQ(file.items[0].stem, "walk_000012");
  ASSERT_EQ(file.items[0].boxes.size(), 2U);
  EXPECT_EQ(file.items[0].boxes[0].box, (Rect<double>{1, 2, 3, 6}));
  EXPECT_EQ(file.items[0].boxes[0].label, "");
  EXPECT_EQ(file.items[0].boxes[1].box, (Rect<double>{5, 3, 4, 6}));
  EXPECT_TRUE(file.items[0].boxes[1].truth);
  for (const char* bad : {R"({"shapes": []})", R"({"shapes": [3], "imagePath": "a"})",
                          R"({"shapes": [{"points": [[1], [2, 3]]}], "imagePath": "a"})",
                          R"({"shapes": [{"points": 3}], "imagePath": "a"})"})
    EXPECT_THAT(refused(parse_saved_json, bad), HasSubstr("all.json: ")) << bad;
}

TEST(SavedFile, ReadsEvents) {
  const SavedFile file = parse_saved_lines(
      R"({"name": "walk", "score": 0.5, "first_frame": 3, "last_frame": 9, "box": [1, 2, 3, 4]}
{"name": "wave", "first_frame": 12, "last_frame": 12}
{"fovea": "1", "command": "actions recognize", "input": "v.mp4", "events": 2}
{"name": "jump", "first_frame": 0, "last_frame": 4}
)",
      "e.jsonl");
  EXPECT_EQ(file.what, "actions recognize");
  ASSERT_EQ(file.events.size(), 3U);
  EXPECT_EQ(file.events[0].input, "v.mp4");
  EXPECT_EQ(file.events[0].box, (Rect<double>{1, 2, 3, 4}));
  EXPECT_EQ(file.events[1].first, 12);
  EXPECT_FALSE(file.events[1].box);
  EXPECT_EQ(file.events[2].input, "");
  const test::TempFolder folder;
  test::save(folder / "e.json",
             "{\"name\": \"a\", \"first_frame\": 0, \"last_frame\": 4}\n"
             "{\"name\": \"b\", \"first_frame\": 1, \"last_frame\": 4}\n");
  EXPECT_EQ(read_saved(folder / "e.json").events.size(), 2U);
  for (const char* bad :
       {R"({"first_frame": 3, "last_frame": 2})", R"({"first_frame": -3, "last_frame": 2})",
        R"({"first_frame": "a", "last_frame": 2})",
        R"({"first_frame": 1, "last_frame": 2, "box": [1]})"})
    EXPECT_THAT(refused(parse_saved_lines, bad), HasSubstr("all.json: ")) << bad;
}

TEST(SavedFile, ReadsTracksAndFieldsOfOtherVerbs) {
  const SavedFile tracks = parse_saved_json(
      R"({"command": "emd track", "input": "v.mp4", "targets": [], "tracks": [
          {"frame": 4, "id": 1, "box": [1, 2, 3, 4], "score": 0.5},
          {"frame": 4, "id": 2, "box": [5, 6, 7, 8], "score": 0.25},
          {"frame": 5, "id": 1, "box": [2, 2, 3, 4], "score": 0.5}]})",
      "t.json");
  ASSERT_EQ(tracks.items.size(), 2U);
  EXPECT_EQ(tracks.items[0].frame, 4);
  EXPECT_EQ(tracks.items[0].boxes[1].label, "2");
  EXPECT_EQ(tracks.items[1].boxes[0].box.x, 2);
  const SavedFile parts = parse_saved_json(
      R"({"command": "mesh segment", "results": [{"input": "a.off", "output": "parts/a.ply"}]})",
      "m.json");
  EXPECT_EQ(parts.items[0].parts, "parts/a.ply");
  const SavedFile motion = parse_saved_json(
      R"({"command": "flow lk", "first": "a.png", "second": "b.png", "output": "a.pfm"})",
      "m.json");
  EXPECT_EQ(motion.items[0].motion, "a.pfm");
}

TEST(SavedFile, ReadsTracks) {
  const SavedFile file =
      parse_saved_tracks("1,3,11,21,30,40,0.5,-1,-1,-1\n2,3,12,21,30,40,0.75,-1,-1,-1\n", "t.txt");
  ASSERT_EQ(file.items.size(), 2U);
  EXPECT_EQ(file.items[1].frame, 1);
  EXPECT_EQ(file.items[1].boxes[0].label, "3");
  EXPECT_EQ(file.items[0].boxes[0].box, (Rect<double>{10, 20, 30, 40}));
  const SavedFile detections =
      parse_saved_tracks("1,-1,11,21,30,40,0.5\n1,-1,12,21,30,40,0.75\n", "det.txt");
  ASSERT_EQ(detections.items.size(), 1U);
  EXPECT_EQ(detections.items[0].boxes.size(), 2U);
  EXPECT_EQ(detections.items[0].boxes[1].label, "");
}

TEST(SavedFile, SaysWhatIsWrongInOneLine) {
  const auto json = [](const std::string& text) { return refused(parse_saved_json, text); };
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
  EXPECT_THAT(json(R"({"input": "a.png", "frame_stats": null})"), HasSubstr("'frame_stats' is no"));
  EXPECT_THAT(json(R"({"input": "a.png", "frame_stats": [{"frame": 0, "regions": [{"box": 3}]}]})"),
              HasSubstr("frame_stats[0].regions[0].box is 3"));
  EXPECT_THAT(json(R"({"evaluation": {"mistakes": 3}})"),
              AllOf(HasSubstr("evaluation.mistakes"), HasSubstr("an array")));
  EXPECT_THAT(refused(parse_saved_table, "a,b\n1,2\n"),
              HasSubstr("has neither the columns input, x, y"));
  EXPECT_THAT(refused(parse_saved_table, "input,x,y,width,height\na,1,2,3,nan\n"),
              HasSubstr("line 2: height is \"nan\", expected a number"));
  EXPECT_THAT(refused(parse_saved_tracks, "one two\n"), HasSubstr("all.json"));
  EXPECT_THAT(refused(parse_saved_lines, "{}\n"), HasSubstr("a result has no 'input'"));
  const test::TempFolder folder;
  test::save(folder / "a.flo", "PIEH");
  test::save(folder / "a.seg", "one\n");
  EXPECT_THROW(read_saved(folder / "a.flo"), FormatError);
  EXPECT_THROW(read_saved(folder / "a.seg"), FormatError);
  EXPECT_THAT(test::message_of<IoError>([] { read_saved("/none.json"); }),
              HasSubstr("/none.json: there is no such file"));
}

}  // namespace
}  // namespace fovea::view
