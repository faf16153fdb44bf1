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
    const words = fold(query.value).split(/\s+/u).filter(Boolean);
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
