// The playground in a real browser. SITE names the built site, CHROMIUM the browser.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { checked, editorText, launch, open, opened, started, status, typed } from "./browser.mjs";

const CLAIM = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        count: 2
    constraints:
    - requests: [gpus]
      matchAttribute: gpu.example.com/model
`;
const DEEP = `{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "spec": ${"[".repeat(9000)}${"]".repeat(9000)}}`;
let site, context, page, address;

before(async () => {
  site = await started();
  address = site.address;
  context = await site.browser.newContext({ viewport: { width: 1100, height: 900 } });
  page = await opened(context, address);
});

after(() => site?.close());

test("it loads at most 3 MB until it checks what one writes, 6 MB in all, and all of it from this site", async () => {
  const first = ["first.wasm.xz", "first.pack.xz"];
  const sizes = async (names) => {
    const blobs = await Promise.all(names.map((name) => page.evaluate((name) => fetch(name).then((answer) => answer.blob()).then((blob) => blob.size), name)));
    return blobs.reduce((sum, size) => sum + size, 0);
  };
  const loaded = await page.evaluate(() => {
    const rows = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
    return rows.reduce((sum, row) => sum + (/xz$/.test(row.name) ? 0 : row.encodedBodySize), 0); // those of the worker have their own list
  });
  const [early, rest] = [loaded + (await sizes(first)), await sizes(["rest.pack.xz"])];
  console.log(`# ${(early / 1e6).toFixed(2)} MB, then ${(rest / 1e6).toFixed(2)} MB loaded`);

  assert.ok(early <= 3_000_000, `${early} bytes`);
  assert.ok(early + rest <= 6_000_000, `${early + rest} bytes`);
  assert.deepEqual(page.sent.filter((url) => !url.startsWith(site.server.address) && !url.startsWith("blob:")), []);
  assert.deepEqual(page.complaints, []);
});

test("the first text has its findings before Python is there, and they are those of Python", async () => {
  const other = await site.browser.newContext();
  const early = await other.newPage();
  await early.route(/first\.pack/, () => {}); // never answered
  await early.goto(address);
  await early.waitForSelector("#findings li");
  const foretold = await early.textContent("#findings");

  assert.match(await status(early), /^3 errors\. Python is loading/);
  assert.equal(foretold, await page.textContent("#findings"));
  await early.locator("#editor .cm-content").focus();
  await early.keyboard.insertText("#");
  await early.waitForFunction(() => document.getElementById("status").textContent === "Loading Python …");
  assert.equal(await early.locator("#findings li").count(), 0);
  await other.close();
});

test("a question that is asked before Python is there is answered when it is", async () => {
  const other = await site.browser.newContext();
  const early = await open(other, "about:blank");
  await early.route(/first\.pack/, (route) => setTimeout(() => route.continue(), 1500));
  await early.goto(address);
  await early.locator("#findings li button", { hasText: "More" }).first().click();
  await early.getByRole("tab", { name: "Explain" }).click();
  await early.fill("#topic", "DRA203");
  await early.locator("#topic").press("Enter");
  await early.waitForFunction(() => /unknown-request/.test(document.querySelector("#explain pre").textContent));

  assert.deepEqual(early.complaints, []);
  await other.close();
});

test("what is loaded first is all that the first check needs, and what comes later is waited for", async () => {
  const other = await site.browser.newContext();
  const early = await other.newPage();
  await early.route(/rest\.pack/, () => {}); // never answered: a start that needed it would wait for ever
  await early.goto(address);
  await early.waitForFunction(() => "checked" in document.getElementById("status").dataset);

  assert.equal(await early.locator("#findings li").count(), 3);
  await other.close();
});

test("a pasted text has its finding at its line, and the fix mends it", async () => {
  await typed(page, CLAIM);
  const finding = page.locator("#findings li");

  assert.match(await finding.textContent(), /claim.yaml:13.*error.*DRA203.*did you mean "gpu"\?.*rejected by Kubernetes 1\.\d+: ResourceClaim train, spec.devices.constraints\[0\]/s);
  assert.equal(await page.locator("#editor .cm-line:has(.cm-lintRange-error)").count(), 1);
  await checked(page, () => finding.getByRole("button", { name: "Fix", exact: true }).click());
  assert.match(await status(page), /^No findings in 1 object/);
  assert.equal(await editorText(page), CLAIM.replace("[gpus]", "[gpu]"));
});

