// The editor: CodeMirror with what dralint knows. It lives in a shadow root, where its styles need no exception of the
// content security policy.
import { acceptCompletion, autocompletion, closeBrackets, closeCompletion, completionKeymap, completionStatus, selectedCompletion, snippet } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, insertNewlineAndIndent, undoDepth } from "@codemirror/commands";
import { yamlLanguage } from "@codemirror/lang-yaml";
import { HighlightStyle, Language, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, nextDiagnostic, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { NodeType, Parser, Tree } from "@lezer/common";
import { tags } from "@lezer/highlight";
import { markdown } from "./markdown.js";

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--ground)" },
  ".cm-scroller": { font: "0.9rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, .cm-content ::selection": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--soft)", border: "none" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent) 7%, transparent)" },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", border: "1px solid var(--line)", maxWidth: "min(36rem, 90vw)" },
  ".cm-tooltip a": { color: "var(--link)" },
  ".cm-tooltip-hover > div": { padding: ".2rem .6rem", maxHeight: "18rem", overflow: "auto" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.85" },
  ".cm-diagnosticAction": { backgroundColor: "var(--accent)", color: "var(--on-accent)", borderRadius: ".3rem" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap" },
  "code, pre": { font: "0.85rem/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", whiteSpace: "pre-wrap" },
  "p, ul, pre": { margin: ".3rem 0" },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.content], color: "var(--string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--number)" },
  { tag: tags.comment, color: "var(--comment)" },
]);

// The parser of YAML builds its tree by recursion. Where thousands of nested levels exhaust the stack, an error would
// leave the editor unable to take another text; the text has no colours instead.
class Shielded extends Parser {
  createParse(input, fragments, ranges) {
    const parse = yamlLanguage.parser.startParse(input, fragments, ranges);
    return {
      advance() {
        try {
          return parse.advance();
        } catch {
          return new Tree(NodeType.none, [], [], ranges.at(-1).to);
        }
      },
      get parsedPos() {
        return parse.parsedPos;
      },
      get stoppedAt() {
        return parse.stoppedAt;
      },
      stopAt: (position) => parse.stopAt(position),
    };
  }
}

const language = new Language(yamlLanguage.data, new Shielded(), [], "yaml");

// A place of dralint (line and UTF-16 unit, from 0) as an offset of the document; one outside becomes the nearest.
export function offset(doc, [line, character]) {
  if (line >= doc.lines) return doc.length;
  const at = doc.line(line + 1);
  return Math.min(at.from + character, at.to);
}

export function place(doc, position) {
  const line = doc.lineAt(position);
  return [line.number - 1, position - line.from];
}

export function edits(doc, list) {
  return list.map((edit) => ({ from: offset(doc, edit.from), to: offset(doc, edit.to), insert: edit.insert }));
}

