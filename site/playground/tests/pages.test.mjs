// Pages of the site in a real browser: accessible in light and dark, narrow enough for a phone, found by the search.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { launch, open, serve } from "./browser.mjs";

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
];

test("searches of people lead to their page: sentences, typos, symptoms, words of code; a page is one result", async () => {
  const page = await open(await browser.newContext(), `${server.address}docs/index.html`);
  const found = await page.evaluate(async (queries) => {
    const all = await load();
    return queries.map((query) => ranked(all, query).map(([, entry]) => entry.u));
  }, SEARCHES.map(([query]) => query));
  const missed = SEARCHES.filter(([, wanted], at) => !found[at].slice(0, 3).some((address) => address.includes(wanted)));
  for (const addresses of found) assert.equal(new Set(addresses.map((each) => each.split("#")[0])).size, addresses.length);

  assert.deepEqual(missed, []);
});

test("a search that finds nothing says what to try", async () => {
  const page = await open(await browser.newContext(), `${server.address}docs/index.html`);
  await page.fill("#search", "zzzzqqqq");
  await page.waitForFunction(() => /Nothing found/.test(document.getElementById("results").textContent));
});
