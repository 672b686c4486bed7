// No text is lost, and no answer is older than it looks. SITE names the built site, CHROMIUM the browser.
import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { checked, editorText, open, opened, paste, started, status, typed } from "./browser.mjs";

const CLAIM = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: mine
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
`;
let site, context, page, address;

before(async () => {
  site = await started();
  address = site.address;
});
after(() => site?.close());
beforeEach(async () => {
  context = await site.browser.newContext({ viewport: { width: 1366, height: 768 } });
  page = await opened(context, address);
});
afterEach(() => context.close());

async function reloaded() {
  await checkedAfter(() => page.reload());
}

async function checkedAfter(act) {
  await act();
  await page.waitForFunction(() => Number(document.getElementById("status").dataset.checks) > 0);
}

async function link() {
  await page.click("#share");
  await page.waitForFunction(() => document.getElementById("address").value.includes("#"));
  return page.inputValue("#address");
}

async function example(title) {
  await checked(page, () => page.selectOption("#example", { label: title }));
}

async function presses(...keys) {
  for (const key of keys) await (/^(Enter|Escape|Control\+End)$/.test(key) ? page.keyboard.press(key) : page.keyboard.type(key));
}

test("a text is there again after a reload, at once after the last key", async () => {
  await typed(page, CLAIM);
  await page.locator("#editor .cm-content").focus();
  await presses("Control+End", "# last");
  await reloaded();

  assert.equal(await editorText(page), `${CLAIM}# last`);
});

test("a new window has the text that was written last", async () => {
  await typed(page, CLAIM);
  await page.waitForFunction(() => localStorage.getItem("dralint.playground")?.includes("mine"));
  const other = await opened(context, address);

  assert.equal(await editorText(other), CLAIM);
});

test("after Share, a reload has the text as it is, and not as it was shared", async () => {
  await typed(page, CLAIM);
  await link();
  await typed(page, `${CLAIM}# later\n`);
  await reloaded();

  assert.equal(await editorText(page), `${CLAIM}# later\n`);
});

test("a link opens beside one's own text, keeps its changes, and leads back", async () => {
  await typed(page, CLAIM.replace("mine", "theirs"));
  const address = await link();
  await typed(page, CLAIM);
  await page.goto("about:blank");
  await checkedAfter(() => page.goto(address));
  assert.match(await editorText(page), /theirs/);
  await typed(page, CLAIM.replace("mine", "changed"));
  await reloaded();
  assert.match(await editorText(page), /changed/);
  assert.ok(await page.isVisible("#linked"));

  await checked(page, () => page.click("#own"));
  assert.equal(await editorText(page), CLAIM);
  assert.ok(!(await page.isVisible("#linked")));
  await checked(page, () => page.goBack());
  assert.match(await editorText(page), /changed/);
  await checked(page, () => page.click("#adopt"));
  assert.match(await editorText(page), /changed/);
  await checked(page, () => page.click("#undo"));
  assert.equal(await editorText(page), CLAIM);
});

test("an example and a removal are taken back, by the button and by Ctrl+Z", async () => {
  await typed(page, CLAIM);
  await example("Simulate: nine GPUs, and no node that has them");
  assert.doesNotMatch(await editorText(page), /mine/);
  await checked(page, () => page.click("#undo"));
  assert.equal(await editorText(page), CLAIM);

  await page.click("#add");
  await typed(page, "# another\n");
  await checked(page, () => page.click("#remove"));
  assert.equal(await editorText(page), CLAIM);
  await checked(page, () => page.click("#undo"));
  assert.equal(await editorText(page), "# another\n");

  await example("A claim with three mistakes");
  await page.locator("#editor .cm-content").focus();
  await checked(page, () => page.keyboard.press("Control+Z"));
  assert.equal(await editorText(page), "# another\n");
});

test("a text that is written before the examples arrive stays", async () => {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await context.route("**/examples.json", async (route) => {
    await held;
    await route.continue();
  });
  const other = await (await site.browser.newContext()).newPage();
  await other.route("**/examples.json", async (route) => {
    await held;
    await route.continue();
  });
  await other.goto(address);
  await other.locator("#editor .cm-content").focus();
  await other.keyboard.press("Control+A");
  await other.keyboard.insertText("# mine");
  release();
  await other.waitForFunction(() => document.querySelectorAll("#example option").length > 3);

  assert.equal(await editorText(other), "# mine");
  await other.context().close();
});

