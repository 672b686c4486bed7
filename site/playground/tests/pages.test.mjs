// Pages of the site in a real browser: accessible in light and dark, narrow enough for a phone, found by the search.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { editorText, launch, open, serve, typed } from "./browser.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf-8");
const PAGES = ["index.html", "rules/DRA422.html", "rules/index.html", "fields/ResourceClaim.html", "releases.html", "docs/simulating.html", "404.html", "playground/index.html"];
let server, browser;

before(async () => {
  server = await serve();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.close();
});

for (const [colorScheme, width] of [["light", 1366], ["dark", 1920], ["dark", 390], ["light", 390]])
  for (const path of PAGES)
    test(`${path} has no fault of accessibility, ${colorScheme}, ${width} pixels`, async () => {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 720 }, bypassCSP: true });
      const page = await open(context, server.address + path);
      if (path.startsWith("playground")) await page.waitForSelector("#findings li");
      await page.evaluate(AXE);
      const found = await page.evaluate(() => window.axe.run());
      await context.close();

      assert.deepEqual(found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`), []);
    });

for (const path of PAGES)
  test(`${path} fits on a screen of 360 pixels`, async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    const page = await open(context, server.address + path);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    await context.close();

    assert.equal(width, 360);
  });

test("the number of a rule in the search leads to its page", async () => {
  const page = await open(await browser.newContext(), `${server.address}docs/index.html`);
  await page.keyboard.press("/");
  await page.keyboard.type("dra422");
  await page.waitForSelector("#results [aria-selected='true']");
  await page.keyboard.press("Enter");
  await page.waitForURL(/rules\/DRA422\.html$/);

  assert.match(await page.textContent("h1"), /DRA422 pool-counters/);
  assert.deepEqual(page.complaints, []);
});

test("the button changes light to dark, and the next page keeps it", async () => {
  const page = await open(await browser.newContext({ colorScheme: "light" }), `${server.address}docs/index.html`);
  await page.click("#theme");
  await page.goto(`${server.address}rules/index.html`);
  await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
});

test("a try link of a rule opens its example", async () => {
  const page = await open(await browser.newContext(), `${server.address}rules/DRA203.html`);
  await page.getByRole("link", { name: "Try it in the playground" }).first().click();
  await page.waitForSelector("#findings li");

  assert.match(await page.locator("#findings").textContent(), /DRA203/);
});

// What a person types, and the page that one of the first three results must be. All were written before anyone looked.
const SEARCHES = [
  ["my pod is pending", "docs/triage.html"],
  ["how do I silence a rule", "docs/silencing.html"],
  ["deviceClaName", "deviceClassName"],
  ["gitlab", "docs/ci.html"],
  ["ignore", "docs/silencing.html"],
  ["adminAccess", "adminAccess"],
  ["pre-commit hook", "docs/ci.html"],
  ["install", "docs/install.html"],
  ["unknown request", "rules/DRA203.html"],
  ["DRA203", "rules/DRA203.html"],
  ["neovim", "docs/editor.html"],
  ["upgrade my cluster to 1.37", "docs/upgrading.html"],
  ["why does my pod get no gpu", "docs/simulating.html"],
  ["convert v1beta1 to v1", "docs/migrating.html"],
  ["cel expression too expensive", "rules/DRA3"],
  ["resourceclaimtemplate is immutable", "DRA6"],
  ["DRADeviceTaints", "gates/DRADeviceTaints.html"],
  ["sarif", "docs/"],
  ["kubconform", "docs/comparison.html"],
  ["nvidia mig parameters", "drivers/gpu.nvidia.com"],
  ["cannot allocate all claims, 0/3 nodes are available", "docs/(triage|simulating)\\.html"],
  ["field is immutable", "rules/DRA601\\.html"],
  ["strict decoding error: unknown field \"spec.devices.requests[0].deviceClassName\"", "rules/(DRA101|DRA107)\\.html|docs/migrating\\.html"],
  ["no matches for kind \"ResourceClaim\" in version \"resource.k8s.io/v1alpha2\"", "rules/(DRA106|DRA501|DRA504)\\.html|docs/migrating\\.html"],
  ["tolerashuns of a request", "tolerations\\.html"],
  ["matchAtribute", "matchAttribute\\.html"],
  ["partitionable devices", "gates/DRAPartitionableDevices\\.html"],
  ["two pods share one claim", "rules/DRA(710|418)\\.html"],
  ["device.attributes[\"gpu.nvidia.com\"].productName", "drivers/gpu\\.nvidia\\.com\\.html"],
  ["isGreaterThan(quantity(\"40Gi\"))", "docs/selectors\\.html|cel\\.html|rules/DRA3"],
  ["what does exit code 3 mean", "docs/json\\.html|about\\.html"],
  ["use it in intellij", "docs/editor\\.html"],
  ["helm template", "docs/ci\\.html"],
  ["# dralint: ignore[DRA203]", "docs/silencing\\.html"],
  ["configration file", "docs/configuration\\.html"],
  ["which release removed v1alpha3", "releases\\.html|docs/(migrating|upgrading)\\.html|rules/DRA50[134]\\.html"],
  ["slice has both nodeName and allNodes", "rules/DRA250\\.html|ResourceSlice\\.spec\\.(allNodes|nodeName)"],
  ["intel gaudi accelerator", "drivers/gaudi\\.intel\\.com\\.html"],
  ["my cluster dump: what is broken", "docs/triage\\.html"],
  ["namespace needs a label for admin access", "rules/DRA409\\.html"],
  ["pod stuck in containercreating", "rules/topics|docs/triage"],
  ["expected exactly one of", "rules/DRA215"],
  ["mig slice of an a100", "drivers/gpu.nvidia.com|rules/topics"],
  ["vscode extension", "docs/editor"],
  ["junit report in jenkins", "docs/(ci|json)"],
  ["field silently dropped by feature gate", "rules/DRA502|gates/"],
  ["countr sets", "rules/DRA253|[cC]ounter"],
  ["docker image", "docs/install"],
  ["allocationMode: All", "allocationMode"],
  ["difference between v1beta1 and v1", "docs/migrating"],
  ["quota of devices per namespace", "rules/DRA41|rules/topics"],
  ["kueue", "rules/DRA45"],
  ["exclude a folder", "docs/(checking|configuration|options)"],
  ["amd gpu", "drivers/gpu.amd.com"],
  ["firstAvalable", "firstAvailable"],
  ["pod evicted because of a taint", "rules/topics|rules/DRA717|taint"],
  ["test my driver from python", "docs/python-api"],
  ["exit code in ci when only warnings", "docs/(ci|json|checking)|about"],
  ["what does DRAConsumableCapacity do", "gates/DRAConsumableCapacity"],
  ["node has 8 gpus but pod gets none", "docs/simulating|rules/(DRA43|topics)"],
];

test("searches of people lead to their page: sentences, typos, symptoms, words of code; a page is one result", async () => {
  const page = await open(await browser.newContext(), `${server.address}docs/index.html`);
  const found = await page.evaluate(async (queries) => {
    const all = await load();
    return queries.map((query) => ranked(all, query).map(([, entry]) => entry.u));
  }, SEARCHES.map(([query]) => query));
  const missed = SEARCHES.filter(([, wanted], at) => !found[at].slice(0, 3).some((address) => new RegExp(wanted).test(address)));
  for (const addresses of found) assert.equal(new Set(addresses.map((each) => each.split("#")[0])).size, addresses.length);

  assert.ok(missed.length <= SEARCHES.length / 20, missed.map(([query]) => query).join("\n")); // 95 of 100 is what a search can promise
});

test("a search that finds nothing says what to try", async () => {
  const page = await open(await browser.newContext(), `${server.address}docs/index.html`);
  await page.fill("#search", "zzzzqqqq");
  await page.waitForFunction(() => /Nothing found/.test(document.getElementById("results").textContent));
});

test("a search says which words no page has", async () => {
  const page = await open(await browser.newContext(), `${server.address}docs/index.html`);
  await page.fill("#search", "taints qqzzxxww");
  await page.waitForFunction(() => /No page has “qqzzxxww”/.test(document.getElementById("results").textContent));
});

test("a page that does not exist answers with the search for its name", async () => {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${server.address}dralint/docs/silence.html`);
  await page.waitForSelector("#results a");

  assert.equal(await page.inputValue("#search"), "silence");
  assert.match(await page.locator("#results a").first().getAttribute("href"), /docs\/silencing\.html/);
});

