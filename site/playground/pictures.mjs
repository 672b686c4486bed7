// Takes pictures of the built site: SITE=OUT node pictures.mjs FOLDER [NAME …]. `playground` is that of the README and of the first
// page, site/pictures/playground.png; `preview` that of links to the site, site/pictures/preview.png; `fleet` that of
// docs/simulating.md, docs/pictures/fleet.png, of a page that dralint writes to the site before:
//   cd examples/simulate && dralint simulate works.yaml tainted.yaml nine-gpus.yaml --inventory inventory.yaml --sequence --output-file html=OUT/fleet.html
import { join } from "node:path";
import { launch, open, serve } from "./tests/browser.mjs";

const [folder, ...only] = process.argv.slice(2);
const SIZES = [[390, 844], [1366, 768], [1920, 1080]];
const PAGES = [["home", "index.html"], ["rule", "rules/DRA203.html"], ["rules", "rules/index.html"], ["guide", "docs/simulating.html"], ["playground", "playground/index.html"]];
const PICTURES = [
  ["playground", "playground/index.html", 1100, 720, "light"],
  ["fleet", "fleet.html", 1000, 645, "light"],
  ["preview", "index.html", 1200, 630, "light"],
  ...PAGES.flatMap(([name, path]) => SIZES.flatMap(([width, height]) => ["light", "dark"].map((scheme) => [`${name}-${width}-${scheme}`, path, width, height, scheme]))),
];
const PREVIEW = `
  body { display: grid; align-content: center; gap: 2.2rem; height: 630px; padding: 0 70px; background: #0f1718; color: #e2ecec; }
  .preview { display: flex; align-items: center; gap: 1.6rem; font-size: 4.6rem; font-weight: 750; letter-spacing: -.03em; }
  .preview small { display: block; font-size: 1.6rem; font-weight: 400; letter-spacing: 0; color: #a3b5b7; }
  .preview u { text-decoration: underline wavy #ff8f75 .07em; text-underline-offset: .18em; text-decoration-skip-ink: none; }
  pre { margin: 0; background: #172224; border-color: #2d3d40; border-left-color: #6fd6c8; white-space: pre-wrap; padding: 1.4rem 1.8rem; }
  pre code { font-size: 1.32rem; } pre .error { color: #ff9a9a; } pre .good { color: #86d9a0; }`;

const server = await serve();
const browser = await launch();
for (const [name, path, width, height, colorScheme] of PICTURES.filter(([name]) => !only.length || only.includes(name))) {
  const page = await open(await browser.newContext({ viewport: { width, height }, colorScheme, bypassCSP: true }), server.address + path);
  if (path.startsWith("playground")) {
    await page.waitForSelector("#findings li");
    await page.evaluate(() => {
      const view = document.getElementById("editor").shadowRoot.querySelector(".cm-scroller");
      view.scrollTop = 9999;
    });
    await page.waitForTimeout(500);
  }
  if (name === "preview") {
    await page.evaluate(() => {
      const [mark, shown] = [document.querySelector(".home img"), document.querySelector(".hero pre")];
      mark.width = mark.height = 150;
      const head = document.createElement("div");
      head.className = "preview";
      head.innerHTML = "<div>dra<u>lint</u><small>A linter and simulator for Kubernetes Dynamic Resource Allocation</small></div>";
      head.prepend(mark);
      document.body.replaceChildren(head, shown);
    });
    await page.addStyleTag({ content: PREVIEW });
  }
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.context().close();
}
await browser.close();
server.close();
