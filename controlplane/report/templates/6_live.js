// ---- A page that a server keeps up to date -----------------------------------------------------------------------
// The policy lets only this one function turn text into markup: pages of the server itself, whose texts are escaped.
const OWN_PAGES = globalThis.trustedTypes?.createPolicy("view", { createHTML: (text) => text }) ?? { createHTML: (text) => text };
let isBusy = false, isBehind = false;

async function catchUp() {
  if (isBusy || document.hidden) {
    isBehind = true;
    return;
  }
  isBusy = true;
  isBehind = false;
  const began = performance.now();
  try {
    if (shown) await catchUpTrial();
    else await catchUpSummary();
  } catch {
    isBehind = true; // the server is gone, or reads the journal again
  } finally {
    // A page that takes long to make is asked for less often.
    setTimeout(() => { isBusy = false; if (isBehind) catchUp(); }, Math.max(500, 2 * (performance.now() - began)));
  }
}

async function catchUpSummary() {
  const response = await fetch(location.href);
  if (!response.ok) throw new Error(response.statusText);
  const page = new DOMParser().parseFromString(OWN_PAGES.createHTML(await response.text()), "text/html");
  const kept = Object.fromEntries(["search", "filter", "run", "sort"].filter((id) => $(id)).map((id) => [id, $(id).value]));
  const [down, focused] = [$("descending")?.checked, document.activeElement];
  const picked = new Set([...document.querySelectorAll(".pick:checked")].map((each) => each.value));
  const open = new Set([...document.querySelectorAll("#summary details[open] > summary")].map((each) => each.textContent.replace(/\d+/g, "")));
  $("summary").replaceWith(page.getElementById("summary"));
  $("summary").hidden = Boolean(shown);
  for (const [id, value] of Object.entries(kept)) if ($(id)) $(id).value = value;
  if ($("descending")) $("descending").checked = down;
  for (const each of document.querySelectorAll(".pick")) each.checked = picked.has(each.value);
  for (const each of document.querySelectorAll("#summary details > summary")) {
    if (open.has(each.textContent.replace(/\d+/g, ""))) each.parentElement.open = true;
  }
  bindTable();
  if (tables.length) sort();
  const again = focused?.id ? $(focused.id) : visible().map((row) => row.querySelector("a")).find((each) => each.href === focused?.href);
  again?.focus({ preventScroll: true });
}

async function catchUpTrial() {
  const anchors = shown.split("~");
  if (anchors.length > 1) return;
  const [key, trial] = [shown, await trialData(anchors[0])];
  if (shown !== key) return;
  const made = trialPage(key, trial);
  const before = [...$("trial").children];
  // Steps that were over stay as the reader has unfolded them.
  for (const [place, now] of made.entries()) {
    const old = before[place];
    if (!old) $("trial").append(now);
    else if (place < 2 || place >= before.length - 1) old.replaceWith(now);
  }
}

if (EVENTS) {
  const events = new EventSource(EVENTS);
  events.onerror = () => { $("lost").hidden = false; };
  events.onopen = () => { $("lost").hidden = true; };
  events.onmessage = (event) => { if (event.data !== $("main").dataset.version) catchUp(); };
  document.addEventListener("visibilitychange", () => { if (isBehind && !document.hidden) catchUp(); });
}
