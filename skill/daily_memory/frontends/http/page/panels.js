"use strict";

// The other views of the page: what should be looked at, the report, and the settings. As in
// index.js, whatever comes from the memory is set as text, and nothing of it is run.

const said = isChinese
  ? {
      sessions: "会话", review: "审核", report: "报告", settings: "设置",
      contradiction: "后来有矛盾的", outdated: "可能过时的", duplicate: "几乎相同的", poor: "内容单薄或杂乱的",
      important: "长期重要的", summary: "摘要", nothing: "没有需要看的。", cleanup: "可以整理的", command: "命令：",
      looked: "已看过的会话：", markOutdated: "标记为过时", more: "只列出前几条；全部：memory review --limit 0",
      days: "有记录的天数", observations: "观察", flagged: "标记", byDay: "每天的会话", tags: "标签", topics: "各标签随时间",
      projects: "项目", hosts: "来源程序", hidden: "已隐藏的内容", recall: "回忆", conversations: "实时会话", told: "告知次数",
      used: "有使用迹象", quality: "摘要质量", good: "好", fair: "一般", bad: "差", sizes: "占用空间", daily: "每日文件",
      index: "索引", archive: "归档", private: "私密", foreign: "他人的", empty: "还没有记录。",
      reading: "正在读取所有文件……", end: "。",
      default: "恢复默认", changed: "已保存：", elsewhere: "只能在命令行修改：memory config set --global",
      encrypted: "用 memory encrypt 或 memory decrypt", range: "允许的范围：", list: "每行一条",
    }
  : {
      sessions: "Sessions", review: "Review", report: "Report", settings: "Settings",
      contradiction: "Contradicted later", outdated: "Perhaps outdated", duplicate: "Nearly the same", poor: "Thin or noisy",
      important: "Important for long", summary: "Summary", nothing: "Nothing to look at.", cleanup: "Could be cleaned up", command: "Command:",
      looked: "Sessions looked at: ", markOutdated: "Mark as outdated", more: "The first of each kind; all: memory review --limit 0",
      days: "Days with sessions", observations: "Observations", flagged: "Marked", byDay: "Sessions by day", tags: "Tags", topics: "Tags over time",
      projects: "Projects", hosts: "Programs", hidden: "What was hidden", recall: "Recall", conversations: "Live sessions", told: "Times told",
      used: "Signs of use", quality: "Quality of digests", good: "Good", fair: "Fair", bad: "Poor", sizes: "Sizes", daily: "Day files",
      index: "Index", archive: "Archive", private: "Private", foreign: "Of others", empty: "Nothing is recorded yet.",
      reading: "Reading all files …", end: ".",
      default: "Default", changed: "Saved: ", elsewhere: "on the command line only: memory config set --global",
      encrypted: "with memory encrypt or memory decrypt", range: "From", list: "one a line",
    };

