"use strict";
// Sets text as textContent. HTML comes escaped from the server; only one function,
// which the Content-Security-Policy allows, sets it.
const byId = (id) => document.getElementById(id);
const html = window.trustedTypes
  ? window.trustedTypes.createPolicy("desk", { createHTML: (text) => text })
  : { createHTML: (text) => text };
const put = (element, text) => { element.innerHTML = html.createHTML(text); };

const TYPING_MS = 150;
const AGAIN_MS = 300;

async function ask(page, body, signal) {
  const answer = await fetch(page, {
    method: "POST", signal, headers: { "Content-Type": "application/json" },
    body: typeof body === "string" || body instanceof Blob
      ? body : JSON.stringify(body) });
  const json = await answer.json();
  if (answer.ok) return json;
  throw Object.assign(new Error(json.error), { status: answer.status });
}

// One kind of question, repeated while the user types. Shows only the answer to the
// newest question, regardless of the order of answers.
class Live {
  constructor(page, busy, question, show) {
    Object.assign(this, { page, busy, question, show, newest: 0 });
  }

  soon(after = TYPING_MS) {
    this.newest += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.run(), after);
  }

  async run() {
    const number = this.newest;
    if (this.running) this.running.abort();
    this.running = new AbortController();
    const question = this.question();
    if (question === null) return;
    this.busy.setAttribute("aria-busy", "true");
    try {
      const answer = await ask(this.page, question, this.running.signal);
      if (number !== this.newest) return;
      this.show(answer);
    } catch (error) {
      if (number !== this.newest || error.name === "AbortError") return;
      if (error.status === 503) return this.soon(AGAIN_MS);
      this.show({ error: error.status ? error.message
        : "The playground does not answer: was it stopped?" });
    }
    this.busy.removeAttribute("aria-busy");
  }
}

// A text editor with line numbers, marks on them, and automatic indentation.
class Editor {
  constructor(frame, onInput) {
    this.gutter = frame.querySelector(".gutter");
    this.area = frame.querySelector("textarea");
    this.marks = new Map();
    this.lines = 0;
    this.area.addEventListener("input", () => { this.draw(); onInput(); });
    this.area.addEventListener("scroll", () => {
      this.gutter.scrollTop = this.area.scrollTop;
    });
    this.area.addEventListener("keydown", (event) => this.indent(event));
  }

  get text() { return this.area.value; }
  set text(text) { this.area.value = text; this.draw(); }

  indent(event) {
    if (event.key !== "Enter" || event.isComposing || event.ctrlKey) return;
    const before = this.area.value.slice(0, this.area.selectionStart);
    const spaces = before.slice(before.lastIndexOf("\n") + 1).match(/^ */)[0];
    if (spaces === "") return;
    event.preventDefault();
    document.execCommand("insertText", false, "\n" + spaces);
  }

  // `marks`: line to [class, sign, message].
  mark(marks) { this.marks = marks; this.lines = 0; this.draw(); }

  draw() {
    const lines = this.area.value.split("\n").length;
    if (lines === this.lines) return;
    this.lines = lines;
    const rows = document.createDocumentFragment();
    for (let line = 1; line <= lines; line += 1) {
      const row = document.createElement("div");
      const [style, sign, title] = this.marks.get(line) || ["", " ", ""];
      row.className = style;
      row.textContent = sign + String(line).padStart(3);
      if (title) row.title = title;
      rows.append(row);
    }
    // The height of the horizontal scroll bar below the text.
    const rest = document.createElement("div");
    rest.textContent = " \n ";
    rows.append(rest);
    this.gutter.replaceChildren(rows);
    this.gutter.scrollTop = this.area.scrollTop;
  }

  show(line) {
    const lines = this.area.value.split("\n");
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(start, start + (lines[line - 1] || "").length);
    this.reveal(line);
  }

  reveal(line) {
    const lines = this.area.value.split("\n");
    const height = this.area.scrollHeight / lines.length;
    this.area.scrollTop = Math.max(0, (line - 4) * height);
  }
}

// The texts of the policies on the page by file, and the original texts.
const files = new Map();
const began = new Map();
let shownFile = "";
let situations = [];
let hasLog = false;
let suiteFiles = [];
let decided = null;
// Scrolls to the rule that decides, unless the user is typing.
let reveals = true;

const policies = () =>
  [...files].map(([file, text]) => ({ file, text }));
const question = () => ({
  policies: policies(), failure: byId("failure-text").value,
  workload: byId("workload").value, times: times(),
  apartSeconds: Number(byId("apart").value) });
const times = () =>
  Math.min(20, Math.max(1, Math.trunc(Number(byId("times").value)) || 1));

function item(list, style, text, line, show) {
  const entry = document.createElement("li");
  entry.className = style;
  if (show) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "link";
    button.textContent = line;
    button.addEventListener("click", show);
    entry.append(button, " ");
  }
  entry.append(text);
  list.append(entry);
  return entry;
}

