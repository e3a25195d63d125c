"use strict";
// The page to ask, with scripts: an editor, live explanations, answers without a new page. Without them, forms do the same.
(() => {
  const form = document.getElementById("question");
  const page = window.TacitPage;
  const textarea = document.getElementById("sql");
  const explanation = document.getElementById("explanation");
  const answer = document.getElementById("answer");
  const run = document.getElementById("run");
  const price = document.getElementById("price");
  const keys = document.getElementById("keys");
  const csrf = form.elements.csrf.value;
  const nonce = document.querySelector("meta[name=csp-nonce]").content;
  let editor = null, sequence = 0, timer = 0, runs = 0, ran = null;

  const send = (path, body) => fetch(path, {
    method: body ? "POST" : "GET", body, headers: { "X-CSRF": csrf, "X-Part": "1" }, credentials: "same-origin",
  });
  const typed = () => ({
    sql: form.elements.sql.value, by: form.elements.by.value, price: price.value, confidence: form.elements.confidence.value,
    twin: form.elements.twin.checked,
  });

  // The server counts characters, and the editor units of UTF-16.
  const unitsTo = (place) => [...textarea.value].slice(0, Number(place)).join("").length;

  const mark = () => {
    const refused = explanation.querySelector(".refused");
    if (editor) editor.underline(refused ? unitsTo(refused.dataset.start) : 0, refused ? unitsTo(refused.dataset.end) : 0, refused ? refused.dataset.reason : "");
    const state = explanation.querySelector("[data-affordable]");
    const header = document.querySelector(".who .spent");
    if (state && header) {  // the budget in the header, as new as the explanation
      header.querySelector("span").textContent = `${state.dataset.left} left`;
      header.querySelector("rect.left").setAttribute("width", String(200 * Math.min(1, Math.max(0, 1 - Number(state.dataset.spent)))));
    }
    markEarlier();
    markAgain();
    run.disabled = !form.elements.twin.checked && !!(refused || (state && state.dataset.affordable === "no"));
  };

  // An answer that is not the one to what is typed says to which question it is.
  const markEarlier = () => {
    const note = answer.querySelector(".earlier"), now = typed();
    if (!note || !ran) return;
    note.hidden = now.sql === ran.sql && now.twin === ran.twin;
    note.querySelector("code").textContent = ran.sql;
  };

  // What was just answered, and may have been paid for, is free only if it is asked again.
  const markAgain = () => {
    const free = explanation.querySelector(".free"), now = typed();
    if (!free || !ran || now.sql !== ran.sql || !answer.querySelector(".answer:not(.made-up)")) return;
    free.textContent = "Asked again, it is free";
    if (free.nextElementSibling) free.nextElementSibling.remove();
  };

  // The address holds the question, so that it can be sent to a colleague: opened, it is explained and never run.
  const keepAddress = () => {
    const now = typed(), query = new URLSearchParams({ q: now.sql, [now.by]: now.price });
    if (now.confidence !== "0.95") query.set("confidence", now.confidence);
    if (now.twin) query.set("twin", "on");
    const address = `/ask?${query}`;
    if (address.length < 8000) history.replaceState(null, "", address);
  };

  // An explanation is never older than the text: a late one is dropped.
  const explain = async () => {
    const mine = ++sequence;
    explanation.setAttribute("aria-busy", "true");
    try {
      const response = await send("/explain", new URLSearchParams(new FormData(form)));
      const text = await response.text();
      if (mine !== sequence) return;
      if (response.redirected) { location.reload(); return; }  // signed out meanwhile
      if (response.ok) { explanation.innerHTML = text; mark(); keepAddress(); }
      else { say(explanation, failure(text)); run.disabled = false; }
      explanation.removeAttribute("aria-busy");
    } catch {
      if (mine === sequence) explanation.removeAttribute("aria-busy");  // the next key asks again
    }
  };
  const soon = () => { clearTimeout(timer); sequence++; explanation.setAttribute("aria-busy", "true"); timer = setTimeout(explain, 300); };

  const python = (asked) => {
    const vault = `vault = tacit.connect(${JSON.stringify(form.dataset.url)}, token="tct_…")`;
    const sure = asked.confidence === "0.95" ? "" : `, confidence=${asked.confidence}`;
    return `import tacit\n${vault}\nprint(vault.sql(${JSON.stringify(asked.sql)}, ${asked.by}=${asked.price}${sure}))\n`;
  };

  const show = (text, mine) => {
    if (mine !== runs) return;
    const lateBefore = answer.querySelector("[data-late]");
    if (lateBefore && text.includes("data-late")) { poll(lateBefore, mine); return; }  // still late: it says so already
    answer.innerHTML = text;
    page.show(answer);
    for (const button of answer.querySelectorAll("[data-copy-as]")) button.hidden = !ran;
    const refused = answer.querySelector(".refused");
    if (refused && ran) page.note(ran.sql, refused.dataset.reason);
    const waiting = answer.querySelector(".waiting");
    markEarlier();
    if (!waiting) { explain(); return; }
    poll(waiting, mine);
  };

  // Ask for the answer when its slot ends; of one that missed its slot, every second.
  const poll = (waiting, mine) => {
    const late = "late" in waiting.dataset, whole = 1000 * Number(waiting.dataset.seconds);
    waiting.began ??= performance.now();
    const next = late ? performance.now() + 1000 : waiting.began + whole + 20;
    const bar = waiting.querySelector("progress");
    const step = () => {
      if (mine !== runs) return;
      const now = performance.now();
      bar.value = Math.min(100, 100 * (now - waiting.began) / whole);
      if (now < next) { requestAnimationFrame(step); return; }
      send(`/answers/${waiting.dataset.id}`).then((r) => receive(r, mine)).catch(() => lose(mine));
    };
    requestAnimationFrame(step);
  };

  const say = (place, text) => {
    const said = document.createElement("p");
    said.className = "card failed";
    said.setAttribute("role", "alert");
    said.textContent = text;
    place.replaceChildren(said);
  };
  const lose = (mine) => { if (mine === runs) say(answer, "The server cannot be reached. Run it again: you pay only once."); };

  // What a response says that is not a part of the page: the sentence of its problem.
  const failure = (text) => {
    try { return JSON.parse(text).detail || "The server failed."; } catch { return "The server failed."; }
  };
  const receive = async (response, mine) => {
    const text = await response.text();
    if (response.ok) show(text, mine);
    else if (mine === runs) say(answer, `${failure(text)}. Run it again: you pay only once.`);
  };

  const ask = async () => {
    if (run.disabled) {
      const refused = explanation.querySelector(".refused");
      if (refused) page.note(typed().sql, refused.dataset.reason);
      return;
    }
    const mine = ++runs;
    ran = typed();
    answer.setAttribute("aria-busy", "true");
    try {
      const response = await send("/ask", new URLSearchParams(new FormData(form)));
      await receive(response, mine);
    } catch {
      lose(mine);
    }
    answer.removeAttribute("aria-busy");
  };

  const leave = async (id) => {
    const mine = ++runs;
    const response = await send(`/answers/${id}/leave`, new URLSearchParams({ csrf }));
    if (response.ok && mine === runs) answer.innerHTML = await response.text();
  };

  // Earlier questions: fetched when they are first wanted; the newest is number 0, what was being typed is number -1.
  let earlier = null, at = -1, draft = "";
  const go = async (step) => {
    if (!earlier) {
      const response = await fetch("/history.json", { headers: { Accept: "application/json" }, credentials: "same-origin" });
      earlier = response.ok ? [...new Set((await response.json()).answers.map((each) => each.sql).filter(Boolean))] : [];
    }
    if (at < 0) draft = textarea.value;
    at = Math.max(-1, Math.min(earlier.length - 1, at + step));
    write(at < 0 ? draft : earlier[at]);
  };
  const write = (text) => {
    if (editor) { editor.replace(text); editor.focus(); } else { textarea.value = text; soon(); }
  };

  if (window.TacitEditor) {
    const place = textarea.parentNode;
    editor = window.TacitEditor.mount(textarea, { nonce, schema: JSON.parse(place.dataset.schema), onChange: soon, onRun: ask });
    textarea.hidden = true;
    document.getElementById("explain-button").hidden = true;
    editor.focus();
  } else textarea.addEventListener("input", soon);

  const find = document.getElementById("find");
  if (find) {
    find.parentNode.hidden = false;
    find.addEventListener("input", () => {
      const wanted = find.value.trim().toLowerCase();
      for (const table of document.querySelectorAll("aside details")) {
        let any = false;
        for (const column of table.querySelectorAll("dl > div")) {
          const has = column.textContent.toLowerCase().includes(wanted);
          column.hidden = !has;
          any ||= has;
        }
        table.hidden = !any;
        if (wanted && any) table.open = true;
      }
    });
  }

  const help = document.getElementById("show-keys");
  help.hidden = false;
  help.addEventListener("click", () => keys.showModal());
  form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
  for (const name of ["by", "price", "confidence", "twin"]) form.elements[name].addEventListener("input", soon);
  document.addEventListener("click", (event) => {
    const at = event.target.closest("[data-insert], [data-price], [data-rewrite], [data-copy-as], [data-leave]");
    if (!at) return;
    if (at.dataset.insert && editor) editor.insert(at.dataset.insert);
    if (at.dataset.price) {
      event.preventDefault();
      if (at.dataset.by) form.elements.by.value = at.dataset.by;
      price.value = at.dataset.price;
      explain();
      price.focus();
    }
    if (at.dataset.rewrite) { event.preventDefault(); write(at.dataset.rewrite); }
    if (at.dataset.copyAs && ran) page.copy(at, at.dataset.copyAs === "sql" ? ran.sql : python(ran));
    if ("leave" in at.dataset) { event.preventDefault(); leave(at.closest(".waiting").dataset.id); }
  });
  document.addEventListener("keydown", (event) => {
    const control = event.ctrlKey || event.metaKey, typing = event.target.closest("input, select, textarea, .cm-editor");
    if (control && event.key === "Enter") { event.preventDefault(); event.stopPropagation(); ask(); }
    if (event.ctrlKey && event.key === "e") { event.preventDefault(); if (editor) editor.focus(); else textarea.focus(); }
    if (event.altKey && event.key === "p") { event.preventDefault(); price.focus(); price.select(); }
    if (event.key === "?" && !typing) { event.preventDefault(); keys.showModal(); }
    if (event.ctrlKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      event.stopPropagation();
      go(event.key === "ArrowUp" ? 1 : -1);
    }
  }, true);
  mark();
})();
