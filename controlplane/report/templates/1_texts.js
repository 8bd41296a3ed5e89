// Helpers, and the packed texts. Journal text reaches the document as text alone: elements are made, never parsed.
const $ = (id) => document.getElementById(id);
const KEEP = 60; // unpacked packs of texts that are kept
const LINES = 40; // lines of a text that are shown before it is cut

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
