// A message that becomes part of an answer.
#ifndef MULLIGAN_POLICY_BASE_ANSWER_PART_H_
#define MULLIGAN_POLICY_BASE_ANSWER_PART_H_

#include <memory>

#include "google/protobuf/arena.h"

namespace mulligan {

struct DeleteUnlessOnArena {
  template <typename Message>
  void operator()(Message* message) const {
    if (message->GetArena() == nullptr) delete message;
  }
};

// Owned like any value. It is made on the arena of the answer, if that has one,
// where texts cost half of what they cost on the heap; then the answer takes it
// (`set_allocated_...(part.release())`) without a copy.
template <typename Message>
using AnswerPart = std::unique_ptr<Message, DeleteUnlessOnArena>;

// An empty one; a null `arena` is the heap.
template <typename Message>
AnswerPart<Message> MakePart(google::protobuf::Arena* arena) {
  return AnswerPart<Message>(
      google::protobuf::Arena::CreateMessage<Message>(arena));
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_ANSWER_PART_H_
