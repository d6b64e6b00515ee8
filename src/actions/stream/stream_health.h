// A push that fails in the middle leaves a stream with steps whose states were never computed.
// Results of later frames would be wrong, so that a stream remembers its failure and says so.
#pragma once
#include <exception>

namespace fovea::actions::detail {

class StreamHealth {
 public:
  // Calls body(), which changes the stream, and returns its result. Where it throws, all later
  // calls throw, too.
  template <class Body>
  decltype(auto) change(const Body& body) {
    require_whole();
    try {
      return body();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }

  // Throws Error with the reason where a change failed; Cancelled where it was stopped.
  void require_whole() const;

 private:
  std::exception_ptr failure_{};
};

}  // namespace fovea::actions::detail
