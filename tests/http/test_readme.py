"""What README.md and the pages of docs/ print works as printed (but for the ports, which are this server's, places in the tree, and
fewer zooms)."""

import pathlib
import re
import subprocess

import pytest
from http_server import PROGRAM
from test_entries import worlds  # noqa: F401


ROOT = pathlib.Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
PAGES = [README, *sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("*/README.md"))]
BLOCKS = {page: re.findall(r"```sh\n(.*?)```", page.read_text(), re.S) for page in [README, *ROOT.glob("docs/*.md")]}


@pytest.fixture(scope="module")
def server(stay, worlds):  # noqa: F811
    """A world that has erosion and rivers, and is soon made: lines are tried, not ground."""
    return stay(config={"worlds": {**worlds["worlds"], "default": "brooks"}})



@pytest.mark.parametrize("page", [page for page, blocks in BLOCKS.items() if blocks], ids=lambda page: page.stem)
def test_shell_lines_work_as_printed(server, tmp_path, page):
    for line in "".join(BLOCKS[page]).strip().splitlines():
        command = (line.replace("http://127.0.0.1:8080", server.url).replace("http://127.0.0.1:8081", server.admin_url)
                   .replace("build/terrane", str(PROGRAM)).replace(" config/", f" {ROOT}/config/").replace("--zoom 0-4", "--zoom 0-1"))
        done = subprocess.run(command.replace("curl ", "curl --fail --silent --show-error ", 1), shell=True, cwd=tmp_path, capture_output=True,
                              executable="/bin/bash")
        assert done.returncode == 0, (line, done.stderr)
        for name in re.findall(r"(?:-o |>)([a-z][\w.]*\.\w+)", line.split("  #")[0]):
            assert (tmp_path / name).stat().st_size > 30, line


def test_readme_prints_no_other_commands():
    """Every line that looks like one is in a block that is run, or names a target of make that there is."""
    text = re.sub(r"```sh\n.*?```", "", README.read_text(), flags=re.S)
    makefiles = "\n".join(path.read_text() for path in [ROOT / "Makefile", *ROOT.glob("*/*.mk"), *ROOT.glob("*/*/*.mk")])
    for line in re.findall(r"^    (\S.*)", text, re.M):
        assert re.match(r"make\b|/tile/\{seed\}|build/terrane serve \[", line), line
    targets = set(re.findall(r"^    make +((?:[a-z][\w-]* ?)+)(?:  |$)", text, re.M)) | set(re.findall(r"`make ([\w-]+)", text))
    for target in " ".join(targets).split():
        assert re.search(rf"^(?:\.PHONY:.* )?{target}\b", makefiles, re.M), target


def test_links_lead_somewhere():
    for page in PAGES:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / link).exists(), (page, link)


def test_readme_is_short():
    assert len(README.read_text().splitlines()) <= 220
