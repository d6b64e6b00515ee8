#include "io/video/ffmpeg_input.h"

#include <fcntl.h>
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <thread>

#include "core/words.h"
#include "io/text/address.h"
#include "io/text/source.h"
#include "io/video/container_formats.h"
#include "io/video/redirect.h"

namespace fovea::io {
namespace {

using fovea::detail::shown;

constexpr int kProbeBytes = 1 << 20;
constexpr std::size_t kSniffedBytes = 4096;
constexpr int kMostRedirects = 8;
constexpr auto kCameraPause = std::chrono::milliseconds(2);
// How long the other side may take to hear that nobody watches any more.
constexpr auto kLeaving = std::chrono::milliseconds(200);
// How much of a live stream is looked at before its first frame is given.
constexpr const char* kAnalyzedMicroseconds = "1000000";

// The address with its protocol in small letters, as FFmpeg expects it.
std::string plain_url(const std::string& source) {
  const std::string protocol = protocol_of(source);
  return protocol + source.substr(protocol.size());
}

std::string cameras_here() {
  constexpr int kMost = 64;
  std::string found;
  for (int i = 0; i < kMost; ++i)
    if (const std::string name = fmt::format("/dev/video{}", i);
        access(name.c_str(), F_OK) == 0 && !camera_device(name).empty())
      found += fmt::format("{}camera:{}", found.empty() ? "" : ", ", i);
  return found.empty() ? "this machine has none" : "this machine has " + found;
}

}  // namespace

void silence_ffmpeg_log() {
  if (ffmpeg().av_log_get_level() == AV_LOG_INFO) ffmpeg().av_log_set_level(AV_LOG_QUIET);
}

std::string file_url(const std::string& path) { return "file:" + path; }

FfmpegInput::FfmpegInput(const std::string& source, const VideoReadOptions& options)
    : source_(source), name_(shown(source_name(source), 300)), options_(options) {
  silence_ffmpeg_log();
  device_ = camera_device(source);
  if (!device_.empty()) kind_ = Kind::kCamera;
  else if (is_address(source)) kind_ = Kind::kStream;
  else name_ = source;
  start_waiting();
  try {
    if (kind_ == Kind::kCamera) open_camera();
    else if (kind_ == Kind::kStream) open_stream();
    else open_file();
    find_streams();
  } catch (...) {
    leave();
    throw;
  }
}

FfmpegInput::~FfmpegInput() { leave(); }

// A camera that speaks RTSP has to be told, or it keeps a place for who has left, and sends on by
// UDP. FFmpeg tells it, unless it is told to wait for nothing.
void FfmpegInput::leave() {
  leaves_ = true;
  deadline_ = std::chrono::steady_clock::now() + kLeaving;
  container_.reset();
  if (bytes_ != nullptr) ffmpeg().avio_close(bytes_);
}

// FFmpeg calls this before and during each wait, at least every tenth of a second.
int FfmpegInput::is_over(void* input) {
  auto& self = *static_cast<FfmpegInput*>(input);
  if (self.leaves_) return std::chrono::steady_clock::now() > self.deadline_ ? 1 : 0;
  if (self.options_.stop.stop_requested()) return 1;
  self.silent_ = self.silent_ || std::chrono::steady_clock::now() > self.deadline_;
  return self.silent_ ? 1 : 0;
}

void FfmpegInput::start_waiting() {
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                  std::chrono::duration<double>(options_.timeout_seconds));
}

int FfmpegInput::open_container(const std::string& url, const AVInputFormat* format,
                                FfmpegDictionary& options) {
  AVFormatContext* context = ffmpeg().avformat_alloc_context();
  if (context == nullptr) return AVERROR(ENOMEM);
  if (remote()) context->interrupt_callback = {is_over, this};
  if (kind_ == Kind::kCamera) context->flags |= AVFMT_FLAG_NONBLOCK;
  context->pb = bytes_;
  const int opened = ffmpeg().avformat_open_input(&context, url.c_str(), format, options.get());
  container_.reset(context);  // null after a failure
  return opened;
}

