// Light and dark, the search, the filter of the rules, and buttons that copy. The search reads one file of this site,
// when somebody uses it first. Every page can be read without this.
const top_ = document.body.dataset.top;
const root = document.documentElement;

const kept = (() => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null;
  }
})();
if (kept) root.dataset.theme = kept;

document.getElementById("theme").addEventListener("click", () => {
  const dark = getComputedStyle(root).colorScheme.includes("dark");
  root.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch {
    // a browser that keeps nothing
  }
  dispatchEvent(new Event("themechange"));
});

// ---- The search

const box = document.getElementById("search");
const list = document.getElementById("results");
let entries;
let chosen = -1;

async function load() {
  entries ??= fetch(`${top_}/search.json`).then(async (answer) => prepared(await answer.json()));
  return entries;
}

const WORD = /[a-z0-9][a-z0-9._-]*/g;
const IDLE = new Set("a about after all am an and any are as at be been but by can could did do does each for from get gets got had has have how i if in into is it its just me my no not of on one or our out please should so some than that the their them then there these they this three to too two up use used using very want was we were what when where which who why will with would you your".split(" "));

function wordsOf(text) {
  return (text.toLowerCase().match(WORD) ?? []).map((word) => word.replace(/[._-]+$/, ""));
}

// Prepares the entries: what each part of a page has in lower case, and in how many parts each word stands.
function prepared(all) {
  const known = new Map();
  for (const entry of all) {
    entry.fields = [[10, entry.t], [5, entry.h], [2, `${entry.x} ${entry.w}`]].map(([weight, text]) => [weight, text.toLowerCase()]);
    entry.phrases = (entry.k ?? []).map(wordsOf);
    const words = new Set([...wordsOf(`${entry.t} ${entry.h} ${entry.x} ${entry.w}`), ...entry.phrases.flat()].flatMap((word) => [word, ...word.split(/[._-]/)]));
    for (const word of words) known.set(word, (known.get(word) ?? 0) + 1);
  }
  all.known = known;
  return all;
}

// How well a word stands in a text: whole, at the beginning of a word, or within one.
function stands(word, text) {
  let best = 0;
  for (let at = text.indexOf(word); at >= 0 && best < 1; at = text.indexOf(word, at + 1)) {
    const begins = at === 0 || !/[a-z0-9]/.test(text[at - 1]);
    const ends = !/[a-z0-9]/.test(text[at + word.length] ?? " ");
    best = Math.max(best, begins ? (ends ? 1 : 0.7) : 0.4);
  }
  return best;
}

// In how many letters two words differ; more than `most` is not counted.
function distance(word, other, most) {
  if (Math.abs(word.length - other.length) > most) return most + 1;
  let row = [...Array(other.length + 1).keys()];
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (word[i - 1] === other[j - 1] ? 0 : 1));
    if (Math.min(...next) > most) return most + 1;
    row = next;
  }
  return row.at(-1);
}

// Returns what a word of the query means, as words that a page must have, each with its other forms: the word itself, what it is a
// part of, its stem, its parts, or the nearest word. A word that hardly any page has may be a slip for one that many have.
function meant(word, all) {
  const { known } = all;
  const stem = word.length > 5 ? word.replace(/(ing|ed|es|s)$/, "") : word.length > 3 ? word.replace(/s$/, "") : word;
  const most = word.length < 6 ? 1 : word.length < 10 ? 2 : 3;
  const nearest = (least) => {
    let best = [Infinity, null];
    for (const [other, number] of known) {
      const off = number >= least ? distance(word, other, most) : most + 1;
      const price = off - 0.7 * Math.log10(number); // ten times as many pages outweigh most of a letter
      if (off <= most && price < best[0]) best = [price, other];
    }
    return best[1] ? [best[1]] : [];
  };
  for (const form of new Set([word, stem])) {
    const number = known.get(form);
    if (number) return [number > 9 || form.length < 6 ? [form] : [form, ...nearest(10 * number)]];
    if (form.length > 3) for (const other of known.keys()) if (other.includes(form)) return [[form]];
  }
  const parts = word.split(/[._-]/).filter(Boolean);
  if (parts.length > 1) return parts.flatMap((part) => meant(part, all));
  const near = word.length < 4 ? [] : nearest(1);
  return near.length ? [near] : [];
}

