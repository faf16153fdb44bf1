"use strict";

// The server renders the pages. This script asks for them with the token, which no link can carry,
// shows them under their own addresses, and sends forms as JSON to the API.

const root = document.documentElement;
const at = (id) => document.getElementById(id);

// ---------------------------------------------------------------------------- token

// The token comes behind the #, which browsers send to nobody. It is kept for this tab alone and
// taken out of the address, so that it is in no history and on no screenshot. A new tab asks the
// others of this origin.
const tabs = new BroadcastChannel("daily-memory");
let token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
  sessionStorage.token = token;
  history.replaceState(null, "", location.pathname + location.search);
} else {
  token = sessionStorage.token || "";
}
tabs.onmessage = ({ data }) => {
  if (data === "token?" && token) tabs.postMessage({ token });
  else if (data.token && !token) unlock(data.token);
};

function unlock(given) {
  token = sessionStorage.token = given.trim();
  visit(location.href, { push: false });
}

function lock() {
  token = "";
  sessionStorage.removeItem("token");
  if (!at("unlock")) return location.reload(); // the frame has the form
  at("loading").hidden = true;
  at("unlock").hidden = false;
  at("unlock").elements.token.focus();
  tabs.postMessage("token?");
}

async function ask(address, { method = "GET", body, match, signal } = {}) {
  const headers = { Authorization: `Bearer ${token}`, "Accept-Language": localStorage.language || navigator.language };
  if (body) headers["Content-Type"] = "application/json";
  if (match) headers["If-Match"] = match;
  try {
    return await fetch(address, { method, headers, signal, body: body && JSON.stringify(body) });
  } catch (error) {
    if (error.name !== "AbortError") tell(document.body.dataset.offline, { isError: true });
    throw error;
  }
}

// ---------------------------------------------------------------------------- pages

let visiting = null;

// Shows the page at an address; `only` names the part to replace, "" is what may have changed.
async function visit(address, { push = true, only = "", y = 0 } = {}) {
  if (!token) return lock();
  visiting?.abort();
  visiting = new AbortController();
  const slow = setTimeout(() => root.classList.add("busy"), 250);
  try {
    const response = await ask(address, { signal: visiting.signal });
    if (response.status === 401) return lock();
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (push) {
      history.replaceState({ y: scrollY }, "");
      history.pushState(null, "", address);
    }
    show(page, only);
    if (!only) settle(new URL(address, location.href), y);
  } catch (error) {
    if (error.name !== "AbortError") throw error;
  } finally {
    clearTimeout(slow);
    root.classList.remove("busy");
  }
}

// What is parsed here runs no script, and the policy would let none run.
function show(page, only) {
  const isOther = page.documentElement.lang !== root.lang || !at("search");
  root.lang = page.documentElement.lang;
  document.title = page.title;
  if (isOther) {
    document.body.replaceWith(page.body);
    dress();
  } else if (only && at(only) && page.getElementById(only)) {
    at(only).replaceWith(page.getElementById(only));
  } else {
    at("views").replaceWith(page.getElementById("views"));
    at("main").replaceWith(page.getElementById("main"));
  }
}

function settle(url, y) {
  if (document.activeElement !== at("q")) at("q").value = url.pathname === "/" ? url.searchParams.get("q") || "" : "";
  const target = url.hash && at(decodeURIComponent(url.hash.slice(1)));
  if (target) {
    target.classList.add("target");
    target.scrollIntoView({ block: "center" });
  } else scrollTo(0, y);
  document.querySelector("#views [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  if (document.activeElement === document.body) at("main").focus({ preventScroll: true });
}

const again = () => visit(location.href, { push: false, y: scrollY });

// The address of a search: what is empty or usual is left out.
function wanted() {
  const fields = [...new FormData(at("search"))].filter(([name, value]) => value && !(name === "kind" && value === "session"));
  return `/?${new URLSearchParams(fields)}`;
}

let typing = 0;

function search(wait) {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const isHere = location.pathname === "/";
    const address = wanted();
    if (isHere) history.replaceState(null, "", address);
    visit(address, { push: !isHere, only: isHere ? "results" : "" });
  }, wait);
}

// ---------------------------------------------------------------------------- changes

