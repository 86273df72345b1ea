#!/usr/bin/env python3
"""Usage: evaluate.py MULLIGAN REPOSITORY [CORPUS_FOLDER]

Rewrites the measured blocks of docs/evaluation.md and docs/images/*.svg with
the answers of the build MULLIGAN. scripts/evaluate calls it.
"""

import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "evaluation")]

import corpus  # noqa: E402
import gangs  # noqa: E402
import incidents  # noqa: E402
import nodes  # noqa: E402
import repeats  # noqa: E402
import retried  # noqa: E402
import unseen  # noqa: E402
import worth  # noqa: E402
from bars import chart  # noqa: E402
from engine import Engine  # noqa: E402

SEED = 20261122
GANGS = 4000
NODE_JOBS = 4000
FLEETS = 6
REPEAT_JOBS = 4000
INCIDENTS = 40
# Kinds of retried work that only a change helps.
HOPELESS = ("mistake", "bug", "wandering bug")
# Shares of ambiguous failures that pass, and the number of jobs for each.
PASSES = (0.1, 0.3, 0.5, 0.7, 0.9)
PASSES_JOBS = 1500


def percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |",
             "|" + "|".join("---" if i == 0 else "---:"
                            for i in range(len(head))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |"
                              for row in rows])


def more_tries_policy(repository):
    """The default policy with as many application retries as a Job has."""
    text = (repository / "policy/default_policy.yaml").read_text("utf-8")
    changed, count = re.subn(r"(    application:\n(?:      .*\n)*?"
                             r"      limit: )3\n", r"\g<1>6\n", text, count=1)
    if count != 1:
        raise SystemExit("evaluate: budget application of the default policy "
                         "is not where it was")
    return changed


def evaluate_gangs(engine):
    result = gangs.measure(engine, SEED, GANGS)
    kinds = ["all", "with logs", "without logs", "root not reported"]
    rows, bars = [], []
    for kind in kinds:
        n, ours, theirs = result["table"][kind]
        rows.append([kind, n, percent(ours, n), percent(theirs, n)])
        bars.append((f"{kind} ({n})", [100 * ours / n, 100 * theirs / n]))
    text = table(["gangs", "number", "Mulligan", "smallest timestamp"], rows)
    n = result["table"]["without logs"][0]
    text += ("\n\nWith the generator's own odds of codes and times one could "
             f"name {percent(result['at_most'], n)}\nof those without logs, "
             "and never more.")
    text += (f"\n\nIncidents charged more than once: "
             f"{result['charged_twice']} of {GANGS}.")
    return text, chart("The root of a gang's failure, named rightly (%)",
                       ["Mulligan", "smallest timestamp"], bars, most=100)


def evaluate_nodes(engine):
    result = nodes.measure(engine, SEED, NODE_JOBS, FLEETS)
    head = ["rule", "nodes excluded", "of them lemons", "lemons found",
            "pairs of job and node", "failures on lemons",
            "tries per success"]
    rows = []
    for name, shown in (("mulligan", "Mulligan"),
                        ("peers", "avoid every failed node")):
        row = result[name]
        rows.append([shown, row["nodes"],
                     f"{100 * row['precision']:.0f} %",
                     f"{100 * row['recall']:.0f} %", row["pairs"],
                     row["on_lemons"], f"{row['tries']:.3f}"])
    ours, theirs = result["mulligan"], result["peers"]
    bars = [("excluded, lemons", [o["nodes"] * o["precision"]
                                  for o in (ours, theirs)]),
            ("excluded, healthy", [o["nodes"] * (1 - o["precision"])
                                   for o in (ours, theirs)])]
    return table(head, rows), chart(
        f"Nodes excluded in {FLEETS} fleets of {nodes.NODES} with "
        f"{nodes.LEMONS} lemons each", ["Mulligan", "avoid every failed node"], bars)


