"""Scores this build on files of real failures; see scripts/score-corpus --help.

Usage: score.py MULLIGAN REPOSITORY [--unused] [--single] [--unseen]
                FILE.jsonl|FOLDER...
"""

import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "simulation"))

import corpus  # noqa: E402
import unseen  # noqa: E402
from engine import Engine  # noqa: E402

SKIPPED = 77
OPTIONS = {"--unused", "--single", "--unseen"}
# Shares that hold on the samples known when they were set, which are those of these files: `in
# vain` of all samples, `gave up` of those that deserved a retry. Later samples are scored
# separately: they show how well we generalise.
KNOWN = ("apps.jsonl", "apps-2.jsonl", "infra.jsonl", "infra-2.jsonl", "field_samples.jsonl")
AT_LEAST = {"cause": 0.95, "domain": 0.90}
# For each kind of evidence, answers with high confidence on all files.
CERTAIN = 0.995
AT_MOST = {"confidently wrong": 0.005, "in vain": 0.08, "gave up": 0.01}


def shares(ours):
    """The shares that have thresholds: name to (samples, of)."""
    return {"cause": (ours.named, ours.answered),
            "domain": (ours.domains, ours.answered),
            "confidently wrong": (ours.confidently_wrong, ours.answered),
            "in vain": (ours.in_vain, ours.answered),
            "gave up": (ours.gave_up, ours.worth)}


def describe(name, result):
    """One line for users."""
    ours, culprits = result["rows"]["Mulligan"], result["culprits"]
    parts = [f"{what} {100 * part / of if of else 0:.1f} % ({part} of {of})"
             for what, (part, of) in shares(ours).items()]
    parts.append(f"culprit {culprits.ours} of {culprits.gangs}")
    refused = len(result["refused"])
    if refused:
        parts.append(f"{refused} refused")
    return f"{name}: " + ", ".join(parts)


def describe_miss(miss, truth):
    sample, wrong, answer = miss
    diagnosis = answer["diagnosis"]
    return (f"  {sample}: {', '.join(wrong)}: expected {truth['cause'].upper()} "
            f"{truth['faultDomain']}, named {diagnosis['cause']} "
            f"{diagnosis['faultDomain']} ({diagnosis['confidence']}, "
            f"{diagnosis.get('signature', 'no signature')}), "
            f"{answer['decision']['action']}")


def is_certain(result):
    """Whether answers with high confidence are right, for each kind of evidence."""
    certain = result["rows"]["Mulligan"].certain
    return all(right >= CERTAIN * of for right, of in certain.values())


def holds(result):
    found = {name: part / of if of else 0 for name, (part, of)
             in shares(result["rows"]["Mulligan"]).items()}
    return (all(found[name] >= least for name, least in AT_LEAST.items()) and
            all(found[name] <= most for name, most in AT_MOST.items()))


def files_of(arguments):
    """Expands folders to their files; a missing folder has none."""
    files = []
    for path in map(Path, arguments):
        is_file = path.is_file() or path.suffix == ".jsonl"
        files += [path] if is_file else sorted(path.glob("*.jsonl"))
    return files


def rows_of(entries, inherited):
    """The rows of a table and of its sections, as maps."""
    for entry in entries:
        if "rows" in entry:
            yield from rows_of(entry["rows"],
                               {**inherited, **entry.get("defaults", {})})
        else:
            yield {**inherited, **entry}


def text_signatures(repository):
    """All text signatures: name to who prints them."""
    sources = {}
    folder = repository / "policy/demystify/signatures"
    for file in sorted(folder.glob("*.yaml")):
        for table in yaml.safe_load_all(file.read_text(encoding="utf-8")):
            if table["kind"] == "TEXT":
                for row in rows_of(table["rows"], table.get("defaults", {})):
                    name = f"{table['evidence']}/{row['name']}"
                    sources[name] = row["source"]
    return sources


def print_misses(result, samples):
    truths = {sample["id"]: sample["truth"] for sample in samples}
    for miss in result["rows"]["Mulligan"].misses:
        print(describe_miss(miss, truths[miss[0]]))
    for sample, error in result["refused"]:
        print(f"  {sample}: refused: {error}")


def print_unused(ours, repository):
    unused = [f"{name} ({source})" for name, source
              in text_signatures(Path(repository)).items()
              if name not in ours.decided]
    print(f"{len(unused)} text signatures decide none of these samples:")
    print("\n".join(f"  {name}" for name in unused))


def print_single(asked, repository):
    texts = text_signatures(Path(repository))
    decided = {}
    for sample, answer, retries in asked:
        if retries is not None:
            row = answer["diagnosis"].get("signature", "")
            decided.setdefault(row, []).append(sample["id"])
    single = sorted((row, ids[0]) for row, ids in decided.items()
                    if len(ids) == 1 and row in texts)
    print(f"{len(single)} text signatures decide a single one:")
    for row, sample in single:
        print(f"  {row} ({texts[row]}): {sample}")


def main(binary, repository, *arguments):
    options = {a for a in arguments if a in OPTIONS}
    files = files_of(a for a in arguments if a not in OPTIONS)
    if not files:
        print("skipped: no *.jsonl in", *arguments)
        return SKIPPED
    asked = {}
    with Engine(binary) as engine:
        for file in files:
            asked[file] = corpus.ask(engine, corpus.read([file]))
    if len(files) > 1:
        for file in files:
            print(describe(file, corpus.score(asked[file])))
    all_asked = [part for file in files for part in asked[file]]
    samples = [sample for sample, _, _ in all_asked]
    result = corpus.score(all_asked)
    known = [file for file in files if file.name in KNOWN]
    held = corpus.score([part for file in known or files
                         for part in asked[file]])
    print(describe("all", result))
    if 0 < len(known) < len(files):
        print(describe("known when the thresholds were set", held))
    print_misses(result, samples)
    if "--unused" in options:
        print_unused(result["rows"]["Mulligan"], repository)
    if "--single" in options:
        print_single(all_asked, repository)
    if "--unseen" in options:
        without = corpus.score(unseen.ask(binary, all_asked))
        print(describe("without the rows of its own source", without))
        print_misses(without, samples)
        result = without
    return 0 if holds(held) and is_certain(result) else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
