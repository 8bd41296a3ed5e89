// ---- The table of trials, or those of runs and of questions ---------------------------------------------------------------------
let tables = [], rows = [], order, words; // as they are; a live page replaces them

function visible() {
  return tables.flatMap((table) => [...table.body.rows]).filter((row) => !row.hidden);
}

function update() {
  const wanted = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const kind = $("filter").value, run = $("run")?.value ?? "";
  for (const row of rows) {
    row.hidden = !((kind === "" || row.dataset.is.split(" ").includes(kind))
      && (run === "" || row.dataset.run === run) && wanted.every((each) => words.get(row).includes(each)));
  }
  for (const table of tables) table.element.hidden = tables.length > 1 && [...table.body.rows].every((row) => row.hidden);
  const count = rows.filter((row) => !row.hidden).length;
  const rowsName = document.querySelector(".tools").ariaLabel.toLowerCase(); // "trials"
  $("shown").textContent = `${count} of ${rows.length} ${rows.length === 1 ? rowsName.slice(0, -1) : rowsName}`;
  $("nothing").hidden = count > 0;
}

function sort() {
  for (const table of tables) sortTable(table, $("sort").value, $("descending").checked);
}

// A table that lacks the column keeps its order.
function sortTable({ body, heads }, key, down) {
  const head = heads.find((each) => each.dataset.key === key);
  const place = head?.cellIndex;
  const value = (row) => row.cells[place].dataset.v;
  const isNumber = head?.classList.contains("num");
  const compare = (a, b) => !head ? 0 : isNumber ? value(a) - value(b) : value(a).localeCompare(value(b), "en", { numeric: true });
  const sorted = [...body.rows].sort((a, b) => (down ? -1 : 1) * (compare(a, b) || (key === "" ? order.get(a) - order.get(b) : 0)) || order.get(a) - order.get(b));
  body.append(...sorted);
  for (const each of heads) {
    if (each === head) each.setAttribute("aria-sort", down ? "descending" : "ascending");
    else each.removeAttribute("aria-sort");
  }
}

function bindTable() {
  document.querySelectorAll("[data-copy]").forEach((each) => each.addEventListener("click", () => copy(each.dataset.copy, each)));
  if (!$("search")) return;
  tables = [...document.querySelectorAll(".trials")].map((element) => ({ element, body: element.tBodies[0], heads: [...element.querySelectorAll("th[data-key]")] }));
  rows = tables.flatMap((table) => [...table.body.rows]);
  order = new Map(rows.map((row, place) => [row, place]));
  words = new Map(rows.map((row) => [row, `${row.textContent} ${row.dataset.find}`.toLowerCase()]));
  for (const head of tables.flatMap((table) => table.heads)) {
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
  update();
}
