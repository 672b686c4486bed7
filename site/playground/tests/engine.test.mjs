// The tests of the engine pass in the Python of the browser, under Node.js. PYTHON names an interpreter that has pytest.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadPyodide } from "pyodide";
import { eventReader } from "../src/libyaml.js";

const ROOT = join(import.meta.dirname, "../../..");
const FOLDERS = ["tests/cel", "tests/validate"];
const ELSEWHERE = /\b(hypothesis|subprocess|tmp_path|jsonschema|CliRunner|run_cli)\b/; // processes, files, native packages

test("the tests of CEL and of the checks pass", { skip: !process.env.PYTHON }, async () => {
  const packages = execFileSync(process.env.PYTHON, ["-c", "import pathlib, pytest; print(pathlib.Path(pytest.__file__).parents[1])"], { encoding: "utf-8" }).trim();
  const files = FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`))
    .filter((file) => /\/test_\w+\.py$/.test(file) && !ELSEWHERE.test(readFileSync(join(ROOT, file), "utf-8")))
    .sort();
  const printed = [];
  globalThis.readEvents = await eventReader(readFileSync(join(ROOT, "site/playground/libyaml/events.wasm")));
  const python = await loadPyodide({ stdout: (line) => printed.push(line), env: { PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1" } });
  for (const [folder, root] of [["/repository", ROOT], ["/packages", packages]]) {
    python.FS.mkdirTree(folder);
    python.FS.mount(python.FS.filesystems.NODEFS, { root }, folder);
  }
  python.globals.set("files", python.toPy(files));
  const status = python.runPython(`
import os, sys
sys.dont_write_bytecode = True
sys.path[:0] = ["/repository", "/repository/site/playground/libyaml", "/packages"]
os.chdir("/repository")
import pytest
int(pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not slow", "--tb", "short", *files]))
`);
  const answer = printed.join("\n");
  console.log(`# ${printed.at(-1)}`);

  assert.equal(status, 0, answer);
  assert.ok(Number(/(\d+) passed/.exec(answer)[1]) > 300, answer);
});