function showIssues(issues) {
  const list = byId("issues");
  list.replaceChildren();
  const marks = new Map();
  if (decided && decided.file === shownFile && decided.line > 0) {
    marks.set(decided.line, ["decided", "▸", "the rule that decided"]);
  }
  for (const { file, line, severity, message } of issues) {
    item(list, severity, `${severity}: ${message}`,
      files.size > 1 ? `${file}:${line}` : `Line ${line}`,
      () => { openFile(file); editor.show(line); });
    const error = severity === "error";
    if (file === shownFile && (error || marks.get(line)?.[0] !== "error")) {
      marks.set(line, [severity, error ? "✕" : "!", message]);
    }
  }
  editor.mark(marks);
}

function showTried(answer) {
  const story = answer.story;
  decided = story ? story.rule : answer.valid ? null : decided;
  byId("failure-error").textContent = answer.failureError || "";
  const verdict = byId("verdict");
  verdict.className = story ? story.class : answer.valid ? "" : "fail";
  verdict.textContent = answer.error ? answer.error
    : !answer.valid ? "The policy has errors"
      : story ? story.verdict || story.headline
        : answer.failureError ? "The failure cannot be read" : "Nothing failed yet";
  const native = story && story.native ? `  ·  ${story.native}` : "";
  byId("price").textContent = story ? story.price + native : "";
  showRule(story ? story.rule : null);
  showIssues(answer.issues || []);
  byId("answer-note").textContent = !answer.valid
    ? "The answer below is from the policy before the error."
    : story && story.rule.file === "<embedded>"
      ? "No selector of these policies fits this workload, so the embedded " +
        "policy decided." : "";
  if (!answer.valid) return;
  if (reveals && story && story.rule.line > 0 && files.has(story.rule.file)) {
    openFile(story.rule.file);
    editor.reveal(story.rule.line);
  }
  reveals = false;
  put(byId("story"), story ? story.html : "");
  showWorkloads(story);
}

function showRule(rule) {
  const button = byId("rule");
  button.hidden = !rule || !rule.policy;
  if (button.hidden) return;
  button.textContent = rule.rule ? `rule ${rule.policy}/${rule.rule}`
    : `policy ${rule.policy}`;
  button.disabled = !files.has(rule.file) || rule.line === 0;
}

function showWorkloads(story) {
  const choices = story ? story.choices : [];
  byId("workload-label").hidden = choices.length === 0;
  byId("workload").replaceChildren(...choices.map(({ label, verdict }) =>
    new Option(`${label}: ${verdict}`, label, false, label === story.workload)));
}

function showSuites(answer) {
  if (answer.error) byId("suite-note").textContent = answer.error;
  if (!answer.valid) return;
  const results = byId("suite-results");
  results.replaceChildren();
  let failed = 0;
  let cases = 0;
  const marks = new Map();
  for (const suite of answer.suites) {
    const title = document.createElement("h3");
    title.className = "file";
    title.textContent = suite.file;
    const list = document.createElement("ul");
    list.className = "issues";
    for (const { line, severity, message } of suite.issues) {
      item(list, severity, `line ${line}: ${message}`);
      if (isPageSuite(suite)) marks.set(line, [severity, "✕", message]);
    }
    for (const { name, line, failures } of suite.cases) {
      cases += 1;
      if (failures.length > 0) failed += 1;
      const entry = item(list, failures.length ? "error" : "good",
        `${failures.length ? "FAIL" : "ok"}  ${name}`);
      for (const failure of failures) {
        const row = document.createElement("div");
        row.className = "soft";
        row.textContent = failure;
        entry.append(row);
      }
      if (failures.length && isPageSuite(suite)) {
        marks.set(line, ["error", "✕", failures[0]]);
      }
    }
    results.append(title, list);
  }
  suiteEditor.mark(marks);
  const { rules, decided: used } = answer.coverage;
  byId("suite-note").textContent = answer.suites.length === 0
    ? "No case yet: choose a failure, look at its answer, keep it."
    : `${cases} ${cases === 1 ? "case" : "cases"}, ${failed} failed; ` +
      `${used} of ${rules} rules decided.`;
}

const isPageSuite = (suite) => !suiteFiles.includes(suite.file);

function showCompared(answer) {
  const note = byId("log-note");
  if (answer.error) note.textContent = answer.error;
  if (!answer.valid) return;
  note.textContent = `${answer.changed} of ${answer.decisions} decisions in ` +
    `${answer.log} would change.` +
    (answer.unreadable ? ` ${answer.unreadable} of its lines are not decisions, ` +
      `the first: ${answer.firstUnreadable}.` : "") +
    (answer.left ? ` ${answer.left} more were skipped for lack of time.` : "") +
    (answer.cut ? " The log has more, which were not read." : "");
  const list = byId("examples");
  list.replaceChildren();
  for (const { line, workload, change } of answer.examples) {
    item(list, "", change, workload || `line ${line}`, async () => {
      setFailure((await ask("record", { line })).failure);
      byId("failure").scrollIntoView();
    });
  }
  byId("log-more").hidden = false;
  put(byId("log-story"), answer.html);
}

