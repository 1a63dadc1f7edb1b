#!/usr/bin/env python3
"""Checks on any system that the code compiles and runs on a Mac, too.

Each rule is a function from the files of a clone, as {path: text}, to problems, as (path, line, sentence). Before the
clone, each rule is tested with files that break it and files that keep it: see CASES.
"""
import ast
import pathlib
import re
import subprocess
import sys

# The C functions that Apple's headers hide from Swift (`__swift_unavailable`, in stdio.h, stdlib.h and unistd.h).
# `random` and `rand` are missing, since our code uses these names.
UNAVAILABLE = {
    "popen", "pclose", "system", "fork", "vfork", "mktemp", "tmpnam", "tempnam", "sprintf", "vsprintf", "srand", "rand_r",
    "jrand48", "lrand48", "mrand48", "nrand48",
}

# The names that Linux's C libraries have and Apple's headers lack.
LINUX_ONLY = {
    "environ", "pipe2", "accept4", "dup3", "ppoll", "execvpe", "prctl", "gettid", "getrandom", "memfd_create", "statx",
    "renameat2", "close_range", "copy_file_range", "splice", "fallocate", "posix_fallocate", "mremap", "memrchr",
    "strchrnul", "secure_getenv", "getauxval", "canonicalize_file_name", "get_nprocs", "sysinfo", "clock_nanosleep",
    "sigtimedwait", "sigwaitinfo", "sched_setaffinity", "pthread_setaffinity_np", "__errno_location",
    "st_atim", "st_mtim", "st_ctim", "O_PATH", "O_TMPFILE", "O_DIRECT", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "MSG_NOSIGNAL",
    "MSG_MORE", "TCP_CORK", "TCP_QUICKACK", "CLOCK_BOOTTIME", "RENAME_EXCHANGE", "RENAME_NOREPLACE",
}
LINUX_ONLY_FAMILIES = r"(?:epoll|inotify|eventfd|signalfd|timerfd)(?:_\w+)?|IN_[A-Z_]+|EPOLL\w+"

NAMES = (
    rf"(?<![\w`])(?:(?P<call>{'|'.join(sorted(UNAVAILABLE))})\(|(?:{'|'.join(sorted(LINUX_ONLY))}|{LINUX_ONLY_FAMILIES})\b)")

# The text before a name that is not from C: a member, apart from those of `stat`, or a declaration.
OURS = re.compile(r"(?:(?<!\.)\.|\b(?:func|case|let|var) )$")

# The features of a version of Swift or Swift Testing, which a package with an older tools version cannot use.
FEATURES = {
    (6, 3): {
        r"\bweak let\b": "'weak let'", r"\bTest\.cancel\(": "'Test.cancel'", r"\bIssue\.record\([^)]*severity:": "a severity",
        r"^\s*@c\b": "'@c'", r"\bissue\.isFailure\b": "'Issue.isFailure'",
    },
}

# macOS has bash 3.2 as `bash` and `sh`.
BASH = {
    r"\b(?:mapfile|readarray|coproc)\b": "is a command of bash 4",
    r"\b(?:declare|local|typeset|readonly) -\w*[An]": "is a kind of variable of bash 4",
    r"\$\{\w+(?:\[[^]]*\])?(?:,|\^|@[A-Za-z]\})": "is an expansion of bash 4",
    r"\|&|&>>": "is a redirection of bash 4",
    r"\[\[ -v ": "is a condition of bash 4",
}

# Xcode has the oldest Python.
PYTHON = (3, 9)
PYTHON_NAMES = {
    r"\bextractall\(.*filter=": "the filter of an archive", r"\bzip\(.*strict=": "a strict 'zip'",
    r"\bimport tomllib\b": "'tomllib'", r"\bdatetime\.UTC\b": "'datetime.UTC'", r"\bitertools\.(?:pairwise|batched)\b":
    "a function of itertools",
}

# An Int has 32 bits on a watch; the milliseconds since 1970 need 41.
MILLISECONDS = r"\bInt\([^()]*(?:[sS]econds|[tT]ime)[^()]*(?:\* 1_?000\)|\) \* 1_?000\b)"

LOOPBACK = r'host: "127\.0\.0\.(?!1")\d+"'