void FfmpegInput::open_file() {
  std::string head(kSniffedBytes, '\0');
  const Source source(source_);
  head.resize(source.read_at(0, std::as_writable_bytes(std::span(head))));
  if (const std::string why = why_no_container(head); !why.empty())
    throw FormatError(fmt::format("{}: {}", name_, why));
  cut_off_ = stated_matroska_end(head) > source.size();
  const std::string url = file_url(source_);
  open_bytes(url, "file");
  FfmpegDictionary options;
  options.set("protocol_whitelist", "file");
  const int opened = open_container(url, probe(), options);
  if (opened < 0)
    throw FormatError(fmt::format("{}: cannot read this video: {}", name_, ffmpeg_reason(opened)));
}

void FfmpegInput::open_stream() {
  const StreamProtocol* protocol = find_protocol(protocol_of(source_));
  if (protocol == nullptr) throw IoError(unknown_protocol(source_));
  ffmpeg().avformat_network_init();
  const std::string protocols(protocol->whitelist), url = plain_url(source_);
  FfmpegDictionary options;
  options.set("protocol_whitelist", protocols);
  options.set("analyzeduration", kAnalyzedMicroseconds);
  const AVInputFormat* format = nullptr;
  if (protocol->name == "rtsp") {
    options.set("rtsp_flags", "prefer_tcp");  // which loses no packets
    options.set("allowed_media_types", "video");
    format = ffmpeg().av_find_input_format("rtsp");
  } else {
    open_bytes(url, protocols);
    format = probe();
  }
  const int opened = open_container(url, format, options);
  if (opened < 0) throw_unopened(opened);
}

int FfmpegInput::try_bytes(const std::string& url, const std::string& protocols) {
  FfmpegDictionary options;
  options.set("protocol_whitelist", protocols);
  // FFmpeg would take a proxy from the environment, which a library does not read.
  if (url.starts_with("http")) options.set("http_proxy", "");
  if (url.starts_with("http://")) options.set("max_redirects", "0");  // see follow()
  const AVIOInterruptCB callback{is_over, this};
  return ffmpeg().avio_open2(&bytes_, url.c_str(), AVIO_FLAG_READ, remote() ? &callback : nullptr,
                             options.get());
}

void FfmpegInput::open_bytes(const std::string& url, const std::string& protocols) {
  int opened = try_bytes(url, protocols);
  if (opened == AVERROR(EIO) && url.starts_with("http://")) opened = follow(url, protocols);
  if (opened < 0) throw_unopened(opened);
  stated_length_ = url.starts_with("http") && ffmpeg().avio_size(bytes_) > 0;
  if (url.starts_with("https://")) require_own_place();
}

// Every redirect of http is looked at before it is followed.
int FfmpegInput::follow(std::string url, const std::string& protocols) {
  for (int redirects = 0; redirects < kMostRedirects; ++redirects) {
    const auto next = redirect_of(url, [this] { return is_over(this) != 0; });
    if (!next) return AVERROR(EIO);
    require_follows(source_, *next);
    url = *next;
    const int opened = try_bytes(url, protocols);
    if (opened != AVERROR(EIO)) return opened;
  }
  return AVERROR(EIO);
}

// What is encrypted can only be looked at when it has been followed.
void FfmpegInput::require_own_place() {
  std::uint8_t* place = nullptr;
  if (ffmpeg().av_opt_get(bytes_, "location", AV_OPT_SEARCH_CHILDREN, &place) < 0) return;
  const std::string location = place != nullptr ? reinterpret_cast<const char*>(place) : "";
  ffmpeg().av_free(place);
  if (is_address(location)) require_follows(source_, location);
}

const AVInputFormat* FfmpegInput::probe() const {
  const bool file = kind_ == Kind::kFile;
  const std::string name = file ? file_url(source_) : std::string();  // its ending is a hint
  const AVInputFormat* format = nullptr;
  const int probed = ffmpeg().av_probe_input_buffer2(bytes_, &format, file ? name.c_str() : nullptr,
                                                     nullptr, 0, kProbeBytes);
  if (probed == AVERROR_EXIT || (probed < 0 && silent_)) throw_unopened(AVERROR_EXIT);
  if (file && (probed < 0 || format == nullptr))
    throw FormatError(fmt::format("{}: cannot read this video: {}", name_, ffmpeg_reason(probed)));
  if (probed < 0 || format == nullptr)
    throw FormatError(name_ + ": sends nothing that is known as video");
  if (!is_container_format(format->name, file))
    throw FormatError(fmt::format(
        "{}: {} '{}', which is not read {}; expected video itself, not a playlist or "
        "an image",
        name_, file ? "is" : "sends", format->name, file ? "as video" : "from a stream"));
  return format;
}

