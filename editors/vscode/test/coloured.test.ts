import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import * as oniguruma from "vscode-oniguruma";
import * as textmate from "vscode-textmate";

// As much of YAML as the test needs: a key, a quoted text, a comment.
const YAML = {
  scopeName: "source.yaml",
  patterns: [
    { name: "comment.line.yaml", match: "#.*$" },
    { name: "string.quoted.double.yaml", begin: '"', end: '"' },
    { name: "string.unquoted.yaml", match: "(?<=: )[^\\s{\"'|].*$" },
  ],
};

// The same, and a mapping consumes its indentation, as in the grammar of VS Code.
const INDENTED = { ...YAML, patterns: [{ begin: "^(?=\\w+:$)", while: "\\G {2}", patterns: YAML.patterns }] };

async function scopesOf(text: string, yaml: object = YAML): Promise<(word: string) => string[]> {
  const root = join(createRequire(join(process.cwd(), "package.json")).resolve("vscode-oniguruma"), "..", "onig.wasm");
  await oniguruma.loadWASM(readFileSync(root).buffer as ArrayBuffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
      createOnigString: (line: string) => new oniguruma.OnigString(line),
    }),
    loadGrammar: async (name: string) =>
      (name === "source.yaml" ? yaml : JSON.parse(readFileSync("syntaxes/cel.injection.json", "utf8"))) as textmate.IRawGrammar,
    getInjections: (name: string) => (name === "source.yaml" ? ["cel.yaml.injection"] : []),
  });
  const grammar = await registry.loadGrammar("source.yaml");
  const found = new Map<string, string[]>();
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar!.tokenizeLine(line, state);
    state = ruleStack;
    for (const token of tokens) found.set(line.slice(token.startIndex, token.endIndex).trim(), token.scopes);
  }
  return (word) => found.get(word) ?? assert.fail(`no token ${word} among ${[...found.keys()].join(" | ")}`);
}

const forms: Record<string, string> = {
  plain: 'cel:\n  expression: device.driver == "gpu.example.com" # comment\nname: other',
  quoted: "cel:\n  expression: 'device.driver == \"gpu.example.com\"'\nname: other",
  escaped: 'cel:\n  expression: "device.driver == \\"gpu.example.com\\""\nname: other',
  block: '- cel:\n    expression: |-\n      device.driver ==\n        "gpu.example.com"\nname: other',
  flow: '- cel: {expression: device.driver == "gpu.example.com"}\nname: other',
};

for (const [form, text] of Object.entries(forms)) {
  test(`CEL is coloured in a ${form} scalar, and what follows is not`, async () => {
    const scopes = await scopesOf(text);
    assert.ok(scopes("driver").includes("support.variable.property.cel"));
    assert.ok(scopes("==").includes("keyword.operator.cel"));
    const literal = form === "escaped" ? '\\"gpu.example.com\\"' : '"gpu.example.com"';
    assert.ok(scopes(literal).includes("string.quoted.double.cel"));
    assert.ok(!scopes("other").some((scope) => scope.endsWith(".cel")));
  });
}

test("CEL is coloured in a block scalar where the grammar of YAML consumes the indentation", async () => {
  const scopes = await scopesOf('cel:\n  expression: |-\n    device.driver == "gpu.example.com"\n  name: other', INDENTED);
  assert.ok(scopes("driver").includes("support.variable.property.cel"));
  assert.ok(!scopes("name: other").some((scope) => scope.endsWith(".cel")));
});
