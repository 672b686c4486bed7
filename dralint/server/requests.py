"""The requests that the server answers, as a table, and their values in the protocol.

Each answer is given by the thread that judges.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import from_fs_path, to_fs_path

from dralint.editor import (
    RenameError,
    actions,
    code_lenses,
    complete,
    definition,
    folds,
    highlights,
    hover,
    inlay_hints,
    references,
    rename,
    renamed_at,
    signature_help,
    symbols,
    workspace_symbols,
)
from dralint.editor.code_actions import FIX_ALL, QUICK_FIX, REWRITE
from dralint.editor.cursor import Span
from dralint.finding import rule_ids
from dralint.report.safe import printable
from dralint.report.text import without_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dralint.config.configuration import Mistake
    from dralint.editor import Action, Item, Symbol, Text
    from dralint.editor.cursor import Units
    from dralint.finding.finding import Edit, Finding
    from dralint.server.language_server import Server

SOURCE = "dralint"
_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
}
_UNNECESSARY = frozenset(
    {
        rule_ids.TOLERATION_SECONDS_UNUSED,
        rule_ids.UNUSED_CLAIM,
        rule_ids.UNUSED_DERIVED_ATTRIBUTE,
        rule_ids.UNUSED_REQUEST,
        rule_ids.UNUSED_SUPPRESSION,
    }
)
"""Rules about fields that can be removed."""
_ITEMS = {
    "field": types.CompletionItemKind.Field,
    "snippet": types.CompletionItemKind.Snippet,
    "value": types.CompletionItemKind.EnumMember,
    "reference": types.CompletionItemKind.Reference,
    "function": types.CompletionItemKind.Function,
    "attribute": types.CompletionItemKind.Property,
    "domain": types.CompletionItemKind.Module,
    "operator": types.CompletionItemKind.Operator,
    "variable": types.CompletionItemKind.Variable,
}
_SYMBOLS = {
    "request": types.SymbolKind.Field,
    "device": types.SymbolKind.Field,
    "claim": types.SymbolKind.Field,
    "counter set": types.SymbolKind.Field,
}


def name_of(uri: str) -> str:
    """Return the name of a text: the path of a file, or the URI of any other text."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return path or uri


