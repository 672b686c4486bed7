// What the tests share: a server of the built site that answers as plainly as `python -m http.server`, with the page for what does not
// exist as the host of the site shows it, and a browser.
import { createServer } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp" };
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const SITE = process.env.SITE;
export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function serve() {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname).replace(/^\/dralint\//, "/"));
    let file = join(SITE, path);
    try {
      if ((await stat(file)).isDirectory()) file = join(file, "index.html");
      const bytes = await readFile(file);
      response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream", "Content-Length": bytes.length });
      response.end(bytes);
    } catch {
      response.writeHead(404, { "Content-Type": "text/html" }).end(await readFile(join(SITE, "404.html")));
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

export function launch(...flags) {
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
}

// Serves the site and starts a browser; the address is that of the playground.
export async function started() {
  const server = await serve();
  const browser = await launch();
  const close = async () => {
    await browser.close();
    server.close();
  };
  return { server, browser, address: `${server.address}playground/index.html`, close };
}

// Opens the playground and waits until Python has checked its text.
export async function opened(context, address) {
  const page = await open(context, address);
  await page.waitForFunction(() => "checked" in document.getElementById("status").dataset);
  return page;
}

// Opens a page of the site, and keeps what the browser complains of and where it sends requests.
export async function open(context, address) {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  page.complaints = [];
  page.sent = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => page.sent.push(request.url()));
  await page.goto(address);
  return page;
}

// Waits until the texts as they are after an act were checked: a check that began before the act does not count.
export async function checked(page, act) {
  const before = await page.evaluate(() => Number(document.getElementById("status").dataset.edition ?? 0));
  await act();
  await page.waitForFunction((number) => {
    const { edition, checked } = document.getElementById("status").dataset;
    return Number(edition) > number && checked === edition;
  }, before);
}

export function typed(page, text) {
  return checked(page, async () => {
    await page.locator("#editor .cm-content").focus();
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  });
}

// Pastes a text at the cursor, as large as it is.
export function paste(page, text) {
  return page.evaluate((text) => {
    const content = document.getElementById("editor").shadowRoot.querySelector(".cm-content");
    content.focus();
    const data = new DataTransfer();
    data.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

export function editorText(page) {
  return page.evaluate(() => {
    const content = document.getElementById("editor").shadowRoot.querySelector(".cm-content");
    return content.cmTile?.view?.state.doc.toString() ?? content.cmView.view.state.doc.toString();
  });
}

export async function status(page) {
  return page.textContent("#status");
}
