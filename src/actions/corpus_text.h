// Lists of clips as text: lines, words and ranges of frames, with messages that name the line.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea::actions {

struct TextLine {
  int number = 0;  // from 1
  std::string_view text;
};

// A text file's content. IoError where it cannot be read, FormatError where it holds a byte 0.
std::string read_text(const std::string& path);
// Lines that are not blank, without space around them; those that begin with # are left out.
std::vector<TextLine> lines_of(std::string_view text);
// Words parted by space; "..." is one word.
std::vector<std::string> words_of(std::string_view line);
// FormatError "path: line 3: cause".
[[noreturn]] void fail_line(const std::string& path, int line, const std::string& cause);
// A piece of text as it may stand in a message.
std::string shown(std::string_view text);

// "12-95": frames from 1, both included. False where it is no such range.
bool parse_range(std::string_view text, std::pair<int, int>& range);

}  // namespace fovea::actions
