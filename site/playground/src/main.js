// The page of the playground: files, choices, findings, and the answers of commands.
import { edits, editor, place } from "./editor.js";
import { Died, python } from "./python.js";
import { isName, packed, unpacked } from "./share.js";

const INVENTORY = "inventory.yaml";
const PAUSE = 80;
const LOADED = 6_200_000;
const get = (id) => document.getElementById(id);

const state = { files: [["manifest.yaml", ""]], inventory: "", release: "", gates: "", namespace: "", complete: false };
let active = "manifest.yaml";
let kept = new Map();
let findings = [];
let timer;
let checking = false;
let again = false;
let shared; // the texts and choices that the link holds
let stuck; // the texts that Python died of; they are not checked again as they are
let migrated;

const edit = editor(get("editor"), {
  hover: (at) => asked("hover", { file: active, at }),
  complete: (at) => asked("complete", { file: active, at }),
  changed: () => changed(),
  actions: () => more(),
});

function say(text) {
  get("status").textContent = text;
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
}

function open(next) {
  get("unreadable").textContent = "";
  Object.assign(state, { inventory: "", release: "", gates: "", namespace: "", complete: false }, structuredClone(next));
  kept = new Map();
  active = state.files[0][0];
  get("release").value = state.release;
  get("gates").value = state.gates;
  get("complete").checked = state.complete;
  edit.view.setState(edit.fresh(text(active)));
  tabs();
  schedule(0);
}

function named(wanted) {
  const name = prompt("Name of the file", wanted)?.trim();
  if (!name) return null;
  if (isName(name) && name !== INVENTORY && !state.files.some(([each]) => each === name)) return name;
  say("A name has letters, digits, dots, - and _, and differs from the others.");
  return null;
}

get("add").addEventListener("click", () => {
  let number = state.files.length + 1;
  while (state.files.some(([name]) => name === `manifest-${number}.yaml`)) number++;
  state.files.push([`manifest-${number}.yaml`, ""]);
  show(`manifest-${number}.yaml`);
  edit.view.focus();
});
get("rename").addEventListener("click", () => {
  const name = named(active);
  if (!name) return;
  state.files.find(([each]) => each === active)[0] = name;
  kept.delete(active);
  active = name;
  tabs();
  schedule(0);
});
get("remove").addEventListener("click", () => {
  state.files = state.files.filter(([name]) => name !== active);
  kept.delete(active);
  active = state.files[0][0];
  edit.view.setState(kept.get(active) ?? edit.fresh(text(active)));
  tabs();
  schedule(0);
});

// Checking.

function changed() {
  keep(active, edit.view.state.doc.toString());
  schedule(PAUSE);
}

function schedule(pause) {
  clearTimeout(timer);
  timer = setTimeout(check, pause);
}

async function asked(question, given) {
  await sent();
  return python.ask(question, given);
}

async function sent() {
  const answer = await python.ask("state", state);
  get("choice").textContent = answer.error ?? "";
}

