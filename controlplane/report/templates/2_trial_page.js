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
  const by = judged.gates.filter(([, result, , how]) => result === "reject" && how !== "off").map(([label]) => label);
  const protests = judged.gates.filter(([, result]) => result === "protest").map(([label]) => label);
  const head = judged.accepted ? (protests.length ? `! Accepted despite objections of ${protests.join(", ")}` : "✓ Accepted") : `✗ Sent back by ${by.join(", ") || "the exit"}`;
  const answer = text(judged.answer);
  const made = el("div", judged.accepted ? "verdict ok" : "verdict",
    el("p", "", el("b", "", head), ` · ${text(judged.outcome)}`), answer ? el("p", "", `Answer: ${answer}`) : null);
  made.append(fold("", el("summary", "", `What each of the ${judged.gates.length} gates and rules said`), () => [
    el("ul", "", ...judged.gates.map(([label, result, reason, how]) => {
      const word = el("span", result === "reject" ? "reject" : "", MARKS[result] ?? result);
      const why = text(reason);
      return el("li", "", el("span", how === "off" ? "off" : "", label), ": ", word, how === "off" ? " (switched off)" : how === "ask" ? " (asks)" : "", why ? el("pre", "", why) : null);
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
  if (code) made.append(...titled("Code", ...block(code, "boxed code")));
  if (data.reply !== undefined) made.append(...titled("Reply", ...block(text(data.reply))));
  made.append(...calls(data.calls, ""), ...calls(data.exit, " of the exit"));
  if (data.quotes) made.append(...titled("Quotes", el("ul", "changes", ...data.quotes.map((each) => el("li", "", text(each))))));
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
  if (read.length) made.append(fold("call", el("summary", "", el("code", "", "calls made for it"), el("span", "more", `${read.length} ${read.length === 1 ? "call" : "calls"}`)), () => read.map(callFold)));
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
  const cites = trial.cites.map(([path, why, quoted]) =>
    el("li", "", el("code", "", text(path)), " ", el("span", "", text(why)), quoted ? el("p", "", text(quoted)) : null));
  const claims = trial.claims.map(([claim, where]) =>
    el("li", "", text(claim), " ", el("code", text(where) === "NOT IN WHAT WAS READ" ? "absent" : "", text(where))));
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
      cites.length ? el("ul", "cites", ...cites) : null,
      claims.length ? el("ul", "claims", ...claims) : null),
    stepLinks(anchor, trial),
    opening(trial),
    ...trial.steps.map(step),
  ];
}