test("what is too long for a link is not shared", async () => {
  let seed = 1;
  const noise = Array.from({ length: 600_000 }, () => ((seed = (seed * 48271) % 2147483647), String.fromCharCode(33 + (seed % 90)))).join("");
  await page.locator("#editor .cm-content").focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(`# ${noise}`);
  await page.click("#share");
  await page.waitForFunction(() => /too long for a link/.test(document.getElementById("copied").textContent));

  assert.equal(await page.inputValue("#address"), "");
});

test("Enter indents below a key, and in a list below its text", async () => {
  await typed(page, "metadata:");
  await presses("Control+End", "Enter", "name: a", "Escape", "Enter", "labels:", "Escape", "Enter", "x: y", "Escape", "Enter");
  assert.equal(await editorText(page), "metadata:\n  name: a\n  labels:\n    x: y\n    ");
  await typed(page, "    - name: gpu");
  await presses("Control+End", "Enter", "exactly:", "Escape", "Enter", "count: 2", "Escape");
  assert.equal(await editorText(page), "    - name: gpu\n      exactly:\n        count: 2");
});

test("Enter after a complete word is a new line, though the popup is open", async () => {
  await typed(page, "apiVersion: resource.k8s.io/v1\n");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("kind: ResourceClaim");
  await page.locator("#editor .cm-tooltip-autocomplete li").first().waitFor();
  await page.waitForTimeout(200); // the popup takes no key in its first moments
  await presses("Enter", "metadata:");

  assert.equal(await editorText(page), "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:");
});

test("an answer that is about an earlier text says so, until it is asked for again", async () => {
  await example("Simulate: two GPUs and a network card below one PCIe root");
  await page.getByRole("tab", { name: "Simulate" }).click();
  await page.locator('[data-run="simulate"]').click();
  await page.waitForFunction(() => /node/.test(document.querySelector("#simulate pre").textContent));
  assert.equal(await page.locator("#simulate .old").count(), 0);
  await checked(page, () => page.selectOption("#release", "1.35"));
  assert.match(await page.textContent("#simulate .old"), /earlier text/);
  await page.locator('[data-run="simulate"]').click();
  await page.waitForFunction(() => !document.querySelector("#simulate .old"));
});

test("words that are no subject are answered without a word of usage", async () => {
  await page.getByRole("tab", { name: "Explain" }).click();
  await page.fill("#topic", "nonsense zzz");
  await page.locator("#topic").press("Enter");
  await page.waitForFunction(() => /nonsense/.test(document.querySelector("#explain pre").textContent));

  assert.doesNotMatch(await page.textContent("#explain pre"), /Usage|--help/);
});

for (const [width, height] of [[1366, 768], [1440, 900], [1920, 1080], [1100, 700], [390, 844]])
  test(`the first finding is on the screen of ${width} by ${height} pixels`, async () => {
    await page.setViewportSize({ width, height });
    const [top, wide] = await page.evaluate(() => [document.querySelector("#findings li").getBoundingClientRect().top, document.documentElement.scrollWidth]);

    assert.ok(top + 60 < height, `${top}`);
    assert.equal(wide, width);
  });

test("text and list move together", async () => {
  await page.locator("#editor .cm-line", { hasText: "matchAttribute" }).click();
  assert.match(await page.textContent("#findings li[aria-current]"), /DRA206/);
  await page.locator("#findings li").first().getByRole("button").first().click();
  assert.match(await page.textContent("#findings li[aria-current]"), /DRA302/);
});

test("a text without findings is praised, with its objects and release; an empty one says what to paste", async () => {
  await typed(page, CLAIM);
  assert.equal(await status(page), "No findings in 1 object, judged by the newest release that serves each (Kubernetes 1.37 at most).");
  assert.ok(await page.evaluate(() => document.getElementById("status").classList.contains("good")));
  await checked(page, () => page.selectOption("#release", "1.34"));
  assert.equal(await status(page), "No findings in 1 object, judged by Kubernetes 1.34.");
  await typed(page, "kind: Pod\napiVersion: v1\nmetadata: {name: a}\nspec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}\n");
  assert.ok(await page.isVisible("#empty"));
  assert.ok(!(await page.evaluate(() => document.getElementById("status").classList.contains("good"))));
});

