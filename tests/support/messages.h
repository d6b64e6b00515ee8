// What a call says when it refuses.
#pragma once
#include <fovea/core/error.h>
#include <gmock/gmock.h>

#include <string>

namespace fovea::test {

// The message of the exception of type E that function() throws; empty where it throws none.
template <class E = InvalidArgument, class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const E& error) {
    return error.what();
  }
  return {};
}

// A message that has these pieces: the value, the file, what was expected. Its other words may
// change.
template <class... Pieces>
auto says(const Pieces&... pieces) {
  return testing::AllOf(testing::HasSubstr(std::string(pieces))...);
}

}  // namespace fovea::test