// What each setting means; in English the server tells it.
const meanings = {
  "storage.location": "会话存在哪里：在项目里就存进项目，否则存进全局（project-first）；只存项目（project-only）；只存全局（global-only）",
  "storage.retention_days": "多少天以前的记忆由 memory cleanup 归档；0 表示永久保留",
  "storage.auto_archive": "每天第一次开始对话时，自动归档超过保留天数的记忆；memory restore 可以取回",
  "storage.max_file_size_mb": "每日文件不应超过的大小（MB）；memory cleanup --oversized 会把其中最早的会话归档",
  "storage.encryption": "记忆如何写入：明文（none）或加密（age）",
  "storage.key_file": "解密所用的密钥文件；留空为 ~/.config/daily-memory/key.txt",
  "storage.passphrase_command": "打印密钥口令的命令，不经 shell 运行",
  "storage.shared_mode": "谁可以读写入的文件：仅自己（private），或同组用户（group）",
  "storage.worktrees": "git worktree 各有自己的记忆（separate），还是共用主检出的记忆（shared）",
  "storage.safe_folders": "属于其他用户、但仍要使用的项目文件夹；/srv/work/* 表示其下的所有文件夹",
  "recording.auto_save": "不用吩咐就记录对话",
  "recording.save_code_snippets": "保留对话里的代码块",
  "recording.sanitize_sensitive": "写入之前隐藏密码、密钥和个人信息",
  "recording.redact_private_addresses": "隐藏内网地址",
  "recording.redact_patterns": "另外要隐藏的内容，正则表达式",
  "recording.redact_allow": "永不隐藏的文字或正则表达式",
  "recording.min_conversation_length": "用户说话少于这么多轮的对话不保存",
  "recording.language": "小标题的语言：随内容（auto），或固定为一种",
  "recording.digest": "一次对话保留多少：900 字符（brief）或 3200 字符（detailed）",
  "recording.agent_digest": "每个对话请 agent 自己保存一次要点：随用户的下一条消息（when-it-fits）、在一轮结束时（always，多一次请求），或从不（off）",
  "recording.summarizer": "由谁写摘要：本机规则（heuristic），或语言模型，对话会发送给它",
  "recording.summarizer_model": "要用的模型",
  "recording.summarizer_url": "模型接口的地址；留空为厂商的默认地址",
  "recording.summarizer_timeout_s": "最多等模型多少秒",
  "recording.summarizer_daily_calls": "每天最多请求模型多少次",
  "recording.summarizer_daily_tokens": "每天最多用多少 token",
  "recall.at_start": "新对话开始时，告诉它最近的决定和工作",
  "recall.at_prompt": "提问时，告诉对话记忆里的相关内容",
  "recall.max_chars": "一次最多告诉对话多少字符",
  "recall.review_days": "上次审核之后多少天提醒再次审核；0 表示从不",
  "retrieval.method": "如何搜索：关键词、语义，或两者并用（hybrid）",
  "retrieval.max_results": "一次搜索给出多少条结果",
  "retrieval.time_decay_rate": "每过一天，记忆还保留多少权重（下限之上）",
  "retrieval.time_decay_floor": "最旧的记忆仍保留的权重",
  "retrieval.search_scope_days": "只搜索最近多少天；0 表示全部",
  "retrieval.keyword_weight": "混合搜索里关键词分数的比重",
  "retrieval.translation_weight": "另一种语言（中文或英文）的记录所占的比重；0 为关闭",
  "retrieval.semantic_weight": "混合搜索里语义分数的比重",
  "semantic.enabled": "同时按语义搜索；需要嵌入模型",
  "semantic.provider": "嵌入从哪里来：本机的 sentence-transformers（local）、静态模型（model2vec）、兼容 OpenAI 接口的服务器（openai）或 Ollama",
  "semantic.model": "嵌入模型：名称或所在文件夹",
  "semantic.url": "嵌入服务器的地址；空则为默认地址",
  "mirror.enabled": "为实时会话保留一份 SQLite 副本，便于快速全文搜索",
};

// An element with properties and children; a text among these is shown as it is.
function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  Object.assign(made, properties);
  made.append(...children);
  return made;
}

// The name space of pictures looks like an address, and the pages name no other than this machine's.
const pictures = new DOMParser().parseFromString("<svg></svg>", "text/html").querySelector("svg").namespaceURI;

