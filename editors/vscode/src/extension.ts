import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions, State, TransportKind } from "vscode-languageclient/node";
import { DEFAULTS, isWorthIt, programOf, reasonOf, type Settings, topicOf } from "./settings";

const LANGUAGES = ["yaml", "json"];
const SCHEMES = ["file", "untitled"];
const SCHEME = "dralint";

let client: LanguageClient | undefined;
let output: vscode.LogOutputChannel;
let status: vscode.LanguageStatusItem;
const pages = new Map<string, string>();

function settings(): Settings {
  const section = vscode.workspace.getConfiguration("dralint");
  return Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, standard]) => [name, section.get(name, standard)]),
  ) as unknown as Settings;
}

/** Start the server if it does not run, is wanted, and an open text is worth it. */
async function start(): Promise<void> {
  const open = vscode.workspace.textDocuments.filter((one) => SCHEMES.includes(one.uri.scheme));
  if (client || !settings().enable || !open.some((one) => isWorthIt(one.languageId, () => one.getText()))) return;
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const path = programOf(settings().path, folders, vscode.workspace.isTrusted, existsSync);
  const server: ServerOptions = { command: path, args: ["server"], transport: TransportKind.stdio };
  const options: LanguageClientOptions = {
    documentSelector: SCHEMES.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language }))),
    synchronize: { configurationSection: "dralint" },
    initializationOptions: settings(),
    outputChannel: output,
    // The commands of the server answer with a text: a code lens shows it, too.
    middleware: {
      // The page of a rule opens within the editor, from the server: it needs no network.
      handleDiagnostics: (uri, diagnostics, next) => {
        for (const one of diagnostics)
          if (typeof one.code === "object") one.code.target = vscode.Uri.from({ scheme: SCHEME, path: `${one.code.value}.md` });
        next(uri, diagnostics);
      },
      executeCommand: async (command, given, next) => {
        const answer: unknown = await next(command, given);
        if (typeof answer === "string") await show(command === "dralint.explain" ? `${given[0]}.md` : "simulate.txt", answer);
        else await vscode.window.showInformationMessage("dralint has nothing to say here.");
        return answer;
      },
    },
  };
  client = new LanguageClient("dralint", "dralint", server, options);
  try {
    await client.start();
    status.detail = `runs: ${path}`;
    status.severity = vscode.LanguageStatusSeverity.Information;
  } catch (error) {
    status.detail = "did not start";
    status.severity = vscode.LanguageStatusSeverity.Error;
    const chosen = await vscode.window.showErrorMessage(
      reasonOf(path, error as NodeJS.ErrnoException),
      "Open Settings",
      "Show Output",
      "Switch Off",
    );
    if (chosen === "Switch Off") {
      const section = vscode.workspace.getConfiguration("dralint");
      await section.update("enable", false, vscode.ConfigurationTarget.Global);
    }
    if (chosen === "Open Settings") await vscode.commands.executeCommand("workbench.action.openSettings", "dralint.path");
    if (chosen === "Show Output") output.show();
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  status.detail = "does not run";
  if (running && running.state !== State.Stopped) await running.stop(2000).catch(() => undefined);
}

async function show(name: string, text: string): Promise<void> {
  const uri = vscode.Uri.from({ scheme: SCHEME, path: name });
  pages.set(uri.toString(), text);
  changed.fire(uri);
  if (name.endsWith(".md")) await vscode.commands.executeCommand("markdown.showPreview", uri);
  else await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}

const changed = new vscode.EventEmitter<vscode.Uri>();

async function explainTopic(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const here = editor && vscode.languages
    .getDiagnostics(editor.document.uri)
    .find((one) => one.source === "dralint" && one.range.contains(editor.selection.active));
  const code = here && (typeof here.code === "object" ? String(here.code.value) : String(here.code));
  const asked = await vscode.window.showInputBox({
    prompt: "A rule, a field, a kind or a driver",
    placeHolder: "DRA203, ResourceClaim.spec.devices.requests.exactly.count, gpu.nvidia.com",
    value: code ?? "",
  });
  if (asked) await vscode.commands.executeCommand("dralint.explain", topicOf(asked));
}

async function simulateHere(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const { line, character } = editor.selection.active;
  await vscode.commands.executeCommand("dralint.simulate", editor.document.uri.toString(), line, character);
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  output = vscode.window.createOutputChannel("dralint", { log: true });
  status = vscode.languages.createLanguageStatusItem("dralint", LANGUAGES.map((language) => ({ language })));
  status.text = "dralint";
  status.detail = "does not run";
  status.command = { title: "Show Output", command: "dralint.output" };
  context.subscriptions.push(
    output,
    status,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      onDidChange: changed.event,
      provideTextDocumentContent: async (uri) => {
        const known = pages.get(uri.toString());
        if (known !== undefined || !client) return known ?? "";
        const params = { command: "dralint.explain", arguments: [uri.path.replace(/\.md$/, "")] };
        const page = await client.sendRequest<string | null>("workspace/executeCommand", params);
        return page ?? "";
      },
    }),
    vscode.commands.registerCommand("dralint.explainTopic", explainTopic),
    vscode.commands.registerCommand("dralint.simulateHere", simulateHere),
    vscode.commands.registerCommand("dralint.output", () => output.show()),
    vscode.commands.registerCommand("dralint.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (!event.affectsConfiguration("dralint.path") && !event.affectsConfiguration("dralint.enable")) return;
      await stop();
      await start();
    }),
    vscode.workspace.onDidOpenTextDocument(start),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (!client && document.languageId === "json") void start();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
