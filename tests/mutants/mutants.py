#!/usr/bin/python3
"""mutants.py: put each bug of mutants.json into a copy of the tree, and see which test catches it (run at the root of the tree).

A bug is one line, which has to be in its file once. The tree without any is built and tested first, in build/mutants/base: what
fails there says nothing of bugs and is left out, loudly. Each bug gets a directory of hard links to it, build/mutants/N, in
which make builds what changed. Tests run in this order, until one fails:

    unit            the unit tests that call the changed object, then those that call what does; the fastest first
    golden          where the library changed
    first           files that the list names for a bug, since they are where it should show
    far             the unit tests that reach the changed object by more calls, the fastest first
    tests/http, tests/survive, tests/config    the fastest file first
    fuzz            the committed corpora

A test catches a bug when it fails with it, fails with it again (one time of two), and passes without it just then: chance and a
busy machine are no catch. A test that hangs (ten times as long as without the bug, and half a minute) fails.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree

ROOT = pathlib.Path.cwd()
WORK = ROOT / "build" / "mutants"
BASE = WORK / "base"
LIST = pathlib.Path("tests/mutants/mutants.json")
PYTHON = "/usr/bin/python3"
SUITES = ("tests/http", "tests/survive", "tests/config")
STAGES = ("unit", "golden", "first", "far", *SUITES, "fuzz")
TARGETS = {"golden": "golden-one", "fuzz": "fuzz-replay"}
WANTED = 57  # of sixty
OMITTED = {"build", ".git", "__pycache__", ".pytest_cache"}
FLAKES_MOST = 3  # in one suite for one bug: then its noise drowns what it could say

saying = threading.Lock()


def say(text):
    with saying:
        print(text, flush=True)


class Broken(Exception):
    """The list, the tree or the tool is wrong, not a test."""


# ---- The list ---------------------------------------------------------------------------------------------------------


def read_list(only):
    mutants = json.loads(LIST.read_text())
    names = [mutant["name"] for mutant in mutants]
    problems = [f"{name}: stands twice" for name in sorted(set(names)) if names.count(name) > 1]
    problems += [f"{name}: is no mutant" for name in only if name not in names]
    for mutant in mutants:
        path = pathlib.Path(mutant["file"])
        lines = path.read_text().split("\n") if path.is_file() else []
        found = lines.count(mutant["before"])
        if found != 1 or mutant["before"] == mutant["after"]:
            problems.append(f"{mutant['name']}: {mutant['file']}: the line is there {found} times: {mutant['before'].strip()}")
        else:
            mutant["line"] = lines.index(mutant["before"]) + 1
        problems += [f"{mutant['name']}: there is no {test}" for test in mutant.get("first", [])
                     if not pathlib.Path(test).is_file()]
    if problems:
        raise Broken("\n".join(problems))
    for number, mutant in enumerate(mutants, 1):
        mutant["number"] = number
    return [mutant for mutant in mutants if not only or mutant["name"] in only]


# ---- Running ----------------------------------------------------------------------------------------------------------


def run(command, where, seconds, environment=None):
    """A command in a process group of its own, to its end. Returns (passed, output, seconds it took)."""
    start = time.monotonic()
    with subprocess.Popen([str(word) for word in command], cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, start_new_session=True,
                          env={**os.environ, **(environment or {})}) as process:
        try:
            output, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            output += f"\nkilled after {seconds:.0f} s\n".encode()
    try:
        os.killpg(process.pid, signal.SIGKILL)  # servers that a failed test left
    except ProcessLookupError:
        pass
    return process.returncode == 0, output.decode(errors="replace"), time.monotonic() - start


def make(where, *words, jobs=1, seconds=3600):
    return run(["make", f"-j{jobs}", "-f", "Makefile", "-f", "tests/mutants/mutants.mk", *words], where, seconds,
               {"MAKEFLAGS": "", "MAKELEVEL": ""})


# ---- The tree without bugs --------------------------------------------------------------------------------------------


def tree_files():
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in OMITTED]
        for name in files:
            yield (pathlib.Path(folder) / name).relative_to(ROOT)


def copy_tree():
    """The sources, as they are now; a file that is the same stays untouched, and so do objects made of it."""
    wanted = set(tree_files())
    BASE.mkdir(parents=True, exist_ok=True)
    for path in sorted(wanted):
        source, copy = ROOT / path, BASE / path
        if copy.is_file() and copy.read_bytes() == source.read_bytes():
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)
        shutil.copy2(source, copy)
        if (BASE / "build").exists():
            os.utime(copy)  # newer than the objects of what stood there
    for folder, folders, files in os.walk(BASE):
        folders[:] = [name for name in folders if name not in OMITTED]
        for name in files:
            path = pathlib.Path(folder) / name
            if path.relative_to(BASE) not in wanted:
                path.unlink()


def lend_objects(objects):
    """What the tree has been built into already, where the copy has nothing: the library takes minutes."""
    if (BASE / objects).exists():
        return
    for path in sorted((ROOT / objects).rglob("*")) if (ROOT / objects).exists() else []:
        part = path.relative_to(ROOT / objects)
        if part.parts[0] in ("lib", "server") and path.suffix in (".o", ".d"):
            (BASE / objects / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, BASE / objects / part)


class Tree:
    """The tree without bugs: its objects, who links what, and what its tests say."""

    def __init__(self, jobs):
        copy_tree()
        passed, output, _ = make(BASE, "-s", "mutants-names")
        if not passed:
            raise Broken(output)
        words = output.split()
        self.objects, self.units = pathlib.Path(words[0]), words[1:]
        lend_objects(self.objects)
        say("building the tree without bugs")
        start = time.monotonic()
        passed, output, _ = make(BASE, *self.programs(), self.objects / "tests/golden/golden", "mutants-tests", jobs=jobs)
        if not passed:
            raise Broken(f"the tree does not build:\n{output[-4000:]}")
        say(f"  {time.monotonic() - start:.0f} s")
        self.read_depends()
        self.read_symbols()

    def terrane(self):
        return self.objects / "terrane"

    def programs(self):
        """What tests over HTTP start."""
        return self.terrane(), self.objects / "terrane-example"

    def unit(self, name):
        """The program of a unit test, and its words: ROOM/test_GROUP is a group of a room's program."""
        room, _, group = name.rpartition("/test_")
        return self.objects / "mutants" / room, [group]

    def read_depends(self):
        """Which objects are made of a source."""
        self.made_of = {}
        for path in (BASE / self.objects).rglob("*.d"):
            made = path.with_suffix(".o").relative_to(BASE / self.objects)
            if not (BASE / self.objects / made).exists():
                continue
            for word in path.read_text().replace("\\\n", " ").split():
                source = os.path.normpath(word.rstrip(":"))
                if not word.endswith(".o:"):
                    self.made_of.setdefault(source, set()).add(str(made))

    def read_symbols(self):
        """Which objects an object calls, or takes variables of."""
        parts = [path for top in ("lib", "server") for path in sorted((BASE / self.objects / top).rglob("*.o"))
                 if path.name != "main.o" and  # an object of a file that has gone would take its calls
                 (BASE / path.relative_to(BASE / self.objects)).with_suffix(".c").is_file()]
        tests = [BASE / self.objects / "tests/mutants" / f"{name}.o" for name in self.units]
        defined, needed = {}, {}
        for path in parts + tests:
            name = str(path.relative_to(BASE / self.objects))
            needed[name] = set()
            done = subprocess.run(["nm", "-P", path], capture_output=True, text=True, check=True)
            for line in done.stdout.splitlines():
                symbol, kind = line.split()[:2]
                if kind in "Uw":
                    needed[name].add(symbol)
                elif kind.isupper() and path in parts:
                    defined[symbol] = name
        self.uses = {name: {defined[s] for s in symbols if s in defined} - {name} for name, symbols in needed.items()}

    def distance(self, unit, changed):
        """How many calls a unit test is from one of the changed objects; None: the bug cannot reach it."""
        own = f"tests/mutants/{unit}.o"
        seen, front, steps = {own}, {own}, 0
        while front:
            if front & changed:
                return steps
            front = set().union(*(self.uses.get(name, set()) for name in front)) - seen
            seen |= front
            steps += 1
        return None

    # -- Its tests

    def digest(self):
        sums = hashlib.sha256()
        for path in sorted(tree_files()):
            if path.parts[:2] != ("tests", "mutants") and (BASE / path).is_file():
                sums.update(str(path).encode() + b"\0" + (BASE / path).read_bytes())
        return sums.hexdigest()

    def test(self, stages, jobs):
        """What passes, and how long it takes; kept as long as the tree is the same."""
        kept, known = WORK / "baseline.json", {"digest": self.digest(), "done": []}
        if kept.is_file() and json.loads(kept.read_text())["digest"] == known["digest"]:
            known = json.loads(kept.read_text())
        self.baseline = {"unit": {}, "suite": {}, "failing": [], **known}
        for stage in dict.fromkeys("unit" if stage == "far" else stage for stage in stages):
            if stage in ("first", *known["done"]) or (stage in SUITES and not (BASE / stage).is_dir()):
                continue
            say(f"testing the tree without bugs: {stage}")
            if stage == "unit":
                self.test_units(jobs)
            elif stage in SUITES:
                self.test_suite(stage)
            else:
                passed, output, self.baseline[stage] = make(BASE, TARGETS[stage], jobs=jobs)
                if not passed:
                    self.fails(stage, output)
            known["done"].append(stage)
            kept.write_text(json.dumps(self.baseline, indent=1))

    def test_units(self, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            commands = (([BASE / program, *words], BASE, 600) for program, words in map(self.unit, self.units))
            results = pool.map(lambda command: run(*command), commands)
            for name, (passed, output, seconds) in zip(self.units, results):
                self.baseline["unit"][name] = seconds
                if not passed:
                    self.fails(name, output)

    def fails(self, name, output):
        say(f"  {name} FAILS WITHOUT ANY BUG and is left out\n" + output[-1500:])
        self.baseline["failing"].append(name)

    def test_suite(self, suite):
        files, failing, _ = suite_run(self, BASE, [suite], ["--junitxml", WORK / "suite.xml"], 3600)
        for name in failing:
            self.fails(name, files)
        times = {}
        for case in xml.etree.ElementTree.parse(WORK / "suite.xml").iter("testcase"):
            path = "/".join(case.get("classname").split(".")[:3]) + ".py"
            times[path] = times.get(path, 0) + float(case.get("time"))
        self.baseline["suite"][suite] = times
        say(f"  {suite}: {sum(times.values()):.0f} s")


def suite_run(tree, where, words, options, seconds):
    """Runs pytest with the program of a tree: (output, the tests that failed, seconds). A hang fails as such."""
    command = [PYTHON, "-B", "-m", "pytest", "-q", "-rfE", "--tb=short", "-p", "no:cacheprovider", f"--rootdir={where}",
               *options, *words]
    passed, output, took = run(command, where, seconds, {
        "TERRANE": str(where / tree.terrane()), "TIMEOUT_MULT": os.environ.get("TIMEOUT_MULT", "2")})
    failing = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.M)
    if not passed and not failing:
        failing = ["a hang, or an end of pytest"]
    return output, failing, took


