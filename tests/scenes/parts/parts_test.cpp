// Words that are learned from samples in parts have the bits of words that are learned in one
// place, for any number of parts and threads, also where every part is begun anew for each round.
// Covers: part, merge, parted_engine, learn_parts, round_file, round_lock
#include <fovea/scenes/parts.h>

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "support/files.h"

namespace fovea::scenes {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

// Descriptors of the filters, which have a few numbers each.
int numbers_per_sample() { return dimensions(DescriptorOptions{}); }

Image<float> drawn_samples(int count, int kinds = 1 << 20) {
  Image<float> samples(numbers_per_sample(), count);
  for (int y = 0; y < count; ++y) {
    Random random(3, static_cast<std::uint64_t>(y % kinds));
    for (int i = 0; i < samples.width(); ++i)
      samples.at(i, y) = random.uniform(-1, 1) * static_cast<float>(1 + i) + 0.5F;
  }
  return samples;
}

// Parts of samples, which may be kept from round to round.
class Parts {
 public:
  Parts(const Image<float>& samples, int count, bool keep) : keep_(keep) {
    for (int part = 0; part < count; ++part) {
      // The second part of many has no samples.
      const auto bound = [&](int number) {
        return number == 2 && count > 2 ? samples.height() / count
                                        : number * samples.height() / count;
      };
      const int first = bound(part), last = bound(part + 1);
      rows_.push_back(last > first
                          ? clone(samples.view().crop(0, first, samples.width(), last - first))
                          : Image<float>());
    }
    for (int part = 0; part < count && keep; ++part) parts_.push_back(made(part));
  }

  // What the parts are asked by.
  SampleParts named() const {
    SampleParts named{.count = count(), .job = kJob};
    for (const Image<float>& rows : rows_) named.samples.push_back(hash_of_samples(rows.view()));
    return named;
  }
  int count() const { return static_cast<int>(rows_.size()); }
  RoundAnswer ask(const RoundRequest& request) {
    std::vector<RoundAnswer> answers;
    answers.reserve(rows_.size());
    for (int part = 0; part < count(); ++part)
      answers.push_back(keep_ ? parts_[static_cast<std::size_t>(part)].answer(request)
                              : made(part).answer(request, recall()));
    if (request.kind == RoundKind::kNearest) asked_.push_back(copy_of(request));
    return merge_answers(request, std::move(answers));
  }
  std::vector<SamplePart>& parts() { return parts_; }
  int recalled() const { return recalled_; }
  RecallRequest recall() {
    return [this](const RoundName& name) {
      ++recalled_;
      const auto found = std::ranges::find(asked_, name, name_of);
      EXPECT_NE(found, asked_.end());
      return copy_of(*found);
    };
  }

  static RoundRequest copy_of(const RoundRequest& request) {
    return {.kind = request.kind,
            .number = request.number,
            .job = request.job,
            .samples = request.samples,
            .firsts = request.firsts,
            .points = request.points,
            .numbers = request.numbers,
            .mean = request.mean,
            .scale = request.scale,
            .centers = clone(request.centers),
            .before = clone(request.before),
            .after = request.after};
  }

 private:
  static constexpr std::uint64_t kJob = 7;

  SamplePart made(int part) const {
    return {clone(rows_[static_cast<std::size_t>(part)]),
            {.index = part, .job = kJob},
            {.threads = 1 + part % 2}};
  }

  bool keep_;
  std::vector<Image<float>> rows_{};
  std::vector<SamplePart> parts_{};
  std::vector<RoundRequest> asked_{};  // those that others may follow
  int recalled_ = 0;
};

class InParts : public testing::Test {
 protected:
  std::string bytes_of(const Dictionary& dictionary) const {
    dictionary.write(folder_ / "words.safetensors");
    return test::load(folder_ / "words.safetensors");
  }
  void expect_same(const Image<float>& samples, const DictionaryOptions& options) const {
    const std::string whole = bytes_of(learn_dictionary(samples.view(), {}, options));
    for (const int count : {1, 2, 3, 7}) {
      for (const bool keep : {true, false}) {
        Parts parts(samples, count, keep);
        const Dictionary dictionary = learn_dictionary(
            parts.named(), [&](const RoundRequest& request) { return parts.ask(request); }, {},
            options);
        EXPECT_EQ(bytes_of(dictionary), whole) << count << " parts, kept: " << keep;
      }
    }
  }

