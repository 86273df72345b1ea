#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/cli/base/numbers.h"
#include "client/cli/print/html.h"

namespace mulligan::cli {
namespace {

// In units of the drawing.
constexpr double kWidth = 720;
constexpr double kMargin = 8;
// Room for the first name if text is drawn larger.
constexpr double kAbove = 6;
constexpr double kLaneHeight = 40;
constexpr double kBarTop = 20;
constexpr double kBarHeight = 12;
constexpr double kAxisHeight = 30;
constexpr double kEventHeight = 30;
constexpr double kDot = 8;
// Width of "10-20".
constexpr double kWidestMark = 42;
constexpr int kMaxTicks = 6;
// The most letters of a name and its note on one line.
constexpr std::size_t kMaxOneLine = 60;

// Readable distances between ticks, in seconds.
constexpr std::array<std::int64_t, 20> kTickSteps = {
    1,   2,    5,    10,   15,    30,    60,    120,   300,    600,
    900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800};

// In the order of Lane::Role.
constexpr const char* kRoleClasses[] = {"root", "cascade", "disrupted",
                                        "other"};

// The period that is drawn, in Unix seconds, with padding at its ends.
struct Scale {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  double X(std::int64_t at) const {
    return kMargin + (kWidth - 2 * kMargin) * static_cast<double>(at - begin) /
                         static_cast<double>(end - begin);
  }
  bool HasDays() const { return end - begin > 86400; }
};

Scale ScaleOf(const Timeline& timeline) {
  const std::int64_t begin = timeline.Begin();
  const std::int64_t end = std::max(timeline.End(), begin + 1);
  const std::int64_t pad = std::max<std::int64_t>((end - begin) / 50, 1);
  return {begin - pad, end + pad};
}

// Returns the seconds between ticks.
std::int64_t StepOf(const Scale& scale) {
  const std::int64_t least = (scale.end - scale.begin) / kMaxTicks;
  const auto* step = std::ranges::lower_bound(kTickSteps, least);
  return step == kTickSteps.end()
             ? (least / kTickSteps.back() + 1) * kTickSteps.back()
             : *step;
}

std::string AxisSvg(const Scale& scale, double bottom) {
  std::string svg;
  const std::int64_t step = StepOf(scale);
  const char* const form = scale.HasDays() ? "%m-%d %H:%M"
                           : step < 60     ? "%H:%M:%S"
                                           : "%H:%M";
  // Labels are larger on phones, and dates are longer than times.
  const double apart = scale.HasDays() ? 140 : 100;
  double last = -apart;
  for (std::int64_t at = (scale.begin / step + 1) * step; at < scale.end;
       at += step) {
    const double x = scale.X(at);
    absl::StrAppendFormat(
        &svg,
        "<line class=\"grid\" x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%g\"/>", x,
        x, bottom);
    if (x - last < apart) continue;
    last = x;
    const char* anchor = x < 40 ? "start" : x > kWidth - 40 ? "end" : "middle";
    absl::StrAppendFormat(
        &svg,
        "<text class=\"tick\" x=\"%.1f\" y=\"%g\" text-anchor=\"%s\">%s"
        "</text>\n",
        x, bottom + 16, anchor, UtcText(form, at));
  }
  return svg;
}

std::string LaneSvg(const Lane& lane, const Scale& scale, double top) {
  const double x = scale.X(lane.begin);
  const double width = std::max(scale.X(lane.end) - x, 3.0);
  const double y = top + kBarTop;
  // A note that does not fit next to the name follows it.
  const bool fits = lane.name.size() + lane.note.size() <= kMaxOneLine;
  const std::string name =
      fits || lane.note.empty() ? lane.name : lane.name + ", " + lane.note;
  std::string svg = absl::StrFormat(
      "<g class=\"lane %s\"><text class=\"name\" x=\"%g\" y=\"%g\">%s</text>",
      kRoleClasses[static_cast<std::size_t>(lane.role)], kMargin, top + 14,
      Escaped(name));
  if (fits) {
    absl::StrAppendFormat(&svg,
                          "<text class=\"note\" x=\"%g\" y=\"%g\" "
                          "text-anchor=\"end\">%s</text>",
                          kWidth - kMargin, top + 14, Escaped(lane.note));
  }
  absl::StrAppendFormat(
      &svg,
      "<rect class=\"bar\" x=\"%.1f\" y=\"%g\" width=\"%.1f\" "
      "height=\"%g\" rx=\"2\"/>",
      x, y, width, kBarHeight);
  // A bar that continues has no end stroke.
  if (!lane.open) {
    absl::StrAppendFormat(
        &svg,
        "<line class=\"end\" x1=\"%.1f\" y1=\"%g\" x2=\"%.1f\" y2=\"%g\"/>",
        x + width, y - 3, x + width, y + kBarHeight + 3);
  }
  for (const Moment& disruption : lane.disruptions) {
    absl::StrAppendFormat(
        &svg,
        "<path class=\"diamond\" d=\"M%.1f %gl6 6l-6 6l-6 -6z\"><title>%s"
        "</title></path>",
        scale.X(disruption.at), y + kBarHeight / 2 - 6,
        Escaped(disruption.text));
  }
  return svg + "</g>\n";
}

// Events that would overlap, as one mark at the first of them.
struct Mark {
  double left;
  int first;
  int last;
  std::vector<std::string> texts;

