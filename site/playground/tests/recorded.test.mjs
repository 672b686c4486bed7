// Recorded manifests give the same JSON in the browser as on the command line. RECORDED names the folder that
// `python -m tests.site.recorded` has written.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { opened, started } from "./browser.mjs";

const FOLDER = process.env.RECORDED;
let site, page;

before(async () => {
  site = await started();
  page = await opened(await site.browser.newContext(), site.address);
});
after(() => site?.close());

// Asks the worker of the page, as the page does.
async function ask(question, given) {
  const worker = page.workers().at(-1);
  return worker.evaluate(
    ([question, given]) =>
      new Promise((resolve) => {
        const post = globalThis.postMessage;
        globalThis.postMessage = (message) => {
          if (message.id !== "test") return post(message);
          globalThis.postMessage = post;
          resolve(message);
        };
        globalThis.onmessage({ data: { id: "test", question, given } });
      }),
    [question, given],
  );
}

for (const name of FOLDER ? readdirSync(FOLDER).filter((each) => each.endsWith(".json")) : [])
  test(`150 manifests of ${name.slice(0, -5)} give the same JSON`, async () => {
    const recorded = JSON.parse(readFileSync(join(FOLDER, name), "utf-8"));
    await ask("state", { files: recorded.files });
    const { answer, error } = await ask("run", { arguments: recorded.arguments });

    assert.equal(error, undefined);
    assert.ok(recorded.out.length > 1000);
    assert.equal(answer.out, recorded.out);
  });