  test::TempFolder folder_;
};

TEST_F(InParts, WordsHaveTheSameBytes) {
  const Image<float> samples = drawn_samples(700);
  expect_same(samples, {.words = 9});
  expect_same(samples, {.words = 9, .standardize = false, .exec = {.threads = 2, .seed = 5}});
  expect_same(samples, {.words = 9, .kmeans = {.restarts = 3, .max_iterations = 6}});
}

TEST_F(InParts, EveryStartAndToleranceIsTheSame) {
  const Image<float> samples = drawn_samples(500);
  expect_same(samples, {.words = 8, .kmeans = {.start = KmeansStart::kRandom}});
  expect_same(samples, {.words = 8, .kmeans = {.start = KmeansStart::kSpread, .tolerance = 0.05}});
}

TEST_F(InParts, ClustersWithoutSamplesAreRefilledAlike) {
  // Six different samples, many times each: of the nine first centers some are equal.
  expect_same(drawn_samples(300, 6), {.words = 9});
  expect_same(drawn_samples(300, 6), {.words = 9, .kmeans = {.start = KmeansStart::kRandom}});
  expect_same(drawn_samples(300, 40), {.words = 30, .kmeans = {.start = KmeansStart::kSpread}});
}

TEST_F(InParts, CodesAreTheSame) {
  const Image<float> samples = drawn_samples(400);
  for (const Coding coding : {Coding::kSoft, Coding::kVlad, Coding::kFisher})
    expect_same(samples, {.words = 5, .coding = coding, .components = 4});
}

TEST_F(InParts, RequestsAndAnswersSurviveFiles) {
  const Image<float> samples = drawn_samples(200);
  Parts parts(samples, 2, false);
  const std::string request_file = folder_ / "request.safetensors";
  const std::string answer_file = folder_ / "answer.safetensors";
  const Dictionary dictionary =
      learn_dictionary(parts.named(),
                       [&](const RoundRequest& request) {
                         write_request(request_file, request);
                         const RoundRequest read = read_request(request_file);
                         EXPECT_EQ(name_of(read), name_of(request));
                         write_answer(answer_file, parts.ask(read), name_of(read).identity);
                         return read_answer(answer_file, name_of(request).identity);
                       },
                       {}, {.words = 5});
  EXPECT_EQ(bytes_of(dictionary), bytes_of(learn_dictionary(samples.view(), {}, {.words = 5})));
  EXPECT_THAT([&] { read_answer(answer_file, 1); },
              ThrowsMessage<InvalidArgument>(HasSubstr("but learning asks 0000000000000001")));
}

TEST_F(InParts, LearningThatIsBegunAgainMakesTheSameRequests) {
  const Image<float> samples = drawn_samples(200);
  std::vector<std::uint64_t> first, second;
  for (auto* identities : {&first, &second}) {
    Parts parts(samples, 3, true);
    learn_dictionary({.count = 3},
                     [&](const RoundRequest& request) {
                       EXPECT_EQ(request.number, std::ssize(*identities));
                       identities->push_back(name_of(request).identity);
                       return parts.ask(request);
                     },
                     {}, {.words = 5});
  }
  EXPECT_EQ(first, second);
}

TEST_F(InParts, RequestsForDistancesHaveOnlyTheNewestCenter) {
  Parts parts(drawn_samples(300), 2, true);
  int nearest = 0;
  std::optional<RoundName> last;
  learn_dictionary({.count = 2},
                   [&](const RoundRequest& request) {
                     if (request.kind == RoundKind::kNearest) {
                       EXPECT_EQ(request.centers.height(), 1);
                       EXPECT_EQ(request.after, last);
                       last = name_of(request);
                       ++nearest;
                     }
                     if (request.kind == RoundKind::kFind) {
                       EXPECT_TRUE(request.centers.empty());
                       EXPECT_EQ(request.after, last);
                     }
                     return parts.ask(request);
                   },
                   {}, {.words = 12});
  EXPECT_EQ(nearest, 11);
  EXPECT_EQ(parts.recalled(), 0) << "parts that are kept need no earlier request";
}

TEST_F(InParts, APartGoesBackAsFarAsItMust) {
  const Image<float> samples = drawn_samples(300);
  Parts all(samples, 3, true), late(samples, 3, true);
  int nearest = 0;
  learn_dictionary(
      {.count = 3},
      [&](const RoundRequest& request) {
        RoundAnswer answer = all.ask(request);
        if (request.kind != RoundKind::kNearest) return answer;
        ++nearest;
        if (nearest == 4) {
          // A part of its own looks at the first four centers, and again at the last.
          EXPECT_EQ(late.parts().at(2).answer(request, all.recall()).wholes[0], answer.wholes[2]);
          EXPECT_EQ(all.recalled(), 3);
          EXPECT_EQ(late.parts().at(2).answer(request, all.recall()).wholes[0], answer.wholes[2]);
          EXPECT_EQ(all.recalled(), 3);
        }
        if (nearest == 9) {  // it has missed the fifth to the eighth
          EXPECT_EQ(late.parts().at(2).answer(request, all.recall()).wholes[0], answer.wholes[2]);
          EXPECT_EQ(all.recalled(), 3 + 4);
        }
        return answer;
      },
      {}, {.words = 10});
  EXPECT_EQ(nearest, 9);
}

TEST_F(InParts, EarlierRequestsThatAreNotThereAreRefused) {
  const Image<float> samples = drawn_samples(60);
  Parts parts(samples, 1, true);
  learn_dictionary({.count = 1},
                   [&](const RoundRequest& request) {
                     if (request.kind == RoundKind::kNearest && request.after) {
                       SamplePart fresh(clone(samples), {.index = 0});
                       EXPECT_THAT([&] { fresh.answer(request); },
                                   ThrowsMessage<InvalidArgument>(HasSubstr("were not asked")));
                       const auto other = [&](const RoundName&) {
                         RoundRequest wrong = Parts::copy_of(request);
                         wrong.after.reset();
                         return wrong;
                       };
                       EXPECT_THAT([&] { fresh.answer(request, other); },
                                   ThrowsMessage<InvalidArgument>(HasSubstr("that was recalled")));
                     }
                     return parts.ask(request);
                   },
                   {}, {.words = 4});
}

TEST_F(InParts, KeptPartsTakePartInAnotherLearning) {
  const Image<float> samples = drawn_samples(300);
  struct GivenUp {};
  for (const int rounds : {2, 9, 20}) {
    Parts parts(samples, 2, true);
    const auto give_up = [&](const RoundRequest& request) {
      if (request.number == rounds) throw GivenUp{};
      return parts.ask(request);
    };
    const DictionaryOptions options{.words = 6, .standardize = false};
    DictionaryOptions other = options;
    other.exec.seed = 5;
    EXPECT_THROW(learn_dictionary({.count = 2}, give_up, {}, other), GivenUp);
    const Dictionary dictionary = learn_dictionary(
        {.count = 2}, [&](const RoundRequest& request) { return parts.ask(request); }, {}, options);
    EXPECT_EQ(bytes_of(dictionary), bytes_of(learn_dictionary(samples.view(), {}, options)));
  }
}

TEST_F(InParts, StandardizedSamplesAreNotTakenForOthers) {
  SamplePart part(drawn_samples(10), {.index = 0});
  RoundRequest request{.kind = RoundKind::kRows, .firsts = {0, 10}};
  request.mean.assign(static_cast<std::size_t>(numbers_per_sample()), 0.5F);
  request.scale = request.mean;
  EXPECT_TRUE(part.can_answer(request));
  part.answer(request);
  EXPECT_TRUE(part.can_answer(request));
  request.scale[0] = 1;
  EXPECT_FALSE(part.can_answer(request));
  EXPECT_FALSE(part.can_answer({}));
  EXPECT_THAT([&] { part.answer({}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("standardized for another learning")));
}

TEST_F(InParts, WrongPartsAreRefused) {
  const Image<float> samples = drawn_samples(60);
  Parts parts(samples, 2, true);
  const auto ask = [&](const RoundRequest& request) { return parts.ask(request); };
  const auto learns = [&](const DescriptorOptions& descriptor, const DictionaryOptions& options) {
    return [&, descriptor, options] { learn_dictionary({.count = 2}, ask, descriptor, options); };
  };
  EXPECT_THAT(learns({}, {.words = 61}),
              ThrowsMessage<InvalidArgument>(HasSubstr("61 words cannot be learned from 60")));
  EXPECT_THAT(learns({.words = WordSource::kGradients}, {.words = 5}),
              ThrowsMessage<InvalidArgument>(HasSubstr("but such descriptors have")));
  EXPECT_THAT(learns({}, {.words = 5, .kmeans = {.batch = 10}}),
              ThrowsMessage<InvalidArgument>(HasSubstr("mini-batches")));
  EXPECT_THAT([&] { learn_dictionary({.count = 3}, ask, {}, {.words = 5}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("whole numbers, expected 3")));

  std::vector<RoundAnswer> answers(2);
  answers[1].job = 8;
  EXPECT_THAT([&] { merge_answers({}, std::move(answers)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("different jobs")));
  std::vector<RoundAnswer> without_ranges(2);
  for (RoundAnswer& answer : without_ranges) answer.wholes = {3};
  EXPECT_THAT([&] { merge_answers({}, std::move(without_ranges)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("the least and the greatest")));
  Image<float> damaged = drawn_samples(10);
  damaged.at(1, 7) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT([&] { SamplePart(std::move(damaged), {.index = 3}).answer({}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("number 1 of sample 7 of part 3 is nan")));
  SamplePart part(drawn_samples(10), {.index = 0});
  RoundRequest request{.kind = RoundKind::kSums, .firsts = {0, 11}};
  EXPECT_THAT([&] { part.answer(request); },
              ThrowsMessage<InvalidArgument>(HasSubstr("another number of samples")));
  request.firsts = {0, 10};
  EXPECT_THAT([&] { part.answer(request); },
              ThrowsMessage<InvalidArgument>(HasSubstr("other scales")));
}

TEST_F(InParts, SamplesThatChangeAreRefused) {
  Parts before(drawn_samples(60), 2, true), after(drawn_samples(60, 30), 2, true);
  EXPECT_THAT(
      [&] {
        learn_dictionary({.count = 2},
                         [&](const RoundRequest& request) {
                           return request.number < 3 ? before.ask(request) : after.ask(request);
                         },
                         {}, {.words = 5});
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("from other samples than before")));
}

TEST_F(InParts, OneLearningHoldsAFolder) {
  const std::string folder = folder_ / ".";
  {
    const RoundLock first(folder);
    EXPECT_THAT([&] { RoundLock second(folder); }, ThrowsMessage<IoError>(HasSubstr("process ")));
  }
  EXPECT_NO_THROW(RoundLock{folder});
  test::save(folder + "/lock", "process 1 on elsewhere");
  EXPECT_NO_THROW(RoundLock{folder}) << "its owner has died";
}

TEST_F(InParts, RequestsNameTheSamples) {
  Parts parts(drawn_samples(60), 2, true), others(drawn_samples(60, 30), 2, true);
  const auto first_of = [](const SampleParts& named) {
    std::optional<RoundName> name;
    EXPECT_THROW(learn_dictionary(named,
                                  [&](const RoundRequest& request) -> RoundAnswer {
                                    name = name_of(request);
                                    throw InvalidArgument("given up");
                                  },
                                  {}, {.words = 5}),
                 InvalidArgument);
    return name;
  };
  SampleParts job = parts.named();
  ++job.job;
  EXPECT_EQ(first_of(parts.named()), first_of(parts.named()));
  EXPECT_NE(first_of(parts.named()), first_of(others.named()));
  EXPECT_NE(first_of(parts.named()), first_of(job));
  job.samples.pop_back();
  EXPECT_THAT([&] { learn_dictionary(job, {}, {}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("hashes of the samples of 1")));
}

TEST_F(InParts, OtherSamplesAreNotLearnedFrom) {
  Parts parts(drawn_samples(60), 2, true), others(drawn_samples(60, 30), 2, true);
  const auto learns = [&](const AskParts& ask) {
    return [&, ask] { learn_dictionary(parts.named(), ask, {}, {.words = 5}); };
  };
  EXPECT_THAT(learns([&](const RoundRequest& request) { return others.ask(request); }),
              ThrowsMessage<InvalidArgument>(HasSubstr("it is for others")));
  const auto ask_none = [&](const RoundRequest& request) {
    RoundAnswer answer = parts.ask(request);
    ++answer.job;
    return answer;
  };
  EXPECT_THAT(learns(ask_none), ThrowsMessage<InvalidArgument>(HasSubstr("of another job")));
  RoundRequest request{.samples = parts.named().samples};
  std::vector<RoundAnswer> answers(2);
  for (std::size_t p = 0; p < 2; ++p)
    answers[p] = {.samples = (p == 0 ? parts : others).named().samples[p]};
  EXPECT_THAT([&] { merge_answers(request, std::move(answers)); },
              ThrowsMessage<InvalidArgument>(HasSubstr("part 1 answers from other samples")));
}

}  // namespace
}  // namespace fovea::scenes
