#include "policy/demystify/readers/heap.h"

#include <re2/re2.h>

namespace mulligan::demystify {
namespace {

bool HasMatch(const re2::RE2& pattern, std::string_view text) {
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()),
                                pattern);
}

}  // namespace

bool IsAboutHeap(std::string_view line) {
  static const re2::RE2* const heap =
      new re2::RE2("(?i)\\bheap\\b|gc overhead limit|memory budget");
  return HasMatch(*heap, line);
}

bool FixesHeap(std::string_view log) {
  static const re2::RE2* const option = new re2::RE2(
      "(?i)(?:^|[\\s'\"=,\\[])(?:-xmx\\d|-xx:maxheapsize=\\d|"
      "--max[-_]old[-_]space[-_]size[= ]\\d|--memory-limit[= ]\\d)");
  return HasMatch(*option, log);
}

bool IsAreaOfItsOwn(std::string_view line, std::string_view log,
                    bool heap_follows) {
  static const re2::RE2* const classes =
      new re2::RE2("(?i)memoryerror: (?:metaspace|compressed class space)");
  static const re2::RE2* const direct =
      new re2::RE2("(?i)memoryerror: .{0,60}direct (?:buffer )?memory");
  static const re2::RE2* const option = new re2::RE2(
      "(?i)(?:^|[\\s'\"=,\\[])(?:-xx:maxdirectmemorysize=\\d|"
      "-dio\\.netty\\.maxdirectmemory=\\d)");
  if (HasMatch(*classes, line)) return true;
  return HasMatch(*direct, line) &&
         (HasMatch(*option, log) || (!heap_follows && FixesHeap(log)));
}

}  // namespace mulligan::demystify
