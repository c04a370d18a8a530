"""The commands of README.md work as printed (but for the ports, which are this server's, and the program's place)."""

import pathlib
import re
import subprocess

from http_server import PROGRAM

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def test_shell_lines_work_as_printed(server, tmp_path):
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(), re.S)
    counts = [len(block.strip().splitlines()) for block in blocks]
    assert counts == [11, 11, 3, 7, 7, 1, 1]
    for line in "".join(blocks).strip().splitlines():
        command = (line.replace("http://127.0.0.1:8080", server.url).replace("http://127.0.0.1:8081", server.admin_url)
                   .replace("build/terrane", str(PROGRAM)))
        assert command != line
        done = subprocess.run(command.replace("curl ", "curl --fail --silent --show-error ", 1), shell=True, cwd=tmp_path, capture_output=True,
                              executable="/bin/bash")
        assert done.returncode == 0, (line, done.stderr)
    named = set(re.findall(r"curl -o (\S+)", "".join(blocks)))
    made = named | {"key.txt", "member.json", "DIR", "world.pmtiles"}
    assert len(named) == 25 and {p.name for p in tmp_path.iterdir()} == made
    assert all((tmp_path / name).stat().st_size > 200 for name in named)
