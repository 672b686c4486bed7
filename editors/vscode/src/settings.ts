/** What the user has set, in the form that the server takes. No module of VS Code is needed here. */

import { repository } from "../package.json";

export interface Settings {
  enable: boolean;
  path: string;
  kubernetesVersion: string;
  featureGates: Record<string, boolean>;
  slices: string[];
  select: string[];
  ignore: string[];
  namespace: string;
  complete: boolean | null;
  inlayHints: boolean;
  codeLens: boolean;
}

export const DEFAULTS: Settings = {
  enable: true,
  path: "dralint",
  kubernetesVersion: "",
  featureGates: {},
  slices: [],
  select: [],
  ignore: [],
  namespace: "",
  complete: null,
  inlayHints: false,
  codeLens: true,
};

/** Whether a text is worth a server: any YAML, and JSON with objects of resource.k8s.io or with claims of a Pod. */
export function isWorthIt(language: string, text: () => string): boolean {
  return language === "yaml" || (language === "json" && /resource\.k8s\.io|resourceClaims/.test(text()));
}

/** The program to start: what the user has set; else that of the `.venv` of a trusted folder; else the one on the PATH. */
export function programOf(path: string, folders: string[], trusted: boolean, exists: (file: string) => boolean): string {
  if (path !== DEFAULTS.path || !trusted) return path;
  const own = folders.flatMap((folder) => [`${folder}/.venv/bin/dralint`, `${folder}/.venv/Scripts/dralint.exe`]);
  return own.find(exists) ?? path;
}

/** A rule's id (DRA203) within a text that was selected or typed; the text itself if there is none. */
export function topicOf(text: string): string {
  return /\bDRA\d{3}\b/i.exec(text)?.[0].toUpperCase() ?? text.trim();
}

/** The command that installs the server. It names the repository: nobody has published dralint on PyPI yet. */
export const INSTALL = `pipx install 'dralint[server] @ git+${repository.url.replace(/\.git$/, "")}'`;

/** What a user reads whose server did not start. */
export function reasonOf(path: string, error: NodeJS.ErrnoException): string {
  const message = String(error.message);
  if (error.code === "ENOENT" || message.includes("ENOENT"))
    return `The program "${path}" was not found. Install it with ${INSTALL}, or set dralint.path.`;
  if (error.code === "EACCES" || message.includes("EACCES"))
    return `The program "${path}" cannot be run. Set dralint.path to an executable file.`;
  return `dralint server did not start: ${message}. The output may say more.`;
}
