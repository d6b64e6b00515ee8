#include "support/xml_check.h"

#include <cctype>
#include <set>
#include <vector>

namespace fovea::test {
namespace {

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  std::string run() {
    skip_doctype();
    while (problem_.empty() && at_ < text_.size()) text_[at_] == '<' ? tag() : content();
    if (problem_.empty() && !open_.empty()) fail("not closed: " + open_.back());
    if (problem_.empty() && !seen_root_) fail("no element");
    return problem_;
  }

 private:
  void fail(const std::string& what) {
    if (problem_.empty()) problem_ = what + " at byte " + std::to_string(at_);
  }

  void skip_doctype() {
    if (text_.substr(0, 9) == "<!DOCTYPE") at_ = text_.find('>') + 1;
  }

  void entity() {
    const auto end = text_.find(';', at_);
    const auto name = text_.substr(at_ + 1, end - at_ - 1);
    if (end == std::string_view::npos || (name != "lt" && name != "gt" && name != "amp" &&
                                          name != "quot" && name.substr(0, 1) != "#"))
      return fail("a bare &");
    at_ = end + 1;
  }

  void content() {
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    if (c == '&') return entity();
    if (c < 0x20 && c != '\n' && c != '\t') return fail("a control character");
    if (open_.empty() && std::isspace(c) == 0) return fail("text outside the root");
    ++at_;
  }

  std::string name() {
    std::string result;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':'))
      result += text_[at_++];
    if (result.empty()) fail("a name is missing");
    return result;
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void tag() {
    ++at_;
    if (take('/')) {
      const std::string closed = name();
      if (open_.empty() || open_.back() != closed) return fail("</" + closed + "> closes nothing");
      open_.pop_back();
      if (!take('>')) fail("> is missing");
      return;
    }
    if (open_.empty() && seen_root_) return fail("a second root");
    seen_root_ = true;
    const std::string opened = name();
    std::set<std::string> attributes;
    for (skip_space(); problem_.empty() && at_ < text_.size(); skip_space()) {
      if (take('>')) return open_.push_back(opened);
      if (take('/')) return take('>') ? void() : fail("> is missing");
      const std::string attribute = name();
      if (!attributes.insert(attribute).second) return fail(attribute + " is given twice");
      if (!take('=') || !take('"')) return fail(attribute + " has no quoted value");
      while (problem_.empty() && at_ < text_.size() && text_[at_] != '"') {
        if (text_[at_] == '<') return fail("< in an attribute");
        text_[at_] == '&' ? entity() : void(++at_);
      }
      if (!take('"')) return fail("an attribute is not closed");
    }
    fail("a tag is not closed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool seen_root_ = false;
  std::vector<std::string> open_;
  std::string problem_;
};

}  // namespace

std::string xml_problem(std::string_view text) { return Checker(text).run(); }

}  // namespace fovea::test
