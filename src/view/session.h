// Answers the requests of the page: inputs, runs, results, tiles and explanations.
//
//   GET  /                                 the page; its modules are /page/NAME
//   POST /session                          the token; sets the cookie
//   GET  /systems                          systems with models and controls, limits
//   GET  /inputs?from=N                    all inputs, or those from the Nth on
//   WebSocket /inputs                      how many there are, now and whenever one has come
//   POST /inputs?name=NAME                 uploads one
//   POST /inputs?name=A.hdr&samples=B&header_bytes=N   a cube: N bytes of header, then samples
//   GET  /inputs/ID, /inputs/ID/thumbnail
//   GET  /inputs/ID/tile/FRAME/LEVEL/X/Y
//   POST /run                              starts a job: system, inputs, frame, model, options, box
//   WebSocket /jobs/ID                     states of a job; "stop" stops it, and so does nobody's
//                                          listening for some seconds
//   WebSocket /streams/ID?frame=N          plays an input: frames, and what a system finds in them
//   GET  /results/ID, /results/ID/result.json, /results/ID/page.html?x=&y=
//   GET  /results/ID/save/N                one of the files that the result lists
//   GET  /results/ID/tile/LAYER/LEVEL/X/Y
//   POST /results/ID/explain               starts a job that explains a place or a face of a mesh:
//                                          client, x, y, frame; or client, face
//   GET  /results/ID/explain?x=&y=&frame=  the explanation, once that job is done; or with ?face=
//   GET  /results/ID/heat/N?x=&y=&frame=   one of its layers
//   GET  /results/ID/why/NAME?x=&y=&frame= a picture that belongs to the explanation
//   GET  /results/ID/patch/X,Y,W,H         what a reason of it is about, as a part of the picture
//   GET  /results/ID/frame/N               what is drawn over a frame of a video
//   Of meshes:
//   GET  /inputs/ID/shape.json, /results/ID/parts.json, /results/ID/surface/NAME
//   GET  /results/ID/faces/N?face=
//   GET  /earlier                          files of earlier results
//   GET  /earlier/INPUT?frame=N, /earlier/INPUT/tile/LAYER/LEVEL/X/Y, /earlier/INPUT/surface/NAME
//   GET  /evaluations/N                    the evaluation of a file of earlier results
//   GET  /evaluations/N/mistakes/M         a picture of one of its mistakes
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "view/access/guard.h"
#include "view/http.h"
#include "view/inputs.h"
#include "view/jobs.h"
#include "view/lru_cache.h"
#include "view/run_body.h"
#include "view/saved_results/saved_results.h"
#include "view/stream/arrivals.h"
#include "view/stream/streams.h"
#include "view/system.h"

namespace fovea::view {

struct SessionOptions {
  GuardOptions guard{};
  std::size_t upload_bytes = std::size_t{256} << 20;  // most of one file
  Exec exec{};                                        // of jobs
  std::string model{};                                // besides those that ship
  std::string truth{};                                // file or folder; empty: none
  double timeout_seconds = 10;  // how long a camera or stream may send nothing
};

class Session final : public Service {
 public:
  explicit Session(const SessionOptions& options);
  Session(const SessionOptions& options, Systems systems);

  Inputs& inputs() { return inputs_; }
  // Files are added before any request.
  SavedResults& saved_results() { return saved_; }
  // Called once, before any request.
  void set_port(int port) { guard_.set_port(port); }

  // Ends all jobs and streams, after which nothing is sent to WebSockets any more.
  void stop_jobs() {
    streams_.end();
    jobs_.end();
    questions_.end();
  }

  bool known(const Request& request) const override { return guard_.has_session(request); }
  std::variant<Response, std::size_t> admit(const Request& request) override;
  Response respond(const Request& request) override;
  std::unique_ptr<Listener> listen(const Request& request, Send send) override;

 private:
  using Parts = std::vector<std::string_view>;
  Response systems() const;
  Response upload(const Request& request);
  Response make_film(const Request& request);
  Response upload_results(const std::string& name, const std::string& bytes);
  using FindPicture = std::function<std::shared_ptr<const Picture>()>;
  Response tile(const Request& request, const Parts& parts, const FindPicture& find);
  Response input(const Request& request, const Parts& parts);
  Response start(const Request& request);
  Response ask(const Request& request, const std::string& id);
  Response result(const Request& request, const Parts& parts);
  Response evaluation(const Request& request, const Parts& parts);
  Response saved_result(const Request& request, const Parts& parts);
  Response kept_png(const std::string& key, const std::function<std::string()>& make);
  std::shared_ptr<const report::Explanation> explain(const Result& result, const std::string& id,
                                                     const Question& question, const Exec& exec);

  SessionOptions options_;
  Guard guard_;
  Inputs inputs_{};
  Arrivals arrivals_{};
  SavedResults saved_{};
  Systems systems_;
  std::shared_ptr<const Truth> truth_;
  LruCache<std::shared_ptr<const std::string>> pictures_;
  LruCache<std::shared_ptr<const report::Explanation>> explanations_;
  Jobs jobs_;       // these go first: their threads use the systems and what is kept
  Jobs questions_;  // apart from runs, so that an explanation does not wait for one
  Streams streams_;
};

}  // namespace fovea::view
