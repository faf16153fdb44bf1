"""The fixed parts of the HTML export: its words in two languages, its style and its script."""

from __future__ import annotations

WORDS = {
    "zh": {
        "memory": "记忆",
        "counts": "{sessions} 个会话，{days} 天；导出于 {made}",
        "left_out": "；另有 {count} 个私密会话未导出",
        "search": "搜索：多个词用空格分开",
        "important": "重要",
        "outdated": "过时",
        "found": "找到 {} 个",
        "months": "月份",
        "untitled": "（无主题）",
        "origin": "来自",
        "continues": "接着",
        "noscript": "浏览器禁用了脚本：可以用浏览器自带的页内查找。",
    },
    "en": {
        "memory": "memory",
        "counts": "Sessions: {sessions} · days: {days} · exported on {made}",
        "left_out": " · private ones left out: {count}",
        "search": "Search: words with blanks between",
        "important": "important",
        "outdated": "outdated",
        "found": "{} found",
        "months": "Months",
        "untitled": "(no topic)",
        "origin": "from",
        "continues": "continues",
        "noscript": "Scripts are off: use the browser's own search in the page.",
    },
}

STYLE = """
:root { --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --paper: #fff; --card: #f6f8fa;
  --accent: #0757a8; --mark: #fff0a8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ed; --soft: #9ba5b0; --line: #3a424b; --paper: #14171b; --card: #1d2127;
    --accent: #7cb7ff; --mark: #6b5900; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 52rem; padding: 0 1rem 4rem; color: var(--text);
  background: var(--paper); line-height: 1.6; overflow-wrap: anywhere;
  font-family: system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif; }
h1 { margin: 1.5rem 0 0; font-size: 1.6rem; } h1 small { color: var(--soft); font-weight: 400; }
header p { margin: .2rem 0; color: var(--soft); }
form { position: sticky; top: 0; display: flex; flex-wrap: wrap; gap: .4rem 1rem;
  align-items: center; padding: .6rem 0; background: var(--paper); z-index: 1; }
header { display: contents; }
form[hidden] { display: none; }
input[type=search] { flex: 1 1 16rem; padding: .5rem .7rem; font: inherit; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
output { color: var(--soft); min-width: 6rem; }
nav { display: flex; flex-wrap: wrap; gap: .1rem 1.6rem; padding: .2rem 0; font-size: .9rem; }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
h2 { margin: 2rem 0 .6rem; padding-bottom: .2rem; border-bottom: 1px solid var(--line);
  font-size: 1.2rem; }
.day, article { scroll-margin-top: 5rem; }
article { margin: 0 0 1rem; padding: .7rem 1rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .6rem; content-visibility: auto;
  contain-intrinsic-size: auto 16rem; }
article.important { border-inline-start: .3rem solid var(--accent); }
article.outdated h3 { color: var(--soft); text-decoration: line-through; }
article:target { outline: 2px solid var(--accent); }
h3 { margin: 0; font-size: 1.05rem; }
h4 { margin: .8rem 0 .2rem; font-size: .85rem; color: var(--soft); }
.flag { margin-inline-start: .5rem; padding: 0 .4rem; font-size: .75rem; color: var(--accent);
  border: 1px solid currentColor; border-radius: .6rem; display: inline-block; }
.facts, .tags { margin: .1rem 0 0; font-size: .85rem; color: var(--soft); }
.text, li { margin: .2rem 0; white-space: pre-wrap; }
ul { margin: .2rem 0; padding-inline: 1.3rem; }
figure { margin: .4rem 0; } figcaption { font-size: .8rem; color: var(--soft); }
pre { margin: 0; padding: .6rem .8rem; overflow-x: auto; background: var(--paper);
  overflow-wrap: normal; border: 1px solid var(--line); border-radius: .4rem;
  font-size: .85rem; line-height: 1.45; }
i { padding: 0 .2rem; font: .75em monospace; color: var(--soft); border: 1px dashed currentColor; }
[hidden] { display: none !important; }
::highlight(found) { background: var(--mark); }
@media print { form, nav { display: none; } article { break-inside: avoid; } }
"""

SCRIPT = """
'use strict';
(() => {
  const form = document.querySelector('form');
  const query = document.getElementById('q');
  const important = document.getElementById('important');
  const output = document.getElementById('found');
  const days = [...document.querySelectorAll('.day')].map((day) => ({
    day, articles: [...day.querySelectorAll('article')],
  }));
  const texts = new Map();
  const fold = (text) => text.normalize('NFKC').toLowerCase();
  const textOf = (article) => {
    if (!texts.has(article)) texts.set(article, fold(article.textContent));
    return texts.get(article);
  };
  const mostMarked = 500;

  function mark(articles, words) {
    if (!window.Highlight || !CSS.highlights) return;
    CSS.highlights.delete('found');
    if (!words.length) return;
    const ranges = [];
    for (const article of articles) {
      const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && ranges.length < mostMarked) {
        const node = walker.currentNode;
        const text = node.data.toLowerCase();
        if (text.length !== node.data.length) continue;
        for (const word of words) {
          let at = text.indexOf(word);
          while (at >= 0 && ranges.length < mostMarked) {
            const range = new Range();
            range.setStart(node, at);
            range.setEnd(node, at + word.length);
            ranges.push(range);
            at = text.indexOf(word, at + word.length);
          }
        }
      }
    }
    CSS.highlights.set('found', new Highlight(...ranges));
  }

  function search() {
    const words = fold(query.value).split(/\\s+/u).filter(Boolean);
    const narrowed = words.length > 0 || important.checked;
    const hits = [];
    for (const { day, articles } of days) {
      let any = false;
      for (const article of articles) {
        const fits = (!important.checked || article.classList.contains('important'))
          && words.every((word) => textOf(article).includes(word));
        article.hidden = !fits;
        any = any || fits;
        if (fits) hits.push(article);
      }
      day.hidden = !any;
    }
    output.textContent = narrowed ? output.dataset.text.replace('{}', hits.length) : '';
    mark(hits, words);
  }

  let waiting = 0;
  const soon = () => { clearTimeout(waiting); waiting = setTimeout(search, 120); };
  query.addEventListener('input', soon);
  important.addEventListener('change', search);
  form.addEventListener('submit', (event) => { event.preventDefault(); search(); });
  window.addEventListener('hashchange', () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.closest('[hidden]')) {
      query.value = '';
      important.checked = false;
      search();
      target.scrollIntoView();
    }
  });
  form.hidden = false;
  if (query.value || important.checked) search();
})();
"""
