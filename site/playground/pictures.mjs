// Takes pictures of the built site: SITE=OUT node pictures.mjs FOLDER. That of the README is site/pictures/playground.png,
// that of docs/simulating.md is docs/pictures/fleet.png, of a page that dralint writes to the site before:
//   cd examples/simulate && dralint simulate works.yaml tainted.yaml nine-gpus.yaml --inventory inventory.yaml --sequence --output-file html=OUT/fleet.html
import { join } from "node:path";
import { launch, open, serve } from "./tests/browser.mjs";

const folder = process.argv[2];
const PICTURES = [
  ["playground", "playground/index.html", 940, 760, "light"],
  ["playground-dark", "playground/index.html", 1100, 1000, "dark"],
  ["playground-phone", "playground/index.html", 360, 740, "light"],
  ["fleet", "fleet.html", 1000, 645, "light"],
  ["rule", "rules/DRA422.html", 1100, 900, "light"],
  ["rule-dark", "rules/DRA422.html", 1100, 900, "dark"],
  ["rule-phone", "rules/DRA422.html", 360, 740, "dark"],
];

const server = await serve();
const browser = await launch();
for (const [name, path, width, height, colorScheme] of PICTURES) {
  const page = await open(await browser.newContext({ viewport: { width, height }, colorScheme }), server.address + path);
  if (path.startsWith("playground")) {
    await page.waitForSelector("#findings li");
    await page.evaluate(() => {
      const view = document.getElementById("editor").shadowRoot.querySelector(".cm-scroller");
      view.scrollTop = 9999;
      if (innerWidth > 400) scrollTo(0, 185);
    });
    await page.waitForTimeout(500);
  }
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.context().close();
}
await browser.close();
server.close();