test("another release has another verdict", async () => {
  await checked(page, () => page.selectOption("#release", "1.33"));
  assert.match(await page.textContent("#findings"), /DRA501/);
  await checked(page, () => page.selectOption("#release", ""));
  assert.match(await status(page), /^No findings in 1 object/);
});

test("a wrong feature gate is named beside the choice", async () => {
  await page.click("#options summary");
  await page.fill("#gates", "DRAConsumableCapasity=true");
  await page.locator("#gates").press("Tab");
  await page.waitForFunction(() => document.getElementById("choice").textContent.includes("DRAConsumableCapacity"));
  await page.fill("#gates", "");
  await page.locator("#gates").press("Tab");
  await page.waitForFunction(() => !document.getElementById("choice").textContent);
  await page.click("#options summary");
});

test("completion offers fields, and a hover says what a field means", async () => {
  await typed(page, `${CLAIM.split("    constraints")[0]}        `);
  await page.keyboard.press("Control+Space");
  const offered = page.locator("#editor .cm-tooltip-autocomplete li");
  await offered.first().waitFor();

  assert.ok((await offered.allTextContents()).some((text) => text.startsWith("allocationMode")));
  await page.keyboard.press("Escape");
  await page.locator("#editor .cm-line", { hasText: "deviceClassName" }).locator("span").first().hover();
  const tip = page.locator("#editor .cm-tooltip-hover");
  await tip.waitFor();
  assert.match(await tip.textContent(), /DeviceClass/);
});

test("simulate, migrate and explain answer as the command line does", async () => {
  const titles = await page.locator("#example option").allTextContents();
  await page.selectOption("#example", { label: titles.find((title) => title.startsWith("Simulate")) });
  await page.getByRole("tab", { name: "Simulate" }).click();
  await page.locator('[data-run="simulate"]').click();
  await page.waitForFunction(() => /node/.test(document.querySelector("#simulate pre").textContent));

  await page.getByRole("tab", { name: "Explain" }).click();
  await page.fill("#topic", "DRA203");
  await page.locator("#topic").press("Enter");
  await page.waitForFunction(() => /unknown-request/.test(document.querySelector("#explain pre").textContent));

  await typed(page, CLAIM.replace("resource.k8s.io/v1", "resource.k8s.io/v1beta2").replace("[gpus]", "[gpu]"));
  await page.getByRole("tab", { name: "Migrate" }).click();
  await page.locator('[data-run="migrate"]').click();
  await page.waitForFunction(() => /\+apiVersion: resource.k8s.io\/v1\n/.test(document.querySelector("#migrate pre").textContent));
  await page.click("#migrated");
  await page.waitForFunction(() => document.getElementById("migrated").disabled);
  assert.match(await editorText(page), /^apiVersion: resource.k8s.io\/v1\n/);
  await page.getByRole("tab", { name: "Findings" }).click();
});

test("a link holds the texts, opens them in a new window, and sends them to nobody", async () => {
  await checked(page, () => page.selectOption("#example", { index: 1 }));
  await typed(page, CLAIM);
  await page.click("#share");
  await page.waitForFunction(() => document.getElementById("address").value.includes("#"));
  const link = await page.inputValue("#address");
  assert.ok(await page.isVisible("#link"));
  const other = await opened(context, link);

  assert.equal(await editorText(other), CLAIM);
  assert.deepEqual(other.sent.filter((url) => url.includes(link.split("#")[1].slice(0, 40))).filter((url) => !url.includes("#")), []);
  await other.close();
  await typed(page, `${CLAIM}# more\n`);
  assert.ok(!(await page.isVisible("#link")), "it holds other texts");
});

test("a link that is no link, and a text that looks like HTML, run nothing", async () => {
  const other = await open(context, `${address}#AAAA`);
  await other.waitForFunction(() => Number(document.getElementById("status").dataset.checks) > 0);
  assert.match(await other.textContent("#unreadable"), /cannot be read/);
  await typed(other, CLAIM.replace("[gpus]", `['<img src=x onerror="window.ran=1"><b>x</b>']`));

  assert.match(await other.locator("#findings").textContent(), /<img src=x/);
  assert.equal(await other.locator("#findings img, #findings b").count(), 0);
  assert.equal(await other.evaluate(() => window.ran), undefined);
  await other.close();
});

