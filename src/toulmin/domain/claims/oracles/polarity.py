"""Polarity: which words of a statement stand under a negation, each negation with its reach."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Final

from toulmin.domain.claims.oracles.clauses import Clauses, Cue, Lexicon
from toulmin.domain.claims.oracles.opposites import denied
from toulmin.domain.claims.oracles.statement import Statement
from toulmin.domain.claims.oracles.words import Word, stem

_LEXICON: Final = Lexicon(
    {
        "clause": """
            not | never | nobody | no one | nothing | nowhere | none | neither | nor | no | no longer | not yet | hardly | barely | scarcely
            | fail to | fails to | failed to | failing to | failure to | unable to | inability to | refuse to | refuses to | refused to
            | decline to | declines to | declined to | impossible to | stops being | stop being | ceases to | cease to | ceased to
            | prevent | prevents | prevented | preventing | forbid | forbids | forbade | prohibit | prohibits | prohibited from
            | disallow | disallows | forbidden to | avoid | avoids | avoided | avoiding | block from | blocked from | too late to
            | yet to | turn down | turned down | turns down | stay away from | stayed away from | stays away from
            """,
        "phrase": """
            without | lack | lacks | lacked | lacking | lack of | absence of | absent | free of | free from | devoid of | non | excluding | except | other than
            """,
        "instead": "instead of | rather than | as opposed to",
        "partial": """
            not all | not every | not each | not always | not everyone | not everything | not necessarily | not both | not entirely
            | not fully | not completely | not usually | not often | not exactly | not quite | nor all
            """,
        "idiom": """
            no doubt | without doubt | without a doubt | without question | no matter | not only | not just | not merely | not solely
            | not simply | no later than | no earlier than | no sooner than | no more than | no fewer than | no less than | not more than
            | not less than | not fewer than | not later than | not earlier than | not exceeding | nobody but | no one but | nothing but
            | none but | nobody except | no one except | nothing except | none except | none other than | nothing other than | no one other than
            | nobody other than | not until | not until after | whether or not | or not | not to mention | if not more | why not
            | nothing more than | nothing like | no one like | with or without | no other | no mistake | in no rush
            | never mind | more often than not | oftener than not | not unless | no sooner | not least | no problem | no exception | without exception | not in the least
            """,
    }
)
_ENDS_A_PHRASE: Final = frozenset(
    """
    is are was were be been am has have had does do did will would can could may might must shall should to that and but for on in at by
    from when if as it they he she we you this these those
    """.split()
)
_ATTITUDES: Final = frozenset(
    map(
        stem,
        "believe clear expect feel guess know mean realise realize say see sure tell think understand wonder".split(),
    )
)
"""Words after whose denial what is thought or said is not denied: "we do not know that it fails"."""
_NO_NOUN: Final = frozenset("but he i it not see she that the there they this we well you".split())
"""Words before which "no" is an answer."""
_CONDITIONAL: Final = frozenset({"except", "unless", "until", "without"})
_NEXT_TO: Final = 2
"""So many words may stand between two negations of which one denies the other, as in "never fails to"."""

_NEGATIVE: Final = frozenset(
    map(
        stem,
        """
        abandon abort absent alone apart avoid bad ban barely combat counter curb fight stem block break broken bypass cancel cannot cease close conflict contrary cut danger
        dangerous dead decline decrease delete deny deprecate despite differ different difficult disable discard discourage down drop else
        empty end error except exclude exclusive exempt expire extra fail failure false far few fewer flaw forbid forget forgot free
        gone halt hard harm hidden hide ignore illegal impossible impractical incorrect independent inhibit instead invalid lack lacking
        last late leave less limit little lose lose loss lost low miss missing mistake myth negative nil nobody none nothing null omit
        off only other otherwise out oppose opposite optional outside overlook poor prevent prohibit rare rather refuse reject reluctant
        remain remove resist restrict rid risk seldom separate separately skip solely stop strip struggle substitute suppress suspend
        too turned unlike unset unless until vanish void waive warn weak withdraw withhold without worse wrong zero
        """.split(),
    )
)


def negative(word: Word) -> bool:
    """Whether a word may deny something, if only in the right company: too many are better than too few."""
    return (
        word.stem in _NEGATIVE or word.word in _NEGATIVE or denied(word.stem) is not None or word.word.endswith("less")
    )


@dataclass(frozen=True, slots=True)
class Polarity:
    """The negations of a statement, and whether each of its words stands under them.

    `odd[i]` tells whether an odd number of negations reaches word `i`, `unsure[i]` whether one such as "not all" does; `read`
    are the words of negations, and of phrases such as "not only" that look like one.
    """

    clauses: Clauses
    negations: tuple[Cue, ...]
    odd: tuple[bool, ...]
    unsure: tuple[bool, ...]
    read: frozenset[int]

    @classmethod
    def of(cls, statement: Statement) -> Polarity:
        """The polarity of a statement's words; computed once as long as it is in use."""
        return _polarity(statement)

    def head(self, negation: Cue) -> int | None:
        """The word that a negation is about: the first one in its reach that names something and is no negation itself."""
        content = self.clauses.content(negation.last, negation.reach)
        return next((at for at in content if at not in self.read), None)

    def is_clouded(self, at: int) -> bool:
        """Whether a word just before another one may deny it without being a known negation, as in "stem the spread"."""
        before = range(max(0, at - _NEXT_TO), at)
        return any(negative(self.clauses.words[place]) for place in before if place not in self.read)

    def is_conditional(self, negation: Cue) -> bool:
        """Whether a negation holds only until or without something else, as in "no limit unless you set one"."""
        clauses, first = self.clauses, negation.first
        if negation.kind == "phrase":
            opens = clauses.plain[first] == "without" and clauses.start(first) == first
            return opens or clauses.plain[negation.reach : negation.reach + 1] in (("unless",), ("until",), ("except",))
        clause = clauses.plain[clauses.start(first) : max(negation.reach + 1, clauses.end(first))]
        return not _CONDITIONAL.isdisjoint(clause)


