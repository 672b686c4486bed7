"""Compiles Python files for the browser; runs within Pyodide, so that the byte code is that of its Python."""

import importlib._bootstrap_external as external
import re
import zipfile
from pathlib import Path
from types import CodeType

NEVER = re.compile(
    r"(multiprocessing|_pyrepl|unittest|http|xmlrpc|wsgiref|curses|dbm|sqlite3|venv|ensurepip|tkinter|idlelib"
    r"|pydoc_data|turtledemo|distutils|lib2to3|email|html|ctypes|logging/(config|handlers))/|xml/(dom|etree|parsers)/"
    r"|(argparse|configparser|getopt|gettext|csv|pdb|bdb|cmd|code|doctest|pydoc|pickletools|imaplib|mailbox|statistics|optparse|smtplib|poplib|ftplib|turtle|tarfile"
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


def compiled(name: str, source: bytes) -> tuple[str, bytes]:
    """Return a file as it is shipped: a module without its source."""
    if not name.endswith(".py"):
        return name, source
    code = without_lines(compile(source, name, "exec", dont_inherit=True, optimize=2))
    return name + "c", bytes(external._code_to_timestamp_pyc(code))


def without_lines(code: CodeType) -> CodeType:
    """Return code without the table of its line numbers, a third of its size; only a traceback would miss it."""
    constants = tuple(without_lines(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_consts=constants, co_linetable=b"", co_filename="")


def write(path: str, files: list[tuple[str, bytes]]) -> None:
    """Write an archive that is not compressed: it is compressed as a whole, which makes it smaller."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files, key=lambda file: (file[0].rpartition(".")[2], file[0])):
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), content)


with zipfile.ZipFile("/stdlib.zip") as archive:
    names = [name for name in archive.namelist() if not name.endswith("/")]
    kept = [n for n in names if not NEVER.match(n) and (not n.startswith("encodings/") or CODECS.fullmatch(n))]
    write("/made-stdlib.zip", [compiled(name, archive.read(name)) for name in kept])
root = Path("/sources/app")
found = [path for path in root.rglob("*") if path.is_file()]
write("/made-app.zip", [compiled(path.relative_to(root).as_posix(), path.read_bytes()) for path in found])
