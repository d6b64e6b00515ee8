// The fields of an explanation of an image.
#include <fovea/core/record.h>
#include <fovea/scenes/explain.h>

namespace fovea::scenes {

static void describe(FieldVisitor& visit, CellShare& cell) {
  visit("level", cell.level, "of the pyramid; 0 is the whole image");
  visit("row", cell.row, "of the cell at its level");
  visit("column", cell.column, "of the cell at its level");
  visit("box", cell.place, "of the cell", {.unit = "pixels"});
  visit("value", cell.value, "what it adds");
}

template <class Number>
static std::vector<Number> of_words(const SceneExplanation& why, Number WordShare::*number) {
  std::vector<Number> numbers;
  numbers.reserve(why.words.size());
  for (const WordShare& word : why.words) numbers.push_back(word.*number);
  return numbers;
}

void describe(FieldVisitor& visit, SceneExplanation& why) {
  visit.record("SceneExplanation", "why an image counts as one kind of place and not another");
  visit("first", why.first_name, "the class that is explained");
  visit("second", why.second_name, "the class that it is compared with");
  visit("evidence", why.evidence, "what the sum is the difference of");
  visit("bias", why.bias, "what does not depend on the image");
  visit("scores", why.result.scores, "of all classes");
  visit.derived("words", of_words(why, &WordShare::word), "numbers of all words");
  visit.derived("dictionaries", of_words(why, &WordShare::dictionary),
                "1 for words of color beside others, otherwise 0");
  visit.derived("contributions", of_words(why, &WordShare::value), "what each word adds");
  visit.derived("places", of_words(why, &WordShare::places),
                "which share of the image's places has each word");
  visit.derived("boxes", of_words(why, &WordShare::place),
                "the square that has most of each of the words that add most; otherwise empty",
                {.unit = "pixels"});
  visit("cells", why.cells, "of the pyramid");
  visit.optional("heat", why.heat, "what each pixel adds");
}

}  // namespace fovea::scenes
