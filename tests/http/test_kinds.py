"""Lists of layers and formats that are written by hand: they are those of the program's rows (server/tile/*.inc)."""

import re

from http_server import ALL_FORMATS, LAYER_ROWS, LAYERS, ROOT, SINGLE_LAYERS, run


def words_of(name, constant):
    """The strings of an array of the viewer's."""
    text = (ROOT / "server/web/src" / name).read_text()
    return re.findall(r"'([a-z]+)'", re.search(rf"const {constant} = \[(.*?)\]", text, re.S)[1])


def test_help_lists_them():
    for command, lists in (("render", (LAYERS, ALL_FORMATS)), ("seed", (LAYERS,))):
        text = " ".join(run(command, "--help").stdout.decode().split())
        for names in lists:
            first, *others = names
            assert ", ".join([f"{first} (default)", *others]) in text


def test_the_page_of_formats_names_them():
    cells = re.findall(r"^\| ((?:`[a-z0-9]+` )+)\|", (ROOT / "docs/formats.md").read_text(), re.M)
    assert {*LAYERS, *ALL_FORMATS} <= {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_viewer_knows_what_they_are():
    assert set(words_of("permalink.js", "LAYERS")) <= set(LAYERS)
    assert set(words_of("urls.js", "FIXED")) == {name for name, row in LAYER_ROWS.items() if re.search(".of = OF_(?!CLIMATE)", row)}
    assert set(words_of("snippets.js", "PICTURES")) == set(LAYERS) - set(SINGLE_LAYERS)
