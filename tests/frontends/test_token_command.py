"""`memory token`, and what `memory serve --http-mcp` refuses."""

from __future__ import annotations

from pathlib import Path


def test_a_token_is_made_listed_and_revoked(cli):
    made = cli("token", "make", "alice", "--write", "--only", "shop")
    assert made.out.startswith("dm_")
    assert "not shown again" in made.err
    assert "has a token" in cli("token", "make", "alice").err

    listed = cli("token", "list")
    assert "alice" in listed.out
    assert "read, write" in listed.out
    assert "shop" in listed.out
    assert cli("token", "list", "--json").json()["tokens"][0]["scopes"] == ["read", "write"]
    (path,) = Path.home().rglob("mcp-tokens.json")
    assert path.stat().st_mode & 0o077 == 0
    assert made.out.strip() not in path.read_text()

    assert "is revoked" in cli("token", "revoke", "alice").err
    assert "there is no token" in cli("token", "list").err
    assert cli("token", "revoke", "alice").status == 3


def test_what_does_not_fit_is_refused(cli):
    assert cli("token", "make").status == 2
    assert cli("token", "list", "alice").status == 2
    assert cli("token", "make", "a b").status == 2
    assert cli("token", "revoke", "alice", "--write").status == 2
    assert "for --http-mcp" in cli("serve", "--allow-project", "x").err
    assert "does not begin with https" in cli("serve", "--http-mcp", "--public-url", "http://x").err
