#include "view/stream/message.h"

#include <fovea/io/image_memory.h>
#include <fovea/io/json_writer.h>

#include "view/records.h"

namespace fovea::view {
namespace {

constexpr int kFrameQuality = 80;  // of JPEG: what passes is looked at for less than a second

std::vector<std::string> pictures_of(const StreamFrame& frame, const Result& result, bool stays) {
  if (stays) return {io::png_bytes(frame.picture->pixels())};
  std::vector<std::string> pictures{io::jpeg_bytes(frame.picture->pixels(), kFrameQuality)};
  for (const Layer& layer : result.layers)
    pictures.push_back(io::jpeg_bytes(layer.picture->pixels(), kFrameQuality));
  return pictures;
}

}  // namespace

std::string packed(std::string_view json, const std::vector<std::string>& pictures) {
  std::string message;
  std::size_t bytes = 4 + json.size();
  for (const std::string& picture : pictures) bytes += picture.size();
  message.reserve(bytes);
  for (int shift = 24; shift >= 0; shift -= 8)
    message += static_cast<char>((json.size() >> shift) & 0xff);
  message += json;
  for (const std::string& picture : pictures) message += picture;
  return message;
}

std::string state_message(std::string_view word, std::string_view error) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object().member("state", word);
  if (!error.empty()) json.member("error", error);
  json.end_object().finish();
  return packed(text);
}

std::string end_message(const std::vector<RecognizedEvent>& events) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object().member("state", "ended").key("events").raw(records_json(events));
  json.end_object().finish();
  return packed(text);
}

std::string frame_message(const StreamFrame& frame, const Result& result, const FrameFacts& facts) {
  const std::vector<std::string> pictures = pictures_of(frame, result, !facts.kept.empty());
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object()
      .member("state", "frame")
      .member("system", facts.system)
      .member("frame", frame.number)
      .member("seconds", frame.seconds)
      .member("width", frame.picture->width())
      .member("height", frame.picture->height())
      .member("dropped", facts.dropped)
      .member("kept", facts.kept);
  if (facts.latency) json.member("latency", *facts.latency);
  json.key("pictures").begin_array();
  for (const std::string& picture : pictures) json.value(picture.size());
  json.end_array().key("result").raw(io::record_json(record_ref(result))).end_object().finish();
  return packed(text, pictures);
}

}  // namespace fovea::view
