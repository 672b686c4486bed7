/** What the user has set, as the server and the command line take it. No module of VS Code is needed here. */

export interface Settings {
  path: string;
  kubernetesVersion: string;
  featureGates: string;
  slices: string[];
  inlayHints: boolean;
}

export const DEFAULTS: Settings = {
  path: "dralint",
  kubernetesVersion: "",
  featureGates: "",
  slices: [],
  inlayHints: false,
};

/** The options of a command line that say the same as the settings; `only` names those that the command has. */
export function optionsOf(settings: Settings, only: "check" | "simulate"): string[] {
  const options: string[] = [];
  if (settings.kubernetesVersion) options.push("--kubernetes-version", settings.kubernetesVersion);
  if (settings.featureGates) options.push("--feature-gates", settings.featureGates);
  for (const file of settings.slices) options.push(only === "check" ? "--slices" : "--inventory", file);
  return options;
}

/** A rule's id (DRA203) within a text that was selected or typed; the text itself if there is none. */
export function topicOf(text: string): string {
  return /\bDRA\d{3}\b/i.exec(text)?.[0].toUpperCase() ?? text.trim();
}

/** What to tell a user whose server did not start. */
export function reasonOf(path: string, error: NodeJS.ErrnoException | undefined, stderr: string): string {
  if (error?.code === "ENOENT")
    return `The program "${path}" was not found. Install it with pipx install 'dralint[server]', or set dralint.path.`;
  if (error?.code === "EACCES") return `The program "${path}" cannot be run. Set dralint.path to an executable file.`;
  const last = stderr.trim().split("\n").at(-1);
  return last ? `dralint server ended: ${last}` : "dralint server ended without a word.";
}
