"""The tokens of the people of a server: what is on disk, and what it takes to end one."""

from __future__ import annotations

import json
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import pytest

from daily_memory.errors import ConflictError, DamagedDataError, NotFoundError
from daily_memory.storage import access_tokens
from daily_memory.storage.access_tokens import AccessToken
from daily_memory.storage.roots import Root, project_root

NOW = datetime(2026, 1, 29, 10, 30, 45, 7)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = project_root(str(tmp_path))
    Path(made.index_folder).mkdir(parents=True)
    return made


def test_a_token_is_known_by_its_hash_until_it_is_revoked(root: Root) -> None:
    token = AccessToken("李雷", "", True, ("shop",), "2026-01-29")
    secret = access_tokens.make(root, token)
    other = AccessToken(
        "bob", access_tokens.digest(access_tokens.make(root, AccessToken("bob", "")))
    )

    stored = token._replace(digest=sha256(secret.encode()).hexdigest())
    text = Path(root.index_folder, "mcp-tokens.json").read_text(encoding="utf-8")
    assert len(secret) == len("dm_") + 64
    assert secret.startswith("dm_")
    assert secret not in text
    assert '    "name": "李雷",\n' in text
    assert [list(entry) for entry in json.loads(text)] == [sorted(AccessToken._fields)] * 2
    assert access_tokens.load(root) == (stored, other)
    with pytest.raises(ConflictError, match="has a token"):
        access_tokens.make(root, token)

    assert access_tokens.revoke(root, "李雷") == stored

    assert access_tokens.load(root) == (other,)
    with pytest.raises(NotFoundError, match="has no token"):
        access_tokens.revoke(root, "李雷")


@pytest.mark.parametrize("text", ["{", "[1]", '[{"name": "bob"}]', '[{"projects": [], "x": 1}]'])
def test_a_list_of_tokens_that_was_edited_is_told(root: Root, text: str) -> None:
    Path(access_tokens.tokens_path(root)).write_text(text)

    with pytest.raises(DamagedDataError, match="can't be read"):
        access_tokens.load(root)


def test_a_full_log_is_kept_beside_the_new_one(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    access_tokens.log(root, {"who": "李雷", "ok": True}, NOW)
    line = '{"at": "2026-01-29T10:30:45", "who": "李雷", "ok": true}\n'
    monkeypatch.setattr(access_tokens, "MOST_LOG_BYTES", len(line.encode()))
    access_tokens.log(root, {"who": "李雷", "ok": True}, NOW)
    access_tokens.log(root, {"who": "bob"}, NOW)

    path = Path(root.index_folder, "mcp-audit.jsonl")
    assert path.with_name("mcp-audit.jsonl.1").read_text(encoding="utf-8") == line * 2
    assert path.read_text(encoding="utf-8") == '{"at": "2026-01-29T10:30:45", "who": "bob"}\n'
