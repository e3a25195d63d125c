"""The options of a connection: settings that a client names as it connects.

Checked by: tests/unit/server/wire/test_conversation.py
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tacit.server.wire.problems import Problem

__all__ = ["read_options"]


def read_options(text: str) -> Mapping[str, str]:
    """Settings from the `options` of a connection: -c name=value, --name=value; a blank in a value has a backslash.

    >>> read_options("-c tacit.epsilon=0.1 --search-path=a\\\\ b")
    {'tacit.epsilon': '0.1', 'search_path': 'a b'}
    """
    words = [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r"(?:\\.|[^\s\\])+", text)]
    found, place = dict[str, str](), 0
    while place < len(words):
        word = words[place]
        if word == "-c" and place + 1 < len(words):
            place += 1
            given = words[place]
        elif word.startswith(("-c", "--")):
            given = word[2:]
        else:
            raise Problem(
                "42601", "the options of a connection cannot be read", "-c name=value", fatal=True
            )
        name, equals, value = given.partition("=")
        if not equals:
            raise Problem("42601", "an option has no value", "-c name=value", fatal=True)
        found[name.replace("-", "_")] = value
        place += 1
    return found