class Converter:
    """Converts for one client.

    Args:
        units: the unit in which the client counts within a line.
        text: returns a text by its name.
        uri: returns the URI of a text in the client; None for one that it has not named.
    """

    def __init__(self, units: Units, text: Callable[[str], Text], uri: Callable[[str], str | None]) -> None:
        self.units: Units = units
        self.documents: list[types.MarkupKind] = []
        """The kinds of text that the client shows next to a completion; `hovers` has those for a hover."""
        self.hovers: list[types.MarkupKind] = []
        self._text = text
        self._uri = uri

    def uri(self, name: str) -> str:
        """Return the URI of a text."""
        return self._uri(name) or from_fs_path(name) or name

    def offset(self, text: Text, position: types.Position) -> int:
        """Return the offset of a position."""
        return text.offset(position.line, position.character, self.units)

    def range(self, text: Text, span: Span) -> types.Range:
        """Return a part of a text."""
        start, end = text.position(span[0], self.units), text.position(span[1], self.units)
        return types.Range(types.Position(*start), types.Position(*end))

    def span(self, text: Text, place: types.Range) -> Span:
        """Return the offsets of a range."""
        return Span(self.offset(text, place.start), self.offset(text, place.end))

    def location(self, name: str, span: Span) -> types.Location:
        """Return a part of a text, by its name."""
        return types.Location(self.uri(name), self.range(self._text(name), span))

    def markup(self, markdown: str, kinds: Sequence[types.MarkupKind]) -> types.MarkupContent:
        """Return a text as Markdown, or without marks for a client that does not support it."""
        if types.MarkupKind.Markdown in kinds:
            return types.MarkupContent(types.MarkupKind.Markdown, markdown)
        return types.MarkupContent(types.MarkupKind.PlainText, without_marks(markdown))

    def diagnostic(self, finding: Finding) -> types.Diagnostic:
        """Return a finding."""
        text = self._text(finding.file)
        span = text.span(finding.line, finding.column, finding.end_line, finding.end_column)
        return types.Diagnostic(
            range=self.range(text, span),
            message=_shown(finding.message, finding.hint),
            severity=_SEVERITIES[finding.severity],
            code=finding.rule,
            code_description=types.CodeDescription(finding.url),
            source=SOURCE,
            tags=_tags(finding) or None,
            related_information=[
                types.DiagnosticRelatedInformation(
                    self.location(one.file, self._text(one.file).span(one.line, one.column, one.line, one.column)),
                    printable(one.message),
                )
                for one in finding.related
            ]
            or None,
            data=data_of(finding),
        )

    def mistake(self, text: Text, mistake: Mistake) -> types.Diagnostic:
        """Return a mistake in a configuration file."""
        line = max(mistake.line - 1, 0)
        start = text.offset(line, max(mistake.column - 1, 0))
        end = max(start, text.offset(line, len(text.line(line))))
        where = self.range(text, Span(start, end))
        return types.Diagnostic(
            where, _shown(mistake.message, mistake.hint), types.DiagnosticSeverity.Error, source=SOURCE
        )

    def edits(self, text: Text, edits: Sequence[Edit]) -> list[types.TextEdit]:
        """Return edits of a text."""
        return [types.TextEdit(self.range(text, Span(one.start, one.end)), one.text) for one in edits]

    def workspace_edit(self, edits: Mapping[str, Sequence[Edit]], *, versions: bool) -> types.WorkspaceEdit:
        """Return edits of several texts, with the versions that they are for, if the client supports these."""
        if not versions:
            return types.WorkspaceEdit({self.uri(name): self.edits(self._text(name), e) for name, e in edits.items()})
        changes: list[types.TextDocumentEdit] = []
        for name, of_text in edits.items():
            text = self._text(name)
            document = types.OptionalVersionedTextDocumentIdentifier(self.uri(name), text.version)
            changes.append(types.TextDocumentEdit(document, self.edits(text, of_text)))
        return types.WorkspaceEdit(document_changes=list(changes))

    def action(self, action: Action, *, versions: bool) -> types.CodeAction:
        """Return an action."""
        return types.CodeAction(
            printable(action.title),
            action.kind,
            [self.diagnostic(finding) for finding in action.findings] if action.kind == QUICK_FIX else None,
            is_preferred=True if action.safe and action.kind == QUICK_FIX else None,
            edit=self.workspace_edit(action.edits, versions=versions),
        )

    def item(self, text: Text, item: Item, number: int, *, snippets: bool) -> types.CompletionItem:
        """Return an item of a list of completions; `number` is its position in the list."""
        is_snippet = item.snippet and snippets
        return types.CompletionItem(
            printable(item.label),
            kind=_ITEMS.get(item.kind, types.CompletionItemKind.Text),
            detail=printable(item.detail) or None,
            documentation=self.markup(item.says, self.documents) if item.says else None,
            sort_text=f"{number:04}",
            insert_text_format=types.InsertTextFormat.Snippet if is_snippet else types.InsertTextFormat.PlainText,
            insert_text_mode=types.InsertTextMode.AsIs,
            text_edit=types.TextEdit(self.range(text, item.span), item.text if is_snippet else item.plain),
        )

    def symbol(self, text: Text, symbol: Symbol) -> types.DocumentSymbol:
        """Return an object of a text with its parts."""
        return types.DocumentSymbol(
            printable(symbol.name),
            _SYMBOLS.get(symbol.kind, types.SymbolKind.Object),
            self.range(text, symbol.whole),
            self.range(text, symbol.name_span),
            detail=symbol.kind,
            children=[self.symbol(text, one) for one in symbol.children],
        )

    def symbol_information(self, name: str, symbol: Symbol) -> types.SymbolInformation:
        """Return an object of a text, for a list over all texts."""
        kind = _SYMBOLS.get(symbol.kind, types.SymbolKind.Object)
        where = self.location(name, symbol.name_span)
        return types.SymbolInformation(where, printable(symbol.name), kind, container_name=symbol.kind)


def _shown(message: str, hint: str | None) -> str:
    """Return a message and its hint; only the hint can have several lines."""
    return "\n".join(map(printable, [message, *(hint.split("\n") if hint else ())]))