// Returns the best part of each page, the best page first, and the words that no page has.
//
// A page counts for each word by the best place of the word in it: title, heading, text. A rare word counts more, and so does a page
// that has more of the words. A phrase of `k` whose words all stand in the query, in their order, counts as a title of rare words.
function ranked(all, query) {
  const said = wordsOf(query);
  const telling = said.filter((word) => !IDLE.has(word));
  const readings = (telling.length ? telling : said).map((word) => [word, meant(word, all)]);
  const read = new Map(readings.map(([word, [forms]]) => [word, forms?.[0] ?? word]));
  const rare = (word) => Math.log(1 + all.length / (1 + (all.known.get(word) ?? 1)));
  const words = [...new Map(readings.flatMap(([, read]) => read).map((forms) => [forms[0], forms.map((form) => [form, rare(form)])])).values()];
  const weights = words.map((forms) => Math.min(...forms.map(([, weight]) => weight)));
  const whole = weights.reduce((sum, each) => sum + each, 0) || 1;
  const total = (numbers) => numbers.reduce((sum, each) => sum + each, 0);
  const pages = new Map();
  for (const entry of all) {
    const scores = words.map((forms) => Math.max(...forms.map(([form, weight]) => weight * Math.max(...entry.fields.map(([most, text]) => most * stands(form, text))))));
    let asked = 0;
    for (const phrase of entry.phrases) {
      let at = 0;
      for (const word of said) if (at < phrase.length && (word === phrase[at] || read.get(word) === phrase[at])) at++;
      if (at === phrase.length) asked = Math.max(asked, total(phrase.map((word) => 12 * (IDLE.has(word) ? 0 : Math.max(4, rare(word))))));
    }
    const own = total(scores) + asked;
    if (!own) continue;
    const address = entry.u.split("#")[0];
    const page = pages.get(address) ?? { best: 0, asked: 0, scores: words.map(() => 0) };
    pages.set(address, page);
    if (own > page.best) [page.best, page.entry] = [own, entry];
    page.asked = Math.max(page.asked, asked);
    page.scores = page.scores.map((score, at) => Math.max(score, scores[at]));
  }
  const found = [...pages.values()].map((page) => {
    const has = total(page.scores.map((score, at) => (score ? weights[at] : 0))) / whole;
    return [((total(page.scores) + page.best) / 2) * (0.3 + 0.7 * has) + page.asked / 2 - page.entry.t.length / 200, page.entry];
  });
  const best = found.sort((a, b) => b[0] - a[0]).slice(0, 12);
  best.lost = readings.filter(([, read]) => !read.length).map(([word]) => word);
  return best;
}

const KINDS = { "rules/topics": "symptom", "rules/known-bugs": "fault", rules: "rule", fields: "field", gates: "feature gate", docs: "guide", drivers: "driver", schemas: "schema" };

function option(child, at) {
  const item = document.createElement("li");
  item.role = "option";
  item.id = `result-${at}`;
  item.append(child);
  return item;
}

function note(text) {
  const said = document.createElement("div");
  said.className = "note";
  said.textContent = text;
  return option(said, "note");
}

async function search() {
  const query = box.value.trim();
  const best = query ? ranked(await load(), query) : [];
  if (query !== box.value.trim()) return; // somebody typed on
  chosen = best.length ? 0 : -1;
  list.replaceChildren(
    ...best.map(([, entry], at) => {
      const link = document.createElement("a");
      link.href = `${top_}/${entry.u}`;
      link.tabIndex = -1;
      const kind = document.createElement("small");
      kind.textContent = KINDS[entry.u.split(".html")[0]] ?? KINDS[entry.u.split("/")[0]] ?? "";
      const name = document.createElement("strong");
      name.textContent = entry.h ? `${entry.t} › ${entry.h}` : entry.t;
      const text = document.createElement("span");
      text.textContent = entry.x;
      link.append(kind, name, text);
      return option(link, at);
    }),
  );
  if (query && !best.length) list.append(note("Nothing found. Try the number of a rule, a field, a feature gate, a message of Kubernetes, or fewer words."));
  if (best.length && best.lost.length) list.append(note(`No page has ${best.lost.map((word) => `“${word}”`).join(", ")}.`));
  show(query.length > 0);
  mark();
}

