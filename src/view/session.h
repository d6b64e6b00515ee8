// Answers the requests of the page: inputs, runs, results, tiles and explanations.
//
//   GET  /                                 the page; its modules are /page/NAME
//   POST /session                          the token; sets the cookie
//   GET  /systems                          systems with models and controls, limits
//   GET  /inputs                           all inputs
//   POST /inputs?name=NAME                 uploads one
//   GET  /inputs/ID, /inputs/ID/thumbnail
//   GET  /inputs/ID/tile/FRAME/LEVEL/X/Y
//   POST /run                              starts a job: system, inputs, frame, model, options, box
//   WebSocket /jobs/ID                     states of a job; "stop" stops it
//   WebSocket /streams/ID?frame=N          plays an input: frames, and what a system finds in them
//   GET  /results/ID, /results/ID/result.json, /results/ID/page.html?x=&y=
//   GET  /results/ID/tile/LAYER/LEVEL/X/Y
//   GET  /results/ID/explain?x=&y=, /results/ID/heat/N?x=&y=
#pragma once
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "view/guard.h"
#include "view/http.h"
#include "view/inputs.h"
#include "view/jobs.h"
#include "view/kept.h"
#include "view/stream/streams.h"
#include "view/system.h"

namespace fovea::view {

struct SessionOptions {
  GuardOptions guard{};
  std::size_t upload_bytes = std::size_t{256} << 20;  // most of one file
  Exec exec{};                                        // of jobs
  std::string model{};                                // besides those that ship
  double timeout_seconds = 10;  // how long a camera or stream may send nothing
};

class Session final : public Service {
 public:
  explicit Session(const SessionOptions& options);

  Inputs& inputs() { return inputs_; }
  // Called once, before any request.
  void set_port(int port) { guard_.set_port(port); }

  // Ends all jobs and streams, after which nothing is sent to WebSockets any more.
  void stop_jobs() {
    streams_.end();
    jobs_.end();
  }

  bool known(const Request& request) const override { return guard_.has_session(request.cookie); }
  std::variant<Response, std::size_t> admit(const Request& request) override;
  Response respond(const Request& request) override;
  std::unique_ptr<Listener> listen(const Request& request, Send send) override;

 private:
  using Parts = std::vector<std::string_view>;
  Response systems() const;
  Response upload(const Request& request);
  Response input(const Request& request, const Parts& parts);
  Response start(const Request& request);
  Response result(const Request& request, const Parts& parts);
  Response kept_png(const std::string& key, const std::function<std::string()>& make);
  std::shared_ptr<const report::Explanation> explanation(const Request& request,
                                                         const std::string& id,
                                                         const Result& result);

  SessionOptions options_;
  Guard guard_;
  Inputs inputs_{};
  Systems systems_;
  Kept<std::shared_ptr<const std::string>> pictures_;
  Kept<std::shared_ptr<const report::Explanation>> explanations_;
  Jobs jobs_;        // goes before the systems, which its thread uses
  Streams streams_;  // goes first, for the same reason
};

}  // namespace fovea::view