def _tags(finding: Finding) -> list[types.DiagnosticTag]:
    if finding.effect == "deprecated":
        return [types.DiagnosticTag.Deprecated]
    return [types.DiagnosticTag.Unnecessary] if finding.rule in _UNNECESSARY else []


def data_of(finding: Finding) -> dict[str, Any]:
    """Return further data of a finding for a client; it has the names of the JSON report."""
    return {
        "rule": finding.rule,
        "name": finding.name,
        "effect": finding.effect,
        "reason": finding.reason,
        "path": finding.path,
        "releases": list(finding.releases),
        "fix": None if finding.fix is None else "safe" if finding.fix.safe else "guess",
    }


# The requests.

SIMULATE = "dralint.simulate"
_TRIGGERS = (".", '"', "[", " ", ":", "-")


class Request(NamedTuple):
    """A request of the protocol.

    `options` are told to the client. `setting` is the setting of the client that switches the request on, with its
    default; the answer of one that is switched off is an empty list.
    """

    method: str
    answer: Callable[[Server, Any], Any]
    options: Any = None
    setting: tuple[str, bool] | None = None


def _hover(server: Server, params: types.HoverParams) -> types.Hover | None:
    workspace, name, offset = server.at(params.text_document, params.position)
    found = hover(workspace, name, offset)
    if found is None:
        return None
    content = server.convert.markup(found.markdown, server.convert.hovers)
    return types.Hover(content, server.convert.range(workspace.text(name), found.span))


def _complete(server: Server, params: types.CompletionParams) -> types.CompletionList:
    workspace, name, offset = server.at(params.text_document, params.position)
    text = workspace.text(name)
    items = enumerate(complete(workspace, name, offset))
    found = [server.convert.item(text, item, n, snippets=server.snippets) for n, item in items]
    return types.CompletionList(is_incomplete=False, items=found)


def _actions(server: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]

    def wanted(kind: str) -> bool:
        return (not only and kind != FIX_ALL) or any(kind == one or kind.startswith(f"{one}.") for one in only)

    workspace, name, _ = server.at(params.text_document, params.range.start)
    span = server.convert.span(workspace.text(name), params.range)
    shown = {
        (str(one.code), server.convert.span(workspace.text(name), one.range))
        for one in params.context.diagnostics
        if one.source == SOURCE
    }
    found = actions(workspace, name, span, wanted, shown)
    return [server.convert.action(one, versions=server.versions) for one in found]


def _definition(server: Server, params: types.DefinitionParams) -> list[types.Location]:
    found = definition(*server.at(params.text_document, params.position))
    return [server.convert.location(*one) for one in found]


def _references(server: Server, params: types.ReferenceParams) -> list[types.Location]:
    where = server.at(params.text_document, params.position)
    found = references(*where, definitions=params.context.include_declaration)
    return [server.convert.location(*one) for one in found]


