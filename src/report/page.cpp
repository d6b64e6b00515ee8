// The HTML page. It is also well-formed XML, so that it can be checked as such.
#include <fovea/core/error.h>
#include <fovea/report/page.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/text/output_file.h"
#include "report/page_style.h"
#include "report/png_text.h"
#include "report/svg.h"
#include "report/ticks.h"

namespace fovea::report {
namespace {

// Escapes text and marks up `code` between backticks; a lone backtick stays as it is.
std::string marked_up(std::string_view text) {
  std::string out;
  while (true) {
    const auto open = text.find('`');
    const auto close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) return out + escaped(text);
    out += escaped(text.substr(0, open));
    out += fmt::format("<code>{}</code>", escaped(text.substr(open + 1, close - open - 1)));
    text.remove_prefix(close + 1);
  }
}

// Lower-case words joined by hyphens, in ASCII only, so that every program can link to it.
std::string slug(std::string_view title) {
  std::string id;
  for (const char c : title) {
    const bool digit = c >= '0' && c <= '9', lower = c >= 'a' && c <= 'z';
    if (digit || lower) id += c;
    else if (c >= 'A' && c <= 'Z') id += static_cast<char>(c - 'A' + 'a');
    else if (!id.empty() && id.back() != '-') id += '-';
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  return id.empty() ? "section" : id;
}

std::string facts_html(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string html = "<dl>\n";
  for (const auto& [name, value] : facts)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), marked_up(value));
  return html + "</dl>\n";
}

// Puts thin spaces between groups of three digits, from five digits on.
std::string grouped(std::string digits) {
  const std::size_t start = !digits.empty() && digits[0] == '-' ? 1 : 0;
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  if (whole - start < 5) return digits;
  for (std::size_t i = whole - 3; i > start; i = i > start + 3 ? i - 3 : start)
    digits.insert(i, "\u202F");
  return digits;
}

bool numeric_column(const Table& table, std::size_t column) {
  return !table.rows.empty() &&
         std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
           return row[column].number() || row[column].text().empty();
         });
}

}  // namespace

Figure Figure::picture(ImageView<const std::uint8_t> image, FigureText text, int scale) {
  scale = std::clamp(scale, 1, 64);
  const std::string& alt = text.alt.empty() ? text.caption : text.alt;
  std::string html = fmt::format("<img{} src=\"{}\" alt=\"{}\" width=\"{}\" height=\"{}\"/>",
                                 scale > 1 ? " class=\"pixels\"" : "", png_data_uri(image),
                                 escaped(alt), image.width * scale, image.height * scale);
  return {std::move(html), std::move(text)};
}

Figure Figure::chart(std::string svg, FigureText text) { return {std::move(svg), std::move(text)}; }

Cell::Cell(double value, int digits) : number_(true) {
  if (std::isnan(value)) {
    text_ = "–";
  } else if (std::isinf(value)) {
    text_ = value > 0 ? "∞" : "−∞";
  } else {
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e9);
    const int lead = size > 0 ? static_cast<int>(std::floor(std::log10(size))) : 0;
    const int decimals = std::clamp(digits - 1 - lead, 0, 15);
    text_ = with_minus(plain ? grouped(fmt::format("{:.{}f}", value, size == 0 ? 0 : decimals))
                             : fmt::format("{:.{}e}", value, std::max(0, digits - 1)));
  }
}

std::string Cell::whole(long long value) { return with_minus(grouped(std::to_string(value))); }

Page::Page(std::string title, std::string lead)
    : title_(std::move(title)), lead_(std::move(lead)) {}

void Page::heading(const std::string& title, int level) {
  const std::string base = slug(title);
  std::string id = base;
  const auto taken = [&] {
    return std::any_of(headings_.begin(), headings_.end(),
                       [&](const Heading& heading) { return heading.id == id; });
  };
  for (int i = 2; taken(); ++i) id = fmt::format("{}-{}", base, i);
  headings_.push_back({title, id, level});
  body_ += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", level, id, escaped(title));
}

Page& Page::section(const std::string& title) {
  heading(title, 2);
  return *this;
}

Page& Page::subsection(const std::string& title) {
  heading(title, headings_.empty() ? 2 : 3);
  return *this;
}

Page& Page::paragraph(const std::string& text) {
  body_ += fmt::format("<p>{}</p>\n", marked_up(text));
  return *this;
}

