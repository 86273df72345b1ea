#!/usr/bin/env python3
"""Uses `mulligan playground` in Chromium.

Usage: check_desk.py MULLIGAN [PICTURES]

PICTURES is a folder for screenshots, at three widths, light and dark.
Exits with 77 without chromium or chromedriver.
"""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile

import webdriver

HERE = pathlib.Path(__file__).parent
HOSTILE = HERE.parent / "page/hostile.json"
SITUATIONS = HERE.parents[1] / "testdata/situations.jsonl"
SKIPPED = 77
SIZES = {"phone": (390, 844), "laptop": (1200, 900), "wide": (1760, 1000)}
PAPER = {"light": "rgb(247, 246, 243)", "dark": "rgb(19, 23, 27)"}
POLICY = """apiVersion: mulligan.dev/v1
kind: RetryPolicy
metadata: {name: mine}
spec:
  budgets:
    memory: {limit: 1}
  rules:
    - name: grow
      when: {causes: [CONTAINER_OOM]}
      then: {action: RETRY, budget: memory, resources: {memoryFactor: 2}}
  default: {action: FAIL}
"""
SET = """
  const area = document.getElementById(arguments[0]);
  area.value = arguments[1];
  area.dispatchEvent(new Event("input", {bubbles: true}));"""


def set_text(browser, area, text):
    browser.run(SET, area, text)


def verdict_is(browser, text):
    browser.wait("document.getElementById('verdict').textContent.startsWith(arguments[0])"
                 " && !document.querySelector('#answer[aria-busy]')", text)


def a_mistake_is_shown_at_its_line(browser):
    set_text(browser, "policy-text", POLICY.replace("RETRY,", "RETRYY,"))
    verdict_is(browser, "The policy has errors")
    line = POLICY[:POLICY.index("RETRY,")].count("\n") + 1
    marked = browser.run("return [...document.querySelectorAll('#policy .gutter .error')]"
                         ".map(row => [row.textContent, row.title])")
    assert [mark[0].split() for mark in marked] == [["✕", str(line)]], marked
    assert "RETRYY" in marked[0][1], marked
    issue = browser.text("#issues li")
    assert issue.startswith(f"Line {line} error:") and "RETRYY" in issue, issue
    # Its button selects the place.
    browser.click("#issues button")
    chosen = browser.run("""const area = document.activeElement;
        return area.value.slice(area.selectionStart, area.selectionEnd)""")
    assert "RETRYY" in chosen, chosen


def a_corrected_policy_changes_the_verdict(browser):
    set_text(browser, "policy-text", POLICY)
    verdict_is(browser, "RETRY the pod")
    assert "mine/grow" in browser.text("#rule")
    assert browser.run("return document.querySelector('#policy .decided').textContent"
                       ).split() == ["▸", "8"]
    grow = POLICY[POLICY.index("then: {"):POLICY.index("  default")]
    set_text(browser, "policy-text", POLICY.replace(grow, "then: {action: FAIL}\n"))
    verdict_is(browser, "FAIL")
    set_text(browser, "policy-text", POLICY)
    verdict_is(browser, "RETRY the pod")


def typing_keeps_indentation(browser):
    browser.run("""const area = document.getElementById('policy-text'); area.focus();
        area.setSelectionRange(area.value.length - 1, area.value.length - 1)""")
    browser.type("#policy-text", "\ue007# mine")  # Enter
    assert browser.run("return document.getElementById('policy-text').value"
                       ).endswith("  default: {action: FAIL}\n  # mine\n")
    verdict_is(browser, "RETRY the pod")


def tab_leaves_the_editor(browser):
    """Tab moves from the editor to its issues."""
    set_text(browser, "policy-text", POLICY + "unknown: 1\n")
    verdict_is(browser, "The policy has errors")
    browser.type("#policy-text", "\ue004")
    assert browser.run("return document.activeElement.closest('#issues') !== null")
    set_text(browser, "policy-text", POLICY)
    verdict_is(browser, "RETRY the pod")