const tried = new Live("try", byId("answer"), question, showTried);
const suites = new Live("suite", byId("suite"),
  () => ({ policies: policies(), suite: suiteEditor.text }), showSuites);
const compared = new Live("compare", byId("log"),
  () => (hasLog ? { policies: policies() } : null), showCompared);
const editor = new Editor(byId("policy-editor"), () => {
  files.set(shownFile, editor.text);
  policyChanged();
});
const suiteEditor = new Editor(byId("suite-editor"), suiteChanged);

function policyChanged() { tried.soon(); suites.soon(); compared.soon(); }
function suiteChanged() {
  byId("download-suite").disabled = suiteEditor.text.trim() === "";
  suites.soon();
}

function openFile(file) {
  if (!files.has(file) || file === shownFile) return;
  shownFile = file;
  byId("file").value = file;
  editor.text = files.get(file);
  tried.soon(0);
}

function setFailure(text) {
  byId("failure-text").value = text;
  byId("workload").replaceChildren();
  reveals = true;
  tried.soon(0);
}

function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/yaml" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Suites are named after their policy.
const suiteName = () =>
  shownFile.replace(/\.ya?ml$/, "").replace(/_test$/, "") + "_test.yaml";

async function keep() {
  try {
    const answer = await ask("keep", { ...question(), suite: suiteEditor.text,
      caseName: byId("case-name").value.trim() });
    if (!answer.valid) throw new Error("The policy has errors.");
    suiteEditor.text = answer.suite;
    byId("case-name").value = "";
    suiteChanged();
  } catch (error) {
    byId("suite-note").textContent = error.message;
  }
}

async function takeLog(file) {
  const note = byId("log-note");
  try {
    const { records } = await ask("log", file);
    note.textContent = `${records} lines were read.`;
    hasLog = true;
    compared.soon(0);
  } catch (error) {
    note.textContent = error.message;
  }
}

function listen() {
  byId("situation").addEventListener("change", (event) => {
    const chosen = situations[event.target.value];
    if (chosen) setFailure(chosen.failure);
  });
  byId("failure-text").addEventListener("input", () => {
    byId("situation").value = "";
    tried.soon();
  });
  for (const id of ["times", "apart", "workload"]) {
    byId(id).addEventListener("input", () => tried.soon());
  }
  byId("file").addEventListener("change", (event) => openFile(event.target.value));
  byId("rule").addEventListener("click", () => {
    openFile(decided.file);
    editor.show(decided.line);
  });
  byId("download-policy").addEventListener("click",
    () => download(shownFile, editor.text));
  byId("reset-policy").addEventListener("click", () => {
    if (editor.text !== began.get(shownFile) &&
        !confirm(`Discard your changes in ${shownFile}?`)) return;
    editor.text = began.get(shownFile);
    files.set(shownFile, editor.text);
    policyChanged();
  });
  byId("keep").addEventListener("click", keep);
  byId("download-suite").addEventListener("click",
    () => download(suiteName(), suiteEditor.text));
  const drop = byId("drop");
  byId("log-file").addEventListener("change", (event) => {
    if (event.target.files[0]) takeLog(event.target.files[0]);
  });
  drop.addEventListener("dragover", (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    if (event.dataTransfer.files[0]) takeLog(event.dataTransfer.files[0]);
  });
}

function fillMenu() {
  const menu = byId("situation");
  menu.append(new Option("(your own)", ""));
  const groups = new Map();
  situations.forEach(({ group, title }, number) => {
    if (!groups.has(group)) {
      const element = document.createElement("optgroup");
      element.label = group;
      groups.set(group, element);
      menu.append(element);
    }
    groups.get(group).append(new Option(title, number));
  });
}

async function start() {
  const begin = await (await fetch("start")).json();
  for (const { file, text } of begin.policies) {
    files.set(file, text);
    began.set(file, text);
  }
  byId("file").replaceChildren(...[...files.keys()].map((file) => new Option(file)));
  byId("file-label").hidden = files.size < 2;
  situations = begin.situations;
  suiteFiles = begin.suites;
  hasLog = Boolean(begin.log);
  fillMenu();
  listen();
  byId("situation").value = "0";
  byId("failure-text").value = situations[0].failure;
  openFile(begin.policies[0].file);
  policyChanged();
}

// Warns before leaving, because the text is stored nowhere else.
window.addEventListener("beforeunload", (event) => {
  const changed = [...files].some(([file, text]) => text !== began.get(file));
  if (changed || suiteEditor.text.trim() !== "") event.preventDefault();
});

start();
