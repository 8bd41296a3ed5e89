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
    const at = links.findIndex((each) => each.hash === `#${shown.split("~")[0]}`);
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
  const steps = [...$("trial").querySelectorAll(".step.back")];
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
  j: () => shown ? nextStep(1) : nextTrial(1),
  k: () => shown ? nextStep(-1) : nextTrial(-1),
  "]": () => nextTrial(1),
  "[": () => nextTrial(-1),
  r: () => shown && nextRejection(),
  f: foldAll,
  u: () => { if (shown) location.hash = ""; },
  Escape: () => { if (shown) location.hash = ""; },
  "/": () => { if (shown) location.hash = ""; showSummary(); $("search").focus(); $("search").scrollIntoView({ block: "center" }); },
  "?": () => $("help").showModal(),
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || !$("keys-on").checked) return;
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

$("show-close").addEventListener("click", () => $("show").close());
addEventListener("hashchange", route);
bindTable();
document.documentElement.dataset.ready = "";
addEventListener("DOMContentLoaded", route); // the data of the trials stands behind this script
