// Updates an open page: reloads its content, refreshes relative times, and handles keyboard shortcuts.
// Every page works without this script. Users can switch off each feature. The script requests only the current page.
"use strict";
(() => {
  const main = document.getElementById("main");
  const footer = document.querySelector("footer");
  if (!main || !footer) return;

  function element(name, properties, ...children) {
    const node = Object.assign(document.createElement(name), properties);
    node.append(...children);
    return node;
  }

  /** Settings of this page view, used if `localStorage` is not available. */
  const pageSettings = {};
  const isOn = (setting) => {
    if (setting in pageSettings) return pageSettings[setting];
    try { return localStorage.getItem(setting) !== "off"; } catch { return true; }
  };

  // MARK: Times

  /** Milliseconds by which the server's clock is ahead of the browser's. */
  let clockOffset = 0;
  const now = () => Date.now() + clockOffset;
  /** Returns the element in the footer with the time at which the page was up to date. */
  const updatedTime = () => footer.querySelector(":scope > span > time");
  const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

  /** Formats a time like the server does. */
  function relativeTime(at, now) {
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

  function updateRelativeTimes() {
    for (const time of main.querySelectorAll("time")) {
      if (!/(^just now|ago)$/.test(time.textContent)) continue;
      const text = relativeTime(Date.parse(time.dateTime), now());
      if (time.textContent !== text) time.textContent = text;
    }
  }

  /** Shows in the footer that the page was up to date at the server's time `at`. */
  function setUpdatedTime(at) {
    clockOffset = at - Date.now();
    const time = updatedTime();
    if (!time) return;
    time.dateTime = new Date(at).toISOString().replace(/\.\d+/, "");
    time.textContent = `${time.dateTime.slice(0, 10)} ${time.dateTime.slice(11, 16)} UTC`;
  }

  // Shows the exact time in the browser's time zone as a tooltip.
  main.addEventListener("pointerover", (event) => {
    const time = event.target.closest?.("time");
    if (time) time.title = new Date(time.dateTime).toLocaleString();
  });

  // MARK: Updating the content

  /** Controls in the footer. The status element exists from the start, so that screen readers announce its changes. */
  const status = document.createElement("output");
  const tools = element("span", { id: "tools" }, status);
  footer.append(tools);

  /** Returns the identity of a node: its id, or for a table row the target of its link; otherwise null. */
  const key = (node) => node.id
    || (node.nodeName === "TR" && node.querySelector("th a")?.getAttribute("href")) || null;
  const isAlike = (one, other) => one.nodeName === other.nodeName && one.className === other.className;
  const numbers = (row) => [...row.querySelectorAll(".num")].map((cell) => cell.textContent).join();

  /** Makes `old` equal to `fresh`. Nodes that are equal stay, and so do focus, open details and the pointer's target. */
  function patch(old, fresh) {
    if (old === tools || old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) return void (old.nodeValue = fresh.nodeValue);
    const hasNewNumbers = old.nodeName === "TR" && numbers(old) !== numbers(fresh);
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    for (const { name } of [...old.attributes]) {
      // Keeps what the visitor changed: opened details and resized text areas.
      const isFromVisitor = name === "open" && old.nodeName === "DETAILS" || name === "style";
      if (!isFromVisitor && !fresh.hasAttribute(name)) old.removeAttribute(name);
    }
    patchChildren(old, [...fresh.childNodes]);
    if (hasNewNumbers) highlight(old);
  }

  function patchChildren(parent, wanted) {
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
        if (name) highlight(added);
        continue;
      }
      if (found === next) next = next.nextSibling;
      else parent.insertBefore(found, next);
      patch(found, fresh);
    }
    while (next) [next] = [next.nextSibling, next.remove()];
  }

  /** Highlights a changed row for three seconds. The style sheet respects the setting for reduced motion. */
  function highlight(row) {
    row.classList.add("changed");
    setTimeout(() => row.classList.remove("changed"), 3000);
  }

  /** Returns the element that the visitor probably reads: the focused element if it is visible, else the first element in the window. */
  function elementInView(focused) {
    const box = (part) => part.getBoundingClientRect();
    const isInSight = (part) => box(part).bottom > 0 && box(part).top < innerHeight;
    const parts = [...main.querySelectorAll("tbody tr, .card > *, .facts, .head")];
    const own = parts.findLast((part) => part.contains(focused));
    if (own && isInSight(own)) return own;
    const seen = parts.filter((part) => part.getClientRects().length > 0 && isInSight(part));
    const startingInSight = seen.filter((part) => box(part).top >= 0);
    return startingInSight.sort((one, other) => box(one).top - box(other).top)[0] ?? seen.at(-1);
  }

  /** Shows the content of another page. The element that the visitor reads keeps its position on the screen. */
  function show(page) {
    const focused = document.activeElement;
    const anchor = elementInView(focused);
    const top = anchor?.getBoundingClientRect().top;
    const isScrolled = window.scrollY > 0;
    document.title = page.title;
    page.querySelector("footer")?.append(tools.cloneNode());
    for (const part of ["header", "main", "footer"]) {
      const [old, fresh] = [document, page].map((whole) => whole.querySelector(part));
      if (old && fresh) patch(old, fresh);
    }
    // A row loses the focus when it moves.
    if (focused?.isConnected && document.activeElement !== focused) focused.focus({ preventScroll: true });
    if (isScrolled && anchor?.isConnected) {
      window.scrollBy({ top: anchor.getBoundingClientRect().top - top, behavior: "instant" });
    }
  }

  // MARK: Requesting updates

  /** Names of settings in `localStorage`. */
  const [liveSetting, shortcutsSetting] = ["leaks.live", "leaks.keys"];
  const [shortestPause, longestPause] = [15_000, 300_000];
  let [pause, timer, lastRequestAt] = [shortestPause, 0, Date.now()];
  let isStopped = !main.hasAttribute("data-live");
  /** Aborts the current request (at most one). */
  let abortController = new AbortController();
  /** The entity tag of the content that is shown; null before the first response. */
  let tag = null;

  const changedFields = new Set();
  main.addEventListener("input", (event) => changedFields.add(event.target));
  const isEdited = (field) => field.isConnected && (field.nodeName === "SELECT"
    ? field.selectedIndex !== Math.max(0, [...field.options].findIndex((option) => option.defaultSelected))
    : field.checked !== field.defaultChecked || field.value !== field.defaultValue);

  /** Returns true if an update would disturb the visitor: an edited field, a selection, or a pressed button. */
  function isBusy() {
    const selection = document.getSelection();
    return main.querySelector("input:focus, select:focus, textarea:focus") !== null
      || [...changedFields, ...main.querySelectorAll("textarea")].some(isEdited) || main.matches(":active")
      || (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode));
  }

  function scheduleUpdate() {
    clearTimeout(timer);
    if (!isStopped && isOn(liveSetting)) timer = setTimeout(refresh, pause);
  }

  async function refresh() {
    abortController.abort();
    clearTimeout(timer);
    // Updates start again when the page becomes visible or the setting is switched on.
    if (document.hidden || isStopped || !isOn(liveSetting)) return;
    if (isBusy()) return scheduleUpdate();
    const ownController = abortController = new AbortController();
    const isWanted = () => ownController === abortController && isOn(liveSetting);
    const deadline = setTimeout(() => ownController.abort(), 30_000);
    lastRequestAt = Date.now();
    try {
      const headers = tag ? { "If-None-Match": tag } : {};
      const response = await fetch(location.href, { headers, redirect: "manual", signal: ownController.signal });
      if (await apply(response, isWanted)) stop();
    } catch {
      if (isWanted()) pause = Math.min(longestPause, pause * 2);
    }
    clearTimeout(deadline);
    // A newer request has its own timer.
    if (!isWanted()) return;
    updateRelativeTimes();
    scheduleUpdate();
  }

  /** Applies a response. @returns true if no later request can succeed: signed out, not allowed, or deleted. */
  async function apply(response, isWanted) {
    if (response.type === "opaqueredirect" || [401, 403, 404, 410].includes(response.status)) return true;
    if (response.status !== 200 && response.status !== 304) {
      const wanted = Number(response.headers.get("Retry-After")) * 1000 || 0;
      pause = Math.min(longestPause, Math.max(pause * 2, wanted));
      return false;
    }
    const date = Date.parse(response.headers.get("Date") ?? "");
    if (response.status === 200) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (!isWanted() || isBusy() || !page.getElementById("main")) return false;
      show(page);
      tag = response.headers.get("ETag");
    }
    pause = shortestPause;
    if (date) setUpdatedTime(date);
    return false;
  }

  function stop() {
    isStopped = true;
    status.append("Live updates stopped. ", element("a", { href: location.href, textContent: "Reload" }));
  }

  // If the browser's clock is behind the time of the page, it is wrong, and the page's time is used.
  clockOffset = Math.max(0, Date.parse(updatedTime()?.dateTime ?? "") - Date.now() || 0);
  updateRelativeTimes();
  setInterval(() => document.hidden || updateRelativeTimes(), 15_000);
  scheduleUpdate();
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    updateRelativeTimes();
    return Date.now() - lastRequestAt >= pause ? refresh() : scheduleUpdate();
  });

  // MARK: Keyboard shortcuts

  /** Returns a check box of the dialog for a setting that the browser stores. */
  function settingBox(setting, label, changed) {
    const box = element("input", { type: "checkbox", checked: isOn(setting) });
    box.addEventListener("change", () => {
      try { localStorage.setItem(setting, box.checked ? "on" : "off"); } catch { pageSettings[setting] = box.checked; }
      changed?.();
    });
    // Adopts a change of the setting in another window.
    addEventListener("storage", () => box.checked === isOn(setting) || box.click());
    return element("label", {}, box, ` ${label}`);
  }

  const keys = [
    ["j or ↓, k or ↑", "next row, previous row (arrow keys: once a row has the focus)"], ["Enter", "open the row"],
    ["/", "search"], ["?", "show shortcuts"], ["Esc", "leave the search field, close this dialog"],
  ];
  const dialog = element(
    "dialog", {},
    element("h2", { id: "shortcuts", textContent: "Keyboard shortcuts" }),
    element("dl", { className: "keys" }, ...keys.map(([key, meaning]) =>
      element("div", {}, element("dt", {}, element("kbd", { textContent: key })), element("dd", { textContent: meaning })))),
    element("form", { method: "dialog" },
      element("div", {}, settingBox(shortcutsSetting, "Enable shortcuts"), isStopped ? "" : settingBox(liveSetting, "Live updates", refresh)),
      element("button", { autofocus: true, textContent: "Close" })));
  dialog.setAttribute("aria-labelledby", "shortcuts");

  const showKeys = () => dialog.showModal();
  const opener = element("button", { className: "quiet", type: "button", textContent: "Keyboard shortcuts", onclick: showKeys });
  tools.prepend(opener, " ");
  document.body.append(dialog);

  function moveFocus(step) {
    const links = [...main.querySelectorAll("tbody th > a")].filter((link) => link.getClientRects().length > 0);
    const row = document.activeElement?.closest("tr");
    const current = links.findIndex((link) => link.closest("tr") === row);
    const link = links[current < 0 ? 0 : Math.min(links.length - 1, Math.max(0, current + step))];
    link?.focus();
    return link !== undefined;
  }

  function focusSearch() {
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
    const actions = {
      j: () => moveFocus(1), k: () => moveFocus(-1),
      ArrowDown: () => isInRow && moveFocus(1), ArrowUp: () => isInRow && moveFocus(-1),
      "/": focusSearch, "?": showKeys,
    };
    if (isOn(shortcutsSetting) && Object.hasOwn(actions, event.key) && actions[event.key]() !== false) event.preventDefault();
  });
})();