# ---- One bug ----------------------------------------------------------------------------------------------------------


class Trial:
    """One bug in a directory of its own."""

    def __init__(self, tree, mutant):
        self.tree, self.mutant = tree, mutant
        self.where = WORK / str(mutant["number"])
        self.ran, self.noise, self.start = [], [], time.monotonic()

    def prepare(self):
        shutil.rmtree(self.where, ignore_errors=True)

        def lend(source, copy):
            """Hard links, but for what a compiler writes into instead of beside."""
            if source.endswith(".d"):
                shutil.copy2(source, copy)
            else:
                os.link(source, copy)

        binaries = {str(BASE / self.tree.unit(unit)[0]) for unit in self.tree.units}
        shutil.copytree(BASE, self.where, copy_function=lend, symlinks=True, ignore=lambda folder, names: [
            name for name in names if f"{folder}/{name}" in binaries or name == "__pycache__"])
        path = self.where / self.mutant["file"]
        lines = path.read_text().split("\n")
        if lines.count(self.mutant["before"]) != 1:
            raise Broken(f"{self.mutant['name']}: the line has changed")
        lines[lines.index(self.mutant["before"])] = self.mutant["after"]
        path.unlink()
        path.write_text("\n".join(lines))

    def build(self):
        """Objects that are not what they were."""
        passed, output, _ = make(self.where, *self.tree.programs())
        if not passed:
            raise Broken(f"{self.mutant['name']} does not build:\n{output[-3000:]}")
        if any((self.where / part).samefile(BASE / part) for part in (self.tree.terrane(), self.mutant["file"])):
            raise Broken(f"{self.mutant['name']}: what was built is the tree's without bugs")
        candidates = self.tree.made_of.get(self.mutant["file"], set())
        changed = {name for name in candidates if not name.startswith("tests/") and not self.same_code(name)}
        if not changed:
            raise Broken(f"{self.mutant['name']}: the program is the same with it, in every byte of code")
        # A test's own object may hold inline functions of a changed header.
        return changed | {name for name in candidates if name.startswith("tests/mutants/")}

    def same_code(self, name):
        """Without what is there for debuggers, which names the directory."""
        code = []
        for top in (self.where, BASE):
            bare = self.where / "bare.o"
            subprocess.run(["objcopy", "--strip-debug", top / self.tree.objects / name, bare], check=True)
            code.append(bare.read_bytes())
        return code[0] == code[1]

    def caught(self, test, output, repeat, control):
        """Whether a failure is the bug's: it comes again, and not without the bug."""
        again = any(not repeat() for _ in range(2))
        if again and control():
            (WORK / f"{self.mutant['name']}.txt").write_text(output)
            return True
        self.noise.append(test)
        return False

    def unit_tests(self, changed, far):
        """Those that call one of the changed objects, or what calls one; or those that are further away."""
        known = self.tree.baseline
        steps = {unit: self.tree.distance(unit, changed) for unit in self.tree.units if unit not in known["failing"]}
        for unit in sorted((unit for unit in steps if steps[unit] is not None and (steps[unit] > 2) == far),
                           key=lambda unit: (steps[unit] > 1, known["unit"][unit])):
            (program, words), seconds = self.tree.unit(unit), 30 + 10 * known["unit"][unit]
            passed, output, _ = make(self.where, program)
            if not passed:
                raise Broken(f"{self.mutant['name']}: {unit} does not build:\n{output[-3000:]}")

            def tried(where, command=(program, *words), limit=seconds):
                return run([where / command[0], *command[1:]], where, limit)

            passed, output, _ = tried(self.where)
            self.ran.append(unit)
            if not passed and self.caught(unit, output, lambda t=tried: t(self.where)[0], lambda t=tried: t(BASE)[0]):
                names = sorted(set(re.findall(r"^\[  FAILED  \] (\w+)$", output, re.M)))
                return f"{unit}: {', '.join(names[:2]) or output.strip().splitlines()[-1][:80]}"
        return None

    def made(self, name):
        """A test that make runs."""
        target = TARGETS[name]
        if name in self.tree.baseline["failing"]:
            return None
        seconds = 120 + 10 * self.tree.baseline[name]
        passed, output, _ = make(self.where, target, seconds=seconds)
        self.ran.append(name)
        caught = not passed and self.caught(name, output, lambda: make(self.where, target, seconds=seconds)[0],
                                            lambda: make(BASE, target, seconds=seconds)[0])
        return f"{name}: {output.strip().splitlines()[-1][:100]}" if caught else None

    def suite(self, suite, files):
        """Some files of a suite."""
        times = self.tree.baseline["suite"].get(suite, {})
        passing_over = [name for name in self.tree.baseline["failing"] if "::" in name]
        seconds = 300 + 4 * sum(times.get(path, 0) for path in files)
        for _ in range(FLAKES_MOST if files else 0):
            skip = [word for name in passing_over for word in ("--deselect", name)]
            output, failing, _ = suite_run(self.tree, self.where, files, ["-x", *skip], seconds)
            self.ran += files
            if not failing:
                return None
            name = failing[0]
            words, some = ([name], 300) if "::" in name or name.endswith(".py") else (files, seconds)
            if self.caught(name, output, lambda w=words, s=some: not suite_run(self.tree, self.where, w, ["-x"], s)[1],
                           lambda w=words, s=some: not suite_run(self.tree, BASE, w, ["-x"], s)[1]):
                return name
            passing_over.append(name)
        return None

    def stage(self, stage, changed):
        """The test that caught the bug, or None."""
        first = self.mutant.get("first", [])
        if stage in ("unit", "far"):
            return self.unit_tests(changed, stage == "far")
        if stage == "first":
            return next(filter(None, (self.suite(os.path.dirname(path), [path]) for path in first)), None)
        if stage in SUITES:
            times = self.tree.baseline["suite"].get(stage, {})
            return self.suite(stage, sorted(set(times) - set(first), key=times.get))
        reached = stage != "golden" or any(name.startswith("lib/") for name in changed)
        return self.made(stage) if reached else None

    def run(self, stages):
        self.prepare()
        changed = self.build()
        built, by = time.monotonic() - self.start, None
        for stage in stages:
            by = by or self.stage(stage, changed)
        return {"name": self.mutant["name"], "file": self.mutant["file"], "line": self.mutant["line"],
                "breaks": self.mutant["breaks"], "caught": by is not None, "by": by, "build_s": round(built, 1),
                "seconds": round(time.monotonic() - self.start, 1), "ran": self.ran, "noise": self.noise}


