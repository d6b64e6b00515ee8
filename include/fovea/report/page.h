#pragma once
#include <fovea/core/api.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>
#include <fovea/core/version.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fovea {
struct FieldValue;
}

// Writes a report as one HTML file that needs no other: pictures, charts and styles are part of it,
// and there is no script. It follows the reader's light or dark theme and suits narrow screens and
// paper.
namespace fovea::report {

struct FigureText {
  std::string caption{};
  std::string command{};  // what made the figure, shown below the caption
  std::string alt{};      // text for readers who cannot see the figure; empty: the caption
};

// A picture or a chart, ready for a page.
class FOVEA_API Figure {
 public:
  // The image has 1 or 3 channels, lies in host memory and is embedded as PNG. A `scale` above 1
  // shows pixels as squares.
  static Figure picture(ImageView<const std::uint8_t> image, FigureText text = {}, int scale = 1);
  // SVG text as to_svg() returns it. It becomes part of the page without changes.
  static Figure chart(std::string svg, FigureText text = {});

  const std::string& content() const { return content_; }
  const FigureText& text() const { return text_; }

 private:
  Figure(std::string content, FigureText text)
      : content_(std::move(content)), text_(std::move(text)) {}
  std::string content_;
  FigureText text_;
};

// A text or a number in a table. Columns of numbers are aligned to the right.
class FOVEA_API Cell {
 public:
  Cell() = default;
  Cell(const char* text) : text_(text) {}
  Cell(std::string text) : text_(std::move(text)) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Cell(Integer value)
      : text_(whole(static_cast<long long>(value))), number_(true) {}
  // A number with this many significant digits; NaN is shown as a dash.
  Cell(double value, int digits = 3);

  const std::string& text() const { return text_; }
  bool number() const { return number_; }

 private:
  friend FieldValue cell_value(Cell& cell);
  static std::string whole(long long value);
  std::string text_;
  bool number_ = false;
};

struct Column {
  std::string title{};
  std::string unit{};
  bool timing = false;  // it shows times, which differ from run to run
};

struct Table {
  std::string caption{};
  std::vector<Column> columns{};
  std::vector<std::vector<Cell>> rows{};  // each with one cell per column
};

FOVEA_API void describe(FieldVisitor& visit, Column& column);
FOVEA_API void describe(FieldVisitor& visit, Table& table);

// How the results were made, for the foot of the page. Empty fields are left out.
struct Provenance {
  std::string version = FOVEA_VERSION;
  std::string command{};
  std::string options{};  // as options_json() gives them
  std::string device{};
  std::optional<std::uint64_t> seed{};
};

// All text is plain and is escaped; `backticks` mark code in paragraphs and captions.
class FOVEA_API Page {
 public:
  explicit Page(std::string title, std::string lead = {});

  Page& section(const std::string& title);
  Page& subsection(const std::string& title);  // before any section it counts as one
  Page& paragraph(const std::string& text);
  // A link to a file beside the page.
  Page& link(const std::string& text, const std::string& file);
  Page& figure(const Figure& figure);
  // Figures side by side, as many per row as there is room for, but at most `columns`.
  Page& figures(const std::vector<Figure>& figures, int columns = 2);
  // Throws InvalidArgument where a row has another number of cells than there are columns.
  Page& table(const Table& table);
  Page& facts(const std::vector<std::pair<std::string, std::string>>& facts);
  Page& code(const std::string& text);
  Page& provenance(Provenance provenance);

  std::string html() const;
  // The file appears whole or not at all. Throws IoError that names the path.
  void write(const std::string& path) const;

 private:
  struct Heading {
    std::string title;
    std::string id;
    int level;
  };
  void heading(const std::string& title, int level);
  void add_figure(const Figure& figure);
  std::string contents() const;
  std::string foot() const;

  std::string title_;
  std::string lead_;
  std::string body_;
  std::vector<Heading> headings_;
  int figures_ = 0;
  std::optional<Provenance> provenance_;
};

}  // namespace fovea::report
