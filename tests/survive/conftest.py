"""Servers as in the HTTP tests."""

import importlib.util
import pathlib
import sys

HTTP = pathlib.Path(__file__).resolve().parents[1] / "http"
sys.path.insert(0, str(HTTP))

_spec = importlib.util.spec_from_file_location("http_conftest", HTTP / "conftest.py")
_http = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_http)
launch, ending = _http.launch, _http.ending
pytest_runtest_makereport = _http.pytest_runtest_makereport
