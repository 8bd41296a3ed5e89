// Helpers, and the packed data. Journal text reaches the document as text alone: elements are made, never parsed.
const $ = (id) => document.getElementById(id);
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
