"""How the dumps write texts and times."""

import json


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def time(value):
    return "-" if value is None else value
