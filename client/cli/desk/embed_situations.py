#!/usr/bin/env python3
"""Writes the situations of the playground's menu as C++.

Usage: embed_situations.py MENU OUT SAMPLES...

MENU has a line per situation: group, title and sample name, separated by tabs.
SAMPLES are files of JSON lines with `name` or `id`, and `report` or `input`.
"""

import json
import sys

HEAD = """// Made by embed_situations.py.
#include "client/cli/desk/desk.h"

namespace mulligan::cli {

std::string_view SituationsJson() {
  return R"situations("""
TAIL = """)situations";
}

}  // namespace mulligan::cli
"""


def read_samples(paths):
    samples = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            for row in map(json.loads, file):
                samples[row.get("name") or row["id"]] = row.get("report") or row["input"]
    return samples


def read_menu(path, samples):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("#") or not line.strip():
                continue
            fields = line.rstrip("\n").split("\t")
            if len(fields) != 3:
                sys.exit(f"{path}:{number}: expected GROUP, TITLE and SAMPLE with a "
                         f"tab between, found {len(fields)} fields")
            group, title, sample = fields
            if sample not in samples:
                sys.exit(f"{path}:{number}: there is no sample {sample!r}")
            yield {"group": group, "title": title, "report": samples[sample]}


def main(menu, out, *samples):
    # `)situations"` would end the string early.
    text = json.dumps(list(read_menu(menu, read_samples(samples))))
    assert ")situations" not in text
    with open(out, "w", encoding="utf-8") as file:
        file.write(HEAD + text + TAIL)


main(*sys.argv[1:])