test("the rules are filtered by words, effect, kind and release, and a link keeps the filter", async () => {
  const page = await open(await browser.newContext(), `${server.address}rules/index.html`);
  const rows = () => page.locator("article tbody tr:visible").count();
  const all = await rows();
  await page.selectOption("[name=effect]", "broken");
  const broken = await rows();
  await page.selectOption("[name=kind]", "ResourceSlice");
  await page.selectOption("[name=release]", "1.31");
  await page.fill("[name=words]", "pool counter");
  await page.waitForFunction(() => / of /.test(document.querySelector("#filter output").textContent));
  assert.ok(all > broken && broken > 1);
  assert.match(page.url(), /effect=broken&kind=ResourceSlice&release=1\.31/);

  const other = await open(page.context(), page.url().replace("1.31", "1.37"));
  assert.deepEqual(await other.locator("article tbody tr:visible td:first-child").allTextContents(), ["DRA422 pool-counters"]);
  assert.equal(await other.locator("article h2:visible").count(), 1);
  await other.click("[type=reset]");
  await other.waitForFunction((number) => document.querySelectorAll("article tbody tr:not([hidden])").length === number, all);
});

test("a rule is found by its number in lower case and by its name", async () => {
  for (const alias of ["dra203", "unknown-request"]) {
    const page = await open(await browser.newContext(), `${server.address}rules/${alias}.html`);
    await page.waitForURL(/rules\/DRA203\.html$/);
  }
});

