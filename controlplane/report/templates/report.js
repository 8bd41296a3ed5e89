"use strict";
// The texts of the journals reach the document as text alone: elements are made here, never parsed.
(() => {
const $ = (id) => document.getElementById(id);
const KEEP = 60; // unpacked packs of texts that are kept
const LINES = 40; // lines of a text that are shown before it is cut
const MARKS = { pass: "✓ passed", reject: "✗ sent back", not_applicable: "· did not apply", skipped: "- was not asked" };

function el(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((each) => each !== null && each !== undefined && each !== ""));
  return made;
}

// ---- Packed data -------------------------------------------------------------------------------------------------
async function unpacked(id) {
  const bytes = Uint8Array.from(atob($(id).textContent), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

let starts = null;
const packs = new Map();

function packOf(number) {
  let low = 0, high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= number) low = middle; else high = middle - 1;
  }
  return low;
}

function numbersIn(value, found) {
  if (Array.isArray(value)) value.forEach((each) => numbersIn(each, found));
  else if (value && typeof value === "object") {
    for (const [name, each] of Object.entries(value)) if (name !== "n" && name !== "score") numbersIn(each, found);
  } else if (typeof value === "number") found.add(packOf(value));
  return found;
}

async function load(anchor) {
  starts ??= await unpacked("starts");
  const trial = await unpacked(`data-${anchor}`);
  const needed = numbersIn(trial, new Set());
  await Promise.all([...needed].filter((each) => !packs.has(each)).map(async (each) => packs.set(each, await unpacked(`pack-${each}`))));
  for (const each of [...packs.keys()]) if (packs.size > KEEP && !needed.has(each)) packs.delete(each);
  return trial;
}

function text(stored) {
  if (typeof stored !== "number") return stored ?? "";
  const pack = packOf(stored);
  return packs.get(pack)[stored - starts[pack]];
}

// ---- The page of a trial -----------------------------------------------------------------------------------------
const fillers = new WeakMap();

function fold(className, summary, fill) {
  const made = el("details", className, summary);
  fillers.set(made, fill);
  made.addEventListener("toggle", () => made.open && fillNow(made));
  return made;
}

function fillNow(details) {
  const fill = fillers.get(details);
  if (!fill) return;
  fillers.delete(details);
  details.append(...fill());
}

function block(content, className = "boxed") {
  const pre = el("pre", className, content);
  const lines = pre.textContent.split("\n").length;
  if (lines <= LINES && pre.textContent.length < 8000) return [pre];
  pre.classList.add("clamped");
  const more = el("button", "unclamp", `Show all ${lines.toLocaleString("en")} lines`);
  more.type = "button";
  more.addEventListener("click", () => { pre.classList.remove("clamped"); more.remove(); });
  return [pre, more];
}

function coloured(code, marks) {
  const made = document.createDocumentFragment();
  let at = 0;
  for (const [, units, kind] of marks.matchAll(/(\d+)([a-z])/g)) {
    const part = code.slice(at, at += Number(units));
    made.append(kind === "p" ? part : el("span", `p${kind}`, part));
  }
  made.append(code.slice(at));
  return made;
}

function titled(title, ...content) {
  return [el("h3", "", title), ...content];
}

function calls(list, title) {
  if (!list || !list.length) return [];
  return titled(`${list.length} ${list.length === 1 ? "call" : "calls"}${title}`, ...list.map(callFold));
}

function callFold(call) {
  return fold(
    call.failed ? "call failed" : "call",
    el("summary", "", el("code", "", text(call.line)), el("span", "more", call.tail)),
    () => [
      ...(call.arguments === "" ? [] : titled("Arguments", ...block(text(call.arguments)))),
      ...titled(call.failed ? "Failure" : "Result", ...block(text(call.result))),
    ]);
}

function verdict(judged) {
  const by = judged.gates.filter(([, result, , enforced]) => result === "reject" && enforced).map(([label]) => label);
  const head = judged.accepted ? "✓ Accepted" : `✗ Sent back by ${by.join(", ") || "the exit"}`;
  const answer = text(judged.answer);
  const made = el("div", judged.accepted ? "verdict ok" : "verdict",
    el("p", "", el("b", "", head), ` · ${text(judged.outcome)}`), answer ? el("p", "", `Answer: ${answer}`) : null);
  made.append(fold("", el("summary", "", `What each of the ${judged.gates.length} gates and rules said`), () => [
    el("ul", "", ...judged.gates.map(([label, result, reason, enforced]) => {
      const word = el("span", result === "reject" ? "reject" : "", MARKS[result] ?? result);
      const why = text(reason);
      return el("li", "", el("span", enforced ? "" : "off", label), ": ", word, enforced ? "" : " (switched off)", why ? el("pre", "", why) : null);
    })),
  ]));
  return made;
}

function step(data) {
  const made = el("section", "panel step");
  made.id = `step-${data.n}`;
  made.tabIndex = -1;
  made.append(el("h2", "", `Step ${data.n}`));
  if (data.state) made.append(el("p", "lead-state", text(data.state)));
  if (data.plan) made.append(el("ol", "plan", ...data.plan.map((each) => el("li", "", text(each)))));
  made.append(...(data.verdicts ?? []).map(verdict));
  const code = text(data.code);
  if (code) made.append(...titled("Code", ...block(coloured(code, text(data.marks)), "boxed code")));
  if (data.reply !== undefined) made.append(...titled("Reply", ...block(text(data.reply))));
  made.append(...calls(data.calls, ""), ...calls(data.exit, " of the exit"));
  if (data.output !== undefined) made.append(...titled("Output", ...block(text(data.output))));
  if (data.error !== undefined) made.append(...titled("Error", ...block(text(data.error), "boxed failure")));
  if (data.changes) made.append(...titled("Scratchpad", el("ul", "changes", ...data.changes.map((each) => el("li", "", text(each))))));
  for (const each of data.said ?? []) made.append(...titled("What the gates said", ...block(text(each), "boxed failure")));
  made.append(el("p", "figures", data.figures));
  return made;
}

function scoreChip(score) {
  const kind = score === null ? "sealed" : score >= 1 ? "s5" : score <= 0 ? "s0" : "s2";
  const mark = el("span", "mark", { sealed: "–", s5: "✓", s0: "✗", s2: "◐" }[kind]);
  mark.setAttribute("aria-hidden", "true");
  return el("span", `score ${kind}`, mark, score === null ? "score sealed" : `score ${score.toFixed(2)}`);
}

function graderWords(trial) {
  const words = [...(trial.reason === "" ? [] : [trial.reason]), ...trial.grader].map(text);
  if (words.length) return el("ul", "grader", ...words.map((each) => el("li", "", each)));
  const nothing = trial.score === null ? "The score is not known." : trial.score >= 1 ? "✓ The grader found no fault." : "The grader gave no reason.";
  return el("p", "", nothing);
}

function opening(trial) {
  const made = el("section", "panel step");
  made.id = "step-0";
  made.tabIndex = -1;
  const clock = text(trial.clock);
  made.append(el("h2", "", "Turn one"), clock ? el("p", "sub", `The trial's clock says ${clock}`) : "");
  if (!trial.opening) {
    made.append(el("p", "sub", "The journal holds no turn one of this trial."));
    return made;
  }
  const folded = (name, stored) => fold("call", el("summary", "", el("code", "", name), el("span", "more", `${text(stored).length.toLocaleString("en")} characters`)), () => block(text(stored)));
  made.append(folded("system prompt", trial.opening.system), folded("first message", trial.opening.first));
  const read = trial.opening.calls;
  if (read.length) made.append(fold("call", el("summary", "", el("code", "", "calls made for it"), el("span", "more", `${read.length} calls`)), () => read.map(callFold)));
  return made;
}

function stepLinks(anchor, trial) {
  const link = (name, number, className) => {
    const made = el("a", className, name);
    made.href = `#${anchor}/${number}`;
    return made;
  };
  const nav = el("nav", "steps", link("turn one", 0, ""));
  nav.setAttribute("aria-label", "Steps");
  for (const each of trial.steps) {
    const verdicts = each.verdicts ?? [];
    const back = verdicts.some((one) => !one.accepted), ok = verdicts.some((one) => one.accepted);
    const made = link(back ? `${each.n} ✗` : ok ? `${each.n} ✓` : `${each.n}`, each.n, back ? "back" : ok ? "ok" : "");
    made.setAttribute("aria-label", `Step ${each.n}${back ? ", sent back" : ok ? ", accepted" : ""}`);
    nav.append(made);
  }
  return nav;
}

function trialPage(anchor, trial) {
  const home = el("a", "", "← all trials");
  home.href = "#";
  const title = el("h1", "", trial.task);
  title.tabIndex = -1;
  const answer = text(trial.answer);
  const cites = trial.cites.map(([path, why]) => el("li", "", el("code", "", text(path)), " ", el("span", "", text(why))));
  return [
    el("header", "",
      el("p", "crumbs", home, el("span", "", `run ${trial.run}`), el("span", "", `trial ${trial.trial}`)),
      el("div", "title", title, scoreChip(trial.score)),
      el("div", "ask",
        el("section", "panel", el("h2", "", "The question"), el("pre", "prose asked", text(trial.question) || "The trial never started.")),
        el("section", "panel", el("h2", "", "The grader's words"), graderWords(trial)))),
    el("section", "panel", el("h2", "", "The answer"),
      el("p", "sub", [trial.state, text(trial.outcome), trial.figures].filter(Boolean).join(" · ")),
      ...(answer ? block(answer) : [el("p", "", "There is none.")]),
      cites.length ? el("ul", "cites", ...cites) : null),
    stepLinks(anchor, trial),
    opening(trial),
    ...trial.steps.map(step),
  ];
}

// ---- Where the reader is -----------------------------------------------------------------------------------------
let shown = ""; // the anchor of the trial that is shown
let summaryScroll = 0;
const title = document.title;

async function route() {
  const [, anchor, number] = location.hash.match(/^#(trial-\d+-\d+)(?:\/(\d+))?$/) ?? [];
  if (!anchor || !$(`data-${anchor}`)) {
    showSummary();
    return;
  }
  if (anchor !== shown) {
    if (!shown) summaryScroll = scrollY;
    let trial;
    try {
      trial = await load(anchor);
    } catch (error) {
      $("trial").replaceChildren(el("p", "note", typeof DecompressionStream === "undefined"
        ? "This browser is too old to unpack the trials: Chromium 80, Firefox 113 and Safari 16.4 can."
        : `This trial cannot be unpacked: ${error}`));
      reveal(anchor);
      return;
    }
    if (!location.hash.startsWith(`#${anchor}`)) return; // the reader went on meanwhile
    $("trial").replaceChildren(...trialPage(anchor, trial));
    document.title = `${trial.task} · ${title}`;
    reveal(anchor);
    if (number === undefined) $("trial").querySelector("h1").focus({ preventScroll: true });
  }
  if (number !== undefined) goTo($(`step-${number}`));
}

function reveal(anchor) {
  shown = anchor;
  $("summary").hidden = true;
  $("trial").hidden = false;
  scrollTo({ top: 0, behavior: "instant" });
}

function showSummary() {
  if (!shown) return;
  const back = rows.find((row) => row.querySelector("a").hash === `#${shown}`);
  shown = "";
  $("trial").hidden = true;
  $("trial").replaceChildren();
  $("summary").hidden = false;
  document.title = title;
  const section = $(location.hash.slice(1));
  if (section) {
    section.scrollIntoView();
    return;
  }
  back?.querySelector("a").focus({ preventScroll: true });
  scrollTo({ top: summaryScroll, behavior: "instant" });
}

function goTo(target) {
  if (!target) return;
  target.scrollIntoView({ block: "start" });
  target.focus({ preventScroll: true });
}

// ---- The table of trials -----------------------------------------------------------------------------------------
const body = document.querySelector(".trials tbody");
const rows = [...body.rows];
const order = new Map(rows.map((row, place) => [row, place]));
const words = new Map(rows.map((row) => [row, `${row.textContent} ${row.dataset.find}`.toLowerCase()]));
const heads = [...document.querySelectorAll(".trials th[data-key]")];
const column = Object.fromEntries(heads.map((head, place) => [head.dataset.key, place]));

function visible() {
  return [...body.rows].filter((row) => !row.hidden);
}

function update() {
  const wanted = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = $("filter").value, run = $("run")?.value ?? "";
  for (const row of rows) {
    row.hidden = !((kind === "all" || row.dataset.is.split(" ").includes(kind))
      && (run === "" || row.dataset.run === run) && wanted.every((each) => words.get(row).includes(each)));
  }
  const count = rows.filter((row) => !row.hidden).length;
  $("shown").textContent = `${count} of ${rows.length} trials`;
  $("nothing").hidden = count > 0;
}

function sort() {
  const key = $("sort").value, down = $("descending").checked;
  const place = column[key];
  const value = (row) => row.cells[place].dataset.v;
  const isNumber = key !== "task" && key !== "outcome";
  const compare = (a, b) => key === "" ? 0 : isNumber ? value(a) - value(b) : value(a).localeCompare(value(b), "en", { numeric: true });
  const sorted = [...rows].sort((a, b) => (down ? -1 : 1) * (compare(a, b) || (key === "" ? order.get(a) - order.get(b) : 0)) || order.get(a) - order.get(b));
  body.append(...sorted);
  for (const head of heads) {
    if (head.dataset.key === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

for (const head of heads) {
  const button = el("button", "", head.textContent);
  button.type = "button";
  head.replaceChildren(button);
  button.addEventListener("click", () => {
    $("descending").checked = $("sort").value === head.dataset.key ? !$("descending").checked : head.classList.contains("num") && head.dataset.key !== "score";
    $("sort").value = head.dataset.key;
    sort();
  });
}
document.querySelectorAll("[data-control]").forEach((each) => { each.hidden = false; });
document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
for (const id of ["search", "filter", "run"]) $(id)?.addEventListener("input", update);
for (const id of ["sort", "descending"]) $(id).addEventListener("input", sort);
$("clear").addEventListener("click", () => {
  $("search").value = "";
  $("filter").value = "all";
  if ($("run")) $("run").value = "";
  update();
  $("search").focus();
});
$("only-blinking")?.addEventListener("input", (event) => {
  for (const row of $("map").tBodies[0].rows) row.hidden = event.target.checked && !row.classList.contains("blinks");
});

// ---- Keys --------------------------------------------------------------------------------------------------------
function nextStep(by) {
  const steps = [...$("trial").querySelectorAll(".step")];
  const top = 130; // below the bar and the links to the steps
  const at = by > 0 ? steps.find((each) => each.getBoundingClientRect().top > top) : steps.findLast((each) => each.getBoundingClientRect().top < top - 60);
  const focused = steps.indexOf(document.activeElement);
  goTo(focused >= 0 ? steps[focused + by] : at);
}

function nextTrial(by) {
  const links = visible().map((row) => row.querySelector("a"));
  if (shown) {
    const at = links.findIndex((each) => each.hash === `#${shown}`);
    const found = links[at + by] && at >= 0 ? links[at + by] : at < 0 ? links[0] : null;
    if (found) location.hash = found.hash;
    else $("said").textContent = by > 0 ? "This is the last trial." : "This is the first trial.";
    return;
  }
  const found = links[links.indexOf(document.activeElement) + by] ?? links[by > 0 ? 0 : links.length - 1];
  found?.focus();
  found?.scrollIntoView({ block: "nearest" });
}

function nextRejection() {
  const found = [...$("trial").querySelectorAll(".verdict:not(.ok)")];
  const steps = [...new Set(found.map((each) => each.closest(".step")))];
  const from = document.activeElement.closest?.(".step");
  goTo(steps.find((each) => !from || from.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) ?? steps[0]);
}

function unfold(selector) {
  const opened = [];
  // What is unfolded can hold what is folded.
  for (let found; (found = [...document.querySelectorAll(selector)].filter((each) => !each.open)).length;) {
    for (const each of found) {
      fillNow(each);
      each.open = true;
    }
    opened.push(...found);
  }
  return opened;
}

function foldAll() {
  const selector = shown ? "#trial details" : "#summary .group";
  if (!unfold(selector).length) for (const each of document.querySelectorAll(selector)) each.open = false;
}

const KEYS = {
  n: () => shown ? nextStep(1) : nextTrial(1),
  p: () => shown ? nextStep(-1) : nextTrial(-1),
  t: () => nextTrial(1),
  T: () => nextTrial(-1),
  r: () => shown && nextRejection(),
  f: foldAll,
  u: () => { if (shown) location.hash = ""; },
  Escape: () => { if (shown) location.hash = ""; },
  "/": () => { if (shown) location.hash = ""; showSummary(); $("search").focus(); $("search").scrollIntoView({ block: "center" }); },
  "?": () => $("help").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open || !$("keys-on").checked) return;
  if (event.target.matches("input:not([type=checkbox]), select, textarea")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  if (!Object.hasOwn(KEYS, event.key)) return;
  event.preventDefault();
  KEYS[event.key]();
});

// ---- Theme, help, printing ---------------------------------------------------------------------------------------
const THEMES = ["automatic", "dark", "light"];
$("theme").addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ?? "automatic";
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  if (next === "automatic") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  $("theme").textContent = `Theme: ${next}`;
});
$("keys").addEventListener("click", () => $("help").showModal());
$("help-close").addEventListener("click", () => $("help").close());
$("theme").hidden = $("keys").hidden = false;
document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); $("main").focus(); });

let folded = [];
addEventListener("beforeprint", () => { folded = unfold(shown ? "#trial details" : "#summary details"); });
addEventListener("afterprint", () => { for (const each of folded) each.open = false; });

addEventListener("hashchange", route);
update();
document.documentElement.dataset.ready = "";
addEventListener("DOMContentLoaded", route); // the data of the trials stands behind this script
})();
