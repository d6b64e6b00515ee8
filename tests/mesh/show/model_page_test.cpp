#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/mesh/show.h>
#include <gmock/gmock.h>

#include "mesh/shapes.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

using testing::HasSubstr;
using testing::Not;

int count_of(const std::string& text, const std::string& what) {
  int count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// Bytes of the array that the page holds under a name.
std::string array_of(const std::string& page, const std::string& id) {
  const std::string start = "\"" + id + "\":\"";
  const auto from = page.find(start) + start.size();
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (auto at = from; page[at] != '"' && page[at] != '='; ++at) {
    static const std::string kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bits = bits << 6U | static_cast<std::uint32_t>(kDigits.find(page[at]));
    held += 6;
    if (held >= 8) bytes += static_cast<char>(bits >> static_cast<unsigned>(held -= 8) & 0xffU);
  }
  return bytes;
}
int number16(const std::string& bytes, std::size_t index) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  return static_cast<std::int16_t>(byte(2 * index) | byte(2 * index + 1) << 8);
}

TEST(ModelPage, HoldsTheMeshAndItsParts) {
  const io::TriangleMesh mesh = test::cube();
  std::vector<std::int32_t> labels(12, 0);
  labels[0] = labels[1] = 1;  // a side
  const std::string page = model_page(mesh, labels, {.title = "cube", .text = "all of it"});
  EXPECT_THAT(page, HasSubstr("<title>cube</title>"));
  EXPECT_THAT(page, HasSubstr("<p class=\"lead\">all of it</p>"));
  EXPECT_THAT(page, HasSubstr("cube in 2 parts"));
  EXPECT_EQ(count_of(page, "aria-pressed=\"false\""), 2);
  EXPECT_THAT(page, HasSubstr("<span>part 0</span> <small>83.3 %</small>"));
  EXPECT_THAT(page, HasSubstr("<span>part 1</span> <small>16.7 %</small>"));
  EXPECT_THAT(page, Not(HasSubstr("http")));  // needs nothing from elsewhere

  const std::string places = array_of(page, "places");
  ASSERT_EQ(places.size(), 2 * 3 * 8U);
  const int end = 18918;  // 32767 / sqrt(3): corners lie on the ball
  for (std::size_t v = 0; v < 8; ++v)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(number16(places, 3 * v + i), mesh.vertices[v][i] > 0 ? end : -end);
  EXPECT_EQ(array_of(page, "corners").size(), 4 * 3 * 12U);
  EXPECT_EQ(array_of(page, "corners")[4], 2);  // face 0 is 0, 2, 1
  EXPECT_EQ(array_of(page, "labels").size(), 2 * 12U);
  EXPECT_EQ(number16(array_of(page, "labels"), 1), 1);
  EXPECT_EQ(array_of(page, "seams").size(), 4 * 2 * 4U);  // the four edges of that side
  EXPECT_EQ(array_of(page, "sides").size(), 4 * 2 * 4U);  // with a face on either side
}

TEST(ModelPage, WordsAreEscaped) {
  const std::vector<std::int32_t> labels(12, 0);
  const std::string page =
      model_page(test::cube(), labels,
                 {.title = "</title><script>", .text = "a < b", .names = {"\"<img onerror=x>\""}});
  EXPECT_THAT(page, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;</title>"));
  EXPECT_THAT(page, HasSubstr("a &lt; b"));
  EXPECT_THAT(page, Not(HasSubstr("<img onerror")));
  EXPECT_THAT(page, Not(HasSubstr("<script><")));
}

TEST(ModelPage, DrawsWithoutWebGLToo) {
  const std::string page = model_page(test::cube(), std::vector<std::int32_t>(12, 0));
  EXPECT_THAT(page, HasSubstr("getContext('webgl'"));
  EXPECT_THAT(page, HasSubstr("getContext('2d')"));
  EXPECT_THAT(page, HasSubstr("webglcontextlost"));
  EXPECT_THAT(page, HasSubstr("is drawn by the processor"));
  EXPECT_THAT(page, HasSubstr("<noscript>"));
  EXPECT_THAT(page, HasSubstr("data:image/png;base64,"));
}

TEST(ModelPage, IsOneScript) {
  const std::string page = model_page(test::cube(), std::vector<std::int32_t>(12, 0));
  EXPECT_EQ(count_of(page, "<script type=\"module\">"), 1);
  EXPECT_EQ(count_of(page, "\nimport "), 0);
  EXPECT_THAT(page, HasSubstr("export class MeshView"));
}

TEST(ModelPage, OffersItsModulesToOtherPages) {
  for (const char* name : {"mesh_model.js", "mesh_drawing.js", "mesh_view.js"})
    EXPECT_THAT(std::string(model_module(name)), HasSubstr("export ")) << name;
  EXPECT_TRUE(model_module("saved_page.js").empty());
  EXPECT_TRUE(model_module("mesh_none.js").empty());
}

TEST(ModelPage, LabelsThatDoNotFitAreNamed) {
  EXPECT_EQ(test::message_of<InvalidArgument>(
                [] { model_page(test::cube(), std::vector<std::int32_t>(3)); }),
            "3 labels for a mesh of 12 faces; expected one each");
  for (const std::int32_t wrong : {-1, 65536}) {
    std::vector<std::int32_t> labels(12, 0);
    labels[5] = wrong;
    EXPECT_EQ(test::message_of<InvalidArgument>([&] { model_page(test::cube(), labels); }),
              fmt::format("label {}; a page shows 0 to 65535", wrong));
  }
}

// Side 1 of a cube is parted from the rest first, then side 2.
TEST(ModelPage, OpensAHierarchyLevelByLevel) {
  std::vector<std::int32_t> labels(12, 0);
  labels[0] = labels[1] = 1;
  labels[2] = labels[3] = 2;
  const std::vector<HierarchyNode> tree{{.children = {1, 2}, .part = 0},
                                        {.parent = 0, .level = 1, .children = {3, 4}, .part = 0},
                                        {.parent = 0, .level = 1, .part = 1},
                                        {.parent = 1, .level = 2, .part = 0},
                                        {.parent = 1, .level = 2, .part = 2}};
  const std::string page = model_page(test::cube(), labels, {.hierarchy = tree});
  EXPECT_THAT(page, HasSubstr("<input type=\"range\" min=\"0\" max=\"2\" value=\"2\""));
  // No seam around the whole; 4 edges of 2 ends around a side; 8 around both.
  EXPECT_THAT(page, HasSubstr("[{\"seams\":0,\"shown\":[0,0,0],\"areas\":[100.0,0.0,0.0]},"
                              "{\"seams\":8,\"shown\":[0,1,0],\"areas\":[83.3,16.7,0.0]},"
                              "{\"seams\":16,\"shown\":[0,1,2],\"areas\":[66.7,16.7,16.7]}]"));
  EXPECT_EQ(array_of(page, "seams").size(), 16 * 4U);
  EXPECT_THAT(page, Not(HasSubstr("http")));
  const std::string flat = model_page(test::cube(), labels);
  EXPECT_THAT(flat, Not(HasSubstr("type=\"range\"")));
  EXPECT_EQ(test::message_of<InvalidArgument>([&] {
              model_page(test::cube(), std::vector<std::int32_t>(12, 0), {.hierarchy = tree});
            }),
            "a hierarchy of 3 parts for labels of 1; expected those of one segmentation");
}

}  // namespace
}  // namespace fovea::mesh