void FfmpegInput::open_camera() {
  const int device = open(device_.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (device < 0) throw_camera(errno);
  close(device);
  try {
    load_ffmpeg_devices();
  } catch (const IoError& absent) {
    throw IoError(fmt::format("{}: cannot read cameras: {}", name_, absent.what()));
  }
  const AVInputFormat* format = ffmpeg().av_find_input_format("video4linux2");
  if (format == nullptr)
    throw IoError(name_ + ": cannot read cameras: this FFmpeg has no Video4Linux");
  FfmpegDictionary options;
  const int opened = open_container(device_, format, options);
  if (opened == AVERROR_EXIT) throw_unopened(opened);
  if (opened < 0) throw_camera(AVUNERROR(opened));
}

void FfmpegInput::find_streams() {
  const int known = ffmpeg().avformat_find_stream_info(container_.get(), nullptr);
  const bool has_streams = container_->nb_streams > 0;
  if (known >= 0 && (has_streams || !remote())) return;
  // A stream that falls silent early on has frames that are worth having.
  if (silent_ && has_streams) return;
  if (remote() && known >= 0 && !silent_ && !options_.stop.stop_requested())
    throw FormatError(name_ + ": offers no video");
  if (remote()) throw_unopened(known < 0 ? known : AVERROR_STREAM_NOT_FOUND);
  throw FormatError(fmt::format("{}: cannot read this video: {}", name_, ffmpeg_reason(known)));
}

int FfmpegInput::read(AVPacket& packet) {
  start_waiting();
  while (true) {
    const int got = ffmpeg().av_read_frame(container_.get(), &packet);
    // FFmpeg calls the end of an http answer without a length an error, for want of a better sign,
    // and that of an RTSP connection in the middle of a packet.
    if (got == AVERROR(EIO) && live() && is_over(this) == 0) {
      const std::string protocol = protocol_of(source_);
      if (protocol == "rtsp" || (bytes_ != nullptr && protocol.starts_with("http")))
        return AVERROR_EOF;
    }
    if (kind_ != Kind::kCamera || got != AVERROR(EAGAIN)) return got;
    if (is_over(this) != 0) return AVERROR_EXIT;
    std::this_thread::sleep_for(kCameraPause);
  }
}

std::string FfmpegInput::fault_of(int error) const {
  if (remote() && options_.stop.stop_requested()) throw Cancelled(name_ + ": stopped on request");
  if (silent_)
    return fmt::format("nothing came for {} s; a longer timeout (--timeout) waits on",
                       options_.timeout_seconds);
  if (kind_ == Kind::kCamera && (error == AVERROR(ENODEV) || error == AVERROR(EIO)))
    return fmt::format("the camera is gone: {}", ffmpeg_reason(error));
  return "cannot read on: " + ffmpeg_reason(error);
}

void FfmpegInput::throw_camera(int error) const {
  if (error == ENOENT || error == ENODEV || error == ENXIO)
    throw IoError(fmt::format("{}: there is no camera {}; {}", name_, device_, cameras_here()));
  if (error == EBUSY)
    throw IoError(
        fmt::format("{}: is in use by another program; end that, or use another camera", name_));
  if (error == EACCES || error == EPERM)
    throw IoError(fmt::format("{}: may not be opened: {}; users of cameras are in the group video",
                              name_, std::strerror(error)));
  throw IoError(fmt::format("{}: {} gives no video: {}", name_, device_, std::strerror(error)));
}

void FfmpegInput::throw_unopened(int error) const {
  if (options_.stop.stop_requested()) throw Cancelled(name_ + ": stopped on request");
  if (silent_)
    throw IoError(
        fmt::format("{}: cannot open: nothing came for {} s; a longer timeout (--timeout) "
                    "waits on",
                    name_, options_.timeout_seconds));
  throw IoError(fmt::format("{}: cannot open: {}", name_, ffmpeg_reason(error)));
}

}  // namespace fovea::io
