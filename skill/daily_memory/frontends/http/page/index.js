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
      take: "导出：", recent: "最近的记忆", found: "找到的条数：", noToken: "请用 `memory serve` 打印的完整地址打开本页：令牌在 # 之后。",
    }
  : {
      about: "The long-term memory of your AI coding assistants, on this machine only:",
      ask: "Search the memory", go: "Search", back: "Back", none: "Nothing relevant is stored.",
      take: "Export:", recent: "The latest", found: "Found: ", noToken: "Open the whole address that `memory serve` printed: the token is behind the #.",
    };

const at = (id) => document.getElementById(id);

async function get(path) {
  const response = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
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

// What hides, or reverses what stands behind it, is shown by its number.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const shown = (text) => text.replace(hidden, (one) =>
  `[U+${one.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`);

// Memory text is only ever set as text: whatever stands in it is shown, and nothing of it is run.
function show(sessions, title) {
  at("told").className = sessions.length ? "note" : "";
  at("told").textContent = sessions.length ? title : words.none;
  at("hits").replaceChildren(...sessions.map((one) => {
    const item = document.createElement("li");
    const button = document.createElement("button");
    const topic = document.createElement("div");
    const small = document.createElement("small");
    topic.dir = "auto";
    topic.textContent = shown(one.topic);
    small.textContent = shown([one.id, one.scope === "global" ? one.project : "", one.snippet || one.tags.map((tag) => `#${tag}`).join(" ")].filter(Boolean).join("  "));
    button.append(topic, small);
    button.addEventListener("click", () => attempt(() => read(one)));
    item.append(button);
    return item;
  }));
}

async function read(one) {
  const answer = await ask(`/api/sessions/${encodeURIComponent(one.id)}?scope=${one.scope}`);
  at("title").textContent = `${answer.session.id}  ${shown(answer.session.topic)}`;
  at("text").textContent = shown(answer.text);
  turn(true);
  at("title").focus();
}

function turn(isReading) {
  at("reading").hidden = !isReading;
  at("hits").hidden = at("told").hidden = isReading;
}

async function search(question) {
  turn(false);
  if (!question) {
    const answer = await ask("/api/days?days=7");
    show(answer.days.flatMap((day) => day.sessions.reverse()), words.recent);
    return;
  }
  const answer = await ask(`/api/search?k=20&q=${encodeURIComponent(question)}`);
  show(answer.results, `${words.found}${answer.count}`);
}

async function attempt(work) {
  try {
    await work();
  } catch (error) {
    turn(false);
    at("hits").replaceChildren();
    at("told").className = "error";
    at("told").textContent = error.message;
  }
}

document.documentElement.lang = isChinese ? "zh-CN" : "en";
at("about").textContent = words.about;
at("words").placeholder = words.ask;
at("words").setAttribute("aria-label", words.ask);
at("go").textContent = words.go;
at("back").textContent = words.back;
at("take").textContent = words.take;
for (const form of ["json", "zip"]) at(form).addEventListener("click", () => attempt(() => take(form)));
at("back").addEventListener("click", () => turn(false));
at("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(() => search(at("words").value.trim()));
});
attempt(async () => {
  const memory = await ask("/api/memory");
  at("about").textContent = `${words.about} ${memory.project || memory.roots[0].path}`;
  await search("");
});
