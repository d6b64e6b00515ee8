#include "io/record/record_kinds.h"

#include <algorithm>

namespace fovea::io {

std::string_view word_of(const ChoiceRef& choice) {
  const auto found = std::ranges::find(choice.choices, choice.get(choice.field), &Choice::value);
  return found == choice.choices.end() ? std::string_view() : found->word;
}

bool set_word(const ChoiceRef& choice, std::string_view word) {
  for (const Choice& each : choice.choices)
    if (word == each.word) {
      choice.set(choice.field, each.value);
      return true;
    }
  return false;
}

std::string words_of(const ChoiceRef& choice) {
  std::string all;
  for (std::size_t i = 0; i < choice.choices.size(); ++i) {
    if (i > 0) all += i + 1 == choice.choices.size() ? " or " : ", ";
    all += choice.choices[i].word;
  }
  return all;
}

}  // namespace fovea::io
