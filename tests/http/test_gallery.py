"""The gallery (tests/gallery): its page leads to every picture, and its commands make them."""

import re
import subprocess

from http_client import PATIENCE_S
from http_server import PROGRAM, ROOT, run


def test_gallery(tmp_path):
    """Small: one recipe, one tile a picture, two levels."""
    done = subprocess.run(["/usr/bin/python3", "-B", ROOT / "tests/gallery/gallery.py", PROGRAM, tmp_path, "--recipes", "desert",
                           "--tiles", "1", "--levels", "9,6"], capture_output=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "index.html").read_text()
    pictures = re.findall(r'<img src="([^"]+)"', page)
    commands = re.findall(r"<code>terrane (.*?) -o ", page)
    assert len(pictures) == len(commands) == len(set(pictures)) == 2
    assert set(re.findall(r'href="([^"#]+)"', page)) == {*pictures, "sheet.png"}
    assert {path.name for path in tmp_path.iterdir()} == {*pictures, "index.html", "sheet.png"}
    for picture, command in zip(pictures, commands):
        assert run(*command.split()).stdout == (tmp_path / picture).read_bytes()
    assert "//" not in re.sub(r"</?[^>]*>", "", page)  # nothing comes from elsewhere
