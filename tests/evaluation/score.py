"""Scores this build on files of real failures; see scripts/score-corpus --help.

Usage: score.py MULLIGAN REPOSITORY [--unused] FILE.jsonl|FOLDER...
"""

import sys
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "simulation"))

import corpus  # noqa: E402
from engine import Engine  # noqa: E402

SKIPPED = 77
# Shares that hold on the samples known when they were set, which are those of
# these files; in vain of all samples, gave up of those that deserved a retry.
# What came later is scored beside them: it says how well we generalise.
KNOWN = ("apps.jsonl", "apps-2.jsonl", "infra.jsonl", "infra-2.jsonl", "field_samples.jsonl")
AT_LEAST = {"cause": 0.95, "domain": 0.90}
AT_MOST = {"confidently wrong": 0.005, "in vain": 0.08, "gave up": 0.01}


def shares(ours):
    """What the thresholds are about: name to (samples, of)."""
    return {"cause": (ours.named, ours.answered),
            "domain": (ours.domains, ours.answered),
            "confidently wrong": (ours.confidently_wrong, ours.answered),
            "in vain": (ours.in_vain, ours.answered),
            "gave up": (ours.gave_up, ours.worth)}


def describe(name, result):
    """One line for people."""
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


def holds(result):
    found = {name: part / of if of else 0 for name, (part, of)
             in shares(result["rows"]["Mulligan"]).items()}
    return (all(found[name] >= least for name, least in AT_LEAST.items()) and
            all(found[name] <= most for name, most in AT_MOST.items()))


def files_of(arguments):
    """A folder stands for its files; one that is not there has none."""
    files = []
    for path in map(Path, arguments):
        is_file = path.is_file() or path.suffix == ".jsonl"
        files += [path] if is_file else sorted(path.glob("*.jsonl"))
    return files


def rows_of(entries, inherited):
    """The rows of a table, those of its sections among them, as maps."""
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


def main(binary, repository, *arguments):
    files = files_of(a for a in arguments if a != "--unused")
    if not files:
        print("skipped: no *.jsonl in", *arguments)
        return SKIPPED
    with Engine(binary) as engine:
        if len(files) > 1:
            for file in files:
                print(describe(file, corpus.measure(engine,
                                                    corpus.read([file]))))
        samples = corpus.read(files)
        result = corpus.measure(engine, samples)
        known = [file for file in files if file.name in KNOWN]
        held = corpus.measure(engine, corpus.read(known)) if known else result
    print(describe("all", result))
    if 0 < len(known) < len(files):
        print(describe("known when the thresholds were set", held))
    truths = {sample["id"]: sample["truth"] for sample in samples}
    ours = result["rows"]["Mulligan"]
    for miss in ours.misses:
        print(describe_miss(miss, truths[miss[0]]))
    for sample, error in result["refused"]:
        print(f"  {sample}: refused: {error}")
    if "--unused" in arguments:
        unused = [f"{name} ({source})" for name, source
                  in text_signatures(Path(repository)).items()
                  if name not in ours.decided]
        print(f"{len(unused)} text signatures decide none of these samples:")
        print("\n".join(f"  {name}" for name in unused))
    return 0 if holds(held) else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    sys.exit(main(*sys.argv[1:]))
