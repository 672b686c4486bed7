// Measures the start of the playground: SITE=OUT node start.mjs MBIT ... prints bytes and seconds to the text and to the
// first finding, over a line of so many Mbit/s that all requests share. The server compresses what GitHub Pages compresses.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { SITE, launch } from "./tests/browser.mjs";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml" };
const LATENCY = 40; // ms
const SLICE = 4096;

for (const mbit of process.argv.slice(2).map(Number)) {
  let bytes = 0;
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
      bytes += part.length;
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await launch();
  const page = await browser.newPage();
  page.setDefaultTimeout(120_000);
  const began = performance.now();
  const seconds = () => ((performance.now() - began) / 1000).toFixed(1);
  await page.goto(`http://127.0.0.1:${server.address().port}/playground/index.html`, { waitUntil: "commit" });
  await page.waitForFunction(() => document.getElementById("editor")?.textContent || document.getElementById("editor")?.shadowRoot);
  const text = seconds();
  await page.waitForSelector("#findings li");
  console.log(`${mbit} Mbit/s: text after ${text} s, first finding after ${seconds()} s, ${(bytes / 1e6).toFixed(2)} MB`);
  await browser.close();
  server.closeAllConnections();
  server.close();
}
