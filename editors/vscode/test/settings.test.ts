import assert from "node:assert/strict";
import { test } from "node:test";
import manifest from "../package.json";
import { DEFAULTS, optionsOf, reasonOf, topicOf } from "../src/settings";

test("each default is the one that package.json shows", () => {
  const properties: Record<string, { default?: unknown }> = manifest.contributes.configuration.properties;
  for (const [name, value] of Object.entries(DEFAULTS)) assert.deepEqual(properties[`dralint.${name}`]?.default, value);
});

test("settings become options of the command line", () => {
  const settings = { ...DEFAULTS, kubernetesVersion: "1.34", featureGates: "DRAAdminAccess=true", slices: ["a.yaml"] };
  assert.deepEqual(optionsOf(settings, "simulate"), [
    "--kubernetes-version", "1.34", "--feature-gates", "DRAAdminAccess=true", "--inventory", "a.yaml",
  ]);
  assert.deepEqual(optionsOf(DEFAULTS, "check"), []);
});

test("a rule is found in what was selected", () => {
  assert.equal(topicOf("error dra203 at line 4"), "DRA203");
  assert.equal(topicOf(" ResourceClaim.spec "), "ResourceClaim.spec");
});

test("a program that is not there is said to be missing, with what to do", () => {
  const error = Object.assign(new Error("spawn"), { code: "ENOENT" });
  assert.match(reasonOf("dralint", error, ""), /was not found\. Install it with pipx install 'dralint\[server\]'/);
  assert.equal(reasonOf("dralint", undefined, "a\nno module pygls\n"), "dralint server ended: no module pygls");
});

test("each command of package.json is registered", async () => {
  const { readFileSync } = await import("node:fs");
  const source = readFileSync("src/extension.ts", "utf8");
  for (const { command } of manifest.contributes.commands) assert.ok(source.includes(`registerCommand("${command}"`), command);
});
