"""Surroundings: what the words around a sentence may do to it. In doubt they do it.

A heading, a title or a lead may say of what stands below it when, where, of which model or version and by whom it is said, or that it is
not so; what comes after may take it back.
"""

from __future__ import annotations

import re

from toulmin.domain.corpus.folds import QUOTE_FOLDS, Folded
from toulmin.domain.corpus.markup import MARKUP
from toulmin.domain.corpus.quotes import CONDITIONS, negates, qualifies
from toulmin.domain.corpus.sentences import UnitKind

FOLDS = (MARKUP, *QUOTE_FOLDS)
"""What a claim in plain text and the source's words are compared after: the marks of the source are read as its page shows them."""

WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")

HARMLESS = frozenset("attention caution danger hint important info note tip warning".split())
"""Kinds of notes whose words hold as they stand."""

_DOUBT = frozenset(
    """
    abandoned according alleged allegedly alpha antipattern antipatterns archived argue argued argues assert asserted asserts assume
    assumed assumes assuming bad belief beliefs believe believed believes beta bogus bug bugs cancelled claim claimed claiming
    claims competitor competitors correction corrections counterexample counterexamples debunk debunked deprecated disagree
    disagreed disagrees discontinued disproof disprove disproved disproven disputed draft earlier errata erratum erroneous example
    examples exceptions expected experimental expired failure fallacies fallacy fiction fictional following former formerly future
    historic historical history hoax hypothetical hypothetically ideas imagine incorrect insisted insists invalid joke jokes kidding
    legacy lie lies misconception misconceptions mistake mistaken mistakenly mistakes myth myths obsolete old older opinion opposite
    outdated parody past pitfalls planned pretend preview previous previously promise promised promises proposal proposed
    provisional quote quoted quotes refute refuted rejected removed repealed report reported reports rescinded retired retracted
    retraction revoked roadmap rumor rumour said sample satire say says scenario simulated superseded suppose supposed tentative
    testimonials think thinks thought todo told unconfirmed unsupported untrue unverified upcoming void voided wip wishlist
    withdrawn wrong wrongly wrote
    """.split()
)
"""Words that say of what follows that someone else says it, that it was, will or may be so, or that it is not so."""

_TRUTH = re.compile(
    r"""
      \b (?:is|are|was|were|be) [ ] (?:\w+[ ])? (?:true|false|lies?) \b | \b for[ ](?:example|instance) \b | \b e\.g \b | \b as[ ]follows \b
    | \b (?:common|frequent|known|typical|usual) [ ] (?:errors?|issues?|problems?) \b | \b end[ ]of[ ](?:life|support) \b
    | \b (?:this|that) [ ] (?:idea|notion|view) \b
    """,
    re.VERBOSE,
)

_TAKES_BACK = frozenset(
    """
    actually although applicable applies but conversely correction errata erratum except exception exceptions excluding false formerly however if incorrect instead
    kidding limited nevertheless no nonetheless not note only or otherwise provided repealed rescinded restricted retracted revoked still
    superseded though unfortunately unless unlike until untrue valid when withdrawn wrong yet
    """.split()
)
"""Words that limit or take back the sentence before theirs where they begin one."""

_TAKES_BACK_AT_ONCE = (
    "apart from",
    "at least",
    "in fact",
    "in reality",
    "in theory",
    "just kidding",
    "on the contrary",
    "on the other hand",
    "that said",
)
_AFTERTHOUGHTS = frozenset("as at during for in on under until when while with within without".split())
"""Words that begin what is left of a sentence, as "With the power off.", where it is short."""

_BACK_AT_IT = frozenset("this that these those neither both same above such".split())
_SAID_BEFORE = re.compile(
    r"""
      \b (?:all|any|both|each|either|most|much|neither|none|some) [ ] of [ ] (?:it|that|the[ ]above|them|these|this|those) \b
    | \b (?:above|first|former|last|preceding|previous|that|the|this) [ ] (?:claim|guarantee|paragraph|rule|sentence|statement) s? \b
    | \b the[ ]above \b
    | \b (?:about|for|from|of|on|to) [ ] (?:it|that|these|this) $ | ^ (?:disregard|forget|ignore|strike) \b
    """,
    re.VERBOSE,
)
"""Words that speak about a sentence before theirs."""

