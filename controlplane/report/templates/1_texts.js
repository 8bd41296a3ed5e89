// Helpers, and the data of trials. Journal text reaches the document as text alone: elements are made, never parsed.
const $ = (id) => document.getElementById(id);
const LINES = 40; // lines of a text that are shown before it is cut

function el(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((each) => each !== null && each !== undefined && each !== ""));
  return made;
}

// ---- Data of trials -----------------------------------------------------------------------------------------------
const { source: SOURCE, events: EVENTS } = $("main").dataset; // a server's addresses; empty in a file, which holds its trials

async function trialData(anchor) {
  if (SOURCE) {
    const response = await fetch(`${SOURCE}/${anchor}.json`);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  }
  const bytes = Uint8Array.from(atob($(`data-${anchor}`).textContent), (each) => each.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function link(name, to, className = "") {
  const made = el("a", className, name);
  made.href = to;
  return made;
}

function button(name, act, className = "") {
  const made = el("button", className, name);
  made.type = "button";
  made.addEventListener("click", () => act(made));
  return made;
}

async function copy(text, from) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    showDialog("Copy this", el("pre", "boxed", text)); // the browser grants no clipboard
    return;
  }
  $("said").textContent = "Copied.";
  const name = from.textContent;
  from.textContent = "Copied";
  setTimeout(() => { from.textContent = name; }, 1200);
}

// ---- Code --------------------------------------------------------------------------------------------------------
const PYTHON = /(#.*)|("""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|\b(and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield|None|True|False)\b|\b(\d[\w.]*)/g;
const COLOURS = ["comment", "string", "keyword", "number"];

function coloured(code) {
  const parts = [];
  let at = 0;
  for (const found of code.matchAll(PYTHON)) {
    parts.push(code.slice(at, found.index));
    parts.push(el("span", `py-${COLOURS[found.slice(1).findIndex((each) => each !== undefined)]}`, found[0]));
    at = found.index + found[0].length;
  }
  return [...parts, code.slice(at)];
}
