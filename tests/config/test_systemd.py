"""The units: systemd reads them without a complaint, and finds little that they leave open.

    pytest tests/config

Their paths are those of `make install`; here the program's is put in the way of one that exists.
"""

import os
import re
import shutil
import subprocess

import pytest
from config_kit import PROGRAM, ROOT

UNITS = sorted((ROOT / "config/systemd").glob("*.service")) + sorted((ROOT / "config/systemd").glob("*.socket"))
EXPOSURE_MOST = 2.0


def settings(unit):
    """section -> name -> values, in their order."""
    found, section = {}, None
    for line in unit.read_text().splitlines():
        if line.startswith("["):
            section = found.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, _, value = line.partition("=")
            section.setdefault(name, []).append(value)
    return found


SERVICE = settings(ROOT / "config/systemd/terrane.service")["Service"]


@pytest.fixture
def installed(tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    for unit in UNITS:
        text = unit.read_text().replace("/usr/local/bin/terrane", shutil.which("true"))
        (tmp_path / unit.name).write_text(text)
    return tmp_path


def analyzed(*words):
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=300)


def test_verify(installed):
    run = analyzed("verify", "--man=no", *sorted(installed.iterdir()))
    ours = [line for line in (run.stdout + run.stderr).splitlines() if "terrane" in line]
    assert (ours, run.returncode) == ([], 0), run.stderr


def test_exposure(installed):
    run = analyzed("security", "--offline=true", "--no-pager", installed / "terrane.service")
    if "offline" in run.stderr and run.returncode:
        pytest.skip("this systemd-analyze knows no --offline")
    level = re.search(r"Overall exposure level for terrane\.service: ([\d.]+)", run.stdout)
    assert level, run.stdout + run.stderr
    print(f"exposure level {level[1]}")
    assert float(level[1]) < EXPOSURE_MOST, run.stdout


def test_reload_checks_before_it_signals():
    (start,) = SERVICE["ExecStart"]
    check, signal = SERVICE["ExecReload"]
    assert check == f"{start} --check-config"
    assert signal == "kill -HUP $MAINPID"


def test_what_the_program_relies_on():
    assert SERVICE["Type"] == ["notify"]
    assert float(SERVICE["WatchdogSec"][0]) >= 10
    assert float(SERVICE["TimeoutStopSec"][0]) > 10  # the drain's limit
    assert SERVICE["RestartPreventExitStatus"] == ["2"]
    assert SERVICE["LimitNOFILE"] == ["65536"]
    # config_cache_dir: $XDG_CACHE_HOME/terrane.
    assert SERVICE["Environment"] == ["XDG_CACHE_HOME=%C"] and SERVICE["CacheDirectory"] == ["terrane"]


def test_only_the_cache_is_written():
    assert SERVICE["ProtectSystem"] == ["strict"]
    assert not {"ReadWritePaths", "StateDirectory", "LogsDirectory", "RuntimeDirectory"} & SERVICE.keys()


def test_sockets_are_named():
    names = {unit.name: settings(unit)["Socket"]["FileDescriptorName"] for unit in UNITS if unit.suffix == ".socket"}
    assert names == {"terrane.socket": ["terrane"], "terrane-admin.socket": ["terrane-admin"]}


def test_user_exists():
    text = (ROOT / "config/systemd/terrane.sysusers").read_text()
    users = [line.split()[1] for line in text.splitlines() if line.startswith("u ")]
    assert users == SERVICE["User"] == SERVICE["Group"]


def test_make_installs_and_removes_them(tmp_path):
    """What is built is stood in for: installing it is all that is looked at."""
    makefile = (ROOT / "Makefile").read_text()
    for built in ("install: all", "keys.mdoc: build/terrane"):
        assert built in makefile
        makefile = makefile.replace(built, built.partition(":")[0] + ":")
    (tmp_path / "Makefile").write_text(makefile)
    for folder in ("config", "man", "lib", "tests", "patch", "analyze", "server", "docker", "debian"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "build/analyze").mkdir(parents=True)
    (tmp_path / "build/analyze/experiment").write_text("")
    for source in (*(ROOT / "analyze").glob("*.py"), *(ROOT / "config/worlds/figures").glob("*.json")):
        shutil.copy(source, tmp_path / "build/analyze")
    (tmp_path / "build/libterrane.a").write_text("")
    (tmp_path / "build/terrane").symlink_to(PROGRAM)
    to = tmp_path / "to"

    def make(target):
        command = ["make", target, f"DESTDIR={to}", "PREFIX=/opt/terrane"]
        # A make above this one hands its own settings down.
        env = {name: value for name, value in os.environ.items() if "MAKE" not in name}
        subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True, timeout=300)
        return {path.relative_to(to / "opt/terrane").as_posix(): path for path in to.rglob("*") if path.is_file()}

    files = make("install")
    assert {*(f"lib/systemd/system/{unit.name}" for unit in UNITS), "bin/terrane", "libexec/terrane/main.py", "lib/sysusers.d/terrane.conf",
            "share/man/man1/terrane.1", "share/man/man5/terrane.json.5", "share/terrane/terrane.json"} <= files.keys()
    service = files["lib/systemd/system/terrane.service"]
    assert settings(service)["Service"]["ExecStart"] == [SERVICE["ExecStart"][0].replace("/usr/local", "/opt/terrane")]
    assert "/usr/local" not in files["share/man/man5/terrane.json.5"].read_text()
    assert service.stat().st_mode & 0o777 == 0o644
    assert make("uninstall") == {}