// The column that a new line begins in: below an opened mapping two further, else below what stands in the line. null
// where brackets are open, and in a line of a list that is no mapping: there the language knows better.
export function below(line) {
  const [, space, dashes, said] = /^( *)((?:- +)*)(.*)$/.exec(line);
  const bare = said.replace(/(^|\s)#.*$/, "").trimEnd();
  const open = (bare.match(/[[{]/g) ?? []).length - (bare.match(/[\]}]/g) ?? []).length;
  if (open > 0) return null;
  const column = space.length + dashes.length;
  if (/(^|\S):$|:\s+[|>][-+\d]*$/.test(bare)) return column + 2;
  if (!dashes) return space.length;
  return /^[^\s"'{[][^#]*?:\s/.test(bare) ? column : space.length;
}

// Enter takes what the popup offers, unless the word is complete already; a new line stands where its text belongs.
function enter(view) {
  const { state } = view;
  const { main } = state.selection;
  if (completionStatus(state) === "active") {
    const { label } = selectedCompletion(state) ?? {};
    if (label && state.sliceDoc(main.head - label.length, main.head) !== label && acceptCompletion(view)) return true;
    closeCompletion(view);
  }
  if (state.selection.ranges.length > 1 || state.readOnly) return false;
  const line = state.doc.lineAt(main.from);
  const column = below(line.text.slice(0, main.from - line.from));
  if (column === null) return insertNewlineAndIndent(view);
  const after = /^ */.exec(state.sliceDoc(main.to, state.doc.lineAt(main.to).to))[0].length;
  const insert = state.lineBreak + " ".repeat(column);
  view.dispatch({ changes: { from: main.from, to: main.to + after, insert }, selection: { anchor: main.from + insert.length }, scrollIntoView: true, userEvent: "input" });
  return true;
}

// asks: {hover(place), complete(place), changed(), moved(place), actions(), back(): whether there was something}
export function editor(host, asks) {
  const root = host.attachShadow({ mode: "open" });
  const parent = document.createElement("div");
  parent.style.height = "100%";
  root.append(parent);

  const hovering = hoverTooltip(async (view, position) => {
    const found = await asks.hover(place(view.state.doc, position)).catch(() => null);
    if (!found) return null;
    const dom = document.createElement("div");
    dom.append(...markdown(found.markdown));
    return { pos: offset(view.state.doc, found.from), end: offset(view.state.doc, found.to), above: true, create: () => ({ dom }) };
  });

  async function completing(context) {
    if (!context.explicit && !context.matchBefore(/[\w.\-"'/:[]$|^\s*-? ?$/)) return null;
    const found = await asks.complete(place(context.state.doc, context.pos)).catch(() => []);
    if (!found.length) return null;
    // A finished object has few fields left: an empty line there may be meant to be empty.
    if (!context.explicit && found.length === 1 && !context.matchBefore(/\S$/)) return null;
    const doc = context.state.doc;
    return {
      from: offset(doc, found[0].from),
      to: offset(doc, found[0].to),
      options: found.map((item, at) => ({
        label: item.label,
        detail: item.detail,
        info: item.says || undefined,
        type: item.kind,
        boost: -at,
        apply: item.snippet ? snippet(item.text.replaceAll("\t", "  ")) : item.text,
      })),
      filter: true,
    };
  }

  const extensions = [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    language,
    syntaxHighlighting(colours),
    theme,
    hovering,
    autocompletion({ override: [completing], activateOnTypingDelay: 150, defaultKeymap: false }),
    keymap.of([
      { key: "Mod-.", run: () => (asks.actions(), true) },
      { key: "F8", run: nextDiagnostic },
      { key: "Enter", run: enter },
      { key: "Mod-z", run: ({ state }) => undoDepth(state) === 0 && asks.back() },
      ...lintKeymap,
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({ "aria-label": "Manifest", tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) asks.changed();
      if (update.docChanged || update.selectionSet) asks.moved(place(update.state.doc, update.state.selection.main.head));
    }),
  ];
  const view = new EditorView({ parent, root, state: EditorState.create({ extensions }) });

  return {
    view,
    fresh: (text) => EditorState.create({ doc: text, extensions }),
    mark(findings, fixed) {
      const doc = view.state.doc;
      const marks = findings.map((finding) => {
        const from = offset(doc, finding.from);
        const to = offset(doc, finding.to);
        return {
          from,
          to: Math.max(from, to),
          severity: finding.severity,
          source: `${finding.rule} ${finding.name}`,
          message: finding.hint ? `${finding.message}\n${finding.hint}` : finding.message,
          actions: finding.fix ? [{ name: finding.fix.safe ? "Fix" : "Apply the guess", apply: () => fixed(finding) }] : [],
        };
      });
      view.dispatch(setDiagnostics(view.state, marks));
    },
    go(at) {
      const position = offset(view.state.doc, at);
      view.dispatch({ selection: { anchor: position }, effects: EditorView.scrollIntoView(position, { y: "center" }) });
      view.focus();
    },
  };
}
