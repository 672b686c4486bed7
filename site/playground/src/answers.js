// The tabs beside the findings: each runs a command of dralint over the texts, and shows what it prints.
const INVENTORY = "inventory.yaml";
const get = (id) => document.getElementById(id);
const EMPTY = `The tab ${INVENTORY} is empty. Paste what kubectl writes: kubectl get resourceslices,deviceclasses,nodes -o yaml`;

// page: {state, manifests(), ask(question, given), write(texts)}
export function answers({ state, manifests, ask, write }) {
  const gates = () => (state.gates ? ["--feature-gates", state.gates] : []);
  const rules = () => [...(state.select ? ["--select", state.select] : []), ...(state.ignore ? ["--ignore", state.ignore] : [])];
  const releases = () => [...(state.release ? ["--kubernetes-version", state.release] : []), ...gates()];
  const release = () => [...(state.release ? ["--kubernetes-version", state.release.split("..").pop()] : []), ...gates()];
  const judging = () => [...releases(), ...rules(), ...(state.namespace ? ["--namespace", state.namespace] : []), ...(state.complete ? ["--complete"] : [])];
  const stock = () => (state.inventory.trim() ? [INVENTORY] : []);
  const commands = {
    check: () => ["check", "--format", get("format").value, ...judging(), ...stock().flatMap((name) => ["--inventory", name]), ...manifests()],
    fix: () => ["fix", ...judging(), ...manifests()],
    simulate: () => ["simulate", ...manifests(), "--inventory", INVENTORY, "--explain", "always", "--quiet", ...release()],
    triage: () => ["triage", "--quiet", ...release(), ...manifests(), ...stock()],
    cel: () => ["cel", ...release(), ...stock().flatMap((name) => ["--slices", name]), "--", get("expression").value],
    diff: () => ["diff", ...releases(), ...rules(), get("before").value, get("after").value],
    migrate: () => ["migrate", "--to", get("target").value, ...manifests()],
    explain: () => ["explain", get("topic").value.trim() || "resource claims"],
  };
  const asked = new Map(); // output → what was asked for it
  let migrated;

  // What a command answers: its words of usage are of no use on a page.
  async function run(name) {
    const answer = await ask("run", { arguments: commands[name]() });
    const err = answer.err.replace(/^Usage: .*\nTry .*\n\n/, "").replace(/^Error: (.)/, (_, letter) => letter.toUpperCase());
    return { ...answer, said: [answer.out, err].filter((part) => part.trim()).join("\n") };
  }

  const question = (name) => JSON.stringify([commands[name](), name === "explain" ? null : [state.files, state.inventory]]);
  const output = (name) => (name === "fix" ? get("changes") : get(name).querySelector("pre"));

  // Says of each answer that is shown whether it is about texts and choices as they are no longer.
  function age() {
    for (const [name, about] of asked) {
      const isOld = question(name) !== about && output(name).textContent !== "";
      const before = output(name).previousElementSibling;
      if (before.classList.contains("old") === isOld) continue;
      if (!isOld) {
        before.remove();
        continue;
      }
      const note = document.createElement("p");
      note.className = "note old";
      note.role = "status";
      note.textContent = "This answer is about an earlier text or choice.";
      output(name).before(note);
      if (name === "migrate") get("migrated").disabled = true;
    }
  }

  for (const each of document.querySelectorAll("[data-run]"))
    each.addEventListener("click", async () => {
      const name = each.dataset.run;
      const out = output(name);
      if (name === "simulate" && !state.inventory.trim()) {
        out.textContent = EMPTY;
        return;
      }
      if (name === "cel" && !get("expression").value.trim()) {
        out.textContent = 'Write a selector, such as: device.driver == "gpu.example.com"';
        return;
      }
      each.disabled = true;
      const about = question(name);
      try {
        const answer = await run(name);
        out.textContent = answer.said || "There is nothing to say.";
        if (name === "migrate") {
          migrated = get("target").value;
          get("migrated").disabled = !answer.out.trim();
        }
        if (name !== "fix") asked.set(name, about);
      } catch (error) {
        out.textContent = `dralint failed: ${error.message.trim().split("\n").pop()}`;
      }
      each.disabled = false;
      age();
    });

  get("migrated").addEventListener("click", async () => {
    write(await ask("migrated", { target: migrated }));
    get("migrated").disabled = true;
  });
  for (const [id, name] of [["topic", "explain"], ["expression", "cel"]])
    get(id).addEventListener("keydown", (event) => {
      if (event.key === "Enter") document.querySelector(`[data-run="${name}"]`).click();
    });
  for (const id of ["topic", "expression", "target", "before", "after"]) get(id).addEventListener("input", age);

  get("copy").addEventListener("click", async () => {
    const { said } = await run("check");
    const done = await navigator.clipboard.writeText(said).then(
      () => true,
      () => false,
    );
    get("reported").hidden = false;
    get("reported").textContent = done ? "The report is in the clipboard." : "The browser does not let this page write to the clipboard; here is the report:";
    get("changes").textContent = done ? "" : said;
  });

  return { age };
}
