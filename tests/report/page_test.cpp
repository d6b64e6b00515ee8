// Covers: page_style
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/report/chart.h>
#include <fovea/report/page.h>
#include <gmock/gmock.h>
#include <png.h>

#include <limits>

#include "report/png_text.h"
#include "support/files.h"
#include "support/images.h"
#include "support/xml_check.h"

namespace fovea::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Page full_page() {
  Random random(1);
  Page page("A <title> & more", "lead with `code`");
  page.section("First & foremost");
  page.paragraph("3 < 4 & \"quotes\" and `a<b>`, a lone ` stays");
  page.figure(Figure::picture(test::random_image<std::uint8_t>(random, 9, 7, 3),
                              {"noise", "fovea noise --seed \"1\"", "gray & grain"}));
  page.subsection("First & foremost");
  LineChart chart{.title = "x"};
  chart.series.push_back({.name = "s", .y = {1, 2}});
  page.figures({Figure::chart(to_svg(chart), {"a"}), Figure::chart(to_svg(chart), {"b"})}, 2);
  page.table({"times", {{"name"}, {"time", "ms"}}, {{"a", 1.5}, {"b", -12345}}});
  page.facts({{"frames", "12"}});
  page.code("if (a < b && c) {}");
  page.provenance({.command = "fovea x", .options = "{\"a\": 1}", .device = "cpu", .seed = 7});
  return page;
}

TEST(Page, IsWellFormed) { EXPECT_EQ(test::xml_problem(full_page().html()), ""); }

TEST(Page, NeedsNothingFromElsewhere) {
  std::string html = full_page().html();
  const std::string name_space = "xmlns=\"http://www.w3.org/2000/svg\"";
  for (auto at = html.find(name_space); at != std::string::npos; at = html.find(name_space))
    html.erase(at, name_space.size());
  EXPECT_THAT(html,
              AllOf(Not(HasSubstr("http:")), Not(HasSubstr("https:")), Not(HasSubstr("<script")),
                    Not(HasSubstr("<link")), Not(HasSubstr("@import")), Not(HasSubstr("url("))));
}

TEST(Page, EscapesText) {
  const std::string html = full_page().html();
  EXPECT_THAT(html,
              AllOf(HasSubstr("<title>A &lt;title&gt; &amp; more</title>"),
                    HasSubstr("3 &lt; 4 &amp; &quot;quotes&quot; and <code>a&lt;b&gt;</code>"),
                    HasSubstr("a lone ` stays"), HasSubstr("alt=\"gray &amp; grain\""),
                    HasSubstr("--seed &quot;1&quot;"), HasSubstr("if (a &lt; b &amp;&amp; c)")));
}

TEST(Page, LinksToFilesBesideIt) {
  Page page("x");
  page.link("see <it>", "a \"b\".html");
  EXPECT_THAT(page.html(), HasSubstr("<a href=\"a &quot;b&quot;.html\">see &lt;it&gt;</a>"));
}

TEST(Page, HeadingsHaveIdsOfTheirOwnAndAreListed) {
  const std::string html = full_page().html();
  EXPECT_THAT(html, AllOf(HasSubstr("<h2 id=\"first-foremost\">"),
                          HasSubstr("<h3 id=\"first-foremost-2\">"),
                          HasSubstr("href=\"#first-foremost-2\"")));
  Page page("p");
  page.subsection("early");
  EXPECT_THAT(page.html(), AllOf(HasSubstr("<h2 id=\"early\">"), Not(HasSubstr("<nav"))));
}

TEST(Page, FollowsTheThemeAndCountsFigures) {
  const std::string html = full_page().html();
  EXPECT_THAT(html, AllOf(HasSubstr("prefers-color-scheme:dark"), HasSubstr("--fovea-series-14:"),
                          HasSubstr("@media print"), HasSubstr("Figure 3.")));
  EXPECT_EQ(full_page().html(), html);
}

TEST(Page, NumbersStandToTheRight) {
  EXPECT_THAT(
      full_page().html(),
      AllOf(HasSubstr("<th scope=\"col\" class=\"number\">time <span class=\"unit\">(ms)</span>"),
            HasSubstr("<td class=\"number\">1.50</td>"),
            HasSubstr("<td class=\"number\">−12\u202F345</td>")));
  Page page("p");
  EXPECT_THROW(page.table({"t", {{"a"}, {"b"}}, {{"only one"}}}), InvalidArgument);
}

TEST(Cell, WritesNumbers) {
  EXPECT_EQ(Cell(0.8312).text(), "0.831");
  EXPECT_EQ(Cell(0.02141).text(), "0.0214");
  EXPECT_EQ(Cell(1234567.8).text(), "1\u202F234\u202F568");
  EXPECT_EQ(Cell(0.0).text(), "0");
  EXPECT_EQ(Cell(1.5e12).text(), "1.50e+12");
  EXPECT_EQ(Cell(1234567).text(), "1\u202F234\u202F567");
  EXPECT_EQ(Cell(std::numeric_limits<double>::quiet_NaN()).text(), "–");
  EXPECT_FALSE(Cell("12").number());
}

TEST(Page, IsWrittenWholeOrNamesThePath) {
  const test::TempFolder folder;
  full_page().write(folder / "page.html");
  EXPECT_EQ(test::load(folder / "page.html"), full_page().html());
  try {
    full_page().write("/no/such/folder/page.html");
    FAIL() << "nothing was thrown";
  } catch (const IoError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/no/such/folder/page.html"));
  }
}

TEST(Png, DecodesToTheSamePixels) {
  Random random(5);
  for (const int channels : {1, 3}) {
    const auto image = test::random_image<std::uint8_t>(random, 33, 21, channels);
    const std::string bytes = png_bytes(image);
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    ASSERT_NE(png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()), 0);
    header.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
    Image<std::uint8_t> decoded(33, 21, channels);
    ASSERT_NE(png_image_finish_read(&header, nullptr, decoded.row(0),
                                    static_cast<int>(decoded.stride()), nullptr),
              0);
    EXPECT_TRUE(test::images_equal(decoded, image));
  }
}

TEST(Png, RefusesWhatItCannotEncode) {
  EXPECT_THROW(png_bytes(Image<std::uint8_t>(3, 3, 2)), InvalidArgument);
  EXPECT_THROW(png_bytes(ImageView<const std::uint8_t>{}), InvalidArgument);
}

TEST(Base64, HasTheKnownAnswers) {  // RFC 4648, section 10
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(XmlCheck, FindsWhatIsWrong) {
  EXPECT_EQ(test::xml_problem("<a b=\"1\"><c/>&lt;</a>"), "");
  for (const char* bad : {"<a>", "<a></b>", "<a b=1/>", "<a b=\"1\" b=\"2\"/>", "<a>&nope;</a>",
                          "<a/><b/>", "text", "<a b=\"<\"/>", ""})
    EXPECT_NE(test::xml_problem(bad), "") << bad;
}

}  // namespace
}  // namespace fovea::report
