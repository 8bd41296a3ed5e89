// ---- The table of trials, or of runs -----------------------------------------------------------------------------------------
let body, rows = [], order, words, heads; // of the table as it is; a live page replaces it

function visible() {
  return [...body?.rows ?? []].filter((row) => !row.hidden);
}

function update() {
  const wanted = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = $("filter").value, run = $("run")?.value ?? "";
  for (const row of rows) {
    row.hidden = !((kind === "" || row.dataset.is.split(" ").includes(kind))
      && (run === "" || row.dataset.run === run) && wanted.every((each) => words.get(row).includes(each)));
  }
  const count = rows.filter((row) => !row.hidden).length;
  $("shown").textContent = `${count} of ${rows.length} ${document.querySelector(".tools").ariaLabel.toLowerCase()}`;
  $("nothing").hidden = count > 0;
}

function sort() {
  const key = $("sort").value, down = $("descending").checked;
  const place = heads.findIndex((head) => head.dataset.key === key);
  const value = (row) => row.cells[place].dataset.v;
  const isNumber = heads[place]?.classList.contains("num");
  const compare = (a, b) => key === "" ? 0 : isNumber ? value(a) - value(b) : value(a).localeCompare(value(b), "en", { numeric: true });
  const sorted = [...rows].sort((a, b) => (down ? -1 : 1) * (compare(a, b) || (key === "" ? order.get(a) - order.get(b) : 0)) || order.get(a) - order.get(b));
  body.append(...sorted);
  for (const head of heads) {
    if (head.dataset.key === key) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  }
}

function bindTable() {
  if (!$("search")) return;
  body = document.querySelector(".trials tbody");
  rows = [...body.rows];
  order = new Map(rows.map((row, place) => [row, place]));
  words = new Map(rows.map((row) => [row, `${row.textContent} ${row.dataset.find}`.toLowerCase()]));
  heads = [...document.querySelectorAll(".trials th[data-key]")];
  for (const head of heads) {
    head.replaceChildren(button(head.textContent, () => {
      $("descending").checked = $("sort").value === head.dataset.key ? !$("descending").checked : head.classList.contains("num") && head.dataset.key !== "score";
      $("sort").value = head.dataset.key;
      sort();
    }));
  }
  document.querySelectorAll("[data-control]").forEach((each) => { each.hidden = false; });
  document.querySelector(".tools").addEventListener("submit", (event) => { if (!event.target.dataset.partial) event.preventDefault(); });
  for (const id of ["search", "filter", "run"]) $(id)?.addEventListener("input", update);
  for (const id of ["sort", "descending"]) $(id).addEventListener("input", sort);
  $("clear").addEventListener("click", () => {
    $("search").value = "";
    $("filter").value = "";
    if ($("run")) $("run").value = "";
    update();
    $("search").focus();
  });
  $("only-differing")?.addEventListener("input", (event) => {
    for (const row of $("map").tBodies[0].rows) row.hidden = event.target.checked && !row.classList.contains("differs");
  });
  document.querySelectorAll("[data-copy]").forEach((each) => each.addEventListener("click", () => copy(each.dataset.copy, each)));
  update();
}
