"use strict";
// The workbench with scripts: an editor, live explanations, answers without a new page. Without them, forms do the same.
(() => {
  const form = document.getElementById("question");
  if (!form) return;
  const textarea = document.getElementById("sql");
  const explanation = document.getElementById("explanation");
  const answer = document.getElementById("answer");
  const run = document.getElementById("run");
  const price = document.getElementById("price");
  const csrf = form.elements.csrf.value;
  const nonce = document.querySelector("meta[name=csp-nonce]").content;
  let editor = null, sequence = 0, timer = 0, runs = 0;

  const send = (path, body) => fetch(path, {
    method: body ? "POST" : "GET", body, headers: { "X-CSRF": csrf, "X-Part": "1" }, credentials: "same-origin",
  });

  const mark = () => {
    const refused = explanation.querySelector(".refused");
    if (editor) editor.underline(refused ? Number(refused.dataset.start) : 0, refused ? Number(refused.dataset.end) : 0, refused ? refused.dataset.reason : "");
    const state = explanation.querySelector("[data-affordable]");
    run.disabled = !form.elements.twin.checked && !!(refused || (state && state.dataset.affordable === "no"));
  };

  // An explanation is never older than the text: a late one is dropped.
  const explain = async () => {
    const mine = ++sequence;
    try {
      const response = await send("/explain", new URLSearchParams(new FormData(form)));
      const text = await response.text();
      if (mine === sequence && response.ok) { explanation.innerHTML = text; mark(); }
    } catch { /* the next key asks again */ }
  };
  const soon = () => { clearTimeout(timer); sequence++; timer = setTimeout(explain, 300); };

  const show = (text, mine) => {
    if (mine !== runs) return;
    answer.innerHTML = text;
    for (const button of answer.querySelectorAll("[data-copy]")) button.hidden = false;
    const waiting = answer.querySelector(".waiting");
    if (!waiting) { explain(); return; }
    const began = performance.now(), whole = Math.max(0.05, Number(waiting.dataset.seconds)) * 1000;
    const bar = waiting.querySelector("progress");
    const step = () => {
      if (mine !== runs) return;
      const passed = performance.now() - began;
      bar.value = Math.min(100, 100 * passed / whole);
      if (passed < whole + 20) { requestAnimationFrame(step); return; }
      send(`/answers/${waiting.dataset.id}`).then((r) => r.text()).then((t) => show(t, mine));
    };
    requestAnimationFrame(step);
  };

  const ask = async () => {
    if (run.disabled) return;
    const mine = ++runs;
    try {
      const response = await send("/ask", new URLSearchParams(new FormData(form)));
      show(await response.text(), mine);
    } catch {
      answer.textContent = "The server cannot be reached; run it again: it is paid for once.";
    }
  };

  if (window.TacitEditor) {
    const place = textarea.parentNode;
    editor = window.TacitEditor.mount(textarea, { nonce, schema: JSON.parse(place.dataset.schema), onChange: soon, onRun: ask });
    textarea.hidden = true;
    document.getElementById("explain-button").hidden = true;
    editor.focus();
  } else textarea.addEventListener("input", soon);

  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  for (const name of ["by", "price", "confidence", "twin"]) form.elements[name].addEventListener("input", soon);
  document.addEventListener("click", (event) => {
    const at = event.target.closest("[data-insert], [data-factor], [data-rewrite], [data-copy]");
    if (!at) return;
    if (at.dataset.insert && editor) editor.insert(at.dataset.insert);
    if (at.dataset.factor) { price.value = String(Number((Number(price.value) * Number(at.dataset.factor)).toPrecision(6))); explain(); price.focus(); }
    if (at.dataset.rewrite && editor) { event.preventDefault(); editor.replace(at.dataset.rewrite); editor.focus(); }
    if (at.dataset.copy) navigator.clipboard.writeText(at.dataset.copy).then(() => { at.textContent = "Copied"; });
  });
  document.addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") { event.preventDefault(); ask(); }
    if (event.ctrlKey && event.key === "e" && editor) { event.preventDefault(); editor.focus(); }
    if (event.altKey && event.key === "p") { event.preventDefault(); price.focus(); price.select(); }
  });
  mark();
})();