function tell(text, { undo, isError = false } = {}) {
  const [span, button] = at("toast").children;
  span.textContent = text;
  at("toast").className = isError ? "shown error" : "shown";
  button.hidden = !undo;
  button.onclick = () => send({ action: "/api/undo", method: "POST", sent: JSON.stringify({ operation: undo }), done: document.body.dataset.undone });
  clearTimeout(tell.timer);
  if (!isError) tell.timer = setTimeout(() => { at("toast").className = ""; }, undo ? 15000 : 4000);
}

// Sends what a form or a button says, tells what came of it, and shows the page as it is now.
async function send({ action, method, sent = "{}", match, done, then, sure }, fields = {}) {
  if (sure && !confirm(sure)) return;
  const hasBody = method !== "DELETE";
  const response = await ask(action, { method, match: match && `"${match}"`, body: hasBody ? { ...JSON.parse(sent || "{}"), ...fields } : undefined });
  const answer = await response.json();
  if (!response.ok) {
    const { message, hint } = answer.error;
    return tell([message, hint].filter(Boolean).join(" — "), { isError: true });
  }
  await (then ? visit(then) : again());
  tell([done, ...(answer.warnings || [])].join(" — "), { undo: answer.undo });
}

function typed(field) {
  if (field.type === "checkbox") return field.checked;
  if (field.type === "number") return field.value === "" ? null : Number(field.value);
  if ("lines" in field.dataset) return field.value.split("\n").filter((line) => line.trim());
  return field.value;
}

// A link can't bring the token along: what was fetched becomes a file of the page's own.
async function download(address) {
  const response = await ask(address);
  if (!response.ok) return tell((await response.json()).error.message, { isError: true });
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition"))[1];
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(await response.blob()), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// ---------------------------------------------------------------------------- looks

function dress() {
  const theme = localStorage.theme || "auto";
  root.dataset.theme = theme;
  const button = at("theme");
  if (!button) return;
  button.title = `${button.dataset.label}: ${button.dataset[theme]}`;
  button.setAttribute("aria-label", button.title);
}

function nextTheme() {
  const themes = ["auto", "light", "dark"];
  localStorage.theme = themes[(themes.indexOf(root.dataset.theme) + 1) % themes.length];
  dress();
}

// ---------------------------------------------------------------------------- events

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.id === "language") {
    localStorage.language = button.dataset.to;
    if (at("search")) again(); else location.reload();
  } else if (button?.id === "theme") nextTheme();
  else if (button?.id === "keys") at("help").showModal();
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || link.getAttribute("href").startsWith("#") || /^\/(docs|openapi)/.test(url.pathname)) return;
  if (url.protocol === "blob:") return;
  event.preventDefault();
  if (link.hasAttribute("download")) download(link.href);
  else visit(link.href);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method === "dialog") return;
  event.preventDefault();
  if (form.id === "unlock") unlock(form.elements.token.value);
  else if (form.id === "search") search(0);
  else {
    const fields = Object.fromEntries([...form.elements].filter((field) => field.name).map((field) => [field.name, typed(field)]));
    send({ action: form.getAttribute("action"), ...form.dataset, ...event.submitter?.dataset }, fields);
  }
});

document.addEventListener("input", (event) => {
  if (event.target.id === "q") search(150);
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form?.id === "search" && event.target.id !== "q") search(0);
  else if (form?.classList.contains("setting")) form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || at("help")?.open) return;
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
  if (event.key === "Escape") {
    if (isTyping) {
      event.preventDefault(); // a search field would lose its words
      event.target.blur();
    }
    else if (at("toast").className) at("toast").className = "";
    else if (location.pathname !== "/") history.back();
    return;
  }
  if (isTyping) return;
  if (event.key === "/" && at("q")) at("q").select();
  else if (event.key === "?") at("help").showModal();
  else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else return;
  event.preventDefault();
});

// The next line of a list, or the one before; Enter follows its link, as browsers do.
function step(by) {
  const items = [...document.querySelectorAll("[data-item]")].map((item) => item.matches("a") ? item : item.querySelector("a, input, select, textarea, button") || item);
  if (!items.length) return;
  const now = items.indexOf(document.activeElement);
  const next = items[Math.min(items.length - 1, Math.max(0, now + by))];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

addEventListener("popstate", (event) => visit(location.href, { push: false, y: event.state?.y || 0 }));
history.scrollRestoration = "manual";
dress();
document.addEventListener("DOMContentLoaded", () => {
  dress();
  if (at("unlock")) visit(location.href, { push: false });
});
