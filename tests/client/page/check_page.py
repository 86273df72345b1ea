#!/usr/bin/env python3
"""Checks the pages that `mulligan explain`, `replay` and `report` write with
-o html.

Usage: check_page.py sound MULLIGAN    well-formed, safe, complete
       check_page.py renders MULLIGAN  in headless chromium, at three sizes,
                                       light and dark; skips without chromium

The samples next to this file are a gang with a history, and objects whose names and
texts all try to break out.
"""

import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zlib

HERE = pathlib.Path(__file__).parent
SITUATIONS = HERE.parents[1] / "testdata/situations.jsonl"
SKIPPED = 77
SECTIONS = ("story", "verdicts", "attempts", "times", "evidence-list", "budgets",
            "rule", "ledger")
SIZES = {"phone": (390, 1600), "laptop": (1280, 900), "wide": (1920, 1080)}
# Command-line switches of chromium, and the page's --paper.
SCHEMES = {"light": (1, (0xf7, 0xf6, 0xf3)), "dark": (0, (0x13, 0x17, 0x1b))}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DECEPTIVE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e"
                       "\u2066-\u2069]")


def page(mulligan, sample, *flags):
    result = subprocess.run(
        [mulligan, "explain", "-o", "html", "--observed-at=2026-11-03T14:00:00Z",
         *flags, "-f", HERE / sample],
        check=True, capture_output=True, text=True)
    return result.stdout


def write_log(mulligan, folder):
    """Writes a decision log of the situations, a few a day, to `folder`."""
    records = []
    asked = ""
    for number, line in enumerate(SITUATIONS.read_text().splitlines()):
        report = json.loads(line)["report"]
        report["observedAt"] = f"2026-12-{number % 9 + 10}T12:00:00Z"
        records.append({"request": {"report": report}})
        asked += json.dumps(records[-1]["request"]) + "\n"
    # A name that tries to break out.
    records[0]["request"]["report"]["workload"] = {
        "kind": "<script>", "name": "\u202e</svg><script>"}
    answers = subprocess.run([mulligan, "explain", "--requests", "-"], input=asked,
                             check=True, capture_output=True, text=True).stdout
    log = pathlib.Path(folder, "log.jsonl")
    with log.open("w") as file:
        for record, answer in zip(records, answers.splitlines(), strict=True):
            record["response"] = json.loads(answer)
            file.write(json.dumps(record) + "\n")
        file.write("torn <script>\n")
    return log


def replay_page(mulligan, folder):
    """Returns the page about the situations under a policy that retries nothing."""
    log = write_log(mulligan, folder)
    policy = pathlib.Path(folder, "policy.yaml")
    policy.write_text("apiVersion: mulligan.dev/v1\nkind: RetryPolicy\n"
                      "metadata: {name: no-retries}\n"
                      "spec:\n  default: {action: FAIL}\n")
    return subprocess.run(
        [mulligan, "replay", log, "--policy", policy, "-o", "html"],
        check=True, capture_output=True, text=True).stdout


def check_replay_page(mulligan):
    with tempfile.TemporaryDirectory() as folder:
        html = replay_page(mulligan, folder)
    tree = check_safe(html)
    plots = [e for e in tree.iter("svg") if e.attrib["class"] == "plot"]
    assert len(plots) == 5, f"{len(plots)} plots"
    for plot in plots:
        bars = list(plot.iter("rect"))
        assert bars, plot.find("title").text
        width, height = map(float, plot.attrib["viewBox"].split()[2:])
        for bar in bars:
            x, y, w, h = (float(bar.attrib[name])
                          for name in ("x", "y", "width", "height"))
            assert 0 <= x and x + w <= width + 0.1 and 0 <= y and y + h <= height, \
                bar.attrib
    torn = len(SITUATIONS.read_text().splitlines()) + 1
    for text in ("RETRY to FAIL", "CONTAINER_OOM", f"log.jsonl:{torn}"):
        assert text in html, text


def report_page(mulligan, folder):
    return subprocess.run(
        [mulligan, "report", write_log(mulligan, folder), "-o", "html"],
        check=True, capture_output=True, text=True).stdout


def check_report_page(mulligan):
    with tempfile.TemporaryDirectory() as folder:
        html = report_page(mulligan, folder)
    tree = check_safe(html)
    plots = {e.find("title").text: e for e in tree.iter("svg")
             if e.attrib["class"] == "plot"}
    assert len(plots) == 4, list(plots)
    for title, plot in plots.items():
        width, height = map(float, plot.attrib["viewBox"].split()[2:])
        bars = list(plot.iter("rect"))
        assert bars, title
        for bar in bars:
            x, y, w, h = (float(bar.attrib[name])
                          for name in ("x", "y", "width", "height"))
            assert 0 <= x and x + w <= width + 1 and 0 <= y and y + h <= height, \
                (title, bar.attrib)
        for text in plot.iter("text"):
            assert 0 <= float(text.attrib["x"]) <= width, (title, text.text)
    for text in ("Do first", "CONTAINER_OOM", "could not be read"):
        assert text in html, text