def evaluate_repeats(engine):
    result = repeats.measure(engine, SEED, REPEAT_JOBS)
    rules = {"fixed count 6": "backoffLimit 6", "fixed count 3":
             "backoffLimit 3", "mulligan": "Mulligan"}
    base = result["fixed count 6"]
    could = base["succeeded"]
    rows, bars = [], []
    for rule, shown in rules.items():
        row = result[rule]
        rows.append([shown, f"{row['wasted']:,.0f}",
                     percent(base["wasted"] - row["wasted"], base["wasted"]),
                     row["false_stops"], percent(row["false_stops"], could),
                     row["tries"]])
        bars.append((shown, [100 * row["wasted"] / base["wasted"],
                             100 * row["false_stops"] / could]))
    kinds = [[kind, n, stops, percent(stops, n)]
             for kind, (n, stops, _) in sorted(
                 result["mulligan"]["kinds"].items())]
    text = table(["rule", "GPU-hours on hopeless work", "saved",
                  "false stops", f"of {could} that can succeed", "tries"],
                 rows)
    text += "\n\nMulligan's false stops by kind of job:\n\n" + table(
        ["kind", "jobs", "false stops", "share"], kinds)
    return text, chart("Hopeless work still paid for, and good work stopped (%)",
                       ["GPU-hours wasted", "false stops"], bars, most=100)


def evaluate_retried(engine):
    result = retried.measure(engine, SEED, REPEAT_JOBS)
    saved = result["hours"] - result["wasted"]
    text = table(["Jobs", "hopeless", "their GPU-hours", "saved",
                  "equal ends stopped before the third", "false stops",
                  f"of {result['could']} that can succeed"],
                 [[result["jobs"], result["hopeless"],
                   f"{result['hours']:,.0f}", percent(saved, result["hours"]),
                   percent(result["early"], result["alike"]),
                   result["false_stops"],
                   percent(result["false_stops"], result["could"])]])
    kinds = [[kind, n, percent(early, n) if kind in HOPELESS else "–", stops]
             for kind, (n, stops, early) in sorted(result["kinds"].items())]
    return text + "\n\n" + table(
        ["kind", "jobs", "stopped before the third end", "false stops"], kinds)


def evaluate_worth(shipped, patient):
    """Hours under the default policy, and under one with as many tries as a Job has."""
    ours = "Mulligan, six tries"
    costs = worth.measure({"Mulligan, as shipped": shipped, ours: patient},
                          SEED, REPEAT_JOBS)
    base = costs["backoffLimit 6"]
    rows = [[rule, f"{cost.in_vain:,.0f}", percent(cost.in_vain, base.in_vain),
             f"{cost.given_up:,.0f}", cost.false_stops,
             percent(cost.false_stops, cost.could), cost.retries]
            for rule, cost in costs.items()]
    text = table(["rule", "hours in vain", "of backoffLimit 6",
                  "hours of good work given up", "false stops",
                  f"of {base.could} that can succeed", "retries"], rows)
    in_vain, given_up = [], []
    for passes in PASSES:
        costs = worth.measure({ours: patient}, SEED, PASSES_JOBS, passes)
        base = costs["backoffLimit 6"].in_vain
        shown = [costs[rule] for rule in (ours, "backoffLimit 3",
                                          "exit codes")]
        label = f"{100 * passes:.0f} % pass"
        in_vain.append((label, [100 * cost.in_vain / base for cost in shown]))
        given_up.append((label, [100 * cost.false_stops / cost.could
                                 for cost in shown]))
    names = [ours, "backoffLimit 3", "exit codes"]
    return text, {
        "worth-in-vain": chart("Hours in vain (% of backoffLimit 6), by how "
                               "often a failure passes", names, in_vain,
                               most=100),
        "worth-given-up": chart("Good jobs stopped (%), by how often a failure "
                                "passes", names, given_up, most=100)}


