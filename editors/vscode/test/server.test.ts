import assert from "node:assert/strict";
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { afterEach, beforeEach, test } from "node:test";
import * as lsp from "vscode-languageserver-protocol/node";

// The program that is tested: DRALINT names it, or it is on the PATH.
const PROGRAM = process.env.DRALINT ?? "dralint";
const URI = "file:///manifests/claim.yaml";
const BROKEN = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClasName: gpu.example.com
`;

let server: ChildProcessWithoutNullStreams;
let connection: lsp.ProtocolConnection;
let published: (uri: string) => Promise<lsp.Diagnostic[]>;

beforeEach(async () => {
  // As the client of VS Code starts it.
  server = spawn(PROGRAM, ["server", "--stdio"]);
  connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(server.stdout), new lsp.StreamMessageWriter(server.stdin));
  const waiting = new Map<string, (found: lsp.Diagnostic[]) => void>();
  const arrived = new Map<string, lsp.Diagnostic[]>();
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, ({ uri, diagnostics }) => {
    arrived.set(uri, diagnostics);
    waiting.get(uri)?.(diagnostics);
  });
  connection.onRequest(lsp.ConfigurationRequest.type, ({ items }) => items.map(() => ({ kubernetesVersion: "1.34" })));
  connection.onRequest(lsp.RegistrationRequest.type, () => undefined);
  published = (uri) => new Promise((resolve) => (arrived.has(uri) ? resolve(arrived.get(uri)!) : waiting.set(uri, resolve)));
  connection.listen();
  await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    initializationOptions: { kubernetesVersion: "1.34" },
    capabilities: {
      textDocument: {
        publishDiagnostics: { versionSupport: true, relatedInformation: true },
        codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix", "source.fixAll"] } } },
      },
    },
  });
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  const textDocument = { uri: URI, languageId: "yaml", version: 1, text: BROKEN };
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument });
});

afterEach(async () => {
  await connection.sendRequest(lsp.ShutdownRequest.type);
  await connection.sendNotification(lsp.ExitNotification.type);
  connection.dispose();
  server.kill();
});

test("a misspelt field is shown at its key, and the fix renames it", { timeout: 60_000 }, async () => {
  const diagnostics = await published(URI);
  const found = diagnostics.find((one) => one.code === "DRA101");
  assert.ok(found, JSON.stringify(diagnostics));
  assert.deepEqual(found.range.start, { line: 8, character: 8 });
  assert.match(String(found.message), /deviceClasName/);

  const actions = (await connection.sendRequest(lsp.CodeActionRequest.type, {
    textDocument: { uri: URI },
    range: found.range,
    context: { diagnostics: [found] },
  })) as lsp.CodeAction[];
  const fix = actions.find((one) => one.kind?.startsWith("quickfix") && one.edit);
  assert.ok(fix, JSON.stringify(actions));
  const changes = fix.edit?.documentChanges?.flatMap((change) => ("edits" in change ? change.edits : [])) ?? fix.edit?.changes?.[URI];
  assert.ok(JSON.stringify(changes).includes("deviceClassName"));
});

test("hovering a field says what it means", { timeout: 60_000 }, async () => {
  const hover = await connection.sendRequest(lsp.HoverRequest.type, {
    textDocument: { uri: URI },
    position: { line: 5, character: 6 },
  });
  assert.match(JSON.stringify(hover?.contents), /request/i);
});