@lru_cache(maxsize=256)
def _polarity(statement: Statement) -> Polarity:
    clauses = Clauses.of(statement)
    counts, unsure = [0] * len(clauses.words), [False] * len(clauses.words)
    phrases = tuple(_LEXICON.find(clauses.plain))
    found = [phrase for phrase in phrases if phrase[0] != "idiom"]
    negations = []
    for (kind, first, last), following in zip_longest(found, (first for _, first, _ in found[1:])):
        if clauses.plain[first] == "nor" and counts[first] % 2:
            continue  # "neither … nor" and "not … nor" deny once
        if _denies_nothing(clauses, first, last):
            continue
        cue = _cue(clauses, kind, first, last, _reach(clauses, kind, first, last, following))
        negations.append(cue)
        for at in range(last, cue.reach):
            counts[at] += 1
            unsure[at] |= cue.kind == "partial"
    odd = tuple(count % 2 == 1 for count in counts)
    read = frozenset(at for _, first, last in phrases for at in range(first, last))
    return Polarity(clauses, tuple(negations), odd, tuple(unsure), read)


def _denies_nothing(clauses: Clauses, first: int, last: int) -> bool:
    """Whether a word only looks like a denial: the "no" of "no, we did", or "prevent" without what it prevents something from."""
    if clauses.plain[first].startswith("prevent"):
        return "from" not in clauses.plain[last : clauses.end(first)]
    return clauses.plain[first:last] == ("no",) and not _NO_NOUN.isdisjoint(clauses.plain[last : last + 1])


def _cue(clauses: Clauses, kind: str, first: int, last: int, reach: int) -> Cue:
    """A negation; one of a comparison, as "not as loud as", denies in part."""
    compares = kind == "clause" and clauses.plain[last:reach].count("as") > 1
    return Cue("partial" if compares else kind, first, last, reach)


def _reach(clauses: Clauses, kind: str, first: int, last: int, following: int | None) -> int:
    """Up to which word the negation of words `first` to `last` reaches, where the next one begins at word `following`."""
    end = max(clauses.end(first), last)
    if clauses.plain[first] == "non":
        return min(last + 1, end)
    if following is not None and last + _NEXT_TO < following < end:  # two denials, not the denial of one
        end = following
    if kind == "clause":
        head = next(clauses.content(last, end), None)
        if head is not None and clauses.stem(head) in _ATTITUDES:
            return head + 1
    if kind in ("clause", "partial"):
        return next((at for at in range(last + 1, end) if clauses.plain[at] == "and"), end)
    return min(end, phrase_end(clauses, last))


def phrase_end(clauses: Clauses, at: int) -> int:
    """Where the noun that begins at a word ends, with all that belongs to it: before the next verb or preposition of its clause."""
    if at >= len(clauses.words):
        return at
    end = clauses.end(at)
    return next((place for place in range(at + 1, end) if clauses.plain[place] in _ENDS_A_PHRASE), end)
