#include "view/view.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "view/access/origin.h"
#include "view/session.h"

namespace fovea::view {
namespace {

constexpr std::size_t kLeastToken = 32;

// A name as a numeric address.
std::string numeric_address(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0)
    throw IoError(fmt::format("--host {}: {}", host, gai_strerror(error)));
  std::array<char, NI_MAXHOST> text{};
  getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0,
              NI_NUMERICHOST);
  freeaddrinfo(found);
  return text.data();
}

std::string machine_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

GuardOptions guard_options(const std::string& host, const std::string& token,
                           const std::vector<std::string>& embedding) {
  GuardOptions options{.token = token, .embedding = embedding};
  if (host.empty()) return options;
  options.hosts = {host, machine_name()};
  options.addresses = true;
  return options;
}

std::vector<std::string> parse_origins(const std::vector<std::string>& texts) {
  std::vector<std::string> origins(texts.size());
  std::ranges::transform(texts, origins.begin(), &parse_origin);
  return origins;
}

// Files of results are about inputs, which have to be there first. In a folder that is named beside
// results which name their inputs, these are looked for; otherwise a folder stands for what is in
// it.
void add_words(Session& session, const std::vector<std::string>& words, const Log& log) {
  std::vector<std::string> folders, others;
  std::vector<SavedFile> results;
  for (const std::string& word : words) {
    std::error_code ignored;
    const bool folder = std::filesystem::is_directory(word, ignored);
    if (folder ? is_saved_folder(word) : is_saved_file(word) && !word.starts_with('@'))
      results.push_back(read_saved(word));
    else (folder ? folders : others).push_back(word);
  }
  if (!std::ranges::all_of(results, names_inputs) || results.empty())
    others.insert(others.end(), folders.begin(), folders.end());
  session.inputs().add_paths(others);
  for (SavedFile& result : results)
    session.saved_results().add(std::move(result), session.inputs(), folders);
  for (const std::shared_ptr<Input>& input : session.inputs().all())
    session.saved_results().add_labels_inside(*input, session.inputs());
  for (const std::string& note : session.saved_results().notes()) log(note);
}

}  // namespace

View::View(const ViewOptions& options, Log log)
    : host_(options.host), token_(options.token.empty() ? random_token() : options.token) {
  const std::vector<std::string> embedding = parse_origins(options.embedding);
  session_ =
      std::make_shared<Session>(SessionOptions{.guard = guard_options(host_, token_, embedding),
                                               .exec = options.exec,
                                               .model = options.model,
                                               .truth = options.truth,
                                               .timeout_seconds = options.timeout_seconds});
  add_words(*session_, options.inputs, log);
  ServerOptions serving{.port = options.port, .embedding = embedding};
  if (!host_.empty()) serving.address = numeric_address(host_);
  server_ = std::make_unique<Server>(serving, session_, std::move(log));
  session_->set_port(server_->port());
  server_->start();
}

View::~View() { session_->stop_jobs(); }

std::string View::address() const {
  std::string host = host_.empty() ? "127.0.0.1" : host_;
  if (host == "0.0.0.0" || host == "::") host = machine_name();  // they lead nowhere from outside
  if (host.find(':') != host.npos) host = "[" + host + "]";
  return fmt::format("http://{}:{}/#{}", host, port(), token_);
}

const std::string& View::folder() const { return session_->inputs().folder(); }

std::string read_token_file(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0)
    throw IoError(fmt::format("{}: the file of the token cannot be read", path));
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    throw InvalidArgument(
        fmt::format("{}: other users may read the token; do chmod 600 {}", path, path));
  std::ifstream file(path);
  std::string token;
  std::getline(file, token);
  if (token.size() < kLeastToken || token.find_first_of(" \t\r#%") != token.npos)
    throw InvalidArgument(
        fmt::format("{}: its first line has {} characters; a token has at least "
                    "{}, without spaces, such as openssl rand -hex 32 gives",
                    path, token.size(), kLeastToken));
  return token;
}

}  // namespace fovea::view
