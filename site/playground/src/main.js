// The page of the playground: files, choices, findings. answers.js has the other commands.
import { answers } from "./answers.js";
import { edits, editor, place } from "./editor.js";
import { keepLinked, keepOwn, linked, own } from "./kept.js";
import { Died, python } from "./python.js";
import { isName, isTooLong, packed, unpacked } from "./share.js";

const INVENTORY = "inventory.yaml";
const CONFIGURATION = ".dralint.yaml";
const get = (id) => document.getElementById(id);
const PAUSE = 80;
const REST = 300; // after which a text is kept
const MOST_FILES = 30;
const MOST_SHOWN = 100; // findings in the list, until somebody asks for more
const MOST_MARKED = 400;
const LOADED = Number(get("progress").dataset.bytes);
const CHOICES = { release: "", gates: "", namespace: "", select: "", ignore: "", complete: false };

const FORETOLD = JSON.parse(get("foretold").textContent);
const first = { files: [["claim.yaml", get("editor").textContent]] };
const state = { files: [["claim.yaml", ""]], inventory: "", ...CHOICES };
let active = "claim.yaml";
let fragment = null; // the link whose text is shown; null for one's own
let kept = new Map();
let past = []; // what an example or a removal has replaced
let findings = [];
let shown = MOST_SHOWN;
let edition = 0; // counts the changes of texts and choices
let timer;
let keeping;
let checking = false;
let again = false;
let stuck; // the edition that Python died of; it is not checked again as it is
let examples = [];

const edit = editor(get("editor"), {
  hover: async (at) => (python.isReady ? asked("hover", { file: active, at }) : null),
  complete: async (at) => (python.isReady ? asked("complete", { file: active, at }) : []),
  changed: () => changed(),
  moved: (at) => follow(at),
  actions: () => more(),
  back: () => back(),
});

function say(text, isGood = false) {
  get("status").textContent = text;
  get("status").classList.toggle("good", isGood);
}

// Files.

function text(name) {
  return name === INVENTORY ? state.inventory : (state.files.find(([each]) => each === name)?.[1] ?? "");
}

function keep(name, content) {
  if (name === INVENTORY) state.inventory = content;
  else state.files.find(([each]) => each === name)[1] = content;
}

function show(name) {
  kept.set(active, edit.view.state);
  active = name;
  edit.view.setState(kept.get(name) ?? edit.fresh(text(name)));
  tabs();
  mark();
}

function tabs() {
  const names = [...state.files.map(([name]) => name), INVENTORY];
  get("files").replaceChildren(
    ...names.map((name) => {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.role = "tab";
      tab.textContent = name;
      tab.setAttribute("aria-selected", String(name === active));
      tab.setAttribute("aria-controls", "editor");
      tab.tabIndex = name === active ? 0 : -1;
      tab.addEventListener("click", () => show(name));
      return tab;
    }),
  );
  get("remove").disabled = active === INVENTORY || state.files.length === 1;
  get("rename").disabled = active === INVENTORY;
  for (const [id, at] of [["before", 0], ["after", 1]]) {
    const chosen = get(id).value;
    get(id).replaceChildren(...manifests().map((name) => new Option(name)));
    const isKept = manifests().includes(chosen) && (id === "before" || chosen !== get("before").value);
    get(id).value = isKept ? chosen : (manifests()[at] ?? manifests()[0]);
  }
}

function manifests() {
  return state.files.map(([name]) => name).filter((name) => name !== CONFIGURATION);
}

function open(next) {
  get("unreadable").textContent = "";
  Object.assign(state, { inventory: "", ...CHOICES }, structuredClone(next));
  kept = new Map();
  findings = [];
  active = state.files[0][0];
  choose();
  edit.view.setState(edit.fresh(text(active)));
  tabs();
  renewed(0);
}

// Shows the choices of the state.
function choose() {
  const [from, until] = state.release.split("..");
  get("release").value = from;
  get("until").value = until ?? "";
  for (const name of ["gates", "namespace", "select", "ignore"]) get(name).value = state[name];
  get("complete").checked = state.complete;
  const number = ["gates", "namespace", "select", "ignore", "complete"].filter((name) => state[name]).length + (until ? 1 : 0);
  get("options").querySelector("summary").textContent = number ? `Options (${number})` : "Options";
}

