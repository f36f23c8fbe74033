"""Opposites: words that deny one another, by their prefix or by their meaning."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from toulmin.domain.claims.oracles.words import stem

_PAIRS: Final = """
    enabled/disabled enable/disable enabling/disabling allowed/forbidden,prohibited,disallowed,banned permitted/forbidden,prohibited
    allow/forbid,prohibit,disallow,prevent,ban permit/forbid,prohibit
    increase/decrease,reduce,lower,shrink,decline rise/fall,drop,sink raise/lower,reduce grow/shrink improve/worsen,impair
    include/exclude,omit accept/reject,refuse,decline approve/reject,refuse true/false open/closed opened/closed
    required/optional mandatory/optional,voluntary compulsory/optional,voluntary obligatory/optional,voluntary
    synchronous/asynchronous first/last always/never start/stop,end begin/end,stop started/stopped begins/ends
    success/failure succeed,succeeded/fail successful,successfully/failed,unsuccessful pass/fail passed/failed
    safe/unsafe,dangerous,hazardous public/private internal/external hot/cold warm/cold wet/dry full/empty
    minimum/maximum lowest/highest low/high lower/higher,upper smaller/larger,bigger less/more fewer/more slow/fast,quick slower/faster
    slowly/quickly,fast early/late earlier/later older/newer oldest/newest old/new shorter/longer short/long weak/strong weaker/stronger
    positive/negative presence/absence present/absent lock/unlock add/remove,delete install/uninstall,remove
    attach/detach connect/disconnect appear/disappear,vanish
    temporary/permanent alive/dead guilty/innocent win/lose won/lost gain/lose,loss easy/hard,difficult simple/complex
    manual/automatic manually/automatically inside/outside above/below cheap/expensive,costly cheaper/dearer
    encourage/discourage recommended/discouraged visible/hidden,invisible show/hide left/right on/off ascending/descending
    deterministic/random local/remote known/unknown keep/delete,discard,drop retain/delete,discard kept/deleted,discarded,dropped
    acquit/convict import/export incoming/outgoing inbound/outbound upload/download upstream/downstream
    mutable/immutable finite/infinite better/worse best/worst beneficial/harmful healthy/ill major/minor agree/disagree
    activate/deactivate,inhibit promote/inhibit,suppress stimulate/inhibit,suppress enhance/inhibit,impair,reduce
    upregulate/downregulate encrypted/unencrypted,plain hit/miss skipped/called,executed skip/call,execute fresh/stale valid/invalid legal/illegal protect/harm
"""

_PREFIXED: Final = frozenset(
    """
    inability inaccessible inaccurate inactive inadequate inappropriate incapable incomplete incompatible inconsistent inconvenient
    incorrect indirect independent ineffective inefficient ineligible inequality inexact inexpensive infinite inflexible informal
    infrequent insecure insensitive inseparable insignificant insoluble insufficient insured intolerant invalid invariable invisible
    involuntary immature immobile immutable impatient imperfect impossible impractical improbable improper impure irrational irregular
    irrelevant irreversible irresponsible illegal illegible illegitimate illogical
    """.split()
)
"""Words in which in-, im-, ir- or il- denies the rest; in most that begin so it does not."""

_NO_PREFIX: Final = tuple(
    "undoubt under unit uniq univ union unif until unless unles disk display discover dispatch discount discharge discuss dispos dispens diseas "
    "distract distribut distanc distill dismiss".split()
)
"""Beginnings of words in which un- and dis- deny nothing."""


def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for entry in _PAIRS.split():
        ones, others = ([stem(word) for word in side.split(",")] for side in entry.split("/"))
        for one in ones:
            for other in others:
                table.setdefault(one, set()).add(other)
                table.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in table.items()}


_OPPOSITES: Final = _table()
_DENIED: Final = {stem(word): stem(word[2:]) for word in _PREFIXED}
_NOTHING: Final = frozenset[str]()


@lru_cache(maxsize=4096)
def opposites(stemmed: str) -> frozenset[str]:
    """The stems of the words that say the opposite, as far as they are known."""
    base = denied(stemmed)
    prefixes = (f"{prefix}{stemmed}" for prefix in ("un", "dis", "in", "im", "ir", "il", "non"))
    return (
        _OPPOSITES.get(stemmed, _NOTHING)
        | {word for word in prefixes if denied(word) == stemmed}
        | ({base} if base else _NOTHING)
    )


def denied(stemmed: str) -> str | None:
    """What a word with a denying prefix denies: "approv" for "unapprov"; None for another word."""
    if stemmed in _DENIED:
        return _DENIED[stemmed]
    for prefix in ("un", "dis", "non"):
        if stemmed.startswith(prefix) and len(stemmed) >= len(prefix) + 3 and not stemmed.startswith(_NO_PREFIX):
            return stemmed.removeprefix(prefix)
    return None
