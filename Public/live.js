// What a page does while it is looked at: it stays up to date, its relative times stay true, and keys move through it.
// Everything works without this file, and by switches of its own. It loads nothing but the page that it stands on.
"use strict";
(() => {
  const main = document.getElementById("main");
  const footer = document.querySelector("footer");
  if (!main || !footer) return;

  function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  /** What is chosen in a browser that remembers nothing. */
  const chosen = {};
  const isOn = (setting) => {
    if (setting in chosen) return chosen[setting];
    try { return localStorage.getItem(setting) !== "off"; } catch { return true; }
  };

  // MARK: Times

  /** What the server's clock is ahead of this one's, in milliseconds. */
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const asOf = () => footer.querySelector(":scope > span > time");
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

  /** A moment as the server's pages tell it. */
  function words(at, now) {
    const seconds = Math.floor(Math.max(0, now - at) / 1000);
    if (seconds < 60) return "just now";
    if (seconds < 3600) return `${Math.floor(seconds / 60)}\u00a0min ago`;
    if (seconds < 86_400) return `${Math.floor(seconds / 3600)}\u00a0h ago`;
    if (seconds < 172_800) return "1\u00a0day ago";
    if (seconds < 604_800) return `${Math.floor(seconds / 86_400)}\u00a0days ago`;
    const [date, year] = [new Date(at), new Date(at).getUTCFullYear()];
    const day = `${date.getUTCDate()}\u00a0${months[date.getUTCMonth()]}`;
    return year === new Date(now).getUTCFullYear() ? day : `${day}\u00a0${year}`;
  }

  function tellTimes() {
    for (const time of main.querySelectorAll("time")) {
      if (!/(^just now|ago)$/.test(time.textContent)) continue;
      const told = words(Date.parse(time.dateTime), now());
      if (time.textContent !== told) time.textContent = told;
    }
  }

  /** Says that the page is what the server would send at this moment. */
  function confirm(at) {
    ahead = at - Date.now();
    const time = asOf();
    if (!time) return;
    time.dateTime = new Date(at).toISOString().replace(/\.\d+/, "");
    time.textContent = `${time.dateTime.slice(0, 10)} ${time.dateTime.slice(11, 16)} UTC`;
  }

  // The exact time, in the reader's own zone, for the pointer.
  main.addEventListener("pointerover", (event) => {
    const time = event.target.closest?.("time");
    if (time) time.title = new Date(time.dateTime).toLocaleString();
  });

  // MARK: Taking over what changed

  /** What this script adds to the footer. The status is there from the start: what is put into it then is read out. */
  const status = document.createElement("output");
  const tools = element("span", { id: "tools" }, status);
  footer.append(tools);

  /** Parts with a name are known again by it, rows by where they lead. */
  const key = (node) => node.id
    || (node.nodeName === "TR" && node.querySelector("th a")?.getAttribute("href")) || null;
  const isAlike = (one, other) => one.nodeName === other.nodeName && one.className === other.className;
  const numbers = (row) => [...row.querySelectorAll(".num")].map((cell) => cell.textContent).join();

  /** Makes `old` like `fresh` and leaves alone what is the same: focus, open details and the pointer's place stay. */
  function become(old, fresh) {
    if (old === tools || old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) return void (old.nodeValue = fresh.nodeValue);
    const isNews = old.nodeName === "TR" && numbers(old) !== numbers(fresh);
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    for (const { name } of [...old.attributes]) {
      // What the reader opened, and pulled to another size.
      const isReaders = name === "open" && old.nodeName === "DETAILS" || name === "style";
      if (!isReaders && !fresh.hasAttribute(name)) old.removeAttribute(name);
    }
    haveChildren(old, [...fresh.childNodes]);
    if (isNews) point(old);
  }

  function haveChildren(parent, wanted) {
    const keys = new Set(wanted.map(key).filter(Boolean));
    const rows = new Map();
    for (const child of [...parent.childNodes]) {
      const name = key(child);
      if (keys.has(name)) rows.set(name, child);
      else if (name) child.remove();
    }
    let next = parent.firstChild;
    for (const fresh of wanted) {
      const name = key(fresh);
      const found = name ? rows.get(name) : next && !key(next) && isAlike(next, fresh) ? next : null;
      if (!found) {
        const added = parent.insertBefore(document.importNode(fresh, true), next);
        if (name) point(added);
        continue;
      }
      if (found === next) next = next.nextSibling;
      else parent.insertBefore(found, next);
      become(found, fresh);
    }
    while (next) [next] = [next.nextSibling, next.remove()];
  }

  /** Lets a row be seen to have changed; the style sheet asks whether motion is wanted. */
  function point(row) {
    row.classList.add("changed");
    setTimeout(() => row.classList.remove("changed"), 3000);
  }

  /** What is read: what has the focus where that is in sight, else what begins nearest to the top of the window. */
  function reading(focused) {
    const box = (part) => part.getBoundingClientRect();
    const isInSight = (part) => box(part).bottom > 0 && box(part).top < innerHeight;
    const parts = [...main.querySelectorAll("tbody tr, .card > *, .facts, .head")];
    const own = parts.findLast((part) => part.contains(focused));
    if (own && isInSight(own)) return own;
    const seen = parts.filter((part) => part.getClientRects().length > 0 && isInSight(part));
    const begun = seen.filter((part) => box(part).top >= 0);
    return begun.sort((one, other) => box(one).top - box(other).top)[0] ?? seen.at(-1);
  }

  /** Takes over another page's content, with what is read staying where it is on the screen. */
  function show(page) {
    const focused = document.activeElement;
    const read = reading(focused);
    const top = read?.getBoundingClientRect().top;
    const isScrolled = window.scrollY > 0;
    document.title = page.title;
    page.querySelector("footer")?.append(tools.cloneNode());
    for (const part of ["header", "main", "footer"]) {
      const [old, fresh] = [document, page].map((whole) => whole.querySelector(part));
      if (old && fresh) become(old, fresh);
    }
    // A row that moved has lost the focus on its way.
    if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
    if (isScrolled && read?.isConnected) {
      window.scrollBy({ top: read.getBoundingClientRect().top - top, behavior: "instant" });
    }
  }

  // MARK: Asking again

  const [live, usesKeys] = ["leaks.live", "leaks.keys"];
  const [shortestPause, longestPause] = [15_000, 300_000];
  let [pause, timer, asked] = [shortestPause, 0, Date.now()];
  let isOver = !main.hasAttribute("data-live");
  /** Ends the question that is under way: there is one at most. */
  let asking = new AbortController();
  /** The entity tag of what is shown, once an answer told it. */
  let tag = null;

  const touched = new Set();
  main.addEventListener("input", (event) => touched.add(event.target));
  const isEdited = (field) => field.isConnected && (field.nodeName === "SELECT"
    ? field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected))
    : field.checked !== field.defaultChecked || field.value !== field.defaultValue);

  /** Whether somebody is in the middle of something that a new content would disturb. */
  function isBusy() {
    const selection = document.getSelection();
    return main.querySelector("input:focus, select:focus, textarea:focus") !== null
      || [...touched, ...main.querySelectorAll("textarea")].some(isEdited) || main.matches(":active")
      || (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode));
  }

  function plan() {
    clearTimeout(timer);
    if (!isOver && isOn(live)) timer = setTimeout(refresh, pause);
  }

  async function refresh() {
    asking.abort();
    clearTimeout(timer);
    // Whoever comes back to the page, or has it kept up to date again, starts it anew.
    if (document.hidden || isOver || !isOn(live)) return;
    if (isBusy()) return plan();
    const mine = asking = new AbortController();
    const isWanted = () => mine === asking && isOn(live);
    const deadline = setTimeout(() => mine.abort(), 30_000);
    asked = Date.now();
    try {
      const headers = tag ? { "If-None-Match": tag } : {};
      const answer = await fetch(location.href, { headers, redirect: "manual", signal: mine.signal });
      if (await take(answer, isWanted)) stop();
    } catch {
      if (isWanted()) pause = Math.min(longestPause, pause * 2);
    }
    clearTimeout(deadline);
    // A later question plans for itself.
    if (!isWanted()) return;
    tellTimes();
    plan();
  }

  /** @returns whether nothing more will come: signed out, not allowed, or gone. */
  async function take(answer, isWanted) {
    if (answer.type === "opaqueredirect" || [401, 403, 404, 410].includes(answer.status)) return true;
    if (answer.status !== 200 && answer.status !== 304) {
      const wanted = Number(answer.headers.get("Retry-After")) * 1000 || 0;
      pause = Math.min(longestPause, Math.max(pause * 2, wanted));
      return false;
    }
    const date = Date.parse(answer.headers.get("Date") ?? "");
    if (answer.status === 200) {
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!isWanted() || isBusy() || !page.getElementById("main")) return false;
      show(page);
      tag = answer.headers.get("ETag");
    }
    pause = shortestPause;
    if (date) confirm(date);
    return false;
  }

  function stop() {
    isOver = true;
    status.append("Live updates stopped. ", element("a", { href: location.href, textContent: "Reload" }));
  }

  // A clock that is behind the page itself is wrong.
  ahead = Math.max(0, Date.parse(asOf()?.dateTime ?? "") - Date.now() || 0);
  tellTimes();
  setInterval(() => document.hidden || tellTimes(), 15_000);
  plan();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    tellTimes();
    return Date.now() - asked >= pause ? refresh() : plan();
  });

  // MARK: Keys

  /** A box in the dialog, for what this browser remembers. */
  function choice(setting, words, changed) {
    const box = element("input", { type: "checkbox", checked: isOn(setting) });
    box.addEventListener("change", () => {
      try { localStorage.setItem(setting, box.checked ? "on" : "off"); } catch { chosen[setting] = box.checked; }
      changed?.();
    });
    // Chosen in another window.
    addEventListener("storage", () => box.checked === isOn(setting) || box.click());
    return element("label", {}, box, ` ${words}`);
  }

  const keys = [
    ["j or ↓, k or ↑", "next row, previous row (arrow keys: once a row has the focus)"], ["Enter", "open the row"],
    ["/", "search"], ["?", "show shortcuts"], ["Esc", "leave the search field, close this window"],
  ];
  const dialog = element(
    "dialog", {},
    element("h2", { id: "shortcuts", textContent: "Keyboard shortcuts" }),
    element("dl", { className: "keys" }, ...keys.map(([key, meaning]) =>
      element("div", {}, element("dt", {}, element("kbd", { textContent: key })), element("dd", { textContent: meaning })))),
    element("form", { method: "dialog" },
      element("div", {}, choice(usesKeys, "Enable shortcuts"), isOver ? "" : choice(live, "Live updates", refresh)),
      element("button", { autofocus: true, textContent: "Close" })));
  dialog.setAttribute("aria-labelledby", "shortcuts");

  const showKeys = () => dialog.showModal();
  const opener = element("button", { className: "quiet", type: "button", textContent: "Keyboard shortcuts", onclick: showKeys });
  tools.prepend(opener, " ");
  document.body.append(dialog);

  function move(step) {
    const links = [...main.querySelectorAll("tbody th > a")].filter((link) => link.getClientRects().length > 0);
    const row = document.activeElement?.closest("tr");
    const current = links.findIndex((link) => link.closest("tr") === row);
    const link = links[current < 0 ? 0 : Math.min(links.length - 1, Math.max(0, current + step))];
    link?.focus();
    return link !== undefined;
  }

  function toSearch() {
    const search = main.querySelector("input[type=search]");
    search?.focus();
    search?.select();
    return search !== null;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const field = event.target.closest?.("input, select, textarea");
    if (field || dialog.open) {
      if (event.key === "Escape" && field?.type === "search") field.blur();
      return;
    }
    const isInRow = event.target.closest?.("tbody tr") !== null;
    const acts = {
      j: () => move(1), k: () => move(-1), ArrowDown: () => isInRow && move(1), ArrowUp: () => isInRow && move(-1),
      "/": toSearch, "?": showKeys,
    };
    if (isOn(usesKeys) && Object.hasOwn(acts, event.key) && acts[event.key]() !== false) event.preventDefault();
  });
})();
