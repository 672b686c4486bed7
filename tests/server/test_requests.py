"""Each request and notification of an editor, over standard input and output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.editor.manifests import BROKEN, CLAIM, CLASS, POD, SLICE
from tests.server.client import Editor, in_session, session

from lsprotocol import types  # isort: skip # the line before leaves the tests out where it is missing

pytestmark = pytest.mark.slow
NAME = "claims.yaml"


def codes(found: list[types.Diagnostic]) -> list[Any]:
    return [one.code for one in found]


@in_session()
async def test_findings_are_pushed_with_version_link_tags_and_data(editor: Editor) -> None:
    editor.open(NAME, BROKEN.replace("resource.k8s.io/v1", "resource.k8s.io/v1beta2"))
    first, second = await editor.pushed(NAME, lambda found: len(found) == 2)

    assert (first.code, list(first.tags or ())) == ("DRA503", [types.DiagnosticTag.Deprecated])
    assert (second.code, second.message) == (
        "DRA101",
        'unknown field "deviceClasName"\ndid you mean "deviceClassName"?',
    )
    assert second.code_description is not None
    assert "DRA101" in second.code_description.href
    assert isinstance(second.data, dict)
    assert second.data["path"] == "spec.devices.requests[0].exactly.deviceClasName"
    editor.write(NAME, CLAIM)
    assert await editor.pushed(NAME, lambda found: not found) == []


@in_session(files={"claim.yaml": CLAIM})
async def test_findings_between_an_open_text_and_a_file_have_both_places(editor: Editor) -> None:
    editor.open("pod.yaml", POD.replace("request: gpu", "request: cpu"))
    (found,) = await editor.pushed("pod.yaml", lambda found: codes(found) == ["DRA403"])

    assert found.related_information is not None
    assert found.related_information[0].location.uri == editor.uri("claim.yaml")


@in_session(files={NAME: BROKEN})
async def test_findings_of_files_that_are_not_open_are_pushed(editor: Editor) -> None:
    assert codes(await editor.pushed(NAME, bool)) == ["DRA101"]
    (editor.folder / NAME).write_text(CLAIM)
    change = types.FileEvent(editor.uri(NAME), types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
    assert await editor.pushed(NAME, lambda found: not found) == []


@in_session(files={"other.yaml": BROKEN}, diagnostics="pull")
async def test_findings_are_pulled_of_one_text_and_of_the_workspace(editor: Editor) -> None:
    editor.open(NAME, BROKEN)
    assert codes(await editor.pull(NAME)) == ["DRA101"]
    report = await editor.client.workspace_diagnostic_async(types.WorkspaceDiagnosticParams([]))
    assert sorted(one.uri for one in report.items) == [editor.uri(NAME), editor.uri("other.yaml")]


@in_session()
async def test_a_repair_is_applied_to_the_version_that_the_client_has(editor: Editor) -> None:
    editor.open(NAME, BROKEN)
    place = editor.at(NAME, "deviceClasName")["position"]
    params = types.CodeActionParams(editor.document(NAME), types.Range(place, place), types.CodeActionContext([]))
    first = (await editor.client.text_document_code_action_async(params) or [])[0]
    assert isinstance(first, types.CodeAction)
    assert first.edit is not None

    assert (first.title, first.is_preferred) == ("Replace `deviceClasName` by `deviceClassName`", True)
    assert editor.applied(first.edit)[NAME] == CLAIM


@in_session()
async def test_all_fixes_are_one_action_of_the_source(editor: Editor) -> None:
    editor.open(NAME, f"# 😀\r\n{BROKEN}---\n{BROKEN}")
    place = types.Position(0, 0)
    context = types.CodeActionContext([], only=[types.CodeActionKind.SourceFixAll])
    params = types.CodeActionParams(editor.document(NAME), types.Range(place, place), context)
    (action,) = await editor.client.text_document_code_action_async(params) or ()
    assert isinstance(action, types.CodeAction)
    assert action.edit is not None

    assert editor.applied(action.edit)[NAME] == f"# 😀\r\n{CLAIM}---\n{CLAIM}"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_are_in_the_units_of_the_client(tmp_path: Path, encoding: str) -> None:
    async def use(editor: Editor) -> None:
        text = CLAIM.replace('"a100"', '"😀ü" != device.attributes["gpu.example.com"].model')
        editor.open(NAME, text + "---\n" + SLICE)
        offset = text.rindex("].model") + 3
        place = types.HoverParams(editor.document(NAME), editor.position(NAME, offset))
        found = await editor.client.text_document_hover_async(place)
        assert found is not None
        assert isinstance(found.contents, types.MarkupContent)

        assert found.contents.value.startswith("`gpu.example.com/model`: string; a100 ×1, h100 ×1")
        assert found.range is not None
        assert found.range.end == editor.position(NAME, text.rindex("].model") + len("].model"))

    session(tmp_path, use, encoding)


@in_session()
async def test_completion_has_edits_and_documentation(editor: Editor) -> None:
    editor.open(NAME, CLAIM.replace("        selectors", "        allo\n        selectors"))
    params = types.CompletionParams(**editor.at(NAME, "        allo\n", len("        allo")))
    found = await editor.client.text_document_completion_async(params)
    assert isinstance(found, types.CompletionList)
    item = next(one for one in found.items if one.label == "allocationMode")

    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.new_text == "allocationMode: "
    assert isinstance(item.documentation, types.MarkupContent)
    assert item.documentation.value.startswith("`ExactCount` takes as many devices")


@in_session()
async def test_names_lead_to_their_definition_and_uses_and_are_renamed(editor: Editor) -> None:
    editor.open(NAME, CLAIM)
    editor.open("pod.yaml", POD)
    place = editor.at("pod.yaml", "request: gpu", len("request: g"))
    answer = await editor.client.text_document_definition_async(types.DefinitionParams(**place))
    assert isinstance(answer, Sequence)
    (found,) = answer
    assert isinstance(found, types.Location)
    assert (found.uri, found.range.start) == (editor.uri(NAME), editor.position(NAME, CLAIM.index("gpu\n")))

    context = types.ReferenceContext(include_declaration=True)
    uses = await editor.client.text_document_references_async(types.ReferenceParams(context, **place))
    assert len(uses or ()) == 3

    prepared = await editor.client.text_document_prepare_rename_async(types.PrepareRenameParams(**place))
    assert isinstance(prepared, types.PrepareRenamePlaceholder)
    assert prepared.placeholder == "gpu"
    edit = await editor.client.text_document_rename_async(types.RenameParams(new_name="large", **place))
    assert edit is not None
    assert editor.applied(edit)["pod.yaml"] == POD.replace("request: gpu", "request: large")


@pytest.mark.parametrize("how", ["save", "open", "ask"])
@in_session(files={"claim.yaml": CLAIM}, watches=False)
async def test_a_client_that_watches_no_files_gets_findings_of_the_files_as_they_are(editor: Editor, how: str) -> None:
    editor.open("pod.yaml", POD)
    assert codes(await editor.pushed("pod.yaml", bool)) == ["DRA706"]
    changed = CLAIM.replace("- name: gpu", "- name: cpu").replace("gpu, nic", "cpu, nic")
    (editor.folder / "claim.yaml").write_text(f"{changed}# another size\n")
    document = editor.document("pod.yaml")
    if how == "save":
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
    elif how == "open":
        editor.open("other.yaml", CLASS)
    while how == "ask" and "DRA403" not in codes(list(editor.client.diagnostics[editor.uri("pod.yaml")])):
        await editor.client.text_document_folding_range_async(types.FoldingRangeParams(document))
    assert await editor.pushed("pod.yaml", lambda found: "DRA403" in codes(found))


@in_session()
async def test_highlights_folds_symbols_and_signatures(editor: Editor) -> None:
    expression = 'device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("40Gi"))'
    editor.open(NAME, CLAIM.replace('device.attributes["gpu.example.com"].model == "a100"', expression))
    client, document = editor.client, editor.document(NAME)
    place = editor.at(NAME, "- name: gpu", len("- name: g"))
    marks = await client.text_document_document_highlight_async(types.DocumentHighlightParams(**place)) or ()
    assert [(one.range.start.line, one.kind) for one in marks] == [
        (8, types.DocumentHighlightKind.Write),
        (18, types.DocumentHighlightKind.Read),
    ]

    folds = await client.text_document_folding_range_async(types.FoldingRangeParams(document)) or ()
    assert [(one.start_line, one.end_line) for one in folds][:4] == [(0, 19), (2, 4), (5, 19), (6, 19)]

    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("claim train")) or ()
    assert [(one.name, one.container_name) for one in found] == [("train", "ResourceClaim")]
    assert await client.workspace_symbol_async(types.WorkspaceSymbolParams("claim other")) == []

    call = editor.at(NAME, "isGreaterThan(", len("isGreaterThan("))
    help_ = await client.text_document_signature_help_async(types.SignatureHelpParams(**call))
    assert help_ is not None
    assert [one.label for one in help_.signatures] == ["Quantity.isGreaterThan(Quantity) → bool"]
    assert help_.active_parameter == 0


@in_session()
async def test_a_repair_of_a_diagnostic_that_the_client_names_is_offered_elsewhere_on_its_line(editor: Editor) -> None:
    editor.open(NAME, BROKEN)
    found = await editor.pushed(NAME, bool)
    start = types.Position(found[0].range.start.line, 0)

    async def titles(diagnostics: list[types.Diagnostic]) -> list[str]:
        context = types.CodeActionContext(diagnostics)
        params = types.CodeActionParams(editor.document(NAME), types.Range(start, start), context)
        return [one.title for one in await editor.client.text_document_code_action_async(params) or ()]

    assert await titles([]) == []
    assert "Replace `deviceClasName` by `deviceClassName`" in await titles(found)


@in_session()
async def test_a_name_that_is_not_valid_is_refused_with_the_reason(editor: Editor) -> None:
    editor.open(NAME, CLAIM)
    place = editor.at(NAME, "- name: gpu", len("- name: g"))
    with pytest.raises(Exception, match='"a b" is not a valid name'):
        await editor.client.text_document_rename_async(types.RenameParams(new_name="a b", **place))


@in_session(files={"slices.yaml": f"{SLICE}---\n{CLASS}"}, inlayHints=True)
async def test_the_outline_hints_and_lenses_of_a_text(editor: Editor) -> None:
    editor.open(NAME, CLAIM)
    client, document = editor.client, editor.document(NAME)
    outline = await client.text_document_document_symbol_async(types.DocumentSymbolParams(document))
    assert [one.name for one in outline or ()] == ["train"]

    whole = types.Range(types.Position(0, 0), types.Position(99, 0))
    hints = await client.text_document_inlay_hint_async(types.InlayHintParams(document, whole))
    assert [one.label for one in hints or ()] == ["1 of 2 devices"]

    (lens,) = await client.text_document_code_lens_async(types.CodeLensParams(document)) or ()
    assert lens.command is not None
    assert lens.command.title == "fits on 0 of 1 node"
    params = types.ExecuteCommandParams(lens.command.command, lens.command.arguments)
    answer = await client.workspace_execute_command_async(params)
    assert "does not fit" in str(answer)


@in_session()
async def test_a_rule_and_a_field_are_explained(editor: Editor) -> None:
    for topic, title in (("DRA101", "# DRA101 unknown-field"), ("ResourceClaim.spec", "# ResourceClaim.spec")):
        params = types.ExecuteCommandParams("dralint.explain", [topic])
        assert str(await editor.client.workspace_execute_command_async(params)).startswith(title)


def test_a_mistake_in_the_configuration_is_a_diagnostic_in_it(tmp_path: Path) -> None:
    configuration = tmp_path / ".dralint.yaml"
    configuration.write_text("ignore: [DRA101]\nselekt: [DRA1]\n")

    async def use(editor: Editor) -> None:
        (found,) = await editor.pushed(".dralint.yaml", bool)
        assert (found.range.start.line, found.message) == (1, 'unknown key "selekt"\ndid you mean "select"?')
        editor.open(NAME, BROKEN)
        assert codes(await editor.pushed(NAME, bool)) == ["DRA101"]

        configuration.write_text("ignore: [DRA101]\n")
        change = types.FileEvent(editor.uri(".dralint.yaml"), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([change]))
        assert await editor.pushed(NAME, lambda found: not found) == []
        assert await editor.pushed(".dralint.yaml", lambda found: not found) == []

    session(tmp_path, use)


@in_session(kubernetesVersion="1.33")
async def test_settings_of_the_client_choose_the_release(editor: Editor) -> None:
    editor.open(NAME, CLAIM)
    found = await editor.pushed(NAME, bool)
    assert "1.33" in found[0].message

    editor.client.workspace_did_change_configuration(
        types.DidChangeConfigurationParams({"dralint": {"kubernetesVersion": "1.99"}})
    )
    assert await editor.pushed(NAME, lambda found: not found) == []
    shown = [one.message for one in editor.client.messages]
    assert [one.partition(" 1.99")[0] for one in shown] == ["dralint ignores a setting: kubernetes-version: release"]