def parse(html):
    """Parses the page as XML, which it also is."""
    return ElementTree.fromstring(html.replace("<!DOCTYPE html>", "", 1))


def check_safe(html):
    tree = parse(html)
    for element in tree.iter():
        assert element.tag not in ("script", "link", "img", "iframe", "object",
                                   "embed", "base", "form"), element.tag
        for name, value in element.attrib.items():
            assert not name.startswith("on"), name
            if name in ("href", "src"):
                assert value.startswith("#"), value
    policies = [meta.attrib["content"] for meta in tree.findall("./head/meta")
                if meta.attrib.get("http-equiv") == "Content-Security-Policy"]
    assert len(policies) == 1 and policies[0].startswith("default-src 'none'; style-src"), policies
    style = tree.find("./head/style").text
    assert "@import" not in style and "url(" not in style
    assert "prefers-color-scheme" in style
    found = DECEPTIVE.search(html)
    assert not found, f"U+{ord(found[0]):04x} at {found.start()}"
    ids = [e.attrib["id"] for e in tree.iter() if "id" in e.attrib]
    assert len(ids) == len(set(ids)), ids
    return tree


def check_complete(tree, html):
    classes = {e.attrib.get("class", "") for e in tree.iter()}
    for section in SECTIONS:
        assert section in classes, f"no section {section}"
    lanes = [e for e in tree.iter()
             if e.attrib.get("class", "").startswith("lane ")]
    roles = {lane.attrib["class"].split()[1] for lane in lanes}
    assert {"root", "cascade", "disrupted"} <= roles, roles
    for text in ("Do first", "train-2", "gpu-7", "backoffLimit of 0 exceeded",
                 "charged 1", "causes: [", "PreemptionByScheduler",
                 "containerStatuses[0].state.terminated"):
        assert text in html, text
    rows = tree.findall(".//section[@class='attempts']//tbody/tr")
    assert len(rows) == 3, len(rows)


def sound(mulligan):
    html = page(mulligan, "gang.yaml", "--ledger", HERE / "ledger.yaml")
    check_complete(check_safe(html), html)
    hostile = page(mulligan, "hostile.json")
    check_safe(hostile)
    assert "&lt;script&gt;" in hostile and "\\u202e" in hostile
    many = page(mulligan, "many.yaml")
    tree = check_safe(many)
    links = [e.attrib["href"][1:] for e in tree.iter("a")]
    ids = {e.attrib["id"] for e in tree.iter() if "id" in e.attrib}
    assert len(links) == 2 and set(links) <= ids, (links, ids)
    check_replay_page(mulligan)
    check_report_page(mulligan)
    print("the pages are sound")


def first_pixel(png):
    """Returns size, color of the corner (PNG filters keep it), number of byte values."""
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert depth == 8 and kind in (2, 6), (depth, kind)
    data = b""
    at = 8
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at:at + 8])
        if name == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += size + 12
    pixels = zlib.decompress(data)
    return width, height, tuple(pixels[1:4]), len(set(pixels))


def render(browser, folder, page_file):
    for size, (width, height) in SIZES.items():
        for scheme, (number, paper) in SCHEMES.items():
            shot = pathlib.Path(folder, f"{size}-{scheme}.png")
            subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu",
                 "--hide-scrollbars", f"--user-data-dir={folder}/profile",
                 f"--blink-settings=preferredColorScheme={number}",
                 f"--window-size={width},{height}",
                 f"--screenshot={shot}", page_file.as_uri()],
                check=True, capture_output=True, timeout=60)
            found = first_pixel(shot.read_bytes())
            what = (page_file.name, size, scheme)
            assert found[:3] == (width, height, paper), (what, found)
            assert found[3] > 64, f"{what} is empty"


def renders(mulligan):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not browser:
        print("skipped: no chromium to render the page with")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        pages = {
            "explain": page(mulligan, "gang.yaml", "--ledger", HERE / "ledger.yaml"),
            "report": report_page(mulligan, folder)}
        for name, html in pages.items():
            file = pathlib.Path(folder, f"{name}.html")
            file.write_text(html, encoding="utf-8")
            render(browser, folder, file)
    print(f"the pages render in {browser}")
    return 0


def main(arguments):
    if len(arguments) != 2 or arguments[0] not in ("sound", "renders"):
        sys.exit(__doc__)
    return {"sound": sound, "renders": renders}[arguments[0]](arguments[1])


sys.exit(main(sys.argv[1:]))