// What an act replaces can be had back, by the button and by Ctrl+Z.
function replace(words, act) {
  kept.set(active, edit.view.state);
  past.push({ words, state: structuredClone(state), kept: new Map(kept), active, fragment });
  past = past.slice(-20);
  act();
  notice(words);
}

function back() {
  const before = past.at(-1);
  if (!before || before.fragment !== fragment) return false;
  past.pop();
  open(before.state);
  kept = before.kept;
  show(before.active);
  notice(past.at(-1)?.words ?? "");
  return true;
}

function notice(words) {
  get("notice").hidden = !words;
  get("notice").querySelector("span").textContent = words;
}

get("undo").addEventListener("click", () => {
  back();
  edit.view.focus();
});

function named(wanted) {
  const name = prompt("Name of the file", wanted)?.trim();
  if (!name) return null;
  if (isName(name) && name !== INVENTORY && !state.files.some(([each]) => each === name)) return name;
  say("A name has letters, digits, dots, - and _, and differs from the others.");
  return null;
}

function hasRoom() {
  if (state.files.length < MOST_FILES) return true;
  say(`There is room for ${MOST_FILES} files.`);
  return false;
}

get("add").addEventListener("click", () => {
  if (!hasRoom()) return;
  let number = state.files.length + 1;
  while (state.files.some(([name]) => name === `manifest-${number}.yaml`)) number++;
  added(`manifest-${number}.yaml`, "");
});
get("configure").addEventListener("click", () => {
  get("options").open = false;
  if (state.files.some(([name]) => name === CONFIGURATION)) show(CONFIGURATION);
  else if (hasRoom()) added(CONFIGURATION, "# The keys: docs/configuration.html\nignore: []\n");
});

function added(name, content) {
  state.files.push([name, content]);
  show(name);
  renewed(0);
  edit.view.focus();
}

// Takes files that somebody drops or chooses. An untouched example gives way to them.
async function take(list) {
  const files = [...list].slice(0, MOST_FILES);
  const texts = await Promise.all(files.map((file) => file.text()));
  if (!files.length) return;
  replace(files.length === 1 ? `${files[0].name} is open.` : `${files.length} files are open.`, () => {
    if (state.files.length === 1 && [first, ...examples].some((each) => (each.state ?? each).files[0][1] === state.files[0][1])) state.files = [];
    kept = new Map();
    files.forEach((file, at) => {
      const name = file.name.replaceAll(/[^\w.-]/g, "-").replace(/^[^\w]+(?!dralint\.yaml$)/, "").slice(0, 60) || "manifest.yaml";
      if (name === INVENTORY) state.inventory = texts[at];
      else if (state.files.some(([each]) => each === name)) keep(name, texts[at]);
      else if (hasRoom()) state.files.push([name, texts[at]]);
    });
    if (!state.files.length) state.files = [["manifest.yaml", ""]];
    active = state.files.at(-1)[0];
    edit.view.setState(edit.fresh(text(active)));
    tabs();
    renewed(0);
  });
}

get("upload").addEventListener("change", async () => {
  await take(get("upload").files);
  get("upload").value = "";
});
for (const kind of ["dragover", "dragleave", "drop"])
  addEventListener(
    kind,
    (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation();
      get("editor").classList.toggle("over", kind === "dragover");
      if (kind === "drop") take(event.dataTransfer.files);
    },
    true,
  );
get("rename").addEventListener("click", () => {
  const name = named(active);
  if (!name) return;
  state.files.find(([each]) => each === active)[0] = name;
  kept.delete(active);
  active = name;
  tabs();
  renewed(0);
});
get("remove").addEventListener("click", () =>
  replace(`${active} is removed.`, () => {
    state.files = state.files.filter(([name]) => name !== active);
    kept.delete(active);
    active = state.files[0][0];
    edit.view.setState(kept.get(active) ?? edit.fresh(text(active)));
    tabs();
    renewed(0);
  }),
);

