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
      trial = await unpacked(`data-${anchor}`);
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
  const links = document.querySelector(".steps");
  links?.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = [...links?.children ?? []].find((each) => each.hash.endsWith(`/${target.id.slice(5)}`));
  if (!link) return;
  link.setAttribute("aria-current", "step");
  links.scrollLeft = link.offsetLeft - links.offsetLeft - links.clientWidth / 2;
}
