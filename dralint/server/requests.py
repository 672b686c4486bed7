"""The requests that the server answers, as a table: each answer is given by the thread that judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

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
from dralint.server.convert import SOURCE, name_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.server.language_server import Server

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
    return types.RelatedFullDocumentDiagnosticReport(server.pulled(name_of(params.text_document.uri)))


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
