"use strict";
// Tables: a click on a heading sorts, the search field hides rows without all of its words.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      const key = (row) => row.cells[column].dataset.sort ?? row.cells[column].textContent.trim();
      const compare = (one, other) => {
        const difference = Number(one) - Number(other);
        return Number.isNaN(difference) || one === "" || other === "" ? one.localeCompare(other, "en", { numeric: true }) : difference;
      };
      const rows = [...body.rows].sort((one, other) => compare(key(one), key(other)));
      body.append(...(down ? rows.reverse() : rows));
      headings.forEach((each) => each.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}
// A field with a name belongs to filters, which keep it in the address (filter.js).
for (const field of document.querySelectorAll("input[type=search]:not([name])")) {
  const items = [...document.querySelectorAll(field.dataset.hides)];
  const hits = field.parentElement.querySelector(".hits");
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/);
    items.forEach((item) => { item.hidden = !words.every((word) => item.textContent.toLowerCase().includes(word)); });
    const found = items.filter((item) => !item.hidden);
    // What is found and folded away is unfolded.
    if (field.value) found.forEach((item) => item.closest("details")?.setAttribute("open", ""));
    hits.textContent = `${found.length} of ${items.length}`;
  });
}
// A link to something folded away unfolds it.
function unfold() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const around = named?.closest("details:not([open])");
  named?.querySelector("details")?.setAttribute("open", "");
  if (around) {
    around.setAttribute("open", "");
    named.scrollIntoView();
  }
}
addEventListener("hashchange", unfold);
unfold();