// Checking.

function changed() {
  keep(active, edit.view.state.doc.toString());
  renewed(PAUSE);
}

// Called after each change of texts or choices.
function renewed(pause) {
  get("status").dataset.edition = ++edition;
  get("link").hidden = true;
  get("changes").textContent = "";
  get("reported").hidden = true;
  command.age();
  clearTimeout(keeping);
  keeping = setTimeout(store, REST);
  schedule(pause);
}

function store() {
  clearTimeout(keeping);
  keeping = undefined;
  const isKept = fragment === null ? keepOwn(state) : keepLinked(fragment, state);
  get("unkept").textContent = isKept ? "" : "This browser does not keep these texts: they are lost when you leave the page.";
}

addEventListener("pagehide", () => keeping && store());
document.addEventListener("visibilitychange", () => document.hidden && keeping && store());
addEventListener("beforeunload", (event) => {
  if (keeping) store();
  if (get("unkept").textContent) event.preventDefault();
});

function schedule(pause) {
  clearTimeout(timer);
  timer = setTimeout(check, pause);
}

async function asked(question, given) {
  await python.arrived;
  await sent();
  return python.ask(question, given);
}

async function sent() {
  const answer = await python.ask("state", state);
  const words = answer.error ?? "";
  get("choice").textContent = words.length > 240 ? `${words.slice(0, 200).replace(/,[^,]*$/, "")} …` : words;
}

async function check() {
  const now = edition;
  if (python.failed) python.start();
  if (!python.isReady) foretell();
  if (!python.isReady || now === stuck) return;
  if (checking) {
    again = true;
    return;
  }
  checking = true;
  const began = performance.now();
  try {
    await sent();
    const answer = await python.ask("check", {});
    if (now === edition) {
      find(answer.findings);
      const failed = answer.failures.length ? ` dralint could not finish: ${answer.failures[0]}` : "";
      const time = Math.round(performance.now() - began);
      const isGood = answer.objects > 0 && !findings.length && !failed;
      const judged = isGood ? ` in ${answer.objects} ${answer.objects === 1 ? "object" : "objects"}, judged by ${by()}` : "";
      say(`${answer.summary[0].toUpperCase()}${answer.summary.slice(1)}${judged}.${failed}`, isGood);
      get("empty").hidden = answer.objects > 0 || findings.length > 0;
      Object.assign(get("status").dataset, { time, checked: now, checks: Number(get("status").dataset.checks ?? 0) + 1 });
    }
  } catch (error) {
    if (error instanceof Died) stuck = now;
    else say(`dralint failed: ${error.message.trim().split("\n").pop()}`);
  }
  checking = false;
  if (again) {
    again = false;
    schedule(0);
  }
}

function find(found) {
  findings = found;
  shown = MOST_SHOWN;
  mark();
  list();
}

// Before Python is there: what dralint said of the first text when the page was built.
function foretell() {
  const isFirst = JSON.stringify(state) === JSON.stringify({ ...first, inventory: "", ...CHOICES });
  find(isFirst ? FORETOLD.findings : []);
  say(isFirst ? `${FORETOLD.summary}. Python is loading; it checks what you write.` : "Loading Python …");
}

function by() {
  const newest = get("release").dataset.newest;
  return state.release ? `Kubernetes ${state.release.replace("..", " to ")}` : `the newest release that serves each (Kubernetes ${newest} at most)`;
}

function mark() {
  const here = findings.filter((finding) => finding.file === active);
  edit.mark(here.slice(0, MOST_MARKED), fix);
  follow(place(edit.view.state.doc, edit.view.state.selection.main.head));
}

function change(file, list) {
  if (file !== active) show(file);
  edit.view.dispatch({ changes: edits(edit.view.state.doc, list), userEvent: "input.fix" });
}

function fix(finding) {
  change(finding.file, finding.fix.edits);
  edit.view.focus();
}

function node(tag, className, ...inner) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...inner);
  return made;
}

