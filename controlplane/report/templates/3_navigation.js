// ---- Where the reader is -----------------------------------------------------------------------------------------
let shown = ""; // the anchor of the trial that is shown
let summaryScroll = 0;
const title = document.title;

const PLACE = /^#(trial-\d+-\d+)(?:~(trial-\d+-\d+))?(?:\/(\d+))?$/;

async function route() {
  const [, first, second, number] = location.hash.match(PLACE) ?? [];
  const anchors = [first, second].filter(Boolean);
  const key = anchors.join("~");
  if (!first || (!SOURCE && anchors.some((each) => !$(`data-${each}`)))) {
    showSummary();
    return;
  }
  if (key !== shown) {
    if (!shown) summaryScroll = scrollY;
    let trials;
    try {
      trials = await Promise.all(anchors.map(trialData));
    } catch (error) {
      $("trial").replaceChildren(el("p", "note", typeof DecompressionStream === "undefined"
        ? "This browser is too old to unpack the trials: Chromium 80, Firefox 113 and Safari 16.4 can."
        : `This trial cannot be read: ${error.message}`));
      reveal(key);
      return;
    }
    if (!location.hash.startsWith(`#${key}`)) return; // the reader went on meanwhile
    $("trial").replaceChildren(...(second ? pairPage(anchors, trials) : trialPage(first, trials[0])));
    document.title = `${trials[0].task} · ${title}`;
    reveal(key);
    if (number === undefined) $("trial").querySelector("h1").focus({ preventScroll: true });
  }
  if (number !== undefined) goTo($(`step-${number}`));
}

function reveal(anchor) {
  shown = anchor;
  $("trial").dataset.anchor = anchor;
  $("summary").hidden = true;
  $("trial").hidden = false;
  scrollTo({ top: 0, behavior: "instant" });
}

function showSummary() {
  if (!shown) return;
  const back = visible().find((row) => row.querySelector("a").hash === `#${shown.split("~")[0]}`);
  shown = "";
  $("trial").hidden = true;
  $("trial").replaceChildren();
  delete $("trial").dataset.anchor;
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
  const links = document.querySelector(".steps");
  links?.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = [...links?.children ?? []].find((each) => each.hash.endsWith(`/${target.id.slice(5)}`));
  if (!link) return;
  link.setAttribute("aria-current", "step");
}
