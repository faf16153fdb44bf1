"""After secrets were saved in every way, no byte anywhere holds one."""

from __future__ import annotations

import json
import os

import pytest

from tests.reliability import attacks
from tests.reliability.secrets_made_up import Secret, cores, made_up
from tests.reliability.store import CAN_FORK, DAY, Store, lines_of

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="needs os.fork")


def leaks(store: Store, secrets: list[Secret], said: str = "") -> list[str]:
    """Return the secrets of which a piece stands in a file, in a name, or in what was printed."""
    store.folder.joinpath("said").write_text(said, encoding="utf-8")
    heap = b"\0".join(
        bytes(path.relative_to(store.folder)) + (path.read_bytes() if path.is_file() else b"")
        for path in sorted(store.folder.rglob("*"))
        if path.name not in ("in.jsonl", "code.sh")
    )
    return [
        f"{secret.kind}: {core}"
        for secret in secrets
        for core in cores(secret.value)
        if core.encode() in heap
    ]


def everywhere(text: str) -> dict[str, object]:
    """Return a session that holds a text in every field."""
    return {
        "topic": text,
        "summary": text,
        "key_points": [text],
        "decisions": [text],
        "open_questions": [text],
        "next_steps": [text],
        "files": [text],
        "code": [{"language": text, "text": text}],
        "tags": [text],
        "project": text,
        "source": text,
        "conversation": text,
        "origin": text,
        "date": DAY,
    }


def save_all(store: Store, texts: list[str]) -> str:
    """Save the texts in every way there is, and return all that was printed."""
    done = []
    environment = {"TMPDIR": str(store.folder)}
    # All in one command, and some in one each: how they hide is the same.
    for text in texts[:: 1 + len(texts) // 20]:
        done.append(
            store.run("save", "--json", stdin=json.dumps(everywhere(text)), environment=environment)
        )
        assert done[-1].status == 0, done[-1].err
    everything = lines_of([{**everywhere(text), "date": "2026-01-31"} for text in texts])
    (store.folder / "in.jsonl").write_text(everything, encoding="utf-8")
    done.append(store.run("import", str(store.folder / "in.jsonl"), environment=environment))
    assert done[-1].status == 0, done[-1].err
    whole = "\n".join(texts).replace("\0", "")
    (store.project / "code.sh").write_text(whole, encoding="utf-8")
    messages = [{"role": role, "content": text} for text in texts for role in ("user", "assistant")]
    (store.project / "in.jsonl").write_text(
        lines_of([{"topic": text, "date": "2026-01-30"} for text in texts]), encoding="utf-8"
    )
    for argv, stdin in (
        (("save", "--json"), json.dumps({"messages": messages, "conversation": "c"})),
        (("save", "--topic", texts[0], "--point", texts[1], "--code", "code.sh"), ""),
        (("import", "in.jsonl"), ""),
        (("add", texts[0], "--tag", texts[2]), ""),
        (("search", "staging", "--explain"), ""),
        (("inject", "staging"), ""),
        (("reindex",), ""),
        (("doctor", "--fix"), ""),
        (("export",), ""),
    ):
        done.append(store.run(*argv, stdin=stdin, environment=environment))
    return "".join(one.out + one.err for one in done)


def test_no_secret_reaches_the_disk_or_the_screen(store):
    secrets = made_up()

    said = save_all(store, [secret.text for secret in secrets])

    assert said
    assert leaks(store, secrets, said) == []
    assert "REDACTED" in store.day().read_text(encoding="utf-8")


def test_no_token_of_the_corpus_reaches_the_disk(store):
    records = [one for one in attacks.shared_secrets() if one["label"] == "pos"]
    if not records:
        pytest.skip("the corpus does not lie beside this checkout")
    secrets = []
    for record in records:
        if record["tier"] in ("token", "tag"):
            text = "".join(record["text_parts"])
            secrets += [
                Secret(one["kind"], text[one["start"] : one["end"]], text)
                for one in record["secrets"]
            ]

    said = save_all(store, [secret.text for secret in secrets])

    assert leaks(store, secrets, said) == []


@pytest.mark.parametrize("kind", ["ENOSPC", "EIO", "disk full", "dies half way", "dies after"])
def test_a_save_that_fails_leaks_nothing_either(kind, store, held_lock):
    secrets = made_up()
    data = json.dumps(everywhere("\n".join(secret.text for secret in secrets)))
    counted = store.run("save", stdin=data, watched=True)
    writes = [point.number for point in counted.points if point.call in ("write", "commit")]
    said = []

    for number in writes:
        for path in sorted(store.root.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        done = store.run("save", stdin=data, fault=(kind, number))
        said.append(done.out + done.err)
        assert leaks(store, secrets, said[-1]) == []
    with held_lock(store):
        done = store.run("save", stdin=data, wait_s=0.05)

    assert done.status == 4
    assert leaks(store, secrets, "".join(said) + done.err) == []


def test_an_error_tells_no_secret_from_what_was_saved(store):
    """What the user typed may be told again; what comes on stdin, or from a file, may not."""
    secrets = made_up()
    text = secrets[1].text
    for stdin in (
        text,
        f"[{json.dumps(text)}]",
        json.dumps({"topic": [text]}),
        json.dumps({text: 1}),
    ):
        done = store.run("save", "--json", stdin=stdin)
        (store.project / "in.jsonl").write_text(stdin)
        imported = store.run("import", "in.jsonl")

        assert leaks(store, secrets, done.err + done.out + imported.err + imported.out) == []


def test_nothing_of_the_environment_is_written(store):
    canary = "canary" + os.urandom(8).hex()

    for argv in (("save", "--topic", "t"), ("add", "x"), ("doctor", "--fix"), ("init",)):
        store.run(*argv, environment={"SECRET_CANARY": canary, "USER": canary, "HOSTNAME": canary})

    assert leaks(store, [Secret("canary", canary, canary)]) == []