_NAMES_WORDS = re.compile(
    r"""
    \b (?:above|first|last|preceding|previous|that|this) [ ] (?:claim|paragraph|sentence|statement) s? \b
    """,
    re.VERBOSE,
)
"""Words that speak about a sentence anywhere before theirs."""

_DEMANDS = re.compile(
    r"""
    \b (?: assum(?:es|ing) | depends | disregard | exclud(?:ed|es) | forget | guaranteed | ignore | must | needs? | presuppos\w+ | requir(?:ed|es?) | strike | until ) \b
    """,
    re.VERBOSE,
)
_VOIDS = re.compile(
    r"""
      \b (?: no[ ]longer | exceptions? | (?:not|n't|only|never) [ ] (?:appl(?:y|ies)|hold|true|the[ ]case|correct|valid) ) \b
    | \b appl(?:y|ies)[ ]only \b | ^ (?:conditions|restrictions|terms) [ ] apply \b
    | ^ (?:it|that|these|they|this) [ ] (?:appl(?:y|ies)|holds?|(?:are|is|was)[ ](?:true|valid)) [ ] (?:at|for|in|on|only|since|to|until|when) \b
    | ^ (?:assuming|given|subject[ ]to) \b
    | \b (?:it|that|these|they|this) [ ] (?:(?:been|had|has|have|is|since|was|were)[ ])* chang(?:ed|es) \b
    | \b (?:has|have) [ ] (?:since[ ])? changed \b
    """,
    re.VERBOSE,
)
_RETRACTS = re.compile(
    r"""
      \b (?: no[ ]longer[ ](?:appl(?:y|ies)|correct|holds?|the[ ]case|true|valid)
           | repealed | rescinded | retracted | revoked | withdrawn ) \b
    """,
    re.VERBOSE,
)

_FAULTS = frozenset(
    """
    fail failed failing fails failure lack lacked lacking lacks missing prevent prevented preventing prevents stop stopped stops
    """.split()
)
"""Denials that a heading names as its topic."""

_NEUTRAL = frozenset(
    """
    a also all an and apply applies are as at changes details facts features follow following follows for hold holds important in include
    includes information is it items keep known limits list mind note notes of on points properties remember rules specification
    specifications statements that the these things this to was were
    """.split()
)
"""An introduction of these words alone says nothing that its list would hang on."""

_CASES_FIRST = frozenset(
    """
    after as at before below between by during except for from if in inside legacy off on once only outside post pre prior since till under
    unless until upon whenever where while with within without
    """.split()
)
"""Words that a heading begins with where it says when, where or for whom what is below it holds."""

_CASE = re.compile(
    r"""
      \b (?:if|only|unless|until|till|when(?![ ]to\b)|whenever|while|disabled|disconnected|offline|off|unpowered) \b
    | \b (?:in|during) [ ] (?:[\w-]+[ ]){1,3} mode \b | \b (?:emergency|maintenance|safe|service|simulation|test) [ ] mode \b
    | \b special[ ]cases? \b | \b variants? \b | \b (?:basic|premium|pro|enterprise) [ ] (?:plan|tier)s? \b | \b model [ ] (?:[a-z]|[a-z]*\d\w*) \b
    | \b v?\d+\.\d+[\w.]* | \b v\d+ \b | \b (?:19|20)\d\d \b
    | \b (?:edition|firmware|release|revision|series|version|versions) [ ] \W? \d
    | \b (?:basic|certain|enterprise|lite|new|newer|other|premium|pro|professional|some) [ ]
      (?:devices?|editions?|firmware|models?|releases?|types|units|variants?|versions?) \b
    | \b (?:appl(?:ies|y)|applicable|limited|restricted|valid) \b
    | ^ (?:android|debian|fedora|ios|linux|mac[ ]?os|macos|mac|ubuntu|unix|windows) \b
    | ^ change(?:s|[ ]?log) $ | ^ release[ ]notes \b | \b what's[ ]new \b
    """,
    re.VERBOSE,
)
_SECTION_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[IVXLCivxlc]+\.)\s+(?=[^\W\d_a-z])")
_DRAWN = re.compile(r"^\W+|\W+$")
_DESIGNATION = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*\d)[A-Za-z\d]+(?:-[A-Za-z\d]+)*(?![\w-])")
"""A name with capital letters and digits in it, as models have."""