LITERAL = re.compile(r'"""[\s\S]*?"""|#*"(?:\\.|[^"\\\n])*"#*|//[^\n]*|/\*[\s\S]*?\*/')


def blank(text):
    """The line breaks of a text, with spaces for all other characters."""
    return re.sub(r"[^\n]", " ", text)


def code(text):
    """Swift without the text of comments and literals."""
    return LITERAL.sub(lambda found: blank(found[0]), text)


def for_a_mac(text):
    """Swift without the parts that only Linux compiles."""
    lines, conditions = [], []
    for line in text.splitlines():
        directive = line.strip()
        if directive.startswith("#if"):
            conditions.append(directive)
        elif directive.startswith(("#else", "#elseif")) and conditions:
            conditions[-1] = directive
        elif directive.startswith("#endif") and conditions:
            conditions.pop()
        is_linux = any(re.search(r"^#(?:else)?if .*(?:os\(Linux\)|canImport\((?:Glibc|Musl)\))", each) for each in conditions)
        lines.append("" if is_linux else line)
    return "\n".join(lines)


def swift(files):
    """The Swift files that a Mac compiles."""
    return {
        path: for_a_mac(text) for path, text in files.items()
        if path.endswith(".swift") and not path.startswith("Tests/Reliability/")
    }


def places(pattern, text):
    """The matches of a pattern with their lines."""
    for found in re.finditer(pattern, text, re.MULTILINE):
        yield text.count("\n", 0, found.start()) + 1, found


def names(files):
    for path, text in swift(files).items():
        text = code(text)
        for line, found in places(NAMES, text):
            if OURS.search(text[max(0, found.start() - 10):found.start()]) and not found[0].startswith("st_"):
                continue
            reason = "Apple's headers keep it from Swift" if found["call"] else "Apple's systems do not have it"
            yield path, line, f"'{found['call'] or found[0]}': {reason}"


def language(files):
    manifest = re.match(r"// swift-tools-version: ?(\d+)\.(\d+)", files.get("Package.swift", ""))
    promised = (int(manifest[1]), int(manifest[2])) if manifest else (6, 2)
    for path, text in files.items():
        if not path.endswith(".swift"):
            continue
        for version, features in FEATURES.items():
            for pattern, name in features.items() if version > promised else ():
                # A version of the compiler brings its own Swift Testing.
                newer = rf"#if compiler\(>={version[0]}\.{version[1]}\)[\s\S]*?#(?:else|endif)"
                for line, _ in places(pattern, re.sub(newer, lambda found: blank(found[0]), code(text))):
                    yield path, line, (
                        f"{name} needs Swift {version[0]}.{version[1]}; Package.swift promises {promised[0]}.{promised[1]}")


def milliseconds(files):
    for path, text in swift(files).items():
        if path.startswith("Sources/") and "/PostgreSQL" not in path:
            for line, _ in places(MILLISECONDS, code(text)):
                yield path, line, "milliseconds since 1970 are no 'Int' on a watch; use Int64"


def loopback(files):
    for path, text in swift(files).items():
        for line, found in places(LOOPBACK, text):
            yield path, line, f"{found[0]}: a Mac has 127.0.0.1 and ::1 alone"


def shell(files):
    for path, text in files.items():
        if re.match(r"#!.*\b(?:bash|sh)\n", text):
            for pattern, reason in BASH.items():
                for line, found in places(pattern, re.sub(r"(^|\s)#[^\n]*", r"\1", text)):
                    yield path, line, f"'{found[0].strip()}' {reason}; macOS has 3.2"


def python(files):
    for path, text in files.items():
        if not path.endswith(".py") and not re.match(r"#!.*\bpython3?\n", text):
            continue
        try:
            ast.parse(text, feature_version=PYTHON)
        except SyntaxError as error:
            yield path, error.lineno or 1, f"{error.msg}; Xcode has 3.9"
        for pattern, name in PYTHON_NAMES.items():
            for line, _ in places(pattern, text):
                yield path, line, f"{name} needs a newer Python; Xcode has 3.9"


RULES = [names, language, milliseconds, loopback, shell, python]