def attempt(tree, mutant, stages, keep):
    trial = Trial(tree, mutant)
    try:
        result = trial.run(stages)
    except Broken as broken:
        result = {"name": mutant["name"], "file": mutant["file"], "breaks": mutant["breaks"], "caught": False, "by": None,
                  "seconds": round(time.monotonic() - trial.start, 1), "error": str(broken)}
    if not keep:
        shutil.rmtree(trial.where, ignore_errors=True)
    say(f"{mutant['name']:<20} {result['seconds']:6.0f} s  " + (result["by"] or result.get("error") or
        f"SURVIVES: {mutant['breaks']}") + (f"  (noise: {', '.join(result['noise'])})" if result.get("noise") else ""))
    return result


# ---- All --------------------------------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description="puts bugs into the source and counts those that the tests catch")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="bugs at a time (default %(default)s)")
    parser.add_argument("--only", default="", help="names, with commas between")
    parser.add_argument("--stages", default=",".join(STAGES), help="tests to run, of %(default)s")
    parser.add_argument("--check", action="store_true", help="only whether every line is there, once")
    parser.add_argument("--keep", action="store_true", help="leave the directories of the bugs")
    arguments = parser.parse_args()
    start = time.monotonic()
    mutants = read_list([name for name in arguments.only.split(",") if name])
    if arguments.check:
        say(f"  mutants: {len(mutants)} lines are there, each once")
        return 0
    stages = [stage for stage in STAGES if stage in arguments.stages.split(",")]
    tree = Tree(arguments.jobs)
    tree.test(stages, arguments.jobs)
    say(f"{len(mutants)} bugs, {arguments.jobs} at a time")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda mutant: attempt(tree, mutant, stages, arguments.keep), mutants))
    errors = [result for result in results if "error" in result]
    caught = sum(result["caught"] for result in results)
    seconds = time.monotonic() - start
    report = {"caught": caught, "of": len(results), "errors": len(errors), "seconds": round(seconds, 1),
              "failing_without_bugs": tree.baseline["failing"], "mutants": results}
    (WORK / "report.json").write_text(json.dumps(report, indent=2) + "\n")
    say(f"mutants: {caught} of {len(results)} caught, in {seconds / 60:.1f} minutes; build/mutants/report.json")
    for name in tree.baseline["failing"]:
        say(f"  left out, since it fails without any bug: {name}")
    return 0 if (arguments.only or caught >= WANTED) and not errors else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Broken as broken:
        sys.exit(f"mutants: {broken}")
