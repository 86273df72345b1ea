// A part of patterns.
#ifndef MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_NAMED_THING_H_
#define MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_NAMED_THING_H_

// What a setting can name that is not there or not understood.
#define MULLIGAN_NAMED_THING                                                  \
  "(option|flag|argument|parameter|property|field|key|command|subcommand|"    \
  "keyword|directive|setting|config\\w*|variable|function|column|table|view|" \
  "index|relation|database|schema|role|bucket|blob|dataset|model|"            \
  "architecture|protocol|provider|plugin|module|package|gem|library|class|"   \
  "interface|trait|profile|chart|revision|template|executable|program|"       \
  "branch|tag|commit|secret|project|section|dag|dag_id|entry ?point|build|"   \
  "driver|tokenizer|checkpoint|path|input|source|header|compiler|linker|"     \
  "interpreter)s?"

#endif  // MULLIGAN_POLICY_DEMYSTIFY_SIGNATURES_NAMED_THING_H_
