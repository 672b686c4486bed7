// Measures the playground: SITE=OUT node start.mjs [MBIT ...] prints a table of its start over lines of so many Mbit/s,
// that all requests share, and one of its answers. The server compresses what GitHub Pages compresses.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { SITE, launch, paste } from "./tests/browser.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml" };
const LATENCY = 40; // ms
const SLICE = 4096;


async function served(mbit) {
  const line = { bytes: 0 };
  let free = 0; // when the line is free again
  const server = createServer(async (request, response) => {
    const file = join(SITE, new URL(request.url, "http://x").pathname);
    const type = TYPES[extname(file)];
    const found = await readFile(file).catch(() => null);
    if (!found) return response.writeHead(404).end();
    const sent = type ? gzipSync(found) : found;
    response.writeHead(200, { "Content-Type": type ?? "application/octet-stream", ...(type ? { "Content-Encoding": "gzip" } : {}) });
    await new Promise((resolve) => setTimeout(resolve, LATENCY));
    for (let at = 0; at < sent.length; at += SLICE) {
      const part = sent.subarray(at, at + SLICE);
      free = Math.max(free, performance.now()) + (part.length * 8) / (mbit * 1000);
      await new Promise((resolve) => setTimeout(resolve, free - performance.now()));
      response.write(part);
      line.bytes += part.length;
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  line.address = `http://127.0.0.1:${server.address().port}/playground/index.html`;
  line.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return line;
}

const isChecked = () => "checked" in document.getElementById("status").dataset;

async function start(mbit) {
  const line = await served(mbit);
  const browser = await launch();
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  await page.goto(line.address, { waitUntil: "commit" });
  await page.waitForFunction(() => document.getElementById("editor")?.textContent || document.getElementById("editor")?.shadowRoot);
  const text = seconds();
  await page.waitForSelector("#findings li");
  const first = seconds();
  await page.waitForFunction(isChecked);
  const own = seconds();
  const bytes = (line.bytes / 1e6).toFixed(1);
  console.log(`| ${mbit} Mbit/s | ${text} s | ${first} s | ${own} s | ${bytes} MB |`);
  await browser.close();
  line.close();
}

// Returns how long it takes from an act to its findings, and the longest time in which the page does nothing else.
async function timed(page, act) {
  await page.evaluate(() => (window.longest = 0));
  const { number, began } = await page.evaluate(() => ({ number: Number(document.getElementById("status").dataset.checks), began: performance.now() }));
  await act();
  await page.waitForFunction((number) => Number(document.getElementById("status").dataset.checks) > number, number);
  return page.evaluate((began) => [performance.now() - began, window.longest].map(Math.round), began);
}

async function answers() {
  const line = await served(1000);
  const browser = await launch();
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  await page.goto(line.address);
  await page.waitForFunction(isChecked);
  await page.evaluate(() => new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (window.longest = Math.max(window.longest, duration)))).observe({ entryTypes: ["longtask"] }));
  const claim = await readFile(join(import.meta.dirname, "../../examples/bad/claim.yaml"), "utf-8");
  for (const size of [claim.length, 100_000, 1_000_000]) {
    const copies = Array.from({ length: Math.ceil(size / claim.length) }, (_, at) => claim.replace(/^  name: .*/m, `  name: claim-${at}`));
    const text = copies.join("---\n");
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("Control+A");
    const [whole, frozen] = await timed(page, () => paste(page, text));
    const keys = [];
    for (let number = 0; number < 5; number++) keys.push(await timed(page, () => page.keyboard.insertText("#")));
    keys.sort(([a], [b]) => a - b);
    const [key] = keys[2];
    const stuck = Math.max(...keys.map(([, longest]) => longest));
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const memory = await Promise.all(processInfo.filter(({ type }) => type === "renderer").map(({ id }) => readFile(`/proc/${id}/status`, "utf-8").then((status) => Number(/VmRSS:\s+(\d+)/.exec(status)[1]), () => 0)));
    console.log(`| ${Math.round(text.length / 1000)} kB | ${whole} ms | ${frozen} ms | ${key} ms | ${stuck} ms | ${Math.round(Math.max(...memory) / 1000)} MB |`);
  }
  await browser.close();
  line.close();
}

console.log("| line | text | findings of the first text | checks what one writes | loaded until then |");
console.log("|---|---|---|---|---|");
const lines = process.argv.slice(2).map(Number);
for (const mbit of lines.length ? lines : [50, 10, 1.6]) await start(mbit);
console.log("\n| text | pasted to findings | page stands still | key to finding | page stands still at a key | memory |");
console.log("|---|---|---|---|---|---|");
await answers();
