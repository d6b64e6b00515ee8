// The words and numbers of PNM and PFM headers, and of pictures in ASCII. Comments begin with # and
// end with their line.
#pragma once
#include <cstdint>
#include <string>

#include "io/text/source.h"

namespace fovea::io {

class NetpbmTokens {
 public:
  explicit NetpbmTokens(Cursor& cursor) : cursor_(cursor) {}

  static bool is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  // The next whole number, and one white space after it; `what` names it in messages.
  std::uint32_t number(const char* what, std::uint32_t most);
  // The next characters up to a white space, which is taken as well; 64 at most.
  std::string word();
  // The next digit 0 or 1; white space between them may be missing.
  bool bit();
  // A line of a PAM header without its end; comments are passed over.
  std::string line();

 private:
  int skip_space();
  void skip_line();
  [[noreturn]] void fail(const char* what, int c) const;

  Cursor& cursor_;
};

}  // namespace fovea::io
