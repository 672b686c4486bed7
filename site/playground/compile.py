"""Compiles Python files for the browser; runs within Pyodide, so that the byte code is that of its Python."""

from __future__ import annotations

import ast
import importlib._bootstrap_external as external
import json
import re
import zipfile
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

NEVER = re.compile(
    r"(multiprocessing|_pyrepl|unittest|http|xmlrpc|wsgiref|curses|dbm|sqlite3|venv|ensurepip|tkinter|idlelib"
    r"|pydoc_data|turtledemo|distutils|lib2to3|email|ctypes|importlib/metadata|xml/(dom|etree|parsers))/"
    r"|(html/parser|logging/(config|handlers)|asyncio/(windows_events|windows_utils|proactor_events|tools|__main__))\.py"
    r"|(_pydatetime|argparse|configparser|getopt|csv|pickle|_compat_pickle|_ast_unparse|_markupbase|_pydecimal|mimetypes"
    r"|pdb|bdb|cmd|code|doctest|pydoc|pickletools|imaplib|mailbox|statistics|optparse|smtplib|poplib"
    r"|ftplib|turtle|tarfile"
    r"|trace|timeit|profile|cProfile|pstats|plistlib|netrc|socketserver|webbrowser|rlcompleter|fileinput|filecmp"
    r"|antigravity|this|symtable|tabnanny|pyclbr|modulefinder|zipapp|wave|colorsys|nturl2path|ssl|pty|sched|shelve"
    r"|_android_support|_ios_support|_apple_support|_aix_support|_osx_support|_pyio|ctypes/macholib)\.py"
)
"""Files of the standard library that nothing here imports."""
CODECS = re.compile(
    r"encodings/(__init__|aliases|ascii|charmap|cp1252|cp437|idna|latin_1|punycode|raw_unicode_escape|unicode_escape"
    r"|utf_16(_[bl]e)?|utf_32(_[bl]e)?|utf_8(_sig)?)\.py"
)
"""Those codecs that are kept."""

REPLACED = {
    "pyodide/__init__.py": b"# no event loop\n",
    "pyodide/_package_loader.py": b"""
from pathlib import Path

SITE_PACKAGES = DSO_DIR = Path("/usr/lib")


def init_loaded_packages():
    pass
""",
}
"""Files of Pyodide that import half of the library, for an event loop and for packages that nobody loads here."""
LIBRARY = "/lib/python3.14/lib-dynload"
"""The only folder of the library that Pyodide searches, besides an archive."""

NOT_RUN = {
    "concurrent.futures.process",
    "http.client",
    "importlib.metadata",
    "multiprocessing",
    "multiprocessing.connection",
    "urllib.request",
    "webbrowser",
}
"""Imported only where a program starts processes, shows its version, or opens an address."""


def compiled(name: str, source: bytes) -> tuple[str, bytes]:
    """Return a file as it is shipped: a module without its source, and without the types of functions."""
    if not name.endswith(".py"):
        return name, source
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if any(isinstance(each, ast.Attribute) and each.attr == "register" for each in node.decorator_list):
            continue  # functools.singledispatch reads the type of its argument
        node.returns = None
        for argument in ast.walk(node.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
    code = without_lines(compile(tree, name, "exec", dont_inherit=True, optimize=2))
    return name + "c", bytes(external._code_to_timestamp_pyc(code))  # type: ignore[attr-defined]


def without_lines(code: CodeType) -> CodeType:
    """Return code whose table of lines says of each instruction that it has none: the tables are a third of all.

    An entry of the table covers up to eight units of two bytes.
    """
    constants = tuple(without_lines(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    whole, rest = divmod(len(code.co_code) // 2, 8)
    table = b"\xff" * whole + (bytes([0xF8 | rest - 1]) if rest else b"")
    return code.replace(co_consts=constants, co_linetable=table)


def by_kind(files: list[tuple[str, bytes]]) -> list[tuple[str, bytes]]:
    """Return files with those of a kind together, which makes an archive smaller that is compressed as a whole."""
    return sorted(files, key=lambda file: (file[0].rpartition(".")[2], file[0]))


def write_pack(path: str, files: list[tuple[str, bytes]]) -> None:
    """Write a line of JSON with the paths and sizes of files, then their contents."""
    together = by_kind(files)
    names = [[name, len(content)] for name, content in together]
    Path(path).write_bytes(b"".join([json.dumps(names).encode(), b"\n", *(content for _, content in together)]))


def imported() -> set[str]:
    """Return the modules of the standard library that the packages import, or what those import at their top."""
    with zipfile.ZipFile("/stdlib.zip") as archive:
        library = {
            name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): archive.read(name)
            for name in archive.namelist()
            if name.endswith(".py")
        }
    todo = {name for path in root.rglob("*.py") for name in _imports(ast.walk(ast.parse(path.read_bytes())))}
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name in library and name not in found:
            found.add(name)
            todo |= _imports(ast.parse(library[name]).body) if name not in NOT_RUN else set()
    return found


def _imports(nodes: Iterable[ast.AST]) -> set[str]:
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


root = Path("/sources/app")
with zipfile.ZipFile("/stdlib.zip") as archive:
    names = [name for name in archive.namelist() if not name.endswith("/")]
    kept = [n for n in names if not NEVER.match(n) and (not n.startswith("encodings/") or CODECS.fullmatch(n))]
    made = [compiled(f"{LIBRARY}/{name}", REPLACED.get(name) or archive.read(name)) for name in kept]
found = [path for path in root.rglob("*") if path.is_file()]
made += [compiled(f"/app/{path.relative_to(root).as_posix()}", path.read_bytes()) for path in found]
write_pack("/made.pack", made)

missing = imported() - {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in kept} - NOT_RUN
if missing:
    raise SystemExit(f"compile.py leaves out what is imported: {', '.join(sorted(missing))}")
