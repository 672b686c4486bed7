// The editor: CodeMirror with what dralint knows. It lives in a shadow root, where its styles need no exception of the
// content security policy.
import { autocompletion, closeBrackets, completionKeymap, snippet } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
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

// asks: {hover(place), complete(place), changed(), actions()}
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
    autocompletion({ override: [completing], activateOnTypingDelay: 150 }),
    keymap.of([
      { key: "Mod-.", run: () => (asks.actions(), true) },
      { key: "F8", run: nextDiagnostic },
      ...lintKeymap,
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      indentWithTab,
    ]),
    EditorView.contentAttributes.of({ "aria-label": "Manifest", tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
    EditorView.updateListener.of((update) => update.docChanged && asks.changed()),
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