function button(title, act) {
  const made = node("button", "", title);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

// The findings that are grave enough to be shown.
function wanted() {
  const least = { error: ["error"], warning: ["error", "warning"] }[get("least").value];
  return least ? findings.filter((finding) => least.includes(finding.severity)) : findings;
}

function list() {
  const all = wanted();
  get("findings").replaceChildren(...all.slice(0, shown).map(item));
  get("further").hidden = all.length <= shown;
  get("further").textContent = `Show ${Math.min(MOST_SHOWN, all.length - shown)} more of ${all.length - shown}`;
  for (const id of ["fixall", "fixes"]) get(id).disabled = !findings.some((finding) => finding.fix?.safe);
  follow(place(edit.view.state.doc, edit.view.state.selection.main.head));
}

get("least").addEventListener("change", list);
get("further").addEventListener("click", () => {
  shown += MOST_SHOWN;
  list();
});

function item(finding) {
  const where = button(`${finding.file}:${finding.line}`, () => {
    if (finding.file !== active) show(finding.file);
    edit.go(finding.from);
  });
  const rule = node("a", "", `${finding.rule} ${finding.name}`);
  rule.href = `../rules/${finding.rule}.html`;
  rule.target = "_blank";
  const made = node("li", finding.severity);
  made.finding = finding;
  made.append(node("p", "", where, " ", node("span", "severity", finding.severity), " ", rule), node("p", "", finding.message));
  if (finding.hint) made.append(node("p", "hint", `Hint: ${finding.hint}`));
  made.append(node("p", "verdict", finding.verdict));
  const acts = node("p", "");
  if (finding.fix) acts.append(button(finding.fix.safe ? "Fix" : "Apply the guess", () => fix(finding)));
  acts.append(button("More …", (event) => choices(finding, acts, event.target)));
  made.append(acts);
  return made;
}

// Marks the finding of the line with the cursor in the list, and scrolls to it where list and text stand side by side.
function follow([line]) {
  const here = [...get("findings").children].find(({ finding }) => finding.file === active && finding.from[0] <= line && finding.to[0] >= line);
  const before = get("findings").querySelector("[aria-current]");
  if (before === (here ?? null)) return;
  before?.removeAttribute("aria-current");
  if (!here) return;
  here.setAttribute("aria-current", "true");
  if (matchMedia("(min-width: 1100px)").matches) here.scrollIntoView({ block: "nearest" });
}

async function choices(finding, acts, asking) {
  const found = await asked("actions", { file: finding.file, start: finding.from, end: finding.to });
  asking.remove();
  for (const action of found) acts.append(button(action.safe ? action.title : `${action.title} (a guess)`, () => apply(action)));
  if (!found.length) acts.append("There is nothing more to do here.");
}

function apply(action) {
  for (const [file, list] of Object.entries(action.edits)) change(file, list);
}

// Shows what can be done where the cursor stands, in the list of findings.
async function more() {
  const position = edit.view.state.selection.main.head;
  const here = place(edit.view.state.doc, position)[0];
  const found = [...get("findings").children].find(({ finding }) => finding.file === active && finding.from[0] <= here && finding.to[0] >= here);
  if (!found) {
    say("There is no finding in this line.");
    return;
  }
  view("check");
  found.querySelector("p:last-child button")?.focus();
}

get("fixall").addEventListener("click", async () => {
  const files = [...new Set(findings.filter((finding) => finding.fix?.safe).map((finding) => finding.file))];
  for (const file of files) {
    const found = await asked("actions", { file, start: [0, 0], end: [0, 0], kind: "source.fixAll.dralint" });
    for (const action of found) apply(action);
  }
});

for (const name of ["release", "until", "gates", "namespace", "select", "ignore", "complete"])
  get(name).addEventListener("change", () => {
    const [from, until] = [get("release").value, get("until").value];
    state.release = from && until ? `${from}..${until}` : from || until;
    for (const each of ["gates", "namespace", "select", "ignore"]) state[each] = get(each).value.trim();
    state.complete = get("complete").checked;
    choose();
    renewed(0);
  });

const command = answers({
  state,
  manifests,
  ask: asked,
  // The texts that a command has written take the place of what is shown.
  write(texts) {
    for (const [name, content] of Object.entries(texts)) {
      if (name !== active) show(name);
      edit.view.dispatch({ changes: { from: 0, to: edit.view.state.doc.length, insert: content } });
    }
  },
});

// Tabs: arrows walk, as everywhere.

function view(name) {
  for (const tab of get("views").children) {
    const here = tab.id === `view-${name}`;
    tab.setAttribute("aria-selected", String(here));
    tab.tabIndex = here ? 0 : -1;
    get(tab.getAttribute("aria-controls")).hidden = !here;
  }
}

for (const tab of get("views").children) tab.addEventListener("click", () => view(tab.id.slice(5)));
for (const row of document.querySelectorAll('[role="tablist"]'))
  row.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const all = [...row.children];
    const next = (all.indexOf(document.activeElement) + step + all.length) % all.length;
    all[next].click();
    row.children[next].focus();
  });

