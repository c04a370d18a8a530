"""What is told in two places of a release is the same in both: its version, and what building needs."""

import json
import re
import subprocess

from config_kit import PROGRAM, ROOT

# What every Debian that builds packages has (build-essential), or what the archive has no need of.
ESSENTIAL = {"gcc", "make", "libc6-dev", "binutils", "nodejs", "npm"}


def test_the_changelog_begins_with_the_version():
    version = re.search(r'TERRANE_VERSION "(.*?)"', (ROOT / "lib/terrane.h").read_text())[1]
    head = re.search(r"^## \[(.*?)\] - \d{4}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert head[1] == version


def test_the_package_is_built_with_what_the_makefile_installs():
    makefile = re.search(r"^DEPS_BUILD := (.*?[^\\])$", (ROOT / "Makefile").read_text(), re.M | re.S)[1]
    needed = set(re.sub(r"\$\(.*", "", makefile).replace("\\", " ").split())
    control = re.search(r"^Build-Depends: (.*?)^$", (ROOT / "debian/control").read_text(), re.M | re.S)[1]
    asked = {name.split()[0] for name in control.split(",")}
    assert {name for name in asked if not name.startswith(("debhelper", "dh-"))} == needed - ESSENTIAL


def test_the_image_is_built_with_what_its_makefiles_run():
    run = set(re.findall(r"\$\(CURDIR\)/(tests/\S+)", "".join((ROOT / name).read_text() for name in ("Makefile", "server/web/web.mk"))))
    for path in run:
        assert f"!{path}\n" in (ROOT / ".dockerignore").read_text() and f"COPY {path} " in (ROOT / "docker/Dockerfile").read_text(), path
    assert run


def test_the_packages_configuration_is_one():
    path = ROOT / "debian/terrane.json"
    subprocess.run([PROGRAM, "serve", "--config", path, "--print-config"], check=True, capture_output=True, timeout=300,
                   env={"TERRANE_WORLDS_DIR": ""})
    assert json.loads(path.read_text())["listen"].startswith("127.0.0.1:")
