"use strict";
// The list of runs, kept up to date. Texts of journals reach the document as text alone.
const $ = (id) => document.getElementById(id);
const chosen = new Set();
let rows = [], unread = 0, tag = "";

function el(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((each) => each !== null && each !== undefined && each !== ""));
  return made;
}

function cell(name, text, className = "num") {
  const made = el("td", className, text === "" ? null : el("span", "tag", `${name} `), text === "" ? "–" : text);
  return made;
}

function scoreCell(row) {
  if (row.score === null) return cell("score", "");
  const kind = row.score >= 1 ? "s5" : row.score <= 0 ? "s0" : "s2";
  return el("td", "num", el("span", `score ${kind}`, row.score.toFixed(2)), row.interval ? el("span", "more", row.interval) : null);
}

function rowOf(row) {
  const pick = el("input", "pick");
  pick.type = "checkbox";
  pick.checked = chosen.has(row.id);
  pick.setAttribute("aria-label", `Choose ${row.name || row.id}`);
  pick.addEventListener("input", () => { if (pick.checked) chosen.add(row.id); else chosen.delete(row.id); showChosen(); });
  const open = el("a", "", row.name || row.id);
  open.href = row.kind === "loop" ? `/loops/${encodeURIComponent(row.id)}` : `/runs/${encodeURIComponent(row.id)}`;
  const head = el("th", "task", row.kind === "loop" ? null : pick, " ", open, row.kind === "run" ? null : el("span", "run", row.kind),
    el("span", "question", `${new Date(row.last_ms).toLocaleString()} · ${row.played} · ${row.about}`));
  head.scope = "row";
  const share = row.total && row.over < row.total ? `${row.over} of ${row.total}` : `${row.total || ""}`;
  return el("tr", "", head, el("td", "", el("span", `state ${row.state}`, row.state)), cell("trials", share), scoreCell(row),
    cell("tokens", row.tokens), cell("cost", row.cost), cell("time", row.time), el("td", "", row.model, row.solver ? el("span", "more", row.solver) : null));
}

function showChosen() {
  $("compare-line").hidden = chosen.size < 2;
  $("compare").href = `/runs/${[...chosen].map(encodeURIComponent).join(",")}`;
  $("compare").textContent = `Compare the ${chosen.size} chosen runs`;
}

function show() {
  const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean), kind = $("filter").value;
  const fitting = rows.filter((row) => (!kind || row.kind === kind || row.state === kind) && (!tag || row.name.startsWith(tag))
    && words.every((word) => `${row.id} ${row.name} ${row.played} ${row.model} ${row.solver} ${row.about} ${row.state}`.toLowerCase().includes(word)));
  const focused = document.activeElement?.closest?.("#rows a")?.href;
  $("rows").replaceChildren(...fitting.slice(0, 500).map(rowOf));
  if (focused) [...$("rows").querySelectorAll("a")].find((each) => each.href === focused)?.focus();
  $("shown").textContent = `${fitting.length} of ${rows.length} runs${unread ? `, ${unread} being read` : ""}`;
  $("nothing").hidden = rows.length + unread > 0;
  $("no-fit").hidden = fitting.length > 0 || rows.length === 0;
}

// Runs whose names begin alike up to the first - _ . or blank share a tag.
function showTags() {
  const counts = new Map();
  for (const { name } of rows) {
    const first = name.split(/[-_.\s]/)[0];
    if (first) counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  const tags = [...counts].filter(([, count]) => count > 1).sort((a, b) => b[1] - a[1]).slice(0, 8);
  $("tags").replaceChildren(...tags.map(([name, count]) => {
    const made = el("button", "", `${name} ${count}`);
    made.type = "button";
    made.setAttribute("aria-pressed", String(tag === name));
    made.addEventListener("click", () => { tag = tag === name ? "" : name; showTags(); show(); });
    return made;
  }));
}

let isBusy = false, isBehind = false;
async function update() {
  if (isBusy || document.hidden) {
    isBehind = true;
    return;
  }
  isBusy = true;
  isBehind = false;
  try {
    ({ rows, unread } = await (await fetch("/runs.json")).json());
    showTags();
    show();
  } finally {
    setTimeout(() => { isBusy = false; if (isBehind) update(); }, 500);
  }
  document.documentElement.dataset.ready = "";
}

for (const id of ["search", "filter"]) $(id).addEventListener("input", show);
document.querySelector(".tools").addEventListener("submit", (event) => event.preventDefault());
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select")) return;
  const links = [...$("rows").querySelectorAll("a")];
  const by = { j: 1, n: 1, k: -1, p: -1 }[event.key];
  if (by) (links[links.indexOf(document.activeElement) + by] ?? links[by > 0 ? 0 : links.length - 1])?.focus();
  if (event.key === "/") { event.preventDefault(); $("search").focus(); }
});
const THEMES = ["automatic", "dark", "light"];
$("theme").addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme ?? "automatic") + 1) % THEMES.length];
  if (next === "automatic") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  $("theme").textContent = `Theme: ${next}`;
});
document.addEventListener("visibilitychange", () => { if (isBehind && !document.hidden) update(); });
new EventSource("/events").onmessage = update;
update();
