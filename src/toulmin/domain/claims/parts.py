"""Parts: a claim of several facts, taken apart into claims that can be judged alone.

There is no grammar here, only a list of verbs and the few forms of English sentences in which a cut is safe. Whatever does not have one of
them stays whole: what is not split is judged as one claim, but what is split wrongly is judged as something that nobody said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Part:
    """One fact of a claim: the words of `claim[start:end]`, in `text` together with the subject and the condition that they share."""

    text: str
    start: int
    end: int


def parts(claim: str) -> tuple[Part, ...]:
    """The facts of a claim, in order; one part with all of it where it states one, or where it is not clear where to cut.

    Where a part has no subject of its own, the claim's is put in front, and so is whatever the claim begins with before its subject
    ("If ..., ", "Since 2.3, "). Conditions, reasons and exceptions stay with what they are said of.
    """
    return clauses(claim, pronouns=False)


def clauses(claim: str, *, pronouns: bool) -> tuple[Part, ...]:
    """Like `parts`; with `pronouns`, also where a clause points back ("..., but it is heavy"), so that it can not be judged alone."""
    tokens = tuple(_tokens(claim)) if _CONNECTIVE.search(claim) else ()
    found = _Reading(claim=claim, tokens=tokens, pronouns=pronouns).parts() if _is_plain(tokens) else ()
    if len(found) > 1:
        return found
    start = len(claim) - len(claim.lstrip())
    return (Part(claim.strip(), start, start + len(claim.strip())),)


_VERBS = frozenset(
    """
    accept achieve activate add adjust affect allow appear apply arrive ask assign assume avoid become begin believe
    belong bind block break bring build cache call cancel carry cause change check choose claim clean clear close
    collect combine come compile complete connect consist consume contain continue control convert copy cost count cover
    create decide declare decode decrease default define delay delete depend describe detect determine differ disable
    discard dispatch display drop emit enable encode encrypt end enforce escape evaluate exceed exclude execute exist
    exit expect expire export expose extend fail fall fetch fill filter find finish fit follow force gain generate get
    give grow guarantee handle happen help hide hold ignore implement imply import improve include increase indicate
    inherit initialize insert inspect install interpret invoke keep know lack last lead leave let limit link list listen
    load lock log lose lower maintain make manage map mark match mean measure merge modify mount move need note occur
    offer open operate override own pass perform persist pick place point prefer prepare prevent print process produce
    protect provide push put raise reach read receive record reduce refer reflect refuse register reject release rely
    reload remain remove render repeat replace report represent request require reset resolve respond restart restrict
    result return rise run save say search select send serve set share ship show shut sign skip sleep sort specify split
    stand start state stay stop store submit suggest supply support suppress switch take tell terminate test think track
    transform trigger trust try turn unlock update upgrade use validate vary verify wait warn watch weigh work wrap
    write yield
    """.split()
)
_ALSO_NOUNS = frozenset(
    """
    block break build cache call claim cause change check control copy cost count cover decrease default delay display
    drop end escape exit export extend fall fill filter finish fit force gain handle help hold import increase lead
    leave limit link list load lock log map mark match measure merge mount move need note offer open override pass pick
    place point print process push put raise read record release repeat report request reset result return rise run save
    search set share ship show sign skip sleep sort split stand start state stay stop store supply support switch take
    test track transform trigger trust try turn update upgrade use wait watch work wrap write yield
    """.split()
)
"""Verbs that are nouns as well: "sets", "the use"."""

_SINGULAR = frozenset("is has does isn't hasn't doesn't".split())
_PLURAL = frozenset("are have do aren't haven't don't".split())
_MODALS = frozenset("can may might must should will".split())
_EITHER = _MODALS | frozenset(
    "cannot could shall would was were had did can't couldn't mustn't shouldn't won't wouldn't wasn't weren't hadn't didn't".split()
)
_DO = frozenset("do does don't doesn't".split())
_DETERMINERS = frozenset("a an the its their his her our your my each every all both".split())
_POINTING_BACK = frozenset(
    """
    each former he her him his instead it its latter one ones other others otherwise same she so such their them then there these they
    this those
    """.split()
)
_ARTICLES = frozenset("a an the".split())
_AND = frozenset("and but yet".split())
_PRONOUNS = frozenset("it they he she we you this that these those there".split())
_ADVERBS = frozenset("also never always usually often typically still now currently only just even".split())
_PREPOSITIONS = frozenset(
    "about after at before by during for from in into of on over per since through to under until via with within without".split()
)
_CONDITIONS = frozenset(
    """
    although as because before after except if once otherwise provided providing since though unless until when whenever where
    wherever whereas whether while
    """.split()
)
_LEADING = (
    _CONDITIONS
    | _PREPOSITIONS
    | frozenset("additionally also finally furthermore however moreover therefore thus".split())
)
_CONCESSIONS = frozenset("although though whereas".split())
_SUBORDINATE = frozenset("that which who whose whom what how why neither nor or".split())
_REPORTS = frozenset(
    """
    assume assumed assumes believe believed believes claim claimed claims ensure ensured ensures expect expected expects
    guarantee guaranteed guarantees implied implies imply indicate indicated indicates knew know known knows mean means
    meant note noted notes report reported reports said say says show showed shown shows state stated states suggest
    suggested suggests tell tells think thinks thought told warn warned warns
    """.split()
)
_NOT_OF_EACH = frozenset(
    "few fewer hardly many most neither no nobody none not nothing one only several some any half".split()
)
_OF_THE_WHOLE = frozenset("allows causes enables ensures helps leads lets makes means prevents requires".split())
_BREAKS = frozenset(".:!?—–")
_LONGEST = 60
_LONGEST_SUBJECT = 8
_LONGEST_SECOND_SUBJECT = 5

_CONNECTIVE = re.compile(r";|,\s+(?:even\s+)?(?:al)?though\b|,\s+w(?:hich|hereas)\b|\b(?:and|but|yet)\b")
_TOKEN = re.compile(
    r"""
      (?P<opaque> ``[^`]*`` | `[^`]*` | \([^()]*\) | \[[^\[\]]*\] | "[^"]*" | “[^”]*” )
    | (?P<word> [^\W_][\w'’/+-]* (?:\.\w[\w'’/+-]*)* | [-_.]*\w[\w-]* | [%€$£°§@&]+ )
    | (?P<mark> [,;:.!?—–] )
    | (?P<other> \S )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class _Token:
    """A word in small letters, a punctuation mark, or, as the word "", what is not looked into: code, quotations, brackets."""

    word: str
    start: int
    end: int
    kind: str
    is_capital: bool

    @property
    def opens_an_object(self) -> bool:
        """Whether what begins here is what something is done to, so that the word before it is a verb where it may be a noun as well."""
        is_name = self.kind == "opaque" or self.is_capital
        return is_name or self.word in _DETERMINERS or self.word[:1].isdecimal()


def _tokens(claim: str) -> Iterator[_Token]:
    for found in _TOKEN.finditer(claim):
        kind = found.lastgroup or ""
        word = "" if kind == "opaque" else found[0].lower().replace("’", "'")
        yield _Token(word, found.start(), found.end(), kind, found[0][0].isupper())


def _is_plain(tokens: Sequence[_Token]) -> bool:
    """Whether this is one statement, short enough to be read by such simple means, in which quotations and brackets are closed."""
    if not 3 <= len(tokens) <= _LONGEST or tokens[-1].word in {"?", ":"}:
        return False
    return all(token.kind != "other" and token.word not in _BREAKS for token in tokens[:-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cut:
    """Where a part begins: token `at`, after a connective that begins at token `gap`; `verb` is its first finite verb.

    `subject` is what is put in front of it, empty where it has a subject of its own. A `listed` one is the second of at least three
    ("weighs 12 kg, needs a fuse and costs 5 EUR") and none where no third follows.
    """

    at: int
    gap: int
    verb: int
    subject: str = ""
    listed: bool = False


@dataclass(kw_only=True)
class _Reading:
    """A claim read from left to right. Its current clause has its subject at token `subject`, its finite verb at `verb`."""

    claim: str
    tokens: Sequence[_Token]
    pronouns: bool
    start: int = 0
    subject: int = 0
    verb: int = 0
    cuts: list[_Cut] = field(default_factory=list)

    def parts(self) -> tuple[Part, ...]:
        if not self._begin():
            return ()
        if not self.cuts:
            self._scan()
        last = max((number for number, cut in enumerate(self.cuts) if not cut.listed), default=-1)
        del self.cuts[last + 1 :]
        self._keep_what_stands_alone()
        return tuple(self._composed())

    def _word(self, at: int) -> str:
        return self.tokens[at].word if at < len(self.tokens) else "."

    def _words(self, start: int, stop: int) -> str:
        return self.claim[self.tokens[start].start : self.tokens[stop - 1].end] if start < stop else ""

    def _begin(self) -> bool:
        """Finds the claim's subject and verb, after what it begins with; whether there are such."""
        at = 0
        while self._word(at) in _LEADING:
            comma = next((place for place in range(at, len(self.tokens)) if self._word(place) == ","), None)
            if comma is None:
                return False
            at = comma + 1 + (self._word(comma + 1) == "then")
        self.start = self.subject = at
        verb = self._verb_after(at, _LONGEST_SUBJECT)
        if verb is None:
            return self._begin_with_relative()
        self.verb = verb
        return not any(self._word(place) in _REPORTS for place in range(at + 1, verb))

    def _begin_with_relative(self) -> bool:
        """Cuts "The pump, which weighs 12 kg, needs a fuse"; whether the claim has this form."""
        commas = [at for at in range(self.start, len(self.tokens)) if self._word(at) == ","][:2]
        if len(commas) < 2 or self._word(commas[0] + 1) != "which":
            return False
        (first, second), subject = commas, self._words(self.start, commas[0])
        if not self._can_share(self.start, first) or not self._is_finite(first + 2) or not self._is_finite(second + 1):
            return False
        inside = {self._word(at) for at in range(first + 2, second)}
        if inside & (_CONDITIONS | _SUBORDINATE) or not self._agree(first + 2, second + 1):
            return False
        self.cuts = [
            _Cut(at=first + 2, gap=self.start, verb=first + 2, subject=subject),
            _Cut(at=second + 1, gap=second, verb=second + 1, subject=subject),
        ]
        return True

    def _scan(self) -> None:
        """Collects the cuts after the claim's verb, up to where a subordinate clause makes it unclear what belongs to what."""
        at = self.verb + 1
        while at < len(self.tokens):
            cut = self._cut(at)
            if cut is not None:
                self.cuts.append(cut)
                if not cut.subject:
                    self.subject, self.verb = cut.at, cut.verb
                at = cut.verb + 1
                continue
            word = self._word(at)
            if word in _CONDITIONS - _CONCESSIONS:  # it may be one of everything that the subject does
                while self.cuts and self.cuts[-1].subject:
                    self.cuts.pop()
            if word in _CONDITIONS or word in _SUBORDINATE or self._is_finite(at):
                return
            at = self._after_pair(at) if word in {"between", "both"} else at + 1

    def _after_pair(self, at: int) -> int:
        """Past the "and" that belongs to "between" or "both"."""
        return next((place + 1 for place in range(at, len(self.tokens)) if self._word(place) == "and"), at + 1)

    def _cut(self, at: int) -> _Cut | None:
        """The cut at a connective, if the clause before it is complete."""
        if self._word(at - 1) in _SINGULAR | _PLURAL | _EITHER | _AND | {"not"}:
            return None
        word, following = self._word(at), self._word(at + 1)
        if word == ";":
            return self._own(at + 1, at) or self._shared(at + 1, at)
        if word == "," and following in _AND:
            return self._own(at + 2, at) or self._shared(at + 2, at)
        if word == "," and following in _CONCESSIONS:
            return self._own(at + 2, at)
        if word == "," and following == "even" and self._word(at + 2) == "though":
            return self._own(at + 3, at)
        if word == "," and following == "which":
            return self._relative(at + 2, at)
        if word == ",":
            return self._shared(at + 1, at, listed=True)
        if word in _AND:
            return (self._own(at + 1, at) if following in _DETERMINERS else None) or self._shared(at + 1, at)
        return None

    def _own(self, at: int, gap: int) -> _Cut | None:
        """A clause with a subject of its own."""
        if self._word(self.verb) in _REPORTS:
            return None
        if self._word(at) in _PRONOUNS and not self.pronouns:
            says_of_it = self._word(at) == "it" and self._word(at + 1) not in {"is", "was"}  # "it is here that"
            is_clear = says_of_it and self._names_nothing_else(gap)
            return self._shared(at + 1, gap, after_it=True) if is_clear else None
        verb = self._verb_after(at, _LONGEST_SECOND_SUBJECT, surely=True)
        if verb is None or self._is_last(verb) or not self._is_subject(at, verb):
            return None
        return _Cut(at=at, gap=gap, verb=verb)

    def _is_subject(self, start: int, verb: int) -> bool:
        """Whether this can be a subject of its own, and not "many", which is many of something before."""
        words = [self._word(at) for at in range(start, verb)]
        if words[0] in _ADVERBS or (len(words) == 1 and words[0] in _NOT_OF_EACH | _DETERMINERS):
            return False
        return _AND.isdisjoint(words) and _PRONOUNS.isdisjoint(words[1:])

    def _names_nothing_else(self, gap: int) -> bool:
        """Whether only the subject is there for an "it" to stand for."""
        return not any(self.tokens[at].opens_an_object for at in range(self.verb + 1, gap))

    def _shared(self, at: int, gap: int, *, listed: bool = False, after_it: bool = False) -> _Cut | None:
        """A verb whose subject is that of the clause before, or that follows an "it" that stands for it."""
        verb = at + (self._word(at) in _ADVERBS)
        if self._is_last(verb) or not self._can_share(self.subject, self.verb):
            return None
        stop = self.verb
        if self._word(self.verb) in _MODALS and self._is_base(verb):
            stop += 1
            if self._word(stop) in {"not", "only", "never"}:
                return None
        elif not self._fits(verb) and not (after_it and self._can_be_verb(verb)):
            return None
        return _Cut(at=at, gap=gap, verb=verb, subject=self._words(self.subject, stop), listed=listed)

    def _relative(self, at: int, gap: int) -> _Cut | None:
        """What a last clause with "which" says of the thing named just before it."""
        rest = {self._word(place) for place in range(at, len(self.tokens))}
        first = next(
            (place for place in range(gap - 1, max(gap - 5, self.verb), -1) if self._word(place) in _ARTICLES), None
        )
        unclear = _CONDITIONS | _SUBORDINATE | _POINTING_BACK | _AND | {","}
        if first is None or rest & unclear or not self._is_finite(at):
            return None
        inside = {self._word(place) for place in range(first + 1, gap)}
        is_plural = self._word(gap - 1).endswith("s")
        if inside & (_PREPOSITIONS | _AND) or not inside or self._word(at) in _OF_THE_WHOLE:
            return None
        if self._number(at) == ("singular" if is_plural else "plural"):
            return None
        thing = self._words(first + 1, gap)
        return _Cut(at=at, gap=gap, verb=at, subject=f"The {thing}")

    def _can_share(self, subject: int, verb: int) -> bool:
        """Whether what is said of this subject is said part by part: not of "no pump", and not where "always" stands before all of it."""
        words = {self._word(at) for at in range(subject, verb)}
        return self._word(subject) not in _NOT_OF_EACH and not words & (_ADVERBS | _SUBORDINATE | {","})

    def _verb_after(self, start: int, limit: int, *, surely: bool = False) -> int | None:
        """The finite verb of the subject that begins at `start`; if there is none for sure, the first word that can be one."""
        perhaps: int | None = None
        for at in range(start + 1, min(start + 1 + limit, len(self.tokens))):
            word = self._word(at)
            if self.tokens[at].kind == "mark" or word in _CONDITIONS or word in _SUBORDINATE:
                return perhaps
            if (word in _AND and perhaps) or (self._word(at - 1) in _AND and self._is_finite(at)):
                return perhaps
            if self._is_finite(at) or self._is_plural_verb(start, at):
                return at
            if perhaps is None and not surely and self._can_be_verb(at):
                perhaps = at
        return perhaps

    def _is_finite(self, at: int) -> bool:
        """Whether the word is a finite verb in the singular, or one that goes with any subject, whatever stands before it."""
        word, before = self._word(at), self._word(at - 1) if at else ""
        if word in _SINGULAR or word in _PLURAL or word in _EITHER:
            return before != "to"
        verb = _singular(word)
        return self._can_be_verb(at) and (verb not in _ALSO_NOUNS or self._is_strong(at + 1))

    def _can_be_verb(self, at: int) -> bool:
        before, following = self._word(at - 1) if at else "", self._word(at + 1)
        is_noun = before in _DETERMINERS or following in _SINGULAR | _PLURAL | _EITHER or following in _VERBS
        return _singular(self._word(at)) is not None and not is_noun

    def _is_plural_verb(self, start: int, at: int) -> bool:
        """Whether the word is a verb after a subject in the plural."""
        before = self._word(at - 1)
        is_plural = before in {"they", "we", "you"} or (before.endswith("s") and not before.endswith(("ss", "'s")))
        is_plural = is_plural or any(self._word(place) == "and" for place in range(start, at))
        return is_plural and self._is_base(at)

    def _is_base(self, at: int) -> bool:
        return self._word(at) in _VERBS | {"be", "have"} and self._is_strong(at + 1)

    def _is_strong(self, at: int) -> bool:
        """Whether the word before this one, if it can be a verb or a noun, is a verb."""
        return at < len(self.tokens) and self.tokens[at].opens_an_object

    def _number(self, at: int) -> str:
        word = self._word(at)
        if word in _EITHER:
            return "either"
        return "singular" if word in _SINGULAR or _singular(word) else "plural"

    def _agree(self, first: int, second: int) -> bool:
        numbers = {self._number(first), self._number(second)} - {"either"}
        return len(numbers) < 2

    def _is_last(self, verb: int) -> bool:
        """Whether nothing follows the verb, so that what it says stands elsewhere ("but the fan does")."""
        return verb + 1 >= len(self.tokens) or self.tokens[verb + 1].kind == "mark"

    def _fits(self, verb: int) -> bool:
        """Whether the verb can have the subject of the current clause; not one that may be an infinitive, as in "had to try and do"."""
        first = self._number(self.verb)
        if first == "plural" and self._is_base(verb):
            return True
        is_infinitive = (first == "either" or self._word(self.verb) in _DO) and self._word(verb) in {"do", "have"}
        return self._is_finite(verb) and self._agree(self.verb, verb) and not is_infinitive

    def _keep_what_stands_alone(self) -> None:
        """Drops the cuts before parts that point back to the words before them."""
        stops = (*(cut.gap for cut in self.cuts), len(self.tokens))[1:]
        if not self.pronouns:
            self.cuts = [cut for cut, stop in zip(self.cuts, stops, strict=True) if not self._points_back(cut, stop)]

    def _points_back(self, cut: _Cut, stop: int) -> bool:
        """Whether a part names something only in another one; with the claim's subject in front, "its" and what a concession says are clear."""
        words = [self._word(at) for at in range(cut.at, stop) if self.tokens[at].kind != "mark"]
        if words[-1] == "to":  # "but was unable to"
            return True
        if cut.subject:
            until = next((at for at, word in enumerate(words) if word in _CONCESSIONS), len(words))
            words = [word for word in words[:until] if word not in {"its", "their"}]
        return not _POINTING_BACK.isdisjoint(words)

    def _composed(self) -> Iterator[Part]:
        lead = self._words(0, self.start)
        stop = self.tokens[-1].end
        end = self._word(len(self.tokens) - 1) if self.tokens[-1].kind == "mark" else ""
        cuts = self.cuts
        if not cuts or cuts[0].gap > self.start:
            cuts = [_Cut(at=self.start, gap=self.start, verb=self.verb), *cuts]
        for number, cut in enumerate(cuts):
            last = number + 1 == len(cuts)
            until = self.tokens[-1].end if last else self.tokens[cuts[number + 1].gap - 1].end
            begin = self.tokens[cut.at].start
            words = self.claim[begin:until].removesuffix(end) if end else self.claim[begin:until]
            text = " ".join(filter(None, (lead, cut.subject, words))) + end
            yield Part(capitalised(text), self.tokens[0].start if number == 0 else begin, stop if last else until)


def _singular(word: str) -> str | None:
    """The verb that the word is the third person singular of."""
    for ending, stand_in in (("ies", "y"), ("es", ""), ("s", "")):
        verb = word.removesuffix(ending) + stand_in
        if word.endswith(ending) and verb in _VERBS:
            return verb
    return None


def capitalised(text: str) -> str:
    """The text with a capital letter where it begins with an article or the like; a name stays as it is written."""
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first in _DETERMINERS | _PRONOUNS else text
