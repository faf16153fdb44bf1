"""Collects messages and tool calls of a conversation."""

from __future__ import annotations

from daily_memory.core.digests.messages import Call, Message
from daily_memory.core.json_fields import objects, texts_of


class Conversation:
    """Collects messages and tool calls in order; a result joins its call."""

    def __init__(self) -> None:
        self._said: list[Message] = []
        self._spoken = -1  # the place of the last text
        self._calls: dict[str, int] = {}
        self._done: set[int] = set()

    def say(self, role: str, text: str, *, goes_on: bool = False) -> None:
        """Add a message; with `goes_on` it continues the previous one."""
        if goes_on and self._spoken >= 0:
            before = self._said[self._spoken]
            self._said[self._spoken] = before._replace(content=f"{before.content}\n\n{text}")
        else:
            self._spoken = len(self._said)
            self._said.append(Message(role, text))

    def call(self, id_: str, name: str, given: object) -> None:
        """Add a tool call; its result comes later under the same id."""
        self._calls[id_] = len(self._said)
        self._said.append(Message("tool", "", call=Call(name, given)))

    def result(self, id_: str, output: object, error: str = "") -> bool:
        """Add the result of a call; return whether the call is known."""
        place = self._calls.pop(id_, None)
        call = self._said[place].call if place is not None else None
        if place is None or call is None:
            return False
        done = call._replace(output=output, error=error)
        self._said[place] = self._said[place]._replace(call=done)
        self._done.add(place)
        return True

    def parts(self, content: object, output: object = None) -> None:
        """Add the tool calls and results in a message's parts, in the form of Anthropic's API.

        `output` is the result as the program itself keeps it, which tells more than its text.
        """
        for part in objects(content):
            if part.get("type") == "tool_use":
                self.call(str(part.get("id")), str(part.get("name", "")), part.get("input"))
            elif part.get("type") == "tool_result":
                printed = "\n".join(texts_of(part.get("content")))
                error = printed if part.get("is_error") is True else ""
                self.result(str(part.get("tool_use_id")), output or printed, error)

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages and calls.

        Where results are kept, a call without one was never finished, and is left out.
        """
        return tuple(
            message
            for place, message in enumerate(self._said)
            if message.content or (message.call and (not self._done or place in self._done))
        )