function show(open) {
  list.hidden = !open;
  box.setAttribute("aria-expanded", String(open));
}

function mark() {
  [...list.children].forEach((item, at) => item.setAttribute("aria-selected", String(at === chosen)));
  if (chosen >= 0) box.setAttribute("aria-activedescendant", `result-${chosen}`);
  else box.removeAttribute("aria-activedescendant");
}

box.addEventListener("focus", load);
box.addEventListener("input", search);
box.addEventListener("keydown", (event) => {
  const number = list.querySelectorAll("a").length;
  if (event.key === "Escape") show(false);
  else if (event.key === "Enter" && chosen >= 0) list.children[chosen].firstChild.click();
  else if (number && chosen >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : number - 1)) % number;
    mark();
    list.children[chosen].scrollIntoView({ block: "nearest" });
    event.preventDefault();
  }
});
addEventListener("keydown", (event) => {
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement?.tagName ?? "") || event.target.isContentEditable || event.composedPath()[0]?.isContentEditable;
  if (event.key === "/" && !typing) {
    box.focus();
    event.preventDefault();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("search")) show(false);
});
if (document.body.dataset.page === "404.html") {
  box.value = decodeURIComponent(location.pathname).replace(/\.html$|\/$/, "").split("/").pop();
  search();
}

// ---- The filter of the rules: rows that do not have all that is asked are hidden, and so is a family without rows.

const filter = document.getElementById("filter");

function minor(release) {
  return Number(release.split(".")[1]);
}

function hasRelease(spans, release) {
  return spans === "all" || spans.split(", ").some((span) => {
    const [first, last] = span.includes("..") ? span.split("..") : [span, span];
    return (!first || minor(first) <= minor(release)) && (!last || minor(last) >= minor(release));
  });
}

function filtered() {
  const { words, effect, kind, release } = Object.fromEntries(new FormData(filter));
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  let [number, shown] = [0, 0];
  for (const table of document.querySelectorAll("article .scroll")) {
    let some = 0;
    for (const row of table.querySelectorAll("tbody tr")) {
      const cells = [...row.cells].map((cell) => cell.textContent);
      const kinds = cells[2].split(", ");
      const has = (!effect || cells[1] === effect) && (!kind || kinds.includes(kind) || kinds.includes("all")) && (!release || hasRelease(cells[3], release));
      row.hidden = !(has && wanted.every((word) => row.textContent.toLowerCase().includes(word)));
      number += 1;
      some += row.hidden ? 0 : 1;
    }
    shown += some;
    for (let part = table; part; part = part.tagName === "H2" ? null : part.previousElementSibling) part.hidden = !some;
  }
  filter.querySelector("output").textContent = `${shown} of ${number} rules`;
  const asked = new URLSearchParams([...new FormData(filter)].filter(([, value]) => value)).toString();
  history.replaceState(null, "", asked ? `?${asked}` : location.pathname + location.hash);
}

if (filter) {
  for (const [name, value] of new URLSearchParams(location.search)) if (filter.elements[name]) filter.elements[name].value = value;
  filter.hidden = false;
  filter.addEventListener("input", filtered);
  filter.addEventListener("reset", () => setTimeout(filtered));
  filter.addEventListener("submit", (event) => event.preventDefault());
  filtered();
}

// ---- Buttons that copy, and the place in the contents

for (const block of document.querySelectorAll("article pre")) {
  const around = document.createElement("div");
  around.className = "copied";
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.textContent);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
  block.replaceWith(around);
  around.append(block, button);
}

const links = new Map([...document.querySelectorAll(".beside a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]));
if (links.size) {
  const headings = [...document.querySelectorAll("article [id]")].filter((heading) => links.has(heading.id));
  const place = () => {
    const here = headings.filter((heading) => heading.getBoundingClientRect().top < 120).at(-1) ?? headings[0];
    for (const [id, link] of links) link.classList.toggle("here", id === here?.id);
  };
  addEventListener("scroll", place, { passive: true });
  place();
}
