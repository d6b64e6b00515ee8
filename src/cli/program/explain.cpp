#include "cli/program/explain.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>

#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {

void require_no_journal(const Context& context) {
  if (context.journal)
    throw InvalidArgument(
        "--explain answers for one result, of which nothing is recorded; leave out --shard, "
        "--resume and --manifest");
}

int print_explanation(Context& context, const report::Explanation& explanation,
                      const ExplainOutput& output) {
  require_no_journal(context);
  if (!output.picture.empty())
    io::write_image(output.picture,
                    report::draw_explanation(output.image, explanation, output.drawing).view());
  context.console.end_progress();
  if (!context.json) {
    context.console.print(report::to_text(explanation));
    return kDone;
  }
  print_result(context, [&](io::JsonWriter& json) {
    if (output.members) output.members(json);
    if (!output.picture.empty()) json.member("picture", output.picture);
    json.key("explanation").raw(report::to_json(explanation));
  });
  return kDone;
}

}  // namespace fovea::cli
