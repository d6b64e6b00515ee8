// fovea view: shows inputs and results on a page in the browser of this machine.
#include "view/view.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include "cli/program/command.h"
#include "cli/program/run.h"
#include "cli/view/browser.h"
#include "cli/view/tunnel.h"

namespace fovea::cli {
namespace {

struct ViewRequest {
  std::string model{};
  std::string truth{};
  int port = 0;
  std::string host{};
  std::string token_file{};
  std::vector<std::string> allow_embedding{};
  double timeout = 10;
  bool open = true;
};

void describe(OptionVisitor& visit, ViewRequest& request) {
  visit.path("model", request.model, TextUse::kModel,
             "model file of people or actions to offer besides the shipped ones");
  visit.path(
      "truth", request.truth, TextUse::kInput,
      "file or folder with what is true about inputs, found by their names as the eval verbs "
      "do: annotations of people (.txt, .json), in videos by frame (MOT text or COCO), motion "
      "(.flo, .png), labels of meshes (.seg), events or clips of actions (.jsonl, list), or a "
      "folder of images per kind of place");
  visit("port", request.port, "port to listen at; 0 takes any that is free", 0, 65535);
  visit("host", request.host,
        "address or name to listen at, for other machines; needs --token-file. Without it only "
        "this machine can connect",
        {.value_name = "ADDRESS"});
  visit.path("token-file", request.token_file, TextUse::kInput,
             "file whose first line is the token, instead of a new one; only its owner may be able "
             "to read it");
  visit("allow-embedding", request.allow_embedding,
        "origins, such as http://localhost:8888, whose pages may show this one inside of them, as "
        "notebooks do, or give it as proxies. Without it no page may",
        {.value_name = "ORIGIN"});
  visit("timeout", request.timeout, "seconds for which a camera or stream may send nothing", 0.1,
        86400);
  visit("open", request.open, "open the page in a browser where there is a desktop",
        {.off_help = "only print the address of the page"});
}

// Those who have come by ssh cannot reach the loopback device of this machine from theirs.
void note_tunnel(int port, Console& console) {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::string(text == nullptr ? "" : text);
  };
  const std::string line = tunnel_line(port, value("SSH_CONNECTION"), value("USER"));
  if (!line.empty())
    console.note(fmt::format(
        "to open this address on the machine that you have come from, run there: {}", line));
}

// Returns when the user ends the program.
void wait_for_end(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

// Has the memory of images returned to the system as soon as it is freed. glibc would keep what
// each of many threads has freed: 250 MiB and more instead of 90 while one steps through photos.
void return_large_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
#endif
}

int run_view(ViewRequest& request, Context& context) {
  return_large_memory();
  if (!request.host.empty() && request.token_file.empty())
    throw InvalidArgument(fmt::format(
        "--host {} lets other machines connect; give a secret as well: --token-file FILE",
        request.host));
  view::ViewOptions options{.inputs = context.inputs,
                            .host = request.host,
                            .port = request.port,
                            .embedding = request.allow_embedding,
                            .model = request.model,
                            .truth = request.truth,
                            .timeout_seconds = request.timeout,
                            .exec = context.exec_without_progress()};
  if (!request.token_file.empty()) options.token = view::read_token_file(request.token_file);
  std::mutex printing;
  const view::View view(options, [&](const std::string& line) {
    const std::lock_guard lock(printing);
    context.console.note(line);
  });
  context.console.print_at_once(view.address() + "\n");
  if (request.host.empty()) note_tunnel(view.port(), context.console);
  if (request.open) open_in_browser(view.address(), view.folder());
  wait_for_end(context.exec.stop);
  return kDone;
}

}  // namespace

Command view_command() {
  return {
      .system = "view",
      .verb = "",
      .summary = "show inputs and results on a page in a browser, and why they are so",
      .text =
          "Prints the address of a page on this machine, and opens it where there is a desktop. "
          "The page shows images, videos, meshes and multispectral cubes, runs systems on them "
          "while their options are moved, and says on a click why a result is what it is. Files "
          "may be dropped on it. Videos, cameras and network streams play while a system works on "
          "them; frames for which there is no time are dropped, except those of videos whose "
          "targets or actions are followed. Cameras and streams are opened when they "
          "are chosen on the page and closed when nobody watches. Files of earlier results are "
          "shown beside what is computed now: COCO "
          "and other JSON (.json, .jsonl), tables (.csv, .parquet), tracks (.txt), folders of YOLO "
          "and labelme labels, events of actions (.jsonl), motion (.flo) and parts "
          "(.seg, or inside of .ply). The inputs that they name are looked for beside the file, as "
          "they are named, "
          "and "
          "in folders that are given as well; one that is missing is named. The JSON of an eval "
          "verb opens as a page with its curves and the worst mistakes. Nothing leaves this "
          "machine: the page needs no network. The address contains a secret; whoever has it can "
          "use the page, and nobody else. Ctrl-C ends the program and removes what was dropped on "
          "the page.",
      .arguments =
          {{"INPUT",
            "images, videos, meshes and cubes: files, folders, globs or @list; camera:N, "
            "or the address of a stream such as rtsp://host/path; files of earlier results",
            0, kAnyNumber}},
      .examples = {{"fovea view street.jpg walk.mp4 photos", "look at files and a folder"},
                   {"fovea view camera:0 rtsp://door/stream1",
                    "watch a camera of this machine and one of the network"},
                   {"fovea view photos --truth annotations",
                    "mark people who are found, missed, or not there"},
                   {"fovea view all.json", "look at what people detect --coco all.json found"},
                   {"fovea view report/evaluation.json", "choose a threshold, see the mistakes"},
                   {"fovea view photos labels", "look at YOLO or labelme labels of photos"},
                   {"fovea view walk.mp4 --truth gt.txt", "true boxes of each frame of a video"},
                   {"fovea view --port 8000 --no-open",
                    "wait at a port, for files that are dropped on the page"},
                   {"fovea view photos --port 8000 --allow-embedding http://localhost:8888",
                    "let the notebooks of this Jupyter show the page"},
                   {"fovea view photos --host 0.0.0.0 --token-file secret",
                    "let other machines connect that know the secret"}},
      .request = make_request<ViewRequest, run_view>};
}

}  // namespace fovea::cli
