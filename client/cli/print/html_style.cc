#include "client/cli/print/html.h"

namespace mulligan::cli {
namespace {

constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --paper: #f7f6f3; --card: #ffffff; --ink: #1b2228; --soft: #59646e;
  --line: #dfe1e3; --fill: #eef0f1; --accent: #0b6a70;
  --bad: #b42318; --warn: #8a5a00; --good: #1b7446;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #13171b; --card: #1a2026; --ink: #e4e8eb; --soft: #9aa6b1;
    --line: #2d353d; --fill: #232b32; --accent: #5fc7cc;
    --bad: #ff8f85; --warn: #e6b450; --good: #74cf9c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans",
    "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-text-size-adjust: 100%;
}
main { max-width: 58rem; margin: 0 auto; padding: 3rem 1.5rem 4rem; }
h1 {
  font-size: clamp(1.35rem, 1.05rem + 1.5vw, 1.9rem); line-height: 1.28;
  font-weight: 650; letter-spacing: -0.012em; margin: 0.35rem 0 0;
  overflow-wrap: break-word; text-wrap: pretty;
}
h2 {
  font-size: 0.82rem; font-weight: 650; letter-spacing: 0.07em;
  text-transform: uppercase; color: var(--soft); margin: 0 0 0.9rem;
}
h3 { font-size: 0.95rem; font-weight: 650; margin: 1.4rem 0 0.4rem; }
p { margin: 0 0 0.6rem; }
code, pre, .name {
  font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono",
    "Liberation Mono", monospace;
}
code { font-size: 0.86em; overflow-wrap: anywhere; }
.eyebrow { color: var(--accent); font-weight: 600; margin: 0; }
.soft { color: var(--soft); }
.first {
  margin: 1.4rem 0 0; padding: 0.8rem 1.1rem; background: var(--card);
  border: 1px solid var(--line); border-left: 4px solid var(--accent);
  border-radius: 6px; font-size: 1.06rem; overflow-wrap: break-word;
}
.first b { color: var(--accent); margin-right: 0.5em; }
section, .facts { margin-top: 2.6rem; }
article + article { border-top: 1px solid var(--line); margin-top: 4rem;
  padding-top: 3rem; }
.facts {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(11.6rem, 1fr));
  gap: 1.1rem 1.8rem; margin-bottom: 0;
}
.facts div { min-width: 0; }
dt { color: var(--soft); font-size: 0.85rem; }
dd { margin: 0; overflow-wrap: break-word; }
.cards {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(16rem, 1fr));
  gap: 1rem;
}
.card {
  background: var(--card); border: 1px solid var(--line); border-radius: 8px;
  padding: 1rem 1.2rem; min-width: 0;
}
.card p { margin: 0.2rem 0 0; overflow-wrap: break-word; }
.card .verdict { font-size: 1.1rem; font-weight: 600; }
.retry { color: var(--good); }
.fail { color: var(--bad); }
.wait { color: var(--warn); }
table { border-collapse: collapse; width: 100%; font-size: 0.93rem; }
th {
  text-align: left; font-weight: 600; color: var(--soft); font-size: 0.85rem;
}
th, td {
  padding: 0.5rem 0.9rem 0.5rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line);
}
th:last-child, td:last-child { padding-right: 0; }
td.number { text-align: right; }
td.time, td.tight { white-space: nowrap; }
tr.now td { font-weight: 600; }
tr.now td:first-child { color: var(--accent); }
td code { overflow-wrap: normal; white-space: nowrap; }
.timeline { display: block; width: 100%; height: auto; }
.timeline text { font-size: 12px; fill: var(--ink); }
.timeline .name { font-size: 11.5px; }
.timeline .note, .timeline .tick { fill: var(--soft); }
.timeline .grid { stroke: var(--line); }
.timeline .bar { fill: var(--soft); opacity: 0.45; }
.timeline .end { stroke: var(--soft); stroke-width: 2; }
.timeline .root .bar { fill: var(--bad); opacity: 1; }
.timeline .root .end { stroke: var(--bad); }
.timeline .root text { font-weight: 650; }
.timeline .root .note { fill: var(--bad); }
.timeline .cascade .bar {
  fill: var(--paper); stroke: var(--bad); stroke-dasharray: 3 2; opacity: 1;
}
.timeline .cascade .end { stroke: var(--bad); }
.timeline .disrupted .bar { fill: var(--accent); opacity: 0.55; }
.timeline .diamond { fill: var(--accent); stroke: var(--paper); }
.timeline .event rect { fill: var(--accent); }
.timeline .event text { fill: var(--paper); font-size: 10px; font-weight: 650; }
.plot { display: block; width: 100%; height: auto; }
.plot text { font-size: 12px; fill: var(--ink); }
.plot .note { fill: var(--soft); }
.plot .axis { stroke: var(--line); }
.plot .all { fill: var(--soft); opacity: 0.35; }
.plot .changed { fill: var(--accent); }
.key { display: inline-block; width: 0.8em; height: 0.8em; }
.key.all { background: var(--soft); opacity: 0.35; }
.key.changed { background: var(--accent); margin-left: 0.8em; }
.legend .key:first-child { margin-left: 0; }
.legend { color: var(--soft); font-size: 0.88rem; margin: 0.7rem 0 0; }
ol, ul { margin: 0; padding-left: 1.6rem; }
li { margin: 0 0 0.7rem; overflow-wrap: break-word; }
li::marker { color: var(--soft); font-weight: 600; }
.evidence p { margin: 0; }
.events { margin-top: 1.1rem; }
.budget {
  display: grid; grid-template-columns: 10rem 1fr 18rem;
  gap: 0.3rem 1.2rem; align-items: center; padding: 0.35rem 0;
}
.budget.paid { font-weight: 600; }
.track {
  height: 10px; border-radius: 5px; background: var(--fill); overflow: hidden;
  border: 1px solid var(--line);
}
.used { display: block; height: 100%; background: var(--accent); }
.budget.exhausted .used { background: var(--bad); }
.budget .soft { font-weight: 400; }
pre {
  margin: 0; padding: 1rem 1.2rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; overflow-x: auto;
  font-size: 0.83rem; line-height: 1.6;
}
pre i { font-style: normal; color: var(--soft); user-select: none; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
summary { cursor: pointer; color: var(--accent); font-weight: 600; }
details pre { margin-top: 0.8rem; }
.warnings { border-left: 4px solid var(--warn); padding-left: 1.1rem; }
footer {
  margin-top: 3.5rem; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--soft); font-size: 0.85rem; overflow-wrap: anywhere;
}
a { color: var(--accent); }
@media (max-width: 42rem) {
  body { font-size: 15.5px; }
  main { padding: 1.75rem 1.1rem 3rem; }
  section, .facts { margin-top: 2.1rem; }
  .facts {
    grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
    gap: 1rem 1.2rem;
  }
  .timeline text { font-size: 20px; }
  .timeline .name { font-size: 18px; }
  .timeline .event text { font-size: 14px; }
  .plot text { font-size: 20px; }
  .budget { grid-template-columns: 1fr auto; }
  .budget .track { grid-column: 1 / -1; grid-row: 2; }
  table.stack thead { display: none; }
  table.stack tr {
    display: grid; grid-template-columns: 5.5rem 1fr; padding: 0.7rem 0;
    border-bottom: 1px solid var(--line);
  }
  table.stack td {
    display: contents; white-space: normal; text-align: left;
  }
  table.stack td::before {
    content: attr(data-name); color: var(--soft); font-weight: 400;
    font-size: 0.88rem;
  }
}
@media print {
  :root { --paper: #ffffff; }
  main { max-width: none; padding: 0; }
  section, .card { break-inside: avoid; }
  details > * { display: block; }
}
)css";

}  // namespace

std::string_view PageStyle() { return kStyle; }

}  // namespace mulligan::cli