def _prepare_rename(server: Server, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
    workspace, name, offset = server.at(params.text_document, params.position)
    found = renamed_at(workspace, name, offset)
    if found is None:
        return None
    return types.PrepareRenamePlaceholder(server.convert.range(workspace.text(name), found[0]), found[1])


def _rename(server: Server, params: types.RenameParams) -> types.WorkspaceEdit:
    try:
        edits = rename(*server.at(params.text_document, params.position), params.new_name)
    except RenameError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    return server.convert.workspace_edit(edits, versions=server.versions)


def _symbols(server: Server, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
    name = name_of(params.text_document.uri)
    workspace = server.session.workspace(name)
    text = workspace.text(name)
    return [server.convert.symbol(text, one) for one in symbols(workspace, name)]


def _highlights(server: Server, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    workspace, name, offset = server.at(params.text_document, params.position)
    kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
    return [
        types.DocumentHighlight(server.convert.range(workspace.text(name), one.span), kinds[one.defines])
        for one in highlights(workspace, name, offset)
    ]


def _folds(server: Server, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    name = name_of(params.text_document.uri)
    workspace = server.session.workspace(name)
    ranges = [server.convert.range(workspace.text(name), one) for one in folds(workspace, name)]
    return [types.FoldingRange(one.start.line, one.end.line) for one in ranges]


def _workspace_symbols(server: Server, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    return [
        server.convert.symbol_information(name, symbol)
        for folder in [*server.session.folders.values()]
        for name, symbol in workspace_symbols(folder.workspace, params.query)
    ]


def _signatures(server: Server, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    found = signature_help(*server.at(params.text_document, params.position))
    if found is None:
        return None
    forms = [
        types.SignatureInformation(label, parameters=[types.ParameterInformation(one) for one in arguments])
        for label, arguments in found.forms
    ]
    fitting = (n for n, (_, arguments) in enumerate(found.forms) if found.argument < len(arguments))
    return types.SignatureHelp(forms, next(fitting, 0), found.argument)


def _hints(server: Server, params: types.InlayHintParams) -> list[types.InlayHint]:
    workspace, name, start = server.at(params.text_document, params.range.start)
    text = workspace.text(name)
    end = server.convert.offset(text, params.range.end)
    return [
        types.InlayHint(server.convert.range(text, one.span).end, one.text, padding_left=True)
        for one in inlay_hints(workspace, name, Span(start, end))
    ]


def _lenses(server: Server, params: types.CodeLensParams) -> list[types.CodeLens]:
    name = name_of(params.text_document.uri)
    workspace = server.session.workspace(name)
    text = workspace.text(name)
    lenses: list[types.CodeLens] = []
    for one in code_lenses(workspace, name):
        where = server.convert.range(text, one.span)
        arguments = [params.text_document.uri, where.start.line, where.start.character]
        lenses.append(types.CodeLens(where, types.Command(one.text, SIMULATE, arguments=arguments)))
    return lenses


def _pull(server: Server, params: types.DocumentDiagnosticParams) -> types.RelatedFullDocumentDiagnosticReport:
    name = name_of(params.text_document.uri)
    server.session.workspace(name)  # its folder counts, even if the client has none open
    there = (map(convert, found) for own, found, convert in server.found() if own == name)
    return types.RelatedFullDocumentDiagnosticReport(list(chain(*there)))


def _pull_all(server: Server, _: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    return types.WorkspaceDiagnosticReport(server.pulled_all())


REQUESTS = (
    Request(types.TEXT_DOCUMENT_HOVER, _hover),
    Request(types.TEXT_DOCUMENT_COMPLETION, _complete, types.CompletionOptions(trigger_characters=_TRIGGERS)),
    Request(
        types.TEXT_DOCUMENT_CODE_ACTION,
        _actions,
        types.CodeActionOptions(
            code_action_kinds=[*(types.CodeActionKind(kind) for kind in (QUICK_FIX, REWRITE)), FIX_ALL]
        ),
    ),
    Request(types.TEXT_DOCUMENT_DEFINITION, _definition),
    Request(types.TEXT_DOCUMENT_REFERENCES, _references),
    Request(types.TEXT_DOCUMENT_PREPARE_RENAME, _prepare_rename),
    Request(types.TEXT_DOCUMENT_RENAME, _rename, types.RenameOptions(prepare_provider=True)),
    Request(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, _symbols),
    Request(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, _highlights),
    Request(types.TEXT_DOCUMENT_FOLDING_RANGE, _folds),
    Request(types.WORKSPACE_SYMBOL, _workspace_symbols),
    Request(types.TEXT_DOCUMENT_SIGNATURE_HELP, _signatures, types.SignatureHelpOptions(trigger_characters=["(", ","])),
    Request(types.TEXT_DOCUMENT_INLAY_HINT, _hints, setting=("inlayHints", False)),
    Request(types.TEXT_DOCUMENT_CODE_LENS, _lenses, setting=("codeLens", True)),
)
PULLS = (
    Request(
        types.TEXT_DOCUMENT_DIAGNOSTIC,
        _pull,
        types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier="dralint"),
    ),
    Request(types.WORKSPACE_DIAGNOSTIC, _pull_all),
)
"""The requests for diagnostics, of a client that does not want them pushed."""


def bind(server: Server, requests: tuple[Request, ...]) -> None:
    """Make the server answer requests."""
    for request in requests:
        server.feature(request.method, request.options)(_handler(server, request))


def _handler(server: Server, request: Request) -> Any:
    async def handle(params: Any) -> Any:
        if request.setting is not None and not server.setting(*request.setting):
            return []
        server.look()
        return await server.ask(lambda: request.answer(server, params))

    return handle
