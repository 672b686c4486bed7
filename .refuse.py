import sys, random, time, collections
from tests.fix import test_nothing_gets_worse as N
from tests.fix.test_nothing_gets_worse import *

cases = []
for release in [f"1.{m}" for m in range(30, 38)]:
    for case in verdicts.verdicts(release):
        if case.accepted or case.mode == "update":
            continue
        cases.append((release, case))
random.Random(int(sys.argv[2])).shuffle(cases)
n = rep = worse = 0
bad = []
left_rules = collections.Counter()
s = time.process_time()
for release, case in cases[: int(sys.argv[1])]:
    linter = Linter(
        Settings(releases=(Release.parse(release),), gates=GATES[case.gates]), collects=False, thorough=True
    )
    raw = case.text.encode("utf-8", "surrogatepass")
    before = judge_bytes(linter, "manifest.yaml", raw, Task(linter.settings)).report
    conclude(before, linter.settings)
    outs = [fix_bytes(linter, "manifest.yaml", raw)]
    if guesses(before) or guesses(outs[0].report):
        outs.append(fix_bytes(linter, "manifest.yaml", raw, unsafe=True))
    n += 1
    for out in outs:
        if out.taken_back:
            bad.append(("taken", case.id, [f.message for f in out.taken_back]))
        if out.raw == raw:
            continue
        new = brought(linter, raw, before, out.report)
        new = [f for f in new if not opened(out, f)]
        if new:
            bad.append(("new", case.id, [(f.rule, f.line, f.message[:90]) for f in new]))
        states = zip(read(raw), read(out.raw))
        if not all(a.state in (b.state, "unreadable") for a, b in states):
            bad.append(("state", case.id))
    ok = not outs[-1].report.count("error")
    rep += ok
    if not ok:
        left_rules.update({f.rule for f in outs[-1].report.findings if f.severity == "error"})
print(n, rep, f"{rep / max(1, n):.1%}", len(bad), time.process_time() - s)
for b in bad[:20]:
    print(str(b)[:300])
print(left_rules.most_common(25))