// Examples and links.

fetch("examples.json")
  .then((answer) => answer.json())
  .then((found) => {
    examples = found;
    const box = get("example");
    found.forEach((each, at) => box.add(new Option(each.title, String(at))));
    box.addEventListener("change", () => {
      if (box.value) example(Number(box.value));
      box.value = "";
    });
    for (const each of document.querySelectorAll("[data-example]")) each.addEventListener("click", () => example(Number(each.dataset.example)));
  });

function example(at) {
  replace(`The example "${examples[at].title}" is open.`, () => open(examples[at].state));
}

async function fromLink() {
  if (keeping) store();
  const wanted = location.hash.slice(1);
  past = [];
  notice("");
  try {
    const found = wanted ? (linked(wanted) ?? (await unpacked(wanted))) : null;
    fragment = found ? wanted : null;
    open(found ?? own() ?? first);
  } catch (error) {
    fragment = null;
    open(own() ?? first);
    get("unreadable").textContent = `The link cannot be read: ${error.message}`;
  }
  get("linked").hidden = fragment === null;
}

get("own").addEventListener("click", () => {
  history.pushState(null, "", location.pathname);
  fromLink();
});
get("adopt").addEventListener("click", () => {
  store();
  const mine = own();
  const theirs = structuredClone(state);
  history.pushState(null, "", location.pathname);
  fragment = null;
  get("linked").hidden = true;
  if (!mine) {
    store();
    return;
  }
  open(mine);
  replace("The text of the link is yours now.", () => open(theirs));
});

// The address of the page stays as it is: loaded again, it has the texts as they are then, and not as they were shared.
get("share").addEventListener("click", async () => {
  const made = await packed(state);
  const address = new URL(`#${made}`, location.href).href;
  get("link").hidden = false;
  get("address").value = isTooLong(made) ? "" : address;
  if (isTooLong(made)) {
    get("copied").textContent = `These texts are too long for a link: ${Math.round(made.length / 1000)} kB of 400 kB. Send the files.`;
    return;
  }
  get("address").select();
  get("copied").textContent = await navigator.clipboard.writeText(address).then(
    () => "It is in the clipboard.",
    () => "",
  );
});

addEventListener("hashchange", fromLink);
addEventListener("popstate", () => location.hash.slice(1) !== (fragment ?? "") && fromLink());
fromLink();
python.listen({
  onLoading(bytes) {
    get("progress").value = Math.min(99, (100 * bytes) / LOADED);
  },
  onReady() {
    get("progress").hidden = true;
    check();
  },
  onRestart(reason, alive) {
    say(alive ? "dralint stopped on this text and starts again. Change the text to check it." : `Python does not start: ${reason}. Change the text to try again.`);
  },
});

if ("serviceWorker" in navigator && location.protocol.startsWith("http"))
  addEventListener("load", () => {
    const wait = setInterval(() => {
      if (!python.isReady) return;
      clearInterval(wait);
      navigator.serviceWorker.register("sw.js").catch(() => {});
    }, 500);
  });
