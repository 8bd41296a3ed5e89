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
  const pre = el("pre", className, ...(/\bcode\b/.test(className) ? coloured(content) : [content]));
  const lines = pre.textContent.split("\n").length;
  if (lines <= LINES && pre.textContent.length < 8000) return [pre];
  pre.classList.add("clamped");
  const more = button(`Show all ${lines.toLocaleString("en")} lines`, () => {
    pre.classList.remove("clamped");
    more.remove();
  }, "unclamp");
  return [pre, more];
}

// An option in a text, such as `--allow`, is never broken at its hyphens.
function withOptions(content) {
  return content.split(/(?<= )(--[a-z][\w-]*)/).map((each, place) => place % 2 ? el("span", "inline", each) : each);
}

// A part of a page: text, style, title, tail, and the parts below it; `files` are the cited ones by citation.
function part([content, style, title, tail, inner], files = {}) {
  if (title) {
    const head = el("h3", "", title[0].toUpperCase() + title.slice(1));
    return [head, ...(content ? block(content, `boxed ${style}`) : []), ...inner.flatMap((each) => part(each, ["claims", "cites"].includes(title) ? files : {}))];
  }
  if (Object.hasOwn(files, content)) {
    const [text, line] = files[content];
    const open = button(content, () => showFile(content, text, line), "file");
    return [el("p", `line ${style}`, open, tail.trim() ? el("span", "more", tail.trim()) : null), ...inner.flatMap((each) => part(each))];
  }
  const more = tail.trim(), [, path, at] = more.match(/^(.+?):(\d+)(?:$|, under | \()/) ?? [];
  if (Object.hasOwn(files, path)) {
    const open = button(more, () => showFile(path, files[path][0], Number(at)), "file");
    return [el("p", `line ${style}`, content, el("span", "more", open))];
  }
  if (!inner.length && content.includes("\n")) return block(content, `boxed ${style}`);
  if (!inner.length) return [el("p", `line ${style}`, ...withOptions(content), more ? el("span", "more", more) : null)];
  const summary = el("summary", "", el("code", "", content), el("span", "more", more));
  const made = fold(`call ${style}`, summary, () => inner.flatMap((each) => part(each)));
  if (style === "red") {
    fillNow(made);
    made.open = true;
  }
  return [made];
}

// ---- A cited file, and what the model saw ------------------------------------------------------------------------
function showDialog(name, ...content) {
  $("shown-name").textContent = name;
  $("shown-text").replaceChildren(...content);
  $("show").showModal();
}

function showFile(path, text, line) {
  const lines = text.split("\n").map((each, place) => {
    return el("span", place + 1 === line ? "row here" : "row", el("span", "at", `${place + 1}`), each, "\n");
  });
  showDialog(line ? `${path}, line ${line}` : path, el("pre", "boxed numbered", ...lines));
  $("shown-text").querySelector(".here")?.scrollIntoView({ block: "center" });
}

// Each request comes with only those messages that the one before it in its role did not have.
async function showRequests(anchor, step) {
  const requests = await (await fetch(`${SOURCE}/${anchor}/requests.json`)).json();
  const messagesOf = new Map();
  const made = [];
  for (const request of requests) {
    const before = messagesOf.get(request.role) ?? [];
    const messages = [...before.slice(0, request.shared), ...request.new_messages];
    messagesOf.set(request.role, messages);
    if (request.step === step) made.push(...shownRequest(request, messages));
  }
  showDialog(`What the model saw in step ${step}`, ...(made.length ? made : [el("p", "", "No model was asked in this step.")]));
  $("shown-text").querySelectorAll("details.new").forEach((each) => { fillNow(each); each.open = true; });
}

function shownRequest({ role, shared }, messages) {
  const head = el("p", "sub", `${role}: ${messages.length} messages, the last ${messages.length - shared} new`);
  const folds = messages.map((message, place) => {
    const size = `${message.text.length.toLocaleString("en")} characters`;
    const summary = el("summary", "", el("code", "", message.role), el("span", "more", size));
    return fold(place < shared ? "call dim" : "call new", summary, () => [el("pre", "boxed", message.text)]);
  });
  return [head, ...folds];
}

function section(page, anchor, trial) {
  const made = el("section", page.mark === "✗" ? "panel step back" : "panel step");
  made.id = `step-${page.n}`;
  made.tabIndex = -1;
  const tools = el("span", "step-tools", link("Link to this step", `#${anchor}/${page.n}`));
  if (page.n) {
    if (SOURCE) tools.append(button("What the model saw", () => showRequests(anchor, page.n)));
    if (trial.fork) tools.append(button("Copy fork command", (from) => copy(`${trial.fork}${page.n}`, from)));
  }
  const head = el("h2", "", page.title[0].toUpperCase() + page.title.slice(1));
  made.append(head, page.figures ? el("p", "figures", page.figures) : "", ...page.parts.filter(([text]) => page.n || text !== trial.question).flatMap((each) => part(each)), tools);
  return made;
}

function scoreChip(score) {
  const kind = score === null ? "sealed" : score >= 1 ? "s5" : score <= 0 ? "s0" : "s2";
  const mark = el("span", "mark", { sealed: "–", s5: "✓", s0: "✗", s2: "◐" }[kind]);
  mark.setAttribute("aria-hidden", "true");
  return el("span", `score ${kind}`, mark, score === null ? "no score" : `score ${score.toFixed(2)}`);
}

function stepLinks(anchor, trial) {
  const nav = el("nav", "steps");
  nav.setAttribute("aria-label", "Steps");
  for (const { n, mark } of trial.pages.slice(0, -1)) {
    const made = link(n ? `${n} ${mark}`.trim() : "initial prompt", `#${anchor}/${n}`, { "✗": "back", "✓": "ok" }[mark] ?? "");
    if (n) made.setAttribute("aria-label", `Step ${n}${{ "✗": ", sent back", "✓": ", accepted" }[mark] ?? ""}`);
    nav.append(made);
  }
  return nav;
}

function trialHead(anchor, trial) {
  const title = el("h1", "", trial.task);
  title.tabIndex = -1;
  const end = trial.pages.at(-1);
  return [
    el("p", "crumbs", link("← all trials", "#"), el("span", "", `run ${trial.run}`), el("span", "", `trial ${trial.trial}`)),
    el("div", "title", title, scoreChip(trial.score)),
    el("div", "ask",
      trial.task === trial.question ? null : el("section", "panel", el("h2", "", "The question"), el("pre", "prose asked", trial.question || "The trial never started.")),
      el("section", "panel", el("h2", "", "The end"), ...end.parts.flatMap((each) => part(each, trial.files)), el("p", "figures", end.figures))),
    ...(trial.left ? [leftFiles(anchor, trial.left)] : [])];
}

// What the trial has left beside the journal. A server gives its files; a page that is a file links to those of this machine.
function leftFiles(anchor, { folder, address, names, output }) {
  const start = SOURCE ? `${SOURCE}/${anchor}/left` : address;
  const links = names.map((name) => el("li", "", link(name, `${start}/${name.split("/").map(encodeURIComponent).join("/")}`)));
  return el("section", "panel",
    el("h2", "", "What the trial has left"),
    ...(output ? [el("p", "sub", "The last lines that its verifier printed"), ...block(output)] : []),
    el("p", "sub", SOURCE ? el("code", "", folder) : link(folder, address)),
    el("ul", "left", ...links));
}

function trialPage(anchor, trial) {
  return [
    el("header", "", ...trialHead(anchor, trial)),
    stepLinks(anchor, trial),
    ...trial.pages.slice(0, -1).map((page) => section(page, anchor, trial)),
  ];
}

// Two trials, a row for each step; the rows before the first difference are folded away.
function pairPage(anchors, trials) {
  const steps = trials.map((trial) => trial.pages.slice(0, -1));
  const count = Math.max(...steps.map((each) => each.length));
  // Times and the trials' own ids differ anyway.
  const told = ([text, style, head, tail, inner]) => [text, style, head, tail.split(" · ")[0], inner.map(told)];
  const texts = steps.map((pages, side) => pages.map(({ parts }) => JSON.stringify(parts.map(told)).replaceAll(trials[side].trial, "")));
  const isSame = (place) => place < Math.min(...texts.map((each) => each.length)) && texts[0][place] === texts[1][place];
  let first = 0;
  while (first < count && isSame(first)) first += 1;
  const row = (place) => el("div", "pair", ...trials.map((trial, side) => {
    const page = steps[side][place];
    if (!page) return el("p", "none", "no such step");
    const made = section(page, anchors[side], trial);
    if (side) made.removeAttribute("id");
    return made;
  }));
  const places = [...Array(count).keys()];
  const same = first ? [fold("call", el("summary", "", el("code", "", first === count ? "All steps are the same" : first === 1 ? "The initial prompt is the same" : `The initial prompt and ${first === 2 ? "the first step" : `${first - 1} steps`} are the same`)), () => places.slice(0, first).map(row))] : [];
  return [
    el("div", "pair", ...trials.map((trial, side) => el("header", "", ...trialHead(anchors[side], trial)))),
    ...same,
    first < count ? el("h2", "", `From here on they differ: ${steps.find((each) => each[first])[first].title}`) : null,
    ...places.slice(first).map(row),
  ].filter(Boolean);
}