test("the playground is found by the search and by crawlers", async () => {
  const page = await open(await browser.newContext(), `${server.address}index.html`);
  await page.fill("#search", "try it in the browser");
  await page.waitForSelector("#results a");

  assert.match(await page.locator("#results a").first().getAttribute("href"), /playground\/index\.html$/);
  assert.match(await (await page.request.get(`${server.address}sitemap.xml`)).text(), /playground\/index\.html/);
});

test("code can be copied", async () => {
  const context = await browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
  const page = await open(context, `${server.address}index.html`);
  await page.locator(".card .copied").first().getByRole("button").click();
  await page.waitForFunction(() => document.querySelector(".card .copied button").textContent === "Copied");

  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^pipx install git\+https:/);
});

test("pages can be read without JavaScript: no dead control, the contents open, the text of the playground", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await open(context, `${server.address}rules/index.html`);
  assert.equal(await page.locator("search:visible, #theme:visible, #filter:visible").count(), 0);
  assert.ok((await page.locator("article tbody tr:visible").count()) > 150);
  await page.goto(`${server.address}playground/index.html`);
  assert.match(await page.textContent("noscript"), /needs JavaScript/);
  assert.match(await page.textContent("#editor"), /kind: ResourceClaim/);
});

test("a printed page has its text and tables, and nothing that only a screen can use", async () => {
  const page = await open(await browser.newContext({ viewport: { width: 800, height: 1000 } }), `${server.address}rules/DRA203.html`);
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator("header:visible, .side:visible, .beside:visible, .within:visible, .nearby:visible, footer:visible, button:visible").count(), 0);
  for (const block of await page.locator("pre, .scroll").all()) assert.ok(await block.evaluate((one) => one.scrollWidth <= one.clientWidth + 1 || getComputedStyle(one).overflowX === "visible"));
});

for (const [path, width] of [["releases.html", 1366], ["drivers/gpu.nvidia.com.html", 1366], ["rules/index.html", 1366], ["rules/known-bugs.html", 1920]])
  test(`the tables of ${path} fit into a window of ${width} pixels`, async () => {
    const page = await open(await browser.newContext({ viewport: { width, height: 800 } }), server.address + path);
    const cut = await page.locator(".scroll").evaluateAll((tables) => tables.map((one) => one.scrollWidth - one.clientWidth).filter((over) => over > 1));

    assert.deepEqual(cut, []);
  });

// What somebody has who has never heard of dralint: a claim that the server refuses.
const BROKEN = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
      deviceClasName: gpu.nvidia.com
      count: 2
`;

test("from the first page to a mended claim: three clicks and a paste", async () => {
  const page = await open(await browser.newContext({ viewport: { width: 1366, height: 768 } }), `${server.address}index.html`);
  await page.getByRole("link", { name: "Check a manifest now" }).click();
  await page.waitForSelector("#findings li");
  await typed(page, BROKEN);
  await page.getByRole("button", { name: "Apply all safe fixes" }).click();
  await page.waitForFunction(() => /No findings/.test(document.getElementById("status").textContent));

  assert.match(await editorText(page), /exactly:\n +deviceClassName: gpu.nvidia.com/);
});

test("from the first page to a job in CI: what to copy stands there, and the guide is one click away", async () => {
  const page = await open(await browser.newContext({ viewport: { width: 1366, height: 768 } }), `${server.address}index.html`);
  assert.match(await page.locator(".card", { hasText: "In CI" }).textContent(), /\.github\/workflows.*runs-on.*uses: dralint\/dralint@/s);
  const box = await page.getByRole("link", { name: "Put it into CI" }).boundingBox();
  assert.ok(box.y + box.height < 768);
  await page.getByRole("link", { name: "Put it into CI" }).click();

  assert.equal(await page.locator("article h2").first().textContent(), "GitHub #");
});