Page& Page::link(const std::string& text, const std::string& file) {
  body_ += fmt::format("<p><a href=\"{}\">{}</a></p>\n", escaped(file), escaped(text));
  return *this;
}

void Page::add_figure(const Figure& figure) {
  const FigureText& text = figure.text();
  body_ += fmt::format("<figure>\n{}\n", figure.content());
  body_ += fmt::format("<figcaption><b>Figure {}.</b> {}", ++figures_, marked_up(text.caption));
  if (!text.command.empty())
    body_ += fmt::format("<code class=\"command\">{}</code>", escaped(text.command));
  body_ += "</figcaption>\n</figure>\n";
}

Page& Page::figure(const Figure& figure) {
  add_figure(figure);
  return *this;
}

Page& Page::figures(const std::vector<Figure>& figures, int columns) {
  body_ += fmt::format("<div class=\"grid\" style=\"--columns:{}\">\n", std::clamp(columns, 1, 12));
  for (const Figure& figure : figures) add_figure(figure);
  body_ += "</div>\n";
  return *this;
}

Page& Page::table(const Table& table) {
  for (const auto& row : table.rows)
    if (row.size() != table.columns.size())
      throw InvalidArgument(
          fmt::format("page table \"{}\": a row has {} cells for {} columns; give one per column",
                      table.caption, row.size(), table.columns.size()));
  std::vector<const char*> style;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    style.push_back(numeric_column(table, i) ? " class=\"number\"" : "");
  body_ += "<div class=\"scroll\"><table>\n";
  if (!table.caption.empty())
    body_ += fmt::format("<caption>{}</caption>\n", marked_up(table.caption));
  body_ += "<thead><tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    body_ += fmt::format("<th scope=\"col\"{}>{}", style[i], escaped(column.title));
    if (!column.unit.empty())
      body_ += fmt::format(" <span class=\"unit\">({})</span>", escaped(column.unit));
    body_ += "</th>";
  }
  body_ += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows) {
    body_ += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      body_ += fmt::format("<td{}>{}</td>", style[i],
                           row[i].number() ? escaped(row[i].text()) : marked_up(row[i].text()));
    body_ += "</tr>\n";
  }
  body_ += "</tbody>\n</table></div>\n";
  return *this;
}

Page& Page::facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  body_ += facts_html(facts);
  return *this;
}

Page& Page::code(const std::string& text) {
  body_ += fmt::format("<pre><code>{}</code></pre>\n", escaped(text));
  return *this;
}

Page& Page::provenance(Provenance provenance) {
  provenance_ = std::move(provenance);
  return *this;
}

std::string Page::contents() const {
  if (headings_.size() < 2) return "";
  std::string html = "<nav aria-label=\"Contents\"><ul>\n";
  for (const Heading& heading : headings_)
    html +=
        fmt::format("<li{}><a href=\"#{}\">{}</a></li>\n",
                    heading.level > 2 ? " class=\"deep\"" : "", heading.id, escaped(heading.title));
  return html + "</ul></nav>\n";
}

std::string Page::foot() const {
  if (!provenance_) return "";
  std::vector<std::pair<std::string, std::string>> facts;
  const auto add = [&](const char* name, const std::string& value, bool code) {
    if (!value.empty()) facts.emplace_back(name, code ? "`" + value + "`" : value);
  };
  add("fovea", provenance_->version, false);
  add("command", provenance_->command, true);
  add("options", provenance_->options, true);
  add("device", provenance_->device, false);
  if (provenance_->seed) add("seed", std::to_string(*provenance_->seed), false);
  return facts.empty() ? "" : "<footer>\n" + facts_html(facts) + "</footer>\n";
}

std::string Page::html() const {
  std::string html = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  html +=
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"generator\" content=\"fovea " FOVEA_VERSION "\"/>\n";
  html +=
      fmt::format("<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<div class=\"sheet\">\n",
                  escaped(title_), page_style());
  html += fmt::format("<header>\n<h1>{}</h1>\n", escaped(title_));
  if (!lead_.empty()) html += fmt::format("<p class=\"lead\">{}</p>\n", marked_up(lead_));
  html += contents() + "</header>\n<main>\n" + body_ + "</main>\n" + foot();
  return html + "</div>\n</body>\n</html>\n";
}

void Page::write(const std::string& path) const {
  io::OutputFile file(path);
  file.write(html());
  file.commit();
}

}  // namespace fovea::report
