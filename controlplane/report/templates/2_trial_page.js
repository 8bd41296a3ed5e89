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

// A part of a page: text, style, title, tail, and the parts below it.
function part([content, style, title, tail, inner]) {
  if (title) {
    const head = el("h3", "", title[0].toUpperCase() + title.slice(1));
    return [head, ...(content ? block(content, `boxed ${style}`) : []), ...inner.flatMap(part)];
  }
  const more = tail.trim();
  if (!inner.length && content.includes("\n")) return block(content, `boxed ${style}`);
  if (!inner.length) return [el("p", `line ${style}`, content, more ? el("span", "more", more) : null)];
  const summary = el("summary", "", el("code", "", content), el("span", "more", more));
  const made = fold(`call ${style}`, summary, () => inner.flatMap(part));
  if (style === "red") {
    fillNow(made);
    made.open = true;
  }
  return [made];
}

function section(page) {
  const made = el("section", page.mark === "✗" ? "panel step back" : "panel step");
  made.id = `step-${page.n}`;
  made.tabIndex = -1;
  made.append(el("h2", "", page.title[0].toUpperCase() + page.title.slice(1)), ...page.parts.flatMap(part));
  if (page.figures) made.append(el("p", "figures", page.figures));
  return made;
}

function scoreChip(score) {
  const kind = score === null ? "sealed" : score >= 1 ? "s5" : score <= 0 ? "s0" : "s2";
  const mark = el("span", "mark", { sealed: "–", s5: "✓", s0: "✗", s2: "◐" }[kind]);
  mark.setAttribute("aria-hidden", "true");
  return el("span", `score ${kind}`, mark, score === null ? "score sealed" : `score ${score.toFixed(2)}`);
}

function stepLinks(anchor, trial) {
  const link = (name, number, className) => {
    const made = el("a", className, name);
    made.href = `#${anchor}/${number}`;
    return made;
  };
  const nav = el("nav", "steps");
  nav.setAttribute("aria-label", "Steps");
  for (const { n, mark } of trial.pages.slice(0, -1)) {
    const made = link(n ? `${n} ${mark}`.trim() : "turn one", n, { "✗": "back", "✓": "ok" }[mark] ?? "");
    if (n) made.setAttribute("aria-label", `Step ${n}${{ "✗": ", sent back", "✓": ", accepted" }[mark] ?? ""}`);
    nav.append(made);
  }
  return nav;
}

function trialPage(anchor, trial) {
  const home = el("a", "", "← all trials");
  home.href = "#";
  const title = el("h1", "", trial.task);
  title.tabIndex = -1;
  const end = trial.pages.at(-1);
  return [
    el("header", "",
      el("p", "crumbs", home, el("span", "", `run ${trial.run}`), el("span", "", `trial ${trial.trial}`)),
      el("div", "title", title, scoreChip(trial.score)),
      el("div", "ask",
        el("section", "panel", el("h2", "", "The question"), el("pre", "prose asked", trial.question || "The trial never started.")),
        el("section", "panel", el("h2", "", "The end"), ...end.parts.flatMap(part), el("p", "figures", end.figures)))),
    stepLinks(anchor, trial),
    ...trial.pages.slice(0, -1).map(section),
  ];
}