async function check() {
  const now = JSON.stringify(state);
  if (now !== shared) get("link").hidden = true;
  if (python.failed) python.start();
  if (!python.isReady) return;
  if (now === stuck) return;
  if (checking) {
    again = true;
    return;
  }
  checking = true;
  const began = performance.now();
  try {
    await sent();
    const answer = await python.ask("check", {});
    if (now === JSON.stringify(state)) {
      findings = answer.findings;
      mark();
      list();
      const failed = answer.failures.length ? ` dralint could not finish: ${answer.failures[0]}` : "";
      const time = Math.round(performance.now() - began);
      say(`${answer.summary[0].toUpperCase()}${answer.summary.slice(1)}.${failed}`);
      Object.assign(get("status").dataset, { time, checks: Number(get("status").dataset.checks ?? 0) + 1 });
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

function mark() {
  edit.mark(
    findings.filter((finding) => finding.file === active),
    fix,
  );
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

function list() {
  get("findings").replaceChildren(
    ...findings.map((finding) => {
      const where = button(`${finding.file}:${finding.line}`, () => {
        if (finding.file !== active) show(finding.file);
        edit.go(finding.from);
      });
      const rule = node("a", "", `${finding.rule} ${finding.name}`);
      rule.href = `../rules/${finding.rule}.html`;
      const item = node("li", finding.severity);
      item.append(node("p", "", where, " ", node("span", "severity", finding.severity), " ", rule), node("p", "", finding.message));
      if (finding.hint) item.append(node("p", "hint", `Hint: ${finding.hint}`));
      item.append(node("p", "verdict", finding.verdict));
      const acts = node("p", "");
      if (finding.fix) acts.append(button(finding.fix.safe ? "Fix" : "Apply the guess", () => fix(finding)));
      acts.append(button("More …", (event) => choices(finding, acts, event.target)));
      item.append(acts);
      return item;
    }),
  );
  get("fixall").disabled = !findings.some((finding) => finding.fix?.safe);
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
  const at = findings.findIndex((finding) => finding.file === active && finding.from[0] <= here && finding.to[0] >= here);
  const item = get("findings").children[at];
  if (!item) {
    say("There is no finding in this line.");
    return;
  }
  view("check");
  item.querySelector("p:last-child button")?.focus();
}

get("fixall").addEventListener("click", async () => {
  const files = [...new Set(findings.filter((finding) => finding.fix?.safe).map((finding) => finding.file))];
  for (const file of files) {
    const found = await asked("actions", { file, start: [0, 0], end: [0, 0], kind: "source.fixAll.dralint" });
    for (const action of found) apply(action);
  }
});

for (const name of ["release", "gates"])
  get(name).addEventListener("change", () => {
    state[name] = get(name).value.trim();
    schedule(0);
  });
get("complete").addEventListener("change", () => {
  state.complete = get("complete").checked;
  schedule(0);
});

// Commands.

function options() {
  return [...(state.release ? ["--kubernetes-version", state.release] : []), ...(state.gates ? ["--feature-gates", state.gates] : [])];
}

function names() {
  return state.files.map(([name]) => name);
}

const COMMANDS = {
  simulate: () => ["simulate", ...names(), "--inventory", INVENTORY, "--explain", "always", "--quiet", ...options()],
  migrate: () => ["migrate", "--to", get("target").value, ...names()],
  explain: () => ["explain", get("topic").value || "resource claims"],
};

for (const each of document.querySelectorAll("[data-run]"))
  each.addEventListener("click", async () => {
    const command = each.dataset.run;
    const out = get(command).querySelector("pre");
    if (command === "simulate" && !state.inventory.trim()) {
      out.textContent = `The tab ${INVENTORY} is empty. Paste what kubectl writes: kubectl get resourceslices,deviceclasses,nodes -o yaml`;
      return;
    }
    each.disabled = true;
    try {
      const answer = await asked("run", { arguments: COMMANDS[command]() });
      out.textContent = [answer.out, answer.err].filter((part) => part.trim()).join("\n");
      if (command === "migrate") {
        migrated = get("target").value;
        get("migrated").disabled = !answer.out.trim();
      }
    } catch (error) {
      out.textContent = `dralint failed: ${error.message}`;
    }
    each.disabled = false;
  });

get("migrated").addEventListener("click", async () => {
  const answer = await asked("migrated", { target: migrated });
  for (const [name, content] of Object.entries(answer)) {
    if (name !== active) show(name);
    edit.view.dispatch({ changes: { from: 0, to: edit.view.state.doc.length, insert: content } });
  }
  get("migrated").disabled = true;
});
get("topic").addEventListener("keydown", (event) => {
  if (event.key === "Enter") document.querySelector('[data-run="explain"]').click();
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
  .then((examples) => {
    const box = get("example");
    examples.forEach((example, at) => box.add(new Option(example.title, String(at))));
    box.addEventListener("change", () => box.value && open(examples[Number(box.value)].state));
    if (!location.hash) open(examples[0].state);
  });

async function fromLink() {
  if (!location.hash) return;
  try {
    open(await unpacked(location.hash.slice(1)));
  } catch (error) {
    get("unreadable").textContent = `The link cannot be read: ${error.message}`;
  }
}

get("share").addEventListener("click", async () => {
  const address = new URL(`#${await packed(state)}`, location.href).href;
  history.replaceState(null, "", address);
  shared = JSON.stringify(state);
  get("link").hidden = false;
  get("address").value = address;
  get("address").select();
  get("copied").textContent = await navigator.clipboard.writeText(address).then(
    () => "It is in the clipboard.",
    () => "",
  );
});

addEventListener("hashchange", fromLink);
tabs();
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
