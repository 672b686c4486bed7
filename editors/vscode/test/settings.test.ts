import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import manifest from "../package.json";
import { DEFAULTS, isWorthIt, programOf, reasonOf, topicOf } from "../src/settings";

test("each default is the one that package.json shows", () => {
  const properties: Record<string, { default?: unknown }> = manifest.contributes.configuration.properties;
  for (const [name, value] of Object.entries(DEFAULTS)) assert.deepEqual(properties[`dralint.${name}`]?.default, value);
});

test("no workspace chooses the program that runs", () => {
  const properties = manifest.contributes.configuration.properties;
  assert.equal(properties["dralint.path"].scope, "machine");
});

test("a rule is found in what was selected", () => {
  assert.equal(topicOf("error dra203 at line 4"), "DRA203");
  assert.equal(topicOf(" ResourceClaim.spec "), "ResourceClaim.spec");
});

test("a program that is not there is said to be missing, with what to do", () => {
  const error = Object.assign(new Error("spawn dralint ENOENT"), { code: "ENOENT" });
  const command = "pipx install 'dralint[server] @ git+https://github.com/dralint/dralint'";
  assert.equal(reasonOf("dralint", error), `The program "dralint" was not found. Install it with ${command}, or set dralint.path.`);
  assert.ok(readFileSync("README.md", "utf8").includes(`\n${command}\n`));
  assert.equal(reasonOf("dralint", new Error("it ended")), "dralint server did not start: it ended. The output may say more.");
});

test("each command of package.json is registered", () => {
  const source = readFileSync("src/extension.ts", "utf8");
  for (const { command } of manifest.contributes.commands) assert.ok(source.includes(`registerCommand("${command}"`), command);
});

test("only JSON with claims is worth a server", () => {
  assert.equal(isWorthIt("yaml", () => ""), true);
  assert.equal(isWorthIt("json", () => '{"editor.fontSize": 12}'), false);
  assert.equal(isWorthIt("json", () => '{"apiVersion": "resource.k8s.io/v1"}'), true);
  assert.equal(isWorthIt("json", () => '{"kind": "Pod", "spec": {"resourceClaims": []}}'), true);
  assert.equal(isWorthIt("python", () => "resource.k8s.io"), false);
});

test("the program of a folder runs only in a trusted workspace, and only if the user names no other", () => {
  const there = (file: string) => file === "/b/.venv/bin/dralint";
  assert.equal(programOf("dralint", ["/a", "/b"], true, there), "/b/.venv/bin/dralint");
  assert.equal(programOf("dralint", ["/a", "/b"], false, there), "dralint");
  assert.equal(programOf("dralint", ["/a"], true, there), "dralint");
  assert.equal(programOf("/opt/dralint", ["/b"], true, there), "/opt/dralint");
});

test("the package has the schema of the configuration and the changes", () => {
  const [{ url, fileMatch }] = manifest.contributes.yamlValidation;
  assert.ok(manifest.scripts.package.includes(url.slice(2)));
  assert.deepEqual(fileMatch, [".dralint.yaml", ".dralint.yml"]);
  const shipped = readFileSync(".vscodeignore", "utf8").split("\n");
  for (const name of [url.slice(2), "CHANGELOG.md"]) assert.ok(shipped.includes(`!${name}`), name);
});
