"use strict";

// The token comes behind the #, which browsers send to nobody. It is kept for this tab alone, and
// taken out of the address, so that it is in no history and on no screenshot.
const token = (() => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem("token", given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("token") || "";
})();

const isChinese = navigator.language.toLowerCase().startsWith("zh");
const words = isChinese
  ? {
      about: "你的 AI 编程助手的长期记忆，只在这台机器上：",
      ask: "搜索记忆", go: "搜索", back: "返回", none: "没有相关的记忆。",
      important: "重要", outdated: "过时", translated: "经翻译", private: "私密", edit: "编辑", keep: "保存", cancel: "取消",
      delete: "删除", deleted: "已删除：", undo: "撤销", undone: "已恢复：", draft: "这一节的原文",
      take: "导出：", plain: "导出（内容为明文，未加密，请妥善保管）：", recent: "最近的记忆", found: "找到的条数：", method: "搜索方式", methods: { keyword: "按关键词", semantic: "按语义", hybrid: "两者并用" }, noToken: "请用 `memory serve` 打印的完整地址打开本页：令牌在 # 之后。",
    }
  : {
      about: "The long-term memory of your AI coding assistants, on this machine only:",
      ask: "Search the memory", go: "Search", back: "Back", none: "Nothing relevant is stored.",
      important: "Important", outdated: "Outdated", translated: "translated", private: "Private", edit: "Edit", keep: "Save", cancel: "Cancel",
      delete: "Delete", deleted: "Deleted:", undo: "Undo", undone: "Brought back:", draft: "The text of this section",
      take: "Export:", plain: "Export (plain text, not encrypted: keep it safe):", recent: "The latest", found: "Found: ", method: "How to search", methods: { keyword: "by words", semantic: "by meaning", hybrid: "by both" }, noToken: "Open the whole address that `memory serve` printed: the token is behind the #.",
    };

const at = (id) => document.getElementById(id);

async function get(path, { method = "GET", body, headers } = {}) {
  const response = await fetch(path, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }), ...headers },
    body: body && JSON.stringify(body),
  });
  if (response.ok) return response;
  const { error } = await response.json();
  throw new Error(response.status === 401 ? words.noToken : [error.message, error.hint].filter(Boolean).join(" — "));
}

const ask = async (path) => (await get(path)).json();

// A link can't bring the token along: what was fetched becomes a file of the page's own.
async function take(form) {
  const response = await get(`/api/export?format=${form}`);
  const link = document.createElement("a");
  link.download = response.headers.get("content-disposition").split('"')[1];
  link.href = URL.createObjectURL(await response.blob());
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Characters that hide or reverse text are shown by their numbers.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const shown = (text) => text.replace(hidden, (one) =>
  `[U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

// Memory text is only ever set as text: it is shown, and nothing of it is run.
function show(sessions, title, warnings = []) {
  at("told").className = sessions.length ? "note" : "";
  at("told").textContent = [sessions.length ? title : words.none, ...warnings].join(" — ");
  at("hits").replaceChildren(...sessions.map((one) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const topic = document.createElement("div");
    const small = document.createElement("small");
    topic.dir = "auto";
    topic.textContent = shown(one.topic);
    small.textContent = shown([one.id, one.scope === "global" ? one.project : "", one.translated ? `[${words.translated}]` : "", one.snippet || one.tags.map((tag) => `#${tag}`).join(" ")].filter(Boolean).join("  "));
    button.append(topic, small);
    button.addEventListener("click", () => attempt(() => read(one)));
    item.append(button);
    return item;
  }));
}

// What is being read: its address, its text as in the file, and the tag that an edit must name.
let opened = null;
const flags = ["important", "outdated", "private"];

const read = (one) => load(`/api/sessions/${encodeURIComponent(one.id)}?scope=${one.scope}`);