def evaluate_incidents(engine):
    result = incidents.measure(engine, SEED, INCIDENTS)
    ours, theirs = result["mulligan"], result["peers"]
    victims = ours["victims"]
    rows = [
        ["victims' failures charged to their own retries", ours["charged"],
         theirs["charged"]],
        ["victims given up", ours["lost"], theirs["lost"]],
        ["retries into the incident, per victim",
         f"{ours['retries_in'] / victims:.2f}",
         f"{theirs['retries_in'] / victims:.2f}"],
        ["of these canaries, per incident",
         f"{ours['canaries'] / INCIDENTS:.1f}", "–"],
        ["from the end of the incident to the retry, median",
         f"{ours['delay']:.0f} s", f"{theirs['delay']:.0f} s"],
        ["first failures of victims answered as an incident",
         percent(ours["named"], victims), "–"],
        ["ordinary failures answered as an incident",
         percent(ours["merged"], ours["ordinary"]), "–"],
    ]
    bars = [("own retries charged", [ours["charged"] / victims,
                                     theirs["charged"] / victims]),
            ("retries in vain", [ours["retries_in"] / victims,
                                 theirs["retries_in"] / victims]),
            ("given up", [ours["lost"] / victims, theirs["lost"] / victims])]
    text = (f"{INCIDENTS} incidents, {victims} victims, {ours['ordinary']} "
            "ordinary failures.\n\n")
    return text + table(["", "Mulligan", "backoffLimit 6"], rows), chart(
        "What an incident costs one of its victims",
        ["Mulligan", "backoffLimit 6"], bars)


def evaluate_corpus(engine, folder):
    files = sorted(Path(folder).glob("*.jsonl"))
    if not files:
        raise SystemExit(f"evaluate: no *.jsonl in {folder}")
    result = corpus.measure(engine, corpus.read(files))
    ours = result["rows"]["Mulligan"]
    rows = []
    for name, row in result["rows"].items():
        rows.append([
            name, percent(row.sides, row.asked),
            percent(row.actions, row.asked),
            f"{row.in_vain} of {row.hopeless}",
            f"{row.gave_up} of {row.worth}", row.wasted, row.silent])
    text = (f"{result['samples']} samples; Mulligan names the cause of "
            f"{percent(ours.named, ours.answered)} rightly or acceptably, the "
            f"fault domain of {percent(ours.domains, ours.answered)}, and is "
            f"confidently wrong in {ours.confidently_wrong}.\n\n")
    text += table(["rule", "platform or user, right",
                   "retry, wait or stop, right", "retried in vain",
                   "gave up on what deserved a retry", "wasted retries",
                   "no opinion"], rows)
    text += ("\n\nIn accelerator hours, of the "
             f"{result['timed']} samples that say how long the attempt ran:\n\n")
    text += table(["rule", "hours in vain", "hours of good work given up"],
                  [[name, f"{row.wasted_hours:,.1f}",
                    f"{row.given_up_hours:,.1f}"]
                   for name, row in result["rows"].items()])
    if result["refused"]:
        names = ", ".join(name for name, _ in result["refused"])
        text += f"\n\nNot asked, because it is about several workloads: {names}."
    return text, evaluate_calibration(result)


def evaluate_unseen(engine, binary, files):
    """Failures of projects that nothing was learned from, compared with all rows."""
    asked = corpus.ask(engine, corpus.read(files))
    without = unseen.ask(binary, asked)
    rows = []
    for name, answers in (("all rows", asked),
                          ("without those of its own source", without)):
        result = corpus.score(answers)
        ours, culprits = result["rows"]["Mulligan"], result["culprits"]
        rows.append([
            name, percent(ours.named, ours.answered),
            percent(ours.domains, ours.answered),
            f"{ours.confidently_wrong} of {ours.answered}",
            f"{ours.in_vain} of {ours.hopeless}",
            f"{ours.gave_up} of {ours.worth}",
            f"{culprits.ours} of {culprits.gangs}"])
    own = unseen.own_rows(asked)
    text = (f"{len(asked)} samples of "
            f"{len(unseen.by_source(sample for sample, _, _ in asked))} "
            f"sources, of which {len(own)} lose "
            f"{sum(map(len, own.values()))} rows in all.\n\n")
    return text + table(["judged with", "cause", "fault domain",
                         "confidently wrong", "retried in vain",
                         "gave up on what deserved a retry", "culprits"],
                        rows) + "\n\n" + certain_by_kind(asked, without)