_PASSING = frozenset("a an and by for in is of on or the to with".split())
_LABEL = re.compile(r"(?:(?:\*\*|__)(?P<bold>[^*_.!?]+)[.:]?(?:\*\*|__)[.:]?|(?P<line>[^.!?:。<>]+))")
_LONGEST_LABEL = 6
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_BINDS = re.compile(
    r"""
      ^ only [ ] \S+ $ | ^ (?:available|precondition|prerequisite|require(?:ment|s)?)s? \b (?: \W* [\w.]+ ){1,4} $
    | ^ (?:added|available|changed|introduced|new|removed|since) [ ] (?: (?:in|from|since) [ ] )? (?:version[ ])? v?\d
    | ^ (?:only[ ])? (?:applicab\w+|applies|apply|effective|holds?|limited|restricted|valid) \b
    | ^ (?:audience|edition|firmware|models?|platform|scope|status|validity|versions?) \s? :
    | \b only $ | ^ (?:the[ ])? (?:model|version|edition)s? [ ] \S+ (?:[ ]only)? $
    | ^ (?:for|in|on) [ ] .* \b (?:the[ ])? following \b
    | ^ (?:deprecated|draft|obsolete|outdated|retired|superseded|withdrawn) \b
    """,
    re.VERBOSE,
)
"""A line that says of all that follows it when or of what it holds."""

_FRAMES_THE_NEXT = re.compile(
    r"""
      ^ (?:afterwards?|then) \b
    | ^ (?:after|at|before|during|in|on|under|until|while|without) [ ] (?!addition|fact|general|order|particular|practice|short)
      [^ ,]+ (?:[ ][^ ,]+){0,4} ,
    | \b (?:next|following) [ ] (?:claim|one|ones|sentence|sentences|statement|statements) \b | \b as[ ]follows \b
    """,
    re.VERBOSE,
)
_OPTION = re.compile(r"(?:answer|choice|option) \w\b")
_CHOICE = re.compile(
    r"""
    \b (?:all[ ]but[ ]\w+|any|either|few|half|most|none|one|part|some|three|two|which) [ ] of [ ]
       (?: them | these | those | two | three | the[ ](?:\w+[ ])? (?:answers|claims|items|options|points|rules|sentences|statements|two|three) )
    """,
    re.VERBOSE,
)
_POINTS_BELOW = re.compile(r"\b(?:below|following|as follows|next|these|things|those)\b")


def plain(words: str) -> str:
    """The words in small letters, as the page shows them."""
    return _shown(words).strip().lower()


def casts_doubt(said: str) -> bool:
    """Whether words, in small letters, say of others that someone else says so, or that they do not or may not hold now."""
    return not _DOUBT.isdisjoint(WORD.findall(said)) or _TRUTH.search(said) is not None


