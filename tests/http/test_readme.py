"""The commands of README.md work as printed (but for the ports, which are this server's)."""

import pathlib
import re
import subprocess

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def test_curl_lines_work_as_printed(server, tmp_path):
    blocks = re.findall(r"```sh\n(.*?)```", README.read_text(), re.S)
    counts = [len(block.strip().splitlines()) for block in blocks]
    assert counts == [11, 7]
    for line in "".join(blocks).strip().splitlines():
        command = line.replace("http://127.0.0.1:8080", server.url).replace("http://127.0.0.1:8081", server.admin_url)
        assert command != line
        done = subprocess.run(command.replace("curl ", "curl --fail --silent --show-error ", 1), shell=True, cwd=tmp_path, capture_output=True,
                              executable="/bin/bash")
        assert done.returncode == 0, (line, done.stderr)
    named = set(re.findall(r"curl -o (\S+)", "".join(blocks)))
    assert {p.name for p in tmp_path.iterdir()} == named and len(named) == 14
    assert all(p.stat().st_size > 200 for p in tmp_path.iterdir())
