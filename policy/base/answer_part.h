// A message that becomes part of an answer without a copy.
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

// An owned message. It is on the answer's arena, if there is one, because
// strings cost half as much there as on the heap. The answer takes ownership
// with `set_allocated_...(part.release())`.
template <typename Message>
using AnswerPart = std::unique_ptr<Message, DeleteUnlessOnArena>;

// Returns an empty part, on the heap if `arena` is null.
template <typename Message>
AnswerPart<Message> MakePart(google::protobuf::Arena* arena) {
  return AnswerPart<Message>(
      google::protobuf::Arena::CreateMessage<Message>(arena));
}

}  // namespace mulligan

#endif  // MULLIGAN_POLICY_BASE_ANSWER_PART_H_