def heading_limits(heading: str, kind: UnitKind, sentence: str) -> bool:
    """Whether what stands below a heading or title may not hold as it stands, or for all that it speaks of.

    A sentence says itself what fails or stops; an item or row may be one of the things that its heading says so of. Where a sentence
    has all words of a heading that says when it holds, it says so itself.
    """
    said = plain(_SECTION_NUMBER.sub("", _DRAWN.sub("", heading)))
    found = WORD.findall(said)
    denied = negates(said) if kind is not UnitKind.SENTENCE else negates(" ".join(w for w in found if w not in _FAULTS))
    if denied or casts_doubt(said):
        return True
    is_case = (bool(found) and found[0] in _CASES_FIRST) or _CASE.search(said) is not None
    named = set(_DESIGNATION.findall(_shown(heading))) - set(_DESIGNATION.findall(_shown(sentence)))
    return bool(named) or (is_case and not set(found) - _PASSING <= set(WORD.findall(plain(sentence))))


def introduces(words: str) -> bool:
    """Whether what follows a sentence may be meant only as the sentence says."""
    said = plain(words)
    if said.endswith((":", "：")):
        return not _NEUTRAL.issuperset(WORD.findall(said))
    return (
        said.endswith(("?", "？", ",", ";", " this."))
        or _OPTION.match(said) is not None
        or casts_doubt(said)
        or _CHOICE.search(said) is not None
    )


def leads_wrongly(words: str) -> bool:
    """Whether the sentence above a list or table says more of what is in it than that it is there."""
    said = plain(words)
    if introduces(words):
        return True
    return _POINTS_BELOW.search(said) is not None and not _NEUTRAL.issuperset(WORD.findall(said))


def is_conditional(words: str) -> bool:
    """Whether a sentence says when something holds: the next one may hold then only."""
    said = plain(words)
    return not (CONDITIONS | {"unless", "except"}).isdisjoint(WORD.findall(said)) or bool(_FRAMES_THE_NEXT.search(said))


def limits_what_follows(words: str, sentence: str = "") -> bool:
    """Whether a line of a paragraph, as "**G1 only.**" or "Applies to: G1", says of all that follows when or of what it holds."""
    stripped = words.strip()
    said = plain(_TAG.sub("", stripped)).strip(" .:*_[]()")
    if _BINDS.search(said):
        return True
    label = _LABEL.fullmatch(stripped) if len(WORD.findall(said)) <= _LONGEST_LABEL else None
    return label is not None and heading_limits(label["bold"] or label["line"], UnitKind.SENTENCE, sentence)


def takes_back(words: str) -> bool:
    """Whether a sentence limits or denies the one before it."""
    said = plain(words)
    found = WORD.findall(said)
    return bool(found) and (
        found[0] in _TAKES_BACK
        or said.startswith(_TAKES_BACK_AT_ONCE)
        or (len(found) <= _LONGEST_LABEL and found[0] in _AFTERTHOUGHTS and "," not in said)
        or (len(found) <= _LONGEST_LABEL and casts_doubt(said) and not said.endswith(":"))
        or _VOIDS.search(said) is not None
        or _RETRACTS.search(said) is not None
        or (
            _SAID_BEFORE.search(said.strip(" .!)")) is not None and (_denies(said) or _DEMANDS.search(said) is not None)
        )
        or (found[0] in _BACK_AT_IT and _denies(said))
        or _is_an_opinion(said)
    )


def _is_an_opinion(said: str) -> bool:
    """Whether a sentence, in small letters, says of the one before it that it is what people believe or claim."""
    return said.startswith(("it is ", "it was ", "this ", "that ")) and casts_doubt(said)


def takes_back_all(words: str) -> bool:
    """Whether a sentence limits or denies what is said anywhere before it."""
    said = plain(words)
    return _RETRACTS.search(said) is not None or (_NAMES_WORDS.search(said) is not None and _denies(said))


def item_takes_back(words: str) -> bool:
    """Whether a list's item limits or denies the item before it."""
    said = plain(words)
    return said.startswith(("it ", "this ", "that ", "these ")) and _VOIDS.search(said) is not None


def _denies(said: str) -> bool:
    return negates(said) or qualifies(said) or casts_doubt(said)


def _shown(words: str) -> str:
    return Folded.of(words, FOLDS).text