test("the policy of the page holds in the worker, too", async () => {
  const refused = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const code = "fetch('https://example.com/').then(() => postMessage('sent'), () => {}); addEventListener('securitypolicyviolation', (e) => postMessage(e.violatedDirective));";
        const worker = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
        worker.onmessage = ({ data }) => resolve(data);
      }),
  );

  assert.match(refused, /connect-src/);
  page.complaints.length = 0;
});

test("a worker that dies is started again, and the next text is checked", async () => {
  const number = await page.evaluate(() => Number(document.getElementById("status").dataset.checks));
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(DEEP);
  // Deep nesting exhausts the stack of some browsers; where it does not, the worker says that it dies.
  await page.waitForFunction((number) => /starts again/.test(document.getElementById("status").textContent) || Number(document.getElementById("status").dataset.checks) > number, number);
  if (!/starts again/.test(await status(page))) await page.workers().at(-1).evaluate(() => postMessage({ dead: "a test" }));
  await page.waitForFunction(() => /starts again/.test(document.getElementById("status").textContent));
  await typed(page, CLAIM);

  assert.match(await page.textContent("#findings"), /DRA203/);
});

test("an editor whose parser has too little stack for a text takes it without colours, and the next text", async (t) => {
  const small = await launch("--js-flags=--stack-size=300");
  t.after(() => small.close());
  const other = await opened(await small.newContext(), address);
  await other.locator("#editor .cm-content").focus();
  await other.keyboard.press("Control+A");
  await other.keyboard.insertText(DEEP);
  await other.waitForFunction(() => /starts again/.test(document.getElementById("status").textContent));

  assert.equal(await editorText(other), DEEP);
  await typed(other, CLAIM);
  assert.equal(await editorText(other), CLAIM);
  assert.match(await other.textContent("#findings"), /DRA203/);
});

test("everything is reached by the keyboard, and Tab leaves the editor after Escape", async () => {
  await typed(page, `${CLAIM}# another text\n`); // the editor ignores a text that it has already
  await page.keyboard.press("F8");
  await page.keyboard.press("Control+.");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /Fix|guess/);
  await checked(page, () => page.keyboard.press("Enter"));
  assert.match(await status(page), /^No findings in 1 object/);
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("Escape"); // closes what is open
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.id), "view-check");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "view-simulate");
  await page.keyboard.press("ArrowLeft");
});

test("3,000 nested mappings are answered as on a command line", async () => {
  await typed(page, `apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: ${"{a: ".repeat(3000)}1${"}".repeat(3000)}\n`);

  assert.match(await page.textContent("#findings"), /DRA011/);
  assert.doesNotMatch(await status(page), /starts again/);
});

test("a keystroke in 100 lines is handled in 50 ms, and its findings come soon", async () => {
  const lines = `${CLAIM}---\n`.repeat(8).split("\n").slice(0, 100).join("\n");
  await typed(page, `${lines}\n`);
  const times = [];
  for (let number = 0; number < 10; number++) {
    times.push(
      await page.evaluate(async () => {
        const content = document.getElementById("editor").shadowRoot.querySelector(".cm-content");
        const began = performance.now();
        content.focus();
        document.execCommand("insertText", false, "#");
        return performance.now() - began;
      }),
    );
    await page.waitForTimeout(120);
  }
  times.sort((a, b) => a - b);
  console.log(`# a keystroke: ${times[5].toFixed(1)} ms; text to findings: ${await page.getAttribute("#status", "data-time")} ms`);

  assert.ok(times[5] <= 50, `${times[5]} ms`);
});

test("it works without a network once it was loaded", async () => {
  await page.waitForFunction(() => navigator.serviceWorker.ready.then((one) => one.active?.state === "activated"));
  await context.setOffline(true);
  await page.reload();
  await page.waitForFunction(() => "checked" in document.getElementById("status").dataset);
  await context.setOffline(false);

  assert.ok((await page.locator("#findings li").count()) > 0);
});
