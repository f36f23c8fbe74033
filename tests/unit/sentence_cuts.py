"""Texts and where a reader would cut them: `‖` stands where a sentence ends, in place of the space there, or before what follows it.

All of them are written for this project. `bench/sentences.py` asks other splitters the same.
"""

from __future__ import annotations

from collections.abc import Iterable

ABBREVIATIONS = (
    "Use a filter, e.g. No. 5, as in Fig. 3.‖ The rest is plain.",
    "Yan et al. [2004] disagree.‖ Others do not.",
    "See i.e. The Manual, p. 12, for it.",
    "Ask Dr. Smith vs. Mr. Jones.‖ They know.",
    "The shop opens at 9 a.m. sharp.‖ It closes at 6 p.m.‖ Be early.",
    "Cables, plugs etc. are free.‖ Cables, plugs etc.‖ The rest costs.",
    "Acme Inc. sells it.‖ It was made by Acme Inc.‖ The price is low.",
    "It holds approx. 40 l of water.",
    "Compare sec. 4.2 with ch. 7 of vol. II.",
    "Siehe z.B. Kapitel 3 bzw. Abb. 4.‖ Dort steht es.",
    "Read cf. Chapter 3 today.‖ Then stop.",
    "See eq. 7 and refs. 3 to 5.",
)
NUMBERS = (
    "Version 3.12 ships on 1.5. at 9 a.m. sharp.",
    "Upgrade to v2.4.1.‖ Then restart.",
    "It costs 3.50 or 4.00 euros.‖ Pay later.",
    "It was 2004.‖ The year ended.",
    "1. First do this.‖ Then do that.",
    "1.2. Scope of this part.",
    "The lamp uses 9 W.‖ It lasts 20 years.",
    "Heat it to 80 C.‖ Then wait 5 min.‖ Stir.",
    "Choose No. 5 or No. 7.‖ Is it broken?‖ No.‖ Five are left.",
    "The pH is 7.4.‖ Add 0.5 ml.",
    "Listen on 127.0.0.1:80.‖ It is local.",
)
NAMES = (
    "J. R. R. Tolkien and J.R. Ewing met.‖ They talked.",
    "The lamp (see E. Berg, p. 3) uses 9 W.",
    "John F. Kennedy was there.‖ So was I.‖ We left.",
    "Call toulmin.domain.text or see https://example.org/a.b?c=d now.‖ It works.",
    "Visit https://example.org/page.‖ Read it.",
    "Edit config.py and .flaskenv first.‖ Save both.",
    "The U.S. market grew.‖ Sales doubled.",
    "Set ``DEBUG``.‖ ``TESTING`` is off.",
    "Call `app.run()`.‖ `app.stop()` ends it.",
    "Write to help@example.org.‖ We answer.",
)
STOPS = (
    "Is it?‖ No.‖ It is.",
    "Stop!‖ Go?!‖ Wait…‖ Done.",
    "Wait... what now?",
    "He paused...‖ Then he went on.",
    "One.‖ Two.‖ Three",
    'He asked "Why?" and left.‖ Nobody knew.',
    'She said "Stop."‖ Then she left.',
    "“It is late.”‖ He went home.",
    "He stayed (it was late.)‖ She left.",
    "(See also the manual.)‖ It is long.",
    "The value (e.g. 5) is fixed.‖ Keep it.",
    "He said so [sic!] and left.",
    "**Important.**‖ Read this.",
    "They shout Yahoo! every day.",
)
SCRIPTS = (
    "第一文です。‖第二文です！‖ 終わり。",
    "「はい。」‖次の文。",
    "没有？！‖有。",
    "版本3.12已发布。‖请升级。",
    "هل هذا صحيح؟‖ نعم.‖ هذا صحيح.",
    "זה נכון.‖ זה לא נכון.",
    "यह सही है।‖ यह गलत है।",
    "Это верно.‖ Это неверно.",
    "¿Es verdad?‖ Sí.‖ ¡Claro!",
    "C'est vrai.‖ « Non. »‖ Fin.",
)
LAYOUT = (
    "A title\n\n‖and a text.‖ And more.",
    "wrapped\r\nline.‖ Next\rone.",
    "Features:\n\n‖- fast\n‖- small",
    "Do this:\n‖1. Open the lid.\n‖2. Close it.",
    "Overview\n========\n\n‖The pump works.‖ It is old.",
    "# Use\n\n‖Call it.‖ Wait.",
    "Run this::\n\n‖    x = 1. + 2.\n\n‖Then stop.",
    "| a | b |\n‖| 1. | 2. |",
)
CUTS = (*ABBREVIATIONS, *NUMBERS, *NAMES, *STOPS, *SCRIPTS, *LAYOUT)


def parts(case: str) -> list[str]:
    """The pieces that a case asks for, without white space at their ends."""
    return [part.strip() for part in case.split("‖")]


def text(case: str) -> str:
    """What is to be cut."""
    return case.replace("‖", "")


def ends(whole: str, pieces: Iterable[str]) -> list[int]:
    """Where the pieces of a text end, counted in characters that are not white space; the marks before a piece make no difference."""
    at, found = 0, []
    for piece in filter(str.strip, pieces):
        at = whole.index(piece.strip(), at) + len(piece.strip())
        found.append(len("".join(whole[:at].split())))
    return found