def the_last_answer_wins(browser):
    """Answers arrive in another order than the requests."""
    browser.run("""
        const real = window.fetch;
        window.held = [];
        window.fetch = async (page, options) => {
          if (page !== "try") return real(page, options);
          const answer = await real(page, {...options, signal: undefined});
          await new Promise((go) => window.held.push(go));
          return answer;
        };
        window.mend = () => { window.fetch = real; };""")
    set_text(browser, "policy-text", "nonsense")
    browser.wait("window.held.length === 1")
    set_text(browser, "policy-text", POLICY)
    browser.wait("window.held.length === 2")
    browser.run("window.held[1]()")
    verdict_is(browser, "RETRY the pod")
    seen = browser.run("""const done = document.getElementById('verdict').textContent;
        window.held[0](); window.mend(); return done""")
    # Once a later request is answered, the held answer has been processed.
    set_text(browser, "policy-text", POLICY + "\n")
    verdict_is(browser, seen)
    assert browser.run("return document.querySelectorAll('#issues li').length") == 0


def failures_repeat_until_the_budget_is_spent(browser):
    set_text(browser, "times", "3")
    verdict_is(browser, "FAIL")
    rows = browser.run("return document.querySelectorAll('#story .attempts tbody tr').length")
    assert rows == 3, rows


def a_case_is_kept_downloaded_and_passes(browser, mulligan):
    browser.type("#case-name", "memory doubles once <b>")
    browser.click("#keep")
    browser.wait("document.querySelector('#suite-results .good')")
    assert "1 case, 0 failed; 1 of 2 rules decided" in browser.text("#suite-note"), \
        browser.text("#suite-note")
    assert browser.text("#suite-results .good") == "ok memory doubles once <b>"
    names = ("policy.yaml", "policy_test.yaml")
    for button, name in zip(("#download-policy", "#download-suite"), names):
        browser.click(button)
        wait_for_file(browser, name)
    result = subprocess.run([mulligan, "policy", "test", browser.downloads / names[1]],
                            capture_output=True, text=True)
    assert result.returncode == 0 and "1 passed, 0 failed" in result.stdout, result
    # Typing in the policy updates the suite.
    set_text(browser, "policy-text", POLICY.replace("limit: 1", "limit: 5"))
    browser.wait("document.querySelector('#suite-results .error')")
    set_text(browser, "policy-text", POLICY)
    browser.wait("document.querySelector('#suite-results .good')")


def a_suite_keeps_its_comments(browser):
    text = browser.run("return document.getElementById('suite-text').value")
    set_text(browser, "suite-text", "# Ours.\n" + text)
    browser.click("#keep")
    browser.wait("document.querySelectorAll('#suite-results .good').length === 2")
    kept = browser.run("return document.getElementById('suite-text').value")
    assert kept.startswith("# Ours.\n" + text.rstrip("\n")), kept
    set_text(browser, "suite-text", text)
    browser.wait("document.querySelectorAll('#suite-results .good').length === 1")


def wait_for_file(browser, name):
    """Waits for Chromium to rename the finished download."""
    for _ in range(2000):
        if (browser.downloads / name).exists():
            return
        browser.wait("true")
    raise AssertionError(f"{name} was not downloaded")


def a_hostile_name_runs_nothing(browser):
    hostile = json.loads(HOSTILE.read_text())
    text = json.dumps(hostile)
    evil = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
    text = text.replace('"name": "', '"name": "' + evil.replace('"', ""), 1)
    set_text(browser, "times", "1")
    set_text(browser, "failure-text", text)
    browser.wait("document.querySelector('#story').textContent.includes('onerror')")
    browser.click("#keep")
    browser.wait("document.querySelectorAll('#suite-results li').length === 2")
    made = browser.run("""return [window.hacked === undefined,
        document.querySelectorAll('#story script, #story img, main script, main img').length,
        [...document.querySelectorAll('main *')].filter(e => [...e.attributes].some(
          a => a.name.startsWith('on'))).length]""")
    assert made == [True, 0, 0], made
    # If escaping failed: no HTML without the page's function, no script.
    blocked = browser.run("""try { document.body.insertAdjacentHTML('beforeend', arguments[0]) }
        catch (error) { return error.name }""", evil)
    assert blocked == "TypeError", blocked


