"use strict";
// On every page: buttons that copy, and what this window alone remembers. Pages do without.
(() => {
  const show = (root) => { for (const each of root.querySelectorAll("[data-copy]")) each.hidden = false; };

  const copy = async (button, text) => {
    const before = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed here";
    }
    setTimeout(() => { button.textContent = before; }, 1500);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button, button.dataset.copy);
  });
  for (const form of document.querySelectorAll("[data-forget]")) form.addEventListener("submit", () => sessionStorage.clear());

  // Refusals of this session, by the name of who is signed in.
  const key = `refused ${document.body.dataset.name}`;
  const refusals = () => JSON.parse(sessionStorage.getItem(key) || "[]");
  const note = (sql, reason) => {
    const kept = refusals().filter((each) => each.sql !== sql);
    sessionStorage.setItem(key, JSON.stringify([{ sql, reason }, ...kept].slice(0, 20)));
  };

  const place = document.getElementById("refusals");
  if (place && refusals().length) {
    for (const each of refusals()) {
      const row = document.createElement("li"), code = document.createElement("code"), why = document.createElement("div");
      code.textContent = each.sql;
      why.textContent = each.reason;
      row.append(code, why);
      place.querySelector("ul").append(row);
    }
    place.hidden = false;
  }

  show(document);
  window.TacitPage = { show, copy, note };
})();
