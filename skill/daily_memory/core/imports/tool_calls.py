"""Messages and tool calls of a conversation, whatever form its program gives them."""

from __future__ import annotations

from collections.abc import Mapping

from daily_memory.core.digests.messages import Call, Message


class Conversation:
    """Collects what was said and done, in order; the result of a tool joins its call."""

    def __init__(self) -> None:
        self._said: list[Message] = []
        self._spoken = -1  # the place of the last text
        self._calls: dict[str, int] = {}
        self._done: set[int] = set()

    def say(self, role: str, text: str, *, goes_on: bool = False) -> None:
        """Add what somebody said; with `goes_on` it continues the text before it."""
        if goes_on and self._spoken >= 0:
            before = self._said[self._spoken]
            self._said[self._spoken] = before._replace(content=f"{before.content}\n\n{text}")
        else:
            self._spoken = len(self._said)
            self._said.append(Message(role, text))

    def call(self, id_: str, name: str, given: object) -> None:
        """Add the call of a tool; its result comes later, under the same id."""
        self._calls[id_] = len(self._said)
        self._said.append(Message("tool", "", call=Call(name, given)))

    def result(self, id_: str, output: object, error: str = "") -> bool:
        """Add the result of a call; return whether there is such a call."""
        place = self._calls.pop(id_, None)
        call = self._said[place].call if place is not None else None
        if place is None or call is None:
            return False
        done = call._replace(output=output, error=error)
        self._said[place] = self._said[place]._replace(call=done)
        self._done.add(place)
        return True

    def parts(self, content: object, output: object = None) -> None:
        """Add the calls and results among the parts of a message, as Anthropic's API has them.

        `output` is the result as the program itself keeps it, which tells more than its text.
        """
        for part in content if isinstance(content, (list, tuple)) else ():
            if not isinstance(part, Mapping):
                continue
            if part.get("type") == "tool_use":
                self.call(str(part.get("id")), str(part.get("name", "")), part.get("input"))
            elif part.get("type") == "tool_result":
                printed = text_of(part.get("content"))
                error = printed if part.get("is_error") is True else ""
                self.result(str(part.get("tool_use_id")), output or printed, error)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What was said and done.

        Where results are kept, a call without one was never finished, and is left out.
        """
        return tuple(
            message
            for place, message in enumerate(self._said)
            if message.content or (message.call and (not self._done or place in self._done))
        )


def text_of(content: object) -> str:
    """Return the text of a message, which may be one text, or a list of parts.

    >>> text_of([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}])
    'a\\nb'
    """
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else ()
    texts = (part.get("text") for part in parts if isinstance(part, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))