def certain_by_kind(*answers):
    """How often HIGH is right, by the kind of evidence that decided."""
    kinds = [corpus.score(asked)["rows"]["Mulligan"].certain
             for asked in answers]
    return table(["`HIGH`, by kind of evidence", "right, all rows",
                  "right, without those of its own source"],
                 [[f"`{kind}`", *(f"{right} of {of}" for right, of in
                                  (some.get(kind, (0, 0)) for some in kinds))]
                  for kind in sorted(set().union(*kinds))])


def evaluate_calibration(result):
    culprits = result["culprits"]
    rows = [[level, *result["confidence"].get(level, (0, 0)),
             percent(*result["confidence"].get(level, (0, 0)))]
            for level in ("HIGH", "MEDIUM", "LOW")]
    text = table(["confidence", "right", "samples", "accuracy"], rows)
    text += (f"\n\nCulprits: Mulligan names the root of {culprits.ours} of "
             f"{culprits.gangs} gangs. In the {culprits.timed} whose members' "
             f"ends have times it names {culprits.ours_timed}, the smallest "
             f"timestamp {culprits.theirs}.")
    bars = [(f"{level} ({row[1]})", [100 * row[0] / row[1]])
            for level, row in result["confidence"].items() if row[1]]
    order = {"HIGH": 0, "MEDIUM": 1, "LOW": 2}
    bars.sort(key=lambda bar: order[bar[0].split()[0]])
    return text, chart("Causes named rightly, by confidence (%)",
                       ["share of samples"], bars, most=100)


def rewrite(text, name, block):
    begin, end = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
    if text.count(begin) != 1 or text.count(end) != 1:
        raise SystemExit(f"evaluate: docs/evaluation.md lacks '{begin}' or "
                         f"'{end}'")
    before, rest = text.split(begin)
    return before + begin + "\n" + block + "\n" + end + rest.split(end)[1]


def main(binary, repository, folder=None):
    repository = Path(repository)
    blocks, images = {}, {}
    samples = [repository / "tests/testdata" / name for name in
               ("field_samples.jsonl", "two_reader_samples.jsonl")]
    if folder is not None:
        samples += sorted(Path(folder).glob("*.jsonl"))
    with Engine(binary) as engine:
        blocks["unseen"] = evaluate_unseen(engine, binary, samples)
        blocks["gangs"], images["gangs"] = evaluate_gangs(engine)
        blocks["nodes"], images["nodes"] = evaluate_nodes(engine)
        blocks["retried"] = evaluate_retried(engine)
        blocks["incidents"], images["incidents"] = evaluate_incidents(engine)
        if folder is not None:
            blocks["corpus"], calibration = evaluate_corpus(engine, folder)
            blocks["calibration"], images["calibration"] = calibration
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
        policy.write(more_tries_policy(repository))
        policy.flush()
        with Engine(binary, policy.name) as engine:
            blocks["repeats"], images["repeats"] = evaluate_repeats(engine)
            with Engine(binary) as shipped:
                blocks["worth"], plots = evaluate_worth(shipped, engine)
            images.update(plots)
    page = repository / "docs/evaluation.md"
    text = page.read_text("utf-8")
    for name, block in blocks.items():
        text = rewrite(text, name, block)
    page.write_text(text, "utf-8")
    for name, image in images.items():
        (repository / f"docs/images/{name}.svg").write_text(image, "utf-8")
    print("wrote docs/evaluation.md and docs/images/: " +
          ", ".join(sorted(blocks)))


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