async function load(path, change) {
  const response = await get(path, change);
  const { session, text } = await response.json();
  opened = { path, text, session, tag: response.headers.get("etag") };
  at("title").textContent = `${session.id}  ${shown(session.topic)}`;
  at("text").textContent = shown(text);
  for (const name of flags) at(name).setAttribute("aria-pressed", session[name]);
  edit(false);
  turn(true);
  at("title").focus();
}

const mark = (name) =>
  load(opened.path, { method: "PATCH", body: { [name]: !opened.session[name] } });

function edit(isEditing) {
  at("editing").hidden = !isEditing;
  at("text").hidden = at("acts").hidden = isEditing;
  if (!isEditing) return;
  at("draft").value = opened.text;
  at("draft").focus();
}

// A text that can't be kept stays in its field, with the reason above it.
const keep = () =>
  load(opened.path, { method: "PUT", body: { text: at("draft").value }, headers: { "If-Match": opened.tag } });

async function remove() {
  const scope = opened.session.scope;
  const answer = await (await get(opened.path, { method: "DELETE" })).json();
  await search(at("words").value.trim());
  tell(`${words.deleted} ${opened.session.id}`);
  at("undo").hidden = !answer.undo;
  at("undo").onclick = () => attempt(() => undo(answer.undo, scope));
}

async function undo(operation, scope) {
  const answer = await (await get(`/api/undo?scope=${scope}`, { method: "POST", body: { operation } })).json();
  await search(at("words").value.trim());
  tell(`${words.undone} ${answer.ids.join(" ")}`);
}

function tell(text, kind = "note") {
  at("undo").hidden = true;
  at("told").hidden = false;
  at("told").className = kind;
  at("told").textContent = text;
  at("told").scrollIntoView({ block: "nearest" });
}

function turn(isReading) {
  at("reading").hidden = !isReading;
  at("hits").hidden = at("told").hidden = isReading;
  at("undo").hidden = true;
}

async function search(question) {
  turn(false);
  if (!question) {
    const answer = await ask("/api/days?days=7");
    show(answer.days.flatMap((day) => day.sessions.reverse()), words.recent);
    return;
  }
  const answer = await ask(`/api/search?k=20&method=${at("method").value}&q=${encodeURIComponent(question)}`);
  show(answer.results, `${words.found}${answer.count}`, answer.warnings);
}

// Without search by meaning there is nothing to choose: the field stays hidden and empty.
function offer(chosen) {
  at("method").append(...Object.entries(words.methods).map(([name, label]) => new Option(label, name, false, name === chosen)));
  at("method").hidden = false;
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    if (at("reading").hidden && at("panel").hidden) at("hits").replaceChildren();
    tell(error.message, "error");
  }
}

document.documentElement.lang = isChinese ? "zh-CN" : "en";
at("about").textContent = words.about;
at("words").placeholder = words.ask;
at("words").setAttribute("aria-label", words.ask);
at("method").setAttribute("aria-label", words.method);
at("go").textContent = words.go;
at("back").textContent = words.back;
at("take").textContent = words.take;
at("draft").setAttribute("aria-label", words.draft);
for (const name of ["edit", "keep", "cancel", "delete", "undo"]) at(name).textContent = words[name];
for (const name of flags) {
  at(name).textContent = words[name];
  at(name).addEventListener("click", () => attempt(() => mark(name)));
}
at("edit").addEventListener("click", () => edit(true));
at("cancel").addEventListener("click", () => edit(false));
at("delete").addEventListener("click", () => attempt(remove));
at("editing").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(keep);
});
for (const form of ["json", "zip"]) at(form).addEventListener("click", () => attempt(() => take(form)));
at("back").addEventListener("click", () => turn(false));
at("method").addEventListener("change", () => at("words").value && at("ask").requestSubmit());
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(() => search(at("words").value.trim()));
});
attempt(async () => {
  const memory = await ask("/api/memory");
  at("about").textContent = `${words.about} ${memory.project || memory.roots[0].path}`;
  if (memory.encrypted) at("take").textContent = words.plain;
  if (memory.method) offer(memory.method);
  await search("");
});
