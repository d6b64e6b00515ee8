// What the page shows of any record without knowing its type: its boxes as marks over the picture,
// and its numbers and words as facts.
#pragma once
#include <fovea/core/record.h>

#include "operations/shown.h"

namespace fovea::view {

// Adds a mark for each record of a list that has a "box", which says its "name" or "label", and its
// "score" and "confidence"; and a fact for each field that is printed and has one value, or how
// many a list has.
void show_record(RecordRef record, operations::Shown& shown);

}  // namespace fovea::view