  // One line per event.
  std::string Title() const {
    std::string title;
    for (const std::string& text : texts) {
      absl::StrAppend(&title, title.empty() ? "" : "&#10;", Escaped(text));
    }
    return title;
  }
  std::string Label() const {
    return first == last ? absl::StrCat(first) : absl::StrCat(first, "-", last);
  }
  double Width() const {
    return std::max(2 * kDot, 6.5 * static_cast<double>(Label().size()) + 8);
  }
};

std::vector<Mark> MarksOf(const std::vector<Moment>& events,
                          const Scale& scale) {
  std::vector<Mark> marks;
  for (const Moment& event : events) {
    const double left =
        std::clamp(scale.X(event.at) - kDot, 0.0, kWidth - kWidestMark);
    if (marks.empty() || left >= marks.back().left + marks.back().Width()) {
      marks.push_back({left, event.number, event.number, {event.text}});
      continue;
    }
    marks.back().last = event.number;
    // Equal texts are listed once.
    std::vector<std::string>& texts = marks.back().texts;
    if (std::ranges::find(texts, event.text) == texts.end()) {
      texts.push_back(event.text);
    }
  }
  return marks;
}

}  // namespace

std::string TimelineSvg(const Timeline& timeline, const std::string& title) {
  if (timeline.lanes.empty() && timeline.events.empty()) return "";
  const Scale scale = ScaleOf(timeline);
  const double lanes = static_cast<double>(timeline.lanes.size()) * kLaneHeight;
  const double events = timeline.events.empty() ? 0 : kEventHeight;
  std::string svg = absl::StrFormat(
      "<svg class=\"timeline\" viewBox=\"0 %g %g %g\" role=\"img\">"
      "<title>%s</title>\n",
      -kAbove, kWidth, lanes + events + kAxisHeight + kAbove, Escaped(title));
  svg += AxisSvg(scale, lanes + events + 4);
  double top = 0;
  for (const Lane& lane : timeline.lanes) {
    svg += LaneSvg(lane, scale, top);
    top += kLaneHeight;
  }
  const double y = top + kEventHeight / 2;
  for (const Mark& mark : MarksOf(timeline.events, scale)) {
    absl::StrAppendFormat(
        &svg,
        "<g class=\"event\"><rect x=\"%.1f\" y=\"%g\" width=\"%.1f\" "
        "height=\"%g\" rx=\"%g\"/>"
        "<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%s</text>"
        "<title>%s</title></g>\n",
        mark.left, y - kDot, mark.Width(), 2 * kDot, kDot,
        mark.left + mark.Width() / 2, y + 3.5, mark.Label(), mark.Title());
  }
  return svg + "</svg>\n";
}

}  // namespace mulligan::cli
