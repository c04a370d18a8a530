"""Servers for tests (http_fixtures.py)."""

from http_fixtures import *  # noqa: F403
