// Light and dark, and the search. The search reads one file of this site, when somebody uses it first.
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

const box = document.getElementById("search");
const list = document.getElementById("results");
let entries;
let chosen = -1;

async function load() {
  entries ??= fetch(`${top_}/search.json`).then((answer) => answer.json());
  return entries;
}

const IDLE = new Set("a an and are can do does for from get has how i in is it my no not of on or the to what when which why with".split(" "));

// How well a word stands in a text: whole, at the beginning of a word, or within one.
function stands(word, text) {
  const at = text.indexOf(word);
  if (at < 0) return 0;
  const begins = new RegExp(`(?:^|[^a-z0-9])${word.replace(/[^a-z0-9]/g, "\\$&")}(?![a-z0-9])`);
  return begins.test(text) ? 1 : at === 0 || /[^a-z0-9]/.test(text[at - 1]) ? 0.7 : 0.4;
}

// Whether two words differ in up to two letters.
function near(word, other) {
  const most = word.length < 6 ? 1 : 2;
  if (Math.abs(word.length - other.length) > most) return false;
  let row = [...Array(other.length + 1).keys()];
  for (let i = 1; i <= word.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (word[i - 1] === other[j - 1] ? 0 : 1));
    row = next;
  }
  return row.at(-1) <= most;
}

// The rank of an entry for words: its name counts more than its heading, that more than its text, and a rare word more.
function rank(entry, words, weights) {
  const [name, heading, text, asked] = [entry.t, entry.h, entry.x, entry.k ?? ""].map((part) => part.toLowerCase());
  let sum = 0;
  words.forEach((word, at) => (sum += weights[at] * Math.max(10 * stands(word, name), 5 * stands(word, heading), 2 * stands(word, text), 9 * stands(word, asked))));
  return sum && sum - entry.t.length / 200;
}

// Returns the best entry of each page, the best page first. A word that stands nowhere is read as the nearest one that does.
function ranked(all, query) {
  const said = query.toLowerCase().split(/[\s?!,;]+/).filter(Boolean);
  const telling = said.filter((word) => !IDLE.has(word));
  const whole = all.map((entry) => `${entry.t} ${entry.h} ${entry.x}`.toLowerCase());
  const words = (telling.length ? telling : said).map((word) => {
    if (word.length < 4 || whole.some((text) => text.includes(word))) return word;
    const known = new Set(whole.flatMap((text) => text.split(/[^a-z0-9-]+/)));
    return [...known].find((other) => near(word, other)) ?? word;
  });
  const weights = words.map((word) => Math.log(1 + all.length / (1 + whole.filter((text) => text.includes(word)).length)));
  const pages = new Map();
  for (const entry of all) {
    const score = rank(entry, words, weights);
    const page = entry.u.split("#")[0];
    if (score > 0 && score > (pages.get(page)?.[0] ?? 0)) pages.set(page, [score, entry]);
  }
  return [...pages.values()].sort((a, b) => b[0] - a[0]).slice(0, 12);
}

async function search() {
  const words = box.value.trim();
  const best = words ? ranked(await load(), words) : [];
  chosen = best.length ? 0 : -1;
  list.replaceChildren(
    ...best.map(([, entry], at) => {
      const item = document.createElement("li");
      item.role = "option";
      item.id = `result-${at}`;
      const link = document.createElement("a");
      link.href = `${top_}/${entry.u}`;
      link.tabIndex = -1;
      const name = document.createElement("strong");
      name.textContent = entry.h && entry.h !== entry.t ? `${entry.t} › ${entry.h}` : entry.t;
      const text = document.createElement("span");
      text.textContent = entry.x.slice(0, 140);
      link.append(name, text);
      item.append(link);
      return item;
    }),
  );
  if (words && !best.length) {
    const item = document.createElement("li");
    item.role = "option";
    item.textContent = "Nothing found. Try the number of a rule, a field, a feature gate, or fewer words.";
    list.append(item);
  }
  show(words.length > 0);
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
  const number = list.children.length;
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