def a_log_is_compared(browser, mulligan, folder):
    asked = "".join(
        json.dumps({"report": json.loads(line)["report"]}) + "\n"
        for line in SITUATIONS.read_text().splitlines()[:500])
    answers = subprocess.run([mulligan, "explain", "--requests", "-"], input=asked,
                             check=True, capture_output=True, text=True).stdout
    log = pathlib.Path(folder, "log.jsonl")
    with log.open("w") as file:
        for request, answer in zip(asked.splitlines(), answers.splitlines(), strict=True):
            file.write(json.dumps({"request": json.loads(request),
                                   "response": json.loads(answer)}) + "\n")
    browser.type("#log-file", str(log))
    browser.wait("/of 500 decisions in .* would change/.test("
                 "document.getElementById('log-note').textContent)")
    changed = int(browser.text("#log-note").split()[0])
    policy = pathlib.Path(folder, "mine.yaml")
    policy.write_text(POLICY)
    replayed = json.loads(subprocess.run(
        [mulligan, "replay", log, "--policy", policy, "-o", "json"],
        check=True, capture_output=True, text=True).stdout)
    assert changed == sum(replayed["all"]["changes"].values()) > 0, (changed, replayed["all"])
    browser.click("#examples button")
    browser.wait("document.getElementById('failure-text').value.startsWith('request:')"
                 " && document.querySelector('#story h1')")


def it_fits(browser, pictures):
    set_text(browser, "failure-text", "")
    browser.run("""const menu = document.getElementById('situation');
        menu.value = [...menu.options].find(o => o.text.includes('its peers')).value;
        menu.dispatchEvent(new Event('change'))""")
    browser.wait("document.querySelector('#story svg')")
    for size, (width, height) in SIZES.items():
        for scheme, paper in PAPER.items():
            browser.look(width, height, scheme)
            browser.wait("innerWidth === arguments[0]", width)
            seen = browser.run("""window.scrollTo(0, 0);
                return [document.documentElement.scrollWidth,
                        getComputedStyle(document.body).backgroundColor]""")
            assert seen == [width, paper], (size, scheme, seen)
            assert len(browser.picture(pathlib.Path(pictures, f"{size}-{scheme}.png"))) > 9999


def everything_has_a_name(browser):
    nameless = browser.run("""return [...document.querySelectorAll(
        'main textarea, main select, main input, main button')].filter(e => !(
          e.labels && e.labels.length || e.ariaLabel || e.textContent.trim())).map(e => e.id)""")
    assert not nameless, nameless


def check(mulligan, pictures):
    with tempfile.TemporaryDirectory() as folder:
        desk = subprocess.Popen([mulligan, "playground"], stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)
        try:
            address = desk.stdout.readline().strip()
            with webdriver.Browser(pathlib.Path(folder)) as browser:
                browser.open(address)
                verdict_is(browser, "RETRY the pod")
                a_mistake_is_shown_at_its_line(browser)
                a_corrected_policy_changes_the_verdict(browser)
                typing_keeps_indentation(browser)
                tab_leaves_the_editor(browser)
                the_last_answer_wins(browser)
                failures_repeat_until_the_budget_is_spent(browser)
                a_case_is_kept_downloaded_and_passes(browser, mulligan)
                a_suite_keeps_its_comments(browser)
                everything_has_a_name(browser)
                assert not browser.log(), browser.log()
                a_hostile_name_runs_nothing(browser)
                a_log_is_compared(browser, mulligan, folder)
                it_fits(browser, pictures or folder)
        finally:
            desk.send_signal(signal.SIGTERM)
            assert desk.wait() == 0, desk.returncode
    print("the playground works in a browser")


def main(arguments):
    if not 1 <= len(arguments) <= 2:
        sys.exit(__doc__)
    lacking = webdriver.missing()
    if lacking:
        print(f"skipped: no {lacking} to use the playground with")
        return SKIPPED
    check(pathlib.Path(arguments[0]), arguments[1] if len(arguments) > 1 else None)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
