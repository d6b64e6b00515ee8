#include "cli/beside/become.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

namespace fovea::cli {

int become(std::vector<std::string> words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  signal(SIGPIPE, SIG_DFL);
  sigset_t before, none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, &before);
  execvp(argv[0], argv.data());
  const int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  signal(SIGPIPE, SIG_IGN);
  return reason;
}

}  // namespace fovea::cli
