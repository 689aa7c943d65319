"""Orders in a text about a tool that no description needs: what tool poisoning is made of.

A description may tell a model how to call its own tool, so imperatives alone say nothing. Looked
for is what serves to take over the reader: hiding something from the person, setting aside other
instructions, markup that poses as somebody else's message, private files to fetch, and orders about
tools of others. Sources: reported attacks on MCP clients (tool poisoning, tool shadowing).
"""

import re
from collections.abc import Iterable, Iterator

_PERSON = r"(?:the\s+)?(?:user|human|person|owner|operator|customer)s?"
_HIDDEN = re.compile(
    rf"""
      \b(?:do\s+not|don['’]t|never|must\s+not)\s+(?:ever\s+)?
      (?:tell|mention|inform|notify|reveal|disclose|alert|warn)
      \s+(?:\w+\s+){{0,4}}?{_PERSON}\b
    | \bwithout\s+(?:telling|asking|mentioning|informing|notifying|alerting|warning)
      \s+(?:\w+\s+){{0,4}}?{_PERSON}\b
    | \b(?:do\s+not|don['’]t|never|must\s+not)\s+(?:mention|reveal|disclose)
      \s+(?:this|these|that|it)\b
    | \b(?:hide|conceal)\s+(?:\w+\s+){{0,4}}?from\s+{_PERSON}\b
    | \bsecretly\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SET_ASIDE = re.compile(
    r"""
      \b(?:ignore|disregard|forget|override|bypass)\s+(?:\w+\s+){0,3}?
      (?:previous|prior|above|earlier|preceding|other|existing|system|safety)\s+
      (?:\w+\s+)?(?:instruction|prompt|rule|guideline|message|policy|policies|restriction)s?\b
    | \byou\s+are\s+(?:now|no\s+longer)\s+(?:an?|in|bound|the)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_POSING = re.compile(
    r"""
      <\s*/?\s*(?:important|system|instructions?|secret|assistant|admin)\s*>
    | <\|(?:im_start|im_end|system|user|assistant)\|>
    | (?-i:\[/?(?:INST|SYSTEM)\])
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PRIVATE = re.compile(
    r"""
      \b(?:read|cat|open|load|fetch|get|send|pass|include|attach|append|upload|copy|contents?\s+of)\b
      [^.!?\n]{0,60}?
      ( ~/\.(?:ssh|aws|cursor|gnupg|kube|docker|netrc|npmrc)\b | \bid_(?:rsa|ed25519|ecdsa)\b
      | /etc/(?:passwd|shadow)\b )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ORDER = re.compile(
    r"\b(?:must|always|never|do\s+not|don['’]t|instead|redirect|replace|modif(?:y|ies)|forward)\b",
    re.IGNORECASE,
)
_OCCASION = re.compile(r"\b(?:when|whenever|every\s+time|each\s+time|any\s+time)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?\n])\s+|\n")
_LONGEST = 100_000
"""Characters of a text that are looked at."""

_KINDS = (
    ("hides something from the person", _HIDDEN),
    ("sets aside other instructions", _SET_ASIDE),
    ("poses as a message of somebody else", _POSING),
    ("asks for private files", _PRIVATE),
)


def smuggled(text: str, other_tools: Iterable[str] = ()) -> tuple[tuple[str, str], ...]:
    """What a text orders that a description does not need: (what it does, the words), in order.

    Args:
        text: of a tool or a server.
        other_tools: names of the tools the text is not about.
    """
    return tuple(_smuggled(text[:_LONGEST], other_tools))


def _smuggled(text: str, other_tools: Iterable[str]) -> Iterator[tuple[str, str]]:
    for what, pattern in _KINDS:
        found = pattern.search(text)
        if found:
            yield what, " ".join(found[0].split())
    names = [name for name in other_tools if len(name) >= 4 and name in text]
    if not names:
        return
    words = re.compile("|".join(rf"(?<![\w.-]){re.escape(name)}(?![\w-])" for name in names))
    for sentence in _SENTENCE.split(text):
        named = words.search(sentence)
        if named and _ORDER.search(sentence) and _OCCASION.search(sentence):
            yield f"gives orders about the tool {named[0]}", " ".join(sentence.split())
            return