FILE = "Tests/JSONServerTests/File.swift"
SOURCE = "Sources/JSONServer/Diagnostics/Timestamp.swift"
MANIFEST = {"Package.swift": "// swift-tools-version: 6.2\n"}

# A rule, files, and the number of problems; 0 for valid files.
CASES = [
    (names, {FILE: 'let pipe = popen("ls", "r")\npclose(pipe)\n'}, 2),
    (names, {FILE: "let child = fork()\n"}, 1),
    (names, {FILE: "server.fork()\nfunc system() {}\n"}, 0),
    (names, {FILE: "// popen is not there\nlet text = \"fork()\"\n"}, 0),
    (names, {FILE: "let socket = socket(AF_INET, SOCK_CLOEXEC, 0)\nepoll_create1(EPOLL_CLOEXEC)\n"}, 3),
    (names, {FILE: "let environment = environ\nprint(status.st_mtim.tv_sec)\n"}, 2),
    (names, {FILE: "#if os(Linux)\n  pipe2(&ends, 0)\n#else\n  pipe(&ends)\n#endif\n"}, 0),
    (names, {FILE: "#if os(Linux)\n  pipe(&ends)\n#else\n  pipe2(&ends, 0)\n#endif\n"}, 1),
    (names, {"Tests/Reliability/Fuzz/Targets/main.swift": "fork()\n"}, 0),
    (language, {**MANIFEST, FILE: "weak let server = stopped\n"}, 1),
    (language, {"Package.swift": "// swift-tools-version: 6.3\n", FILE: "weak let server = stopped\n"}, 0),
    (language, {**MANIFEST, FILE: "#if compiler(>=6.3)\n  issue.isFailure\n#else\n  true\n#endif\n"}, 0),
    (language, {**MANIFEST, FILE: "#if compiler(>=6.3)\n  issue.isFailure\n#endif\nissue.isFailure\n"}, 1),
    (language, {**MANIFEST, FILE: "weak var server = stopped // weak let\n"}, 0),
    (milliseconds, {SOURCE: "milliseconds = Int(secondsSince1970 * 1000)\n"}, 1),
    (milliseconds, {SOURCE: "modified = Int(status.modified_seconds) * 1000\n"}, 1),
    (milliseconds, {SOURCE: "milliseconds = Int64(secondsSince1970 * 1000)\n"}, 0),
    (loopback, {FILE: 'BindAddress(host: "127.0.0.2", port: 0)\n'}, 1),
    (loopback, {FILE: 'BindAddress(host: "127.0.0.1", port: 0)\n'}, 0),
    (shell, {".ci/run": "#!/usr/bin/env bash\nmapfile -t lines\n"}, 1),
    (shell, {".ci/run": "#!/usr/bin/env bash\nlocal -A seen\necho ${name,,} ${name^^}\n"}, 3),
    (shell, {".ci/run": "#!/usr/bin/env bash\n# mapfile\necho ${name:-,} ${#names[@]} \"${names[@]}\"\n"}, 0),
    (python, {"run.py": "match 1:\n  case 1: pass\n"}, 1),
    (python, {"Packaging/make": "#!/usr/bin/env python3\narchive.extractall(folder, filter=\"data\")\n"}, 1),
    (python, {"run.py": "print({} | {})\n"}, 0),
]


def show_violations():
    """The cases that a rule gets wrong."""
    for rule, files, count in CASES:
        found = list(rule(files))
        if len(found) != count:
            yield f".ci/check-portability.py: {rule.__name__} finds {found} in {files} instead of {count}"


def read_clone(root):
    """The texts of the files that git does not ignore."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, check=True, stdout=subprocess.PIPE).stdout.decode()
    files = {}
    for path in filter(None, listing.split("\0")):
        if (root / path).is_file():
            text = (root / path).read_bytes()
            if path.endswith((".swift", ".py")) or text.startswith(b"#!"):
                files[path] = text.decode()
    # This file contains the names that it forbids.
    return {path: text for path, text in files.items() if path != ".ci/check-portability.py"}


def main():
    lines = list(show_violations())
    files = read_clone(pathlib.Path(__file__).resolve().parent.parent)
    lines += [f"{path}:{line}: {problem}" for rule in RULES for path, line, problem in rule(files)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
