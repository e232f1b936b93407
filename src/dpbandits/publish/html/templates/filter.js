"use strict";
// Claims and the register: buttons and a search choose what is shown; what is chosen is kept in the address.
addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.filters");
  const field = form.elements.q, rows = [...document.querySelectorAll(form.dataset.filters)];
  const buttons = [...form.querySelectorAll("button")], hits = form.querySelector(".hits");
  const nothing = document.querySelector(".nothing"), names = [...new Set(buttons.map((one) => one.name))];

  const pressed = (name) => buttons.filter((one) => one.name === name && one.getAttribute("aria-pressed") === "true").map((one) => one.value);
  function show() {
    const chosen = names.map((name) => [name, pressed(name)]).filter(([, values]) => values.length);
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.dataset.search.toLowerCase();
      const kept = chosen.every(([name, values]) => values.includes(row.dataset[name]));
      row.hidden = !(kept && words.every((word) => text.includes(word)));
    }
    const shown = rows.filter((row) => !row.hidden).length;
    for (const section of document.querySelectorAll("section.filtered")) section.hidden = !section.querySelector(`${form.dataset.filters}:not([hidden])`);
    hits.textContent = shown === rows.length ? "" : `${shown} of ${rows.length}`;
    nothing.hidden = shown > 0;
  }
  function write() {
    const chosen = new URLSearchParams();
    for (const name of names) for (const value of pressed(name)) chosen.append(name, value);
    if (field.value) chosen.set("q", field.value);
    history.replaceState(null, "", chosen.size ? `#${chosen}` : location.pathname + location.search);
    show();
  }
  // An address may also name a row or a section, which has no sign of equality.
  function read() {
    const chosen = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    for (const one of buttons) one.setAttribute("aria-pressed", String(chosen.getAll(one.name).includes(one.value)));
    field.value = chosen.get("q") ?? "";
    show();
  }
  for (const one of buttons) {
    one.addEventListener("click", () => {
      one.setAttribute("aria-pressed", String(one.getAttribute("aria-pressed") !== "true"));
      write();
    });
  }
  field.addEventListener("input", write);
  form.addEventListener("submit", (event) => event.preventDefault());
  nothing.querySelector("button").addEventListener("click", () => {
    for (const one of buttons) one.setAttribute("aria-pressed", "false");
    field.value = "";
    write();
    field.focus();
  });
  addEventListener("hashchange", read);
  read();
});