function svg(name, attributes, ...children) {
  const made = document.createElementNS(pictures, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// ---------------------------------------------------------------------------- review

async function reviewView() {
  const found = await ask("/api/review");
  const parts = [];
  for (const [kind, count] of Object.entries(found.counts)) {
    const findings = found.findings.filter((one) => one.kind === kind);
    if (count) parts.push(el("h2", {}, `${said[kind]}: ${count}`), el("ul", { className: "plain" }, ...findings.map(finding)));
    if (count > findings.length) parts.push(el("p", { className: "note" }, said.more));
  }
  if (!parts.length) parts.push(el("p", {}, said.nothing));
  const cleanup = el("div", {}, el("h2", {}, said.cleanup), el("p", { className: "note" }, said.reading));
  // Every file is searched for secrets: that takes longer, and is not waited for.
  attempt(async () => cleanup.replaceChildren(...proposed((await ask("/api/cleanup")).proposals)));
  return [el("p", { className: "note" }, `${said.looked}${found.sessions}`), ...parts, cleanup];
}

function proposed(proposals) {
  if (!proposals.length) return [];
  return [el("h2", {}, said.cleanup), el("ul", { className: "plain" }, ...proposals.map((one) =>
    el("li", {}, `${shown(one.what)}: ${shown(one.why)}`, el("pre", {}, shown(one.command)))))];
}

function finding(one) {
  const named = one.ids.map((id, place) => {
    const link = el("button", { type: "button", className: "link" }, `${id}  ${shown(one.topics[place])}`);
    link.addEventListener("click", () => attempt(async () => {
      await turnTo("sessions");
      await read({ id, scope: one.scope });
    }));
    return el("div", { dir: "auto" }, link);
  });
  const item = el("li", {}, ...named, el("div", {}, shown(one.reason)), el("pre", {}, shown(one.command)));
  if (one.command.endsWith("--outdated") && one.ids.length) {
    const mend = el("button", { type: "button" }, said.markOutdated);
    mend.addEventListener("click", () => attempt(async () => {
      await get(`/api/sessions/${encodeURIComponent(one.ids[0])}?scope=${one.scope}`, { method: "PATCH", body: { outdated: true } });
      await turnTo("review");
    }));
    item.append(mend);
  }
  return item;
}

// ---------------------------------------------------------------------------- report

const CELL = 13;

async function reportView() {
  const counts = await ask("/api/report");
  if (!counts.sessions && !counts.observations) return [el("p", {}, said.empty)];
  const { flags, quality, recall, bytes } = counts;
  const parts = [
    el("p", {}, `${counts.first} – ${counts.last}`),
    bars("", [[said.sessions, counts.sessions], [said.days, counts.days.filter((one) => one.sessions).length], [said.observations, counts.observations]], false),
    bars(said.flagged, [[said.important, flags.important], [said.outdated, flags.outdated], [said.private, flags.private], [said.foreign, flags.foreign]], false),
    el("h2", {}, said.byDay), el("div", { className: "scroll" }, heatMap(counts)),
    bars(said.tags, counts.tags.slice(0, 15).map((one) => [`#${one.tag}`, one.sessions])),
    overTime(counts.topics),
    bars(said.projects, counts.projects.map((one) => [one.project, one.sessions])),
    bars(said.hosts, counts.hosts.map((one) => [one.host, one.sessions])),
    bars(said.hidden, counts.redactions.map((one) => [one.kind, one.count])),
    bars(said.recall, [[said.conversations, recall.conversations], [said.told, recall.told], [said.used, recall.used]], false),
    bars(said.quality, [[said.good, quality.good], [said.fair, quality.fair], [said.bad, quality.poor]]),
    bars("", quality.reasons.map((one) => [one.reason, one.sessions])),
    bars(said.sizes, [[said.daily, bytes.daily], [said.observations, bytes.observations], [said.index, bytes.index], [said.archive, bytes.archive]]
      .map(([name, size]) => [name, size, `${(size / 1e6).toFixed(1)} MB`])),
  ];
  return parts.flat();
}

// A week is a column, as on a calendar; each day tells its number when it is pointed at.
function heatMap({ days, first, last }) {
  const number = new Map(days.map((one) => [one.date, one.sessions]));
  const most = Math.max(1, ...number.values());
  const start = new Date(`${first}T00:00:00Z`);
  const monday = (start.getUTCDay() + 6) % 7;
  const cells = [];
  let place = monday;
  for (const day = new Date(start); day <= new Date(`${last}T00:00:00Z`); day.setUTCDate(day.getUTCDate() + 1), place += 1) {
    const name = day.toISOString().slice(0, 10);
    const count = number.get(name) || 0;
    const level = count ? Math.ceil((4 * count) / most) : 0;
    cells.push(svg("rect", { x: Math.floor(place / 7) * CELL, y: (place % 7) * CELL, width: CELL - 2, height: CELL - 2, rx: 2, class: `heat${level}` },
      svg("title", {}, `${name}: ${count}`)));
  }
  const width = Math.ceil(place / 7) * CELL;
  return svg("svg", { viewBox: `0 0 ${width} ${7 * CELL}`, width, height: 7 * CELL, role: "img", "aria-label": said.byDay }, ...cells);
}

// Rows of a name, a number and, unless these are of different things, a bar.
function bars(title, rows, isDrawn = true) {
  const filled = rows.filter(([, count]) => count);
  if (!filled.length) return [];
  const most = Math.max(...filled.map(([, count]) => count));
  const lines = filled.map(([name, count, text]) => {
    const line = el("tr", {}, el("td", { dir: "auto" }, shown(String(name))), el("td", { className: "number" }, text || count.toLocaleString()));
    if (isDrawn) {
      const width = Math.max(2, (260 * count) / most);
      line.append(el("td", {}, svg("svg", { viewBox: "0 0 260 12", width: 260, height: 12, "aria-hidden": "true" },
        svg("rect", { width, height: 12, rx: 2, class: "bar" }))));
    }
    return line;
  });
  return [...(title ? [el("h2", {}, title)] : []), el("table", { className: "bars" }, el("tbody", {}, ...lines))];
}

function overTime({ periods, tags }) {
  if (periods.length < 2 || !tags.length) return [];
  const most = Math.max(1, ...tags.flatMap((one) => one.sessions));
  const step = Math.max(4, Math.floor(400 / periods.length));
  const lines = tags.map((one) => el("tr", {}, el("td", { dir: "auto" }, `#${shown(one.tag)}`),
    el("td", {}, svg("svg", { viewBox: `0 0 ${step * periods.length} 24`, width: step * periods.length, height: 24, role: "img", "aria-label": `${one.sessions.join(" ")}` },
      ...one.sessions.map((count, place) => svg("rect", { x: place * step, y: 24 - (24 * count) / most, width: step - 1, height: (24 * count) / most, class: "bar" },
        svg("title", {}, `${periods[place]}: ${count}`)))))));
  return [el("h2", {}, said.topics), el("table", { className: "bars" }, el("tbody", {}, ...lines))];
}

// ---------------------------------------------------------------------------- settings

async function settingsView() {
  const answer = await ask("/api/settings");
  const problems = answer.problems.map((one) => el("p", { className: "error" }, shown(one.message)));
  return [el("p", { className: "note" }, answer.path), ...problems, ...answer.settings.map(settingRow)];
}

function settingRow(one) {
  const field = fieldOf(one);
  const label = el("label", { htmlFor: field.id }, el("code", {}, one.name));
  const range = one.most === null ? "" : ` ${said.range} ${one.least} – ${one.most}${said.end}`;
  const meaning = (isChinese && meanings[one.name]) || one.meaning;
  const row = el("div", { className: "setting" }, label, field, el("p", { className: "note" }, `${meaning}${said.end}${range}`));
  field.disabled = !one.changeable;
  if (!one.changeable) row.append(el("p", { className: "note" }, one.name === "storage.encryption" ? said.encrypted : said.elsewhere));
  field.addEventListener("change", () => attempt(() => change(one.name, { method: "PUT", body: { value: valueOf(one, field) } })));
  if (one.changeable && JSON.stringify(one.value) !== JSON.stringify(one.default)) {
    const reset = el("button", { type: "button" }, `${said.default}: ${JSON.stringify(one.default)}`);
    reset.addEventListener("click", () => attempt(() => change(one.name, { method: "DELETE" })));
    row.append(reset);
  }
  return row;
}

function fieldOf({ name, value, default: usual, choices, least, most }) {
  const id = `set-${name}`;
  if (typeof usual === "boolean") return el("input", { id, type: "checkbox", checked: value });
  if (choices.length) return el("select", { id }, ...choices.map((one) => el("option", { value: one, selected: one === value }, one)));
  if (typeof usual === "number") return el("input", { id, type: "number", step: "any", min: least, max: most, value });
  if (Array.isArray(usual)) return el("textarea", { id, rows: Math.max(2, value.length), value: value.join("\n"), placeholder: said.list, spellcheck: false });
  return el("input", { id, type: "text", value });
}

function valueOf({ default: usual }, field) {
  if (typeof usual === "boolean") return field.checked;
  if (typeof usual === "number") return field.value === "" ? null : Number(field.value);
  if (Array.isArray(usual)) return field.value.split("\n").filter((line) => line.trim());
  return field.value;
}

// What was refused stays in its field, with the reason above.
async function change(name, request) {
  await get(`/api/settings/${name}`, request);
  const focused = document.activeElement && document.activeElement.id;
  await turnTo("settings");
  tell(`${said.changed}${name}`);
  if (focused && at(focused)) at(focused).focus({ preventScroll: true });
}

// ---------------------------------------------------------------------------- views

const views = { sessions: null, review: reviewView, report: reportView, settings: settingsView };

let turns = 0;

async function turnTo(view) {
  const turned = ++turns;
  for (const name of Object.keys(views)) at(`view-${name}`).setAttribute("aria-pressed", name === view);
  const isSessions = view === "sessions";
  at("ask").hidden = !isSessions;
  at("panel").hidden = isSessions;
  turn(false);
  at("hits").hidden = !isSessions;
  at("told").hidden = !isSessions;
  if (isSessions) return;
  at("panel").replaceChildren(el("p", { className: "note" }, "…"));
  try {
    const parts = await views[view]();
    // If the user went on to another view meanwhile, that one stays.
    if (turned === turns) at("panel").replaceChildren(...parts);
  } catch (error) {
    if (turned !== turns) return;
    at("panel").replaceChildren();
    throw error;
  }
}

for (const name of Object.keys(views)) {
  at(`view-${name}`).textContent = said[name];
  at(`view-${name}`).addEventListener("click", () => attempt(() => turnTo(name)));
}
