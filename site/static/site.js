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

// The rank of an entry for words: its name counts more than its heading, and that more than its text.
function rank(entry, words) {
  let sum = 0;
  for (const word of words) {
    const name = entry.t.toLowerCase();
    if (name === word || name.split(" ").includes(word)) sum += 100;
    else if (name.startsWith(word)) sum += 60;
    else if (name.includes(word)) sum += 30;
    else if (entry.h.toLowerCase().includes(word)) sum += 12;
    else if (entry.x.toLowerCase().includes(word)) sum += 3;
    else return 0;
  }
  return sum - entry.t.length / 200;
}

async function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = words.length ? (await load()).map((entry) => [rank(entry, words), entry]) : [];
  const best = found
    .filter(([score]) => score > 0)
    .sort((a, b) => b[0] - a[0])
    .slice(0, 12);
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
  show(words.length > 0 && best.length > 0);
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
  else if (number && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
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
