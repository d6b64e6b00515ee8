// The view as a whole: a server on this machine, its guard, and what it shows.
#pragma once
#include <fovea/core/exec.h>

#include <memory>
#include <string>
#include <vector>

#include "view/server.h"

namespace fovea::view {

class Session;

struct ViewOptions {
  std::vector<std::string> inputs{};  // words of a command line
  std::string host{};                 // numeric address or name to listen at; empty: loopback only
  int port = 0;                       // 0: any that is free
  std::string token{};                // empty: a new one
  std::vector<std::string> embedding{};  // origins of pages that may embed the view's
  std::string model{};                   // besides those that ship
  std::string truth{};                   // file or folder with what is true about inputs; or empty
  double timeout_seconds = 10;           // how long a camera or stream may send nothing
  Exec exec{};
};

class View {
 public:
  // Throws IoError where an input is missing or nothing can listen at the host and port.
  View(const ViewOptions& options, Log log);
  ~View();
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  // What to open in a browser: http://127.0.0.1:PORT/#TOKEN.
  std::string address() const;
  int port() const { return server_->port(); }
  // The private folder, for files that must go with the process.
  const std::string& folder() const;

 private:
  std::string host_, token_;
  std::shared_ptr<Session> session_;
  std::unique_ptr<Server> server_;  // goes first
};

// The first line of a file that only its owner can read, of at least 32 characters. Throws IoError
// or InvalidArgument.
std::string read_token_file(const std::string& path);

}  // namespace fovea::view
