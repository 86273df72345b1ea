#!/usr/bin/env python3
"""Writes a package's texts about a program from the program's own --help.

Usage: help_pages.py man SECTION VERSION PROGRAM    a man page
       help_pages.py environment PROGRAM            variables for systemd

The man page lists every subcommand and flag, the environment file every variable
that a flag has.
"""

import dataclasses
import datetime
import os
import re
import subprocess
import sys

# Sections of a help text that are printed verbatim.
VERBATIM = ("Example", "Examples")
# Sentences that get their own section in a man page.
SENTENCES = {"Exit codes:": "EXIT STATUS", "Signals:": "SIGNALS"}
MANUALS = {"1": "User Commands", "8": "System Administration"}


@dataclasses.dataclass
class Help:
    """One --help text."""
    summary: str = ""
    usage: str = ""
    # Section to rows of [term, meaning]; verbatim sections have lines.
    sections: dict = dataclasses.field(default_factory=dict)
    notes: list = dataclasses.field(default_factory=list)  # paragraphs


def run(program, *arguments):
    return subprocess.run([program, *arguments, "--help"], check=True,
                          capture_output=True, text=True).stdout


def add_row(rows, line):
    """Adds a row, which is indented by two; deeper lines continue the last one."""
    term, _, meaning = line.strip().partition("  ")
    if line.startswith("   ") and rows:
        rows[-1][1] = (rows[-1][1] + " " + line.strip()).strip()
    else:
        rows.append([term, meaning.strip()])


def parse(text):
    result = Help()
    section = "Options"  # for rows above the first heading
    paragraph = []
    for line in text.splitlines() + [""]:
        heading = re.fullmatch(r"([A-Z][a-z]+):", line)
        if heading:
            section = heading[1]
        elif line.startswith("  ") and section in VERBATIM:
            result.sections.setdefault(section, []).append(line.strip())
        elif line.startswith("  "):
            add_row(result.sections.setdefault(section, []), line)
        elif line.startswith("Usage: "):
            result.usage = line[len("Usage: "):]
        elif line and not result.summary:
            result.summary = line
        elif line:
            paragraph.append(line)
        elif paragraph:
            result.notes.append(" ".join(paragraph))
            paragraph = []
    if not result.summary or not result.usage:
        sys.exit(f"no summary or no usage in: {text!r}")
    return result


def leaves(program, *path):
    """Returns (path, help) of every command without subcommands, in order."""
    text = parse(run(program, *path))
    names = [row[0] for row in text.sections.get("Subcommands", [])]
    if not names:
        return [(path, text)]
    return [leaf for name in names for leaf in leaves(program, *path, name)]


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def rows_to_roff(rows):
    return [line for term, meaning in rows
            for line in (".TP", f".B {roff(term)}", roff(meaning))]


def verbatim_to_roff(lines):
    return [".RS", ".nf", *map(roff, lines), ".fi", ".RE"]


def body(text):
    """Arguments, options and examples of one command."""
    lines = []
    for section, rows in text.sections.items():
        if section in VERBATIM:
            lines += [".PP", f"{section}:", *verbatim_to_roff(rows)]
        elif section != "Subcommands":
            lines += rows_to_roff(rows)
    return lines


def notes_to_roff(notes):
    lines = []
    for note in notes:
        pattern = "|".join(map(re.escape, SENTENCES))
        for part in re.split(f"(?={pattern})", note):
            for start, title in SENTENCES.items():
                if part.startswith(start):
                    lines.append(f".SH {title}")
                    part = part[len(start):]
                    part = part.strip()[0].upper() + part.strip()[1:]
            if part:
                lines += [".PP", roff(part.strip())]
    return lines


def man(section, version, program):
    name = os.path.basename(program)
    top = parse(run(program))
    commands = leaves(program)
    day = datetime.datetime.fromtimestamp(
        int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    summary = top.summary.removeprefix(name + ":").strip().rstrip(".")
    other = "mulligan\\-server (8)" if section == "1" else "mulligan (1)"
    lines = [
        f'.TH {roff(name.upper())} {section} "{day:%Y\\-%m\\-%d}" '
        f'"mulligan {version}" "{MANUALS[section]}"',
        ".nh", ".ad l", ".SH NAME",
        f"{roff(name)} \\- {roff(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS", ".nf", *[roff(text.usage) for _, text in commands],
        ".fi",
    ]
    if commands == [((), top)]:
        lines += [".SH OPTIONS", *body(top)]
    else:
        lines.append(".SH COMMANDS")
        for path, text in commands:
            lines += [f".SS {roff(' '.join(path))}", roff(text.summary + "."),
                      *body(text)]
        for title in VERBATIM:
            if title in top.sections:
                lines += [f".SH {title.upper()}",
                          *verbatim_to_roff(top.sections[title])]
    lines += notes_to_roff(top.notes)
    lines += [".SH SEE ALSO", f".BR {other}"]
    print("\n".join(lines))


def environment(program):
    name = os.path.basename(program)
    print(f"# Settings of {name}, read by its systemd unit. Lines that begin "
          f"with # say the\n# defaults. With longer drains raise "
          f"TimeoutStopSec, too: systemctl edit {name}")
    for term, meaning in parse(run(program)).sections["Options"]:
        variable = re.search(r" \[(\w+)(?:, default (.*))?\]$", meaning)
        if variable:
            print(f"\n# {meaning[:variable.start()]}\n"
                  f"#{variable[1]}={variable[2] or ''}")


def main(arguments):
    if arguments[:1] == ["man"] and len(arguments) == 4:
        man(*arguments[1:])
    elif arguments[:1] == ["environment"] and len(arguments) == 2:
        environment(arguments[1])
    else:
        sys.exit(__doc__)


main(sys.argv[1:])