test("releases are a range, or a preview; rules are chosen; a configuration is obeyed and its mistakes are named", async () => {
  await page.click("#options summary");
  await checked(page, () => page.selectOption("#until", "1.37"));
  await checked(page, () => page.selectOption("#release", "1.33"));
  assert.match(await page.textContent("#findings"), /DRA501/);
  await checked(page, () => page.selectOption("#until", ""));
  await checked(page, () => page.selectOption("#release", "1.38"));
  assert.match(await page.textContent("#findings"), /1\.38 \(alpha/);
  await checked(page, () => page.fill("#ignore", "DRA3,DRA206").then(() => page.locator("#ignore").press("Tab")));
  assert.deepEqual(await page.locator("#findings a").allTextContents(), ["DRA203 unknown-request"]);
  await checked(page, () => page.fill("#ignore", "").then(() => page.locator("#ignore").press("Tab")));
  await page.click("#configure");
  await typed(page, "ignore: [DRA203, DRA206, DRA3]\n");
  assert.match(await status(page), /^No findings/);
  await typed(page, "sel");
  await page.keyboard.press("Control+Space");
  await page.locator("#editor .cm-tooltip-autocomplete li", { hasText: "select" }).waitFor();
  await page.keyboard.press("Escape");
  await typed(page, "ignroe: [DRA203]\n");
  assert.match(await page.textContent("#choice"), /\.dralint\.yaml:1:1: unknown key "ignroe" \(did you mean "ignore"\?\)/);
});

test("triage, CEL and diff answer", async () => {
  await example("Simulate: nine GPUs, and no node that has them");
  await page.getByRole("tab", { name: "Triage" }).click();
  await page.locator('[data-run="triage"]').click();
  await page.waitForFunction(() => /Kubernetes/.test(document.querySelector("#triage pre").textContent));
  await page.getByRole("tab", { name: "CEL" }).click();
  await page.fill("#expression", 'device.driver == "gpu.example.com"');
  await page.locator("#expression").press("Enter");
  await page.waitForFunction(() => /accepted/.test(document.querySelector("#cel pre").textContent));
  await typed(page, CLAIM);
  await page.click("#add");
  await typed(page, CLAIM.replace("gpu.example.com", "other.example.com"));
  await page.getByRole("tab", { name: "Diff" }).click();
  await page.locator('[data-run="diff"]').click();
  await page.waitForFunction(() => /DRA60\d/.test(document.querySelector("#diff pre").textContent));
});

test("the safe fixes are shown before they are made, the report is copied, and the list is filtered", async () => {
  await page.click("#fixes");
  await page.waitForFunction(() => /^-.*capacty/m.test(document.getElementById("changes").textContent));
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.selectOption("#format", "markdown");
  await page.click("#copy");
  await page.waitForFunction(() => /clipboard/.test(document.getElementById("reported").textContent));
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /DRA302/);
  await typed(page, CLAIM.replace("name: mine", "name: mine\n  finalizers: [a/b]").replace("gpu.example.com", "GPU"));
  await page.selectOption("#least", "error");
  assert.ok((await page.locator("#findings li:not(.error)").count()) === 0);
});

test("files that are dropped are opened, and taken back", async () => {
  await typed(page, CLAIM);
  await checked(page, () => page.setInputFiles("#upload", [{ name: "one.yaml", mimeType: "text/yaml", buffer: Buffer.from("# one\n") }, { name: "two.yaml", mimeType: "text/yaml", buffer: Buffer.from("# two\n") }]));
  assert.deepEqual(await page.locator("#files button").allTextContents(), ["claim.yaml", "one.yaml", "two.yaml", "inventory.yaml"]);
  assert.equal(await editorText(page), "# two\n");
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["# three\n"], "three.yaml"));
    document.getElementById("editor").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => /three.yaml is open/.test(document.getElementById("notice").textContent));
  assert.equal(await editorText(page), "# three\n");
  await checked(page, () => page.click("#undo"));
  await checked(page, () => page.click("#undo"));
  assert.equal(await editorText(page), CLAIM);
});

test("1 MB is written in without a block of 200 ms", async () => {
  const large = Array.from({ length: 1800 }, (_, at) => `${CLAIM.replace("mine", `claim-${at}`)}        selectrs: []\n        # ${"x".repeat(300)}\n---\n`).join("");
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.longest = Math.max(window.longest, entry.duration)))).observe({ entryTypes: ["longtask"] });
  });
  await checked(page, () => paste(page, large));
  const pasted = await page.evaluate(() => window.longest);
  await page.evaluate(() => (window.longest = 0));
  await page.keyboard.press("Control+Home");
  for (let at = 0; at < 5; at++) {
    await page.keyboard.type("#");
    await page.waitForTimeout(150);
  }
  await checked(page, () => page.keyboard.type("#"));
  const typing = await page.evaluate(() => window.longest);
  console.log(`# ${(large.length / 1e6).toFixed(2)} MB: longest task ${pasted} ms when pasted, ${typing} ms while written`);

  assert.ok(typing <= 200, `${typing}`);
});
