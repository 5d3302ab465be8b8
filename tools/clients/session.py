"""A model's session with memfold through the official client (PyPI `mcp` 2.x), in both eras of the protocol.

usage: session.py MEMFOLD REPOSITORY LOGS

The logs are copied into a home of its own and told to have worked in the repository; the one written to last runs.
"""

import asyncio
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile

from mcp import Client, StdioServerParameters

SEARCH = 6000
PAGE = 9000


def home_of(repository, logs):
    home = pathlib.Path(tempfile.mkdtemp(prefix="memfold-session-"))
    store = home / ".claude" / "projects" / "-folder"
    store.mkdir(parents=True)
    taken = []
    for log in sorted(logs.glob("*.jsonl"))[:40]:
        lines = []
        for line in log.read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
                if "cwd" in record:
                    record["cwd"] = str(repository)
                line = json.dumps(record).encode()
            except (ValueError, TypeError):
                pass
            lines.append(line)
        copy = store / log.name
        copy.write_bytes(b"\n".join(lines))
        taken.append(copy)
    running = max(taken, key=lambda log: log.stat().st_size)
    call = {
        "parentUuid": None, "isSidechain": False, "userType": "external", "cwd": str(repository), "sessionId": running.stem,
        "version": "2.1.100", "type": "assistant", "uuid": "the-call-that-is-made", "timestamp": "2026-11-30T09:00:00.000Z",
        "requestId": "req_now", "message": {"id": "msg_now", "role": "assistant", "stop_reason": "tool_use", "content": [
            {"type": "tool_use", "id": "toolu_now", "name": "mcp__memfold__index-search", "input": {}}]},
    }
    with running.open("ab") as log:
        log.write(b"\n" + json.dumps(call).encode() + b"\n")
    return home, running


def switch(home, repository, on):
    config = home / ".config" / "memfold"
    config.mkdir(parents=True, exist_ok=True)
    (config / "workspaces.toml").write_text(f"[workspaces.{json.dumps(str(repository))}]\nearlier_tasks = {str(on).lower()}\n")


def holds(what, told):
    if not what:
        raise SystemExit(f"does not hold, of: {told}")


class Session:
    def __init__(self, client):
        self.client = client

    async def call(self, tool, progress=None, **arguments):
        result = await self.client.call_tool(
            tool, arguments, progress_callback=progress, meta={"claudecode/toolUseId": "toolu_now"})
        text = result.content[0].text
        first = text.split("\n", 1)[0]
        print(f"  {tool} {json.dumps(arguments)} -> {len(text)} characters{', ERROR' if result.is_error else ''}: {first[:110]}")
        return text, bool(result.is_error)

    async def search(self, query, scope, **more):
        text, failed = await self.call("index-search", query=query, scope=scope, **more)
        holds(not failed and text.startswith(f"{scope}: ") and len(text) <= SEARCH, text)
        return text

    async def recall_all(self, call):
        """Follows `next:` to the event's end; so many pages."""
        pages = 0
        while call:
            arguments = dict(re.findall(r"(\w+)=(\"[^\"]*\"|\d+)", call))
            arguments = {name: json.loads(value) for name, value in arguments.items()}
            text, failed = await self.call("recall", **arguments)
            holds(not failed and len(text.encode()) <= PAGE and text.count("\n") <= 241, text)
            pages += 1
            found = re.search(r"\] next: recall\(([^)]*)\)", text)
            call = found.group(1) if found and pages < 25 else None
        return pages


async def run(mode, memfold, repository, home):
    server = StdioServerParameters(
        command=str(memfold), args=["mcp", "--project", str(repository)],
        env={"HOME": str(home), "PATH": os.environ["PATH"]}, cwd=str(repository))
    async with Client(server, mode=mode) as client:
        print(f"{mode}: protocol {client.protocol_version}, {client.server_info.name} {client.server_info.version}")
        holds(len(client.instructions) < 1500, client.instructions)
        tools = (await client.list_tools()).tools
        holds([tool.name for tool in tools] == ["index-search", "index-update", "recall"], tools)
        holds(all(len(tool.description) < 900 and tool.annotations.read_only_hint for tool in tools), tools)
        session = Session(client)
        told = []

        async def progress(done, total, message):
            told.append(message)

        switch(home, repository, False)
        off, failed = await session.call("index-search", query="test error", scope="earlier")
        holds(not failed and off.startswith("earlier: off. Only the user can allow it"), off)
        await session.search("test error function", "repo")
        update, failed = await session.call("index-update", progress=progress)
        holds(not failed and update.startswith("repo: "), update)
        await session.search("test error function", "repo", path="crates", limit=3)
        own = await session.search("file error test", "conversation")
        following = re.search(r"next: recall\(([^)]*)\)", own)
        holds(following, own)
        print(f"  read back in {await session.recall_all(following.group(1))} pages")
        switch(home, repository, True)
        found, failed = await session.call("index-search", progress=progress, query="file error test", scope="earlier", limit=20)
        holds(not failed and found.startswith("earlier: ") and "off." not in found and len(found) <= SEARCH, found)
        following = re.search(r"next: recall\(([^)]*)\)", found)
        print(f"  read back in {await session.recall_all(following.group(1))} pages")
        task = re.search(r'task="([^"]*)"', following.group(1)).group(1)
        seq = re.search(r"seq=(\d+)", following.group(1)).group(1)
        switch(home, repository, False)
        off, failed = await session.call("recall", seq=int(seq), task=task)
        holds(not failed and off.startswith("earlier: off."), off)
        wrong, failed = await session.call("index-search", query="x", scope="everything")
        holds(failed, wrong)
        print(f"  progress was told {len(told)} times")


def main():
    memfold, repository, logs = (pathlib.Path(path).resolve() for path in sys.argv[1:4])
    # The first greets; the second asks what there is, and says with each call what it speaks.
    for mode in ("legacy", "auto"):
        home, running = home_of(repository, logs)
        try:
            asyncio.run(run(mode, memfold, repository, home))
        finally:
            shutil.rmtree(home)


main()
